//! What comes of parents and private profiles that belong together.

use serde_json::{Value, json};

use super::*;

/// A parent that says something of everything that a private profile can say.
fn parent() -> Value {
    json!({
        "type": "aws",
        "kubernetes": {"versions": [{"version": "1.2.3", "lifecycle": [{"classification": "supported"}]}]},
        "machineImages": [{"name": "i", "updateStrategy": "major", "versions": [{"version": "1"}]}],
        "machineTypes": [{"name": "m", "cpu": "4"}],
        "volumeTypes": [{"name": "v", "class": "c", "minSize": "1Gi"}],
        "regions": [{
            "name": "r",
            "zones": [{"name": "z", "unavailableMachineTypes": ["m"]}],
            "labels": {"a": "b"},
            "accessRestrictions": [{"name": "eu"}],
        }],
        "limits": {"maxNodesTotal": 5},
    })
}

/// The rendered part of the specification, and the paths of the conflicts.
fn rendered(parent: Value, private: Value) -> serde_json::Result<(Value, Vec<String>)> {
    let rendered = render(&serde_json::from_value(parent)?, &serde_json::from_value(private)?);
    let paths = rendered.conflicts.iter().map(|c| format!("{} {}", c.path, c.reason)).collect();
    Ok((serde_json::to_value(rendered.spec)?, paths))
}

#[test]
fn every_part_of_the_parent_is_preferred() -> serde_json::Result<()> {
    let private = json!({
        "kubernetes": {"versions": [
            {
                "version": "1.2.3",
                "classification": "preview",
                "lifecycle": [{"classification": "deprecated"}],
            },
            {"version": "1.2.4"},
        ]},
        "machineImages": [{
            "name": "i",
            "updateStrategy": "minor",
            "versions": [{"version": "1", "architectures": ["arm64"]}],
        }],
        "machineTypes": [{"name": "m", "cpu": "5"}],
        "volumeTypes": [{"name": "v", "class": "c"}],
        "regions": [{
            "name": "r",
            "zones": [{"name": "z"}],
            "labels": {"a": "c"},
            "accessRestrictions": [{"name": "us"}],
        }],
        "limits": {"maxNodesTotal": 4},
    });
    let (spec, conflicts) = rendered(parent(), private)?;
    assert_eq!(spec, parent());
    assert_eq!(
        conflicts,
        [
            "spec.kubernetes.versions[1.2.3].classification differs",
            "spec.kubernetes.versions[1.2.3].lifecycle differs",
            "spec.kubernetes.versions[1.2.4] not-in-parent",
            "spec.machineImages[i].updateStrategy differs",
            "spec.machineImages[i].versions[1] differs",
            "spec.machineTypes[m] differs",
            "spec.volumeTypes[v] differs",
            "spec.regions[r].zones[z] differs",
            "spec.regions[r].labels differs",
            "spec.regions[r].accessRestrictions differs",
            "spec.limits.maxNodesTotal differs",
        ]
    );
    Ok(())
}

/// The fields of each conflict of a part of a private profile, all of which its message names.
fn told(part: &str, value: Value) -> serde_json::Result<Vec<Vec<&'static str>>> {
    let private = Value::Object([(part.to_owned(), value)].into_iter().collect());
    let rendered = render(&serde_json::from_value(parent())?, &serde_json::from_value(private)?);
    let named = rendered.conflicts.into_iter().map(|conflict| {
        let names: Vec<&str> = conflict.message.split('`').skip(1).step_by(2).collect();
        assert_eq!(names, conflict.fields);
        conflict.fields
    });
    Ok(named.collect())
}

#[test]
fn a_conflict_names_the_fields_that_differ() -> serde_json::Result<()> {
    let storage = json!({"class": "c", "type": "t", "size": "1Gi"});
    for (value, fields) in [
        (json!({"cpu": "4000m", "usable": false}), &["usable"][..]),
        (json!({"gpu": "1", "memory": "8Gi", "storage": storage}), &["cpu", "gpu", "memory", "storage"]),
        (
            json!({
                "cpu": "4", "architecture": "arm64", "capabilities": {"a": ["b"]},
                "machineControllerManager": {"c": "d"},
            }),
            &["architecture", "capabilities", "machineControllerManager"],
        ),
    ] {
        let mut entry = json!({"name": "m"});
        if let (Some(entry), Value::Object(value)) = (entry.as_object_mut(), value) {
            entry.extend(value);
        }
        assert_eq!(told("machineTypes", json!([entry]))?, [fields]);
    }
    let volume = json!([{"name": "v", "class": "d", "usable": false}]);
    assert_eq!(told("volumeTypes", volume)?, [["class", "usable", "minSize"]]);
    let zone = json!([{"name": "r", "zones": [{"name": "z", "unavailableVolumeTypes": ["v"]}]}]);
    assert_eq!(told("regions", zone)?, [["unavailableMachineTypes", "unavailableVolumeTypes"]]);
    let version = json!([{"name": "i", "versions": [{
        "version": "1", "expirationDate": "2024-06-06T01:02:03Z", "classification": "preview",
        "lifecycle": [{"classification": "supported"}], "cri": [{"name": "c"}], "architectures": ["arm64"],
        "kubeletVersionConstraint": ">1", "inPlaceUpdates": {"supported": true},
        "capabilityFlavors": [{"a": ["b"]}],
    }]}]);
    let all = [
        "classification",
        "lifecycle",
        "cri",
        "architectures",
        "kubeletVersionConstraint",
        "inPlaceUpdates",
        "capabilityFlavors",
    ];
    assert_eq!(told("machineImages", version)?, [all]);
    assert_eq!(told("limits", json!({"maxNodesTotal": 4}))?, [["maxNodesTotal"]]);
    Ok(())
}

