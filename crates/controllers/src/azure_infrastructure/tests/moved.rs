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
