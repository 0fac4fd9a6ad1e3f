//! The way of a cluster out of Azure: what it owns goes, and nothing else does.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::answer::{Answer, throttled};
use super::arm::{Azure, Scene, Trouble};
use super::graph::{APPLICATIONS, PRINCIPALS};
use super::scene::{SUBSCRIPTION, config, group, landfall, only_reads, public, subscription};
use super::tree::Tree;
use crate::program::{Landfall, Ran};

const INFRA_ID: &str = "demo-bcd24";
const OWNER: &str = "kubernetes.io_cluster.demo-bcd24";
const OTHER: &str = "kubernetes.io_cluster.other-x1y2z";
const PRINCIPAL: &str = "00000000-0000-4000-8000-0000000000aa";

/// Somebody else's subscription.
const ELSEWHERE: &str = "99999999-2222-4333-8444-555555555555";

fn put(tree: &mut Tree, path: &str, kind: &str, rest: &Value) {
    let name = path.rsplit('/').next().unwrap_or_default();
    let mut document = json!({ "id": path, "name": name, "type": kind, "location": "eastus" });
    for (key, value) in rest.as_object().unwrap() {
        document[key] = value.clone();
    }
    tree.put(path, document);
}

/// A resource of a group, and its path.
fn resource(tree: &mut Tree, in_group: &str, kind: &str, name: &str, rest: &Value) -> String {
    let path = group(in_group, &format!("/providers/{kind}/{name}"));
    put(tree, &path, kind, rest);
    path
}

fn owned() -> Value {
    json!({ "tags": { OWNER: "owned" } })
}

/// What a cluster has in a group.
fn fill(tree: &mut Tree, name: &str) {
    let compute = "Microsoft.Compute";
    for number in 0..3 {
        let machine = format!("{INFRA_ID}-master-{number}");
        let user = resource(tree, name, &format!("{compute}/virtualMachines"), &machine, &owned());
        let mut disk = owned();
        disk["managedBy"] = json!(user);
        resource(tree, name, &format!("{compute}/disks"), &format!("{machine}_OSDisk"), &disk);
        resource(tree, name, "Microsoft.Network/networkInterfaces", &format!("{machine}-nic"), &owned());
    }
    let network = |kind: &str| format!("Microsoft.Network/{kind}");
    for own in [INFRA_ID.to_owned(), format!("{INFRA_ID}-internal")] {
        resource(tree, name, &network("loadBalancers"), &own, &owned());
    }
    resource(tree, name, &network("publicIPAddresses"), &format!("{INFRA_ID}-pip-v4"), &owned());
    // Made later by the cluster itself, without a tag.
    resource(tree, name, &network("publicIPAddresses"), &format!("{INFRA_ID}-a1b2c3"), &json!({}));
    resource(tree, name, &network("virtualNetworks"), &format!("{INFRA_ID}-vnet"), &owned());
    resource(tree, name, &network("networkSecurityGroups"), &format!("{INFRA_ID}-nsg"), &owned());
    resource(tree, name, "Microsoft.Storage/storageAccounts", "clusterabcde", &owned());
    resource(tree, name, "Moon.Base/craters", "tycho", &owned());
    let mut identity = owned();
    identity["properties"] = json!({ "principalId": PRINCIPAL });
    let identities = "Microsoft.ManagedIdentity/userAssignedIdentities";
    resource(tree, name, identities, &format!("{INFRA_ID}-identity"), &identity);
    let zone = resource(tree, name, &network("privateDnsZones"), "demo.example.com", &owned());
    for (kind, record) in [("SOA", "@"), ("A", "api"), ("A", "api-int"), ("A", "*.apps")] {
        let kind_of = format!("Microsoft.Network/privateDnsZones/{kind}");
        put(tree, &format!("{zone}/{kind}/{record}"), &kind_of, &json!({}));
    }
    let subnet = group("net-rg", "/providers/Microsoft.Network/virtualNetworks/corp-vnet/subnets/workers-sn");
    let mut gateway = owned();
    gateway["properties"] = json!({ "subnets": [{ "id": subnet }] });
    let gateway = resource(tree, name, &network("natGateways"), &format!("{INFRA_ID}-natgw"), &gateway);
    let used = json!({ "properties": { "addressPrefix": "10.0.1.0/24", "natGateway": { "id": gateway } } });
    put(tree, &subnet, "Microsoft.Network/virtualNetworks/subnets", &used);
    let provider = json!({ "namespace": "Moon.Base", "resourceTypes": [
        { "resourceType": "craters", "apiVersions": ["2019-07-01", "2021-04-01"] },
    ] });
    tree.put(&subscription("/providers/Moon.Base"), provider);
}

