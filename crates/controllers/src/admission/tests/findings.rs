//! Answers that name all that is to be corrected.

use landfall_kube::kinds::{AZURE_INFRASTRUCTURE, SHOOT};

use super::*;

#[tokio::test]
async fn all_stages_are_told_in_one_answer() {
    let versions = json!([{ "version": "9.9.9", "expirationDate": "2999-01-01T00:00:00Z" }]);
    let spec = json!({
        "parent": "p",
        "kubernetes": { "versions": versions },
        "limits": { "maxNodesTotal": 0 },
    });
    let asked = review("privatecloudprofiles", &Value::Null, &profile(&spec));
    let (allowed, code, why) = answer(&cluster(), &asked).await;
    assert_eq!((allowed, code), (false, 422));
    for field in ["spec.limits.maxNodesTotal: ", "spec.kubernetes.versions[0]: "] {
        assert_eq!(why.matches(field).count(), 1, "{why}");
    }
}

#[tokio::test]
async fn all_missing_verbs_are_told() {
    let date = "2999-01-01T00:00:00Z";
    let spec = json!({
        "parent": "p",
        "kubernetes": { "versions": [{ "version": "1.2.3", "expirationDate": date }] },
        "machineImages": [{ "name": "i", "updateStrategy": "major", "versions": [{
            "version": "1.0.0",
            "expirationDate": date,
            "cri": [{ "name": "containerd" }],
            "architectures": ["amd64"],
        }] }],
    });
    let asked = review("privatecloudprofiles", &Value::Null, &profile(&spec));
    let cluster = cluster();
    let (allowed, code, why) = answer(&cluster, &asked).await;
    assert_eq!((allowed, code), (false, 403), "{why}");
    assert!(VERBS.iter().all(|verb| why.contains(&format!("`{verb}`"))), "{why}");
    cluster.with(|state| state.verbs.extend([VERBS[0]]));
    let (_, _, why) = answer(&cluster, &asked).await;
    assert!(!why.contains(VERBS[0]) && why.contains(VERBS[1]), "{why}");
}

#[tokio::test]
async fn faults_missing_verbs_and_uses_are_told_in_one_answer() {
    let cluster = cluster();
    let reference = json!({ "kind": "PrivateCloudProfile", "name": "c" });
    let spec =
        json!({ "cloudProfile": reference, "provider": { "workers": [{ "machine": { "type": "own" } }] } });
    cluster.put(&SHOOT, json!({ "metadata": { "name": "s", "namespace": "n" }, "spec": spec }));
    let old = profile(&json!({ "parent": "p", "machineTypes": [{ "name": "own" }] }));
    let versions = json!([{ "version": "1.2.3", "expirationDate": "2999-01-01T00:00:00Z" }]);
    let mut new = profile(&json!({ "parent": "p", "kubernetes": { "versions": versions } }));
    new["spec"]["limits"] = json!({ "maxNodesTotal": 0 });
    let (allowed, code, why) = answer(&cluster, &review("privatecloudprofiles", &old, &new)).await;
    assert_eq!((allowed, code), (false, 422), "{why}");
    for found in ["spec.limits.maxNodesTotal: ", "(verb-missing)", "spec.machineTypes: still in use: `own`"] {
        assert_eq!(why.matches(found).count(), 1, "{found}: {why}");
    }
    // Where a value has another type, what is in use cannot be known; the rest is told.
    new["spec"]["limits"] = json!(7);
    let (allowed, code, why) = answer(&cluster, &review("privatecloudprofiles", &old, &new)).await;
    assert_eq!((allowed, code), (false, 422), "{why}");
    assert!(why.contains("spec.limits: ") && why.contains("(verb-missing)"), "{why}");
}

#[tokio::test]
async fn faults_of_a_cloud_profile_and_its_uses_are_told_in_one_answer() {
    let cluster = cluster();
    cluster.put(
        &AZURE_INFRASTRUCTURE,
        json!({
            "metadata": { "name": "demo", "namespace": "n" },
            "spec": { "cloudProfileRef": { "kind": "CloudProfile", "name": "p" } },
            "status": { "region": "north", "machineTypes": ["m"] },
        }),
    );
    let mut old = cluster.at(&ObjectRef::in_cluster(&GARDENER_PROFILES.cloud, "p"));
    old["spec"]["regions"] = json!([{ "name": "north" }]);
    let mut new = old.clone();
    new["spec"]["machineTypes"][0]["cpu"] = json!("q");
    new["spec"]["regions"] = json!([{ "name": "south" }]);
    let (allowed, code, why) = answer(&cluster, &review("cloudprofiles", &old, &new)).await;
    assert_eq!((allowed, code), (false, 422), "{why}");
    for found in ["spec.machineTypes[0].cpu: ", "spec.regions: still in use: `north`"] {
        assert_eq!(why.matches(found).count(), 1, "{found}: {why}");
    }
}

#[tokio::test]
async fn a_foreign_profile_is_refused_with_what_it_does_not_offer() {
    let cluster = cluster();
    let kubernetes = json!({ "versions": [{ "version": "1.2.3" }] });
    let spec = json!({ "type": "x", "kubernetes": kubernetes });
    cluster.put(&GARDENER_PROFILES.cloud, json!({ "metadata": { "name": "q" }, "spec": spec }));
    let regions = json!([{ "name": "north" }]);
    cluster.put(&GARDENER_PROFILES.private, profile(&json!({ "parent": "p", "regions": regions })));
    let mut other = profile(&json!({ "parent": "q" }));
    other["metadata"]["name"] = json!("d");
    cluster.put(&GARDENER_PROFILES.private, other);
    let shoot = |name: &str| {
        let reference = json!({ "kind": "PrivateCloudProfile", "name": name });
        let spec = json!({ "cloudProfile": reference, "region": "north" });
        json!({ "metadata": { "name": "s", "namespace": "n" }, "spec": spec })
    };
    let (allowed, _, why) = answer(&cluster, &review("shoots", &shoot("c"), &shoot("d"))).await;
    assert!(!allowed && why.contains("(other-hierarchy)"), "{why}");
    assert!(why.contains("region not offered, still in use: `north`"), "{why}");
}
