//! What a plan of a running cluster would remove from Azure, and who has to agree.

use std::collections::BTreeSet;

use super::stages::{MACHINES, bootstrapping, names};
use super::*;

/// A cluster whose machines the operator created, Ready and without its bootstrap machine.
async fn installed() -> Stage {
    let stage = bootstrapping();
    stage.rounds(16).await;
    stage.change(&json!({ "spec": { "stage": "install" }, "metadata": { "generation": 2 } }));
    stage.rounds(6).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
    assert_eq!(names(&stage, MACHINES).len(), 3);
    stage
}

/// The machines and their network cards.
fn of_machines(stage: &Stage) -> [BTreeSet<String>; 2] {
    [names(stage, MACHINES), names(stage, "networkinterfaces")]
}

#[tokio::test(start_paused = true)]
async fn machines_that_exist_are_not_left_to_another_engine() {
    let stage = installed().await;
    let before = of_machines(&stage);
    for (generation, machines) in [(3, json!("none")), (5, Value::Null)] {
        let asks = |machines: &Value, generation: u8| {
            let metadata = json!({ "generation": generation });
            stage.change(&json!({ "spec": { "machines": machines }, "metadata": metadata }));
        };
        asks(&machines, generation);
        for _ in 0..2 {
            assert!(stage.controller.run(&key()).await.is_err());
            stage.operate();
        }
        assert_eq!(stage.condition("Validated"), "False MachinesExist");
        assert_eq!(
            (stage.condition("Ready"), stage.condition("Stalled")),
            ("False MachinesExist".into(), "True MachinesExist".into())
        );
        let told = stage.told("Validated");
        assert!(told.contains("demo-x7k2p-master-0") && told.contains("machines: aso"), "{told}");
        assert_eq!(of_machines(&stage), before);
        asks(&json!("aso"), generation + 1);
        stage.rounds(2).await;
        assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
        assert_eq!(of_machines(&stage), before);
    }
}

/// Where nothing but the bootstrap machine exists, it goes.
#[tokio::test(start_paused = true)]
async fn a_cluster_without_machines_of_its_control_plane_may_leave_them_to_another_engine() {
    let stage = bootstrapping();
    stage.change(&json!({ "spec": { "ignitionSecretRef": null } }));
    stage.rounds(16).await;
    assert!(stage.played.all(MACHINES).is_empty());
    let spec = json!({ "machines": "none", "stage": "install" });
    stage.change(&json!({ "spec": spec, "metadata": { "generation": 2 } }));
    stage.rounds(8).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
    assert!(stage.played.all("networkinterfaces").is_empty());
}

#[tokio::test(start_paused = true)]
async fn machines_stay_without_an_ignition_config() {
    let stage = bootstrapping();
    stage.rounds(16).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
    let before = of_machines(&stage);
    assert_eq!(before.each_ref().map(BTreeSet::len), [4, 4]);
    let secret = stage.played.read(&at("secrets", "ignition")).unwrap_or_default();
    let none = json!({ "data": { "controlPlane": null } });
    assert!(stage.played.merged(&at("secrets", "ignition"), &none).is_ok());
    stage.rounds(4).await;
    assert_eq!(of_machines(&stage), before);
    // The same where the stage is set back.
    stage.played.put(at("secrets", "ignition"), secret);
    stage.change(&json!({ "spec": { "stage": "install" }, "metadata": { "generation": 2 } }));
    stage.rounds(6).await;
    let before = names(&stage, MACHINES);
    assert_eq!(before.len(), 3);
    assert!(stage.played.merged(&at("secrets", "ignition"), &none).is_ok());
    stage.change(&json!({ "spec": { "stage": "bootstrap" }, "metadata": { "generation": 3 } }));
    stage.rounds(4).await;
    assert!(names(&stage, MACHINES).is_superset(&before), "{:?}", names(&stage, MACHINES));
}

