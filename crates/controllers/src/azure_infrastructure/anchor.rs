//! The resource as the anchor of its cluster: the owner of all that is created, with what keeps it until that is
//! gone and what a move has to know.

use landfall_engine_aso::core::Owner;
use landfall_engine_aso::keys;
use landfall_kube::Fault;
use landfall_kube::objects::{ObjectRef, Objects, Part};
use serde_json::{Map, Value, json};

use super::resource::{AZURE_INFRASTRUCTURE, AdoptPolicy, Outputs, Resource, Status};
use super::rollout::ROLLOUT;
use super::status::READY;
use crate::Failed;

const UNWRITABLE: &str = "resource-unwritable";

/// Annotation of the resource: the subscription that its cluster is in.
pub(super) const SUBSCRIPTION: &str = "aso.landfall.dev/subscription";

/// Annotation of the resource: the OpenShift release of its cluster.
pub(super) const RELEASE: &str = "aso.landfall.dev/release";

/// Annotation of the resource: the digest of the plan that its cluster has, once that was Ready.
pub(crate) const PLAN: &str = "aso.landfall.dev/plan-hash";

/// Annotation of the resource: the digest of what its owner had decided for that plan.
pub(super) const OWNER_INPUTS: &str = "aso.landfall.dev/owner-inputs-hash";

/// Annotation of the resource: the version of landfall that made that plan.
pub(super) const PLANNED_BY: &str = "aso.landfall.dev/planned-by";

/// Annotation of the resource: its cluster is not removed with it until the annotation is.
pub(crate) const PROTECTION: &str = "aso.landfall.dev/deletion-protection";

/// Annotation of the resource: namespace and name of the lease of the operator that works on it.
pub(super) const OPERATOR: &str = "aso.landfall.dev/operator";

/// Annotation of the resource: cloud and resource group, which stays, of images that landfall created for its machines.
pub(super) const IMAGES: &str = "aso.landfall.dev/images";

/// Annotation of the resource: the digest of a plan that may be carried out although only landfall changed.
pub(super) const ACCEPTED_PLAN: &str = "aso.landfall.dev/accept-plan";

/// Annotation of the resource: the digest of the plan that it takes in a rollout.
const ROLLOUT_PLAN: &str = "aso.landfall.dev/rollout-plan";

/// The resource as the owner of the cluster's objects.
pub(super) fn owner(place: &ObjectRef, resource: &Resource) -> Owner {
    Owner {
        api_version: AZURE_INFRASTRUCTURE.api_version(),
        kind: AZURE_INFRASTRUCTURE.kind.to_owned(),
        name: place.name.clone(),
        namespace: place.namespace.clone().unwrap_or_default(),
        uid: resource.metadata.uid.clone(),
    }
}

/// Writes into the resource which cluster it is for and, where that is known, in which subscription, that it
/// must be asked before it goes, and whether a move has to wait. Nothing is written where all of it is there. Gives whether
/// anything was: the resource has another version then.
pub(super) async fn mark(
    objects: &dyn Objects,
    place: &ObjectRef,
    resource: &Resource,
    (infra_id, subscription): (&str, Option<&str>),
    is_blocked: bool,
) -> Result<bool, Failed> {
    let metadata = &resource.metadata;
    let mut changes = json!({});
    let labels = [(keys::CLUSTER, infra_id), (keys::MOVE_HIERARCHY, "true")];
    if labels.iter().any(|(key, value)| metadata.labels.get(*key).is_none_or(|there| there != value)) {
        changes["labels"] = json!({ (keys::CLUSTER): infra_id, (keys::MOVE_HIERARCHY): "true" });
    }
    if metadata.annotations.contains_key(keys::BLOCK_MOVE) != is_blocked {
        let value = if is_blocked { json!("true") } else { Value::Null };
        changes["annotations"] = json!({ (keys::BLOCK_MOVE): value });
    }
    if let Some(subscription) = subscription
        && metadata.annotations.get(SUBSCRIPTION).is_none_or(|there| there != subscription)
    {
        changes["annotations"][SUBSCRIPTION] = json!(subscription);
    }
    // What was decided in the status has to survive a move, also of a cluster that waits.
    for (key, value) in notes(resource, &resource.status, was_ready(resource)) {
        changes["annotations"][key] = value;
    }
    // None can be added to what is going already.
    if !has_finalizer(resource) && !resource.is_being_deleted() {
        let own = keys::CLEANUP.to_owned();
        let all: Vec<&String> = metadata.finalizers.iter().chain([&own]).collect();
        changes["finalizers"] = json!(all);
    }
    write(objects, place, resource, changes).await
}

