//! What Azure shows as failed is created again. Others may have added parts to it by then, such as the rules of services
//! that the cluster's cloud controller writes; they stay.

use serde_json::Value;

/// Kinds with parts that others add.
const WITH_PARTS: &[&str] = &["load-balancer", "route-table", "security-group", "subnet", "virtual-network"];

/// Whether others add parts to resources of a kind.
pub(super) fn has_parts(kind: &str) -> bool {
    WITH_PARTS.contains(&kind)
}

/// A resource as it is shown, with what the plan says of it. Parts of lists are told by their names.
pub(super) fn merged(shown: Value, planned: Value) -> Value {
    match (shown, planned) {
        (Value::Object(mut shown), Value::Object(planned)) => {
            for (key, value) in planned {
                let own = shown.remove(&key).unwrap_or_default();
                shown.insert(key, merged(own, value));
            }
            Value::Object(shown)
        }
        (Value::Array(mut shown), Value::Array(planned))
            if planned.iter().all(|part| part["name"].is_string()) =>
        {
            for part in planned {
                match shown.iter_mut().find(|own| is_named(own, &part)) {
                    Some(own) => *own = merged(own.take(), part),
                    None => shown.push(part),
                }
            }
            Value::Array(shown)
        }
        (_, planned) => planned,
    }
}

fn is_named(own: &Value, part: &Value) -> bool {
    let names = own["name"].as_str().zip(part["name"].as_str());
    names.is_some_and(|(own, part)| own.eq_ignore_ascii_case(part))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parts_of_others_stay() {
        let shown = json!({
            "etag": "W/\"1\"",
            "tags": { "team": "moon" },
            "properties": {
                "rules": [{ "name": "Own", "properties": { "port": 1, "id": "x" } }, { "name": "other" }],
                "prefixes": ["10.0.0.0/16", "10.1.0.0/16"],
                "subnets": [{ "name": "a" }],
            },
        });
        let planned = json!({
            "tags": { "owner": "us" },
            "properties": {
                "rules": [{ "name": "own", "properties": { "port": 2 } }, { "name": "new" }],
                "prefixes": ["10.0.0.0/16"],
                "subnets": [],
            },
        });
        let expected = json!({
            "etag": "W/\"1\"",
            "tags": { "team": "moon", "owner": "us" },
            "properties": {
                "rules": [
                    { "name": "own", "properties": { "port": 2, "id": "x" } },
                    { "name": "other" },
                    { "name": "new" },
                ],
                "prefixes": ["10.0.0.0/16"],
                "subnets": [{ "name": "a" }],
            },
        });
        assert_eq!(merged(shown, planned), expected);
    }
}
