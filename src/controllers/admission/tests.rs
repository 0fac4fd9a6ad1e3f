//! Tests of the judge and the keeper, in a cluster that is played.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::*;
use crate::controllers::played::Played;
use crate::controllers::{Controller, Key, Next};
use crate::profile::types::{API_VERSION, GROUP};

const VERBS: [&str; 2] = ["modify-spec-kubernetes", "modify-spec-machineImages"];

fn judge(cluster: &Arc<Played>) -> Judge {
    Judge::new(cluster.clone(), cluster.clone())
}

fn cluster() -> Arc<Played> {
    let cluster = Arc::new(Played::default());
    cluster.put(
        &kinds::CLOUD_PROFILE,
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
        "apiVersion": API_VERSION,
        "kind": "PrivateCloudProfile",
        "metadata": { "name": "c", "namespace": "n" },
        "spec": spec,
    })
}

fn review(resource: &str, old: &Value, new: &Value) -> Value {
    json!({ "request": {
        "uid": "u-1",
        "resource": { "group": GROUP, "version": "v1beta1", "resource": resource },
        "name": "c",
        "namespace": "n",
        "userInfo": { "username": "anna", "groups": ["g"], "uid": "7", "extra": { "k": ["v"] } },
        "object": new,
        "oldObject": old,
    }})
}

async fn answer(cluster: &Arc<Played>, review: &Value) -> (bool, u64, String) {
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
async fn all_that_is_wrong_is_told_with_its_field() {
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
            "group": GROUP,
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
    cluster.put(&kinds::PRIVATE_CLOUD_PROFILE, profile(&json!({ "parent": "p" })));
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
        &kinds::NAMESPACED_CLOUD_PROFILE,
        json!({
            "metadata": { "name": "c", "namespace": "n" },
            "spec": {
                "parent": { "kind": "CloudProfile", "name": "p" },
                "kubernetes": { "versions": [{ "version": "1.2.3" }] },
            },
            "status": { "cloudProfileSpec": { "type": "x" } },
        }),
    );
    let old = cluster.at(&Place::in_cluster(&kinds::CLOUD_PROFILE, "p"));
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
    let cluster = Arc::new(Played::default());
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
async fn nothing_is_written_that_cannot_be_judged() {
    let cluster = cluster();
    cluster.with(|state| state.is_down = true);
    let asked = review("privatecloudprofiles", &Value::Null, &profile(&json!({ "parent": "p" })));
    let (allowed, code, why) = answer(&cluster, &asked).await;
    assert_eq!((allowed, code), (false, 500), "{why}");
}

#[tokio::test]
async fn the_keeper_makes_certificates_once() {
    let cluster = Arc::new(Played::default());
    let address = Address::Service("hook".to_owned());
    let keeper = Keeper::new(cluster.clone(), address, "here".to_owned());
    let key = Key { namespace: None, name: NAME.to_owned() };
    assert_eq!(keeper.reconcile(&key).await, Ok(Next::Settled));
    assert_eq!(keeper.reconcile(&key).await, Ok(Next::Settled));
    // First who is to be trusted, then the certificates.
    let written =
        cluster.with(|state| state.writes.iter().map(|(place, _)| place.kind.kind).collect::<Vec<_>>());
    assert_eq!(written, ["ValidatingWebhookConfiguration", "Secret"]);
    let told = Place::in_cluster(&kinds::VALIDATING_WEBHOOK_CONFIGURATION, NAME);
    let bundle = |object: &Value| object.pointer("/webhooks/0/clientConfig/caBundle").cloned();
    let kept = cluster.at(&secret("here"))["data"]["ca.crt"].clone();
    assert_eq!(bundle(&cluster.at(&told)), Some(kept));
    // Who takes it away gets it back.
    cluster.with(|state| state.objects.remove(&told));
    assert_eq!(keeper.reconcile(&key).await, Ok(Next::Settled));
    assert!(cluster.at(&told)["webhooks"].is_array());
}
