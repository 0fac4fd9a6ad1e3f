//! When an object is looked at again, and how long things may take.

use std::time::Duration;

use super::reconcile::READY_UNKNOWN;
use super::{Action, What};

/// The longest that an object which is being worked on is not looked at, and the first pause after a failure.
const SOON: Duration = Duration::from_secs(20);
/// The longest pause after failures.
const LONGEST: Duration = Duration::from_mins(5);

/// How long the operator may say nothing of an object.
pub const UNSEEN_LIMIT: Duration = Duration::from_mins(2);
/// What is said of an object that the operator says nothing of for longer.
pub const UNSEEN: &str = "no operator has looked at this object";
/// How long a whole plan may take to be Ready, or gone.
pub const PLAN_LIMIT: Duration = Duration::from_hours(1);
/// How long one call to the API server may take.
pub const API_CALL_LIMIT: Duration = Duration::from_secs(30);
/// How long the engine that drives a cluster is its only one without saying so again.
pub const LEASE_DURATION: Duration = Duration::from_mins(1);
/// How often it says so.
pub const LEASE_RENEWAL: Duration = Duration::from_secs(15);

/// How long after an action its object is looked at again, unless something of it changes before; none where
/// nothing but a change is waited for.
///
/// `failures` counts the failures of this object in a row, this one included; `chance` spreads the pauses after
/// them over a tenth to either side.
#[must_use]
pub fn next_run(what: &What, failures: u32, chance: u8) -> Option<Duration> {
    match what {
        What::Create(_) | What::Patch(_) | What::Delete | What::Wait => Some(SOON),
        What::TransientError => {
            let doublings = failures.saturating_sub(1).min(8);
            let pause = SOON.saturating_mul(1 << doublings).min(LONGEST);
            let spread = pause / 5;
            Some(pause.saturating_sub(spread / 2) + spread * u32::from(chance) / u32::from(u8::MAX))
        }
        What::Leave | What::None | What::TerminalError => None,
    }
}

/// The action for an object that the operator has said nothing of for so long.
#[must_use]
pub fn unseen(action: Action, unknown_for: Duration) -> Action {
    let waits = action.what == What::Wait && action.message == READY_UNKNOWN;
    if waits && unknown_for >= UNSEEN_LIMIT {
        Action { what: What::TransientError, message: UNSEEN.to_owned(), ..action }
    } else {
        action
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_bound() {
        let seconds =
            |failures, chance| next_run(&What::TransientError, failures, chance).map(|d| d.as_secs());
        let least = [1, 2, 3, 4, 5, 6, u32::MAX].map(|failures| seconds(failures, 0));
        assert_eq!(least, [18, 36, 72, 144, 270, 270, 270].map(Some));
        let most = [0, 1, 2, 5].map(|failures| seconds(failures, u8::MAX));
        assert_eq!(most, [22, 22, 44, 330].map(Some));
        assert_eq!(next_run(&What::Wait, 9, 0), Some(SOON));
        assert_eq!(next_run(&What::TerminalError, 9, 0), None);
    }

    #[test]
    fn silence_of_the_operator_is_told() {
        let waiting = Action::new(What::Wait, Some("skip"), READY_UNKNOWN);
        assert_eq!(unseen(waiting.clone(), Duration::from_secs(119)), waiting);
        let told = unseen(waiting, UNSEEN_LIMIT);
        assert_eq!(told, Action::new(What::TransientError, Some("skip"), UNSEEN));
        let other = Action::new(What::Wait, None, "waiting for dependencies");
        assert_eq!(unseen(other.clone(), PLAN_LIMIT), other);
    }
}
