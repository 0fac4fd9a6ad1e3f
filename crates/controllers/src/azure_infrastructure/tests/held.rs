//! What releases a plan that is held, and what a cluster with one says meanwhile.

use std::sync::atomic::AtomicU32;

use super::operator_gone::Replicas;
use super::pinned::{planned_before, profile, ready_before, restart};
use super::*;

/// What the status says of the last plan where an earlier landfall made it.
fn earlier() -> Value {
    json!({ "planHash": "0123456789abcdef", "plannedBy": "0.0.9" })
}

/// A cluster that is Ready, with a cloud profile.
async fn with_profile(status: &Value) -> Stage {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p", "cloudProfileRef": { "name": "ours" } }));
    stage.played.put(at("privatecloudprofiles", "ours"), profile("eastus"));
    ready_before(&stage, status).await;
    stage
}

/// The owner of the profile offers one more region.
fn change_profile(stage: &Stage) {
    let mut changed = profile("eastus");
    let regions = changed.pointer_mut("/status/cloudProfile/spec/regions").and_then(Value::as_array_mut);
    if let Some(regions) = regions {
        regions.push(json!({ "name": "westeurope", "zones": [{ "name": "1" }] }));
    }
    stage.played.put(at("privatecloudprofiles", "ours"), changed);
}

#[tokio::test(start_paused = true)]
async fn a_changed_profile_does_not_release_what_another_landfall_plans() {
    let stage = with_profile(&earlier()).await;
    change_profile(&stage);
    stage.rounds(2).await;
    assert_eq!(stage.condition("UpdateAvailable"), "True PlanChanged");
    assert_eq!(stage.resource()["status"]["planHash"], "0123456789abcdef");
}

#[tokio::test(start_paused = true)]
async fn a_plan_that_only_the_profile_changes_waits_for_its_owner() {
    let stage = with_profile(&json!({ "planHash": "0123456789abcdef" })).await;
    change_profile(&stage);
    stage.rounds(2).await;
    assert_eq!(stage.condition("UpdateAvailable"), "True PlanChanged");
    assert_eq!(
        (stage.condition("Progressing"), stage.condition("Ready")),
        ("False Held".into(), "True Done".into())
    );
    assert_eq!(stage.resource()["status"]["planHash"], "0123456789abcdef");
    let told = stage.told("UpdateAvailable");
    assert!(told.starts_with("the edited cloud profile changes the plan"), "{told}");
    // What the owner changes is carried out.
    stage.change(&json!({ "spec": { "release": "4.18" }, "metadata": { "generation": 2 } }));
    stage.rounds(4).await;
    assert_eq!(
        (stage.condition("UpdateAvailable"), stage.condition("Ready")),
        (String::new(), "True Done".into())
    );
    assert_ne!(stage.resource()["status"]["planHash"], "0123456789abcdef");
}

