//! Clusters that refer to another profile of landfall's own group.

use std::sync::Arc;

use jiff::Timestamp;
use landfall_kube::kinds::LANDFALL_PROFILES;
use serde_json::{Value, json};

use crate::admission::Judge;
use crate::fake_cluster::FakeCluster;

/// A cluster with profiles of each kind: of the region `north`, of that and `south`, and of machine types of their own.
fn cluster() -> Arc<FakeCluster> {
    let cluster = Arc::new(FakeCluster::default());
    let kinds = &LANDFALL_PROFILES;
    let types = |name: &str| json!([{ "name": name, "cpu": "4", "gpu": "0", "memory": "16Gi" }]);
    for (name, regions) in
        [("both", json!([{ "name": "north" }, { "name": "south" }])), ("north", json!([{ "name": "north" }]))]
    {
        let spec = json!({ "type": "azure", "regions": regions, "machineTypes": types("common") });
        cluster.put(&kinds.cloud, json!({ "metadata": { "name": name }, "spec": spec }));
    }
    let inheriting = |kind: &str, parent: Value| {
        json!({
            "apiVersion": kinds.private.api_version(),
            "kind": kind,
            "metadata": { "name": "ours", "namespace": "team" },
            "spec": { "parent": parent, "machineTypes": types("own") },
        })
    };
    cluster.put(&kinds.private, inheriting("PrivateCloudProfile", json!("both")));
    let parent = json!({ "kind": "CloudProfile", "name": "north" });
    cluster.put(&kinds.namespaced, inheriting("NamespacedCloudProfile", parent));
    cluster
}

fn infrastructure(profile: &Value, status: &Value) -> Value {
    json!({
        "metadata": { "name": "demo", "namespace": "team" },
        "spec": { "cloudProfileRef": profile },
        "status": status,
    })
}

/// What stands against a change of the reference of a cluster with this status.
async fn refused(from: &Value, to: &Value, status: &Value) -> Option<String> {
    let request = json!({
        "uid": "u-1",
        "resource": { "group": LANDFALL_PROFILES.users.group, "resource": LANDFALL_PROFILES.users.plural },
        "name": "demo",
        "namespace": "team",
        "object": infrastructure(to, status),
        "oldObject": infrastructure(from, status),
    });
    let cluster = cluster();
    let judge = Judge::new(cluster.clone(), cluster, &LANDFALL_PROFILES);
    let answer = judge.review(&json!({ "request": request }), Timestamp::UNIX_EPOCH).await;
    let response = answer.get("response").cloned().unwrap_or_default();
    let message = response.pointer("/status/message").and_then(Value::as_str).map(str::to_owned);
    assert_eq!(response.get("allowed"), Some(&json!(message.is_none())));
    message
}

#[tokio::test]
async fn a_profile_that_lacks_what_a_cluster_uses_is_refused() {
    let named = |kind: &str, name: &str| json!({ "kind": kind, "name": name });
    let (both, north) = (named("CloudProfile", "both"), named("CloudProfile", "north"));
    let (private, namespaced) = (json!({ "name": "ours" }), named("NamespacedCloudProfile", "ours"));
    let of = |region: &str, machine: &str| json!({ "region": region, "machineTypes": [machine] });
    let common = of("north", "common");
    for (from, to, status) in [
        (&both, &north, &common),
        (&Value::Null, &namespaced, &common),
        (&private, &namespaced, &of("north", "own")),
        (&namespaced, &private, &of("north", "own")),
        (&private, &Value::Null, &of("south", "own")),
        // What was not offered before either is not lost.
        (&both, &north, &of("west", "other")),
        // Nothing is used yet.
        (&both, &named("CloudProfile", "missing"), &json!({})),
    ] {
        assert_eq!(refused(from, to, status).await, None, "{from} to {to}");
    }
    for (from, to, status, field) in [
        (&both, &north, of("south", "common"), "region"),
        (&private, &both, of("south", "own"), "machine type"),
        (&private, &namespaced, of("south", "own"), "region"),
        (&namespaced, &north, of("north", "own"), "machine type"),
        (&Value::Null, &north, of("south", "common"), "region"),
        (
            &both,
            &json!({ "name": "missing" }),
            of("south", "common"),
            "there is no PrivateCloudProfile `missing`",
        ),
    ] {
        let message = refused(from, to, &status).await.unwrap_or_default();
        assert!(
            message.starts_with("spec.cloudProfileRef: ") && message.contains(field),
            "{from} to {to}: {message}"
        );
    }
}
