//! The policies by which the API server refuses deletions.

use super::*;

#[tokio::test(start_paused = true)]
async fn the_controller_brings_the_policies_along() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    let whole = Key { namespace: None, name: NAME.to_owned() };
    assert_eq!(stage.controller.run(&whole).await, Ok(Next::Settled));
    let count = |plural: &str| stage.played.all(plural).len();
    let counts = [count("validatingadmissionpolicies"), count("validatingadmissionpolicybindings")];
    assert_eq!(counts, [2, 2]);
    let before = stage.played.writes.load(Ordering::Relaxed);
    assert_eq!(stage.controller.run(&whole).await, Ok(Next::Settled));
    assert_eq!(stage.played.writes.load(Ordering::Relaxed), before, "nothing differs");
}
