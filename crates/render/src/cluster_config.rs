//! The copy of the install config that the cluster keeps: `assets.md`, B.5.

use landfall_model::config::defaults;
use landfall_model::plan::{Plan, Since};
use serde_json::{Map, Value, json};

use super::Unset;

/// Sections whose unset fields get their defaults when the installer validates them.
fn within_top() -> Value {
    json!({ "operatorPublishingStrategy": { "apiserver": "External", "ingress": "External" } })
}

/// Annotation of an installation that FIPS mode of the host was not required for.
const BYPASSED: &str = "install.openshift.io/hostcrypt-check-bypassed";

/// The install config with the defaults of its own fields and without the pull secret.
///
/// It is the config as given: what machine pools inherit is not written out.
pub(super) fn redacted(plan: &Plan, unset: &Unset) -> Value {
    let mut config = plan.given.clone();
    let stream = config.os_image_stream.clone();
    defaults::defaults(&mut config);
    config.os_image_stream = stream;
    let mut value = config.to_value(true);
    lay_over(&mut value, &unset.top);
    lay_within(&mut value, &within_top());
    if plan.config.fips && plan.has(Since::Today) {
        // landfall only warns (LF0660) on a host that is not in FIPS mode, so the check counts as bypassed.
        lay_over(&mut value, &json!({ "metadata": { "annotations": { BYPASSED: "true" } } }));
    }
    value["pullSecret"] = "".into();
    value["metadata"]["creationTimestamp"] = Value::Null;
    let pools = value.get_mut("compute").and_then(Value::as_array_mut).into_iter().flatten();
    pools.for_each(|pool| complete_pool(pool, unset));
    if let Some(pool) = value.get_mut("controlPlane") {
        complete_pool(pool, unset);
    }
    for section in sections(&mut value) {
        lay_over(section, &unset.platform);
        if let Some(pool) = section.get_mut("defaultMachinePlatform") {
            lay_over(pool, &unset.pool);
            lay_within(pool, &unset.within_pool);
        }
    }
    value
}

fn complete_pool(pool: &mut Value, unset: &Unset) {
    if pool.get("platform").is_none() {
        pool["platform"] = json!({});
    }
    for section in sections(pool) {
        lay_over(section, &unset.pool);
        lay_within(section, &unset.within_pool);
    }
}

/// The sections below `platform`: one, as rules refuse a second.
fn sections(value: &mut Value) -> impl Iterator<Item = &mut Value> {
    value.get_mut("platform").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut)
}

/// Adds to `given` what only `below` has. The one entry of a list in `below` is for each entry of the given list; a list
/// that is not given is null.
fn lay_over(given: &mut Value, below: &Value) {
    if let (Some(entries), Some([entry])) = (given.as_array_mut(), below.as_array().map(Vec::as_slice)) {
        for own in entries.iter_mut() {
            lay_over(own, entry);
        }
    }
    let (Some(given), Some(below)) = (given.as_object_mut(), below.as_object()) else {
        return;
    };
    for (key, value) in below {
        if let Some(own) = given.get_mut(key) {
            lay_over(own, value);
        } else {
            let unset = if value.is_array() { Value::Null } else { value.clone() };
            given.insert(key.clone(), unset);
        }
    }
}

/// Lays the sections of `below` over those sections that `given` has.
fn lay_within(given: &mut Value, below: &Value) {
    for (name, section) in below.as_object().into_iter().flatten() {
        if let Some(own) = given.get_mut(name) {
            lay_over(own, section);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_was_given() {
        let mut given = json!({ "a": { "x": 1 }, "b": 2 });
        lay_over(&mut given, &json!({ "a": { "x": 0, "y": "" }, "c": {} }));
        assert_eq!(given, json!({ "a": { "x": 1, "y": "" }, "b": 2, "c": {} }));
    }

    #[test]
    fn completes_sections_that_are_given() {
        let below = json!({ "id": { "names": [{ "group": "" }], "kind": null }, "disk": { "size": 0 } });
        let mut none = json!({ "id": {} });
        lay_within(&mut none, &below);
        assert_eq!(none, json!({ "id": { "names": null, "kind": null } }));
        let mut given = json!({ "id": { "names": [{ "name": "a" }, { "name": "b", "group": "g" }] } });
        lay_within(&mut given, &below);
        let names = json!([{ "name": "a", "group": "" }, { "name": "b", "group": "g" }]);
        assert_eq!(given, json!({ "id": { "names": names, "kind": null } }));
    }
}
