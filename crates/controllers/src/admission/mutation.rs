//! Changes a namespaced profile before it is validated and stored.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use landfall_cloud_profile::admission::ProfileKind;
use landfall_cloud_profile::released::amendments;
use serde_json::{Value, json};

use super::review::{answer, subject, text};

/// Answers an `AdmissionReview` at an instant. Nothing is refused here.
pub(super) fn amend(review: &Value, now: Timestamp) -> Value {
    let request = review.get("request").unwrap_or(&Value::Null);
    let operations = operations(request, now);
    let mut response = json!({ "allowed": true });
    if !operations.is_empty() {
        response["patchType"] = json!("JSONPatch");
        response["patch"] = json!(STANDARD.encode(Value::from(operations).to_string()));
    }
    answer(text(request, "/uid"), response)
}

fn operations(request: &Value, now: Timestamp) -> Vec<Value> {
    let Some((resource, object, old)) = subject(request) else { return Vec::new() };
    let leaves = object.pointer("/metadata/deletionTimestamp").is_some_and(|time| !time.is_null());
    if leaves || resource != ProfileKind::Released.resource() {
        return Vec::new();
    }
    amendments(old, object, now)
}
