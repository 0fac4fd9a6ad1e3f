//! The annotation that protects a Ready cluster from deletion.

use super::*;

const REMOVED: &str = "ProtectionRemoved";

fn protection(stage: &Stage) -> Value {
    stage.resource()["metadata"]["annotations"][anchor::PROTECTION].clone()
}

/// How often the removal of the protection was reported.
fn reports(stage: &Stage) -> usize {
    let events = stage.played.events.lock().map(|events| events.clone()).unwrap_or_default();
    events.iter().filter(|reason| **reason == REMOVED).count()
}

/// What `kubectl replace` leaves of a resource whose file has only its spec.
fn replace(stage: &Stage) {
    stage.change(&json!({ "metadata": { "labels": null, "annotations": null, "finalizers": null } }));
}

#[tokio::test(start_paused = true)]
async fn a_replaced_resource_is_protected_again() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    stage.rounds(12).await;
    assert_eq!(protection(&stage), "true");
    replace(&stage);
    // So it is before its inputs are read.
    stage.change(&json!({ "spec": { "factsRef": { "name": "nowhere" } }, "metadata": { "generation": 2 } }));
    let before = stage.resource()["status"].clone();
    assert!(stage.controller.run(&key()).await.is_ok());
    assert_eq!((protection(&stage), &stage.resource()["status"]), (json!("true"), &before));
    stage.change(&json!({ "spec": { "factsRef": null }, "metadata": { "generation": 3 } }));
    stage.rounds(4).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
    assert_eq!(stage.resource()["metadata"]["labels"][keys::CLUSTER], "demo-x7k2p");
    assert_eq!((protection(&stage), reports(&stage)), (json!("true"), 0));
}

#[tokio::test(start_paused = true)]
async fn a_removal_on_purpose_is_reported_once_and_stays() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    stage.rounds(12).await;
    let set = |value: Value| {
        stage.change(&json!({ "metadata": { "annotations": { (anchor::PROTECTION): value } } }));
    };
    set(Value::Null);
    stage.rounds(3).await;
    pinned::restart(&stage);
    stage.rounds(3).await;
    assert_eq!((protection(&stage), reports(&stage)), (Value::Null, 1));
    replace(&stage);
    stage.rounds(4).await;
    assert_eq!((protection(&stage), reports(&stage)), (Value::Null, 1));
    // Its owner protects it again.
    set(json!("true"));
    stage.rounds(2).await;
    replace(&stage);
    stage.rounds(4).await;
    assert_eq!((protection(&stage), reports(&stage)), (json!("true"), 1));
    set(json!("false"));
    stage.rounds(2).await;
    assert_eq!((protection(&stage), reports(&stage)), (json!("false"), 2));
}

#[tokio::test(start_paused = true)]
async fn a_cluster_that_was_never_protected_reports_nothing() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    stage.change(&json!({ "metadata": { "annotations": { (anchor::PROTECTION): "false" } } }));
    stage.rounds(14).await;
    assert_eq!(stage.condition("Ready"), "True Done");
    assert_eq!((protection(&stage), reports(&stage)), (json!("false"), 0));
}
