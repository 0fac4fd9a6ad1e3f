//! What profiles in files let an installation use.

use serde_json::json;

use super::*;

fn spec() -> Value {
    json!({
        "type": "aws",
        "regions": [{"name": "r", "zones": [{"name": "ra", "unavailableMachineTypes": ["a"]}]}, {"name": "s"}],
        "machineTypes": [
            {"name": "a", "cpu": "4000m", "memory": "16Gi", "gpu": "1", "architecture": "arm64"},
            {"name": "b", "cpu": 2, "usable": false, "capabilities": {"architecture": ["arm64"]}},
            {"name": "c", "architecture": ""},
        ],
    })
}

fn of(kind: &str, spec: &Value, status: &Value) -> Result<Allowance, Vec<&'static str>> {
    let object = json!({
        "apiVersion": "core.gardener.cloud/v1beta1",
        "kind": kind,
        "metadata": {"name": "team"},
        "spec": spec,
        "status": status,
    });
    read(&object.to_string()).map_err(|found| found.iter().map(|finding| finding.code.as_str()).collect())
}

#[test]
fn says_what_may_be_used() -> Result<(), Vec<&'static str>> {
    let allowance = of("CloudProfile", &spec(), &Value::Null)?;
    assert_eq!((allowance.profile.as_str(), allowance.platform.as_str()), ("team", "aws"));
    let regions: Vec<(&str, usize)> =
        allowance.regions.iter().map(|(name, region)| (name.as_str(), region.zones.len())).collect();
    assert_eq!(regions, [("r", 1), ("s", 0)]);
    let types: Vec<_> = allowance
        .machine_types
        .iter()
        .map(|kind| {
            (&*kind.name, kind.usable, kind.vcpus, kind.memory_mib, kind.graphics, &*kind.architecture)
        })
        .collect();
    let expected = [
        ("a", true, Some(4), Some(16_384), true, "arm64"),
        ("b", false, Some(2), None, false, "arm64"),
        ("c", true, None, None, false, "amd64"),
    ];
    assert_eq!(types, expected);
    Ok(())
}

#[test]
fn of_profiles_that_inherit_the_status_counts() {
    let none = json!({"parent": "p"});
    let rendered = json!({"cloudProfile": {"spec": spec()}});
    let platform = |found: Result<Allowance, Vec<&'static str>>| found.map(|allowance| allowance.platform);
    assert_eq!(platform(of("PrivateCloudProfile", &none, &rendered)), Ok("aws".to_owned()));
    let rendered = json!({"cloudProfileSpec": spec()});
    assert_eq!(platform(of("NamespacedCloudProfile", &none, &rendered)), Ok("aws".to_owned()));
    for kind in ["PrivateCloudProfile", "NamespacedCloudProfile"] {
        assert_eq!(platform(of(kind, &none, &json!({}))), Err(vec!["LF1455"]));
    }
    assert_eq!(platform(of("CloudProfile", &json!({"type": "moon"}), &Value::Null)), Err(vec!["LF1456"]));
    assert_eq!(platform(of("Other", &spec(), &Value::Null)), Err(vec!["LF1450"]));
}

/// The codes of what stands against a cloud profile, each with where it stands.
fn refused_at(spec: &Value) -> Vec<(&'static str, String)> {
    let found = read(&cloud_profile(spec)).err().unwrap_or_default();
    found.into_iter().map(|finding| (finding.code.as_str(), finding.field)).collect()
}

fn cloud_profile(spec: &Value) -> String {
    json!({
        "apiVersion": "core.gardener.cloud/v1beta1",
        "kind": "CloudProfile",
        "metadata": {"name": "team"},
        "spec": spec,
    })
    .to_string()
}

#[test]
fn regions_and_machine_types_are_named_once() {
    let faults = refused_at(&json!({
        "type": "aws",
        "regions": [
            {"name": "r", "zones": [{"name": "z"}, {"name": "z"}, {"name": ""}]},
            {"name": "r"},
            {"name": ""},
        ],
        "machineTypes": [{"name": "a", "usable": false}, {"name": "a"}, {"cpu": "4"}],
    }));
    let mut fields: Vec<&str> = faults.iter().map(|(_, field)| field.as_str()).collect();
    fields.sort_unstable();
    let expected = [
        "spec.machineTypes[1].name",
        "spec.machineTypes[2].name",
        "spec.regions[0].zones[1].name",
        "spec.regions[0].zones[2].name",
        "spec.regions[1].name",
        "spec.regions[2].name",
    ];
    assert_eq!(fields, expected);
    assert!(faults.iter().all(|(code, _)| *code == "LF1452"));
}

#[test]
fn a_misspelt_restriction_does_not_vanish() {
    let spec = json!({
        "type": "aws",
        "foo": "bar",
        "volumeTypes": [{"name": "v", "klass": "c"}],
        "regions": [{"name": "r", "zones": [{"name": "z", "unavailableMachineType": ["a"]}]}],
        "machineTypes": [{"name": "a", "useable": false}],
    });
    let mut fields: Vec<String> = refused_at(&spec).into_iter().map(|(_, field)| field).collect();
    fields.sort();
    assert_eq!(fields, ["spec.machineTypes[0].useable", "spec.regions[0].zones[0].unavailableMachineType"]);
    let mut fields: Vec<String> =
        warnings(&cloud_profile(&spec)).into_iter().map(|finding| finding.field).collect();
    fields.sort();
    assert_eq!(fields, ["spec.foo", "spec.volumeTypes[0].klass"]);
}

#[test]
fn a_profile_without_a_spec_says_nothing() {
    assert_eq!(refused_at(&Value::Null), [("LF1451", "spec".to_owned())]);
}

#[test]
fn an_old_status_is_reported() {
    let told = |generation: i64, condition: &str| {
        let object = json!({
            "apiVersion": "core.gardener.cloud/v1beta1",
            "kind": "PrivateCloudProfile",
            "metadata": {"name": "team", "generation": generation},
            "spec": {"parent": "p"},
            "status": {
                "cloudProfile": {"spec": spec()},
                "observedGeneration": 2,
                "conditions": [{"type": "Rendered", "status": condition, "reason": "ParentNotFound"}],
            },
        })
        .to_string();
        assert!(read(&object).is_ok());
        warnings(&object)
    };
    assert!(told(2, "True").is_empty());
    let fields = |found: Vec<Finding>| -> Vec<String> {
        assert!(found.iter().all(|finding| finding.code.as_str() == "LF1455" && !finding.is_error()));
        found.into_iter().map(|finding| finding.field).collect()
    };
    assert_eq!(fields(told(7, "True")), ["status.observedGeneration"]);
    assert_eq!(fields(told(2, "False")), ["status.conditions"]);
    assert_eq!(fields(told(7, "False")).len(), 2);
}
