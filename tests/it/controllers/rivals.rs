//! Operators beside which controllers do not run.

use landfall_controllers::MapNames;
use landfall_controllers::operator::{CONTROLLERS, Registered, rivals};
use landfall_kube::kinds::{CONFIG_MAP, DEPLOYMENT, INFRASTRUCTURE};
use landfall_kube::objects::ObjectRef;
use serde_json::json;

use super::played::Played;

/// The controllers that have a rival, each with how it was noticed.
async fn found(played: &Played, controllers: &[&'static Registered]) -> Vec<(&'static str, String)> {
    let found = rivals(played, controllers, &MapNames::default(), TARGET).await.unwrap();
    found.into_iter().map(|(controller, seen)| (controller, seen.to_string())).collect()
}

const TARGET: &str = "openshift-cloud-controller-manager";

#[tokio::test]
async fn an_operator_that_does_the_same_is_seen_while_it_runs() {
    let played = Played::new();
    let all: Vec<&'static Registered> = CONTROLLERS.iter().collect();
    assert_eq!(found(&played, &all).await, []);
    let (namespace, name) =
        ("openshift-cloud-controller-manager-operator", "cluster-cloud-controller-manager-operator");
    let own = ObjectRef::in_namespace(&DEPLOYMENT, namespace.to_owned(), name);
    played.put(own.clone(), json!({ "spec": { "replicas": 1 } }));
    let told = format!("Deployment {name} in {namespace}");
    assert_eq!(found(&played, &all).await, [("cloud-config-sync", told)]);
    played.put(own.clone(), json!({ "spec": { "replicas": 0 } }));
    assert_eq!(found(&played, &all).await, []);
    played.remove(&own);

    let config = "openshift-config-operator";
    // A Deployment that does not say how many has one replica.
    played.put(ObjectRef::in_namespace(&DEPLOYMENT, config.to_owned(), config), json!({ "spec": {} }));
    let told = format!("Deployment {config} in {config}");
    assert_eq!(found(&played, &all).await, [("kube-cloud-config", told.clone()), ("endpoint-mirror", told)]);
    played.fail_get("Deployment");
    assert!(rivals(&*played, &all, &MapNames::default(), TARGET).await.is_err());
    let others: Vec<&'static Registered> = CONTROLLERS.iter().filter(|one| one.profiles).collect();
    assert_eq!(found(&played, &others).await, []);
}

#[tokio::test]
async fn an_operator_is_seen_by_what_it_wrote_where_its_deployment_is_elsewhere() {
    let played = Played::new();
    let all: Vec<&'static Registered> = CONTROLLERS.iter().collect();
    let written = |manager: &str, fields: serde_json::Value| {
        let managers = json!([{ "manager": manager, "operation": "Update", "fieldsV1": fields }]);
        json!({ "metadata": { "managedFields": managers } })
    };
    let data = || json!({ "f:data": { ".": {}, "f:cloud.conf": {} } });
    let managed =
        ObjectRef::in_namespace(&CONFIG_MAP, "openshift-config-managed".to_owned(), "kube-cloud-config");
    let target = ObjectRef::in_namespace(&CONFIG_MAP, TARGET.to_owned(), "cloud-conf");
    let infrastructure = ObjectRef::in_cluster(&INFRASTRUCTURE, "cluster");
    played.put(managed.clone(), written("cluster-config-operator", data()));
    played.put(target.clone(), written("config-sync-controllers", data()));
    let endpoints = json!({ "f:status": { "f:platformStatus": { "f:aws": { "f:serviceEndpoints": {} } } } });
    played.put(infrastructure.clone(), written("hosted-cluster-config-operator", endpoints));
    let told = |manager: &str, what: &str| format!("`{manager}`, the field manager of {what}");
    assert_eq!(
        found(&played, &all).await,
        [
            ("kube-cloud-config", told("cluster-config-operator", "ConfigMap/kube-cloud-config")),
            ("cloud-config-sync", told("config-sync-controllers", "ConfigMap/cloud-conf")),
            ("endpoint-mirror", told("hosted-cluster-config-operator", "Infrastructure/cluster")),
        ]
    );

    // What landfall has taken over is its own, also where another one is left with the object around it.
    let taken = json!([
        { "manager": "landfall", "operation": "Apply", "fieldsV1": data() },
        { "manager": "cluster-config-operator", "operation": "Update", "fieldsV1": data() },
        { "manager": "config-sync-controllers", "operation": "Update", "fieldsV1": { "f:data": { ".": {} } } },
    ]);
    played.put(managed.clone(), json!({ "metadata": { "managedFields": taken } }));
    assert!(!found(&played, &all).await.iter().any(|(controller, _)| *controller == "kube-cloud-config"));

    // People, and what an installation wrote once, are no rivals; nor is who writes other fields.
    played.put(managed, written("cluster-bootstrap", data()));
    played.put(target, written("kubectl-edit", data()));
    let other = json!({ "f:status": { "f:platformStatus": { "f:aws": { "f:region": {} } } } });
    played.put(infrastructure, written("cluster-config-operator", other));
    assert_eq!(found(&played, &all).await, []);
}
