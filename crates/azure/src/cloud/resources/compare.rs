//! What of a resource is not as the plan has it.

use serde_json::Value;

/// Fields that Azure takes and never shows, and one that it shows in another form.
const HIDDEN: &[&str] = &["adminPassword", "customData", "addressPrefixes"];

/// A property, what it is, what is wanted.
pub(super) type Difference = (String, Value, Value);

/// The properties of `wanted` that are not so in `there`. Resources have more properties than anybody asked for.
pub(super) fn differences(wanted: &Value, there: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare("", wanted, there, &mut found);
    found
}

fn compare(path: &str, wanted: &Value, there: &Value, found: &mut Vec<Difference>) {
    match (wanted, there) {
        (Value::Object(fields), Value::Object(known)) => {
            for (key, value) in fields {
                if HIDDEN.contains(&key.as_str()) {
                    continue;
                }
                let own = known.get(key).or_else(|| {
                    known.iter().find(|(other, _)| other.eq_ignore_ascii_case(key)).map(|(_, value)| value)
                });
                compare(&below(path, key), value, own.unwrap_or(&Value::Null), found);
            }
        }
        (Value::Array(all), Value::Array(known)) => {
            for (i, one) in all.iter().enumerate() {
                let name = ["name", "id"].iter().find_map(|key| Some((*key, one.get(*key)?.as_str()?)));
                let Some((key, name)) = name else {
                    if !known.iter().any(|other| is_same(one, other)) {
                        let other = known.get(i).cloned().unwrap_or_default();
                        found.push((below(path, &i.to_string()), other, one.clone()));
                    }
                    continue;
                };
                let wanted = Value::from(name);
                let own = known.iter().find(|other| is_same(&wanted, &other[key]));
                compare(&below(path, name), one, own.unwrap_or(&Value::Null), found);
            }
        }
        _ if is_same(wanted, there) => {}
        _ => found.push((path.to_owned(), there.clone(), wanted.clone())),
    }
}

fn below(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Whether a value is as wanted. Azure tells no capitals apart in ids, names and words of its own, writes locations
/// with and without blanks, and may leave out what is off or empty.
fn is_same(wanted: &Value, there: &Value) -> bool {
    match (wanted, there) {
        (Value::String(wanted), Value::String(there)) => {
            let plain = |text: &str| text.replace(' ', "").to_lowercase();
            plain(wanted) == plain(there)
        }
        (Value::Null | Value::Bool(false), Value::Null) => true,
        (Value::Object(fields), Value::Null) => fields.values().all(|value| is_same(value, &Value::Null)),
        (Value::Array(all), Value::Null) => all.is_empty(),
        (Value::Object(_) | Value::Array(_), _) => differences(wanted, there).is_empty(),
        _ => wanted == there,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_wanted_counts_and_in_azure_s_own_spelling() {
        let wanted = json!({
            "location": "eastus",
            "tags": { "kubernetes.io_cluster.demo": "owned" },
            "properties": {
                "protocol": "Tcp",
                "enableFloatingIP": false,
                "rules": [{ "name": "api", "properties": { "port": 6443 } }],
                "subnet": { "id": "/subscriptions/s/resourceGroups/rg/x" },
                "osProfile": { "customData": "x" },
                "zones": ["1"],
            },
        });
        let mut there = json!({
            "location": "East US",
            "tags": { "team": "moon", "Kubernetes.io_cluster.demo": "owned" },
            "properties": {
                "protocol": "TCP",
                "provisioningState": "Succeeded",
                "rules": [
                    { "name": "more", "properties": { "port": 1 } },
                    { "name": "api", "properties": { "port": 6443, "etag": "x" } },
                ],
                "subnet": { "id": "/subscriptions/s/resourcegroups/RG/x" },
                "osProfile": {},
                "zones": ["1", "2"],
            },
        });
        assert_eq!(differences(&wanted, &there), []);
        there["properties"]["rules"][1]["properties"]["port"] = json!(443);
        there["tags"] = json!({});
        let found = differences(&wanted, &there);
        let paths: Vec<&str> = found.iter().map(|(path, ..)| path.as_str()).collect();
        assert_eq!(paths, ["properties.rules.api.properties.port", "tags.kubernetes.io_cluster.demo"]);
        assert_eq!(found[0].1, json!(443));
    }
}
