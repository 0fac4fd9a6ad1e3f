//! What those who follow kstatus, such as Argo CD and Flux, take from the status.

use super::*;

/// The state of an object by the rules for kinds that the library does not know. See
/// <https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md>.
fn kstatus(object: &Value) -> &'static str {
    if object.pointer("/metadata/deletionTimestamp").is_some() {
        return "Terminating";
    }
    let observed = object.pointer("/status/observedGeneration").and_then(Value::as_i64);
    if observed.is_some_and(|observed| Some(observed) != object["metadata"]["generation"].as_i64()) {
        return "InProgress";
    }
    let conditions =
        object.pointer("/status/conditions").and_then(Value::as_array).cloned().unwrap_or_default();
    let status = |kind: &str| {
        let found = conditions.iter().find(|condition| condition["type"] == kind)?;
        found["status"].as_str()
    };
    if status("Stalled") == Some("True") {
        return "Failed";
    }
    if status("Reconciling") == Some("True") {
        return "InProgress";
    }
    match status("Ready") {
        Some("True") | None => "Current",
        _ => "InProgress",
    }
}

#[tokio::test(start_paused = true)]
async fn work_and_its_end_are_told_apart() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    stage.rounds(1).await;
    assert_eq!(kstatus(&stage.resource()), "InProgress");
    assert_eq!(stage.condition("Reconciling"), "True InProgress");
    stage.rounds(11).await;
    assert_eq!(kstatus(&stage.resource()), "Current", "{:#}", stage.resource()["status"]);
    assert_eq!([stage.condition("Reconciling"), stage.condition("Stalled")], ["", ""]);
    // A new spec is not observed yet.
    stage.change(&json!({ "metadata": { "generation": 2 } }));
    assert_eq!(kstatus(&stage.resource()), "InProgress");
    stage.rounds(1).await;
    assert_eq!(kstatus(&stage.resource()), "Current");
    // A pause is no failure.
    stage.change(&json!({ "spec": { "paused": true }, "metadata": { "generation": 3 } }));
    stage.rounds(3).await;
    assert_eq!((kstatus(&stage.resource()), stage.condition("Stalled")), ("Current", String::new()));
    stage.change(&json!({ "metadata": { "deletionTimestamp": "2026-01-01T00:00:00Z" } }));
    assert_eq!(kstatus(&stage.resource()), "Terminating");
}

#[tokio::test(start_paused = true)]
async fn what_waits_for_a_change_has_failed() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p", "apiInternalIP": "foo" }));
    assert!(stage.controller.run(&key()).await.is_err());
    assert_eq!(kstatus(&stage.resource()), "Failed");
    assert_eq!(stage.condition("Stalled"), "True ResourceUnreadable");
    assert!(stage.told("Stalled").starts_with("spec.apiInternalIP: "), "{}", stage.told("Stalled"));
    stage.change(&json!({ "spec": { "apiInternalIP": null }, "metadata": { "generation": 2 } }));
    stage.rounds(12).await;
    assert_eq!(kstatus(&stage.resource()), "Current", "{:#}", stage.resource()["status"]);
}

#[tokio::test(start_paused = true)]
async fn what_is_tried_again_has_not_failed() {
    let stage = Stage::new(&json!({ "installConfigRef": { "name": "nowhere" } }));
    assert!(stage.controller.run(&key()).await.is_err());
    assert_eq!((kstatus(&stage.resource()), stage.condition("Stalled")), ("InProgress", String::new()));
}

#[tokio::test(start_paused = true)]
async fn a_rejected_config_has_failed_although_it_is_read_again() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    let config = |text: &str| {
        let encoded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, text);
        let data = json!({ "data": { (CONFIG_KEY): encoded } });
        assert!(stage.played.merged(&at("secrets", "config"), &data).is_ok());
    };
    config(&CONFIG.replace("baseDomain: example.com", "baseDomain: Not A Domain"));
    let failed = stage.controller.run(&key()).await.err();
    assert!(failed.is_some_and(|failed| failed.retry));
    assert_eq!((kstatus(&stage.resource()), stage.condition("Reconciling")), ("Failed", String::new()));
    assert_eq!(stage.condition("Stalled"), "True ConfigRejected");
    assert!(stage.told("Stalled").starts_with("baseDomain: "), "{}", stage.told("Stalled"));
    config(CONFIG);
    stage.rounds(12).await;
    assert_eq!(kstatus(&stage.resource()), "Current", "{:#}", stage.resource()["status"]);
}
