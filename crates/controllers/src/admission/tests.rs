//! Tests of the judge and the keeper, in a cluster that is played.

mod additions;
mod findings;
mod references;

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use landfall_kube::kinds::{GARDENER_PROFILES, LANDFALL_PROFILES, ProfileKinds};
use serde_json::{Value, json};

use super::*;
use crate::fake_cluster::FakeCluster;
use crate::{Controller, Key, Next};

const VERBS: [&str; 2] = ["modify-spec-kubernetes", "modify-spec-machineImages"];

fn judge(cluster: &Arc<FakeCluster>) -> Judge {
    Judge::new(cluster.clone(), cluster.clone(), &GARDENER_PROFILES)
}

fn cluster() -> Arc<FakeCluster> {
    let cluster = Arc::new(FakeCluster::default());
    cluster.put(
        &GARDENER_PROFILES.cloud,
        json!({
            "metadata": { "name": "p" },
            "spec": {
                "type": "x",
                "kubernetes": { "versions": [{ "version": "1.2.3" }] },
                "machineTypes": [{ "name": "m" }],
            },
        }),
    );
    cluster
}

fn profile(spec: &Value) -> Value {
    json!({
        "apiVersion": GARDENER_PROFILES.private.api_version(),
        "kind": "PrivateCloudProfile",
        "metadata": { "name": "c", "namespace": "n" },
        "spec": spec,
    })
}

fn review(resource: &str, old: &Value, new: &Value) -> Value {
    json!({ "request": {
        "uid": "u-1",
        "resource": { "group": GARDENER_PROFILES.private.group, "version": "v1beta1", "resource": resource },
        "name": "c",
        "namespace": "n",
        "userInfo": { "username": "anna", "groups": ["g"], "uid": "7", "extra": { "k": ["v"] } },
        "object": new,
        "oldObject": old,
    }})
}

async fn answer(cluster: &Arc<FakeCluster>, review: &Value) -> (bool, u64, String) {
    let answer = judge(cluster).review(review, Timestamp::UNIX_EPOCH).await;
    let response = answer.get("response").cloned().unwrap_or_default();
    assert_eq!(response["uid"], "u-1");
    (
        response["allowed"] == true,
        response["status"]["code"].as_u64().unwrap_or_default(),
        response["status"]["message"].as_str().unwrap_or_default().to_owned(),
    )
}

#[tokio::test]
async fn all_that_is_wrong_is_reported_with_its_field() {
    let spec = json!({ "parent": "p", "type": "x", "limits": { "maxNodesTotal": 0 } });
    let (allowed, code, why) =
        answer(&cluster(), &review("privatecloudprofiles", &Value::Null, &profile(&spec))).await;
    assert_eq!((allowed, code), (false, 422));
    assert!(why.contains("spec.type") && why.contains("spec.limits.maxNodesTotal"), "{why}");
    let spec = json!({ "parent": "gone" });
    let (allowed, _, why) =
        answer(&cluster(), &review("privatecloudprofiles", &Value::Null, &profile(&spec))).await;
    assert!(!allowed && why.contains("spec.parent"), "{why}");
}

#[tokio::test]
async fn a_cloud_profile_that_would_spoil_its_children_is_refused() {
    let cluster = cluster();
    let written = |spec: &Value| json!({ "metadata": { "name": "p" }, "spec": spec });
    let image =
        json!({ "name": "rhcos", "versions": [{ "version": "1.0.0", "cri": [{ "name": "containerd" }] }] });
    let with = |image: &Value| {
        let kubernetes = json!({ "versions": [{ "version": "1.2.3" }] });
        json!({ "type": "x", "kubernetes": kubernetes, "machineImages": [image] })
    };
    let asked = async |old: &Value, spec: &Value| {
        answer(&cluster, &review("cloudprofiles", old, &written(spec))).await
    };
    let (allowed, code, why) = asked(&Value::Null, &json!({})).await;
    assert_eq!((allowed, code), (false, 422));
    assert!(why.contains("spec.type: ") && why.contains("spec.kubernetes.versions: "), "{why}");
    let (allowed, _, why) = asked(&Value::Null, &with(&image)).await;
    assert!(!allowed && why.contains("spec.machineImages[0].updateStrategy: "), "{why}");
    let mut whole = image.clone();
    whole["updateStrategy"] = "major".into();
    assert!(asked(&Value::Null, &with(&whole)).await.0);
    // What was stored before may be mended in other places.
    let mut mended = with(&image);
    mended["machineTypes"] = json!([{ "name": "m" }]);
    let (allowed, _, why) = asked(&written(&with(&image)), &mended).await;
    assert!(allowed, "{why}");
}

