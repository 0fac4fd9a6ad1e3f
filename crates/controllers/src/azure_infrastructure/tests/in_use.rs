//! Objects of the user's in the cluster's own resource group, when the cluster is to go.

use super::*;

const PLURAL: &str = "networksecuritygroups";

fn theirs(stage: &Stage) -> Option<Value> {
    stage.played.read(&at(PLURAL, "theirs"))
}

/// A cluster that is deleted, with a security group of the user's in its resource group.
async fn deleted() -> Stage {
    deleted_with("network.azure.com/v1api20240301", "NetworkSecurityGroup", PLURAL).await
}

async fn deleted_with(api_version: &str, kind: &str, plural: &str) -> Stage {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    stage.rounds(12).await;
    let object = json!({
        "apiVersion": api_version,
        "kind": kind,
        "metadata": { "name": "theirs", "namespace": "here" },
        "spec": { "owner": { "name": "demo-x7k2p-rg" }, "location": "eastus" },
        "status": { "conditions": [{ "type": "Ready", "status": "True", "reason": "Succeeded" }] },
    });
    stage.played.put(at(plural, "theirs"), object);
    stage.change(&json!({ "metadata": {
        "annotations": { (anchor::PROTECTION): null },
        "deletionTimestamp": "2026-01-01T00:00:00Z",
    }}));
    stage.rounds(6).await;
    stage
}

async fn ends(stage: &Stage) {
    for _ in 0..12 {
        if stage.resource().is_null() {
            return;
        }
        stage.rounds(1).await;
    }
    assert!(stage.resource().is_null(), "{:#}", stage.resource());
}

#[tokio::test(start_paused = true)]
async fn they_are_named_and_waited_for() {
    let stage = deleted().await;
    assert_eq!(stage.condition("Ready"), "False UserResourcesRemain");
    let told = stage.told("Ready");
    assert!(
        told.contains("NetworkSecurityGroup/theirs") && told.contains(keys::DELETE_WITH_CLUSTER),
        "{told}"
    );
    assert!(!stage.played.all("resourcegroups").is_empty() && theirs(&stage).is_some());
    // Numbers may follow, but nothing else is written while nothing changes.
    stage.rounds(1).await;
    let before = stage.played.writes.load(Ordering::Relaxed);
    stage.rounds(4).await;
    assert_eq!(stage.played.writes.load(Ordering::Relaxed), before);

    let gone = stage.played.objects.lock().map(|mut all| all.remove(&at(PLURAL, "theirs")));
    assert!(gone.is_ok_and(|gone| gone.is_some()));
    ends(&stage).await;
}

#[tokio::test(start_paused = true)]
async fn they_go_where_the_user_says_so() {
    let stage = deleted().await;
    let permits = json!({ "metadata": { "annotations": { (keys::DELETE_WITH_CLUSTER): "true" } } });
    stage.change(&permits);
    stage.rounds(1).await;
    assert_eq!(stage.condition("Ready"), "False Removing");
    assert!(stage.told("Ready").contains("NetworkSecurityGroup/theirs"), "{}", stage.told("Ready"));
    ends(&stage).await;
}

/// A kind that landfall does not use goes with the resource group as well.
#[tokio::test(start_paused = true)]
async fn those_of_other_kinds_are_waited_for_as_well() {
    let stage = deleted_with("keyvault.azure.com/v1api20230701", "Vault", "vaults").await;
    assert_eq!(stage.condition("Ready"), "False UserResourcesRemain");
    let told = stage.told("Ready");
    assert!(told.contains("Vault.keyvault.azure.com/theirs"), "{told}");
    assert!(!stage.played.all("resourcegroups").is_empty());
    let gone = stage.played.objects.lock().map(|mut all| all.remove(&at("vaults", "theirs")));
    assert!(gone.is_ok_and(|gone| gone.is_some()));
    ends(&stage).await;
}
