//! What stands against a cloud profile from which others inherit: what would stand against each of them, which their
//! owners cannot mend.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{ProfileKind, Refusal, Request, Stage, Verdict, Why, result, review};
use crate::document::named;
use crate::types::CloudProfileSpec;

/// The members of its specification that a private profile has as well.
const SHARED: &[&str] =
    &["kubernetes", "machineImages", "machineTypes", "volumeTypes", "regions", "caBundle", "limits"];

/// What stands against the specification of a cloud profile of this name. What has another type than it should is passed
/// over.
#[must_use]
pub fn cloud_profile(name: &str, spec: &Value) -> Vec<Refusal> {
    let mut refusals = of_members(name, spec, SHARED);
    if spec.get("type").and_then(Value::as_str).is_none_or(str::is_empty) {
        let message = "the provider of the infrastructure must be given";
        refusals.push(Refusal::new("spec.type", Why::Required, message));
    }
    let versions = spec.get("kubernetes").and_then(|kubernetes| kubernetes.get("versions"));
    if versions.and_then(Value::as_array).is_none_or(Vec::is_empty) {
        let message = "at least one version must be given";
        refusals.push(Refusal::new("spec.kubernetes.versions", Why::Required, message));
    } else if let Ok(spec) = serde_json::from_value::<CloudProfileSpec>(spec.clone()) {
        let mut of_result = Vec::new();
        // A version that has expired counts, too.
        result::check("spec", &spec, Timestamp::UNIX_EPOCH, &mut of_result);
        of_result.retain(|refusal| refusals.iter().all(|known| known.field != refusal.field));
        refusals.extend(of_result);
    }
    refusals
}

/// What stands against a cloud profile of this name that is written over `old`: faults that were not stored already.
/// An entry of a list is known by its name, whatever its number is now.
#[must_use]
pub fn cloud_profile_update(name: &str, old: Option<&Value>, object: &Value) -> Vec<Refusal> {
    let refused = |object: &Value| cloud_profile(name, object.get("spec").unwrap_or(&Value::Null));
    let by_name = |object: &Value, one: &Refusal| Refusal { field: named(object, &one.field), ..one.clone() };
    let of_old = |old: &Value| refused(old).iter().map(|one| by_name(old, one)).collect::<Vec<_>>();
    let mut stored = old.map(of_old).unwrap_or_default();
    let mut refusals = refused(object);
    refusals.retain(|one| {
        let known = stored.iter().position(|stored| *stored == by_name(object, one));
        known.map(|at| stored.swap_remove(at)).is_none()
    });
    refusals
}

/// What would be refused of these members of a specification, if a private profile of this name said the same of them.
pub(crate) fn of_members(name: &str, spec: &Value, members: &[&str]) -> Vec<Refusal> {
    let mut own = json!({ "parent": "any" });
    for member in members {
        own[*member] = spec.get(member).cloned().unwrap_or(Value::Null);
    }
    let object = json!({ "metadata": { "name": name, "namespace": "any" }, "spec": own });
    let kind = ProfileKind::Private;
    let request = Request { kind, object: &object, old: None, parent: None, now: Timestamp::UNIX_EPOCH };
    let Verdict::Refused { stage: Stage::Validation, refusals } = review(&request) else {
        return Vec::new();
    };
    refusals.into_iter().filter(|refusal| refusal.why != Why::UnknownField).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_refused_of_each_profile_that_inherits_is_refused() {
        let version =
            json!({ "version": "1", "cri": [{ "name": "docker" }], "capabilityFlavors": [{ "b": [] }] });
        let spec = json!({
            "type": "x",
            "kubernetes": { "versions": [{ "version": "1.2.3" }] },
            "machineImages": [{ "name": "i", "updateStrategy": "major", "versions": [version] }],
            "machineTypes": [{ "name": "m", "capabilities": { "a": ["2"] } }],
            "machineCapabilities": [{ "name": "a", "values": ["1"] }],
        });
        let refusals = cloud_profile("p", &spec);
        let found: Vec<&str> = refusals.iter().map(|refusal| refusal.field.as_str()).collect();
        let version = |field: &str| format!("spec.machineImages[0].versions[0].{field}");
        let capability = "spec.machineTypes[0].capabilities.a[0]".to_owned();
        assert_eq!(found, [version("cri[0].name"), version("capabilityFlavors[0]"), capability]);
    }

    #[test]
    fn a_stored_fault_is_known_by_the_name_of_its_entry() {
        let image = |name: &str| json!({ "name": name, "versions": [{ "version": "1.0.0", "cri": [{ "name": "containerd" }] }] });
        let object = |images: &[&Value]| {
            let kubernetes = json!({ "versions": [{ "version": "1.2.3" }] });
            json!({ "spec": { "type": "x", "kubernetes": kubernetes, "machineImages": images } })
        };
        let (mut whole, faulty, other) = (image("whole"), image("faulty"), image("other"));
        whole["updateStrategy"] = "major".into();
        let old = object(&[&whole, &faulty]);
        let fields = |old: Option<&Value>, object: &Value| {
            let refusals = cloud_profile_update("p", old, object);
            refusals.into_iter().map(|refusal| refusal.field).collect::<Vec<_>>()
        };
        assert_eq!(fields(None, &old), ["spec.machineImages[1].updateStrategy"]);
        assert!(fields(Some(&old), &old).is_empty());
        assert!(fields(Some(&old), &object(&[&faulty])).is_empty(), "another number");
        // Another entry with this fault is a new one, and so is the same entry once more.
        assert_eq!(fields(Some(&old), &object(&[&other, &faulty])), ["spec.machineImages[0].updateStrategy"]);
        assert_eq!(fields(Some(&old), &object(&[&whole, &other])), ["spec.machineImages[1].updateStrategy"]);
        let twice = fields(Some(&old), &object(&[&faulty, &faulty]));
        assert!(twice.contains(&"spec.machineImages[1].updateStrategy".to_owned()), "{twice:?}");
    }
}
