//! A cluster in the cloud of these tests, beside a neighbour and what is nobody's.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::arm::{Azure, Scene};
use super::super::graph::{APPLICATIONS, PRINCIPALS};
use super::super::scene::{config, group, landfall, public, subscription};
use super::super::tree::Tree;
use crate::program::{Landfall, Ran};

/// The cluster.
pub const INFRA_ID: &str = "demo-bcd24";
/// Its tag.
pub const OWNER: &str = "kubernetes.io_cluster.demo-bcd24";
/// The tag of its neighbour.
pub const OTHER: &str = "kubernetes.io_cluster.other-x1y2z";
const PRINCIPAL: &str = "00000000-0000-4000-8000-0000000000aa";

/// Sets a document down.
pub fn put(tree: &mut Tree, path: &str, kind: &str, rest: &Value) {
    let name = path.rsplit('/').next().unwrap_or_default();
    let mut document = json!({ "id": path, "name": name, "type": kind, "location": "eastus" });
    for (key, value) in rest.as_object().unwrap() {
        document[key] = value.clone();
    }
    tree.put(path, document);
}

/// A resource of a group, and its path.
pub fn resource(tree: &mut Tree, in_group: &str, kind: &str, name: &str, rest: &Value) -> String {
    let path = group(in_group, &format!("/providers/{kind}/{name}"));
    put(tree, &path, kind, rest);
    path
}

/// What all things of the cluster say.
pub fn owned() -> Value {
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

/// The group that was made with the cluster, or a path in it.
pub fn made(rest: &str) -> String {
    group(&format!("{INFRA_ID}-rg"), rest)
}

/// The path of a machine in the cluster's group.
pub fn machine(number: usize) -> String {
    format!("/providers/Microsoft.Compute/virtualMachines/{INFRA_ID}-master-{number}")
}

/// A cloud with a cluster, and the paths of what must stay.
pub fn cluster(user_s_group: bool) -> (Scene, BTreeSet<String>) {
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

/// A directory with nothing in it but the metadata, which names a group of the user's or none.
pub fn directory(azure: &Azure, own_group: &str, account: Option<&str>) -> Landfall {
    let landfall = landfall(azure, &config(""));
    let mut metadata = json!({
        "clusterName": "demo",
        "clusterID": "00000000-0000-4000-8000-0000000000cc",
        "infraID": INFRA_ID,
        "azure": {
            "armEndpoint": "",
            "cloudName": "AzurePublicCloud",
            "region": "eastus",
            "resourceGroupName": own_group,
            "baseDomainResourceGroupName": "dns-rg",
        },
    });
    if let Some(account) = account {
        metadata["landfall"] = json!({ "account": account });
    }
    std::fs::write(landfall.directory().join("metadata.json"), metadata.to_string()).unwrap();
    landfall
}

/// Destroys the cluster without a question.
pub fn destroy(landfall: &Landfall, more: &[&str]) -> Ran {
    landfall.run(&[["destroy", "cluster", "--yes"].as_slice(), more].concat())
}

/// The paths of everything there is.
pub fn paths(azure: &Azure) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    azure.edit(|tree| paths = tree.paths());
    paths
}

/// What is at a path; null where nothing is.
pub fn at(azure: &Azure, path: &str) -> Value {
    let mut found = Value::Null;
    azure.edit(|tree| found = tree.get(path).cloned().unwrap_or_default());
    found
}

/// Fails unless exactly this is there, and what was shared has lost the tag.
#[track_caller]
pub fn leaves(azure: &Azure, stays: &BTreeSet<String>, ran: &Ran) {
    let now = paths(azure);
    let lost: Vec<&String> = stays.difference(&now).collect();
    let left: Vec<&String> = now.difference(stays).collect();
    assert!(lost.is_empty() && left.is_empty(), "lost {lost:?}, left {left:?}\n{ran}");
    let network = at(azure, &group("net-rg", "/providers/Microsoft.Network/virtualNetworks/corp-vnet"));
    assert_eq!(network["tags"], json!({ "team": "moon" }), "{ran}");
    let subnet = "/providers/Microsoft.Network/virtualNetworks/corp-vnet/subnets/workers-sn";
    assert_eq!(at(azure, &group("net-rg", subnet))["properties"]["natGateway"], Value::Null, "{ran}");
}