#[tokio::test(start_paused = true)]
async fn a_changed_profile_that_leaves_the_plan_as_it_is_holds_nothing() {
    let stage = with_profile(&json!({})).await;
    let before = stage.resource()["status"].clone();
    change_profile(&stage);
    stage.rounds(2).await;
    let status = stage.resource()["status"].clone();
    assert_eq!(
        (stage.condition("UpdateAvailable"), &status["planHash"]),
        (String::new(), &before["planHash"])
    );
    assert_ne!(status["inputsHash"], before["inputsHash"]);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_pause_does_not_release_the_plan_of_another_landfall() {
    let stage = planned_before(&json!({})).await;
    let pause = |paused: bool, generation: u8| {
        stage.change(&json!({ "spec": { "paused": paused }, "metadata": { "generation": generation } }));
    };
    pause(true, 2);
    stage.rounds(3).await;
    assert_eq!(stage.condition("Progressing"), "False Paused");
    stage.change(&json!({ "status": earlier() }));
    pause(false, 3);
    stage.rounds(3).await;
    assert_eq!(stage.condition("UpdateAvailable"), "True PlanChanged");
    assert_eq!(stage.resource()["status"]["planHash"], "0123456789abcdef");
    // What the owner changes is carried out.
    stage.change(&json!({ "spec": { "release": "4.18" }, "metadata": { "generation": 4 } }));
    stage.rounds(6).await;
    assert_eq!(
        (stage.condition("UpdateAvailable"), stage.condition("Ready")),
        (String::new(), "True Done".into())
    );
}

/// What `clusterctl move` and a backup keep.
#[tokio::test(start_paused = true)]
async fn a_plan_is_held_although_the_status_was_lost() {
    let stage = planned_before(&json!({})).await;
    let annotations = stage.resource()["metadata"]["annotations"].clone();
    assert_eq!(annotations[anchor::PLAN], stage.resource()["status"]["planHash"]);
    assert_eq!(annotations[anchor::OWNER_INPUTS], stage.resource()["status"]["ownerInputsHash"]);
    let noted = json!({ (anchor::PLAN): "0123456789abcdef", (anchor::PLANNED_BY): "0.0.9" });
    stage.change(&json!({ "metadata": { "annotations": noted, "generation": 7 }, "status": null }));
    restart(&stage);
    stage.rounds(3).await;
    assert_eq!(stage.condition("UpdateAvailable"), "True PlanChanged");
    assert!(stage.told("UpdateAvailable").contains(" than 0.0.9: "), "{}", stage.told("UpdateAvailable"));
    assert_eq!(stage.resource()["status"]["planHash"], "0123456789abcdef");
    // The same plan is carried out.
    let noted = json!({ (anchor::PLAN): annotations[anchor::PLAN] });
    stage.change(&json!({ "metadata": { "annotations": noted }, "status": null }));
    restart(&stage);
    stage.rounds(3).await;
    assert_eq!(
        (stage.condition("UpdateAvailable"), stage.condition("Ready")),
        (String::new(), "True Done".into())
    );
}

/// As the guide to a restore has it: a dry run first.
#[tokio::test(start_paused = true)]
async fn a_dry_run_does_not_release_the_plan_of_another_landfall() {
    let stage = planned_before(&json!({})).await;
    let noted = json!({ (anchor::PLAN): "0123456789abcdef", (anchor::PLANNED_BY): "0.0.9" });
    stage.change(&json!({
        "metadata": { "annotations": noted, "generation": 2 },
        "spec": { "adoptPolicy": "skip" },
        "status": null,
    }));
    restart(&stage);
    stage.rounds(6).await;
    stage.change(&json!({ "metadata": { "generation": 3 }, "spec": { "adoptPolicy": "manage" } }));
    stage.rounds(3).await;
    assert_eq!(stage.condition("UpdateAvailable"), "True PlanChanged");
    let annotations = stage.resource()["metadata"]["annotations"].clone();
    assert_eq!(
        (&annotations[anchor::PLAN], &annotations[anchor::PLANNED_BY]),
        (&json!("0123456789abcdef"), &json!("0.0.9"))
    );
}

/// The status of an earlier landfall is noted while its plan is held.
#[tokio::test(start_paused = true)]
async fn the_plan_of_an_earlier_landfall_is_noted_while_it_is_held() {
    let mut before = earlier();
    before["ownerInputsHash"] = Value::Null;
    let stage = planned_before(&before).await;
    let annotations = [anchor::PLAN, anchor::OWNER_INPUTS, anchor::PLANNED_BY].map(|key| (key, Value::Null));
    let annotations: Map<String, Value> =
        annotations.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    stage.change(&json!({ "metadata": { "annotations": annotations } }));
    stage.rounds(3).await;
    let noted = stage.resource()["metadata"]["annotations"].clone();
    assert_eq!(
        (&noted[anchor::PLAN], &noted[anchor::PLANNED_BY]),
        (&json!("0123456789abcdef"), &json!("0.0.9"))
    );
    assert_eq!(noted[anchor::OWNER_INPUTS], stage.resource()["status"]["ownerInputsHash"]);
    assert!(noted[anchor::OWNER_INPUTS].is_string());
}

#[tokio::test(start_paused = true)]
async fn a_cluster_that_was_never_ready_is_finished_by_whatever_landfall() {
    for (accepted, expected) in [(Value::Null, ""), (json!("never"), "True PlanChanged")] {
        let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
        stage.rounds(2).await;
        assert_eq!(stage.condition("Ready"), "False InProgress");
        let annotations = json!({ (anchor::ACCEPTED_PLAN): accepted });
        stage.change(&json!({ "status": earlier(), "metadata": { "annotations": annotations } }));
        restart(&stage);
        stage.rounds(12).await;
        assert_eq!(stage.condition("UpdateAvailable"), expected);
        let is_ready = stage.condition("Ready") == "True Done";
        assert_eq!(is_ready, expected.is_empty(), "{}", stage.condition("Ready"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_cluster_that_ran_stays_as_it_is_where_another_landfall_rejects_it() {
    let stage = with_profile(&earlier()).await;
    stage.played.put(at("privatecloudprofiles", "ours"), profile("westeurope"));
    let before = KINDS.iter().map(|kind| stage.played.all(kind.plural)).collect::<Vec<_>>();
    stage.rounds(3).await;
    assert_eq!(stage.condition("UpdateAvailable"), "True PlanRejected");
    let told = stage.told("UpdateAvailable");
    assert!(told.contains("0.0.9") && told.contains("eastus"), "{told}");
    assert_eq!(
        (stage.condition("Progressing"), stage.condition("Ready")),
        ("False Held".into(), "True Done".into())
    );
    assert_eq!([stage.condition("Stalled"), stage.condition("Reconciling")], ["", ""]);
    assert!(before == KINDS.iter().map(|kind| stage.played.all(kind.plural)).collect::<Vec<_>>());
    // What the owner changes is judged as ever.
    stage.change(&json!({ "spec": { "release": "4.18" }, "metadata": { "generation": 2 } }));
    assert!(stage.controller.run(&key()).await.is_err());
    assert_eq!(
        (stage.condition("Ready"), stage.condition("UpdateAvailable")),
        ("False ConfigRejected".into(), String::new())
    );
    stage.played.put(at("privatecloudprofiles", "ours"), profile("eastus"));
    stage.rounds(4).await;
    assert_eq!(stage.condition("Ready"), "True Done");
}

#[tokio::test(start_paused = true)]
async fn a_rejected_cluster_that_was_never_ready_has_failed() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p", "cloudProfileRef": { "name": "ours" } }));
    stage.played.put(at("privatecloudprofiles", "ours"), profile("eastus"));
    stage.rounds(2).await;
    stage.played.put(at("privatecloudprofiles", "ours"), profile("westeurope"));
    stage.change(&json!({ "status": earlier() }));
    restart(&stage);
    assert!(stage.controller.run(&key()).await.is_err());
    assert_eq!(
        (stage.condition("Ready"), stage.condition("UpdateAvailable")),
        ("False ConfigRejected".into(), String::new())
    );
}

/// Sets a condition of the cluster's network, as Azure Service Operator does.
fn network_is(stage: &Stage, condition: &Value) {
    let place = at("virtualnetworks", "demo-x7k2p-vnet");
    let mut network = stage.played.read(&place).unwrap_or_default();
    network["status"] = json!({ "conditions": [condition] });
    let network = stage.played.put(place, network);
    let woken = stage.controller.driver.store.note(ObjectEvent::Is("VirtualNetwork", network));
    assert_eq!(woken, [key()]);
}

#[tokio::test(start_paused = true)]
async fn a_held_cluster_says_what_fails() {
    let stage = planned_before(&earlier()).await;
    stage.controller.driver.store.forget(&key());
    assert!(stage.controller.run(&key()).await.is_ok());
    assert_eq!(
        (stage.condition("UpdateAvailable"), stage.condition("Ready")),
        ("True PlanChanged".into(), "True Done".into())
    );
    let refused = json!({ "type": "Ready", "status": "False", "severity": "Error", "reason": "Quota", "message": "no more" });
    network_is(&stage, &refused);
    let before = KINDS.iter().map(|kind| stage.played.all(kind.plural)).collect::<Vec<_>>();
    assert!(stage.controller.run(&key()).await.is_ok());
    assert_eq!(stage.condition("Ready"), "False Failed");
    let told = stage.told("Ready");
    assert!(told.contains("VirtualNetwork/demo-x7k2p-vnet") && told.contains("no more"), "{told}");
    assert_eq!(stage.condition("UpdateAvailable"), "True PlanChanged");
    assert!(before == KINDS.iter().map(|kind| stage.played.all(kind.plural)).collect::<Vec<_>>());
    // The operator tries again.
    network_is(
        &stage,
        &json!({ "type": "Ready", "status": "False", "severity": "Info", "reason": "Reconciling" }),
    );
    assert!(stage.controller.run(&key()).await.is_ok());
    assert_eq!(stage.condition("Ready"), "False Held");
    network_is(&stage, &json!({ "type": "Ready", "status": "True", "reason": "Succeeded" }));
    assert!(stage.controller.run(&key()).await.is_ok());
    assert_eq!(stage.condition("Ready"), "True Done");
}

#[tokio::test(start_paused = true)]
async fn a_rejected_cluster_says_what_fails() {
    let stage = with_profile(&earlier()).await;
    stage.played.put(at("privatecloudprofiles", "ours"), profile("westeurope"));
    assert!(stage.controller.run(&key()).await.is_ok());
    let refused = json!({ "type": "Ready", "status": "False", "severity": "Error", "reason": "Quota" });
    network_is(&stage, &refused);
    assert!(stage.controller.run(&key()).await.is_ok());
    assert_eq!(
        (stage.condition("UpdateAvailable"), stage.condition("Ready")),
        ("True PlanRejected".into(), "False Failed".into())
    );
}

#[tokio::test(start_paused = true)]
async fn a_held_cluster_says_that_the_operator_is_gone() {
    let mut stage = planned_before(&earlier()).await;
    let available = Arc::new(AtomicU32::new(0));
    stage.controller.operator = Arc::new(Operator::new(Box::new(Replicas(Arc::clone(&available)))));
    assert!(stage.controller.run(&key()).await.is_err());
    assert_eq!(stage.condition("OperatorReady"), "False OperatorUnusable");
    assert_eq!(
        (stage.condition("UpdateAvailable"), stage.condition("Ready")),
        ("True PlanChanged".into(), "False OperatorUnusable".into())
    );
    available.store(1, Ordering::Relaxed);
    tokio::time::advance(Duration::from_secs(20)).await;
    assert!(stage.controller.run(&key()).await.is_ok());
    assert_eq!(
        (stage.condition("Progressing"), stage.condition("Ready")),
        ("False Held".into(), "True Done".into())
    );
}

/// The specs of all objects of a cluster are much, and many clusters are at rest.
#[tokio::test(start_paused = true)]
async fn a_plan_is_kept_only_while_it_is_carried_out() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    let keeps =
        |stage: &Stage| stage.controller.memory(&key()).try_lock().is_ok_and(|memory| memory.has_plan());
    stage.rounds(2).await;
    assert!(keeps(&stage));
    stage.rounds(10).await;
    assert_eq!((stage.condition("Ready"), keeps(&stage)), ("True Done".into(), false));
    stage.change(&json!({ "status": earlier() }));
    stage.rounds(1).await;
    assert_eq!((stage.condition("Progressing"), keeps(&stage)), ("False Held".into(), false));
}

/// Where a cluster failed, no other begins, also if it is rejected then.
#[tokio::test(start_paused = true)]
async fn a_rejected_cluster_keeps_its_place_in_the_rollout_only_where_it_failed() {
    for (label, expected) in [("failed", json!("failed")), ("updating", Value::Null)] {
        let stage = with_profile(&earlier()).await;
        stage.change(&json!({ "metadata": { "labels": { (ROLLOUT): label } } }));
        stage.played.put(at("privatecloudprofiles", "ours"), profile("westeurope"));
        stage.rounds(3).await;
        assert_eq!(stage.condition("UpdateAvailable"), "True PlanRejected");
        assert_eq!(stage.resource()["metadata"]["labels"][ROLLOUT], expected);
    }
}
