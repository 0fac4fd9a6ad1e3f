//! What is done with objects of which no plan is at hand: a pause and its end, the handover to the running
//! cluster, and the end of the objects that a move leaves behind.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::world::text;
use super::{Drive, ObservedState, Work};
use crate::core::{Action, Context, Object, Op, Stage, Status, What, decide};
use crate::desired::{Desired, Hints, Mode, Need, Policy};
use crate::{keys, kinds};

/// What is to be done about an object that stands.
pub(super) fn action(
    drive: &Drive,
    id: &Need,
    existing: &Value,
    context: Context,
    world: &ObservedState,
) -> Action {
    let object = Object(existing);
    let (existing, owner) = (Some(existing), &drive.owner);
    match drive.work {
        Work::Resume if object.is_paused() => reconciled(drive, id, object, &context),
        Work::HandOver if is_due(id, object) => {
            reconciled(drive, id, object, &Context { stage: Stage::Handover, ..context })
        }
        Work::Resume => {
            let ready = object.ready();
            let fails = ready.status == Status::False && object.policy() != Policy::Skip;
            settled(
                object,
                &if fails { format!("not paused: {}", ready.said()) } else { "not paused".to_owned() },
            )
        }
        Work::HandOver if object.is_handed_over() => settled(object, "handed over already"),
        Work::HandOver => settled(object, "not to be handed over"),
        // What may still change Azure would take its resource with it.
        Work::Depart if object.is_paused() && object.policy() == Policy::Skip => {
            let dependents_gone = world.dependents(id).is_empty();
            decide(Op::Delete, existing, owner, &Context { moving: true, dependents_gone, ..context })
        }
        _ => decide(Op::Pause, existing, owner, &context),
    }
}

fn settled(object: Object<'_>, message: &str) -> Action {
    Action {
        what: What::None,
        policy: object.policy_as_written().map(str::to_owned),
        message: message.to_owned(),
        dry_run: None,
    }
}

/// Whether the running cluster takes over what an object stands for, and has not yet.
fn is_due(id: &Need, object: Object<'_>) -> bool {
    kinds::named(id.kind).is_some_and(|kind| kind.handover) && object.policy() != Policy::Skip
}

fn reconciled(drive: &Drive, id: &Need, object: Object<'_>, context: &Context) -> Action {
    match as_found(id, object) {
        Some(found) => decide(Op::Reconcile(&found), Some(object.0), &drive.owner, context),
        None => settled(object, "of an unknown kind"),
    }
}

/// The object as something that is wanted just so: nothing of its spec is replaced, and its tags stay.
fn as_found(id: &Need, object: Object<'_>) -> Option<Desired> {
    let kind = kinds::named(id.kind)?;
    let mode = object.annotation(keys::MODE).unwrap_or_default();
    let modes = [Mode::Byo, Mode::Claimable];
    let tags = object.annotation(keys::LAST_APPLIED_TAGS);
    let tags: Option<BTreeMap<String, String>> = tags.and_then(|tags| serde_json::from_str(tags).ok());
    Some(Desired {
        kind,
        api_version: text(object.0, "/apiVersion").to_owned(),
        name: id.name.clone(),
        spec: Map::new(),
        hints: Hints {
            mode: modes.into_iter().find(|known| known.name() == mode).unwrap_or_default(),
            additional_tags: tags.unwrap_or_default(),
            ..Hints::of(kind)
        },
        needs: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::anchor;

    #[test]
    fn what_was_handed_over_is_told_as_that() {
        let drive = Drive::new("demo-x7k2p", anchor::owner("demo-x7k2p", "demo", "uid"), Work::HandOver);
        let told = |kind: &'static str, annotations: Value| {
            let object = json!({ "metadata": { "name": "a", "annotations": annotations } });
            let now = Timestamp::UNIX_EPOCH;
            let id = Need { kind, name: "a".to_owned() };
            action(&drive, &id, &object, Context::new("demo-x7k2p", now), &ObservedState::new(now)).message
        };
        let before = json!({ (keys::POLICY): "skip", (keys::HANDOVER): "manage" });
        let before = told("LoadBalancer", before);
        let kept = told("ResourceGroup", json!({}));
        assert_eq!(told("LoadBalancer", json!({ (keys::POLICY): "skip" })), kept);
        assert_ne!(before, kept);
        let told = [("before", before), ("never", kept)].map(|(case, told)| (case.to_owned(), told));
        landfall_testing::assert_sentences("aso-handover", told);
    }
}
