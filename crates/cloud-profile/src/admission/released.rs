//! The review of a profile of the kind that was released.

use std::sync::LazyLock;

use jiff::Timestamp;
use landfall_diagnostics::shortened;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    ProfileKind, Refusal, Request, Stage, Verdict, Why, differs, machines, object, overrides, result, shape,
    versions,
};
use crate::released::lifecycle::listed;
use crate::released::{capability_values, in_form, render, stored};
use crate::types::{CLOUD_PROFILE, Capabilities, CloudProfileSpec, NamespacedCloudProfileSpec};

static SHAPE: LazyLock<Value> = LazyLock::new(shape::of::<NamespacedCloudProfileSpec>);

pub(super) fn review(request: &Request<'_>) -> Verdict {
    if !is_changed(request) {
        return Verdict::Accepted;
    }
    let mut refusals = Vec::new();
    object::check_metadata(request.object, &mut refusals);
    // Where there is no spec, what it must have is missing.
    let nothing = Value::Object(Map::new());
    let sent = request.object.get("spec").filter(|spec| !spec.is_null()).unwrap_or(&nothing);
    let read: Option<shape::Read<NamespacedCloudProfileSpec>> =
        shape::read(sent, &SHAPE, shape::Unknown::Ignored, &mut refusals);
    let Some(read) = read else { return Verdict::of(Stage::Validation, refusals) };
    let old = request.old.and_then(self::read);
    let spec = stored(old.as_ref(), &read.spec, request.now);
    read.judge(&mut refusals, |_, refusals| check(&spec, old.as_ref(), refusals));
    if !refusals.is_empty() {
        return Verdict::of(Stage::Validation, refusals);
    }
    let Some(parent) = request.parent else {
        let message = format!("there is no cloud profile `{}`", shortened(&spec.parent.name));
        refusals.push(Refusal::new("spec.parent.name", Why::NotFound, message));
        return Verdict::of(Stage::Admission, refusals);
    };
    let refusals = of_parent(request, parent, &spec, old.as_ref());
    if !refusals.is_empty() {
        return Verdict::of(Stage::Admission, refusals);
    }
    Verdict::of(Stage::MergeResult, of_result(parent, &spec, request.now))
}

fn read(object: &Value) -> Option<NamespacedCloudProfileSpec> {
    NamespacedCloudProfileSpec::deserialize(object.get("spec")?).ok()
}

/// An object beside its parent, whatever the spec alone comes to.
pub(super) fn beside_parent(request: &Request<'_>) -> Vec<Refusal> {
    let (Some(spec), Some(parent)) = (read(request.object), request.parent) else { return Vec::new() };
    let old = request.old.and_then(read);
    let spec = stored(old.as_ref(), &spec, request.now);
    of_parent(request, parent, &spec, old.as_ref())
}

fn of_parent(
    request: &Request<'_>,
    parent: &CloudProfileSpec,
    spec: &NamespacedCloudProfileSpec,
    old: Option<&NamespacedCloudProfileSpec>,
) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    let defined = capability_values(parent);
    let old = old.map(|old| overrides::Old { spec: in_form(old, &defined), shown: shown(request.old) });
    overrides::check(parent, &in_form(spec, &defined), old.as_ref(), request.now, &mut refusals);
    refusals
}

/// What stands against what comes of an object and its parent, whatever either alone comes to.
pub(super) fn merge_result(request: &Request<'_>) -> Vec<Refusal> {
    let (Some(spec), Some(parent)) = (read(request.object), request.parent) else { return Vec::new() };
    of_result(parent, &stored(request.old.and_then(read).as_ref(), &spec, request.now), request.now)
}

fn of_result(parent: &CloudProfileSpec, spec: &NamespacedCloudProfileSpec, now: Timestamp) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    result::check("status.cloudProfileSpec", &render(parent, spec), now, &mut refusals);
    refusals
}

/// Whether the change is of the spec, or of what users say in the metadata of an object that is not being
/// deleted. Finalizers come and go without them, as does the note of who wrote which field.
fn is_changed(request: &Request<'_>) -> bool {
    let leaves = request.object.pointer("/metadata/deletionTimestamp").is_some_and(|time| !time.is_null());
    let said = |object: &Value| {
        let mut metadata = object.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
        metadata.retain(|name, _| !matches!(name.as_str(), "finalizers" | "managedFields"));
        metadata
    };
    let is_said_anew = || request.old.is_none_or(|old| said(old) != said(request.object));
    differs(request, "spec") || (!leaves && is_said_anew())
}

/// What was rendered of the object that stands.
fn shown(old: Option<&Value>) -> CloudProfileSpec {
    let status = old.and_then(|old| old.pointer("/status/cloudProfileSpec"));
    status.and_then(|status| CloudProfileSpec::deserialize(status).ok()).unwrap_or_default()
}

/// The spec alone, and beside the one that stands.
fn check(
    spec: &NamespacedCloudProfileSpec,
    old: Option<&NamespacedCloudProfileSpec>,
    refusals: &mut Vec<Refusal>,
) {
    if spec.parent.kind != CLOUD_PROFILE {
        let message = format!("a parent is a {CLOUD_PROFILE}, not a `{}`", shortened(&spec.parent.kind));
        refusals.push(Refusal::new("spec.parent.kind", Why::NotSupported, message));
    }
    if spec.parent.name.is_empty() {
        let message = "the name of the parent must be given";
        refusals.push(Refusal::new("spec.parent.name", Why::Required, message));
    }
    if old.is_some_and(|old| old.parent != spec.parent) {
        refusals.push(Refusal::new("spec.parent", Why::Immutable, "the parent of a profile never changes"));
    }
    versions::check_kubernetes(listed(spec.kubernetes.as_ref()), ProfileKind::Released, refusals);
    versions::check_images(&spec.machine_images, ProfileKind::Released, refusals);
    if versions::has_odd_version(&spec.machine_images) {
        let message = "the newest version of each image cannot be determined";
        refusals.push(Refusal::new("spec.machineImages", Why::Invalid, message));
    }
    machines::check_machine_types("spec", &spec.machine_types, &Capabilities::new(), refusals);
    machines::check_volume_types("spec", &spec.volume_types, refusals);
    object::check_bundle(spec.ca_bundle.as_deref(), refusals);
    object::check_limits(spec.limits.as_ref(), refusals);
}

#[cfg(test)]
mod tests;
