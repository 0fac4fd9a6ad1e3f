//! The finalizer by which a profile stays for as long as something refers to it.

use std::time::Duration;

use landfall_cloud_profile::admission::{Deletion, FINALIZER, REFERENCED, Shoot};
use landfall_kube::Fault;
use landfall_kube::kinds::SHOOT;
use landfall_kube::objects::{ClusterEvent, EventType, Events, Kind, ObjectRef, Objects, Part};
use serde_json::{Value, json};

use super::super::{Failed, Next};
use super::Access;

/// After how long a profile is looked at again that something still refers to.
pub(super) const AGAIN: Duration = Duration::from_secs(10);
/// How many of a list an event names.
const NAMED: usize = 5;

/// A profile with its finalizers, as they stand in one version of it.
pub(super) struct Held<'a> {
    /// Where it is.
    pub(super) place: &'a ObjectRef,
    /// The version.
    pub(super) version: &'a str,
    /// The finalizers.
    pub(super) finalizers: &'a [String],
}

impl Held<'_> {
    /// Whether the finalizer is there.
    pub(super) fn is_held(&self) -> bool {
        self.finalizers.iter().any(|one| one == FINALIZER)
    }

    /// Adds the finalizer. That is a change, which leads to this profile again.
    pub(super) async fn hold(&self, objects: &dyn Objects) -> Result<Next, Failed> {
        let mut finalizers = self.finalizers.to_vec();
        finalizers.push(FINALIZER.to_owned());
        self.write(objects, &finalizers).await
    }

    /// Releases a profile that is being deleted, or reports what still refers to it.
    pub(super) async fn release(
        &self,
        objects: &dyn Objects,
        events: &dyn Events,
        deletion: &Deletion,
    ) -> Result<Next, Failed> {
        if !deletion.holders.is_empty() {
            events.report(referenced(self.place, &deletion.holders)).await;
            return Ok(Next::Again(AGAIN));
        }
        if deletion.finalizers != self.finalizers {
            return self.write(objects, &deletion.finalizers).await;
        }
        Ok(Next::Settled)
    }

    async fn write(&self, objects: &dyn Objects, finalizers: &[String]) -> Result<Next, Failed> {
        let metadata = json!({ "resourceVersion": self.version, "finalizers": finalizers });
        let answer = objects.merge(self.place, json!({ "metadata": metadata }), Part::Whole).await;
        if answer.as_ref().is_err_and(is_overtaken) {
            return Ok(Next::Again(AGAIN));
        }
        written(self.place, answer).map(|()| Next::Settled)
    }
}

/// Whether a profile has a newer version than the one that a write was about. The watch brings that version, which
/// leads to this profile again: no fault, as it happens to every controller that is quicker than its watch.
pub(super) fn is_overtaken(fault: &Fault) -> bool {
    matches!(fault, Fault::Answer { status: 409, .. })
}

/// What came of a write to a profile; one that is gone needs none.
pub(super) fn written<T>(place: &ObjectRef, answer: Result<T, Fault>) -> Result<(), Failed> {
    match answer {
        Ok(_) | Err(Fault::NotFound) => Ok(()),
        Err(fault) => Err(Failed::call("profile-unwritable", place, "written", &fault)),
    }
}

/// Gives all clusters of a namespace, or of all, to `taker`, which says each time whether it wants the next.
pub(super) async fn shoots(
    access: &Access,
    namespace: Option<&str>,
    taker: &mut (dyn FnMut(Shoot) -> bool + Send),
) -> Result<(), Failed> {
    for &kind in access.kinds.all_users() {
        let mut wants_more = true;
        let mut each = |object: Value| {
            wants_more = taker(user(kind, &object));
            wants_more
        };
        let listed = access.questions.each(kind, namespace, &mut each).await;
        listed.map_err(|fault| Failed::transient("shoots-unreadable", unlisted(kind.kind, &fault)))?;
        if !wants_more {
            break;
        }
    }
    Ok(())
}

/// An object of this kind as a cluster that may refer to a profile.
pub(crate) fn user(kind: &Kind, object: &Value) -> Shoot {
    if *kind == SHOOT { Shoot::of(object) } else { Shoot::of_infrastructure(object) }
}

/// The first of a list, and how many more there are.
pub(super) fn few(all: &[String]) -> String {
    let named = all.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// Why objects could not be listed.
pub(super) fn unlisted(what: &str, fault: &Fault) -> String {
    format!("objects of kind {what} that may refer to a profile cannot be listed: {}", fault.why())
}

fn referenced(place: &ObjectRef, holders: &[String]) -> ClusterEvent {
    let note = format!("The profile is kept while it is referenced by {}.", few(holders));
    ClusterEvent { about: place.clone(), event_type: EventType::Warning, reason: REFERENCED, note }
}
