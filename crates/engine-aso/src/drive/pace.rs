//! When what was refused is sent again, and when a step is due at the latest.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use super::world::text;
use super::{ObservedState, Planned, Step};
use crate::core::{Action, Progress, What, next_run};
use crate::desired::Need;
use crate::keys;

/// What failed of a cluster, and what was told of it.
#[derive(Debug, Default)]
pub struct Pace {
    refused: BTreeMap<Need, Refused>,
    failing: BTreeMap<Need, Failing>,
    told: Progress,
}

/// An object with which the operator fails, and may go on.
#[derive(Clone, Copy, Debug)]
struct Failing {
    /// How often in a row that was found.
    looks: u32,
    /// When it is looked at again, unless something changes before.
    until: Option<Timestamp>,
}

/// An action that was refused.
#[derive(Debug)]
struct Refused {
    sent: What,
    /// The version of the object that it was sent for; empty where there was none.
    version: String,
    judged: Action,
    /// How often in a row it failed and may heal.
    failures: u32,
    /// When it may be sent again; none where only a change helps.
    until: Option<Timestamp>,
}

impl Pace {
    /// Puts what came of it in place of every action that was refused, as long as it is to wait: until its
    /// time, or until the object or what is wanted of it changes. Counts how often objects fail by themselves.
    pub fn hold(&mut self, step: &mut Step, world: &ObservedState) {
        let mut failing = BTreeMap::new();
        for planned in &mut step.objects {
            if !planned.action.what.writes() {
                self.refused.remove(&planned.object);
            }
            if let Some(judged) = self.held(planned, world) {
                planned.action = judged;
            } else if planned.action.what == What::TransientError {
                failing.insert(planned.object.clone(), self.failed_again(&planned.object, world));
            }
        }
        // What does not fail any more begins anew.
        self.failing = failing;
    }

    /// What came of an action that was refused, as long as that is not sent again.
    fn held(&self, planned: &Planned, world: &ObservedState) -> Option<Action> {
        let refused = self.refused.get(&planned.object)?;
        let waits = refused.until.is_none_or(|until| world.now < until);
        let is_same = refused.sent == timeless(&planned.action.what)
            && refused.version == version(&planned.object, world);
        (waits && is_same).then(|| refused.judged.clone())
    }

    fn failed_again(&self, object: &Need, world: &ObservedState) -> Failing {
        let before = self.failing.get(object).copied();
        if let Some(before) = before.filter(|before| before.until.is_some_and(|until| world.now < until)) {
            return before;
        }
        let looks = before.map_or(1, |before| before.looks.saturating_add(1));
        let pause = next_run(&What::TransientError, looks, chance(object));
        Failing { looks, until: pause.and_then(|pause| world.now.checked_add(pause).ok()) }
    }

    /// How long to wait for news before the next step; none where nothing but news can help.
    #[must_use]
    pub fn rest(&self, step: &Step, world: &ObservedState) -> Option<Duration> {
        let due = step.objects.iter().filter_map(|planned| {
            let refused = self.refused.get(&planned.object).filter(|one| one.judged == planned.action);
            let until = match (refused, self.failing.get(&planned.object)) {
                (Some(refused), _) => refused.until?,
                (None, Some(failing)) => failing.until?,
                (None, None) => return next_run(&planned.action.what, 1, chance(&planned.object)),
            };
            Some(Duration::try_from(until.duration_since(world.now)).unwrap_or_default())
        });
        due.min()
    }

    /// A line for each object of which something new is to be told.
    pub fn lines(&mut self, step: &Step) -> Vec<String> {
        let told = &mut self.told;
        let line = |planned: &Planned| told.line(planned.object.kind, &planned.object.name, &planned.action);
        step.objects.iter().filter_map(line).collect()
    }

    /// Lets everything be sent again at once, as after a change of the credential.
    pub fn forget(&mut self) {
        self.refused.clear();
    }

    /// Takes note of an action that the server took.
    pub(super) fn went(&mut self, object: &Need) {
        self.refused.remove(object);
    }

    /// Takes note of an action that the server refused, and of what follows from that.
    pub(super) fn refused(
        &mut self,
        planned: &Planned,
        judged: &Action,
        retry_after: Option<Duration>,
        world: &ObservedState,
    ) {
        let before = self.refused.get(&planned.object).map_or(0, |refused| refused.failures);
        let failures = if judged.what == What::TransientError { before.saturating_add(1) } else { before };
        let pause = next_run(&judged.what, failures, chance(&planned.object));
        let pause = pause.map(|pause| pause.max(retry_after.unwrap_or_default()));
        let refused = Refused {
            sent: timeless(&planned.action.what),
            version: version(&planned.object, world),
            judged: judged.clone(),
            failures,
            until: pause.and_then(|pause| world.now.checked_add(pause).ok()),
        };
        self.refused.insert(planned.object.clone(), refused);
    }
}

