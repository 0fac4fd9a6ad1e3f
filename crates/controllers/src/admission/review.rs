//! The `AdmissionReview`s of the API server: read, taken apart, answered.

use landfall_kube::kinds::{LANDFALL_PROFILES, ProfileKinds};
use serde::Deserialize;
use serde_json::{Value, json};

/// As much of a review as must be known to answer it.
#[derive(Deserialize)]
struct Bare {
    request: BareRequest,
}

#[derive(Deserialize)]
struct BareRequest {
    uid: String,
}

/// Reads a review.
///
/// # Errors
/// It cannot be read. What is given then is the answer that refuses it, unless it is no review at all.
pub(super) fn read(body: &[u8]) -> Result<Value, Option<Value>> {
    serde_json::from_slice(body).map_err(|fault| {
        // What is passed over is read at any depth.
        let bare: Bare = serde_json::from_slice(body).ok()?;
        let why = if fault.to_string().starts_with("recursion limit") {
            "the object, or the existing one, is nested too deeply"
        } else {
            "the object, or the existing one, cannot be read"
        };
        let status = json!({ "code": 422, "reason": "Invalid", "message": why });
        Some(answer(&bare.request.uid, json!({ "allowed": false, "status": status })))
    })
}

/// What a request is about, where that is a whole object of a group of profiles or clusters: its resource, the object
/// that is to be written, and the existing one.
pub(super) fn subject(request: &Value) -> Option<(&str, &Value, Option<&Value>)> {
    let given = |name: &str| request.get(name).filter(|object| !object.is_null());
    let group = text(request, "/resource/group");
    let is_ours = group == LANDFALL_PROFILES.users.group || ProfileKinds::of_group(group).is_some();
    let is_whole = is_ours && text(request, "/subResource").is_empty();
    let object = given("object").filter(|_| is_whole)?;
    Some((text(request, "/resource/resource"), object, given("oldObject")))
}

/// The answer to the request with this number.
pub(super) fn answer(uid: &str, mut response: Value) -> Value {
    response["uid"] = json!(uid);
    json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response })
}

/// The text at a path; an empty one where there is none.
pub(super) fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default()
}
