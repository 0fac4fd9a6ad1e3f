//! Durations as people read them on a clock.

use std::time::Duration;

/// A duration in whole seconds: `45s`, `1m30s`, `1h05m`. From an hour on, seconds are left out.
#[must_use]
pub fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) => format!("{rest}s"),
        (0, _) if rest == 0 => format!("{minutes}m"),
        (0, _) => format!("{minutes}m{rest:02}s"),
        (_, 0) => format!("{hours}h"),
        _ => format!("{hours}h{minutes:02}m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_have_at_most_two_units() {
        let of = |seconds: u64| clock(Duration::from_secs(seconds));
        assert_eq!([0, 45, 60, 90, 605].map(of), ["0s", "45s", "1m", "1m30s", "10m05s"]);
        assert_eq!([3600, 3900, 86400].map(of), ["1h", "1h05m", "24h"]);
        assert_eq!(clock(Duration::from_millis(1999)), "1s");
    }
}