#[tokio::test]
async fn nobody_begins_to_build_on_a_cloud_profile_that_is_being_deleted() {
    let cluster = cluster();
    let mut leaving = cluster.with(|state| state.objects.clone()).into_values().next().unwrap_or_default();
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
    cluster.put(&GARDENER_PROFILES.cloud, leaving);
    let new = profile(&json!({ "parent": "p" }));
    let (allowed, _, why) = answer(&cluster, &review("privatecloudprofiles", &Value::Null, &new)).await;
    assert!(!allowed && why.starts_with("spec.parent: "), "{why}");
    let mut changed = new.clone();
    changed["spec"]["limits"] = json!({ "maxNodesTotal": 5 });
    let (allowed, _, why) = answer(&cluster, &review("privatecloudprofiles", &new, &changed)).await;
    assert!(allowed, "{why}");
}

#[tokio::test]
async fn guarded_fields_need_a_verb_of_whoever_asks() {
    let versions = json!([{ "version": "1.2.3", "expirationDate": "2999-01-01T00:00:00Z" }]);
    let spec = json!({ "parent": "p", "kubernetes": { "versions": versions } });
    let asked = review("privatecloudprofiles", &Value::Null, &profile(&spec));
    let cluster = cluster();
    let (allowed, code, why) = answer(&cluster, &asked).await;
    assert_eq!((allowed, code), (false, 403), "{why}");
    let question = json!({
        "user": "anna",
        "groups": ["g"],
        "uid": "7",
        "extra": { "k": ["v"] },
        "resourceAttributes": {
            "namespace": "n",
            "verb": "modify-spec-kubernetes",
            "group": GARDENER_PROFILES.private.group,
            "resource": "privatecloudprofiles",
            "name": "c",
        },
    });
    assert_eq!(cluster.with(|state| state.asked.clone()), [question]);
    cluster.with(|state| state.verbs.extend(VERBS));
    assert!(answer(&cluster, &asked).await.0);
    // What stays needs none.
    cluster.with(|state| state.verbs.clear());
    assert!(answer(&cluster, &review("privatecloudprofiles", &profile(&spec), &profile(&spec))).await.0);
}

#[tokio::test]
async fn a_cluster_goes_to_a_child_of_its_profile_and_to_no_other() {
    let cluster = cluster();
    cluster.put(&GARDENER_PROFILES.private, profile(&json!({ "parent": "p" })));
    let shoot = |kind: &str, name: &str| {
        json!({
            "metadata": { "name": "s", "namespace": "n" },
            "spec": { "cloudProfile": { "kind": kind, "name": name } },
        })
    };
    let from = shoot("CloudProfile", "p");
    let to = async |to: Value| answer(&cluster, &review("shoots", &from, &to)).await;
    assert!(to(shoot("PrivateCloudProfile", "c")).await.0);
    let (allowed, _, why) = to(shoot("PrivateCloudProfile", "gone")).await;
    assert!(!allowed && why.contains("not-found"), "{why}");
}

#[tokio::test]
async fn a_parent_keeps_what_its_children_name() {
    let cluster = cluster();
    cluster.put(
        &GARDENER_PROFILES.namespaced,
        json!({
            "metadata": { "name": "c", "namespace": "n" },
            "spec": {
                "parent": { "kind": "CloudProfile", "name": "p" },
                "kubernetes": { "versions": [{ "version": "1.2.3" }] },
            },
            "status": { "cloudProfileSpec": { "type": "x" } },
        }),
    );
    let old = cluster.at(&ObjectRef::in_cluster(&GARDENER_PROFILES.cloud, "p"));
    let mut new = old.clone();
    new["spec"]["kubernetes"]["versions"] = json!([{ "version": "1.2.4" }]);
    let (allowed, _, why) = answer(&cluster, &review("cloudprofiles", &old, &new)).await;
    assert!(!allowed && why.contains("1.2.3"), "{why}");
    new["spec"] = old["spec"].clone();
    new["metadata"]["labels"] = json!({ "a": "b" });
    assert!(answer(&cluster, &review("cloudprofiles", &old, &new)).await.0);
}

