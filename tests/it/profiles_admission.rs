//! What may be written of profiles: the cases of admission, verbs, references of clusters, parents and
//! deletion.
//!
//! The folder comes from `LANDFALL_CONFORMANCE`, by default `testdata/conformance`.

use std::path::PathBuf;

use landfall_cloud_profile::admission::{
    FINALIZER, ParentUpdate, ProfileKind, REFERENCED, Referred, Refusal, Request, Shoot, Stage, Verdict,
    cloud_profile_deletion, parent_update, profile_deletion, review, shoot_update, usage, verbs,
};
use landfall_cloud_profile::instant::instant;
use landfall_cloud_profile::released;
use landfall_cloud_profile::types::{
    CLOUD_PROFILE, CloudProfile, CloudProfileSpec, NamespacedCloudProfile, NamespacedCloudProfileSpec,
    PrivateCloudProfile,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::profiles::compare::{Order, difference};

/// What is expected in place of what the released kind does, and why.
type Better = (&'static str, fn(&mut Value), &'static str);

/// Cases in which the released kind is not followed.
const BETTER: &[Better] = &[
    (
        "ns-shoot-child-not-rendered-yet",
        |expect| *expect = json!({ "allowed": true }),
        "what will be rendered of a profile can be told before it is",
    ),
    (
        "ns-k8s-lifecycle-parent",
        |expect| {
            expect["rendered"]["kubernetes"]["versions"][1] = json!({
                "version": "1.31.0",
                "lifecycle": [
                    { "classification": "supported" },
                    { "classification": "expired", "startTime": "2024-06-06T01:02:03Z" },
                ],
            });
        },
        "a life in stages ends on the date, so that such versions can be prolonged, too",
    ),
    (
        "ns-image-lifecycle-lost",
        |expect| {
            let version = &mut expect["rendered"]["machineImages"][0]["versions"][0];
            version["lifecycle"] = json!([{ "classification": "deprecated" }]);
        },
        "the stages that an entry gives are as good as a date",
    ),
    (
        "ns-ca-no-newline",
        |expect| {
            let bundle = &mut expect["rendered"]["caBundle"];
            *bundle = bundle.as_str().unwrap().replace("----------", "-----\n-----").into();
        },
        "certificates that share a line cannot be read",
    ),
];

/// Cases in which the released kind is followed after all.
const SAME: &[(&str, &str)] = &[
    ("ns-update-k8s-new-past", "creating drops such versions as well, and an update is to do the same"),
    (
        "ns-update-image-strategy-changed",
        "an override cannot be told from an image that the parent has adopted",
    ),
    (
        "ns-type-replaces",
        "the kind has no place to note a clash, and clusters may count on the profile's entry",
    ),
    (
        "ns-volume-replaces",
        "the kind has no place to note a clash, and clusters may count on the profile's entry",
    ),
    ("ns-reconcile-parent-gone", "nothing is rendered without a parent; the controller is to say so"),
];

fn elsewhere() -> Option<PathBuf> {
    std::env::var_os("LANDFALL_CONFORMANCE").map(PathBuf::from)
}

fn cases(operations: &[&str]) -> Vec<Value> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/conformance");
    let file = elsewhere().unwrap_or_else(|| PathBuf::from(default)).join("cloud-profiles.jsonl");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let cases = lines.map(|line| serde_json::from_str::<Value>(line).expect("a case is JSON"));
    let cases: Vec<Value> = cases.filter(|case| operations.contains(&text_of(case, "operation"))).collect();
    assert!(!cases.is_empty(), "no case of {operations:?}");
    cases
}

fn text_of<'a>(case: &'a Value, member: &str) -> &'a str {
    case[member].as_str().unwrap()
}

fn kind_of(case: &Value) -> ProfileKind {
    ProfileKind::of(text_of(case, "kind")).unwrap()
}

fn read<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

fn objects<'a>(case: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    case[member].as_array().into_iter().flatten()
}

/// The parent of a case, if it has this name.
fn parent_named(case: &Value, name: Option<&str>) -> Option<CloudProfileSpec> {
    let is_named = name.is_some() && case.pointer("/parent/metadata/name").and_then(Value::as_str) == name;
    is_named.then(|| read(&case["parent"]["spec"]))
}

/// A cluster of a case, in the form of the API.
fn shoot(shoot: &Value) -> Shoot {
    let mut spec = shoot["spec"].clone();
    for workers in [&shoot["workers"], &shoot["spec"]["workers"]] {
        if workers.is_array() {
            spec["provider"] = json!({ "workers": workers });
        }
    }
    let metadata = json!({ "namespace": shoot["namespace"], "name": shoot["name"] });
    Shoot::of(&json!({ "metadata": metadata, "spec": spec }))
}

