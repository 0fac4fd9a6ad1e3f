//! The state of Terraform without secrets: what it marks as sensitive, what sounds like a secret, and what machines start
//! with.

use landfall_diagnostics::secret::REDACTED;
use landfall_source::Mask;
use serde_json::Value;

/// Attributes that hold what a machine starts with, or the content of an object.
const CONTENTS: &[&str] = &["body", "content", "content_base64", "custom_data", "rendered", "user_data"];
/// Endings of attributes that give access.
const ACCESS: &[&str] = &["_access_key", "connection_string", "_sas", "_pem", "_base64", "private"];
/// A longer text is the content of something, whatever its attribute is called.
const LONGEST: usize = 4096;
/// A shorter text that only sounds like a secret may be a word.
const SHORTEST: usize = 12;

/// A state as it may be seen; none where it cannot be read as one.
pub(super) fn masked(text: &str) -> Option<String> {
    let mut state: Value = serde_json::from_str(text).ok()?;
    walk(&mut state, &mut |_, value| *value = REDACTED.into());
    serde_json::to_string_pretty(&state).ok()
}

/// The secrets in a state.
pub(super) fn secrets(text: &str) -> Vec<String> {
    let mut secrets = Vec::new();
    if let Ok(mut state) = serde_json::from_str::<Value>(text) {
        walk(&mut state, &mut |is_marked, value| {
            texts(value, &mut |text| {
                if is_marked || text.len() >= SHORTEST {
                    secrets.push(text.to_owned());
                }
            });
        });
    }
    secrets
}

/// Hands over every value that is not to be seen, with whether Terraform itself says so.
fn walk(state: &mut Value, secret: &mut impl FnMut(bool, &mut Value)) {
    for output in members(state.get_mut("outputs")) {
        if output["sensitive"] == Value::Bool(true)
            && let Some(value) = output.get_mut("value")
        {
            secret(true, value);
        }
    }
    for resource in items(state.get_mut("resources")) {
        for instance in items(resource.get_mut("instances")) {
            let marked = instance["sensitive_attributes"].clone();
            if let Some(attributes) = instance.get_mut("attributes") {
                for path in marked.as_array().into_iter().flatten() {
                    if let Some(value) = at(attributes, path) {
                        secret(true, value);
                    }
                }
                named(attributes, secret);
            }
            // What the provider keeps for itself, nobody can read.
            if let Some(private) = instance.get_mut("private") {
                secret(false, private);
            }
        }
    }
}

/// The value of a path of Terraform's: a list of steps into attributes and lists.
fn at<'v>(attributes: &'v mut Value, path: &Value) -> Option<&'v mut Value> {
    let mut value = attributes;
    for step in path.as_array()? {
        let step = &step["value"];
        value = match (step.as_str(), step["value"].as_u64().or_else(|| step.as_u64())) {
            (Some(name), _) => value.get_mut(name)?,
            (None, Some(index)) => value.get_mut(usize::try_from(index).ok()?)?,
            (None, None) => match step["value"].as_str() {
                Some(key) => value.get_mut(key)?,
                None => return Some(value),
            },
        };
    }
    Some(value)
}

/// Hands over what sounds like a secret, and what is too long to be anything else than a content.
fn named(value: &mut Value, secret: &mut impl FnMut(bool, &mut Value)) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let is_named = CONTENTS.iter().any(|name| key.starts_with(name))
                    || ACCESS.iter().any(|end| key.ends_with(end))
                    || Mask::names_secret(key);
                match value {
                    Value::String(text) if text.is_empty() => {}
                    Value::String(text) if is_named || text.len() > LONGEST => secret(false, value),
                    _ => named(value, secret),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| named(value, secret)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn texts(value: &Value, found: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => found(text),
        Value::Array(list) => list.iter().for_each(|value| texts(value, found)),
        Value::Object(fields) => fields.values().for_each(|value| texts(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn items(value: Option<&mut Value>) -> impl Iterator<Item = &mut Value> {
    value.and_then(Value::as_array_mut).into_iter().flatten()
}

fn members(value: Option<&mut Value>) -> impl Iterator<Item = &mut Value> {
    value.and_then(Value::as_object_mut).into_iter().flat_map(|fields| fields.values_mut())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn state() -> String {
        let steps = |names: &[&str]| -> Value {
            names.iter().map(|name| json!({ "type": "get_attr", "value": name })).collect()
        };
        json!({
            "version": 4,
            "outputs": {
                "vpc_id": { "value": "vpc-1", "type": "string" },
                "key": { "value": "canary-of-an-output", "type": "string", "sensitive": true },
            },
            "resources": [{
                "type": "aws_instance",
                "name": "bootstrap",
                "instances": [{
                    "attributes": {
                        "id": "i-1",
                        "user_data": "canary-of-user-data",
                        "marked": "canary1",
                        "nested": [{ "deep": "canary2" }],
                        "primary_access_key": "canary-of-an-account",
                        "tags": { "Name": "demo-bootstrap" },
                        "metadata_options": [{ "http_tokens": "optional" }],
                        "large": "canary".repeat(1000),
                    },
                    "sensitive_attributes": [
                        steps(&["marked"]),
                        [
                            { "type": "get_attr", "value": "nested" },
                            { "type": "index", "value": { "value": 0, "type": "number" } },
                            { "type": "get_attr", "value": "deep" },
                        ],
                    ],
                    "private": "canary-of-the-provider",
                }],
            }],
        })
        .to_string()
    }

    #[test]
    fn a_state_keeps_what_it_is_read_for() {
        let seen = masked(&state()).unwrap_or_default();
        assert!(!seen.contains("canary"), "{seen}");
        for kept in ["vpc-1", "i-1", "demo-bootstrap", "aws_instance", "sensitive_attributes"] {
            assert!(seen.contains(kept), "{kept}: {seen}");
        }
        assert!(masked("{").is_none());
    }

    #[test]
    fn secrets_are_known_by_their_values() {
        let known = secrets(&state());
        for secret in
            ["canary-of-an-output", "canary1", "canary2", "canary-of-user-data", "canary-of-the-provider"]
        {
            assert!(known.iter().any(|one| one == secret), "{secret}: {known:?}");
        }
        assert!(!known.iter().any(|one| one == "optional"), "{known:?}");
    }
}