#[tokio::test]
async fn finalizers_come_and_go_whatever_became_of_the_parent() {
    let cluster = Arc::new(FakeCluster::default());
    let specs = [
        ("privatecloudprofiles", json!({ "parent": "p", "limits": { "maxNodesTotal": 0 } })),
        ("namespacedcloudprofiles", json!({ "parent": { "kind": "CloudProfile", "name": "p" } })),
    ];
    for (resource, spec) in specs {
        let bare = profile(&spec);
        let mut held = bare.clone();
        held["metadata"]["finalizers"] = json!(["gardener"]);
        for (old, new) in [(&bare, &held), (&held, &bare)] {
            let (allowed, _, why) = answer(&cluster, &review(resource, old, new)).await;
            assert!(allowed, "{resource}: {why}");
        }
    }
}

#[tokio::test]
async fn a_parent_that_cannot_be_read_is_refused_and_where_it_stands_holds_up_nobody() {
    let cluster = cluster();
    let good = cluster.at(&ObjectRef::in_cluster(&GARDENER_PROFILES.cloud, "p"));
    let mut odd = good.clone();
    odd["spec"]["machineTypes"] = json!([{ "name": "m", "cpu": { "a": 1 } }]);
    for old in [&Value::Null, &good] {
        let (allowed, code, why) = answer(&cluster, &review("cloudprofiles", old, &odd)).await;
        assert_eq!((allowed, code), (false, 422), "{why}");
    }
    assert!(answer(&cluster, &review("cloudprofiles", &odd, &good)).await.0);
    cluster.put(&GARDENER_PROFILES.cloud, odd);
    let held = profile(&json!({ "parent": "p" }));
    let mut bare = held.clone();
    bare["metadata"]["finalizers"] = json!([]);
    assert!(answer(&cluster, &review("privatecloudprofiles", &held, &bare)).await.0);
    let (allowed, code, _) = answer(&cluster, &review("privatecloudprofiles", &Value::Null, &held)).await;
    assert_eq!((allowed, code), (false, 500));
}

#[tokio::test]
async fn nothing_is_written_that_cannot_be_judged() {
    let cluster = cluster();
    cluster.with(|state| state.is_down = true);
    let asked = review("privatecloudprofiles", &Value::Null, &profile(&json!({ "parent": "p" })));
    let (allowed, code, why) = answer(&cluster, &asked).await;
    assert_eq!((allowed, code), (false, 500), "{why}");
}

#[tokio::test]
async fn the_keeper_makes_certificates_once() {
    let cluster = Arc::new(FakeCluster::default());
    let address = Address::Service("hook".to_owned());
    let keeper = Keeper::new(cluster.clone(), &GARDENER_PROFILES, address, "here".to_owned());
    let key = Key { namespace: None, name: NAME.to_owned() };
    assert_eq!(keeper.reconcile(&key).await, Ok(Next::Settled));
    assert_eq!(keeper.reconcile(&key).await, Ok(Next::Settled));
    // First who is to be trusted, then the certificates.
    let written =
        cluster.with(|state| state.writes.iter().map(|(place, _)| place.kind.kind).collect::<Vec<_>>());
    assert_eq!(written, ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "Secret"]);
    let bundle = |object: &Value| object.pointer("/webhooks/0/clientConfig/caBundle").cloned();
    let kept = cluster.at(&secret("here"))["data"]["ca.crt"].clone();
    for kind in [&kinds::MUTATING_WEBHOOK_CONFIGURATION, &kinds::VALIDATING_WEBHOOK_CONFIGURATION] {
        let told = ObjectRef::in_cluster(kind, NAME);
        assert_eq!(bundle(&cluster.at(&told)), Some(kept.clone()));
        // Who takes it away gets it back.
        cluster.with(|state| state.objects.remove(&told));
        assert_eq!(keeper.reconcile(&key).await, Ok(Next::Settled));
        assert_eq!(bundle(&cluster.at(&told)), Some(kept.clone()));
    }
}

