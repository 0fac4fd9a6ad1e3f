//! An existing resource group: one that fits, and everything that can be wrong with one.

use serde_json::json;

use super::arm::Azure;
use super::scene::{checks, config, group, landfall, public, told};
use super::tree::Tree;
use crate::program::{Report, place, place_of, text};

const FIELD: &str = "platform.azure.resourceGroupName";

fn lines() -> String {
    config("    resourceGroupName: cluster-rg\n")
}

fn changed(change: impl FnOnce(&mut Tree)) -> Report {
    let azure = Azure::start(public());
    azure.edit(change);
    landfall(&azure, &lines()).preflight()
}

/// What stands against a group is told where the config names it.
fn refused(code: &str, words: &[&str], change: impl FnOnce(&mut Tree)) {
    let report = changed(change);
    let check = told(&report, code, "azure.resource-group");
    assert_eq!(text(check, "status"), "failed", "{check}");
    assert_eq!(text(check, "field"), FIELD, "{check}");
    assert_eq!(place_of(check), place(&lines(), "cluster-rg"), "{check}");
    for word in words {
        assert!(text(check, "message").contains(word), "`{word}` is missing: {check}");
    }
}

fn put_disk(tree: &mut Tree, name: &str) {
    let path = group("cluster-rg", &format!("/providers/Microsoft.Compute/disks/{name}"));
    tree.put(
        &path,
        json!({ "id": path, "name": name, "type": "Microsoft.Compute/disks", "location": "eastus" }),
    );
}

#[test]
fn a_group_must_be_free_for_the_cluster() {
    let azure = Azure::start(public());
    let landfall = landfall(&azure, &lines());
    let report = landfall.preflight();
    report.passes();
    report.is("azure.resource-group", "passed");
    report.is("azure.locks", "passed");
    let facts = landfall.ask(&["facts"]).ends(0).json();
    assert_eq!(facts["azure"]["resourceGroup"]["name"], "cluster-rg", "{facts}");
    assert_eq!(facts["azure"]["resourceGroup"]["location"], "eastus", "{facts}");
    landfall.ask(&["create", "manifests"]).ends(0);

    let path = group("cluster-rg", "");
    refused("LF0774", &["cluster-rg"], |tree| tree.take(&path));
    refused("LF0775", &["westus", "eastus"], |tree| tree.at(&path)["location"] = json!("westus"));
    refused("LF0776", &["kubernetes.io_cluster.other-x1y2z"], |tree| {
        tree.at(&path)["tags"] = json!({ "kubernetes.io_cluster.other-x1y2z": "owned", "team": "moon" });
    });
    refused("LF0777", &["6 resources", "disk-0", "disk-1", "4 more"], |tree| {
        (0..6).for_each(|number| put_disk(tree, &format!("disk-{number}")));
    });
}

/// The zone and the subnets are locked by themselves as well.
#[test]
fn locks_on_what_lies_in_other_groups_are_told() {
    const LINES: &str = "    networkResourceGroupName: net-rg
    virtualNetwork: corp-vnet
    controlPlaneSubnet: masters-sn
    computeSubnet: workers-sn
";
    let network = group("net-rg", "/providers/Microsoft.Network/virtualNetworks/corp-vnet");
    let zone = group("dns-rg", "/providers/Microsoft.Network/dnszones/example.com");
    for (scope, name) in [(format!("{network}/subnets/masters-sn"), "masters-sn"), (zone, "example.com")] {
        let azure = Azure::start(public());
        azure.edit(|tree| {
            let path = format!("{scope}/providers/Microsoft.Authorization/locks/keep");
            let lock = json!({ "id": path, "name": "keep", "properties": { "level": "ReadOnly" } });
            tree.put(&path, lock);
        });
        let report = landfall(&azure, &config(LINES)).preflight();
        report.says("azure.locks", "failed", &["keep", name]);
    }
}

#[test]
fn locks_are_told_by_what_they_would_stop() {
    let locked = |level: &str| {
        changed(|tree| {
            let path = group("cluster-rg", "/providers/Microsoft.Authorization/locks/keep");
            let lock = json!({
                "id": path,
                "name": "keep",
                "type": "Microsoft.Authorization/locks",
                "properties": { "level": level, "notes": "ask Luna" },
            });
            tree.put(&path, lock);
        })
    };
    for (level, status) in [("ReadOnly", "failed"), ("CanNotDelete", "warned")] {
        let report = locked(level);
        let found = checks(&report, "azure.locks");
        let check = found.iter().find(|check| text(check, "status") == status);
        let Some(check) = check else {
            panic!("no {status} lock: {}", report.ran);
        };
        assert!(check.to_string().contains("keep") && check.to_string().contains("cluster-rg"), "{check}");
        assert_eq!(place_of(check), place(&lines(), "cluster-rg"), "{check}");
        report.is("azure.resource-group", "passed");
    }
}
