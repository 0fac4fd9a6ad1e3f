//! What stands against a cloud profile from which others inherit: what would stand against each of them, which their
//! owners cannot mend.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{ProfileKind, Refusal, Request, Stage, Verdict, Why, result, review};
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
        result::check_offer("spec", &spec, &mut of_result);
        of_result.retain(|refusal| refusals.iter().all(|known| known.field != refusal.field));
        refusals.extend(of_result);
    }
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