#[tokio::test]
async fn a_server_that_drops_conditions_is_not_sent_them_again_and_again() {
    let cluster = Arc::new(FakeCluster::default());
    let hook = || Address::Service("hook".to_owned());
    let new = || Keeper::new(cluster.clone(), &GARDENER_PROFILES, hook(), "own".to_owned());
    let key = Key { namespace: None, name: NAME.to_owned() };
    let places = [&kinds::MUTATING_WEBHOOK_CONFIGURATION, &kinds::VALIDATING_WEBHOOK_CONFIGURATION]
        .map(|kind| ObjectRef::in_cluster(kind, NAME));
    let has_all = |cluster: &FakeCluster| {
        let webhooks = places.iter().map(|place| cluster.at(place)["webhooks"].clone());
        let webhooks: Vec<Value> =
            webhooks.flat_map(|all| all.as_array().cloned().unwrap_or_default()).collect();
        assert_eq!(webhooks.len(), 6);
        webhooks.iter().all(|webhook| webhook["matchConditions"][0]["expression"].is_string())
    };
    let drop_them = |cluster: &FakeCluster| {
        cluster.with(|state| {
            for place in &places {
                let Some(object) = state.objects.get_mut(place) else { continue };
                for webhook in object["webhooks"].as_array_mut().into_iter().flatten() {
                    if let Some(webhook) = webhook.as_object_mut() {
                        webhook.remove("matchConditions");
                    }
                }
            }
        });
    };
    let writes = |cluster: &FakeCluster| cluster.with(|state| state.writes.len());
    let keeper = new();
    assert_eq!(keeper.reconcile(&key).await, Ok(Next::Settled));
    assert!(has_all(&cluster));
    drop_them(&cluster);
    let before = writes(&cluster);
    assert_eq!(keeper.reconcile(&key).await, Ok(Next::Settled));
    assert_eq!(writes(&cluster), before);
    // The next process tries once: the server may be a newer one.
    let keeper = new();
    assert_eq!(keeper.reconcile(&key).await, Ok(Next::Settled));
    assert_eq!((writes(&cluster), has_all(&cluster)), (before + 2, true));
    drop_them(&cluster);
    assert_eq!(keeper.reconcile(&key).await, Ok(Next::Settled));
    assert_eq!(writes(&cluster), before + 2);
    // What else differs is put right all the same.
    cluster.with(|state| {
        for place in &places {
            if let Some(object) = state.objects.get_mut(place) {
                object["webhooks"][0]["failurePolicy"] = json!("Ignore");
            }
        }
    });
    assert_eq!(keeper.reconcile(&key).await, Ok(Next::Settled));
    assert_eq!((writes(&cluster), has_all(&cluster)), (before + 4, true));
}

#[test]
fn one_is_asked_before_the_other_and_neither_is_passed_by() {
    let address = Address::Service("hook".to_owned());
    let [(_, amending), (_, judging)] = configurations(&GARDENER_PROFILES, &address, "here", None);
    let all = |object: &Value| object["webhooks"].as_array().cloned().unwrap_or_default();
    assert_eq!((all(&amending).len(), all(&judging).len()), (1, 5));
    for webhook in all(&amending).iter().chain(&all(&judging)) {
        let is_judged_twice = webhook["rules"][0]["resources"] == json!(["azureinfrastructures"]);
        assert_eq!(webhook["failurePolicy"], if is_judged_twice { "Ignore" } else { "Fail" });
        assert_eq!(webhook["sideEffects"], "None");
    }
    let asked = &amending["webhooks"][0];
    assert_eq!(asked["reinvocationPolicy"], "IfNeeded");
    assert_eq!(asked["rules"][0]["resources"], json!(["namespacedcloudprofiles"]));
    assert_eq!(asked["rules"][0]["operations"], json!(["CREATE", "UPDATE"]));
    assert_eq!(asked["clientConfig"]["service"]["path"], AMENDMENT);

    // The controller judges infrastructures as well.
    let groups = |kinds: &ProfileKinds| {
        let all_of = configurations(kinds, &address, "here", None);
        let rules =
            all_of.iter().flat_map(|(_, object)| all(object)).map(|webhook| webhook["rules"][0].clone());
        let of = |rule: Value| (rule["apiGroups"][0].clone(), rule["resources"].to_string());
        rules.map(of).collect::<Vec<_>>()
    };
    let mut own = groups(&LANDFALL_PROFILES);
    let clusters = own.pop().map(|(group, resources)| (group, resources.contains("azureinfrastructures")));
    assert_eq!(clusters, Some((json!(LANDFALL_PROFILES.users.group), true)));
    assert_eq!(own.iter().filter(|(group, _)| group == LANDFALL_PROFILES.cloud.group).count(), 4, "{own:?}");
}

