//! What is reported of the target: events and conditions.

use landfall_kube::objects::{ClusterEvent, EventType, ObjectRef};
use serde_json::json;

use super::super::conditions::{AS_EXPECTED, Condition, Report};
use super::super::config_map::Change;
use super::super::{Failed, object_refs};
use super::Settings;

/// The configuration cannot be used.
pub(super) fn refused(failed: &Failed, settings: &Settings) -> ClusterEvent {
    let note = format!("{} is unchanged: {}", settings.maps.target, failed.note);
    object_refs::warning("CloudConfigSyncRefused", note)
}

/// A map was written.
pub(super) fn updated(about: ObjectRef, change: Change) -> ClusterEvent {
    let (reason, what) = match change {
        Change::Created => ("CloudConfigSyncCreated", "created"),
        Change::Updated | Change::None => ("CloudConfigSyncUpdated", "updated"),
    };
    let note = format!("{about} was {what}");
    ClusterEvent { about, event_type: EventType::Normal, reason, note }
}

/// What is reported of a run.
pub(super) fn report(outcome: &Result<(), Failed>, settings: &Settings) -> Report {
    let (reason, message) = match outcome {
        Ok(()) => (AS_EXPECTED, "the configuration of the cloud provider is in place"),
        Err(failed) => ("SyncingFailed", failed.note.as_str()),
    };
    let condition = |name: &str, holds: bool| Condition {
        kind: format!("CloudConfigController{name}"),
        holds,
        reason: reason.to_owned(),
        message: message.to_owned(),
    };
    let namespace = |name: &str| json!({ "group": "", "resource": "namespaces", "name": name });
    Report {
        operator: object_refs::CLOUD_CONTROLLER_OPERATOR,
        conditions: vec![condition("Available", outcome.is_ok()), condition("Degraded", outcome.is_err())],
        summed: false,
        version: settings.release_version.clone(),
        related: Some(json!([
            namespace(&settings.operator_namespace),
            {
                "group": "config.openshift.io",
                "resource": "clusteroperators",
                "name": object_refs::CLOUD_CONTROLLER_OPERATOR,
            },
            namespace(&settings.target_namespace),
        ])),
    }
}
