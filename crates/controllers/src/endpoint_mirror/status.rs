//! What is reported of the endpoints: events and the condition.

use landfall_cloud_config::ServiceEndpoint;
use landfall_kube::objects::{ClusterEvent, EventType};

use super::super::conditions::{AS_EXPECTED, Condition, Report};
use super::super::{Failed, object_refs};

/// The list cannot be right, whoever asks.
pub(super) const INVALID: &str = "endpoints-invalid";
/// An endpoint cannot be reached now.
pub(super) const UNREACHABLE: &str = "endpoints-unreachable";

/// The word for a failure in events and conditions.
fn word(failed: &Failed) -> &'static str {
    match failed.reason {
        INVALID => "ServiceEndpointsInvalid",
        UNREACHABLE => "ServiceEndpointsUnreachable",
        _ => "SyncError",
    }
}

/// The endpoints cannot be used; none where it is not they that are at fault.
pub(super) fn refused(failed: &Failed) -> Option<ClusterEvent> {
    let at_fault = [INVALID, UNREACHABLE].contains(&failed.reason);
    let note = || format!("the service endpoints in use are unchanged: {}", failed.note);
    at_fault.then(|| object_refs::warning(word(failed), note()))
}

/// The endpoints are in use.
pub(super) fn mirrored(endpoints: &[ServiceEndpoint]) -> ClusterEvent {
    let names: Vec<&str> = endpoints.iter().map(|endpoint| endpoint.name.as_str()).collect();
    let note = match names.as_slice() {
        [] => "no service has a custom endpoint any more".to_owned(),
        names => format!("services with custom endpoints are now: {}", names.join(", ")),
    };
    let about = object_refs::infrastructure();
    ClusterEvent { about, event_type: EventType::Normal, reason: "ServiceEndpointsMirrored", note }
}

/// The status held others than the endpoints that were verified last, which are in use again.
pub(super) fn restored(endpoints: &[ServiceEndpoint]) -> ClusterEvent {
    let names: Vec<&str> = endpoints.iter().map(|endpoint| endpoint.name.as_str()).collect();
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let note = format!(
        "the service endpoints in the status were changed by another client and are not verified; \
         those that were verified last are restored: {names}"
    );
    object_refs::warning("ServiceEndpointsRestored", note)
}

/// What is reported of a run.
pub(super) fn report(outcome: &Result<(), Failed>) -> Report {
    let (reason, message) = match outcome {
        Ok(()) => (AS_EXPECTED, String::new()),
        Err(failed) => (word(failed), failed.note.clone()),
    };
    Report::of_landfall(Condition {
        kind: "EndpointMirrorDegraded".to_owned(),
        holds: outcome.is_err(),
        reason: reason.to_owned(),
        message,
    })
}