/// What a cluster has outside of its group.
fn surround(tree: &mut Tree) {
    let zone = group("dns-rg", "/providers/Microsoft.Network/dnszones/example.com");
    let tagged = json!({ "properties": { "metadata": { OWNER: "owned" } } });
    for (record, rest) in [("CNAME/api.demo", &tagged), ("A/*.apps.demo", &json!({}))] {
        let kind = format!("Microsoft.Network/dnszones/{}", record.split('/').next().unwrap_or_default());
        put(tree, &format!("{zone}/{record}"), &kind, rest);
    }
    let kind = "Microsoft.Authorization/roleAssignments";
    let scope = group("net-rg", "");
    let role = json!({ "properties": { "principalId": PRINCIPAL, "scope": scope } });
    put(tree, &format!("{scope}/providers/{kind}/00000000-0000-4000-8000-0000000000bb"), kind, &role);
    let principal = json!({
        "id": "p-1",
        "appId": "a-1",
        "displayName": format!("{INFRA_ID}-openshift-ingress"),
        "tags": [format!("{OWNER}=owned")],
    });
    tree.put(&format!("{PRINCIPALS}/p-1"), principal);
    let application = json!({ "id": "o-1", "appId": "a-1", "displayName": "ingress" });
    tree.put(&format!("{APPLICATIONS}/o-1"), application);
}

/// What is not the cluster's, and looks like it.
fn others(tree: &mut Tree) {
    put(tree, &group("other-x1y2z-rg", ""), "x", &json!({ "tags": { OTHER: "owned" } }));
    resource(
        tree,
        "other-x1y2z-rg",
        "Microsoft.Compute/disks",
        "other-x1y2z-master-0_OSDisk",
        &json!({
            "tags": { OTHER: "owned" },
        }),
    );
    resource(tree, "cluster-rg", "Microsoft.Compute/disks", "data", &json!({}));
    resource(
        tree,
        "cluster-rg",
        "Microsoft.Compute/disks",
        &format!("{INFRA_ID}-theirs"),
        &json!({
            "tags": { OTHER: "owned" },
        }),
    );
    let zone = group("dns-rg", "/providers/Microsoft.Network/dnszones/example.com");
    for record in ["A/api.demo2", "A/demo", "CNAME/api.other"] {
        let kind = format!("Microsoft.Network/dnszones/{}", record.split('/').next().unwrap_or_default());
        put(tree, &format!("{zone}/{record}"), &kind, &json!({}));
    }
    let network = group("net-rg", "/providers/Microsoft.Network/virtualNetworks/corp-vnet");
    tree.at(&network)["tags"] = json!({ OWNER: "shared", "team": "moon" });
    let principal = json!({ "id": "p-2", "appId": "a-2", "displayName": "other-x1y2z-a", "tags": [] });
    tree.put(&format!("{PRINCIPALS}/p-2"), principal);
}

