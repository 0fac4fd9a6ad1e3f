//! How long to wait before something is done again.

use std::time::Duration;

/// No pause is shorter, whatever is wished: nothing is asked without end in no time.
const SHORTEST: Duration = Duration::from_millis(2);
/// No pause is longer.
const LONGEST: Duration = Duration::from_hours(1);

/// Pauses between one attempt and the next. They grow, and each is a little different, so that those who
/// wait do not come back all at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pauses {
    /// The first pause.
    pub first: Duration,
    /// The bound up to which pauses grow.
    pub longest: Duration,
}

/// By how much each pause is longer than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Growth {
    /// Half as long again: what is on its way is seen to have gone not much later than it went.
    Half,
    /// Twice as long: what is refused for now is not asked for too often.
    Double,
}

impl Pauses {
    /// The pause after so many that there were before.
    pub(super) fn after(self, before: u32, growth: Growth) -> Duration {
        jittered(self.grown(before, growth), rand::random())
    }

    fn grown(self, before: u32, growth: Growth) -> Duration {
        let longest = self.longest.clamp(SHORTEST, LONGEST);
        let mut pause = self.first.clamp(SHORTEST, longest);
        for _ in 0..before.min(64) {
            let more = match growth {
                Growth::Half => pause / 2,
                Growth::Double => pause,
            };
            pause = pause.saturating_add(more).min(longest);
        }
        pause
    }

    /// These pauses, each so many times as long.
    pub(super) fn slower(self, times: u32) -> Self {
        Self { first: self.first.saturating_mul(times), longest: self.longest.saturating_mul(times) }
    }
}

/// At least three quarters of a pause, the rest by `chance`.
fn jittered(pause: Duration, chance: u8) -> Duration {
    pause.saturating_sub((pause / 1024).saturating_mul(u32::from(chance)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSES: Pauses = Pauses { first: Duration::from_secs(1), longest: Duration::from_secs(10) };

    #[test]
    fn pauses_grow_to_a_bound() {
        let of = |growth: Growth| (0..6).map(|n| PAUSES.grown(n, growth).as_millis()).collect::<Vec<u128>>();
        assert_eq!(of(Growth::Double), [1000, 2000, 4000, 8000, 10_000, 10_000]);
        assert_eq!(of(Growth::Half), [1000, 1500, 2250, 3375, 5062, 7593]);
        assert_eq!(PAUSES.grown(u32::MAX, Growth::Half), PAUSES.longest);
    }

    #[test]
    fn pauses_are_never_nothing_and_never_without_end() {
        let none = Pauses { first: Duration::ZERO, longest: Duration::ZERO };
        assert_eq!(none.grown(7, Growth::Double), SHORTEST);
        assert!(none.after(0, Growth::Double) > Duration::ZERO);
        let endless = Pauses { first: Duration::MAX, longest: Duration::MAX };
        assert_eq!(endless.slower(8).grown(7, Growth::Half), LONGEST);
    }

    #[test]
    fn chance_shortens_a_pause_by_a_quarter_at_most() {
        assert_eq!(jittered(PAUSES.first, 0), PAUSES.first);
        let least = jittered(PAUSES.first, u8::MAX);
        assert!(least < PAUSES.first && least > PAUSES.first * 74 / 100, "{least:?}");
    }
}
