//! What stays when landfall changes, and what the status says of the plan and of the infrastructure.

use super::*;

/// A cluster that is Ready, whose plan another landfall made.
pub(super) async fn planned_before(status: &Value) -> Stage {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    ready_before(&stage, status).await;
    stage
}

/// Brings a cluster to Ready, whose plan another landfall made.
pub(super) async fn ready_before(stage: &Stage, status: &Value) {
    stage.rounds(12).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
    stage.change(&json!({ "status": status }));
    restart(stage);
}

/// A new process remembers nothing.
pub(super) fn restart(stage: &Stage) {
    stage.controller.memories.lock().map(|mut memories| memories.clear()).unwrap_or_default();
}

fn hash(stage: &Stage) -> String {
    stage.resource()["status"]["planHash"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test(start_paused = true)]
async fn another_landfall_changes_nothing_until_it_is_accepted() {
    // Earlier versions noted the digest of all inputs, and before that none.
    let earlier =
        [json!({ "ownerInputsHash": null }), json!({ "ownerInputsHash": null, "inputsHash": null })];
    for inputs in earlier.into_iter().chain([json!({})]) {
        let mut before = json!({ "planHash": "0123456789abcdef", "plannedBy": "0.0.9" });
        json_patch::merge(&mut before, &inputs);
        let stage = planned_before(&before).await;
        // Whatever a new plan would change, it would write this object again.
        stage
            .played
            .merged(&at("virtualnetworks", "demo-x7k2p-vnet"), &json!({ "spec": { "location": "x" } }))
            .ok();
        let network = stage.played.read(&at("virtualnetworks", "demo-x7k2p-vnet"));
        stage.rounds(3).await;
        assert_eq!(stage.condition("UpdateAvailable"), "True PlanChanged");
        assert_eq!(
            (stage.condition("Progressing"), stage.condition("Ready")),
            ("False Held".into(), "True Done".into())
        );
        assert_eq!([stage.condition("Stalled"), stage.condition("Reconciling")], ["", ""]);
        let told = stage.told("UpdateAvailable");
        assert!(told.contains(" than 0.0.9: "), "{told}");
        assert_eq!(stage.played.read(&at("virtualnetworks", "demo-x7k2p-vnet")), network);
        assert_eq!(hash(&stage), "0123456789abcdef");
        assert!(stage.resource()["status"]["ownerInputsHash"].is_string());

        // The owner accepts the plan that the condition names.
        let plan = told.rsplit(' ').next().unwrap_or_default();
        stage.change(&json!({ "metadata": { "annotations": { (anchor::ACCEPTED_PLAN): plan } } }));
        stage.rounds(3).await;
        assert_eq!((stage.condition("UpdateAvailable"), hash(&stage)), (String::new(), plan.to_owned()));
        assert_eq!(stage.condition("Ready"), "True Done");
        assert_eq!(stage.resource()["status"]["plannedBy"], env!("CARGO_PKG_VERSION"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_changed_spec_is_carried_out_by_whatever_landfall() {
    let stage = planned_before(&json!({ "planHash": "0123456789abcdef" })).await;
    stage.change(&json!({ "spec": { "release": "4.18" }, "metadata": { "generation": 2 } }));
    stage.rounds(4).await;
    assert_eq!(
        (stage.condition("UpdateAvailable"), stage.condition("Ready")),
        (String::new(), "True Done".into())
    );
    assert_eq!(stage.resource()["status"]["release"], "4.18");
    let zones = json!(["1", "2", "3"]);
    assert_eq!(stage.resource()["status"]["zones"], zones);
    let machines = ["Standard_D4s_v3", "Standard_D8s_v3"].map(|name| json!({ "type": name, "zones": zones }));
    assert_eq!(stage.resource()["status"]["machines"], json!(machines));
}

#[tokio::test(start_paused = true)]
async fn a_release_that_was_planned_stays() {
    let stage = planned_before(&json!({ "release": "4.17", "planHash": null, "inputsHash": null })).await;
    stage.rounds(4).await;
    assert_eq!(stage.resource()["status"]["release"], "4.17");
    assert_eq!(stage.condition("Ready"), "True Done");
}

/// The status does not move to another management cluster.
#[tokio::test(start_paused = true)]
async fn a_release_moves_with_the_resource() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p", "release": "4.17" }));
    stage.rounds(12).await;
    let noted = |stage: &Stage| stage.resource()["metadata"]["annotations"][anchor::RELEASE].clone();
    assert_eq!(noted(&stage), "4.17");
    stage.change(&json!({ "spec": { "release": null }, "status": null, "metadata": { "generation": 2 } }));
    stage.controller.memories.lock().map(|mut memories| memories.clear()).unwrap_or_default();
    stage.rounds(4).await;
    assert_eq!(stage.resource()["status"]["release"], "4.17");
    assert_eq!(stage.condition("Ready"), "True Done");
    // It follows the spec.
    stage.change(&json!({ "spec": { "release": "4.18" }, "metadata": { "generation": 3 } }));
    stage.rounds(4).await;
    assert_eq!(noted(&stage), "4.18");
}

#[tokio::test(start_paused = true)]
async fn the_infrastructure_is_in_the_status_once_it_is_ready() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    stage.rounds(2).await;
    assert_eq!(stage.resource()["status"]["outputs"], Value::Null);
    stage.rounds(10).await;
    let network = stage.played.read(&at("virtualnetworks", "demo-x7k2p-vnet")).unwrap_or_default();
    let mut network = network;
    network["status"]["id"] = json!("/subscriptions/1/vnet");
    let stands = stage.played.put(at("virtualnetworks", "demo-x7k2p-vnet"), network);
    stage.controller.driver.store.note(ObjectEvent::Is("VirtualNetwork", stands));
    assert!(stage.controller.run(&key()).await.is_ok());
    assert_eq!(stage.resource()["status"]["outputs"], json!({ "networkIDs": ["/subscriptions/1/vnet"] }));
}

/// A cloud profile with one region, and the machine types that clusters use by default.
pub(super) fn profile(region: &str) -> Value {
    let machine = |name: &str, cpu: &str, memory: &str| json!({ "name": name, "cpu": cpu, "gpu": "0", "memory": memory });
    let machines = [machine("Standard_D8s_v3", "8", "32Gi"), machine("Standard_D4s_v3", "4", "16Gi")];
    let zones = ["1", "2", "3"].map(|zone| json!({ "name": zone }));
    let regions = json!([{ "name": region, "zones": zones }]);
    let spec = json!({ "type": "azure", "regions": regions, "machineTypes": machines });
    let metadata = json!({ "name": "ours", "namespace": "here" });
    let status = json!({ "cloudProfile": { "spec": spec } });
    json!({ "metadata": metadata, "spec": { "parent": "p" }, "status": status })
}

#[tokio::test(start_paused = true)]
async fn a_cloud_profile_restricts_the_cluster() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p", "cloudProfileRef": { "name": "ours" } }));
    assert!(stage.controller.run(&key()).await.is_err());
    assert_eq!(stage.condition("Validated"), "False InputMissing");
    stage.played.put(at("privatecloudprofiles", "ours"), profile("westeurope"));
    assert!(stage.controller.run(&key()).await.is_err());
    assert_eq!(stage.condition("Validated"), "False ConfigRejected");
    assert!(stage.told("Validated").contains("eastus"), "{}", stage.told("Validated"));
    assert!(stage.played.all("resourcegroups").is_empty());
    // The whole cloud profile is one of the cluster's.
    let mut whole = json!({ "metadata": { "name": "all" } });
    whole["spec"] = profile("eastus")["status"]["cloudProfile"]["spec"].clone();
    stage.played.put(("cloudprofiles".to_owned(), String::new(), "all".to_owned()), whole);
    let reference = json!({ "kind": "CloudProfile", "name": "all" });
    stage.change(&json!({ "spec": { "cloudProfileRef": reference }, "metadata": { "generation": 2 } }));
    stage.rounds(12).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
}
