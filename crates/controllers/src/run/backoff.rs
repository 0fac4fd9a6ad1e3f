//! Delays between retries.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(200);

/// Pauses that double up to a bound, each a little different from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pauses {
    longest: Duration,
    failures: u32,
}

impl Pauses {
    /// Pauses up to this bound.
    pub const fn up_to(longest: Duration) -> Self {
        Self { longest, failures: 0 }
    }

    /// The pause after one more failure.
    pub fn grow(&mut self) -> Duration {
        let doubled = FIRST.saturating_mul(1 << self.failures.min(20));
        self.failures = self.failures.saturating_add(1);
        jittered(doubled.min(self.longest), rand::random())
    }

    /// Begins with the first pause again.
    pub fn reset(&mut self) {
        self.failures = 0;
    }
}

/// At least three quarters of a pause, the rest by `chance`.
fn jittered(pause: Duration, chance: u8) -> Duration {
    pause.saturating_sub((pause / 1024).saturating_mul(u32::from(chance)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_bound_and_begin_again() {
        let mut pauses = Pauses::up_to(Duration::from_mins(1));
        let first = pauses.grow();
        assert!(first <= FIRST && first > FIRST * 7 / 10, "{first:?}");
        let second = pauses.grow();
        assert!(second > FIRST && second <= FIRST * 2, "{second:?}");
        for _ in 0..100 {
            assert!(pauses.grow() <= Duration::from_mins(1));
        }
        assert!(pauses.grow() > Duration::from_secs(42));
        pauses.reset();
        assert!(pauses.grow() <= FIRST);
    }
}
