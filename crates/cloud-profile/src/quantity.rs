//! Quantities as Kubernetes writes them: a decimal number with a suffix, such as `8Gi` or `500m`.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A quantity as it was written. Equal quantities may be written in different ways: [`Quantity::same`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Quantity(String);

impl Quantity {
    /// The quantity as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value in billionths. As in Kubernetes, whatever is smaller is rounded up, and what is beyond 64 bits is the
    /// largest quantity. None if the text is no quantity.
    #[must_use]
    pub fn billionths(&self) -> Option<i128> {
        let (sign, magnitude) = match self.0.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, self.0.strip_prefix('+').unwrap_or(&self.0)),
        };
        let end = magnitude.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(magnitude.len());
        let (number, suffix) = magnitude.split_at(end);
        let value = scaled(number, scale(suffix)?)?;
        i128::try_from(value).ok().map(|value| sign * value)
    }

    /// Whether both mean the same, however they are written.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        match (self.billionths(), other.billionths()) {
            (Some(own), Some(others)) => own == others,
            _ => self.0 == other.0,
        }
    }
}

/// The largest quantity, in billionths.
const LARGEST: u128 = 9_223_372_036_854_775_807 * 1_000_000_000;
/// Exponents beyond are as good as this one.
const MOST_TENS: i64 = 10_000;

/// What a suffix multiplies by: a power of two and a power of ten.
fn scale(suffix: &str) -> Option<(u32, i32)> {
    Some(match suffix {
        "" => (0, 0),
        "n" => (0, -9),
        "u" => (0, -6),
        "m" => (0, -3),
        "k" => (0, 3),
        "M" => (0, 6),
        "G" => (0, 9),
        "T" => (0, 12),
        "P" => (0, 15),
        "E" => (0, 18),
        "Ki" => (10, 0),
        "Mi" => (20, 0),
        "Gi" => (30, 0),
        "Ti" => (40, 0),
        "Pi" => (50, 0),
        "Ei" => (60, 0),
        _ => {
            let exponent = suffix.strip_prefix(['e', 'E'])?.parse::<i64>().ok()?;
            (0, i32::try_from(exponent.clamp(-MOST_TENS, MOST_TENS)).ok()?)
        }
    })
}

/// The number in billionths, with its scale.
fn scaled(number: &str, (twos, tens): (u32, i32)) -> Option<u128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some(0);
    }
    let shift = tens.checked_add(9)?.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let power = 10_u128.checked_pow(shift.unsigned_abs());
    let value = digits.parse::<u128>().ok().and_then(|value| value.checked_mul(1 << twos));
    let value = match value {
        Some(value) if shift < 0 => power.map_or(1, |power| value.div_ceil(power)),
        Some(value) => power.and_then(|power| value.checked_mul(power)).unwrap_or(LARGEST),
        // So many digits after the point say nothing that could be told.
        None if shift < 0 => return None,
        None => LARGEST,
    };
    Some(value.min(LARGEST))
}

impl From<&str> for Quantity {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(QuantityVisitor)
    }
}

impl JsonSchema for Quantity {
    fn schema_name() -> Cow<'static, str> {
        "Quantity".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "x-kubernetes-int-or-string": true })
    }
    fn inline_schema() -> bool {
        true
    }
}

struct QuantityVisitor;

impl Visitor<'_> for QuantityVisitor {
    type Value = Quantity;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a quantity, such as \"8Gi\" or 4")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Quantity, E> {
        Ok(Quantity::from(text))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Quantity, E> {
        Ok(Quantity(number.to_string()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Quantity, E> {
        Ok(Quantity(number.to_string()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Quantity, E> {
        Ok(Quantity(number.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn billionths(text: &str) -> Option<i128> {
        Quantity::from(text).billionths()
    }

    #[test]
    fn what_means_the_same_is_the_same() {
        for (one, other) in [
            ("8Gi", "8192Mi"),
            ("4", "4000m"),
            ("1.5Gi", "1536Mi"),
            ("1k", "1e3"),
            ("1E", "1E18"),
            ("0", "-0Ki"),
            ("+1", "1.000"),
            (".5", "500m"),
            ("5.", "5"),
            ("1u", "1000n"),
            ("0e9999", "0"),
            ("007", "7"),
            ("100e-2", "1"),
            ("2P", "2000T"),
            ("8Ei", "8192Pi"),
            ("0.1n", "1n"),
            ("1e-400", "1n"),
            ("1e30", "9223372036854775807"),
            ("9999999999999999999999999999999999999999", "1e400"),
            ("1e99999", "100E"),
            ("1e-99999", "1n"),
        ] {
            assert!(billionths(one).is_some(), "{one}");
            assert_eq!(billionths(one), billionths(other), "{one} and {other}");
        }
    }

    #[test]
    fn what_differs_differs() {
        for (one, other) in [("1k", "1Ki"), ("1m", "1M"), ("-1", "1"), ("1", "1.000000001"), ("1E", "1Ei")] {
            assert_ne!(billionths(one), billionths(other), "{one} and {other}");
        }
        assert_eq!(billionths("-1500m"), Some(-1_500_000_000));
    }

    #[test]
    fn what_is_no_quantity_has_no_value() {
        for text in [
            "", ".", "-", "Gi", "1.2.3", "1K", "1ki", "1 Gi", "1e", "1e1.5", "--1", "1GiB", "1e+-3", "1é",
            "0x10",
        ] {
            assert_eq!(billionths(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_read_as_text() {
        let read = |json: &str| serde_json::from_str::<Quantity>(json).ok();
        assert_eq!(read("4"), Some(Quantity::from("4")));
        assert_eq!(read("-1"), Some(Quantity::from("-1")));
        assert_eq!(read("0.5"), Some(Quantity::from("0.5")));
        assert_eq!(read("\"8Gi\""), Some(Quantity::from("8Gi")));
        assert_eq!(read("true"), None);
    }
}