/// Notes what was decided for a cluster that is finished, which has to survive a move, as the status does not. If wished,
/// protects the cluster from being removed with its resource, unless the resource says something of that already. Gives
/// whether anything was written.
pub(super) async fn finish(
    objects: &dyn Objects,
    place: &ObjectRef,
    resource: &Resource,
    status: &Status,
    protects: bool,
) -> Result<bool, Failed> {
    // After a dry run, nothing was carried out yet.
    let is_ready = resource.spec.adopt_policy != AdoptPolicy::Skip;
    let mut changes = notes(resource, status, is_ready);
    if protects && !resource.metadata.annotations.contains_key(PROTECTION) {
        changes.insert(PROTECTION.to_owned(), json!("true"));
    }
    if changes.is_empty() {
        return Ok(false);
    }
    write(objects, place, resource, json!({ "annotations": changes })).await
}

/// The annotations that are to be written so that what the status has survives a move or a restore. The plan is noted of
/// a cluster that was Ready once: no other is held.
fn notes(resource: &Resource, status: &Status, was_ready: bool) -> Map<String, Value> {
    let plan = [
        (PLAN, &status.plan_hash),
        (OWNER_INPUTS, &status.owner_inputs_hash),
        (PLANNED_BY, &status.planned_by),
    ];
    let plan = plan.into_iter().filter(|_| was_ready);
    let all = std::iter::once((RELEASE, &status.release)).chain(plan);
    let is_new = |(key, value): &(&str, &String)| !value.is_empty() && noted(resource, key) != value.as_str();
    all.filter(is_new).map(|(key, value)| (key.to_owned(), json!(value))).collect()
}

/// The status, with what was noted of the plan where the status was lost.
pub(super) fn remembered(resource: &Resource) -> Status {
    let mut status = resource.status.clone();
    if status.plan_hash.is_empty() {
        noted(resource, PLAN).clone_into(&mut status.plan_hash);
        noted(resource, PLANNED_BY).clone_into(&mut status.planned_by);
    }
    if status.owner_inputs_hash.is_empty() && status.plan_hash == noted(resource, PLAN) {
        noted(resource, OWNER_INPUTS).clone_into(&mut status.owner_inputs_hash);
    }
    status
}

/// Whether the cluster was Ready once.
pub(super) fn was_ready(resource: &Resource) -> bool {
    let status = &resource.status;
    status.conditions.iter().any(|one| one.kind == READY && one.status == "True")
        || status.outputs != Outputs::default()
        || status.deletion_protection_added
        || !noted(resource, PLAN).is_empty()
}

/// Writes how far the cluster is with the plan of another landfall, and which plan that is, or takes both away.
pub(super) async fn label_rollout(
    objects: &dyn Objects,
    place: &ObjectRef,
    resource: &Resource,
    label: Option<&str>,
    plan: Option<&str>,
) -> Result<(), Failed> {
    let changes = json!({ "labels": { (ROLLOUT): label }, "annotations": { (ROLLOUT_PLAN): plan } });
    write(objects, place, resource, changes).await.map(drop)
}

/// Takes away the mark of a move that did not happen.
pub(super) async fn unmark(
    objects: &dyn Objects,
    place: &ObjectRef,
    resource: &Resource,
) -> Result<(), Failed> {
    let changes = json!({ "annotations": { (keys::DELETE_FOR_MOVE): null } });
    write(objects, place, resource, changes).await.map(drop)
}

/// The operator that works on the resource, as that notes it; empty where it does not.
pub(super) fn claimed_by(resource: &Resource) -> &str {
    noted(resource, OPERATOR)
}

/// Notes which operator works on the resource.
pub(super) async fn claim(
    objects: &dyn Objects,
    place: &ObjectRef,
    resource: &Resource,
    claimant: &str,
) -> Result<(), Failed> {
    write(objects, place, resource, json!({ "annotations": { (OPERATOR): claimant } })).await.map(drop)
}

