//! What a plain scalar means: YAML 1.1 as the OpenShift installer's reader (go-yaml v2) resolves it.
//!
//! The rules are those of `docs/install-config.md`, sections 3.1 and 3.2. No field types here.

use std::borrow::Cow;

/// The meaning of a scalar.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar<'a> {
    /// Nothing given.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer between the least signed and the greatest unsigned 64-bit number.
    Int(i128),
    /// A number with a point or an exponent, or an integer too large for 64 bits.
    Float(f64),
    /// Text.
    Text(&'a str),
}

impl Scalar<'_> {
    /// The words for a message: what the scalar is.
    #[must_use]
    pub fn noun(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "the boolean",
            Self::Int(_) | Self::Float(_) => "the number",
            Self::Text(_) => "the text",
        }
    }

    /// The text that a text field gets from this scalar.
    #[must_use]
    pub fn to_text(&self) -> Cow<'_, str> {
        match self {
            Self::Null => Cow::Borrowed(""),
            Self::Bool(true) => Cow::Borrowed("true"),
            Self::Bool(false) => Cow::Borrowed("false"),
            Self::Int(number) => Cow::Owned(number.to_string()),
            Self::Float(number) => Cow::Owned(shortest(*number)),
            Self::Text(text) => Cow::Borrowed(text),
        }
    }
}

/// Resolves a plain (unquoted, untagged) scalar.
#[must_use]
pub fn resolve(text: &str) -> Scalar<'_> {
    let Some(first) = text.bytes().next() else {
        return Scalar::Null;
    };
    match first {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => word(text),
        b'.' => special_float(text).or_else(|| float(text)).map_or(Scalar::Text(text), Scalar::Float),
        b'+' | b'-' | b'0'..=b'9' => {
            special_float(text).map(Scalar::Float).or_else(|| number(text)).unwrap_or(Scalar::Text(text))
        }
        _ => Scalar::Text(text),
    }
}

fn word(text: &str) -> Scalar<'_> {
    match text {
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Scalar::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Scalar::Bool(false)
        }
        _ => Scalar::Text(text),
    }
}

fn special_float(text: &str) -> Option<f64> {
    match text {
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Some(f64::NEG_INFINITY),
        ".nan" | ".NaN" | ".NAN" => Some(f64::NAN),
        _ => None,
    }
}

fn number(text: &str) -> Option<Scalar<'static>> {
    let plain: Cow<'_, str> =
        if text.contains('_') { Cow::Owned(text.replace('_', "")) } else { Cow::Borrowed(text) };
    integer(&plain).map(Scalar::Int).or_else(|| float(&plain).map(Scalar::Float))
}

/// An integer in decimal, `0x`, `0b`, `0o` or `0` notation that fits 64 bits, signed or unsigned.
fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let lower = digits.get(..2).map(str::to_ascii_lowercase);
    let (radix, digits) = match lower.as_deref() {
        Some("0x") => (16, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some(two) if two.starts_with('0') => (8, &digits[1..]),
        _ => (10, digits),
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let magnitude = i128::from(u64::from_str_radix(digits, radix).ok()?);
    let value = if negative { -magnitude } else { magnitude };
    (value >= i128::from(i64::MIN)).then_some(value)
}

/// A number with a point or an exponent; none if it is too large for 64 bits.
fn float(text: &str) -> Option<f64> {
    let number: f64 = float_syntax(text).then(|| text.parse().ok()).flatten()?;
    number.is_finite().then_some(number)
}

/// Whether `text` has the form `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`.
fn float_syntax(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let mantissa_fits = match mantissa.split_once('.') {
        Some((whole, fraction)) => {
            digits(whole) && digits(fraction) && !(whole.is_empty() && fraction.is_empty())
        }
        None => !mantissa.is_empty() && digits(mantissa),
    };
    mantissa_fits
        && exponent.is_none_or(|e| {
            let e = e.strip_prefix(['+', '-']).unwrap_or(e);
            !e.is_empty() && digits(e)
        })
}

/// The fewest digits that identify the 32-bit value, in exponent form when the decimal exponent is
/// below -4 or above 5 (Go's `'g'` format with the shortest precision).
#[allow(clippy::cast_possible_truncation)] // the 32-bit value is the rule
fn shortest(number: f64) -> String {
    let number = number as f32;
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{number:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..=5).contains(&exponent) {
        return number.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_as_yaml_1_1() {
        let cases: &[(&str, Scalar<'_>)] = &[
            ("", Scalar::Null),
            ("~", Scalar::Null),
            ("yes", Scalar::Bool(true)),
            ("Off", Scalar::Bool(false)),
            ("tRue", Scalar::Text("tRue")),
            ("010", Scalar::Int(8)),
            ("0o17", Scalar::Int(15)),
            ("0x1F", Scalar::Int(31)),
            ("-0b11", Scalar::Int(-3)),
            ("1_000", Scalar::Int(1000)),
            ("08", Scalar::Float(8.0)),
            ("1e3", Scalar::Float(1000.0)),
            (".5", Scalar::Float(0.5)),
            ("1.", Scalar::Float(1.0)),
            ("18446744073709551615", Scalar::Int(18_446_744_073_709_551_615)),
            ("1:30", Scalar::Text("1:30")),
            ("2021-01-01", Scalar::Text("2021-01-01")),
            ("+", Scalar::Text("+")),
            ("0x", Scalar::Text("0x")),
            ("0x-5", Scalar::Text("0x-5")),
            ("é", Scalar::Text("é")),
            ("0é", Scalar::Text("0é")),
            ("1e400", Scalar::Text("1e400")),
        ];
        for (text, want) in cases {
            assert_eq!(&resolve(text), want, "{text}");
        }
    }

    #[test]
    fn numbers_become_the_text_that_the_peer_gives() {
        let cases = [
            ("1.10", "1.1"),
            ("1.0", "1"),
            ("1e3", "1000"),
            ("999999.0", "999999"),
            ("1000000.0", "1e+06"),
            ("0.00001", "1e-05"),
            ("0.0001", "0.0001"),
            ("123456789.0", "1.2345679e+08"),
            ("16777217.0", "1.6777216e+07"),
            (".inf", "+Inf"),
            ("0x10", "16"),
            ("n", "false"),
        ];
        for (text, want) in cases {
            assert_eq!(resolve(text).to_text(), want, "{text}");
        }
    }
}
