//! How long errors must last before a controller calls itself degraded.

use std::time::Duration;

use super::Failed;

/// Errors that may pass by themselves count once they have lasted so long.
const LASTING: Duration = Duration::from_mins(2);

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All is as it should be.
    Done,
    /// Something failed that may pass by itself.
    Transient,
    /// Only a change can help.
    Terminal,
}

impl Outcome {
    /// How a run with this result ended.
    #[must_use]
    pub fn of(result: &Result<(), Failed>) -> Self {
        match result {
            Ok(()) => Self::Done,
            Err(failed) if failed.retry => Self::Transient,
            Err(_) => Self::Terminal,
        }
    }

    /// Whether the run must be repeated, given whether what it had to report could be written.
    #[must_use]
    pub fn is_retried(self, reported: bool) -> bool {
        self == Self::Transient || !reported
    }
}

/// The time since the first of the transient errors that no success has ended.
#[derive(Clone, Debug)]
pub struct Window {
    stale_after: Duration,
    open: Option<Open>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    since: Duration,
    last: Duration,
}

impl Window {
    /// A window that is not open. Where `stale_after` is not zero, a longer gap between two errors starts it
    /// anew.
    #[must_use]
    pub fn new(stale_after: Duration) -> Self {
        Self { stale_after, open: None }
    }

    /// Takes note of how a run ended, `now` after any moment that stays the same. Says whether the controller
    /// is degraded by it.
    pub fn note(&mut self, outcome: Outcome, now: Duration) -> bool {
        match outcome {
            Outcome::Done => {
                self.open = None;
                false
            }
            Outcome::Terminal => true,
            Outcome::Transient => {
                let stale = |open: &Open| {
                    !self.stale_after.is_zero() && now.saturating_sub(open.last) > self.stale_after
                };
                let since = self.open.filter(|open| !stale(open)).map_or(now, |open| open.since);
                self.open = Some(Open { since, last: now });
                now.saturating_sub(since) >= LASTING
            }
        }
    }
}
