//! Times as RFC 3339 writes them, read strictly.

use jiff::Timestamp;

/// The instant that RFC 3339 text names; none for anything else, however close to it.
#[must_use]
pub fn instant(text: &str) -> Option<Timestamp> {
    const SHAPE: &str = "0000-00-00T00:00:00";
    let (head, tail) = text.split_at_checked(SHAPE.len())?;
    let fits = |(shape, byte): (u8, u8)| if shape == b'0' { byte.is_ascii_digit() } else { byte == shape };
    let fraction = tail.strip_prefix('.');
    let offset = fraction.map_or(tail, |digits| digits.trim_start_matches(|c: char| c.is_ascii_digit()));
    let fraction_is_blank = fraction.is_some_and(|digits| digits.len() == offset.len());
    let whole = SHAPE.bytes().zip(head.bytes()).all(fits) && head.get(17..)? < "60";
    (whole && !fraction_is_blank && is_offset(offset)).then(|| text.parse().ok()).flatten()
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