/// A cloud with a cluster, and the paths of what must stay.
fn cluster(user_s_group: bool) -> (Scene, BTreeSet<String>) {
    let mut scene = public();
    others(&mut scene.tree);
    let subnet = group("net-rg", "/providers/Microsoft.Network/virtualNetworks/corp-vnet/subnets/workers-sn");
    let mut stays = scene.tree.paths();
    stays.insert(subnet.to_lowercase());
    stays.insert(subscription("/providers/Moon.Base").to_lowercase());
    let name = if user_s_group { "cluster-rg".to_owned() } else { format!("{INFRA_ID}-rg") };
    let path = group(&name, "");
    if user_s_group {
        scene.tree.at(&path)["tags"] = json!({ OWNER: "owned", "team": "moon" });
    } else {
        put(&mut scene.tree, &path, "Microsoft.Resources/resourceGroups", &owned());
    }
    fill(&mut scene.tree, &name);
    surround(&mut scene.tree);
    (scene, stays)
}

/// A directory with nothing in it but the metadata.
fn directory(azure: &Azure, user_s_group: bool, account: Option<&str>) -> Landfall {
    let landfall = landfall(azure, &config(""));
    let mut metadata = json!({
        "clusterName": "demo",
        "clusterID": "00000000-0000-4000-8000-0000000000cc",
        "infraID": INFRA_ID,
        "azure": {
            "armEndpoint": "",
            "cloudName": "AzurePublicCloud",
            "region": "eastus",
            "resourceGroupName": if user_s_group { "cluster-rg" } else { "" },
            "baseDomainResourceGroupName": "dns-rg",
        },
    });
    if let Some(account) = account {
        metadata["landfall"] = json!({ "account": account });
    }
    std::fs::write(landfall.directory().join("metadata.json"), metadata.to_string()).unwrap();
    landfall
}

fn destroy(landfall: &Landfall, more: &[&str]) -> Ran {
    landfall.run(&[["destroy", "cluster", "--yes"].as_slice(), more].concat())
}

fn paths(azure: &Azure) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    azure.edit(|tree| paths = tree.paths());
    paths
}

fn at(azure: &Azure, path: &str) -> Value {
    let mut found = Value::Null;
    azure.edit(|tree| found = tree.get(path).cloned().unwrap_or_default());
    found
}

#[track_caller]
fn leaves(azure: &Azure, stays: &BTreeSet<String>, ran: &Ran) {
    let now = paths(azure);
    let lost: Vec<&String> = stays.difference(&now).collect();
    let left: Vec<&String> = now.difference(stays).collect();
    assert!(lost.is_empty() && left.is_empty(), "lost {lost:?}, left {left:?}\n{ran}");
    let network = at(azure, &group("net-rg", "/providers/Microsoft.Network/virtualNetworks/corp-vnet"));
    assert_eq!(network["tags"], json!({ "team": "moon" }), "{ran}");
    let subnet = "/providers/Microsoft.Network/virtualNetworks/corp-vnet/subnets/workers-sn";
    assert_eq!(at(azure, &group("net-rg", subnet))["properties"]["natGateway"], Value::Null, "{ran}");
}

#[test]
fn a_cluster_goes_and_nothing_else_does() {
    let (scene, stays) = cluster(false);
    let azure = Azure::start(scene);
    let landfall = directory(&azure, false, Some(SUBSCRIPTION));
    let ran = destroy(&landfall, &[]).ends(0);
    leaves(&azure, &stays, &ran);
    // Once more, all is gone already.
    let before = azure.asked().iter().filter(|one| one.call.method == "DELETE").count();
    destroy(&landfall, &[]).ends(0);
    let after = azure.asked().iter().filter(|one| one.call.method == "DELETE").count();
    assert_eq!(before, after);
}

#[test]
fn a_group_of_the_user_s_stays_and_only_the_cluster_s_own_goes() {
    let (scene, stays) = cluster(true);
    let azure = Azure::start(scene);
    let ran = destroy(&directory(&azure, true, Some(SUBSCRIPTION)), &[]).ends(0);
    leaves(&azure, &stays, &ran);
    assert_eq!(at(&azure, &group("cluster-rg", ""))["tags"], json!({ "team": "moon" }), "{ran}");
}