/// What is sent without when that is, so that the same is known as the same later.
fn timeless(what: &What) -> What {
    let mut what = what.clone();
    if let What::Patch(patch) = &mut what
        && let Some(annotations) = patch.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut)
        && let Some(time) = annotations.get_mut(keys::ADOPTED_AT)
    {
        *time = Value::Null;
    }
    what
}

fn version(object: &Need, world: &ObservedState) -> String {
    world.get(object).map(|object| text(object, "/metadata/resourceVersion").to_owned()).unwrap_or_default()
}

/// A number that differs among objects and stays the same for each, by which their pauses are spread.
fn chance(object: &Need) -> u8 {
    object.name.bytes().fold(0, |sum: u8, byte| sum.wrapping_mul(31).wrapping_add(byte))
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use serde_json::json;

    use super::*;

    fn object() -> Need {
        Need { kind: "RouteTable", name: "a".to_owned() }
    }

    fn planned(what: What) -> Planned {
        let action = Action { what, policy: None, message: String::new(), dry_run: None };
        Planned { object: object(), action, behind: Vec::new() }
    }

    fn step(what: What) -> Step {
        Step { objects: vec![planned(what)] }
    }

    /// What stands so many seconds after the beginning, of which the object has this version.
    fn world(seconds: i64, version: &str) -> ObservedState {
        let now = Timestamp::UNIX_EPOCH.checked_add(SignedDuration::from_secs(seconds));
        let mut world = ObservedState::new(now.unwrap_or_default());
        world.insert("RouteTable", json!({ "metadata": { "name": "a", "resourceVersion": version } }));
        world
    }

    fn adoption(time: &str) -> What {
        What::Patch(json!({ "metadata": { "annotations": { (keys::ADOPTED_AT): time } } }))
    }

    fn judged(what: What) -> Action {
        Action { what, policy: None, message: "refused".to_owned(), dry_run: None }
    }

    fn held(pace: &mut Pace, what: What, world: &ObservedState) -> What {
        let mut step = step(what);
        pace.hold(&mut step, world);
        step.objects.remove(0).action.what
    }

    #[test]
    fn a_refused_adoption_is_the_same_a_second_later() {
        let mut pace = Pace::default();
        pace.refused(&planned(adoption("0")), &judged(What::TerminalError), None, &world(0, "1"));
        assert_eq!(held(&mut pace, adoption("1"), &world(1, "1")), What::TerminalError);
        // The object changed.
        assert_eq!(held(&mut pace, adoption("2"), &world(2, "2")), adoption("2"));
        // Something else is wanted.
        let other = What::Patch(json!({ "spec": {} }));
        assert_eq!(held(&mut pace, other.clone(), &world(3, "1")), other);
    }

    #[test]
    fn what_the_server_asks_for_is_waited_for() {
        let mut pace = Pace::default();
        let later = Some(Duration::from_secs(90));
        pace.refused(&planned(adoption("0")), &judged(What::TransientError), later, &world(0, "1"));
        assert_eq!(held(&mut pace, adoption("89"), &world(89, "1")), What::TransientError);
        assert_eq!(pace.rest(&step(What::None), &world(89, "1")), None);
        assert_eq!(held(&mut pace, adoption("90"), &world(90, "1")), adoption("90"));
    }

    #[test]
    fn what_went_on_meanwhile_begins_anew() {
        let mut pace = Pace::default();
        for _ in 0..4 {
            pace.refused(&planned(adoption("0")), &judged(What::TransientError), None, &world(0, "1"));
        }
        assert_eq!(held(&mut pace, adoption("100"), &world(100, "1")), What::TransientError);
        assert_eq!(held(&mut pace, What::None, &world(101, "2")), What::None);
        pace.refused(&planned(adoption("102")), &judged(What::TransientError), None, &world(102, "2"));
        assert_eq!(held(&mut pace, adoption("125"), &world(125, "2")), adoption("125"));
    }

    /// How many seconds an object that fails is left alone, each time after it was.
    fn pauses(pace: &mut Pace, from: i64, count: usize) -> Vec<i64> {
        let mut now = from;
        let mut pauses = Vec::new();
        for _ in 0..count {
            let (mut step, world) = (step(What::TransientError), world(now, "1"));
            pace.hold(&mut step, &world);
            // Events in between change nothing.
            pace.hold(&mut step, &world);
            let rest = pace.rest(&step, &world).and_then(|rest| i64::try_from(rest.as_secs()).ok());
            pauses.extend(rest);
            now += rest.unwrap_or_default() + 1;
        }
        pauses
    }

    #[test]
    fn an_object_that_goes_on_failing_is_looked_at_less_and_less() {
        let mut pace = Pace::default();
        let first = pauses(&mut pace, 0, 6);
        let about = [20, 40, 80, 160, 300, 300];
        let near = |(got, about): (&i64, i64)| (got - about).abs() <= about / 10;
        assert!(first.len() == 6 && first.iter().zip(about).all(near), "{first:?}");
        // It was well for once.
        pace.hold(&mut step(What::None), &world(2000, "1"));
        let again = pauses(&mut pace, 2001, 1);
        assert_eq!(again.first(), first.first());
    }
}
