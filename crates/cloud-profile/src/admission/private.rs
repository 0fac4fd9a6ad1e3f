//! The review of a profile of the kind that was proposed.

use std::sync::LazyLock;

use landfall_diagnostics::shortened;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::versions::{not_in_parent, without_date};
use super::{
    ProfileKind, Refusal, Request, Stage, Verdict, Why, differs, machines, object, regions, shape, versions,
};
use crate::equivalence::Meaning as _;
use crate::order::places;
use crate::released::lifecycle::listed;
use crate::types::{Capabilities, CloudProfileSpec, PrivateCloudProfileSpec};

static SHAPE: LazyLock<Value> = LazyLock::new(shape::of::<PrivateCloudProfileSpec>);

/// A change that leaves the spec as it is, such as of a finalizer, is not held up by what became of the
/// parent, or by rules that the profile is older than.
pub(super) fn review(request: &Request<'_>) -> Verdict {
    if !differs(request, "spec") {
        return Verdict::Accepted;
    }
    let mut refusals = Vec::new();
    object::check_metadata(request.object, &mut refusals);
    // Where there is no spec, what it must have is missing.
    let nothing = Value::Object(Map::new());
    let spec = request.object.get("spec").filter(|spec| !spec.is_null()).unwrap_or(&nothing);
    let readable: Option<shape::Read<PrivateCloudProfileSpec>> =
        shape::read(spec, &SHAPE, shape::Unknown::Refused, &mut refusals);
    let Some(read) = readable else { return Verdict::of(Stage::Validation, refusals) };
    read.judge(&mut refusals, |spec, refusals| check(spec, request.old, refusals));
    if !refusals.is_empty() {
        return Verdict::of(Stage::Validation, refusals);
    }
    Verdict::of(Stage::Admission, of_parent(request, &read.spec))
}

/// The spec beside its parent, whatever the spec alone comes to.
pub(super) fn beside_parent(request: &Request<'_>) -> Vec<Refusal> {
    read(request.object).map(|spec| of_parent(request, &spec)).unwrap_or_default()
}

fn read(object: &Value) -> Option<PrivateCloudProfileSpec> {
    PrivateCloudProfileSpec::deserialize(object.get("spec")?).ok()
}

fn of_parent(request: &Request<'_>, spec: &PrivateCloudProfileSpec) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    if let Some(parent) = request.parent {
        let old = request.old.and_then(read);
        check_beside(parent, spec, old.as_ref(), &mut refusals);
    } else {
        let message = format!("there is no cloud profile `{}`", shortened(&spec.parent));
        refusals.push(Refusal::new("spec.parent", Why::NotFound, message));
    }
    refusals
}

/// The spec alone, and beside the one that stands.
fn check(spec: &PrivateCloudProfileSpec, old: Option<&Value>, refusals: &mut Vec<Refusal>) {
    let known = old.and_then(|old| ProfileKind::Private.parent(old));
    if spec.parent.is_empty() {
        let message = "the name of a cloud profile must be given";
        refusals.push(Refusal::new("spec.parent", Why::Required, message));
    } else if known.is_some_and(|known| known != spec.parent) {
        refusals.push(Refusal::new("spec.parent", Why::Immutable, "the parent of a profile never changes"));
    }
    versions::check_kubernetes(listed(spec.kubernetes.as_ref()), ProfileKind::Private, refusals);
    versions::check_images(&spec.machine_images, ProfileKind::Private, refusals);
    machines::check_machine_types("spec", &spec.machine_types, &Capabilities::new(), refusals);
    machines::check_volume_types("spec", &spec.volume_types, refusals);
    regions::check_regions(&spec.regions, refusals);
    object::check_bundle(spec.ca_bundle.as_deref(), refusals);
    object::check_limits(spec.limits.as_ref(), refusals);
}

