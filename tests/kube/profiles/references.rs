//! Clusters that refer to another profile than before.

use serde_json::{Value, json};

use super::users::{ADMINISTRATOR, Refused};
use super::webhook::{Webhook, all};
use super::world::{CONTROLLERS, NAMESPACED, OTHER_PROJECT, PARENT, PRIVATE, PROJECT, Place, SHOOT, World};

const SHOOT_OF_PROJECT: Place<'_> = Place(SHOOT, PROJECT, "demo");
const PRIVATE_KIND: &str = "PrivateCloudProfile";
const NAMESPACED_KIND: &str = "NamespacedCloudProfile";
const PARENT_KIND: &str = "CloudProfile";

fn refers_to(kind: &str, name: &str) -> Value {
    json!({ "cloudProfile": { "kind": kind, "name": name } })
}

fn change(world: &World, kind: &str, name: &str) -> Result<Value, Refused> {
    world.edits(ADMINISTRATOR, SHOOT_OF_PROJECT, &refers_to(kind, name))
}

#[track_caller]
fn goes_to(world: &World, kind: &str, name: &str) {
    let changed = change(world, kind, name);
    assert!(changed.is_ok(), "{kind} {name}: {changed:?}");
}

#[track_caller]
fn stays_with(world: &World, kind: &str, name: &str, why: &str) {
    match change(world, kind, name) {
        Ok(_) => panic!("the cluster may refer to {kind} {name}"),
        Err(Refused { message, .. }) => {
            let is_said = message.contains("spec.cloudProfile") && message.contains(why);
            assert!(is_said, "{kind} {name}: {message}");
        }
    }
}

#[test]
#[ignore = "needs an API server"]
fn a_reference_changes_between_a_cloud_profile_and_its_children_only() {
    let controllers = all(CONTROLLERS);
    let world = World::start(&controllers);
    let _operator = Webhook::new().start(&world, &controllers);
    let spec = json!({
        "type": "aws",
        "kubernetes": { "versions": [{ "version": "1.28.6" }] },
        "regions": [{ "name": "europe-central-1" }],
    });
    for name in ["aws", "other"] {
        world.make(Place(PARENT, "", name), &spec);
    }
    let private = |namespace, name, parent: &str| {
        let place = Place(PRIVATE, namespace, name);
        world.make(place, &json!({ "parent": parent }));
        world.says(place, "True", "RenderedCleanly");
    };
    private(PROJECT, "child", "aws");
    private(PROJECT, "sibling", "aws");
    private(PROJECT, "stranger", "other");
    private(OTHER_PROJECT, "elsewhere", "aws");
    for name in ["child", "sibling"] {
        let place = Place(NAMESPACED, PROJECT, name);
        world.make(place, &json!({ "parent": { "kind": PARENT_KIND, "name": "aws" } }));
        world.joined(place, "/type", &json!("aws"));
    }
    world.make(SHOOT_OF_PROJECT, &json!({ "cloudProfileName": "aws" }));
    // The new form of the same reference, and what is no reference.
    goes_to(&world, PARENT_KIND, "aws");
    world.touch(SHOOT_OF_PROJECT, &json!("nothing"));

    goes_to(&world, PRIVATE_KIND, "child");
    stays_with(&world, PRIVATE_KIND, "sibling", "not-parent-or-child");
    stays_with(&world, PRIVATE_KIND, "stranger", "other-hierarchy");
    stays_with(&world, PARENT_KIND, "other", "other-hierarchy");
    stays_with(&world, PRIVATE_KIND, "gone", "not-found");
    stays_with(&world, PRIVATE_KIND, "elsewhere", "not-found");
    world.touch(SHOOT_OF_PROJECT, &json!("again"));
    goes_to(&world, PARENT_KIND, "aws");
    stays_with(&world, PRIVATE_KIND, "stranger", "other-hierarchy");
    goes_to(&world, PRIVATE_KIND, "sibling");
    goes_to(&world, PARENT_KIND, "aws");

    // The released kind lets clusters go from one child to another.
    goes_to(&world, NAMESPACED_KIND, "child");
    goes_to(&world, NAMESPACED_KIND, "sibling");
    stays_with(&world, PARENT_KIND, "other", "other-hierarchy");
    goes_to(&world, PARENT_KIND, "aws");
}
