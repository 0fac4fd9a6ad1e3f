//! What lasts: told once, written once, put right when somebody changes it.

use std::sync::Arc;
use std::time::Duration;

use landfall_controllers::MapNames;
use landfall_controllers::cloud_config_sync::{CloudConfigSync, Settings};
use landfall_controllers::kube_cloud_config::KubeCloudConfig;
use landfall_controllers::{Controller, Next};
use landfall_kube::kinds::NETWORK;
use landfall_kube::objects::ObjectRef;
use serde_json::{Value, json};

use super::played::{Played, condition, gates, infrastructure, key, map};

const DEGRADED: &str = "KubeCloudConfigControllerDegraded";

/// A cluster on a platform whose configuration is passed on as it is.
fn cluster() -> Arc<Played> {
    let played = Played::new();
    let named = json!({ "name": "cloud-provider-config", "key": "config" });
    let object = json!({
        "spec": { "cloudConfig": named },
        "status": { "platformStatus": { "type": "GCP" } },
    });
    played.put(infrastructure(), object);
    played.put(map("openshift-config", "cloud-provider-config"), json!({ "data": { "config": "x" } }));
    played.put(ObjectRef::in_cluster(&NETWORK, "cluster"), json!({ "spec": {} }));
    gates(&played, &[], &[]);
    played
}

fn managed() -> ObjectRef {
    map("openshift-config-managed", "kube-cloud-config")
}

fn target() -> ObjectRef {
    map("openshift-cloud-controller-manager", "cloud-conf")
}

fn data(played: &Played, place: &ObjectRef) -> Value {
    played.object(place).map(|object| object["data"].clone()).unwrap_or_default()
}

fn keeper(played: &Arc<Played>) -> KubeCloudConfig {
    KubeCloudConfig::new(played.clone(), played.clone(), MapNames::default())
}

fn sync(played: &Arc<Played>) -> CloudConfigSync {
    CloudConfigSync::new(played.clone(), played.clone(), Settings::default())
}

#[tokio::test]
async fn nothing_is_written_while_nothing_changes() {
    let played = cluster();
    let (keeper, sync) = (keeper(&played), sync(&played));
    assert_eq!(keeper.reconcile(&key()).await, Ok(Next::Settled));
    assert_eq!(sync.reconcile(&key()).await, Ok(Next::Settled));
    assert!(!played.writes().is_empty());
    for _ in 0..3 {
        assert_eq!(keeper.reconcile(&key()).await, Ok(Next::Settled));
        assert_eq!(sync.reconcile(&key()).await, Ok(Next::Settled));
    }
    assert!(played.writes().is_empty());
    played.told();
    // Where nothing is to be there, that is looked at only.
    played.put(infrastructure(), json!({ "status": { "platformStatus": { "type": "None" } } }));
    assert_eq!(keeper.reconcile(&key()).await, Ok(Next::Settled));
    assert_eq!(played.writes(), ["delete ConfigMap openshift-config-managed/kube-cloud-config"]);
    assert_eq!(played.told(), ["CloudConfigDeleted"]);
    assert_eq!(keeper.reconcile(&key()).await, Ok(Next::Settled));
    assert!(played.writes().is_empty());
    played.put(managed(), json!({ "data": { "cloud.conf": "by hand" } }));
    assert_eq!(keeper.reconcile(&key()).await, Ok(Next::Settled));
    assert_eq!(played.object(&managed()), None);
}

#[tokio::test]
async fn what_somebody_changes_is_put_right() {
    let played = cluster();
    let (keeper, sync) = (keeper(&played), sync(&played));
    let wanted = json!({ "cloud.conf": "x" });
    for controller in [&keeper as &dyn Controller, &sync] {
        assert_eq!(controller.reconcile(&key()).await, Ok(Next::Settled));
    }
    let by_hand = [
        json!({ "data": { "cloud.conf": "by hand", "more": "y" } }),
        json!({ "data": { "more": "y" }, "binaryData": { "cloud.conf": "AA==" } }),
        json!({ "data": { "cloud.conf": "by hand" }, "immutable": true }),
        json!({}),
    ];
    for object in by_hand {
        played.put(managed(), object.clone());
        played.put(target(), object);
        played.conflict(1);
        for (controller, place) in
            [(&keeper as &dyn Controller, managed()), (&sync as &dyn Controller, target())]
        {
            assert_eq!(controller.reconcile(&key()).await, Ok(Next::Settled));
            assert_eq!(data(&played, &place), wanted);
            assert_eq!(played.object(&place).unwrap().get("binaryData"), None);
        }
    }
    played.conflict(0);
    played.remove(&managed());
    assert_eq!(keeper.reconcile(&key()).await, Ok(Next::Settled));
    assert_eq!(data(&played, &managed()), wanted);
}

#[tokio::test]
async fn a_refusal_is_reported_once_and_ends_with_its_cause() {
    let played = cluster();
    let keeper = keeper(&played);
    assert_eq!(keeper.reconcile(&key()).await, Ok(Next::Settled));
    assert_eq!(played.told(), ["CloudConfigCreated"]);
    let user = map("openshift-config", "cloud-provider-config");
    let object = played.object(&user).unwrap();
    played.remove(&user);
    for told in [&["CloudConfigRefused"] as &[&str], &[], &[]] {
        let failed = keeper.reconcile(&key()).await.unwrap_err();
        assert_eq!((failed.reason, failed.retry), ("source-missing", false));
        assert_eq!(played.told(), told);
    }
    let (status, reason, message) = condition(&played, "landfall", DEGRADED).unwrap();
    assert_eq!((status.as_str(), reason.as_str()), ("True", "SyncError"));
    assert!(message.contains("openshift-config/cloud-provider-config"), "{message}");
    assert_eq!(condition(&played, "landfall", "Degraded").unwrap().0, "True");
    assert_eq!(data(&played, &managed()), json!({ "cloud.conf": "x" }));
    played.put(user, object);
    assert_eq!(keeper.reconcile(&key()).await, Ok(Next::Settled));
    assert_eq!(condition(&played, "landfall", DEGRADED).unwrap().0, "False");
    assert_eq!(condition(&played, "landfall", "Degraded").unwrap().0, "False");
}

#[tokio::test]
async fn a_run_that_cannot_be_reported_is_repeated() {
    let played = cluster();
    played.fail_write("ClusterOperator");
    let failed = keeper(&played).reconcile(&key()).await.unwrap_err();
    assert_eq!((failed.reason, failed.retry), ("condition-unwritable", true));
    played.remove(&map("openshift-config", "cloud-provider-config"));
    let failed = keeper(&played).reconcile(&key()).await.unwrap_err();
    assert_eq!((failed.reason, failed.retry), ("source-missing", true));
}

#[tokio::test(start_paused = true)]
async fn errors_that_pass_degrade_once_they_have_lasted() {
    let played = cluster();
    let sync = sync(&played);
    let degraded = || condition(&played, "cloud-controller-manager", "CloudConfigControllerDegraded");
    assert_eq!(sync.reconcile(&key()).await, Ok(Next::Settled));
    played.fail_get("Network");
    for (seconds, wanted) in [(0, "False"), (119, "False"), (1, "True"), (60, "True")] {
        tokio::time::advance(Duration::from_secs(seconds)).await;
        let failed = sync.reconcile(&key()).await.unwrap_err();
        assert_eq!((failed.reason, failed.retry), ("network-unreadable", true));
        assert_eq!(degraded().unwrap().0, wanted);
    }
    played.mend();
    assert_eq!(sync.reconcile(&key()).await, Ok(Next::Settled));
    assert_eq!(degraded().unwrap().0, "False");
}
