//! A cluster with its bootstrap machine, and then without it.

use std::collections::BTreeSet;

use landfall_engine_aso::kinds::Kind;

use super::*;

const SSH_KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBERERERERERERERERERERERERERERERERERERERERER";
const POINTER: &str = r#"{"ignition":{"version":"3.2.0"}}"#;
pub(super) const MACHINES: &str = "virtualmachines";
/// The names of the machines that stay.
const STAYING: [&str; 3] = ["demo-x7k2p-master-0", "demo-x7k2p-master-1", "demo-x7k2p-master-2"];

/// A controller with a resource whose machines the operator makes, the bootstrap machine too.
pub(super) fn bootstrapping() -> Stage {
    let stage = Stage::new(&json!({
        "infraID": "demo-x7k2p",
        "machines": "aso",
        "stage": "bootstrap",
        "ignitionSecretRef": { "name": "ignition" },
    }));
    let encoded =
        |text: &str| json!(base64::Engine::encode(&base64::engine::general_purpose::STANDARD, text));
    let config = encoded(&format!("{CONFIG}sshKey: {SSH_KEY}\n"));
    let ignition = json!({ "bootstrap": encoded(POINTER), "controlPlane": encoded(POINTER) });
    for (name, data) in [("config", json!({ (CONFIG_KEY): config })), ("ignition", ignition)] {
        let secret = json!({ "kind": "Secret", "metadata": {}, "data": data });
        stage.played.put(at("secrets", name), secret);
    }
    stage
}

/// The names of all objects of a kind.
pub(super) fn names(stage: &Stage, plural: &str) -> BTreeSet<String> {
    let name = |object: &Value| object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    stage.played.all(plural).iter().map(name).collect()
}

/// What there is of the bootstrap machine and the way to it.
fn temporary(stage: &Stage) -> Vec<String> {
    let of_kind = |kind: &Kind| names(stage, kind.plural);
    let all = KINDS.iter().flat_map(of_kind);
    all.filter(|name| name.contains("bootstrap") || name.contains("ssh-in")).collect()
}

#[tokio::test(start_paused = true)]
async fn the_bootstrap_machine_goes_with_its_stage() {
    let stage = bootstrapping();
    stage.rounds(24).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
    assert_eq!(names(&stage, MACHINES).len(), 1 + STAYING.len());
    assert_eq!(temporary(&stage).len(), 4, "{:?}", temporary(&stage));
    let others: usize = KINDS.iter().map(|kind| names(&stage, kind.plural).len()).sum::<usize>() - 4;
    stage.change(&json!({ "spec": { "stage": "install" }, "metadata": { "generation": 2 } }));
    stage.rounds(8).await;
    assert_eq!(temporary(&stage), Vec::<String>::new());
    assert_eq!(names(&stage, MACHINES), STAYING.map(str::to_owned).into());
    assert_eq!(KINDS.iter().map(|kind| names(&stage, kind.plural).len()).sum::<usize>(), others);
    assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
}

#[tokio::test(start_paused = true)]
async fn a_missing_ignition_config_is_named_where_machines_wait() {
    let stage = bootstrapping();
    let named = || stage.told("Ready");
    stage.change(&json!({ "spec": { "ignitionSecretRef": null } }));
    stage.rounds(24).await;
    assert_eq!(stage.condition("Ready"), "False InProgress", "{:#}", stage.resource()["status"]);
    for name in ["spec.ignitionSecretRef", "controlPlane", "bootstrap"] {
        assert!(named().contains(name), "{}", named());
    }
    stage.change(
        &json!({ "spec": { "ignitionSecretRef": { "name": "half" } }, "metadata": { "generation": 2 } }),
    );
    let encoded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, POINTER);
    let half = json!({ "kind": "Secret", "metadata": {}, "data": { "controlPlane": encoded } });
    stage.played.put(at("secrets", "half"), half);
    stage.rounds(4).await;
    assert!(named().contains("bootstrap") && named().contains("Secret half "), "{}", named());
    assert!(!named().contains("controlPlane"), "{}", named());
}

#[tokio::test(start_paused = true)]
async fn a_pause_keeps_the_bootstrap_machine_until_it_ends() {
    let stage = bootstrapping();
    stage.rounds(24).await;
    let change = |paused: bool, generation: u8| {
        let spec = json!({ "stage": "install", "paused": paused });
        stage.change(&json!({ "spec": spec, "metadata": { "generation": generation } }));
    };
    change(true, 2);
    stage.rounds(4).await;
    assert_eq!(temporary(&stage).len(), 4, "{:?}", temporary(&stage));
    change(false, 3);
    stage.rounds(12).await;
    assert_eq!(temporary(&stage), Vec::<String>::new());
    assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
}