/// Puts other texts into the install config, which the owner of the cluster does.
fn edit(stage: &Stage, from: &str, to: &str) {
    let encoded =
        base64::Engine::encode(&base64::engine::general_purpose::STANDARD, CONFIG.replace(from, to));
    let data = json!({ "data": { (CONFIG_KEY): encoded } });
    assert!(stage.played.merged(&at("secrets", "config"), &data).is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_plan_that_removes_resources_waits_for_its_owner() {
    const ZONES: &str = "privatednszones";
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    stage.rounds(12).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
    let all = || KINDS.iter().map(|kind| stage.played.all(kind.plural)).collect::<Vec<_>>();
    let (before, plan) = (all(), stage.resource()["status"]["planHash"].clone());
    edit(&stage, "baseDomain: example.com", "baseDomain: example.org");
    stage.rounds(4).await;
    assert_eq!(stage.condition("UpdateAvailable"), "True PlanRemoves");
    assert_eq!(
        (stage.condition("Progressing"), stage.condition("Ready")),
        ("False Held".into(), "True Done".into())
    );
    assert_eq!([stage.condition("Stalled"), stage.condition("Reconciling")], ["", ""]);
    let told = stage.told("UpdateAvailable");
    assert!(told.contains("PrivateDnsZone/demo-example-com") && told.contains(" more from Azure"), "{told}");
    assert!(before == all() && stage.resource()["status"]["planHash"] == plan);

    // The owner takes the change back.
    edit(&stage, "", "");
    stage.rounds(2).await;
    assert_eq!((stage.condition("UpdateAvailable"), before == all()), (String::new(), true));
    assert_eq!(stage.condition("Progressing"), "False Done");

    // Or accepts it.
    edit(&stage, "baseDomain: example.com", "baseDomain: example.org");
    stage.rounds(1).await;
    let hash = told.rsplit(' ').next().unwrap_or_default();
    stage.change(&json!({ "metadata": { "annotations": { (anchor::ACCEPTED_PLAN): hash } } }));
    stage.rounds(12).await;
    assert_eq!(
        (stage.condition("UpdateAvailable"), stage.condition("Ready")),
        (String::new(), "True Done".into())
    );
    assert_eq!(names(&stage, ZONES), ["demo-example-org".to_owned()].into());
    assert_eq!(stage.resource()["status"]["planHash"], hash);
}

/// Nothing of a cluster that was never Ready is in use.
#[tokio::test(start_paused = true)]
async fn a_cluster_that_was_never_ready_follows_its_config() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    stage.rounds(4).await;
    assert_eq!(stage.condition("Ready"), "False InProgress");
    edit(&stage, "baseDomain: example.com", "baseDomain: example.org");
    tokio::time::advance(Duration::from_mins(2)).await;
    stage.rounds(16).await;
    assert_eq!(
        (stage.condition("UpdateAvailable"), stage.condition("Ready")),
        (String::new(), "True Done".into())
    );
    assert_eq!(names(&stage, "privatednszones"), ["demo-example-org".to_owned()].into());
}

/// Whoever plans it, a plan that removes something is the owner's to accept.
#[tokio::test(start_paused = true)]
async fn another_landfall_removes_nothing_in_a_rollout() {
    let mut stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    stage.controller.rollout = Arc::new(Rollout::new(1, Numbers::registered(&mut Registry::default())));
    stage.rounds(12).await;
    let of_cluster = json!({ (keys::CLUSTER): "demo-x7k2p" });
    // The plan of the version before had this object.
    let extra = json!({
        "metadata": { "name": "extra", "namespace": "here", "labels": of_cluster },
        "spec": { "owner": { "name": "demo-x7k2p-rg" } },
    });
    stage.played.put(at("routetables", "extra"), extra);
    stage.operate();
    stage.change(&json!({ "status": { "planHash": "0123456789abcdef", "plannedBy": "0.0.9" } }));
    super::pinned::restart(&stage);
    stage.rounds(3).await;
    assert_eq!(stage.condition("UpdateAvailable"), "True PlanRemoves");
    assert!(stage.told("UpdateAvailable").contains("removes RouteTable/extra from Azure"));
    assert_eq!(stage.resource()["metadata"]["labels"].get(ROLLOUT), None);
    assert!(names(&stage, "routetables").contains("extra"));
}