#[test]
fn a_plan_removes_nothing() {
    let (scene, _) = cluster(false);
    let azure = Azure::start(scene);
    let before = paths(&azure);
    let landfall = directory(&azure, false, Some(SUBSCRIPTION));
    let ran = landfall.run(&["destroy", "cluster", "--plan"]).ends(0);
    for word in [format!("{INFRA_ID}-rg"), "api.demo.example.com".to_owned(), "corp-vnet".to_owned()] {
        assert!(ran.out.contains(&word), "`{word}` is missing: {ran}");
    }
    only_reads(&azure);
    assert_eq!(paths(&azure), before);
}

#[test]
fn a_lock_is_named_with_the_words_that_remove_it() {
    let (mut scene, _) = cluster(false);
    let path = group(&format!("{INFRA_ID}-rg"), "/providers/Microsoft.Authorization/locks/keep");
    let lock = json!({ "id": path, "name": "keep", "properties": { "level": "CanNotDelete" } });
    scene.tree.put(&path, lock);
    let azure = Azure::start(scene);
    let landfall = directory(&azure, false, Some(SUBSCRIPTION));
    let ran = destroy(&landfall, &["--timeout", "15s"]).ends(5);
    let said = format!("{}{}", ran.out, ran.err);
    for word in ["keep", "CanNotDelete", "az lock delete --ids"] {
        assert!(said.contains(word), "`{word}` is missing: {ran}");
    }
    assert!(landfall.directory().join("metadata.json").exists());
    assert_ne!(at(&azure, &group(&format!("{INFRA_ID}-rg"), "")), Value::Null);
    // Without the lock it goes on where it was.
    azure.edit(|tree| tree.take(&path));
    destroy(&landfall, &[]).ends(0);
    assert_eq!(at(&azure, &group(&format!("{INFRA_ID}-rg"), "")), Value::Null);
}

#[test]
fn a_deny_assignment_ends_it() {
    let (mut scene, _) = cluster(false);
    let kind = "Microsoft.Authorization/denyAssignments";
    let scope = group(&format!("{INFRA_ID}-rg"), "");
    let denial = json!({ "properties": { "denyAssignmentName": "of the stack", "scope": scope } });
    put(
        &mut scene.tree,
        &format!("{scope}/providers/{kind}/00000000-0000-4000-8000-0000000000dd"),
        kind,
        &denial,
    );
    let azure = Azure::start(scene);
    let ran = destroy(&directory(&azure, false, Some(SUBSCRIPTION)), &["--timeout", "60s"]).ends(4);
    let said = format!("{}{}", ran.out, ran.err);
    for word in ["LF1353", "of the stack"] {
        assert!(said.contains(word), "`{word}` is missing: {ran}");
    }
}

#[test]
fn what_the_caller_may_not_remove_is_named() {
    let (scene, _) = cluster(false);
    // Only what removes the one role asks there.
    let denied = Trouble::always("/roleassignments/", |_| {
        Answer::error(403, "AuthorizationFailed", "The client may not perform roleAssignments/delete.")
    });
    let azure = Azure::start(scene.with(denied));
    let landfall = directory(&azure, false, Some(SUBSCRIPTION));
    let ran = destroy(&landfall, &["--timeout", "60s"]).ends(4);
    let said = format!("{}{}", ran.out, ran.err);
    for word in ["LF1352", "roleAssignments/delete"] {
        assert!(said.contains(word), "`{word}` is missing: {ran}");
    }
    assert!(landfall.directory().join("metadata.json").exists());
}

#[test]
fn what_cannot_be_looked_at_is_no_proof() {
    let (scene, _) = cluster(false);
    let denied = Trouble::always("/resources", |_| Answer::error(403, "AuthorizationFailed", "Not so."));
    let azure = Azure::start(scene.with(denied));
    let landfall = directory(&azure, false, Some(SUBSCRIPTION));
    let ran = destroy(&landfall, &["--timeout", "60s"]);
    assert!(matches!(ran.code, Some(4 | 5)), "{ran}");
    assert!(format!("{}{}", ran.out, ran.err).contains("LF1351"), "{ran}");
    assert!(landfall.directory().join("metadata.json").exists());
}

