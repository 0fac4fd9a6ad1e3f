//! What reading a profile passes over, and the API of a cluster does not take or drops: members that a type lacks,
//! fractions that are no texts.

use landfall_diagnostics::{Finding, Kind, nearest, shortened};
use schemars::JsonSchema;
use serde_json::{Map, Number, Value};

use super::pages;
use crate::admission::shape_of;

/// What of a value at a path the type does not have: unknown members as warnings, fractions as errors.
pub(crate) fn strays<T: JsonSchema>(at: &str, value: &Value) -> Vec<Finding> {
    let mut found = Vec::new();
    compare(at, value, &shape_of::<T>(), &mut found);
    found
}

/// The names of a type's members.
pub(super) fn names<T: JsonSchema>() -> Vec<String> {
    let shape = shape_of::<T>();
    shape.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys).cloned().collect()
}

fn compare(at: &str, value: &Value, shape: &Value, found: &mut Vec<Finding>) {
    match value {
        Value::Object(members) => {
            // What is passed on untouched has no properties.
            let Some(known) = shape.get("properties").and_then(Value::as_object) else { return };
            for (name, member) in members {
                let path = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
                match known.get(name) {
                    Some(shape) => compare(&path, member, shape, found),
                    None => found.push(unknown(path, name, known.keys().map(String::as_str))),
                }
            }
        }
        Value::Array(entries) => {
            let Some(shape) = shape.get("items") else { return };
            for (i, entry) in entries.iter().enumerate() {
                compare(&format!("{at}[{i}]"), entry, shape, found);
            }
        }
        Value::Number(number) if is_fraction(number) && is_quantity(shape) => {
            let message = format!("`{at}` is a fraction without quotes, which the API of a cluster rejects");
            let finding = Finding::error(&pages::TYPE, Kind::TypeInvalid, at, message);
            found.push(finding.help(format!("write it in quotes: '{number}'")));
        }
        _ => {}
    }
}

fn unknown<'a>(path: String, name: &str, known: impl Iterator<Item = &'a str>) -> Finding {
    let message = format!("`{}`: unknown field, ignored", shortened(&path));
    let help = match nearest(name, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "leave it out".to_owned(),
    };
    Finding::warning(&pages::ENTRY, Kind::Unknown, path, message).help(help)
}

fn is_fraction(number: &Number) -> bool {
    number.as_f64().is_some_and(|number| number.fract() != 0.0)
}

/// Whether a shape takes whole numbers and texts.
fn is_quantity(shape: &Value) -> bool {
    shape.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{CloudProfile, CloudProfileSpec};
    use serde_json::json;

    fn told<T: JsonSchema>(at: &str, value: &Value) -> Vec<(String, Option<String>)> {
        strays::<T>(at, value).into_iter().map(|finding| (finding.field, finding.help)).collect()
    }

    #[test]
    fn unknown_members_are_reported_with_what_they_may_mean() {
        let spec = json!({
            "type": "aws",
            "foo": 1,
            "providerConfig": {"any": 1},
            "kubernetes": {"versions": [{"version": "1.2.3", "expirationdate": "x"}]},
            "machineTypes": [{"name": "a", "useable": false, "machineControllerManager": {"any": 1}}],
            "regions": [{"name": "r", "labels": {"any": "l"}, "zones": [{"unavailableMachineType": ["a"]}]}],
        });
        let mut found = told::<CloudProfileSpec>("status.cloudProfile.spec", &spec);
        let expected = [
            ("status.cloudProfile.spec.foo", "leave it out"),
            ("status.cloudProfile.spec.kubernetes.versions[0].expirationdate", "`expirationDate`"),
            ("status.cloudProfile.spec.machineTypes[0].useable", "`usable`"),
            (
                "status.cloudProfile.spec.regions[0].zones[0].unavailableMachineType",
                "`unavailableMachineTypes`",
            ),
        ];
        found.sort();
        let fields: Vec<&str> = found.iter().map(|(field, _)| field.as_str()).collect();
        assert_eq!(fields, expected.map(|(field, _)| field));
        for ((field, help), (_, word)) in found.iter().zip(expected) {
            assert!(help.as_ref().is_some_and(|help| help.contains(word)), "{field}: {help:?}");
        }
        let object =
            json!({"kind": "CloudProfile", "metadata": {"any": 1}, "specs": {}, "status": {"any": 1}});
        let found = told::<CloudProfile>("", &object);
        let misspelt = |(field, help): &(String, Option<String>)| {
            field == "specs" && help.as_ref().is_some_and(|help| help.contains("`spec`"))
        };
        assert!(found.len() == 1 && found.iter().all(misspelt), "{found:?}");
    }

    #[test]
    fn fractions_are_texts() {
        let with = |cpu: Value| told::<CloudProfileSpec>("spec", &json!({"machineTypes": [{"cpu": cpu}]}));
        let found = with(json!(0.5));
        let quoted = |(field, help): &(String, Option<String>)| {
            field == "spec.machineTypes[0].cpu" && help.as_ref().is_some_and(|help| help.contains("'0.5'"))
        };
        assert!(found.len() == 1 && found.iter().all(quoted), "{found:?}");
        for fine in [json!(4), json!(2.0), json!("0.5"), json!(-1)] {
            assert_eq!(with(fine), []);
        }
    }
}
