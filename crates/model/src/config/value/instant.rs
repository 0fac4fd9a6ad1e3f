//! Times as RFC 3339 writes them, read strictly.

use jiff::Timestamp;
use jiff::civil::DateTime;

/// The most digits of a fraction that count.
const DIGITS: usize = 9;

/// The instant that RFC 3339 text names; none for anything else, however close to it. What lies beyond the
/// last instant that can be told is that instant, and what is finer than a nanosecond is cut.
#[must_use]
pub fn instant(text: &str) -> Option<Timestamp> {
    const SHAPE: &str = "0000-00-00T00:00:00";
    let (head, tail) = text.split_at_checked(SHAPE.len())?;
    let fits = |(shape, byte): (u8, u8)| if shape == b'0' { byte.is_ascii_digit() } else { byte == shape };
    if !SHAPE.bytes().zip(head.bytes()).all(fits) || head.get(17..)? >= "60" {
        return None;
    }
    let (fraction, offset) = match tail.strip_prefix('.') {
        Some(rest) => rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?),
        None => ("0", tail),
    };
    if fraction.is_empty() || !is_offset(offset) {
        return None;
    }
    let fraction = fraction.get(..DIGITS).unwrap_or(fraction);
    let exact = format!("{head}.{fraction}{offset}").parse();
    // A day that there is has an instant, so that only the last ones can fail.
    exact.ok().or_else(|| head.parse::<DateTime>().ok().map(|_| Timestamp::MAX))
}

/// Whether the text is `Z` or an offset in hours and minutes.
fn is_offset(text: &str) -> bool {
    let below = |part: Option<&str>, end: u8| {
        part.is_some_and(|part| {
            part.bytes().all(|b| b.is_ascii_digit()) && part.parse().is_ok_and(|n: u8| n < end)
        })
    };
    let signed = text.len() == 6 && text.starts_with(['+', '-']) && text.get(3..4) == Some(":");
    text == "Z" || (signed && below(text.get(1..3), 24) && below(text.get(4..6), 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_and_fractions_name_the_same_instant() {
        let plain = instant("2024-06-06T01:02:03Z");
        assert!(plain.is_some());
        for text in ["2024-06-06T03:02:03+02:00", "2024-06-06T01:02:03.000Z", "2024-06-05T23:32:03-01:30"] {
            assert_eq!(instant(text), plain, "{text}");
        }
    }

    #[test]
    fn what_is_too_late_or_too_fine_is_still_a_time() {
        assert_eq!(instant("9999-12-31T23:59:59Z"), Some(Timestamp::MAX));
        assert_eq!(instant("9999-12-31T23:59:59.999-23:59"), Some(Timestamp::MAX));
        assert!(instant("9999-12-01T00:00:00Z").is_some_and(|late| late < Timestamp::MAX));
        assert!(instant("0000-01-01T00:00:00+23:59").is_some_and(|first| first < Timestamp::UNIX_EPOCH));
        let fine = instant("2024-06-06T01:02:03.123456789Z");
        assert!(fine > instant("2024-06-06T01:02:03Z"));
        assert_eq!(instant("2024-06-06T01:02:03.1234567899999+00:00"), fine);
    }

    #[test]
    fn nothing_else_is_a_time() {
        for text in [
            "",
            "tomorrow",
            "2023-08-8T23:59:59Z",
            "2023-08-08",
            "2023-08-08T23:59Z",
            "2023-08-08 23:59:59Z",
            "2023-08-08t23:59:59z",
            "2023-08-08T23:59:59",
            "2023-08-08T23:59:59.Z",
            "2023-08-08T23:59:59,5Z",
            "2023-08-08T23:59:60Z",
            "2023-08-08T24:00:00Z",
            "2023-02-30T00:00:00Z",
            "2023-02-31T00:00:00.1234567890Z",
            "9999-13-31T23:59:59Z",
            "9999-12-32T23:59:59Z",
            "9999-12-31T24:59:59Z",
            "9999-12-31T23:60:59Z",
            "9999-12-31T23:59:59",
            "9999-12-31T23:59:59.1",
            "2023-08-08T23:59:59+0200",
            "2023-08-08T23:59:59+24:00",
            "2023-08-08T23:59:59+-1:00",
            "2023-08-08T23:59:59Z[UTC]",
            "2023-08-08T23:59:5é",
            "2023-08-08T23:59:59+aé00",
        ] {
            assert_eq!(instant(text), None, "{text}");
        }
    }
}
