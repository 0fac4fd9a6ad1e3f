//! What the adoption of an existing cluster would do, without doing it.

use std::fmt;

use landfall_diagnostics::few;
use serde_json::{Map, Value, json};

use super::{Object, extra, tags};
use crate::desired::Desired;
use crate::kinds::{Kind, WasManaged};

/// What adoption would do about one object. Its text is the message of the action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DryRun {
    /// The resource exists as planned.
    Adopt,
    /// It exists, and these fields of the plan are otherwise.
    Change(Vec<String>),
    /// It does not exist.
    Create,
    /// It is not known whether it exists, as something is not known that names it.
    Unseen,
    /// It was adopted before, and the plan does not have it any more.
    Remove,
}

/// Maximum number of fields that one text names.
const NAMED: usize = 8;

impl fmt::Display for DryRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = match self {
            Self::Adopt => return f.write_str("would be adopted"),
            Self::Create => return f.write_str("would be created: it is not in Azure"),
            Self::Unseen => return f.write_str("would be looked for once what it refers to is known"),
            Self::Remove => return f.write_str("would be removed: it is not in the plan"),
            Self::Change(fields) => fields,
        };
        write!(f, "would be adopted and changed: {}", few(fields, NAMED))
    }
}

/// Fields of a spec that say where the resource is, and not what it is.
const NOT_COMPARED: [&str; 3] = ["azureName", "operatorSpec", "owner"];

/// The fields of the plan that the resource has otherwise, as the operator read it. What the operator does not report,
/// and references between objects, are not compared.
pub(super) fn deviations(desired: &Desired, object: Object<'_>) -> Vec<String> {
    let Some(status) = object.0.get("status").and_then(Value::as_object) else { return Vec::new() };
    let wanted = patched(desired);
    let carrier = desired.hints.tags.field();
    let mut fields = Vec::new();
    for (name, wanted) in wanted.get("spec").and_then(Value::as_object).into_iter().flatten() {
        if NOT_COMPARED.contains(&name.as_str()) || Some(name.as_str()) == carrier {
            continue;
        }
        if let Some(found) = status.get(name) {
            compare(name, wanted, found, &mut fields);
        }
    }
    if let Some(carrier) = carrier {
        let found = object.map("status", carrier);
        let is_there = |key: &str, value: &str| found.is_some_and(|found| has_tag(found, key, value));
        let missing = desired.hints.additional_tags.iter().filter(|(key, value)| !is_there(key, value));
        fields.extend(missing.map(|(key, _)| format!("{carrier}.{key}")));
    }
    fields
}

/// The spec that the plan and the user's patches want.
fn patched(desired: &Desired) -> Value {
    let mut wanted = json!({ "spec": desired.spec });
    // A patch that cannot be applied is an error before anything is adopted.
    let _ = extra::apply(&mut wanted, &desired.hints.patches, false);
    wanted
}

/// Whether an object stands for another resource than the plan wants: its name or its owner is another one.
pub(super) fn is_elsewhere(desired: &Desired, object: Object<'_>) -> bool {
    let wanted = patched(desired);
    ["/spec/azureName", "/spec/owner"].into_iter().any(|field| {
        let (wanted, found) = (wanted.pointer(field), object.0.pointer(field));
        wanted.is_some() && found.is_some() && wanted != found
    })
}

/// Whether a resource has the ownership tag of a cluster, as the operator read it.
#[must_use]
pub fn is_proven(object: Object<'_>, infra_id: &str) -> bool {
    tags::prove_ownership(object.map("status", "tags"), infra_id)
}

/// Whether a resource lacks the proof that it is a cluster's, as the operator read it. Without a value for kinds
/// without proof: the object that contains it decides.
#[must_use]
pub fn lacks_proof(object: Object<'_>, kind: &Kind, infra_id: &str) -> Option<bool> {
    let shown = kind.tag_carrier.field().and_then(|field| object.map("status", field));
    let is_proven = tags::prove_ownership(shown, infra_id);
    match kind.was_managed {
        WasManaged::Tags => Some(!is_proven),
        WasManaged::TagsIfShown => Some(!is_proven && shown.is_some()),
        WasManaged::Always => Some(false),
        WasManaged::Parent | WasManaged::Never => None,
    }
}

fn has_tag(found: &Map<String, Value>, key: &str, value: &str) -> bool {
    found.iter().any(|(known, text)| tags::same(known, key) && text.as_str() == Some(value))
}

