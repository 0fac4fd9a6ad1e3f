//! What becomes of a profile of the released kind on its way to the store.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::judging::{parent, refused, taken};
use super::users::ADMINISTRATOR;
use super::webhook::{Webhook, all};
use super::world::{CONTROLLERS, NAMESPACED, PARENT, PRIVATE, PROJECT, Place, World};
use crate::until::until;

const AWS: Place<'_> = Place(PARENT, "", "aws");
const MINE: Place<'_> = Place(NAMESPACED, PROJECT, "mine");
const PAST: &str = "2020-01-01T00:00:00Z";
const FAR: &str = "2124-06-06T01:02:03Z";

fn dated(version: &str, date: &str) -> Value {
    json!({ "version": version, "expirationDate": date })
}

/// A version of an image that the parent lacks.
fn own(version: &str, date: &str) -> Value {
    json!({
        "version": version,
        "expirationDate": date,
        "cri": [{ "name": "containerd", "containerRuntimes": [{ "type": "gvisor", "any": { "a": [1] } }] }],
        "architectures": ["amd64"],
    })
}

/// A profile with these versions of Kubernetes, images and usable types.
fn profile(versions: &Value, images: &Value, usable: Option<bool>) -> Value {
    let mut machine = json!({
        "name": "a1.large",
        "cpu": "2",
        "gpu": "0",
        "memory": "4Gi",
        "machineControllerManager": { "any": { "a": [1, { "b": "c" }] } },
    });
    let mut volume = json!({ "name": "gp3", "class": "standard" });
    if let Some(usable) = usable {
        machine["usable"] = usable.into();
        volume["usable"] = usable.into();
    }
    json!({
        "parent": { "kind": "CloudProfile", "name": "aws" },
        "kubernetes": { "versions": versions },
        "machineImages": images,
        "machineTypes": [machine, { "name": "a2", "cpu": "1", "gpu": "0", "memory": "1Gi", "usable": false }],
        "volumeTypes": [volume],
        "providerConfig": { "kind": "Config", "any": [{ "x": { "y": [1, "2"] } }] },
    })
}

#[test]
#[ignore = "needs an API server"]
fn what_has_expired_is_not_stored_and_what_is_left_open_is_filled_in() {
    let controllers = all(CONTROLLERS);
    let world = World::start(&controllers);
    let _operator = Webhook::new().start(&world, &controllers);
    world.make(AWS, &parent());
    let sent = profile(
        &json!([dated("1.28.6", PAST)]),
        &json!([
            { "name": "suse-chost", "versions": [dated("15.4", PAST)] },
            { "name": "own", "updateStrategy": "major", "versions": [own("1.0.0", PAST), own("2.0.0", FAR)] },
        ]),
        None,
    );
    let stored = profile(
        &json!([]),
        &json!([{ "name": "own", "updateStrategy": "major", "versions": [own("2.0.0", FAR)] }]),
        Some(true),
    );
    let dry = format!("{}?dryRun=All", MINE.collection());
    let answer = world.users.call(ADMINISTRATOR, "POST", &dry, &MINE.object(&sent));
    assert_eq!(answer.unwrap()["spec"], stored);
    assert!(world.get(MINE).is_none());
    taken(&world.tries(ADMINISTRATOR, MINE, &sent));
    assert_eq!(world.get(MINE).unwrap()["spec"], stored);
    let object = world.joined(MINE, "/machineTypes/1/usable", &json!(true));
    assert_eq!(object["metadata"]["generation"], 1);
    // What is stored can be written again, and by whoever keeps it.
    taken(&world.edits(ADMINISTRATOR, MINE, &json!({ "limits": { "maxNodesTotal": 4 } })));
    world.kept(MINE);
    world.delete(MINE);
    world.goes(MINE);
}

#[test]
#[ignore = "needs an API server"]
fn what_a_profile_named_before_stays_when_it_expires() {
    let controllers = all(CONTROLLERS);
    let world = World::start(&controllers);
    let _operator = Webhook::new().start(&world, &controllers);
    world.make(AWS, &parent());
    let soon = Timestamp::now() + Duration::from_secs(8);
    let kept = dated("1.28.6", &soon.to_string());
    taken(&world.tries(ADMINISTRATOR, MINE, &profile(&json!([kept]), &json!([]), None)));
    world.joined(MINE, "/kubernetes/versions/0/expirationDate", &kept["expirationDate"]);
    until("its time has come", || (Timestamp::now() > soon).then_some(()));
    let new = json!({
        "kubernetes": { "versions": [kept, dated("1.29.0", PAST)] },
        "machineImages": [{ "name": "suse-chost", "versions": [dated("15.4", PAST)] }],
        "volumeTypes": [{ "name": "gp4", "class": "standard" }],
    });
    taken(&world.edits(ADMINISTRATOR, MINE, &new));
    let spec = world.get(MINE).unwrap()["spec"].clone();
    assert_eq!(spec["kubernetes"]["versions"], json!([kept]));
    assert_eq!(spec["machineImages"], json!([]));
    assert_eq!(spec["volumeTypes"], json!([{ "name": "gp4", "class": "standard", "usable": true }]));
}

#[test]
#[ignore = "needs an API server"]
fn what_could_not_be_read_again_is_refused() {
    let controllers = all(CONTROLLERS);
    let world = World::start(&controllers);
    let _operator = Webhook::new().start(&world, &controllers);
    world.make(AWS, &parent());
    let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!({ "a": inner }));
    let machines = |levels| {
        json!([{
            "name": "m", "cpu": "1", "gpu": "0", "memory": "1Gi", "machineControllerManager": nested(levels),
        }])
    };
    let deep = Place(PRIVATE, PROJECT, "deep");
    for levels in [100, 200] {
        let spec = json!({ "parent": "aws", "machineTypes": machines(levels) });
        refused(world.tries(ADMINISTRATOR, deep, &spec), &["nested"]);
        let reference = json!({ "kind": "CloudProfile", "name": "aws" });
        let spec = json!({ "parent": reference, "machineTypes": machines(levels) });
        refused(world.tries(ADMINISTRATOR, MINE, &spec), &["nested"]);
        let mut spec = parent();
        // Kubernetes 1.20 itself takes twice as long for each level of an object that is not in a list.
        spec["machineTypes"] = machines(levels);
        refused(world.tries(ADMINISTRATOR, Place(PARENT, "", "deep"), &spec), &["nested"]);
        refused(world.edits(ADMINISTRATOR, AWS, &json!({ "machineTypes": machines(levels) })), &["nested"]);
    }
    let spec = json!({ "parent": "aws", "machineTypes": machines(30) });
    taken(&world.tries(ADMINISTRATOR, deep, &spec));
    let object = world.says(deep, "True", "RenderedCleanly");
    assert_eq!(object["spec"]["machineTypes"][0]["machineControllerManager"], nested(30));
}
