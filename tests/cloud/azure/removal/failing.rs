//! A cloud in which any call may fail: what destroy says is true, and what is not the cluster's is not touched.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};

use super::super::arm::Azure;
use super::super::failing::refuse;
use super::super::scene::{SUBSCRIPTION, group};
use super::world::{INFRA_ID, cluster, destroy, directory, leaves, put, resource};
use crate::faults::{self, Faults, Row};

/// Every document of a cloud.
fn documents(azure: &Azure) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    azure.edit(|tree| {
        let paths = tree.paths();
        all = paths
            .into_iter()
            .map(|path| (path.clone(), tree.get(&path).cloned().unwrap_or_default()))
            .collect();
    });
    all
}

fn destroyed(seed: u64, percent: u64) {
    let (mut scene, mut stays) = cluster(false);
    // Another cluster, whose id begins with this one's.
    let neighbour = format!("{INFRA_ID}2");
    let theirs = json!({ "tags": { format!("kubernetes.io_cluster.{neighbour}"): "owned" } });
    let path = group(&format!("{neighbour}-rg"), "");
    put(&mut scene.tree, &path, "Microsoft.Resources/resourceGroups", &theirs);
    stays.insert(path.to_lowercase());
    for kind in ["Microsoft.Compute/virtualMachines", "Microsoft.Network/networkInterfaces"] {
        let name = format!("{neighbour}-master-0");
        stays.insert(
            resource(&mut scene.tree, &format!("{neighbour}-rg"), kind, &name, &theirs).to_lowercase(),
        );
    }
    let azure = Azure::start(scene);
    let before = documents(&azure);
    let faults = Faults::new(seed, percent);
    let shared = Arc::clone(&faults);
    azure.on_the_way(move |asked, pass| shared.send(asked, refuse, pass));
    let landfall = directory(&azure, "", Some(SUBSCRIPTION));
    let began = Instant::now();
    let ran = destroy(&landfall, &["--timeout", "10m"]);
    let seconds = began.elapsed().as_secs_f64();
    azure.settle();
    let now = documents(&azure);
    // What was shared with the cluster loses its tag, and the subnet its gateway.
    let loses = "/virtualnetworks/corp-vnet";
    let touched = stays.iter().filter(|path| match now.get(*path) {
        None => true,
        Some(document) => !path.contains(loses) && before.get(*path) != Some(document),
    });
    let left: Vec<&String> = now.keys().filter(|path| !stays.contains(*path)).collect();
    let row = Row {
        what: "destroy-azure",
        percent,
        seed,
        code: ran.code,
        calls: faults.calls(),
        faults: faults.count(),
        seconds,
        wrong: left.len(),
        touched: touched.count(),
    };
    row.print();
    row.is_true(&[5], &format!("left {left:?}: {ran}"));
    assert_eq!(landfall.directory().join("metadata.json").exists(), ran.code != Some(0), "{ran}");
    if ran.code == Some(5) {
        // The same command removes the rest once the cloud is well.
        azure.clear_the_way();
        let ran = destroy(&landfall, &[]).ends(0);
        leaves(&azure, &stays, &ran);
    }
}

#[test]
#[ignore = "needs moto"]
fn under_faults_what_destroy_says_of_azure_is_true() {
    faults::all(destroyed);
}