fn rejected(refusals: &[Refusal]) -> Value {
    assert!(refusals.iter().all(|refusal| !refusal.message.is_empty()), "a refusal says nothing");
    refusals.iter().map(|refusal| json!({ "field": refusal.field, "why": refusal.why.name() })).collect()
}

/// Whether a profile may be written, and what is kept of it.
fn written(case: &Value) -> Value {
    let kind = kind_of(case);
    let (object, old) = (&case["profile"], case.get("oldProfile"));
    if case["rule"] == "rbac-verbs" {
        return asked(case, kind);
    }
    let parent = parent_named(case, kind.parent(object));
    let now = instant(text_of(case, "now")).unwrap();
    let request = Request { kind, object, old, parent: parent.as_ref(), now };
    let shoots: Vec<Shoot> = objects(case, "shoots").map(shoot).collect();
    match review(&request) {
        Verdict::Refused { stage, refusals } => {
            json!({ "rejected": rejected(&refusals), "stage": stage.name() })
        }
        Verdict::Accepted => match usage(&request, &shoots).as_slice() {
            [] => accepted(&request),
            refusals => json!({ "rejected": rejected(refusals), "stage": Stage::Admission.name() }),
        },
    }
}

fn accepted(request: &Request<'_>) -> Value {
    let mut found = json!({ "accepted": true });
    if request.kind == ProfileKind::Released {
        let old = request.old.map(|old| read::<NamespacedCloudProfileSpec>(&old["spec"]));
        let stored = released::stored(old.as_ref(), &read(&request.object["spec"]), request.now);
        found["rendered"] = json!(released::render(request.parent.unwrap(), &stored));
        found["stored"] = json!(stored);
    }
    found
}

/// Which verbs are needed, and what comes of it.
fn asked(case: &Value, kind: ProfileKind) -> Value {
    let needed = verbs(kind, case.get("oldProfile"), &case["profile"]);
    let names: Vec<&str> = needed.iter().map(|verb| verb.name).collect();
    let Some(held) = case.pointer("/caller/verbs").and_then(Value::as_array) else {
        return json!({ "verbs": names });
    };
    let is_held = |name: &str| held.iter().any(|held| held == name || held == "*");
    match needed.iter().find(|verb| !is_held(verb.name)) {
        Some(verb) => {
            let mut refusals = rejected(&[verb.refusal()]);
            refusals[0]["verb"] = verb.name.into();
            json!({ "rejected": refusals })
        }
        None => json!({ "accepted": true }),
    }
}

/// Whether a cluster may refer to another profile.
fn referred(case: &Value) -> Value {
    let private: Vec<PrivateCloudProfile> = of_kind(case, ProfileKind::Private);
    let released: Vec<NamespacedCloudProfile> = of_kind(case, ProfileKind::Released);
    let others: Vec<&str> = objects(case, "otherParents").map(|name| name.as_str().unwrap()).collect();
    let namespace = text_of(&case["shoot"], "namespace");
    let at = |member: &str| {
        let reference = &case["shoot"][member];
        let spec = match reference.get("cloudProfileName") {
            Some(_) => reference.clone(),
            None => json!({ "cloudProfile": reference }),
        };
        let workers = &case["shoot"]["workers"];
        shoot(&json!({ "namespace": namespace, "name": "shoot", "spec": spec, "workers": workers }))
    };
    let (old, new) = (at("old"), at("new"));
    let parent: Option<CloudProfile> = read(&case["parent"]);
    let spec_of =
        |name: &str| parent.as_ref().filter(|parent| parent.name() == name).map(|parent| &parent.spec);
    let empty = CloudProfileSpec::default();
    let lead = |shoot: &'_ Shoot| {
        let reference = shoot.profile.clone().unwrap();
        if reference.kind == CLOUD_PROFILE {
            let other = others.iter().find(|other| **other == reference.name);
            let own = parent.as_ref().filter(|parent| parent.name() == reference.name);
            let own = own.map(|own| Referred::cloud_profile(own.name(), &own.spec));
            return own.or_else(|| other.map(|other| Referred::cloud_profile(other, &empty)));
        }
        let private = private.iter().find(|one| {
            one.namespace() == namespace && reference.is_to(ProfileKind::Private.name(), one.name())
        });
        let released = released.iter().find(|one| {
            one.namespace() == namespace && reference.is_to(ProfileKind::Released.name(), one.name())
        });
        let private = private.map(|one| Referred::private(&one.spec.parent));
        private.or_else(|| released.map(|one| Referred::released(one, spec_of(&one.spec.parent.name))))
    };
    match shoot_update(&old, &new, lead(&old).as_ref(), lead(&new).as_ref()) {
        Some(refusal) => json!({ "rejected": rejected(&[refusal]) }),
        None => json!({ "allowed": true }),
    }
}