/// What is changed of a profile of the released kind.
fn amended(old: &Value, new: &Value) -> Result<Value, Box<dyn std::error::Error>> {
    let review = review("namespacedcloudprofiles", old, new);
    let response = mutation::amend(&review, Timestamp::UNIX_EPOCH)["response"].take();
    assert_eq!((response["uid"].as_str(), response["allowed"].as_bool()), (Some("u-1"), Some(true)));
    let Some(patch) = response["patch"].as_str() else {
        assert_eq!(response.get("patchType"), None);
        return Ok(Value::Null);
    };
    assert_eq!(response["patchType"], "JSONPatch");
    let operations: json_patch::Patch = serde_json::from_slice(&STANDARD.decode(patch)?)?;
    let mut object = new.clone();
    json_patch::patch(&mut object, &operations)?;
    Ok(object["spec"].take())
}

#[test]
fn profiles_of_the_released_kind_are_amended() -> Result<(), Box<dyn std::error::Error>> {
    let versions = json!([{ "version": "1.2.3", "expirationDate": "1969-01-01T00:00:00Z" }]);
    let sent = profile(&json!({
        "kubernetes": { "versions": versions },
        "machineTypes": [{ "name": "m", "unknown": 1 }],
    }));
    let kept = json!({
        "kubernetes": { "versions": [] },
        "machineTypes": [{ "name": "m", "unknown": 1, "usable": true }],
    });
    assert_eq!(amended(&Value::Null, &sent)?, kept);
    // What is as it should be needs no patch, nor does what is being deleted.
    assert_eq!(amended(&Value::Null, &profile(&kept))?, Value::Null);
    let mut leaves = sent.clone();
    leaves["metadata"]["deletionTimestamp"] = json!("1970-01-01T00:00:00Z");
    assert_eq!(amended(&profile(&kept), &leaves)?, Value::Null);
    let other = review("privatecloudprofiles", &Value::Null, &sent);
    assert_eq!(mutation::amend(&other, Timestamp::UNIX_EPOCH)["response"].get("patch"), None);
    Ok(())
}

