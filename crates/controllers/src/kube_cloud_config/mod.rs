//! Completes the user's configuration of the cloud provider for the rest of the cluster.
//!
//! The user's map in `openshift-config` and the Infrastructure object become the map `kube-cloud-config` in
//! `openshift-config-managed`. What contradicts the cluster is refused: the map then stays as it is, and a
//! condition and an event say why.

mod apply;
mod fetch;
mod status;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ::kube::Client;
use futures::StreamExt as _;
use futures::future::BoxFuture;
use futures::stream::{BoxStream, select, select_all};
use landfall_cloud_config::managed::{managed, missing_key, older_booleans};
use landfall_kube::kinds;
use landfall_kube::objects::{ClusterEvent, Events, Objects};

use super::conditions::{self, ended};
use super::event_recorder::EventRecorder;
use super::object_refs::MapNames;
use super::{Controller, Failed, Key, Next, feature_gates, object_refs, watch};

/// How long after a run all is looked at again, should a change have been missed.
const RESYNC: Duration = Duration::from_mins(1);

/// Keeps `openshift-config-managed/kube-cloud-config`.
pub struct KubeCloudConfig {
    objects: Arc<dyn Objects>,
    events: Arc<dyn Events>,
    maps: MapNames,
    event_recorder: EventRecorder,
    /// Whether the last run left no managed map.
    left_none: AtomicBool,
}

impl KubeCloudConfig {
    /// The controller of one cluster.
    #[must_use]
    pub fn new(objects: Arc<dyn Objects>, events: Arc<dyn Events>, maps: MapNames) -> Self {
        let (event_recorder, left_none) = (EventRecorder::default(), AtomicBool::new(false));
        Self { objects, events, maps, event_recorder, left_none }
    }

    async fn run(&self) -> Result<Next, Failed> {
        let mut standing = Vec::new();
        let outcome = self.keep(&mut standing).await;
        if let Err(failed) = &outcome
            && !failed.retry
        {
            standing.push(status::refused(&self.maps.managed, failed));
        }
        self.event_recorder.report(&*self.events, standing).await;
        let reported = conditions::report(&*self.objects, &status::report(&outcome)).await;
        ended(outcome, reported)
    }

    /// Reconciles the managed map. `standing` collects lasting states to report.
    async fn keep(&self, standing: &mut Vec<ClusterEvent>) -> Result<(), Failed> {
        let objects = &*self.objects;
        let Some(infrastructure) = fetch::infrastructure(objects).await? else {
            standing.push(status::no_infrastructure(&self.maps.managed));
            return Ok(());
        };
        let (platform, old) = infrastructure.platform();
        if old {
            standing.push(status::old_platform(platform));
        }
        if fetch::is_kept_elsewhere(objects, platform).await? {
            return Ok(());
        }
        let user = fetch::user(objects, &infrastructure).await?;
        if let Some(key) = missing_key(&infrastructure, &user) {
            let map = object_refs::user_map(&infrastructure.spec.cloud_config.name);
            standing.push(status::key_missing(&map, key));
        }
        let words = older_booleans(&infrastructure, &user);
        if !words.is_empty() {
            let map = object_refs::user_map(&infrastructure.spec.cloud_config.name);
            standing.push(status::older_booleans(&map, &words));
        }
        let wanted = managed(&infrastructure, &user)?;
        if let Some(event) = apply::bring(objects, &self.maps.managed_map(), &wanted, &self.left_none).await?
        {
            self.events.report(event).await;
        }
        Ok(())
    }
}

impl Controller for KubeCloudConfig {
    fn name(&self) -> &'static str {
        "kube-cloud-config"
    }

    fn triggers(&self, client: &Client) -> BoxStream<'static, Key> {
        let changes = [
            watch::changes(client, &kinds::INFRASTRUCTURE, None, Some(object_refs::CLUSTER)),
            watch::changes(client, &kinds::FEATURE_GATE, None, Some(object_refs::CLUSTER)),
            watch::changes(client, &kinds::CLUSTER_VERSION, None, Some(feature_gates::VERSION)),
            watch::changes(client, &kinds::CONFIG_MAP, Some(object_refs::USER_NAMESPACE), None),
            watch::changes(
                client,
                &kinds::CONFIG_MAP,
                Some(object_refs::MANAGED_NAMESPACE),
                Some(&self.maps.managed),
            ),
        ];
        select(select_all(changes).map(|_| ()), watch::every(RESYNC)).map(|()| object_refs::key()).boxed()
    }

    fn reconcile<'a>(&'a self, _: &'a Key) -> BoxFuture<'a, Result<Next, Failed>> {
        Box::pin(self.run())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fake_cluster::FakeCluster;
    use super::*;

    #[tokio::test]
    async fn a_key_that_the_users_map_does_not_have_is_reported_once() {
        let played = Arc::new(FakeCluster::default());
        let operator = json!({ "metadata": { "name": object_refs::OPERATOR, "resourceVersion": "1" } });
        played.put(&kinds::CLUSTER_OPERATOR, operator);
        let infrastructure = json!({
            "metadata": { "name": object_refs::CLUSTER },
            "spec": { "cloudConfig": { "name": "own", "key": "wrong" } },
            "status": { "platformStatus": { "type": "GCP" } },
        });
        played.put(&kinds::INFRASTRUCTURE, infrastructure);
        let metadata = json!({ "name": "own", "namespace": object_refs::USER_NAMESPACE });
        played.put(&kinds::CONFIG_MAP, json!({ "metadata": metadata, "data": { "config": "x" } }));
        let controller = KubeCloudConfig::new(played.clone(), played.clone(), MapNames::default());
        for _ in 0..2 {
            assert_eq!(controller.reconcile(&object_refs::key()).await, Ok(Next::Settled));
        }
        let told: Vec<&str> = played.with(|state| state.told.iter().map(|one| one.reason).collect());
        assert_eq!(told, ["CloudConfigCreated", "CloudConfigKeyMissing"]);
    }

    #[tokio::test]
    async fn words_that_were_booleans_are_reported_once_without_their_values() {
        let played = Arc::new(FakeCluster::default());
        let operator = json!({ "metadata": { "name": object_refs::OPERATOR, "resourceVersion": "1" } });
        played.put(&kinds::CLUSTER_OPERATOR, operator);
        let infrastructure = json!({
            "metadata": { "name": object_refs::CLUSTER },
            "spec": { "cloudConfig": { "name": "own", "key": "config" } },
            "status": { "platformStatus": { "type": "Azure" } },
        });
        played.put(&kinds::INFRASTRUCTURE, infrastructure);
        let metadata = json!({ "name": "own", "namespace": object_refs::USER_NAMESPACE });
        let text = "useInstanceMetadata: yes\naadClientSecret: canary\n";
        played.put(&kinds::CONFIG_MAP, json!({ "metadata": metadata, "data": { "config": text } }));
        let controller = KubeCloudConfig::new(played.clone(), played.clone(), MapNames::default());
        for _ in 0..2 {
            assert_eq!(controller.reconcile(&object_refs::key()).await, Ok(Next::Settled));
        }
        let told: Vec<ClusterEvent> = played.with(|state| state.told.clone());
        let reasons: Vec<&str> = told.iter().map(|one| one.reason).collect();
        assert_eq!(reasons, ["CloudConfigCreated", "CloudConfigWords"]);
        assert!(
            told[1].note.contains("`useInstanceMetadata`") && !told[1].note.contains("canary"),
            "{told:?}"
        );
    }
}
