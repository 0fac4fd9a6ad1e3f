//! A new landfall that plans clusters in another way, with a limit for how many take that plan at once.

use std::time::Duration;

use serde_json::{Value, json};

use super::controller::{Asked, Controller, managed};
use super::identity::at;
use super::management::{Management, place_of};
use super::site::config;
use super::table::{Azure, Trouble};
use super::until::until;

const LABEL: &str = "/metadata/labels/aso.landfall.dev~1rollout";
const ACCEPTED: &str = "aso.landfall.dev/accept-plan";

/// What the labels of clusters say, of those that have one, all at one time.
fn labels(management: &Management) -> Vec<(String, String)> {
    let list = management.get("/apis/aso.landfall.dev/v1alpha1/azureinfrastructures").unwrap_or_default();
    let label = |object: &Value| {
        Some((at(object, "/metadata/name").to_owned(), object.pointer(LABEL)?.as_str()?.to_owned()))
    };
    list["items"].as_array().into_iter().flatten().filter_map(label).collect()
}

fn reason(cluster: &Asked<'_>) -> String {
    let conditions = cluster.get().unwrap()["status"]["conditions"].clone();
    let found = conditions.as_array().unwrap().iter().find(|one| one["type"] == "Progressing");
    found.unwrap()["reason"].as_str().unwrap_or_default().to_owned()
}

#[test]
#[ignore = "needs an API server"]
fn a_rollout_takes_one_cluster_after_the_other_and_stops_where_one_fails() {
    let azure = Azure::empty();
    let management = managed(&azure);
    let controller = Controller::start(&management);
    let make = |number: usize| {
        let name = format!("c{number}");
        let config = config("public", |config| config["metadata"]["name"] = json!(name));
        Asked::make(&management, &format!("{name}-x7k2p"), &config, &json!({}))
    };
    let clusters: Vec<Asked<'_>> = (0..4).map(make).collect();
    for cluster in &clusters {
        cluster.says("Ready", "True", &[]);
    }
    let [.., by_hand] = &*clusters else { unreachable!("there are four") };
    by_hand.change(&json!({ "metadata": { "annotations": { (ACCEPTED): "never" } } }));

    // An earlier version planned them in another way, and what is missing now, Azure refuses to each.
    let tables: Vec<(String, String)> = clusters
        .iter()
        .map(|cluster| {
            let name = format!("{}-node-routetable", cluster.id);
            (place_of(&cluster.id, "RouteTable", &name), name)
        })
        .collect();
    let earlier = json!({ "status": { "planHash": "0123456789abcdef", "plannedBy": "0.0.9" } });
    let controller = controller.rolling_out(1, || {
        for (cluster, (place, _)) in clusters.iter().zip(&tables) {
            management.server.change(&format!("{}/status", cluster.path()), &earlier);
            management.server.call("DELETE", place, &json!({})).unwrap();
        }
        until("the route tables are gone", || {
            tables.iter().all(|(place, _)| management.get(place).is_none()).then_some(())
        });
        for (_, name) in &tables {
            let message = "the quota of route tables is used up".to_owned();
            azure.troubles("RouteTable", name, Trouble::Refused { reason: "QuotaExceeded", message });
        }
    });
    let failed = until("one has failed", || {
        let labels = labels(&management);
        assert!(labels.len() <= 1, "{labels:?}");
        labels.into_iter().find(|(_, label)| label == "failed")
    });
    let failed = clusters.iter().find(|cluster| cluster.id == failed.0).unwrap();
    assert_ne!(failed.id, by_hand.id);
    until("it has taken the new plan", || {
        let conditions = failed.get()?["status"]["conditions"].clone();
        let is_open = conditions.as_array()?.iter().any(|one| one["type"] == "UpdateAvailable");
        (!is_open).then_some(())
    });
    until("its failure is counted", || {
        let line = r#"landfall_rollout_clusters{state="failed"} 1"#;
        controller.numbers().lines().any(|found| found == line).then_some(())
    });
    let others = clusters.iter().filter(|cluster| cluster.id != failed.id);
    for cluster in others.clone() {
        cluster.says("Progressing", "False", &["Held"]);
    }

    // The same after another change of processes.
    let controller = controller.rolling_out(1, || ());
    std::thread::sleep(Duration::from_secs(5));
    assert_eq!(labels(&management), [(failed.id.clone(), "failed".to_owned())]);
    for cluster in others.filter(|cluster| cluster.id != by_hand.id) {
        cluster.says("Progressing", "False", &["Held", "the rollout stopped"]);
    }

    // The reason is gone: the rollout goes on by itself.
    azure.is_well();
    management.look_again();
    until("all but the last are done", || {
        let labels = labels(&management);
        assert!(labels.len() <= 1, "{labels:?}");
        let of_rollout = &clusters[..clusters.len() - 1];
        (labels.is_empty() && of_rollout.iter().all(|cluster| reason(cluster) == "Done")).then_some(())
    });
    for (place, _) in &tables[..tables.len() - 1] {
        assert!(management.get(place).is_some(), "{place}");
    }
    let told = by_hand.says("UpdateAvailable", "True", &["nothing changes until"]);
    let plan = told["message"].as_str().unwrap().rsplit(' ').next().unwrap();
    by_hand.change(&json!({ "metadata": { "annotations": { (ACCEPTED): plan } } }));
    by_hand.says("Progressing", "False", &["Done"]);
    drop(controller);
}
