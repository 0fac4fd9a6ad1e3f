//! Operators that share clusters by label.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_cluster_is_reconciled_by_the_operator_that_selects_its_labels() {
    let mut stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    stage.controller.labels = "shard=1".parse().ok();
    let untouched = stage.resource();
    assert!(matches!(stage.controller.run(&key()).await, Ok(Next::Settled)));
    assert_eq!(stage.resource(), untouched, "another operator's");

    stage.change(&json!({ "metadata": { "labels": { "shard": "1" } } }));
    stage.rounds(12).await;
    assert_eq!(stage.condition("Ready"), "True Done");

    // It moves to another operator.
    stage.change(&json!({ "metadata": { "labels": { "shard": "2" } }, "spec": { "paused": true } }));
    let moved = stage.resource();
    assert!(matches!(stage.controller.run(&key()).await, Ok(Next::Settled)));
    assert_eq!(stage.resource(), moved);
}