#[test]
fn what_the_parent_lacks_is_taken() -> serde_json::Result<()> {
    let private = json!({
        "parent": "p",
        "machineImages": [{"name": "i", "versions": [{"version": "1"}, {"version": "2"}]}],
        "machineTypes": [{"name": "m", "cpu": "4"}],
        "volumeTypes": [{"name": "v", "class": "c"}],
        "regions": [{"name": "r", "zones": [{"name": "z"}], "labels": {"a": "b"}}],
        "caBundle": "certificate",
        "limits": {"maxNodesTotal": 4},
    });
    let mut wanted = private.clone();
    if let Some(wanted) = wanted.as_object_mut() {
        wanted.remove("parent");
        wanted.insert("type".to_owned(), "aws".into());
    }
    assert_eq!(rendered(json!({"type": "aws"}), private)?, (wanted, vec![]));
    Ok(())
}

#[test]
fn a_label_without_a_value_is_a_label() -> serde_json::Result<()> {
    let regions = |labels: Value| json!({ "regions": [{ "name": "r", "labels": labels }] });
    let own = json!({ "dedicated": "" });
    let (spec, conflicts) = rendered(regions(own.clone()), regions(json!({ "a": "b" })))?;
    assert_eq!((spec, conflicts.len()), (regions(own.clone()), 1));
    let (spec, conflicts) = rendered(json!({ "regions": [{ "name": "r" }] }), regions(own.clone()))?;
    assert_eq!((spec, conflicts.len()), (regions(own), 0));
    Ok(())
}

#[test]
fn certificates_have_separate_lines() -> serde_json::Result<()> {
    for (own, more, wanted) in [("a", "b", "a\nb"), ("a\n", "b\n", "a\nb\n"), ("", "b", "b"), ("a", "", "a")]
    {
        let (spec, _) = rendered(json!({"caBundle": own}), json!({"caBundle": more}))?;
        assert_eq!(spec, json!({"caBundle": wanted}), "{own:?} and {more:?}");
    }
    Ok(())
}

#[test]
fn a_date_is_taken_even_where_the_rest_differs() -> serde_json::Result<()> {
    const DATE: &str = "2024-06-06T01:02:03Z";
    let image = |version: Value| json!({"machineImages": [{"name": "i", "versions": [version]}]});
    let parent = image(json!({"version": "1", "architectures": ["amd64"]}));
    let private = image(json!({"version": "1", "architectures": ["arm64"], "expirationDate": DATE}));
    let wanted = image(json!({"version": "1", "architectures": ["amd64"], "expirationDate": DATE}));
    let (spec, conflicts) = rendered(parent, private)?;
    assert_eq!(spec, wanted);
    assert_eq!(conflicts, ["spec.machineImages[i].versions[1] differs"]);
    Ok(())
}

#[test]
fn a_date_ends_the_stages_of_the_parent() -> serde_json::Result<()> {
    let stages =
        |end: &str| json!([{"classification": "supported"}, {"classification": "expired", "startTime": end}]);
    let spec = |version: Value| {
        json!({
            "kubernetes": {"versions": [version.clone()]},
            "machineImages": [{"name": "i", "versions": [version]}],
        })
    };
    let (end, date) = ("2024-01-01T00:00:00Z", "2030-01-01T00:00:00Z");
    let parent = || spec(json!({"version": "1.28.1", "lifecycle": stages(end)}));
    let wanted = spec(json!({"version": "1.28.1", "lifecycle": stages(date)}));
    let private = spec(json!({"version": "1.28.1", "expirationDate": date}));
    assert_eq!(rendered(parent(), private)?, (wanted.clone(), vec![]));
    // What the parent says agrees with it, whatever comes of the date.
    let private = spec(json!({"version": "1.28.1", "expirationDate": date, "lifecycle": stages(end)}));
    assert_eq!(rendered(parent(), private)?, (wanted.clone(), vec![]));
    let private = spec(json!({"version": "1.28.1", "expirationDate": date, "lifecycle": stages(date)}));
    let conflicts = [
        "spec.kubernetes.versions[1.28.1].lifecycle differs",
        "spec.machineImages[i].versions[1.28.1] differs",
    ];
    assert_eq!(rendered(parent(), private)?, (wanted, conflicts.map(str::to_owned).to_vec()));
    let private = spec(json!({"version": "1.28.1", "expirationDate": ""}));
    assert_eq!(rendered(parent(), private)?, (parent(), vec![]));
    Ok(())
}

#[test]
fn what_is_opaque_stays_as_it_is() -> serde_json::Result<()> {
    let parent = json!({
        "type": "aws",
        "providerConfig": {"empty": {}, "null": null},
        "seedSelector": {"providerTypes": ["aws"]},
        "bastion": {"machineType": {"name": "m"}},
        "machineCapabilities": [{"name": "architecture", "values": ["amd64"]}],
        "controlPlane": [],
    });
    let (spec, conflicts) = rendered(parent.clone(), json!({"limits": {}, "kubernetes": {}}))?;
    assert_eq!(spec, parent);
    assert!(conflicts.is_empty());
    Ok(())
}
