//! What a plan of a running cluster would remove from Azure, and who has to agree.

use super::stages::{MACHINES, bootstrapping, names};
use super::*;

/// A cluster whose machines the operator created, Ready and without its bootstrap machine.
async fn installed() -> Stage {
    let stage = bootstrapping();
    stage.rounds(24).await;
    stage.change(&json!({ "spec": { "stage": "install" }, "metadata": { "generation": 2 } }));
    stage.rounds(8).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
    assert_eq!(names(&stage, MACHINES).len(), 3);
    stage
}

#[tokio::test(start_paused = true)]
async fn machines_that_exist_are_not_left_to_another_engine() {
    for machines in [json!("none"), Value::Null] {
        let stage = installed().await;
        let of_machines = |stage: &Stage| (names(stage, MACHINES), names(stage, "networkinterfaces"));
        let before = of_machines(&stage);
        stage.change(&json!({ "spec": { "machines": machines }, "metadata": { "generation": 3 } }));
        for _ in 0..4 {
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
        stage.change(&json!({ "spec": { "machines": "aso" }, "metadata": { "generation": 4 } }));
        stage.rounds(4).await;
        assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
        assert_eq!(of_machines(&stage), before);
    }
}

/// Where nothing but the bootstrap machine exists, it goes.
#[tokio::test(start_paused = true)]
async fn a_cluster_without_machines_of_its_control_plane_may_leave_them_to_another_engine() {
    let stage = bootstrapping();
    stage.change(&json!({ "spec": { "ignitionSecretRef": null } }));
    stage.rounds(24).await;
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
    stage.rounds(24).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
    let of_machines = |stage: &Stage| (names(stage, MACHINES), names(stage, "networkinterfaces"));
    let before = of_machines(&stage);
    assert_eq!((before.0.len(), before.1.len()), (4, 4));
    let none = json!({ "data": { "controlPlane": null } });
    assert!(stage.played.merged(&at("secrets", "ignition"), &none).is_ok());
    stage.rounds(8).await;
    assert_eq!(of_machines(&stage), before);
    // The same where the stage is set back.
    let stage = installed().await;
    let before = names(&stage, MACHINES);
    assert!(stage.played.merged(&at("secrets", "ignition"), &none).is_ok());
    stage.change(&json!({ "spec": { "stage": "bootstrap" }, "metadata": { "generation": 3 } }));
    stage.rounds(8).await;
    assert!(names(&stage, MACHINES).is_superset(&before), "{:?}", names(&stage, MACHINES));
}
