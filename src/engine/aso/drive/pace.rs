//! When what was refused is sent again, and when a step is due at the latest.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;

use super::world::text;
use super::{Planned, Step, World};
use crate::engine::aso::core::{Action, Progress, What, next_run};
use crate::engine::aso::desired::Need;

/// What the server refused of a cluster, and what was told of it.
#[derive(Debug, Default)]
pub struct Pace {
    refused: BTreeMap<Need, Refused>,
    told: Progress,
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
    /// time, or until the object or what is wanted of it changes.
    pub fn hold(&self, step: &mut Step, world: &World) {
        for planned in &mut step.objects {
            let Some(refused) = self.refused.get(&planned.object) else { continue };
            let waits = refused.until.is_none_or(|until| world.now < until);
            let same =
                refused.sent == planned.action.what && refused.version == version(&planned.object, world);
            if waits && same {
                planned.action = refused.judged.clone();
            }
        }
    }

    /// How long to wait for news before the next step; none where nothing but news can help.
    #[must_use]
    pub fn rest(&self, step: &Step, world: &World) -> Option<Duration> {
        let due = step.objects.iter().filter_map(|planned| {
            let refused = self.refused.get(&planned.object).filter(|one| one.judged == planned.action);
            match refused {
                Some(refused) => {
                    let left = refused.until?.duration_since(world.now);
                    Some(Duration::try_from(left).unwrap_or_default())
                }
                None => next_run(&planned.action.what, 1, chance(&planned.object)),
            }
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
        world: &World,
    ) {
        let before = self.refused.get(&planned.object).map_or(0, |refused| refused.failures);
        let failures = if judged.what == What::TransientError { before.saturating_add(1) } else { before };
        let pause = next_run(&judged.what, failures, chance(&planned.object));
        let pause = pause.map(|pause| pause.max(retry_after.unwrap_or_default()));
        let refused = Refused {
            sent: planned.action.what.clone(),
            version: version(&planned.object, world),
            judged: judged.clone(),
            failures,
            until: pause.and_then(|pause| world.now.checked_add(pause).ok()),
        };
        self.refused.insert(planned.object.clone(), refused);
    }
}

fn version(object: &Need, world: &World) -> String {
    world.get(object).map(|object| text(object, "/metadata/resourceVersion").to_owned()).unwrap_or_default()
}

/// A number that differs among objects and stays the same for each, by which their pauses are spread.
fn chance(object: &Need) -> u8 {
    object.name.bytes().fold(0, |sum: u8, byte| sum.wrapping_mul(31).wrapping_add(byte))
}
