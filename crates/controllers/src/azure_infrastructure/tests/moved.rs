//! A cluster on its way to another management cluster.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_pause_lets_a_move_begin_and_a_moved_resource_deletes_nothing() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    stage.rounds(12).await;
    let blocks = |stage: &Stage| stage.resource()["metadata"]["annotations"].get(keys::BLOCK_MOVE).is_some();
    assert!(blocks(&stage));
    stage.change(&json!({ "spec": { "paused": true }, "metadata": { "generation": 2 } }));
    stage.rounds(3).await;
    assert!(!blocks(&stage));
    assert_eq!(stage.condition("Progressing"), "False Paused");
    let groups = stage.played.all("resourcegroups");
    assert!(groups.iter().all(|one| one["metadata"]["annotations"][keys::POLICY] == "skip"));
    let annotations = json!({ (keys::DELETE_FOR_MOVE): "" });
    stage.change(&json!({ "metadata": {
        "annotations": annotations, "deletionTimestamp": "2026-01-01T00:00:00Z",
    }}));
    stage.rounds(1).await;
    assert!(stage.resource().is_null());
    assert_eq!(stage.played.all("resourcegroups").len(), groups.len());
}

#[tokio::test(start_paused = true)]
async fn a_resource_that_moves_is_left_alone_before_it_is_deleted() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    stage.rounds(12).await;
    let policies = |stage: &Stage| {
        let all = stage.played.all("routetables");
        all.iter().map(|one| one["metadata"]["annotations"][keys::POLICY].clone()).collect::<Vec<_>>()
    };
    let before = policies(&stage);
    let annotations = json!({ (keys::DELETE_FOR_MOVE): "" });
    stage.change(&json!({
        "metadata": { "annotations": annotations, "generation": 2 }, "spec": { "paused": true },
    }));
    stage.rounds(3).await;
    assert_eq!(policies(&stage), before);
    assert_ne!(stage.condition("Progressing"), "False Paused");
    assert_eq!(stage.resource()["metadata"]["finalizers"], json!([]));
}

/// With the cluster's objects, the garbage collector would delete those that they own.
#[tokio::test(start_paused = true)]
async fn a_move_waits_for_objects_of_the_user() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    stage.rounds(12).await;
    let theirs = json!({
        "apiVersion": "network.azure.com/v1api20240301",
        "kind": "RouteTable",
        "metadata": { "name": "mine", "namespace": "here" },
        "spec": { "owner": { "name": "demo-x7k2p-rg" }, "location": "eastus" },
        "status": { "conditions": [{ "type": "Ready", "status": "True", "reason": "Succeeded" }] },
    });
    stage.played.put(at("routetables", "mine"), theirs);
    stage.change(&json!({ "spec": { "paused": true }, "metadata": { "generation": 2 } }));
    stage.rounds(6).await;
    let blocks = |stage: &Stage| stage.resource()["metadata"]["annotations"].get(keys::BLOCK_MOVE).is_some();
    assert!(blocks(&stage));
    assert_eq!(stage.condition("Progressing"), "False UserResourcesRemain");
    assert!(stage.told("Progressing").contains("RouteTable/mine"), "{}", stage.told("Progressing"));
    let groups = stage.played.all("resourcegroups");
    assert!(groups.iter().all(|one| one["metadata"]["annotations"][keys::POLICY] == "skip"));
    let gone = stage.played.objects.lock().map(|mut all| all.remove(&at("routetables", "mine")));
    assert!(gone.is_ok_and(|gone| gone.is_some()));
    stage.rounds(6).await;
    assert!(!blocks(&stage), "{:#}", stage.resource());
}

/// A repeated `clusterctl move` copies the mark of the first, and nothing else of the annotations.
#[tokio::test(start_paused = true)]
async fn the_mark_of_an_interrupted_move_is_taken_away() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p", "paused": true }));
    stage.change(&json!({ "metadata": { "annotations": { (keys::DELETE_FOR_MOVE): "" } } }));
    stage.rounds(3).await;
    assert!(stage.played.all("resourcegroups").is_empty());
    stage.change(&json!({ "metadata": { "generation": 2 }, "spec": { "paused": false } }));
    stage.rounds(14).await;
    assert!(stage.resource()["metadata"]["annotations"].get(keys::DELETE_FOR_MOVE).is_none());
    assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
}
