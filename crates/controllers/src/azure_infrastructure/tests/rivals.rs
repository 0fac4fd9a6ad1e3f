//! Two operators whose flags select the same resource.

use super::*;

const OWN: &str = "landfall/landfall-operator";
const OTHER: &str = "landfall-2/landfall-operator";

/// A resource that the other operator claims, which notes this scope in its lease and renewed it then.
fn claimed(scope: &str, renewed: &str) -> Stage {
    let mut stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    OWN.clone_into(&mut stage.controller.claimant);
    stage.change(&json!({ "metadata": { "annotations": { (anchor::OPERATOR): OTHER } } }));
    let annotations =
        json!({ "landfall.dev/controllers": NAME, "landfall.dev/scope": format!("them: {scope}") });
    let spec = json!({ "holderIdentity": "them", "renewTime": renewed });
    let lease = json!({ "metadata": { "annotations": annotations }, "spec": spec });
    let place = ("leases".to_owned(), "landfall-2".to_owned(), "landfall-operator".to_owned());
    stage.played.put(place, lease);
    stage
}

fn claim(stage: &Stage) -> Value {
    stage.resource()["metadata"]["annotations"][anchor::OPERATOR].clone()
}

#[tokio::test(start_paused = true)]
async fn a_resource_of_another_operator_is_left_alone_and_reported_once() {
    let stage = claimed("--profile-group=g", &now());
    let before = stage.played.writes.load(Ordering::Relaxed);
    stage.rounds(3).await;
    assert_eq!(stage.played.writes.load(Ordering::Relaxed), before);
    let events = stage.played.events.lock().map(|events| events.clone()).unwrap_or_default();
    assert_eq!(events, ["OperatorConflict"]);
    // The first that works on it notes itself.
    stage.change(&json!({ "metadata": { "annotations": { (anchor::OPERATOR): null } } }));
    stage.rounds(13).await;
    assert_eq!((claim(&stage), stage.condition("Ready")), (OWN.into(), "True Done".into()));
}

#[tokio::test(start_paused = true)]
async fn a_resource_is_taken_over_from_an_operator_that_does_not_work_on_it() {
    for (scope, renewed) in [
        ("--profile-group=g", "2020-01-01T00:00:00Z".to_owned()),
        ("--profile-group=g --watch-namespace=there", now()),
        ("--profile-group=g --watch-label-selector=shard=2", now()),
    ] {
        let stage = claimed(scope, &renewed);
        stage.rounds(1).await;
        assert_eq!((claim(&stage), stage.condition("Ready")), (OWN.into(), String::new()), "{scope}");
        stage.rounds(12).await;
        assert_eq!(stage.condition("Ready"), "True Done", "{scope}");
        let events = stage.played.events.lock().map(|events| events.clone()).unwrap_or_default();
        assert!(events.is_empty(), "{events:?}");
    }
}

/// Neither may hold a lease, or see that of the other.
#[tokio::test(start_paused = true)]
async fn operators_that_do_not_see_each_other_still_work() {
    let stage = claimed("--profile-group=g", "");
    for _ in 0..15 {
        stage.rounds(1).await;
        stage.change(&json!({ "metadata": { "annotations": { (anchor::OPERATOR): OTHER } } }));
    }
    assert_eq!((claim(&stage), stage.condition("Ready")), (OTHER.into(), "True Done".into()));
    let events = stage.played.events.lock().map(|events| events.clone()).unwrap_or_default();
    assert_eq!(events, ["OperatorConflict"]);
}
