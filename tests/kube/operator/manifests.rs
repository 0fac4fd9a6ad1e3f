//! What `landfall operator manifests` prints: no right too many, and none that could be missing.

use std::process::Command;

use serde_json::{Value, json};

use super::account::{collection, printed};
use super::cluster::{Cluster, KEY, MANAGED_MAP, TARGET_MAP, USER_MAP};
use super::replica::Replica;
use super::until::{becomes, until};

const OPERATOR: &str = "landfall";
/// The command outside of OpenShift.
const MANIFESTS: &[&str] = &["manifests", "--release-version", "unknown"];
const CONDITION: &str = "KubeCloudConfigControllerDegraded";

fn has(rule: &Value, list: &str, what: &str) -> bool {
    rule[list].as_array().is_some_and(|list| list.iter().any(|found| found == what))
}

#[test]
fn no_right_is_wide() {
    let objects = printed(MANIFESTS);
    let of = |kind: &str| objects.iter().filter(|object| object["kind"] == kind).count();
    for kind in ["Namespace", "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"] {
        assert!(of(kind) > 0, "no {kind}");
    }
    assert_eq!((of("Deployment"), of("ServiceAccount")), (1, 1));
    for object in &objects {
        for rule in object["rules"].as_array().into_iter().flatten() {
            let text = rule.to_string();
            assert!(!text.contains("\"*\"") && !text.contains("secrets"), "{}: {text}", object["metadata"]);
            let is_read = |verb: &Value| ["get", "list", "watch"].iter().any(|read| verb == read);
            let mut verbs = rule["verbs"].as_array().into_iter().flatten();
            if object["kind"] == "ClusterRole" && has(rule, "resources", "configmaps") {
                assert!(verbs.all(is_read), "maps of every namespace may be written: {text}");
            }
        }
    }
}

#[test]
#[ignore = "needs an API server"]
fn a_right_that_is_missing_is_named_and_made_up_for_once_it_is_given() {
    let spec = json!({ "cloudConfig": { "name": USER_MAP.1, "key": KEY } });
    let cluster = Cluster::start(&spec, &json!({ "type": "GCP" }));
    cluster.user_map("first");
    let writes = |object: &&Value| {
        let mut rules = object["rules"].as_array().into_iter().flatten();
        object["kind"] == "Role"
            && object["metadata"]["namespace"] == MANAGED_MAP.0
            && rules.any(|rule| has(rule, "resources", "configmaps"))
    };
    let roles: Vec<Value> = printed(MANIFESTS).iter().filter(writes).cloned().collect();
    assert!(!roles.is_empty(), "no right to write {MANAGED_MAP:?}");
    let set = |role: &Value, rules: &Value| {
        let collection = collection(&cluster.server, role).unwrap_or_default();
        let path = format!("{collection}/{}", role["metadata"]["name"].as_str().unwrap_or_default());
        cluster.server.change(&path, &json!({ "rules": rules }));
    };
    let read_only =
        json!([{ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "watch"] }]);
    for role in &roles {
        set(role, &read_only);
    }
    let operator = Replica::start(&cluster, "kube-cloud-config,cloud-config-sync");
    cluster.says(OPERATOR, CONDITION, "True", &["SyncError", "403", "configmaps", MANAGED_MAP.0]);
    // The other controller has what it needs.
    cluster.holds(TARGET_MAP, "first");
    assert_eq!(cluster.map(MANAGED_MAP), Value::Null);
    until("the failure is counted", || {
        (operator.metric("landfall_reconcile_errors_total", &["kube-cloud-config"]) > 0).then_some(())
    });

    for role in &roles {
        set(role, &role["rules"]);
    }
    becomes(&"first".to_owned(), || cluster.text(MANAGED_MAP));
    cluster.says(OPERATOR, CONDITION, "False", &["AsExpected"]);
}

#[test]
#[ignore = "needs an API server"]
fn the_operator_does_not_run_beside_one_of_openshift_that_does_the_same() {
    const NAMESPACE: &str = "openshift-cloud-controller-manager-operator";
    const DEPLOYMENT: &str = "cluster-cloud-controller-manager-operator";
    let cluster = Cluster::start(&json!({}), &json!({ "type": "GCP" }));
    cluster.server.make("/api/v1/namespaces", &json!({ "metadata": { "name": NAMESPACE } }));
    let labels = json!({ "app": DEPLOYMENT });
    let deployment = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": DEPLOYMENT },
        "spec": {
            "selector": { "matchLabels": labels },
            "template": {
                "metadata": { "labels": labels },
                "spec": { "containers": [{ "name": "operator", "image": "example.com/operator" }] },
            },
        },
    });
    cluster.server.make(&format!("/apis/apps/v1/namespaces/{NAMESPACE}/deployments"), &deployment);
    let ran = Command::new(env!("CARGO_BIN_EXE_landfall"))
        .args([
            "operator",
            "run",
            "--listen",
            "127.0.0.1:0",
            "--namespace",
            &cluster.namespace,
            "--kubeconfig",
        ])
        .arg(&cluster.kubeconfig)
        .env_clear()
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(1), "{said}");
    for word in ["cloud-config-sync", DEPLOYMENT, NAMESPACE, "--take-over"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert!(!said.contains("endpoint-mirror"), "{said}");
    // What it does not do, and what somebody wants all the same, runs.
    drop(Replica::start(&cluster, "kube-cloud-config,endpoint-mirror"));
    drop(Replica::begin(&cluster, &["--take-over"], None));
}
