//! What Azure refused for good, the operator tries again only when the spec or the policy or the name of the credential
//! changes, not when somebody mends the reason. So a run begins with another name of the credential for these objects; the
//! next step sets it back, also after a kill in between.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::act::location;
use super::{Api, Drive, ObservedState, Step, Work};
use crate::core::{Object, Status, What};
use crate::desired::{Desired, Need, Policy};
use crate::keys;

/// How long the operator may take until it says something else of an object.
const AWHILE: Duration = Duration::from_mins(1);

/// How long the operator may take until it says what came of resources that it writes again.
pub(super) const REWRITES: Duration = Duration::from_secs(10);

/// Whether a step lets the operator write resources again that it has only read, and of which it says that they are
/// Ready: with the same spec, it goes on saying so until it has failed.
pub(super) fn rewrites(drive: &Drive, step: &Step, world: &ObservedState) -> bool {
    let is_kept = matches!(drive.work, Work::Make(_) | Work::Resume);
    is_kept
        && step.objects.iter().any(|planned| {
            let object = world.get(&planned.object).map(Object);
            let is_read = object.is_some_and(|object| object.is_ready() && object.policy() == Policy::Skip);
            let is_patched = matches!(planned.action.what, What::Patch(_));
            is_read && is_patched && Policy::of(planned.action.policy.as_deref()) != Policy::Skip
        })
}

/// The objects that the operator was woken for, with what it said of each before.
pub(super) struct Woken {
    objects: BTreeMap<Need, Value>,
    until: Instant,
}

fn conditions(object: &Value) -> Value {
    object.pointer("/status/conditions").cloned().unwrap_or_default()
}

impl Woken {
    /// Wakes the operator for what it has given up on, and sets back what an earlier run has left of that.
    pub(super) async fn wake(drive: &Drive, api: &dyn Api, step: &Step, world: &mut ObservedState) -> Self {
        let mut woken = Self { objects: BTreeMap::new(), until: Instant::now() + AWHILE };
        if drive.dry_run {
            return woken;
        }
        let plan = if let Work::Make(translation) = &drive.work { Some(&translation.objects) } else { None };
        let own = keys::credential_name(&drive.infra_id);
        let other = format!("{own}-retry");
        for planned in &step.objects {
            let Some(found) = world.get(&planned.object) else { continue };
            let (object, said) = (Object(found), conditions(found));
            let ready = object.ready();
            let gave_up = ready.status == Status::False && ready.severity == Some("Error");
            let stuck =
                planned.action.what == What::TerminalError && gave_up && object.policy() != Policy::Skip;
            let is = |one: &Desired| one.kind.kind == planned.object.kind && one.name == planned.object.name;
            let is_planned = plan.is_some_and(|plan| plan.iter().any(is));
            // A creation that was killed in between has not set it back, and the operator cannot delete without it. What
            // is planned gets all its annotations again.
            let is_left = object.annotation(keys::CREDENTIAL_FROM) == Some(&other);
            let name = if plan.is_some() && stuck {
                &other
            } else if is_left && !is_planned {
                &own
            } else {
                continue;
            };
            let patch = json!({ "metadata": { "annotations": { (keys::CREDENTIAL_FROM): name } } });
            // What cannot be patched stays as it is, and is told.
            if let Ok(now) = api.merge(&location(drive, planned, Some(found)), &patch).await {
                world.insert(planned.object.kind, now);
                woken.objects.insert(planned.object.clone(), said);
            }
        }
        woken
    }

    /// Waits in place of a failure from before.
    pub(super) fn hold(&self, step: &mut Step, world: &ObservedState) {
        if Instant::now() >= self.until {
            return;
        }
        for planned in step.objects.iter_mut().filter(|one| one.action.what == What::TerminalError) {
            let now = world.get(&planned.object).map(conditions);
            if now.is_some() && self.objects.get(&planned.object) == now.as_ref() {
                planned.action.what = What::Wait;
                planned.action.message = format!("trying again after: {}", planned.action.message);
            }
        }
    }
}
