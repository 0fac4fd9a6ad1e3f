//! Profiles joined with their parents, and joined again when either changes.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::world::{CONTROLLERS, NAMESPACED, OTHER_PROJECT, PARENT, PRIVATE, PROJECT, Place, World, joined};
use crate::running::start_in;
use crate::until::{becomes, until};

const AWS: Place<'_> = Place(PARENT, "", "aws");
const OTHER: Place<'_> = Place(PARENT, "", "other");

/// A cloud profile as small as may be.
fn parent() -> Value {
    json!({
        "type": "aws",
        "kubernetes": { "versions": [
            { "version": "1.28.6", "expirationDate": "2123-02-02T01:02:03Z" },
            { "version": "1.27.1" },
        ] },
        "machineTypes": [{ "name": "m5.large", "cpu": "4", "gpu": "0", "memory": "8Gi" }],
    })
}

fn machine_type(name: &str, cpu: &str) -> Value {
    json!({ "name": name, "cpu": cpu, "gpu": "0", "memory": "8Gi" })
}

/// The example of the proposal, with dates that are still to come.
fn example() -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/conformance/cloud-profiles.jsonl");
    let text = std::fs::read_to_string(file).unwrap();
    let line = text.lines().find(|line| line.contains(r#""id": "seed-example""#)).unwrap();
    serde_json::from_str(&line.replace("2024-06-06", "2124-06-06").replace("2023-08-08", "2123-08-08"))
        .unwrap()
}

#[test]
#[ignore = "needs an API server"]
fn the_proposals_example_is_joined_as_it_says_and_then_left_alone() {
    let world = World::start(CONTROLLERS);
    let operator = world.operator(CONTROLLERS);
    let example = example();
    let aws = Place(PARENT, "", "aws-central-cloud-profile");
    let profile = Place(PRIVATE, PROJECT, "private-cloud-profile-xyz");
    world.make(aws, &example["parent"]["spec"]);
    world.make(profile, &example["profile"]["spec"]);

    let object = world.says(profile, "True", "RenderedCleanly");
    assert_eq!(joined(&object), &example["expect"]["rendered"]);
    let made = &object["status"]["cloudProfile"];
    let head = &example["expect"]["statusObject"];
    for key in ["apiVersion", "kind", "metadata"] {
        assert_eq!(made[key], head[key], "{key}");
    }
    assert_eq!(object["status"]["observedGeneration"], object["metadata"]["generation"]);
    assert_eq!(object["metadata"]["finalizers"], json!(["gardener"]));
    assert_eq!(object["status"].get("conflicts"), None);
    assert_eq!(object["spec"], example["profile"]["spec"]);
    world.rests(&operator, aws, profile);
    assert_eq!(operator.metric("landfall_reconcile_errors_total", &[]), 0, "{}", operator.log());

    // A profile's own edit.
    let since = object["status"]["conditions"][0]["lastTransitionTime"].clone();
    assert!(since.is_string(), "{object}");
    world.change(profile, &json!({ "machineTypes": null, "limits": { "maxNodesTotal": 7 } }));
    let object = world.joined(profile, "/limits", &json!({ "maxNodesTotal": 7 }));
    assert_eq!(joined(&object)["machineTypes"], example["parent"]["spec"]["machineTypes"]);
    assert_eq!(object["status"]["observedGeneration"], object["metadata"]["generation"]);
    assert_eq!(object["status"]["conditions"][0]["lastTransitionTime"], since);
    world.rests(&operator, aws, profile);

    // What somebody else writes into the result does not stay there.
    let foreign = json!({ "type": "azure", "seedSelector": { "matchLabels": { "a": "b" } } });
    let status = json!({ "status": { "cloudProfile": { "spec": foreign } } });
    world.cluster.server.change(&format!("{}/status", profile.path()), &status);
    until("the result is as before", || (joined(&world.get(profile)?) == joined(&object)).then_some(()));
    world.rests(&operator, aws, profile);
}

#[test]
#[ignore = "needs an API server"]
fn a_parents_edit_reaches_its_children_and_no_others() {
    let world = World::start(CONTROLLERS);
    let operator = world.operator(CONTROLLERS);
    world.make(AWS, &parent());
    world.make(OTHER, &parent());
    let children = [Place(PRIVATE, PROJECT, "a"), Place(PRIVATE, OTHER_PROJECT, "a")];
    let others = [Place(PRIVATE, PROJECT, "b"), Place(PRIVATE, OTHER_PROJECT, "b")];
    let named = Place(NAMESPACED, PROJECT, "a");
    let other_named = Place(NAMESPACED, PROJECT, "b");
    for child in children {
        world.make(child, &json!({ "parent": "aws" }));
    }
    for other in others {
        world.make(other, &json!({ "parent": "other" }));
    }
    for (place, parent) in [(named, "aws"), (other_named, "other")] {
        world.make(place, &json!({ "parent": { "kind": "CloudProfile", "name": parent } }));
    }
    for place in children.into_iter().chain(others) {
        world.says(place, "True", "RenderedCleanly");
    }
    for place in [named, other_named] {
        world.joined(place, "/type", &json!("aws"));
    }
    world.rests(&operator, OTHER, others[0]);

    let stands = || -> Vec<Value> {
        others.into_iter().chain([other_named]).map(|place| world.version(place)).collect()
    };
    let before = stands();
    let writes = || operator.metric("landfall_writes_total", &[]);
    let written = writes();
    world.change(AWS, &json!({ "volumeTypes": [{ "name": "gp3", "class": "standard", "usable": true }] }));
    for place in children.into_iter().chain([named]) {
        world.joined(place, "/volumeTypes/0/name", &json!("gp3"));
    }
    becomes(&(written + 3), writes);
    world.change(AWS, &json!({ "volumeTypes": null }));
    for place in children.into_iter().chain([named]) {
        until("the type is gone again", || {
            joined(&world.get(place)?).get("volumeTypes").is_none().then_some(())
        });
    }
    becomes(&(written + 6), writes);
    assert_eq!(stands(), before);
    assert_eq!(operator.metric("landfall_reconcile_errors_total", &[]), 0, "{}", operator.log());
}

#[test]
#[ignore = "needs an API server"]
fn a_namespaced_profile_goes_before_its_parent() {
    let world = World::start(CONTROLLERS);
    let operator = world.operator(CONTROLLERS);
    let profile = Place(NAMESPACED, PROJECT, "mine");
    let own = json!({
        "parent": { "kind": "CloudProfile", "name": "aws" },
        "kubernetes": { "versions": [
            { "version": "1.28.6", "expirationDate": "2124-06-06T01:02:03Z" },
            { "version": "1.99.9", "expirationDate": "2124-06-06T01:02:03Z" },
        ] },
        "machineTypes": [machine_type("m5.large", "8"), machine_type("a1.large", "2")],
        "limits": { "maxNodesTotal": 3 },
    });
    world.make(profile, &own);
    world.make(AWS, &parent());

    let object = world.joined(profile, "/limits", &json!({ "maxNodesTotal": 3 }));
    let result = joined(&object);
    let versions = json!([
        { "version": "1.28.6", "expirationDate": "2124-06-06T01:02:03Z" },
        { "version": "1.27.1" },
    ]);
    assert_eq!(result["kubernetes"]["versions"], versions);
    let types = result["machineTypes"].as_array().into_iter().flatten();
    let types: Value = types.map(|one| json!([one["name"], one["cpu"], one["architecture"]])).collect();
    assert_eq!(types, json!([["m5.large", "8", "amd64"], ["a1.large", "2", "amd64"]]));
    assert_eq!(object["status"]["observedGeneration"], object["metadata"]["generation"]);
    assert_eq!(object["metadata"]["finalizers"], json!(["gardener"]));

    world.change(profile, &json!({ "limits": null }));
    until("the limit is gone", || joined(&world.get(profile)?).get("limits").is_none().then_some(()));
    world.change(AWS, &json!({ "limits": { "maxNodesTotal": 9 } }));
    world.joined(profile, "/limits", &json!({ "maxNodesTotal": 9 }));
    assert_eq!(operator.metric("landfall_reconcile_errors_total", &[]), 0, "{}", operator.log());
}

#[test]
#[ignore = "needs an API server"]
fn conflicts_are_noted_for_as_long_as_there_are_any() {
    let world = World::start(CONTROLLERS);
    let operator = world.operator(CONTROLLERS);
    let profile = Place(PRIVATE, PROJECT, "mine");
    world.make(AWS, &parent());
    let own = json!({
        "parent": "aws",
        "kubernetes": { "versions": [
            { "version": "1.26.0", "expirationDate": "2124-06-06T01:02:03Z" },
            { "version": "1.27.1", "expirationDate": "2124-06-06T01:02:03Z" },
        ] },
        "machineTypes": [machine_type("m5.large", "8"), machine_type("m5.xlarge", "8")],
    });
    world.make(profile, &own);

    let object = world.says(profile, "True", "Conflicts");
    let conflicts = || object["status"]["conflicts"].as_array().into_iter().flatten();
    let shown: Value = conflicts().map(|one| json!([one["path"], one["reason"]])).collect();
    let wanted = json!([
        ["spec.kubernetes.versions[1.26.0]", "not-in-parent"],
        ["spec.machineTypes[m5.large]", "differs"],
    ]);
    assert_eq!(shown, wanted);
    assert!(conflicts().all(|one| one["message"].as_str().is_some_and(|text| !text.is_empty())));
    let result = joined(&object);
    assert_eq!(
        result["machineTypes"],
        json!([machine_type("m5.large", "4"), machine_type("m5.xlarge", "8")])
    );
    let prolonged = json!({ "version": "1.27.1", "expirationDate": "2124-06-06T01:02:03Z" });
    assert_eq!(result["kubernetes"]["versions"][1], prolonged);
    world.rests(&operator, AWS, profile);

    // The same quantity, written otherwise, is no conflict; nor is what the parent takes over.
    world.change(profile, &json!({ "machineTypes": [machine_type("m5.large", "4000m")] }));
    let versions = json!([
        { "version": "1.28.6" }, { "version": "1.27.1" }, { "version": "1.26.0" },
    ]);
    world.change(AWS, &json!({ "kubernetes": { "versions": versions } }));
    let object = world.says(profile, "True", "RenderedCleanly");
    assert_eq!(object["status"].get("conflicts"), None);
    assert_eq!(joined(&object)["machineTypes"], json!([machine_type("m5.large", "4")]));
}

#[test]
#[ignore = "needs an API server"]
fn a_profile_waits_for_its_parent() {
    let world = World::start(CONTROLLERS);
    let operator = world.operator(CONTROLLERS);
    let profile = Place(PRIVATE, PROJECT, "early");
    world.make(profile, &json!({ "parent": "aws", "machineTypes": [machine_type("a1.large", "2")] }));
    let object = world.says(profile, "False", "ParentNotFound");
    assert_eq!(object["status"].get("cloudProfile"), None);
    world.make(OTHER, &parent());
    world.make(AWS, &parent());
    let object = world.says(profile, "True", "RenderedCleanly");
    let types = json!([machine_type("a1.large", "2"), machine_type("m5.large", "4")]);
    assert_eq!(joined(&object)["machineTypes"], types);

    // Whoever takes the finalizer away removes a parent that is in use; the last result stays.
    world.kept(AWS);
    world.delete(AWS);
    world.release(AWS);
    world.goes(AWS);
    let object = world.says(profile, "False", "ParentNotFound");
    assert_eq!(joined(&object)["machineTypes"], types);
    world.make(AWS, &parent());
    world.says(profile, "True", "RenderedCleanly");
    world.rests(&operator, AWS, profile);
}

/// The command line restricts an installation by a profile of the cluster, joined or not.
#[test]
#[ignore = "needs an API server"]
fn an_installation_takes_its_profile_from_the_cluster() {
    let world = World::start(CONTROLLERS);
    let operator = world.operator(CONTROLLERS);
    let mut spec = parent();
    spec["regions"] = json!([{ "name": "eu-central-1", "zones": [{ "name": "eu-central-1a" }] }]);
    world.make(AWS, &spec);
    let profile = Place(PRIVATE, PROJECT, "team");
    world.make(profile, &json!({ "parent": "aws", "machineTypes": [machine_type("m5.xlarge", "8")] }));
    world.says(profile, "True", "RenderedCleanly");

    let directory = tempfile::tempdir().unwrap();
    let kubeconfig = world.cluster.server.kubeconfig().display().to_string();
    let ran = |kubeconfig: &str, arguments: &[&str]| {
        let environment = BTreeMap::from([("KUBECONFIG".to_owned(), kubeconfig.to_owned())]);
        start_in(&environment, directory.path(), arguments).end()
    };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/quickstart/aws.yaml");
    let file = file.to_str().unwrap();
    for name in ["aws", "project-xyz/team"] {
        let listed = ran(&kubeconfig, &["regions", "--platform", "aws", "--cloud-profile-ref", name]);
        let regions = listed.out.lines().filter(|line| line.contains("eu-") || line.contains("us-"));
        assert!(
            matches!(regions.collect::<Vec<&str>>()[..], [one] if one.contains("eu-central-1")),
            "{listed}"
        );
        let judged = ran(&kubeconfig, &["validate", file, "--cloud-profile-ref", name]);
        assert!(judged.code == Some(3) && judged.out.contains("LF1461"), "{judged}");
    }
    for (name, exit, words) in
        [("nobody", 4, "LF1466"), ("project-xyz/nobody", 4, "has no cloud profile `project-xyz/nobody`")]
    {
        let refused = ran(&kubeconfig, &["validate", file, "--cloud-profile-ref", name]);
        assert!(refused.code == Some(exit) && refused.err.contains(words), "{refused}");
    }
    let refused = ran("/nowhere", &["validate", file, "--cloud-profile-ref", "aws"]);
    assert!(refused.code == Some(1) && refused.err.contains("LF1240"), "{refused}");
    drop(operator);
}
