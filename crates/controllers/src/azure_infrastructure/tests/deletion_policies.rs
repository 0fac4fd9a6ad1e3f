//! The policies by which the API server refuses deletions.

use super::*;

#[tokio::test(start_paused = true)]
async fn the_controller_brings_the_policies_along() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    let whole = Key { namespace: None, name: NAME.to_owned() };
    assert_eq!(stage.controller.run(&whole).await, Ok(Next::Again(RESYNC)));
    let count = |plural: &str| stage.played.all(plural).len();
    let counts = [count("validatingadmissionpolicies"), count("validatingadmissionpolicybindings")];
    assert_eq!(counts, [2, 2]);
    let before = stage.played.writes.load(Ordering::Relaxed);
    assert_eq!(stage.controller.run(&whole).await, Ok(Next::Again(RESYNC)));
    assert_eq!(stage.played.writes.load(Ordering::Relaxed), before, "nothing differs");
    // One that was pruned comes back.
    let policy = |policy: &Value| policy["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let pruned = stage.played.all("validatingadmissionpolicies").first().map(policy).unwrap_or_default();
    let place = ("validatingadmissionpolicies".to_owned(), String::new(), pruned);
    assert!(stage.played.deleted(&place).is_some() && count("validatingadmissionpolicies") == 1);
    assert_eq!(stage.controller.run(&whole).await, Ok(Next::Again(RESYNC)));
    assert_eq!(count("validatingadmissionpolicies"), 2);
}
