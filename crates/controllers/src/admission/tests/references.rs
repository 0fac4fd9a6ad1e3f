//! Clusters in Azure: what their profiles keep for them, and to which other profile they may refer.

use std::sync::Arc;

use jiff::Timestamp;
use landfall_kube::kinds::{AZURE_INFRASTRUCTURE, GARDENER_PROFILES, LANDFALL_PROFILES, ProfileKinds, SHOOT};
use landfall_kube::objects::{Kind, ObjectRef};
use serde_json::{Value, json};

use crate::admission::{Judge, configurations};
use crate::fake_cluster::FakeCluster;

/// A cluster with profiles of each kind: of the region `north`, of that and `south`, and of machine types of their own.
fn cluster(kinds: &'static ProfileKinds) -> Arc<FakeCluster> {
    let cluster = Arc::new(FakeCluster::default());
    let types = |name: &str| json!([{ "name": name, "cpu": "4", "gpu": "0", "memory": "16Gi" }]);
    for (name, regions) in
        [("both", json!([{ "name": "north" }, { "name": "south" }])), ("north", json!([{ "name": "north" }]))]
    {
        let spec = json!({
            "type": "azure",
            "kubernetes": { "versions": [{ "version": "1.2.3" }] },
            "regions": regions,
            "machineTypes": types("common"),
        });
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

/// What stands against a change of the reference of a cluster with this status, which is the same in both groups.
async fn refused(from: &Value, to: &Value, status: &Value) -> Option<String> {
    let (old, new) = (infrastructure(from, status), infrastructure(to, status));
    let own =
        changed(&cluster(&LANDFALL_PROFILES), &LANDFALL_PROFILES, &AZURE_INFRASTRUCTURE, &old, &new).await;
    let other =
        changed(&cluster(&GARDENER_PROFILES), &GARDENER_PROFILES, &AZURE_INFRASTRUCTURE, &old, &new).await;
    assert_eq!(own, other);
    own
}

/// What stands against a change of an object of this kind.
async fn changed(
    cluster: &Arc<FakeCluster>,
    kinds: &'static ProfileKinds,
    kind: &Kind,
    old: &Value,
    new: &Value,
) -> Option<String> {
    let request = json!({
        "uid": "u-1",
        "resource": { "group": kind.group, "resource": kind.plural },
        "name": new.pointer("/metadata/name"),
        "namespace": new.pointer("/metadata/namespace"),
        "object": new,
        "oldObject": old,
    });
    let judge = Judge::new(cluster.clone(), cluster.clone(), kinds);
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

#[tokio::test]
async fn a_change_of_a_parent_reads_only_the_profiles_to_which_clusters_refer() {
    let kinds = &LANDFALL_PROFILES;
    let cluster = cluster(kinds);
    let status = json!({ "region": "south", "machineTypes": ["own"] });
    // What refers to a profile that is not there loses nothing.
    for (name, profile) in [("demo", "ours"), ("other", "missing"), ("third", "not/a name")] {
        let mut user = infrastructure(&json!({ "name": profile }), &status);
        user["metadata"]["name"] = json!(name);
        cluster.put(&AZURE_INFRASTRUCTURE, user);
    }
    let old = cluster.at(&ObjectRef::in_cluster(&kinds.cloud, "both"));
    let mut new = old.clone();
    new["spec"]["regions"] = json!([{ "name": "north" }]);
    let request = json!({
        "uid": "u-1",
        "resource": { "group": kinds.cloud.group, "resource": kinds.cloud.plural },
        "name": "both",
        "object": new,
        "oldObject": old,
    });
    let judge = Judge::new(cluster.clone(), cluster.clone(), kinds);
    let answer = judge.review(&json!({ "request": request }), Timestamp::UNIX_EPOCH).await;
    let message = answer.pointer("/response/status/message").and_then(Value::as_str).unwrap_or_default();
    assert!(message.contains("`south` by AzureInfrastructure `team/demo`"), "{message}");
    assert!(!message.contains("other") && !message.contains("third"), "{message}");
    let listed = cluster.with(|state| std::mem::take(&mut state.listed));
    assert!(listed.contains(&&AZURE_INFRASTRUCTURE) && !listed.contains(&&kinds.private), "{listed:?}");
    // A profile that cannot be read is no answer.
    cluster.with(|state| state.is_down = true);
    let answer = judge.review(&json!({ "request": request }), Timestamp::UNIX_EPOCH).await;
    assert_eq!(answer.pointer("/response/status/code"), Some(&json!(500)));
}

#[test]
fn the_api_server_waits_longest_for_cloud_profiles() -> Result<(), String> {
    let address = "webhook".parse()?;
    let [(_, amending), (_, judging)] = configurations(&LANDFALL_PROFILES, &address, "here", None);
    for webhook in [amending, judging].iter().filter_map(|one| one["webhooks"].as_array()).flatten() {
        let is_of_parents = webhook["name"].as_str().is_some_and(|name| name.starts_with("parents."));
        assert_eq!(webhook["timeoutSeconds"], if is_of_parents { 30 } else { 10 }, "{}", webhook["name"]);
    }
    Ok(())
}

#[tokio::test]
async fn profiles_of_either_group_keep_what_an_infrastructure_uses() {
    for kinds in [&LANDFALL_PROFILES, &GARDENER_PROFILES] {
        let cluster = cluster(kinds);
        let named = |kind: &str, name: &str| json!({ "kind": kind, "name": name });
        let places = [
            (ObjectRef::in_cluster(&kinds.cloud, "both"), named("CloudProfile", "both"), "common"),
            (ObjectRef::in_cluster(&kinds.cloud, "both"), json!({ "name": "ours" }), "common"),
            (ObjectRef::in_cluster(&kinds.cloud, "north"), named("NamespacedCloudProfile", "ours"), "common"),
            (ObjectRef::in_namespace(&kinds.private, "team", "ours"), json!({ "name": "ours" }), "own"),
            (
                ObjectRef::in_namespace(&kinds.namespaced, "team", "ours"),
                named("NamespacedCloudProfile", "ours"),
                "own",
            ),
        ];
        for (place, reference, machine) in places {
            let status = json!({ "region": "north", "machineTypes": [machine] });
            cluster.put(&AZURE_INFRASTRUCTURE, infrastructure(&reference, &status));
            let old = cluster.at(&place);
            let mut new = old.clone();
            new["spec"]["machineTypes"] =
                json!([{ "name": "new", "cpu": "4", "gpu": "0", "memory": "16Gi" }]);
            let message = changed(&cluster, kinds, place.kind, &old, &new).await.unwrap_or_default();
            assert!(
                message.contains(&format!(
                    "spec.machineTypes: still in use: `{machine}` by AzureInfrastructure `team/demo`"
                )),
                "{place}: {message}"
            );
            // It is said once.
            assert_eq!(message.matches("demo").count(), 1, "{place}: {message}");
        }
    }
}

#[tokio::test]
async fn profiles_keep_zones_and_usable_types_of_an_infrastructure() {
    for kinds in [&LANDFALL_PROFILES, &GARDENER_PROFILES] {
        let cluster = cluster(kinds);
        let status = json!({ "region": "north", "zones": ["1"], "machineTypes": ["common"] });
        let place = ObjectRef::in_cluster(&kinds.cloud, "both");
        let old = cluster.at(&place);
        for reference in [json!({ "name": "ours" }), json!({ "kind": "CloudProfile", "name": "both" })] {
            cluster.put(&AZURE_INFRASTRUCTURE, infrastructure(&reference, &status));
            let mut new = old.clone();
            new["spec"]["machineTypes"][0]["usable"] = json!(false);
            let message = changed(&cluster, kinds, place.kind, &old, &new).await.unwrap_or_default();
            assert!(message.contains("`common` by AzureInfrastructure `team/demo`"), "{message}");
            let mut new = old.clone();
            new["spec"]["regions"][0]["zones"] = json!([{ "name": "2" }]);
            let message = changed(&cluster, kinds, place.kind, &old, &new).await.unwrap_or_default();
            assert!(message.contains("zone `1` of `north` by AzureInfrastructure `team/demo`"), "{message}");
        }
    }
}

#[tokio::test]
async fn a_shoot_and_an_infrastructure_are_both_named() {
    let kinds = &GARDENER_PROFILES;
    let cluster = cluster(kinds);
    let reference = json!({ "kind": "CloudProfile", "name": "both" });
    cluster.put(
        &AZURE_INFRASTRUCTURE,
        infrastructure(&reference, &json!({ "region": "south", "machineTypes": [] })),
    );
    cluster.put(
        &SHOOT,
        json!({
            "metadata": { "name": "s", "namespace": "team" },
            "spec": { "cloudProfile": reference, "region": "south" },
        }),
    );
    let place = ObjectRef::in_cluster(&kinds.cloud, "both");
    let old = cluster.at(&place);
    let mut new = old.clone();
    new["spec"]["regions"] = json!([{ "name": "north" }]);
    let message = changed(&cluster, kinds, place.kind, &old, &new).await.unwrap_or_default();
    for user in ["by Shoot `team/s`", "by AzureInfrastructure `team/demo`"] {
        assert!(message.matches(user).count() == 1, "{message}");
    }
}
