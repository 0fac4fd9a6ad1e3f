//! Who may write what into a profile: users of different rights, and what is refused to all of them.

use serde_json::{Value, json};

use super::users::{ADMINISTRATOR, Refused};
use super::webhook::{Webhook, all};
use super::world::{CONTROLLERS, NAMESPACED, PARENT, PRIVATE, PROJECT, Place, World};
use crate::until::until;

const AWS: Place<'_> = Place(PARENT, "", "aws");
/// The roles that are printed for those who work with profiles.
const VIEWER: &str = "landfall-cloud-profiles-project-viewer";
const MEMBER: &str = "landfall-cloud-profiles-project-member";
const OPERATOR: &str = "landfall-cloud-profiles-landscape-operator";
const DATE: &str = "2124-06-06T01:02:03Z";
/// What a member of a project may do.
const USUAL: &[&str] = &["get", "list", "watch", "create", "update", "patch", "delete"];

fn kubernetes(date: &str) -> Value {
    json!({ "versions": [{ "version": "1.28.6", "expirationDate": date }] })
}

fn images(date: &str) -> Value {
    json!([{ "name": "suse-chost", "versions": [{ "version": "15.4", "expirationDate": date }] }])
}

/// A cloud profile as large as it must be for what is made of it to be accepted.
pub fn parent() -> Value {
    let runtimes = json!([{ "name": "containerd" }]);
    let version = json!({ "version": "15.4", "cri": runtimes, "architectures": ["amd64"] });
    json!({
        "type": "aws",
        "kubernetes": { "versions": [{ "version": "1.28.6" }, { "version": "1.29.0" }] },
        "machineImages": [{ "name": "suse-chost", "updateStrategy": "major", "versions": [version] }],
        "machineTypes": [{ "name": "m5.large", "cpu": "4", "gpu": "0", "memory": "8Gi" }],
        "regions": [{ "name": "europe-central-1" }],
    })
}

/// Fails unless it was refused by who judges, in all of these words.
#[track_caller]
pub fn refused(answer: Result<Value, Refused>, words: &[&str]) {
    match answer {
        Ok(object) => panic!("it was taken: {object}"),
        Err(Refused { message, .. }) => {
            assert!(message.contains("denied the request"), "{message}");
            for word in words {
                assert!(message.contains(word), "`{word}` is missing: {message}");
            }
        }
    }
}

/// Fails unless it was done.
#[track_caller]
pub fn taken(answer: &Result<Value, Refused>) {
    assert!(answer.is_ok(), "{answer:?}");
}

#[test]
#[ignore = "needs an API server"]
fn versions_are_for_those_who_have_the_verbs() {
    let controllers = all(CONTROLLERS);
    let world = World::start(&controllers);
    let _operator = Webhook::new().start(&world, &controllers);
    world.make(AWS, &parent());
    world.bind("viewer", "ClusterRole", VIEWER);
    world.bind("member", "ClusterRole", MEMBER);
    world.bind("owner", "ClusterRole", OPERATOR);
    world.permit("owner-of-images", &[USUAL, &["modify-spec-machineImages"]].concat());
    let named = |name| Place(PRIVATE, PROJECT, name);

    let plain = json!({ "parent": "aws", "limits": { "maxNodesTotal": 9 } });
    taken(&world.tries("member", named("mine"), &plain));
    let seen = world.users.call("viewer", "POST", &named("x").collection(), &named("x").object(&plain));
    assert!(seen.is_err_and(|refused| refused.code == 403 && refused.message.contains("cannot create")));
    let of_kubernetes = ["spec.kubernetes", "modify-spec-kubernetes"];
    let of_images = ["spec.machineImages", "modify-spec-machineImages"];
    let both = json!({ "parent": "aws", "kubernetes": kubernetes(DATE), "machineImages": images(DATE) });
    refused(world.tries("member", named("other"), &both), &of_kubernetes);
    refused(world.tries("owner-of-images", named("other"), &both), &of_kubernetes);
    taken(&world.tries("owner", named("other"), &both));

    let mine = named("mine");
    refused(world.edits("member", mine, &json!({ "kubernetes": kubernetes(DATE) })), &of_kubernetes);
    refused(world.edits("member", mine, &json!({ "machineImages": images(DATE) })), &of_images);
    taken(&world.edits("owner-of-images", mine, &json!({ "machineImages": images(DATE) })));
    refused(world.edits("owner-of-images", mine, &json!({ "kubernetes": kubernetes(DATE) })), &of_kubernetes);
    taken(&world.edits("owner", mine, &json!({ "kubernetes": kubernetes(DATE) })));
    // Another date, and none at all, are changes; the same instant is none, nor is what needs no verb.
    let sooner = "2123-06-06T01:02:03Z";
    refused(world.edits("member", mine, &json!({ "kubernetes": kubernetes(sooner) })), &of_kubernetes);
    refused(world.edits("member", mine, &json!({ "kubernetes": null })), &of_kubernetes);
    refused(world.edits("member", mine, &json!({ "machineImages": null })), &of_images);
    taken(&world.edits("member", mine, &json!({ "kubernetes": kubernetes("2124-06-06T03:02:03+02:00") })));
    let types = json!([{ "name": "a1.large", "cpu": "2", "gpu": "0", "memory": "4Gi" }]);
    taken(&world.edits("member", mine, &json!({ "machineTypes": types, "limits": null })));

    // Who joins and keeps profiles writes past who judges.
    let object = world.says(mine, "True", "RenderedCleanly");
    assert_eq!(object["status"]["cloudProfile"]["spec"]["machineTypes"][0], types[0]);
    let soon = jiff::Timestamp::now() + std::time::Duration::from_secs(2);
    taken(&world.edits("owner", mine, &json!({ "kubernetes": kubernetes(&soon.to_string()) })));
    let versions = parent()["kubernetes"]["versions"].clone();
    world.joined(mine, "/kubernetes/versions", &versions);
    until("the version is taken out", || world.get(mine)?["spec"].get("kubernetes").is_none().then_some(()));
    world.delete(mine);
    world.goes(mine);
}

