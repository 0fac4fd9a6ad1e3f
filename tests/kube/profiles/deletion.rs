//! Profiles that are deleted: they stay for as long as something refers to them.

use serde_json::{Value, json};

use super::world::{CONTROLLERS, NAMESPACED, OTHER_PROJECT, PARENT, PRIVATE, PROJECT, Place, SHOOT, World};

const AWS: Place<'_> = Place(PARENT, "", "aws");
const REFERENCED: &str = "ResourceReferenced";

/// The spec of a cluster that refers to a profile.
fn refers_to(kind: &str, name: &str) -> Value {
    json!({ "cloudProfile": { "kind": kind, "name": name } })
}

/// Fails unless an object is being deleted and stays.
#[track_caller]
fn stays(world: &World, place: Place<'_>) {
    let object = world.kept(place);
    assert!(object["metadata"]["deletionTimestamp"].is_string(), "{object}");
}

#[test]
#[ignore = "needs an API server"]
fn a_profile_stays_until_no_cluster_of_its_project_refers_to_it() {
    let world = World::start(CONTROLLERS);
    let operator = world.operator(CONTROLLERS);
    world.make(AWS, &json!({ "type": "aws" }));
    let profiles = [Place(PRIVATE, PROJECT, "mine"), Place(NAMESPACED, PROJECT, "mine")];
    world.make(profiles[0], &json!({ "parent": "aws" }));
    world.make(profiles[1], &json!({ "parent": { "kind": "CloudProfile", "name": "aws" } }));
    for profile in profiles {
        world.kept(profile);
    }
    // One of each kind of the same name: the kind counts, and so does the project.
    let shoot = Place(SHOOT, PROJECT, "demo");
    let elsewhere = Place(SHOOT, OTHER_PROJECT, "demo");
    world.make(shoot, &refers_to("PrivateCloudProfile", "mine"));
    world.make(elsewhere, &refers_to("NamespacedCloudProfile", "mine"));
    for profile in profiles {
        world.delete(profile);
    }
    world.goes(profiles[1]);
    let note = world.told(profiles[0], REFERENCED);
    assert!(note.contains("demo"), "{note}");
    stays(&world, profiles[0]);

    // It does not get any further while the cluster refers to something else, but the profile does.
    world.change(shoot, &refers_to("CloudProfile", "aws"));
    world.goes(profiles[0]);

    // So does the parent, which is named in the old way too.
    world.kept(AWS);
    world.delete(AWS);
    world.told(AWS, REFERENCED);
    stays(&world, AWS);
    world.change(shoot, &json!({ "cloudProfile": null, "cloudProfileName": "aws" }));
    stays(&world, AWS);
    world.delete(shoot);
    world.goes(AWS);
    assert_eq!(operator.metric("landfall_reconcile_errors_total", &["panic"]), 0, "{}", operator.log());
}

#[test]
#[ignore = "needs an API server"]
fn a_parent_stays_until_it_has_no_children() {
    let world = World::start(CONTROLLERS);
    let _operator = world.operator(CONTROLLERS);
    world.make(AWS, &json!({ "type": "aws" }));
    let children = [Place(PRIVATE, PROJECT, "a"), Place(NAMESPACED, OTHER_PROJECT, "b")];
    world.make(children[0], &json!({ "parent": "aws" }));
    world.make(children[1], &json!({ "parent": { "kind": "CloudProfile", "name": "aws" } }));
    for place in [AWS, children[0], children[1]] {
        world.kept(place);
    }
    world.delete(AWS);
    world.told(AWS, REFERENCED);
    for child in children {
        stays(&world, AWS);
        // A parent that is being deleted is still a parent.
        world.change(AWS, &json!({ "limits": { "maxNodesTotal": 5 } }));
        world.joined(child, "/limits/maxNodesTotal", &json!(5));
        world.delete(child);
        world.goes(child);
    }
    world.goes(AWS);
}

#[test]
#[ignore = "needs an API server"]
fn an_unused_profile_is_deleted_without_its_parent() {
    let world = World::start(CONTROLLERS);
    let profile = Place(PRIVATE, PROJECT, "mine");
    {
        let _operator = world.operator(CONTROLLERS);
        world.make(profile, &json!({ "parent": "nowhere" }));
        world.kept(profile);
    }
    // What was deleted while no operator ran is found by the next one.
    world.delete(profile);
    stays(&world, profile);
    let _operator = world.operator(CONTROLLERS);
    world.goes(profile);
}
