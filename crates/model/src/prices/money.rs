//! Amounts of money, exact to ten decimal places.

use std::fmt;

/// Decimal places that an amount has.
const PLACES: u32 = 10;
/// Units of an amount in one unit of the currency.
const ONE: i128 = 10_i128.pow(PLACES);
/// The most digits before the decimal point of a price.
const MOST_DIGITS: usize = 9;

/// Hours of a month, as AWS and Azure count them in their price calculators.
pub const HOURS_PER_MONTH: u64 = 730;

/// An amount of a currency: an integer of 10<sup>-10</sup> of it, never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money(i128);

impl Money {
    /// The amount that decimal text such as `0.192` or `0.1920000000` says; none for a sign, an exponent, more
    /// than ten decimal places that are not zero, and a billion or more.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !is_number(whole) || !is_number(fraction) || whole.len() > MOST_DIGITS {
            return None;
        }
        let places = usize::try_from(PLACES).ok()?;
        let (kept, rest) = fraction.split_at(fraction.len().min(places));
        if rest.bytes().any(|b| b != b'0') {
            return None;
        }
        let whole: i128 = whole.parse().ok()?;
        let fraction: i128 = format!("{kept:0<places$}").parse().ok()?;
        Some(Self(whole * ONE + fraction))
    }

    /// The amount so many times; none where that is too large to tell.
    #[must_use]
    pub fn times(self, number: u64) -> Option<Self> {
        self.0.checked_mul(i128::from(number)).map(Self)
    }

    /// Two amounts together; none where that is too large to tell.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// The amount divided by a number; none where something would be lost.
    #[must_use]
    pub fn divided_exactly(self, by: i128) -> Option<Self> {
        (by > 0 && self.0 % by == 0).then(|| Self(self.0 / by))
    }

    /// What an amount of a month comes to in an hour, rounded to ten decimal places.
    #[must_use]
    pub fn per_hour(self) -> Self {
        Self(divided(self.0, i128::from(HOURS_PER_MONTH)))
    }

    /// The amount with so many decimal places, rounded half up.
    #[must_use]
    pub fn rounded(self, places: u32) -> String {
        let places = places.min(PLACES);
        let unit = 10_i128.pow(places);
        let value = divided(self.0, 10_i128.pow(PLACES - places));
        let width = usize::try_from(places).unwrap_or_default();
        match places {
            0 => value.to_string(),
            _ => format!("{}.{:0width$}", value / unit, value % unit),
        }
    }
}

/// Half up; both are positive.
fn divided(value: i128, by: i128) -> i128 {
    let (quotient, rest) = (value / by, value % by);
    quotient + i128::from(rest >= by - rest)
}

/// The exact amount without zeros at its end.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.rounded(PLACES);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn money(text: &str) -> Money {
        Money::parse(text).unwrap_or_default()
    }

    #[test]
    fn decimals_are_read_and_written_exactly() {
        let cases = [
            ("0.192", "0.192"),
            ("0.1920000000", "0.192"),
            ("0.19200000000000", "0.192"),
            ("0.0000000001", "0.0000000001"),
            ("12", "12"),
            ("120.50", "120.5"),
            ("0", "0"),
            ("999999999.9999999999", "999999999.9999999999"),
        ];
        for (text, shown) in cases {
            assert_eq!(Money::parse(text).map(|money| money.to_string()).as_deref(), Some(shown), "{text}");
        }
    }

    #[test]
    fn nothing_else_is_an_amount() {
        for text in
            ["", ".", ".5", "5.", "-1", "+1", "1e3", "1,5", " 1", "0.00000000001", "1000000000", "1_0", "٣"]
        {
            assert_eq!(Money::parse(text), None, "{text}");
        }
    }

    #[test]
    fn amounts_are_multiplied_added_and_rounded() {
        let month = money("0.192").times(3).and_then(|hour| hour.times(HOURS_PER_MONTH));
        assert_eq!(month, Some(money("420.48")));
        assert_eq!(money("420.48").per_hour(), money("0.576"));
        assert_eq!(money("1").per_hour().to_string(), "0.001369863");
        assert_eq!(money("40.96").divided_exactly(1024), Some(money("0.04")));
        assert_eq!(money("1").divided_exactly(3), None);
        assert_eq!(money("0.005").rounded(2), "0.01");
        assert_eq!(money("0.0049999999").rounded(2), "0.00");
        assert_eq!(money("9.999").rounded(2), "10.00");
        assert_eq!(money("2.5").rounded(0), "3");
        assert_eq!(Money(i128::MAX).times(2), None);
        assert_eq!(Money(i128::MAX).plus(money("1")), None);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(whole in 0u32..1_000_000_000, fraction in 0u64..10_000_000_000) {
            let text = format!("{whole}.{fraction:010}");
            let read = Money::parse(&text);
            prop_assert!(read.is_some());
            prop_assert_eq!(read.and_then(|money| Money::parse(&money.to_string())), read);
            prop_assert_eq!(read.map(|money| money.rounded(10)), Some(text));
        }
    }
}