#[test]
fn what_is_nested_too_deeply_is_refused_by_name() {
    fn told(answer: &Value) -> &str {
        answer["response"]["status"]["message"].as_str().unwrap_or_default()
    }
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let body = |levels| {
        let nested = nested(levels);
        format!(r#"{{ "request": {{ "object": {{ "spec": {nested} }}, "uid": "u-1" }} }}"#).into_bytes()
    };
    assert_eq!(review::read(&body(90)).unwrap_or_default()["request"]["uid"], "u-1");
    let deep = review::read(&body(130)).err().flatten().unwrap_or_default();
    for levels in [130, 100_000] {
        let refused = review::read(&body(levels)).err().flatten().unwrap_or_default();
        let response = &refused["response"];
        assert_eq!((&response["uid"], &response["allowed"]), (&json!("u-1"), &json!(false)));
        assert_eq!((&response["status"]["code"], told(&refused)), (&json!(422), told(&deep)));
    }
    let read = r#"{ "request": { "object": 1e999, "uid": "u-1" } }"#;
    let other = review::read(read.as_bytes()).err().flatten().unwrap_or_default();
    assert_ne!(told(&other), told(&deep));
    let sentences = [("too deep", told(&deep)), ("not JSON", told(&other))];
    landfall_testing::assert_sentences(
        "admission-unread",
        sentences.map(|(case, told)| (case.to_owned(), told.to_owned())),
    );
    // Who can be answered is not known.
    for body in ["", "{", "[]", r#"{ "request": {} }"#] {
        let read = review::read(body.as_bytes());
        assert!(read == Err(None) || read.is_ok_and(|read| read["request"]["uid"].is_null()), "{body}");
    }
}

#[tokio::test]
async fn cloud_profiles_are_not_nested_deeply() {
    let cluster = cluster();
    let nested = (0..40).fold(json!(1), |inner, _| json!([inner]));
    let stands = cluster.at(&ObjectRef::in_cluster(&GARDENER_PROFILES.cloud, "p"));
    let mut new = stands.clone();
    new["spec"]["providerConfig"] = nested;
    for old in [&Value::Null, &stands] {
        let (allowed, code, why) = answer(&cluster, &review("cloudprofiles", old, &new)).await;
        assert!(!allowed && code == 422 && why.contains("spec.providerConfig"), "{why}");
    }
    assert!(answer(&cluster, &review("cloudprofiles", &Value::Null, &stands)).await.0);
}

#[tokio::test]
async fn who_builds_on_a_cloud_profile_is_asked_for_only_where_it_matters() {
    let cluster = cluster();
    let old = cluster.at(&ObjectRef::in_cluster(&GARDENER_PROFILES.cloud, "p"));
    cluster.with(|state| state.is_down = true);
    let mut new = old.clone();
    new["spec"]["machineTypes"] = json!([{ "name": "m", "cpu": "2" }, { "name": "n" }]);
    assert!(answer(&cluster, &review("cloudprofiles", &old, &new)).await.0);
    let (allowed, code, _) = answer(&cluster, &review("cloudprofiles", &new, &old)).await;
    assert_eq!((allowed, code), (false, 500));
}

#[tokio::test]
async fn what_a_cluster_uses_of_a_private_profile_stays() {
    let cluster = cluster();
    let own = profile(&json!({ "parent": "p", "machineTypes": [{ "name": "own" }] }));
    cluster.put(&GARDENER_PROFILES.private, own.clone());
    let shoot = |kind: &str, name: &str, machine: &str| {
        json!({
            "metadata": { "name": "s", "namespace": "n" },
            "spec": {
                "cloudProfile": { "kind": kind, "name": name },
                "provider": { "workers": [{ "machine": { "type": machine } }, { "machine": { "type": "m" } }] },
            },
        })
    };
    let used = shoot("PrivateCloudProfile", "c", "own");
    cluster.put(&kinds::SHOOT, used.clone());
    // By a change of the profile.
    let bare = profile(&json!({ "parent": "p" }));
    let (allowed, code, why) = answer(&cluster, &review("privatecloudprofiles", &own, &bare)).await;
    assert!(
        !allowed && code == 422 && why.contains("spec.machineTypes") && why.contains("`own` by Shoot `n/s`"),
        "{why}"
    );
    let mut labelled = own.clone();
    labelled["metadata"]["labels"] = json!({ "a": "b" });
    assert!(answer(&cluster, &review("privatecloudprofiles", &own, &labelled)).await.0);
    // By a change of its parent.
    let parent = cluster.at(&ObjectRef::in_cluster(&GARDENER_PROFILES.cloud, "p"));
    let mut without = parent.clone();
    without["spec"]["machineTypes"] = json!([]);
    let (allowed, _, why) = answer(&cluster, &review("cloudprofiles", &parent, &without)).await;
    assert!(!allowed && why.contains("spec.machineTypes") && why.contains("`m` by Shoot `n/s`"), "{why}");
    let mut grown = parent.clone();
    grown["spec"]["machineTypes"] = json!([{ "name": "m" }, { "name": "n" }]);
    assert!(answer(&cluster, &review("cloudprofiles", &parent, &grown)).await.0);
    // By a change of the reference.
    let to_parent = shoot("CloudProfile", "p", "own");
    let (allowed, _, why) = answer(&cluster, &review("shoots", &used, &to_parent)).await;
    assert!(!allowed && why.contains("machine-type-missing") && why.contains("`own`"), "{why}");
    let to_parent = shoot("CloudProfile", "p", "m");
    assert!(answer(&cluster, &review("shoots", &used, &to_parent)).await.0);
    // Nobody uses it any more.
    cluster.with(|state| state.objects.retain(|place, _| place.kind.kind != "Shoot"));
    assert!(answer(&cluster, &review("privatecloudprofiles", &own, &bare)).await.0);
    assert!(answer(&cluster, &review("cloudprofiles", &parent, &without)).await.0);
}