/// The spec beside its parent: what the parent has can only be given another date. A version that the parent dropped
/// since it was listed is a conflict in the status, and does not block other changes.
fn check_beside(
    parent: &CloudProfileSpec,
    spec: &PrivateCloudProfileSpec,
    old: Option<&PrivateCloudProfileSpec>,
    refusals: &mut Vec<Refusal>,
) {
    let offered = listed(parent.kubernetes.as_ref());
    let versions = listed(spec.kubernetes.as_ref());
    let known = listed(old.and_then(|old| old.kubernetes.as_ref()));
    for (i, (at, version)) in places(offered, versions).into_iter().zip(versions).enumerate() {
        let field = format!("spec.kubernetes.versions[{i}]");
        if at >= offered.len() && !known.iter().any(|known| known.same(version)) {
            refusals.push(not_in_parent(field.clone(), &version.version));
        }
        if version.expiration_date.is_none() {
            refusals.push(without_date(&field));
        }
    }
    let images = &spec.machine_images;
    for (i, (at, image)) in places(&parent.machine_images, images).into_iter().zip(images).enumerate() {
        let Some(offered) = parent.machine_images.get(at).map(|image| &image.versions) else { continue };
        for (j, (at, version)) in
            places(offered, &image.versions).into_iter().zip(&image.versions).enumerate()
        {
            if at < offered.len() && version.expiration_date.is_none() {
                refusals.push(without_date(&format!("spec.machineImages[{i}].versions[{j}]")));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;

    fn refused(spec: &Value) -> Vec<(String, Why)> {
        let metadata = json!({ "name": "c", "namespace": "n" });
        let object =
            json!({ "apiVersion": "v1", "kind": "PrivateCloudProfile", "metadata": metadata, "spec": spec });
        let (kind, now) = (ProfileKind::Private, Timestamp::UNIX_EPOCH);
        match review(&Request { kind, object: &object, old: None, parent: None, now }) {
            Verdict::Refused { stage: Stage::Validation, refusals } => {
                refusals.into_iter().map(|refusal| (refusal.field, refusal.why)).collect()
            }
            _ => Vec::new(),
        }
    }

    #[test]
    fn a_value_of_another_type_hides_nothing_else_and_is_told_once() {
        let of = |field: &str, why| (field.to_owned(), why);
        let spec = json!({
            "parent": { "kind": "CloudProfile", "name": "p" },
            "kubernetes": { "versions": [{ "version": "1.28" }, { "version": 7 }] },
            "limits": { "maxNodesTotal": 0 },
        });
        let mut found = refused(&spec);
        found.sort_by(|one, other| one.0.cmp(&other.0));
        assert_eq!(
            found,
            [
                of("spec.kubernetes.versions[0]", Why::Invalid),
                of("spec.kubernetes.versions[1].version", Why::Invalid),
                of("spec.limits.maxNodesTotal", Why::Invalid),
                of("spec.parent", Why::Invalid),
            ]
        );
        assert_eq!(refused(&Value::Null), [of("spec.parent", Why::Required)]);
        assert_eq!(refused(&json!([])), [of("spec", Why::Invalid)]);
    }

    #[test]
    fn a_version_that_the_parent_dropped_does_not_block_other_changes() -> serde_json::Result<()> {
        let parent: CloudProfileSpec =
            serde_json::from_value(json!({ "kubernetes": { "versions": [{ "version": "1.2.4" }] } }))?;
        let object = |kubernetes: Value, most: i64| {
            json!({
                "metadata": { "name": "c", "namespace": "n" },
                "spec": { "parent": "p", "kubernetes": kubernetes, "limits": { "maxNodesTotal": most } },
            })
        };
        let versions = |version: &str, date: &str| json!({ "versions": [{ "version": version, "expirationDate": date }] });
        let dropped = || versions("1.2.3", "2030-01-01T00:00:00Z");
        let old = object(dropped(), 1);
        let refused = |object: &Value, old: Option<&Value>| -> Vec<Why> {
            let (kind, now) = (ProfileKind::Private, Timestamp::UNIX_EPOCH);
            match review(&Request { kind, object, old, parent: Some(&parent), now }) {
                Verdict::Refused { refusals, .. } => refusals.into_iter().map(|one| one.why).collect(),
                Verdict::Accepted => Vec::new(),
            }
        };
        assert_eq!(refused(&old, None), [Why::NotInParent]);
        assert!(refused(&object(dropped(), 2), Some(&old)).is_empty());
        // The same instant means the same.
        let same = object(versions("1.2.3", "2030-01-01T01:00:00+01:00"), 2);
        assert!(refused(&same, Some(&old)).is_empty());
        let other_date = object(versions("1.2.3", "2031-01-01T00:00:00Z"), 1);
        assert_eq!(refused(&other_date, Some(&old)), [Why::NotInParent]);
        let other_version = object(versions("1.2.2", "2030-01-01T00:00:00Z"), 1);
        assert_eq!(refused(&other_version, Some(&old)), [Why::NotInParent]);
        // All else is judged as ever.
        let undated = object(json!({ "versions": [{ "version": "1.2.3" }] }), 1);
        let changed = object(json!({ "versions": [{ "version": "1.2.3" }] }), 2);
        assert_eq!(refused(&changed, Some(&undated)), [Why::Required]);
        Ok(())
    }
}
