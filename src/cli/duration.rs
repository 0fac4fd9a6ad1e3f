//! Times on the command line.

use std::time::Duration;

/// A time of at most an hour, such as `3s` or `1m30s`; a number alone is one of seconds.
///
/// # Errors
/// A sentence that says what a time looks like.
pub fn within_an_hour(text: &str) -> Result<Duration, String> {
    within(text, Duration::from_hours(1), "an hour")
}

/// A time of at most a day, such as `90s` or `1h30m`; a number alone is one of seconds.
///
/// # Errors
/// A sentence that says what a time looks like.
pub fn within_a_day(text: &str) -> Result<Duration, String> {
    within(text, Duration::from_hours(24), "a day")
}

fn within(text: &str, longest: Duration, name: &str) -> Result<Duration, String> {
    let seconds = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let text = if seconds { format!("{text}s") } else { text.to_owned() };
    let parsed: Result<jiff::SignedDuration, _> = text.parse();
    let parsed = parsed.map_err(|_| "use a time such as `3s`, `500ms` or `1m30s`".to_owned())?;
    let length = Duration::try_from(parsed).unwrap_or(Duration::ZERO);
    if length.is_zero() || length > longest {
        return Err(format!("use a time above 0 and at most {name}"));
    }
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_times_as_people_write_them() {
        assert_eq!(within_an_hour("3"), Ok(Duration::from_secs(3)));
        assert_eq!(within_an_hour("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(within_an_hour("1m30s"), Ok(Duration::from_secs(90)));
        assert_eq!(within_a_day("1h30m"), Ok(Duration::from_mins(90)));
        assert_eq!(within_a_day("250ms"), Ok(Duration::from_millis(250)));
        for wrong in ["", "0", "-3s", "soon", "25h"] {
            assert!(within_an_hour(wrong).is_err() && within_a_day(wrong).is_err(), "{wrong}");
        }
        assert!(within_an_hour("2h").is_err() && within_a_day("2h").is_ok());
    }
}
