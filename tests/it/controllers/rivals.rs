//! Operators of OpenShift's own, beside which controllers do not run.

use landfall_controllers::operator::{CONTROLLERS, Registered, rivals};
use landfall_kube::kinds::DEPLOYMENT;
use landfall_kube::objects::ObjectRef;
use serde_json::json;

use super::played::Played;

#[tokio::test]
async fn an_operator_that_does_the_same_is_seen_while_it_runs() {
    let played = Played::new();
    let all: Vec<&'static Registered> = CONTROLLERS.iter().collect();
    let found = async || {
        let found = rivals(&*played, &all).await.unwrap();
        found.into_iter().map(|(controller, rival)| (controller, rival.namespace)).collect::<Vec<_>>()
    };
    assert_eq!(found().await, []);
    let own = ObjectRef::in_namespace(
        &DEPLOYMENT,
        "openshift-cloud-controller-manager-operator".to_owned(),
        "cluster-cloud-controller-manager-operator",
    );
    played.put(own.clone(), json!({ "spec": { "replicas": 1 } }));
    assert_eq!(found().await, [("cloud-config-sync", "openshift-cloud-controller-manager-operator")]);
    played.put(own.clone(), json!({ "spec": { "replicas": 0 } }));
    assert_eq!(found().await, []);
    played.remove(&own);

    let config = "openshift-config-operator";
    // A Deployment that does not say how many has one replica.
    played.put(ObjectRef::in_namespace(&DEPLOYMENT, config.to_owned(), config), json!({ "spec": {} }));
    assert_eq!(found().await, [("kube-cloud-config", config), ("endpoint-mirror", config)]);
    played.fail_get("Deployment");
    assert!(rivals(&*played, &all).await.is_err());
    let others: Vec<&'static Registered> = CONTROLLERS.iter().filter(|one| one.profiles).collect();
    assert_eq!(rivals(&*played, &others).await, Ok(Vec::new()));
}
