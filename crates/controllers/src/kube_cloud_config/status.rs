//! What is reported of the managed map: events and the condition.

use landfall_diagnostics::shortened;
use landfall_kube::objects::{ClusterEvent, EventType, ObjectRef};

use super::super::Failed;
use super::super::conditions::{AS_EXPECTED, Condition, Report};
use super::super::config_map::Change;
use super::super::object_refs::warning;

/// The most settings that one event names.
const NAMED: usize = 5;

/// There is no Infrastructure object.
pub(super) fn no_infrastructure(map: &str) -> ClusterEvent {
    warning("InfrastructureMissing", format!("there is no Infrastructure object, so {map} is unchanged"))
}

/// The platform comes from the old field.
pub(super) fn old_platform(platform: &str) -> ClusterEvent {
    let taken = shortened(platform);
    let note = format!("status.platformStatus.type is empty; status.platform is used: `{taken}`");
    warning("PlatformFallback", note)
}

/// The user's configuration cannot be used.
pub(super) fn refused(map: &str, failed: &Failed) -> ClusterEvent {
    warning("CloudConfigRefused", format!("{map} is unchanged: {}", failed.note))
}

/// The user's map does not have the key that is named for their configuration.
pub(super) fn key_missing(map: &ObjectRef, key: &str) -> ClusterEvent {
    let note = format!("{map} has no key `{}`, set in spec.cloudConfig.key", shortened(key));
    warning("CloudConfigKeyMissing", note)
}

/// Settings of the user's have words that older readers take for booleans.
pub(super) fn older_booleans(map: &ObjectRef, settings: &[String]) -> ClusterEvent {
    let first: Vec<String> =
        settings.iter().take(NAMED).map(|setting| format!("`{}`", shortened(setting))).collect();
    let more = match settings.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let note = format!(
        "{map}: YAML 1.1 reads the value of {}{more} as a boolean, YAML 1.2 as text: write true or false, or \
         quote it",
        first.join(", ")
    );
    warning("CloudConfigWords", note)
}

/// The map was written.
pub(super) fn updated(about: ObjectRef, change: Change) -> ClusterEvent {
    let (reason, what) = match change {
        Change::Created => ("CloudConfigCreated", "created"),
        Change::Updated | Change::None => ("CloudConfigUpdated", "updated"),
    };
    let note = format!("{about} was {what}");
    ClusterEvent { about, event_type: EventType::Normal, reason, note }
}

/// The map was deleted.
pub(super) fn deleted(about: ObjectRef) -> ClusterEvent {
    let note = format!("{about} was deleted because it was empty");
    ClusterEvent { about, event_type: EventType::Normal, reason: "CloudConfigDeleted", note }
}

/// What is reported of a run.
pub(super) fn report(outcome: &Result<(), Failed>) -> Report {
    let (reason, message) = match outcome {
        Ok(()) => (AS_EXPECTED, String::new()),
        Err(failed) => ("SyncError", failed.note.clone()),
    };
    Report::of_landfall(Condition {
        kind: "KubeCloudConfigControllerDegraded".to_owned(),
        holds: outcome.is_err(),
        reason: reason.to_owned(),
        message,
    })
}
