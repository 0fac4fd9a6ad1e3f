//! Tests of what a new process of the controller does with what it finds.

use std::collections::BTreeSet;
use std::sync::PoisonError;

use futures::FutureExt as _;
use landfall_kube::kinds::{CLUSTER_OPERATOR, CONFIG_MAP, INFRASTRUCTURE};
use landfall_kube::objects::ObjectRef;
use serde_json::{Value, json};

use super::*;
use crate::fake_cluster::FakeCluster;

/// A network in which some endpoints cannot be reached.
#[derive(Default)]
struct Network {
    down: Mutex<BTreeSet<String>>,
    asked: Mutex<Vec<String>>,
}

impl Network {
    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn down(&self, urls: &[&str]) {
        let urls = urls.iter().map(|&url| url.to_owned()).collect();
        *self.down.lock().unwrap_or_else(PoisonError::into_inner) = urls;
    }
}

impl Probe for Network {
    fn look<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<(), String>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(url.to_owned());
        let is_down = self.down.lock().unwrap_or_else(PoisonError::into_inner).contains(url);
        async move { if is_down { Err("no answer".to_owned()) } else { Ok(()) } }.boxed()
    }
}

const EC2: &str = "https://ec2.example";
const IAM: &str = "https://iam.example";

struct Site {
    cluster: Arc<FakeCluster>,
    network: Arc<Network>,
}

impl Site {
    /// A cluster in which an earlier process verified `ec2`, and another operator mirrored `iam` since.
    fn new() -> Self {
        let site = Self { cluster: Arc::default(), network: Arc::default() };
        let list = json!([endpoint("ec2", EC2)]).to_string();
        let metadata = json!({ "name": object_refs::VERIFIED_MAP, "namespace": "own" });
        let map = json!({ "metadata": metadata, "data": { "endpoints.json": list } });
        site.cluster.put(&CONFIG_MAP, map);
        let metadata = json!({ "name": object_refs::OPERATOR, "resourceVersion": "1" });
        site.cluster.put(&CLUSTER_OPERATOR, json!({ "metadata": metadata }));
        let both = json!([endpoint("ec2", EC2), endpoint("iam", IAM)]);
        site.put(&both, &both);
        site
    }

    fn put(&self, wanted: &Value, mirrored: &Value) {
        let object = json!({
            "metadata": { "name": object_refs::CLUSTER },
            "spec": { "platformSpec": { "type": "AWS", "aws": { "serviceEndpoints": wanted } } },
            "status": { "platformStatus": { "type": "AWS", "aws": { "serviceEndpoints": mirrored } } },
        });
        self.cluster.put(&INFRASTRUCTURE, object);
    }

    /// A new process.
    fn mirror(&self) -> EndpointMirror {
        let (objects, events) = (self.cluster.clone(), self.cluster.clone());
        EndpointMirror::new(objects, events, self.network.clone(), "own".to_owned())
    }

    fn mirrored(&self) -> Value {
        let object = self.cluster.at(&object_refs::infrastructure());
        object["status"]["platformStatus"]["aws"]["serviceEndpoints"].clone()
    }

    fn kept(&self) -> Value {
        let place = ObjectRef::in_namespace(&CONFIG_MAP, "own".to_owned(), object_refs::VERIFIED_MAP);
        let text = self.cluster.at(&place)["data"]["endpoints.json"].clone();
        serde_json::from_str(text.as_str().unwrap_or_default()).unwrap_or_default()
    }

    fn degraded(&self) -> Value {
        let operator = self.cluster.at(&ObjectRef::in_cluster(&CLUSTER_OPERATOR, object_refs::OPERATOR));
        let conditions = operator["status"]["conditions"].as_array().cloned().unwrap_or_default();
        let own = conditions.into_iter().find(|one| one["type"] == "EndpointMirrorDegraded");
        own.unwrap_or_default()["status"].clone()
    }

    fn reported(&self) -> Vec<&'static str> {
        self.cluster.with(|state| std::mem::take(&mut state.told)).iter().map(|event| event.reason).collect()
    }
}

fn endpoint(name: &str, url: &str) -> Value {
    json!({ "name": name, "url": url })
}

#[tokio::test]
async fn what_another_operator_mirrored_is_probed_and_stays_where_it_is_unreachable() {
    let site = Site::new();
    let both = site.mirrored();
    site.network.down(&[IAM]);
    let mirror = site.mirror();
    for reported in [&["ServiceEndpointsUnreachable"] as &[&str], &[]] {
        let failed = mirror.reconcile(&object_refs::key()).await.err();
        assert_eq!(failed.map(|failed| failed.reason), Some(status::UNREACHABLE));
        assert_eq!(site.network.asked(), [IAM]);
        assert_eq!([site.mirrored(), site.degraded()], [both.clone(), json!("True")]);
        assert_eq!(site.kept(), json!([endpoint("ec2", EC2)]));
        assert_eq!(site.reported(), reported);
    }
    // What somebody else writes afterwards is replaced.
    site.put(&both, &json!([endpoint("s3", "https://s3.example")]));
    assert!(mirror.reconcile(&object_refs::key()).await.is_err());
    assert_eq!(site.mirrored(), json!([endpoint("ec2", EC2)]));
    // Once it is reached, it is verified.
    site.network.down(&[]);
    assert_eq!(mirror.reconcile(&object_refs::key()).await, Ok(Next::Settled));
    assert_eq!([site.mirrored(), site.kept(), site.degraded()], [both.clone(), both, json!("False")]);
}

#[tokio::test]
async fn what_another_operator_mirrored_is_kept_once_it_is_verified() {
    let site = Site::new();
    let both = site.mirrored();
    let mirror = site.mirror();
    assert_eq!(mirror.reconcile(&object_refs::key()).await, Ok(Next::Settled));
    assert_eq!(site.network.asked(), [IAM]);
    assert_eq!([site.mirrored(), site.kept(), site.degraded()], [both.clone(), both, json!("False")]);
    let is_status = |state: &mut crate::fake_cluster::State| {
        state.writes.iter().any(|(place, _)| *place == object_refs::infrastructure())
    };
    assert!(!site.cluster.with(is_status));
    // The next process probes nothing.
    assert_eq!(site.mirror().reconcile(&object_refs::key()).await, Ok(Next::Settled));
    assert!(site.network.asked().is_empty());
}

#[tokio::test]
async fn a_list_that_was_mirrored_and_is_invalid_is_reported_and_stays() {
    let site = Site::new();
    let invalid = json!([endpoint("ec2", "http://ec2.example")]);
    site.put(&invalid, &invalid);
    let failed = site.mirror().reconcile(&object_refs::key()).await.err();
    assert_eq!(failed.map(|failed| failed.reason), Some(status::INVALID));
    assert_eq!([site.mirrored(), site.degraded()], [invalid, json!("True")]);
    assert_eq!(site.kept(), json!([endpoint("ec2", EC2)]));
}