#[test]
fn what_another_cluster_uses_is_an_objection() {
    let (mut scene, _) = cluster(true);
    let both = json!({ "tags": { OWNER: "owned", "kubernetes.io_cluster.other-x1y2z": "shared" } });
    resource(&mut scene.tree, "cluster-rg", "Microsoft.Network/natGateways", "both-natgw", &both);
    let azure = Azure::start(scene);
    let ran = destroy(&directory(&azure, true, Some(SUBSCRIPTION)), &[]).ends(4);
    let said = format!("{}{}", ran.out, ran.err);
    for word in ["LF1355", "both-natgw", "other-x1y2z"] {
        assert!(said.contains(word), "`{word}` is missing: {ran}");
    }
    only_reads(&azure);
}

#[test]
fn another_subscription_is_not_touched() {
    let (scene, _) = cluster(false);
    let azure = Azure::start(scene);
    let landfall = directory(&azure, false, Some(ELSEWHERE));
    let ran = destroy(&landfall, &[]).ends(4);
    only_reads(&azure);
    assert!(format!("{}{}", ran.out, ran.err).contains(ELSEWHERE), "{ran}");
    assert!(landfall.directory().join("metadata.json").exists());
}

/// The OpenShift installer notes no account, so that an empty one proves nothing.
#[test]
fn where_nobody_noted_the_account_nothing_is_no_proof() {
    let azure = Azure::start(public());
    let landfall = directory(&azure, false, None);
    destroy(&landfall, &[]).ends(4);
    assert!(landfall.directory().join("metadata.json").exists());
    destroy(&landfall, &["--confirm-gone"]).ends(0);
    only_reads(&azure);
}

/// Nobody knows of applications then; clusters that landfall made have none.
#[test]
fn a_directory_that_may_not_be_read_is_told() {
    let denied =
        || Trouble::always("/graph/", |_| Answer::error(403, "Authorization_RequestDenied", "Insufficient."));
    let (scene, _) = cluster(false);
    let azure = Azure::start(scene.with(denied()));
    let ran = destroy(&directory(&azure, false, Some(SUBSCRIPTION)), &[]).ends(0);
    assert!(format!("{}{}", ran.out, ran.err).contains("LF1354"), "{ran}");

    let (scene, _) = cluster(false);
    let azure = Azure::start(scene.with(denied()));
    let ran = destroy(&directory(&azure, false, None), &["--timeout", "20s"]).ends(5);
    assert!(format!("{}{}", ran.out, ran.err).contains("Application.Read.All"), "{ran}");
}

#[test]
fn trouble_that_passes_is_waited_out() {
    let (scene, stays) = cluster(false);
    // Only what removes the one role asks there.
    let busy = Trouble::first(2, "/roleassignments/", |_| {
        Answer::error(409, "AnotherOperationInProgress", "Another operation is in progress.")
    });
    let slow = Trouble::first(2, "/privatednszones/", |_| throttled(0));
    let azure = Azure::start(scene.with(busy).with(slow));
    let ran = destroy(&directory(&azure, false, Some(SUBSCRIPTION)), &[]).ends(0);
    leaves(&azure, &stays, &ran);
    assert!(azure.unused().is_empty());
}

#[test]
fn clusters_are_found_by_their_tags() {
    let (scene, _) = cluster(false);
    let azure = Azure::start(scene);
    let landfall = landfall(&azure, &config(""));
    let ran = landfall.run(&["destroy", "find", "--region", "eastus"]).ends(0);
    assert!(ran.out.contains(INFRA_ID) && ran.out.contains("other-x1y2z"), "{ran}");
    only_reads(&azure);
}