#[test]
#[ignore = "needs an API server"]
fn the_verbs_of_the_released_kind_are_its_own() {
    let controllers = all(CONTROLLERS);
    let world = World::start(&controllers);
    let _operator = Webhook::new().start(&world, &controllers);
    world.make(AWS, &parent());
    world.bind("member", "ClusterRole", MEMBER);
    world.bind("owner", "ClusterRole", OPERATOR);
    let similar = ["modify-spec-machineImages", "modify-spec-providerConfig"];
    world.permit("almost", &[USUAL, &similar].concat());
    let mine = Place(NAMESPACED, PROJECT, "mine");
    taken(&world.tries("member", mine, &json!({ "parent": { "kind": "CloudProfile", "name": "aws" } })));
    let config = json!({ "providerConfig": { "kind": "CloudProfileConfig" } });
    for user in ["member", "almost"] {
        let words = ["spec.machineImages", "modify-spec-machineimages"];
        refused(world.edits(user, mine, &json!({ "machineImages": images(DATE) })), &words);
        refused(world.edits(user, mine, &config), &["spec.providerConfig", "modify-spec-providerconfig"]);
    }
    taken(&world.edits("owner", mine, &json!({ "machineImages": images(DATE) })));
    taken(&world.edits("owner", mine, &config));
    // What the parent's change would take from it.
    let without = json!({ "machineImages": [] });
    refused(world.edits(ADMINISTRATOR, AWS, &without), &["spec.machineImages"]);
}

#[test]
#[ignore = "needs an API server"]
fn what_is_wrong_is_refused_with_its_field() {
    let controllers = all(CONTROLLERS);
    let world = World::start(&controllers);
    let _operator = Webhook::new().start(&world, &controllers);
    world.make(AWS, &parent());
    world.permit("owner", &["*"]);
    let cases: [(Value, &[&str]); 11] = [
        (json!({ "parent": "gone" }), &["spec.parent", "gone", "not-found"]),
        (json!({ "parent": "aws", "type": "aws" }), &["spec.type", "unknown-field"]),
        (json!({ "parent": "aws", "providerConfig": { "a": 1 } }), &["spec.providerConfig", "unknown-field"]),
        (
            json!({ "parent": "aws", "seedSelector": { "matchLabels": { "a": "b" } } }),
            &["spec.seedSelector", "unknown-field"],
        ),
        (
            json!({ "parent": "aws", "kubernetes": { "versions": [
                { "version": "1.1.1", "expirationDate": DATE }, { "version": "1.28.6" },
            ] } }),
            &["spec.kubernetes.versions[0]", "not-in-parent", "versions[1].expirationDate", "required"],
        ),
        (
            json!({ "parent": "aws", "kubernetes": { "versions": [
                { "version": "one", "expirationDate": "tomorrow", "classification": "expired" },
            ] } }),
            &["versions[0]", "versions[0].expirationDate", "versions[0].classification", "forbidden"],
        ),
        (
            json!({ "parent": "aws", "machineImages": [{ "name": "a/b", "updateStrategy": "never" }] }),
            &["spec.machineImages[0].name", "spec.machineImages[0].updateStrategy", "not-supported"],
        ),
        (
            json!({ "parent": "aws", "machineTypes": [
                { "name": "a", "cpu": "-1", "gpu": "0", "memory": "8Gi", "architecture": "vax" },
            ] }),
            &["spec.machineTypes[0].cpu", "spec.machineTypes[0].architecture"],
        ),
        (
            json!({ "parent": "aws", "regions": [{ "name": "a" }, { "name": "a" }] }),
            &["spec.regions[1].name", "duplicate"],
        ),
        (json!({ "parent": "aws", "caBundle": "no certificate" }), &["spec.caBundle", "invalid"]),
        (json!({ "parent": "aws", "limits": { "maxNodesTotal": 0 } }), &["spec.limits.maxNodesTotal"]),
    ];
    for (spec, words) in cases {
        refused(world.tries("owner", Place(PRIVATE, PROJECT, "wrong"), &spec), words);
    }

    let mine = Place(PRIVATE, PROJECT, "mine");
    taken(&world.tries("owner", mine, &json!({ "parent": "aws" })));
    world.make(Place(PARENT, "", "other"), &parent());
    // Servers since 1.25 know the rule themselves.
    let other = world.edits("owner", mine, &json!({ "parent": "other" }));
    let told = other.err().map(|Refused { message, .. }| message).unwrap_or_default();
    assert!(told.contains("spec.parent") && told.contains("immutable"), "{told}");

    let named = Place(NAMESPACED, PROJECT, "wrong");
    let gone = json!({ "parent": { "kind": "CloudProfile", "name": "gone" } });
    refused(world.tries("owner", named, &gone), &["spec.parent.name", "not-found"]);
    let stacked = json!({ "parent": { "kind": "NamespacedCloudProfile", "name": "aws" } });
    refused(world.tries("owner", named, &stacked), &["spec.parent.kind", "not-supported"]);
}
