//! Whether JSON has the shape of a type: members that the type lacks, values of another sort.

use landfall_diagnostics::shortened;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Refusal, Why, misfit, nesting};

/// What is done about members that a type lacks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unknown {
    /// They are refused.
    Refused,
    /// They are passed over.
    Ignored,
}

/// What is known of a type's shape.
pub(crate) fn of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// What could be read of a spec.
pub(super) struct Read<T> {
    /// The spec, without values of another type than their fields have.
    pub(super) spec: T,
    /// The fields of these values.
    misfits: Vec<String>,
}

impl<T> Read<T> {
    /// Refuses what else is wrong with the spec, but for what only follows from what could not be read.
    pub(super) fn judge(&self, refusals: &mut Vec<Refusal>, judge: impl FnOnce(&T, &mut Vec<Refusal>)) {
        let mut found = Vec::new();
        judge(&self.spec, &mut found);
        found.retain(|refusal| !self.misfits.iter().any(|misfit| misfit::follows(refusal, misfit)));
        refusals.append(&mut found);
    }
}

/// Reads `spec` as a type of this shape, with refusals of values of another type; none where nothing can be read.
pub(super) fn read<T: DeserializeOwned>(
    spec: &Value,
    shape: &Value,
    unknown: Unknown,
    refusals: &mut Vec<Refusal>,
) -> Option<Read<T>> {
    let before = refusals.len();
    nesting::check("spec", spec, shape, refusals);
    compare("spec", spec, shape, unknown, refusals);
    let invalid = refusals.iter().skip(before).filter(|refusal| refusal.why == Why::Invalid);
    let misfits: Vec<String> = invalid.map(|refusal| refusal.field.clone()).collect();
    if misfits.is_empty() {
        let unreadable = |fault: serde_json::Error| {
            let why = format!("cannot be read: {}", shortened(&fault.to_string()));
            refusals.push(Refusal::new("spec", Why::Invalid, why));
        };
        return T::deserialize(spec).map_err(unreadable).ok().map(|spec| Read { spec, misfits });
    }
    let mut object = json!({ "spec": spec });
    misfit::remove(&mut object, shape, misfits.iter().map(String::as_str));
    let spec = T::deserialize(object.get("spec")?).ok()?;
    Some(Read { spec, misfits })
}

fn compare(at: &str, value: &Value, shape: &Value, unknown: Unknown, refusals: &mut Vec<Refusal>) {
    if let Some(wanted) = other_sort(value, shape) {
        refusals.push(Refusal::new(at, Why::Invalid, format!("must be {wanted}")));
        return;
    }
    match value {
        Value::Object(members) => {
            let known = shape.get("properties");
            let rest = shape.get("additionalProperties");
            for (name, member) in members {
                let at = format!("{at}.{name}");
                if let Some(shape) = known.and_then(|known| known.get(name)).or(rest) {
                    compare(&at, member, shape, unknown, refusals);
                } else if known.is_some() && unknown == Unknown::Refused {
                    refusals.push(Refusal::new(at, Why::UnknownField, "unknown field of this kind"));
                }
            }
        }
        Value::Array(entries) => {
            if let Some(shape) = shape.get("items") {
                for (i, entry) in entries.iter().enumerate() {
                    compare(&format!("{at}[{i}]"), entry, shape, unknown, refusals);
                }
            }
        }
        _ => {}
    }
}

/// The sort of value that is wanted, if the value is of another; null stands for one that is not given.
fn other_sort(value: &Value, shape: &Value) -> Option<&'static str> {
    let wanted = match shape.get("type")? {
        Value::Array(types) => types.iter().find(|one| **one != "null")?,
        one => one,
    };
    let (fits, name) = match wanted.as_str()? {
        "string" => (value.is_string(), "a string"),
        "boolean" => (value.is_boolean(), "true or false"),
        "integer" => (value.is_i64(), "a whole number"),
        "array" => (value.is_array(), "a list"),
        "object" => (value.is_object(), "an object"),
        _ => return None,
    };
    (!fits && !value.is_null()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::PrivateCloudProfileSpec;

    fn refused(spec: &Value) -> Vec<(String, Why)> {
        let mut refusals = Vec::new();
        let shape = of::<PrivateCloudProfileSpec>();
        let _: Option<Read<PrivateCloudProfileSpec>> = read(spec, &shape, Unknown::Refused, &mut refusals);
        refusals.into_iter().map(|refusal| (refusal.field, refusal.why)).collect()
    }

    #[test]
    fn every_place_is_looked_at() {
        let found = refused(&json!({
            "parent": 1,
            "type": "aws",
            "kubernetes": { "versions": [{ "version": "1.2.3", "expirationdate": "x" }] },
            "machineTypes": [{ "name": "a", "cpu": 4, "usable": "yes" }],
            "limits": { "maxNodesTotal": u64::MAX },
        }));
        let mut expected = vec![
            ("spec.parent", Why::Invalid),
            ("spec.type", Why::UnknownField),
            ("spec.kubernetes.versions[0].expirationdate", Why::UnknownField),
            ("spec.machineTypes[0].usable", Why::Invalid),
            ("spec.limits.maxNodesTotal", Why::Invalid),
        ];
        let mut found: Vec<(&str, Why)> = found.iter().map(|(field, why)| (field.as_str(), *why)).collect();
        found.sort_by_key(|(field, _)| *field);
        expected.sort_by_key(|(field, _)| *field);
        assert_eq!(found, expected);
    }

    #[test]
    fn opaque_parts_and_maps_are_free() {
        let spec = json!({
            "parent": "p",
            "kubernetes": null,
            "machineTypes": [
                { "name": "a", "machineControllerManager": { "x": [1] }, "capabilities": { "any": ["v"] } },
            ],
            "regions": [{ "name": "r", "labels": { "x": "y" }, "accessRestrictions": [{ "name": "z" }] }],
        });
        assert!(refused(&spec).is_empty(), "{:?}", refused(&spec));
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        assert_eq!(
            refused(&json!({ "parent": "p", "machineTypes": [null] })),
            [("spec".to_owned(), Why::Invalid)]
        );
        assert_eq!(refused(&json!([])), [("spec".to_owned(), Why::Invalid)]);
    }
}
