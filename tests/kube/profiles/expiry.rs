//! Versions whose time comes: they are taken out of a profile at that time, and nobody asks for it.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::judging::{parent, taken};
use super::users::ADMINISTRATOR;
use super::webhook::{Webhook, all};
use super::world::{ADMISSION, CONTROLLERS, GROUP, PARENT, PRIVATE, PROJECT, Place, World, joined};
use crate::operator::replica::Replica;
use crate::until::until;

const AWS: Place<'_> = Place(PARENT, "", "aws");
const FAR: &str = "2124-06-06T01:02:03Z";

/// An instant that is so many seconds away.
fn soon(seconds: u64) -> Timestamp {
    Timestamp::now() + Duration::from_secs(seconds)
}

#[test]
#[ignore = "needs an API server"]
fn a_version_that_expires_is_taken_out_and_the_parents_date_shows_again() {
    let world = World::start(CONTROLLERS);
    let operator = world.operator(CONTROLLERS);
    let versions = json!([
        { "version": "1.29.0" },
        { "version": "1.28.6", "expirationDate": "2123-02-02T01:02:03Z" },
        { "version": "1.27.1" },
    ]);
    world.make(AWS, &json!({ "type": "aws", "kubernetes": { "versions": versions } }));
    let profile = Place(PRIVATE, PROJECT, "mine");
    let own = |dates: &[(&str, String)]| -> Value {
        let version =
            |(version, date): &(&str, String)| json!({ "version": version, "expirationDate": date });
        json!({ "versions": dates.iter().map(version).collect::<Vec<Value>>() })
    };
    let far = own(&[("1.28.6", FAR.to_owned()), ("1.27.1", FAR.to_owned())]);
    world.make(profile, &json!({ "parent": "aws", "kubernetes": far }));
    world.joined(profile, "/kubernetes/versions/1/expirationDate", &json!(FAR));
    world.joined(profile, "/kubernetes/versions/2/expirationDate", &json!(FAR));

    // One after the other, each at its time.
    let ends = [soon(3), soon(8)];
    let dates = own(&[("1.28.6", ends[0].to_string()), ("1.27.1", ends[1].to_string())]);
    world.change(profile, &json!({ "kubernetes": dates }));
    let left = own(&[("1.27.1", ends[1].to_string())]);
    let cleaned = |index: usize, wanted: &Value| -> Value {
        until(&format!("version {index} is taken out"), || {
            let object = world.get(profile)?;
            let stands = object["spec"].get("kubernetes").unwrap_or(&Value::Null);
            let is_joined = object["status"]["observedGeneration"] == object["metadata"]["generation"];
            // On a busy machine the look at one may come after the end of the other.
            let is_so = stands == wanted || stands.is_null();
            (is_so && is_joined && Timestamp::now() > ends[index]).then(|| joined(&object).clone())
        })
    };
    let result = cleaned(0, &left);
    assert_eq!(result["kubernetes"]["versions"][1], versions[1]);
    let result = cleaned(1, &Value::Null);
    assert_eq!(result["kubernetes"]["versions"], versions);
    world.says(profile, "True", "RenderedCleanly");
    assert_eq!(operator.metric("landfall_reconcile_errors_total", &[]), 0, "{}", operator.log());
    world.rests(&operator, AWS, profile);
}

#[test]
#[ignore = "needs an API server"]
fn what_expired_while_no_operator_ran_is_taken_out_by_the_next_one() {
    let world = World::start(CONTROLLERS);
    let versions = json!([{ "version": "1.28.6" }]);
    world.make(AWS, &json!({ "type": "aws", "kubernetes": { "versions": versions } }));
    let profile = Place(PRIVATE, PROJECT, "mine");
    let past = json!({ "versions": [{ "version": "1.28.6", "expirationDate": "2020-01-01T00:00:00Z" }] });
    world.make(profile, &json!({ "parent": "aws", "kubernetes": past }));
    let _operator = world.operator(CONTROLLERS);
    let object = until("the version is taken out and the rest joined", || {
        let object = world.get(profile)?;
        let is_joined = object["status"]["observedGeneration"] == object["metadata"]["generation"];
        (is_joined && object["spec"].get("kubernetes").is_none()).then_some(object)
    });
    assert_eq!(joined(&object)["kubernetes"]["versions"], versions);
    assert_eq!(object["spec"], json!({ "parent": "aws" }));
}

#[test]
#[ignore = "needs an API server"]
fn versions_of_images_expire_unless_that_is_switched_off() {
    let world = World::start(CONTROLLERS);
    world.make(AWS, &json!({ "type": "aws" }));
    let profile = Place(PRIVATE, PROJECT, "mine");
    let old = json!({ "version": "15.4", "expirationDate": "2020-01-01T00:00:00Z" });
    let images = json!([
        { "name": "both", "versions": [{ "version": "16.4", "expirationDate": FAR }, old] },
        { "name": "old", "versions": [old] },
    ]);
    world.make(profile, &json!({ "parent": "aws", "machineImages": images }));
    {
        let flags = [GROUP, "--controllers", CONTROLLERS, "--clean-machine-images=false"];
        let _operator = Replica::begin(&world.cluster, &flags, None);
        let object = world.joined(profile, "/machineImages", &images);
        assert_eq!(object["spec"]["machineImages"], images);
    }
    let _operator = world.operator(CONTROLLERS);
    let left = json!([{ "name": "both", "versions": [{ "version": "16.4", "expirationDate": FAR }] }]);
    let object = world.joined(profile, "/machineImages", &left);
    assert_eq!(object["spec"]["machineImages"], left);
}

#[test]
#[ignore = "needs an API server"]
fn it_is_reported_where_nothing_can_be_taken_out() {
    let controllers = all(CONTROLLERS);
    let world = World::start(&controllers);
    let webhook = Webhook::new();
    let mut judging = webhook.start(&world, ADMISSION);
    world.make(AWS, &parent());
    let profile = Place(PRIVATE, PROJECT, "mine");
    let past = json!({ "versions": [{ "version": "1.28.6", "expirationDate": "2020-01-01T00:00:00Z" }] });
    let images = |version: Value| json!([{ "name": "suse-chost", "versions": [version] }]);
    let spec =
        json!({ "parent": "aws", "kubernetes": past, "machineImages": images(json!({ "version": "16.4" })) });
    taken(&world.tries(ADMINISTRATOR, profile, &spec));
    // The parent gets the version as well, and one that it has must be given a date.
    let mut adopted = parent()["machineImages"].clone();
    let mut version = adopted[0]["versions"][0].clone();
    version["version"] = json!("16.4");
    adopted[0]["versions"].as_array_mut().unwrap().push(version);
    taken(&world.edits(ADMINISTRATOR, AWS, &json!({ "machineImages": adopted })));
    assert_eq!(judging.terminate(), Some(0), "{}", judging.log());

    let _operator = webhook.start(&world, &controllers);
    let note = world.told(profile, "CleanUpRefused");
    assert!(note.contains("spec.machineImages[0].versions[0].expirationDate"), "{note}");
    // It is not offered, though it stands.
    world.joined(profile, "/kubernetes", &parent()["kubernetes"]);
    assert_eq!(world.get(profile).unwrap_or_default()["spec"]["kubernetes"], past);
    let dated = images(json!({ "version": "16.4", "expirationDate": FAR }));
    taken(&world.edits(ADMINISTRATOR, profile, &json!({ "machineImages": dated })));
    until("the version is taken out", || {
        world.get(profile)?["spec"].get("kubernetes").is_none().then_some(())
    });
}