/// The further profiles of a case that are of a kind.
fn of_kind<T: DeserializeOwned>(case: &Value, kind: ProfileKind) -> Vec<T> {
    objects(case, "profiles").filter(|profile| profile["kind"] == kind.name()).map(read).collect()
}

/// Whether a cloud profile may be changed.
fn changed(case: &Value) -> Value {
    let (old, new): (CloudProfile, CloudProfile) = (read(&case["oldParent"]), read(&case["parent"]));
    let profiles: Vec<NamespacedCloudProfile> = of_kind(case, ProfileKind::Released);
    let profiles: Vec<&NamespacedCloudProfile> = profiles.iter().collect();
    let shoots: Vec<Shoot> = objects(case, "shoots").map(shoot).collect();
    let update = ParentUpdate {
        name: new.name(),
        old: &old.spec,
        new: &new.spec,
        profiles: &profiles,
        shoots: &shoots,
    };
    match parent_update(&update).as_slice() {
        [] => json!({ "allowed": true }),
        refusals => json!({ "rejected": rejected(refusals) }),
    }
}

/// What becomes of an object that is being deleted.
fn deleted(case: &Value) -> Value {
    let shoots: Vec<Shoot> = objects(case, "shoots").map(shoot).collect();
    let deletion = if case["profile"].is_null() {
        let name = text_of(&case["parent"]["metadata"], "name");
        let inherits = |profile: &&Value| {
            let kind = ProfileKind::of(text_of(profile, "kind")).unwrap();
            kind.parent(profile) == Some(name)
        };
        let children = objects(case, "profiles").filter(inherits);
        let children: Vec<String> =
            children.map(|child| text_of(&child["metadata"], "name").to_owned()).collect();
        cloud_profile_deletion(case["parent"]["metadata"].as_object().unwrap(), &children, &shoots)
    } else {
        profile_deletion(kind_of(case), case["profile"]["metadata"].as_object().unwrap(), &shoots)
    };
    let is_held = !deletion.holders.is_empty();
    assert!(!is_held || deletion.finalizers.iter().any(|one| one == FINALIZER));
    json!({
        "finalizers": deletion.finalizers,
        "event": is_held.then_some(REFERENCED),
        "retry": is_held,
    })
}

/// What is rendered of a profile of the released kind.
fn rendered(case: &Value) -> Value {
    match read::<Option<CloudProfile>>(&case["parent"]) {
        Some(parent) => {
            json!({ "rendered": released::render(&parent.spec, &read(&case["profile"]["spec"])) })
        }
        None => json!({ "unchanged": true }),
    }
}

/// The findings of a case in an order of their own.
fn in_order(mut found: Map<String, Value>) -> Value {
    if let Some(Value::Array(refusals)) = found.get_mut("rejected") {
        refusals.sort_by_key(ToString::to_string);
    }
    Value::Object(found)
}

/// What differs in a case, but for marked cases of other folders that nothing is said of here.
fn judge(case: &Value, found: &Value) -> Option<String> {
    let id = text_of(case, "id");
    let better = BETTER.iter().find(|(known, ..)| *known == id);
    let is_known = better.is_some() || SAME.iter().any(|(known, _)| *known == id);
    if case.get("quirk").is_some() && !is_known {
        return elsewhere().is_none().then(|| format!("{id}: nothing is said of its mark"));
    }
    let mut expect = case["expect"].clone();
    if let Some((_, better, _)) = better {
        better(&mut expect);
    }
    let expect = expect.as_object().unwrap().clone();
    let mut found = found.as_object().unwrap().clone();
    found.retain(|member, _| expect.contains_key(member));
    let order = if case["order"] == "exact" { Order::Exact } else { Order::Free };
    let told = difference(&in_order(found), &in_order(expect), order)?;
    Some(format!("{id}:\n{told}"))
}

fn check(operations: &[&str], look: impl Fn(&Value) -> Value) {
    let cases = cases(operations);
    let told: Vec<String> = cases.iter().filter_map(|case| judge(case, &look(case))).collect();
    assert!(told.is_empty(), "{} of {} cases differ:\n{}", told.len(), cases.len(), told.join("\n"));
}

#[test]
fn profiles_are_written_as_specified() {
    check(&["create", "update"], written);
}

#[test]
fn clusters_go_to_other_profiles_as_specified() {
    check(&["shoot-update"], referred);
}

#[test]
fn cloud_profiles_change_as_specified() {
    check(&["parent-update"], changed);
}

#[test]
fn profiles_are_deleted_as_specified() {
    check(&["delete"], deleted);
}

/// What the released kind does badly when it renders.
#[test]
fn quirks_are_followed_or_not_as_said() {
    let marked = cases(&["render"]).into_iter().filter(|case| case.get("quirk").is_some());
    let told: Vec<String> = marked.filter_map(|case| judge(&case, &rendered(&case))).collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}