/// Notes where landfall creates images that do not go with a resource group.
pub(super) async fn note_images(
    objects: &dyn Objects,
    place: &ObjectRef,
    resource: &Resource,
    images: &str,
) -> Result<bool, Failed> {
    write(objects, place, resource, json!({ "annotations": { (IMAGES): images } })).await
}

/// Where landfall created images that do not go with a resource group, as `cloud/group`; empty where it created none.
pub(super) fn noted_images(resource: &Resource) -> &str {
    noted(resource, IMAGES)
}

/// The digest of the plan with which the cluster began to be updated.
pub(super) fn rollout_plan(resource: &Resource) -> Option<&str> {
    resource.metadata.annotations.get(ROLLOUT_PLAN).map(String::as_str)
}

/// The release that the resource was planned with before it was moved or restored.
pub(super) fn noted_release(resource: &Resource) -> &str {
    noted(resource, RELEASE)
}

/// The subscription that the cluster is in, as the resource notes it; empty where it does not.
pub(super) fn noted_subscription(resource: &Resource) -> &str {
    noted(resource, SUBSCRIPTION)
}

/// What an annotation says; empty where it is not there.
fn noted<'r>(resource: &'r Resource, key: &str) -> &'r str {
    resource.metadata.annotations.get(key).map(String::as_str).unwrap_or_default()
}

/// Whether the cluster stays although its resource was deleted.
pub(super) fn is_protected(resource: &Resource) -> bool {
    resource.metadata.annotations.get(PROTECTION).is_some_and(|value| value != "false")
}

/// Whether the owner of the cluster says that it is not to be protected.
pub(super) fn declines_protection(resource: &Resource) -> bool {
    noted(resource, PROTECTION) == "false"
}

/// Whether a resource without protection was replaced as a whole, as `kubectl replace` does: what else landfall wrote
/// into it is not there either.
pub(super) fn was_replaced(resource: &Resource) -> bool {
    let lacks_notes =
        !resource.metadata.labels.contains_key(keys::CLUSTER) || noted(resource, PLAN).is_empty();
    lacks_notes && !declines_protection(resource)
}

/// Protects the cluster from being removed with its resource.
pub(super) async fn protect(
    objects: &dyn Objects,
    place: &ObjectRef,
    resource: &Resource,
) -> Result<(), Failed> {
    let changes = json!({ "annotations": { (PROTECTION): "true" } });
    write(objects, place, resource, changes).await.map(drop)
}

/// Whether objects of the user's may be deleted with the cluster.
pub(super) fn takes_others(resource: &Resource) -> bool {
    resource.metadata.annotations.get(keys::DELETE_WITH_CLUSTER).is_some_and(|value| value == "true")
}

/// Whether the resource is kept until all that it owns is gone.
pub(super) fn has_finalizer(resource: &Resource) -> bool {
    resource.metadata.finalizers.iter().any(|one| one == keys::CLEANUP)
}

/// Lets the resource go.
pub(super) async fn release(
    objects: &dyn Objects,
    place: &ObjectRef,
    resource: &Resource,
) -> Result<(), Failed> {
    if !has_finalizer(resource) {
        return Ok(());
    }
    let left: Vec<&String> =
        resource.metadata.finalizers.iter().filter(|one| *one != keys::CLEANUP).collect();
    write(objects, place, resource, json!({ "finalizers": left })).await.map(drop)
}

/// Changes the metadata of the resource as it was read.
async fn write(
    objects: &dyn Objects,
    place: &ObjectRef,
    resource: &Resource,
    mut changes: Value,
) -> Result<bool, Failed> {
    if changes.as_object().is_none_or(serde_json::Map::is_empty) {
        return Ok(false);
    }
    changes["resourceVersion"] = json!(resource.metadata.resource_version);
    match objects.merge(place, json!({ "metadata": changes }), Part::Whole).await {
        // What is gone needs no mark.
        Ok(_) | Err(Fault::NotFound) => Ok(true),
        Err(fault) => Err(Failed::call(UNWRITABLE, place, "written", &fault)),
    }
}