fn compare(path: &str, wanted: &Value, found: &Value, fields: &mut Vec<String>) {
    match (wanted, found) {
        (Value::Object(wanted), Value::Object(found)) => {
            for (name, wanted) in wanted {
                if let Some(found) = found.get(name) {
                    compare(&format!("{path}.{name}"), wanted, found, fields);
                }
            }
        }
        (Value::Array(wanted), Value::Array(found)) => compare_lists(path, wanted, found, fields),
        _ if is_same(wanted, found) => {}
        _ => fields.push(path.to_owned()),
    }
}

/// Azure answers names of its choice of case.
fn is_same(wanted: &Value, found: &Value) -> bool {
    match (wanted.as_str(), found.as_str()) {
        (Some(wanted), Some(found)) => wanted.eq_ignore_ascii_case(found),
        _ => wanted == found,
    }
}

/// Items with names are compared by these, others in any order. What only the resource has would go.
fn compare_lists(path: &str, wanted: &[Value], found: &[Value], fields: &mut Vec<String>) {
    let name = |item: &Value| item.get("name").and_then(Value::as_str).map(str::to_ascii_lowercase);
    let matches = |wanted: &Value, found: &Value| {
        if let (Some(wanted), Some(found)) = (name(wanted), name(found)) {
            return wanted == found;
        }
        let mut fields = Vec::new();
        compare("", wanted, found, &mut fields);
        fields.is_empty()
    };
    let label = |item: &Value| name(item).map_or_else(|| path.to_owned(), |name| format!("{path}[{name}]"));
    for item in wanted {
        match found.iter().find(|found| matches(item, found)) {
            Some(found) => compare(&label(item), item, found, fields),
            None => fields.push(label(item)),
        }
    }
    let extra = found.iter().filter(|found| !wanted.iter().any(|item| matches(item, found)));
    fields.extend(extra.map(|item| format!("{} (would be removed)", label(item))));
    fields.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desired::Hints;
    use crate::kinds;
    use serde_json::json;

    fn deviating(spec: &Value, status: &Value) -> Option<Vec<String>> {
        let kind = kinds::named("VirtualNetwork")?;
        let mut hints = Hints::of(kind);
        hints.additional_tags.insert("team".to_owned(), "road".to_owned());
        let spec = spec.as_object().cloned()?;
        let (api_version, name) = (kind.api_version(), "a".to_owned());
        let desired = Desired { kind, api_version, name, spec, hints, needs: Vec::new() };
        Some(deviations(&desired, Object(&json!({ "status": status }))))
    }

    #[test]
    fn only_what_is_reported_is_compared() {
        let spec = json!({
            "azureName": "a", "owner": { "name": "rg" }, "location": "eastus", "tags": { "team": "road" },
            "addressSpace": { "addressPrefixes": ["10.0.0.0/16"] }, "flowTimeoutInMinutes": 4,
        });
        let found = json!({
            "name": "A", "location": "EastUS", "tags": { "Team": "road", "other": "x" },
            "addressSpace": { "addressPrefixes": ["10.0.0.0/16"] },
        });
        assert_eq!(deviating(&spec, &found), Some(Vec::new()));
        let found = json!({
            "location": "westus", "tags": { "team": "rail" },
            "addressSpace": { "addressPrefixes": ["10.0.0.0/16", "10.1.0.0/16"] },
        });
        let mut fields = deviating(&spec, &found).unwrap_or_default();
        fields.sort();
        assert_eq!(fields, ["addressSpace.addressPrefixes (would be removed)", "location", "tags.team"]);
    }

    #[test]
    fn items_are_compared_by_name() {
        let spec = json!({ "rules": [{ "name": "api", "port": 6443 }, { "name": "mcs", "port": 22623 }] });
        let found = json!({ "rules": [{ "name": "MCS", "port": 22624, "id": "x" }, { "name": "apps", "port": 443 }] });
        let fields = deviating(&spec, &found).unwrap_or_default();
        let wanted = ["rules[api]", "rules[mcs].port", "rules[apps] (would be removed)", "tags.team"];
        assert_eq!(fields, wanted);
    }

    #[test]
    fn a_text_names_some_fields() {
        let many = DryRun::Change((0..10).map(|number| format!("f{number}")).collect());
        assert!(many.to_string().ends_with("f7 and 2 more"), "{many}");
    }
}
