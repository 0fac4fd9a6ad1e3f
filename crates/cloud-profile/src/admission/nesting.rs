//! How deeply a field may be nested whose contents are passed on untouched.
//!
//! Readers of JSON give up at some depth, and a list with one object in it that cannot be read cannot be read
//! at all.

use std::sync::LazyLock;

use serde_json::Value;

use super::{Refusal, Why, shape};
use crate::types::CloudProfileSpec;

/// How many lists and objects may stand in one another.
const MOST: usize = 32;

static SHAPE: LazyLock<Value> = LazyLock::new(shape::of::<CloudProfileSpec>);

/// What stands against the spec of a cloud profile: fields that are nested too deeply to be read everywhere.
#[must_use]
pub fn nesting(spec: &Value) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    check("spec", spec, &SHAPE, &mut refusals);
    refusals
}

/// Refuses what is nested too deeply in a value of this shape, below the fields that the shape knows.
pub(super) fn check(at: &str, value: &Value, shape: &Value, refusals: &mut Vec<Refusal>) {
    let (known, rest) = (shape.get("properties"), shape.get("additionalProperties"));
    match (value, shape.get("items")) {
        (Value::Object(members), _) if known.or(rest).is_some() => {
            for (name, member) in members {
                let shape = known.and_then(|known| known.get(name)).or(rest).unwrap_or(&Value::Null);
                check(&format!("{at}.{name}"), member, shape, refusals);
            }
        }
        (Value::Array(entries), Some(shape)) => {
            for (i, entry) in entries.iter().enumerate() {
                check(&format!("{at}[{i}]"), entry, shape, refusals);
            }
        }
        _ if is_deeper(value, MOST) => {
            let message = format!("is nested more than {MOST} levels deep");
            refusals.push(Refusal::new(at, Why::Invalid, message));
        }
        _ => {}
    }
}

/// Whether more lists and objects stand in one another than that.
fn is_deeper(value: &Value, most: usize) -> bool {
    match value {
        Value::Object(members) => most == 0 || members.values().any(|value| is_deeper(value, most - 1)),
        Value::Array(entries) => most == 0 || entries.iter().any(|value| is_deeper(value, most - 1)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::admission::{ProfileKind, Request, Verdict, review};

    /// So many objects in one another.
    fn nested(levels: usize) -> Value {
        (0..levels).fold(json!(1), |inner, _| json!({ "a": inner }))
    }

    fn fields(refusals: Vec<Refusal>) -> Vec<String> {
        refusals.into_iter().filter(|one| one.why == Why::Invalid).map(|one| one.field).collect()
    }

    #[test]
    fn what_is_passed_on_has_a_depth() {
        let spec = |levels| {
            json!({
                "providerConfig": nested(levels),
                "machineImages": [{ "versions": [{ "cri": [{ "containerRuntimes": [nested(levels)] }] }] }],
                "machineTypes": [{ "machineControllerManager": nested(levels) }],
                "regions": [{ "accessRestrictions": [nested(levels)] }],
            })
        };
        assert!(nesting(&spec(MOST)).is_empty(), "{:?}", nesting(&spec(MOST)));
        let mut found = fields(nesting(&spec(MOST + 1)));
        found.sort();
        let expected = [
            "spec.machineImages[0].versions[0].cri[0].containerRuntimes[0]",
            "spec.machineTypes[0].machineControllerManager",
            "spec.providerConfig",
            "spec.regions[0].accessRestrictions[0]",
        ];
        assert_eq!(found, expected);
        assert_eq!(fields(nesting(&json!({ "unknown": nested(MOST + 1) }))), ["spec.unknown"]);
    }

    #[test]
    fn both_kinds_of_profiles_are_looked_at() {
        let refused = |kind, parent: Value| {
            let machines = json!([{ "name": "m", "machineControllerManager": nested(MOST + 1) }]);
            let spec = json!({ "parent": parent, "machineTypes": machines });
            let object = json!({ "metadata": { "name": "p", "namespace": "n" }, "spec": spec });
            let now = jiff::Timestamp::UNIX_EPOCH;
            match review(&Request { kind, object: &object, old: None, parent: None, now }) {
                Verdict::Refused { refusals, .. } => fields(refusals),
                Verdict::Accepted => Vec::new(),
            }
        };
        let field = ["spec.machineTypes[0].machineControllerManager"];
        assert_eq!(refused(ProfileKind::Private, json!("p")), field);
        let parent = json!({ "kind": "CloudProfile", "name": "p" });
        assert_eq!(refused(ProfileKind::Released, parent), field);
    }
}
