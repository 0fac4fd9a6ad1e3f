//! Other clouds and configs: everything that is planned exists, and goes again.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::super::answer::Answer;
use super::super::arm::Trouble;
use super::super::scene::{SUBSCRIPTION, group};
use super::super::shape::kind_of;
use super::site::{Names, PUBLIC, Site};

const GIVEN_NETWORK: &str = "    networkResourceGroupName: net-rg\n    virtualNetwork: corp-vnet\n    \
                             controlPlaneSubnet: masters-sn\n    computeSubnet: workers-sn\n";
const MACHINE_NETWORK: &str = "  machineNetwork:\n  - cidr: 10.0.0.0/16\n";

const US_GOV: Names = (
    "AzureUSGovernmentCloud",
    "usgovvirginia",
    "management.usgovcloudapi.net",
    "login.microsoftonline.us",
    "graph.microsoft.us",
    "blob.core.usgovcloudapi.net",
);

const CHINA: Names = (
    "AzureChinaCloud",
    "chinanorth3",
    "management.chinacloudapi.cn",
    "login.chinacloudapi.cn",
    "microsoftgraph.chinacloudapi.cn",
    "blob.core.chinacloudapi.cn",
);

/// Creates a cluster, compares it with its plan, looks again, and destroys it.
fn stands_and_goes(names: Names, platform: &str, machines: &str, edit: impl FnOnce(String) -> String) {
    let site = Site::of(names, platform, machines, |text, _| edit(text));
    let before = site.paths();
    let said = site.create(&[]);
    let id = said["infraID"].as_str().unwrap();
    site.stands_as_planned(id);
    site.changes_nothing(&[]);
    site.destroy();
    assert_eq!(site.paths(), before);
}

#[test]
fn in_us_government() {
    stands_and_goes(US_GOV, "", "", |text| text);
}

#[test]
fn in_china() {
    stands_and_goes(CHINA, "", "", |text| text);
}

#[test]
fn a_private_cluster() {
    stands_and_goes(PUBLIC, "    userTags:\n      team: moon\n", "", |text| {
        text.replace("publish: External", "publish: Internal")
    });
}

#[test]
fn a_nat_gateway() {
    stands_and_goes(PUBLIC, "    outboundType: NatGateway\n", "", |text| {
        text + "featureSet: TechPreviewNoUpgrade\n"
    });
}

/// A subnet is written as a whole, with everything that it has. `nodes` are the subnets of nodes beside that of the
/// control plane, each of which gets a gateway.
fn with_gateways(platform: &str, nodes: &[&str]) {
    const RELEASE: &[&str] = &["--release", "4.21"];
    let site = Site::new(platform, "", |text, _| {
        text.replace(MACHINE_NETWORK, "") + "featureSet: TechPreviewNoUpgrade\n"
    });
    let corporate = group("net-rg", "/providers/Microsoft.Network/virtualNetworks/corp-vnet");
    let theirs = json!([{ "service": "Microsoft.Storage" }]);
    site.azure.edit(|tree| {
        let subnets = tree.at(&corporate)["properties"]["subnets"].as_array_mut().unwrap();
        for (number, name) in (2..).zip(&nodes[1..]) {
            let id = format!("{corporate}/subnets/{name}");
            let prefix = format!("10.0.{number}.0/24");
            subnets.push(json!({ "id": id, "name": name, "properties": { "addressPrefix": prefix } }));
        }
        for subnet in subnets.iter_mut().filter(|subnet| nodes.iter().any(|name| subnet["name"] == *name)) {
            subnet["properties"]["serviceEndpoints"] = theirs.clone();
        }
    });
    // Name and gateway of each subnet, and the rest of it.
    let subnets = || -> Vec<(String, Value, Value)> {
        let network = site.azure.manager().look(|tree| tree.get(&corporate).cloned()).unwrap();
        let subnets = network["properties"]["subnets"].as_array().unwrap().clone().into_iter();
        let split = |mut subnet: Value| {
            let gateway = subnet["properties"]["natGateway"].take();
            (subnet["name"].as_str().unwrap().to_owned(), gateway, subnet)
        };
        subnets.map(split).collect()
    };
    let (before, was) = (site.paths(), subnets());
    let said = site.create(RELEASE);
    let id = said["infraID"].as_str().unwrap();
    site.stands_as_planned_by(id, RELEASE);
    let mut gateways = BTreeSet::new();
    for (name, gateway, subnet) in subnets() {
        let attached = gateway["id"].as_str();
        assert_eq!(attached.is_some(), nodes.contains(&name.as_str()), "{name}: {gateway}");
        if let Some(gateway) = attached {
            let own = Site::in_group(id, &format!("Microsoft.Network/natGateways/{id}-natgw"));
            assert!(gateway.starts_with(&own), "{name}: {gateway}");
            assert_eq!(subnet["properties"]["serviceEndpoints"], theirs, "{subnet}");
            gateways.insert(gateway.to_owned());
        }
    }
    assert_eq!(gateways.len(), nodes.len(), "one for each: {gateways:?}");
    site.changes_nothing(RELEASE);
    site.destroy();
    assert_eq!(site.paths(), before);
    let gateways =
        |all: Vec<(String, Value, Value)>| -> Vec<Value> { all.into_iter().map(|one| one.1).collect() };
    assert_eq!(gateways(subnets()), gateways(was));
}

#[test]
fn a_nat_gateway_in_a_given_network() {
    with_gateways(&format!("    outboundType: NATGatewaySingleZone\n{GIVEN_NETWORK}"), &["workers-sn"]);
}

#[test]
fn nat_gateways_of_zones_in_a_given_network() {
    let nodes = ["workers-sn", "more-workers-sn"];
    let platform = format!(
        "    outboundType: NATGatewayMultiZone\n    networkResourceGroupName: net-rg\n    virtualNetwork: \
         corp-vnet\n    subnets:\n    - name: masters-sn\n      role: control-plane\n    - name: {}\n      role: \
         node\n    - name: {}\n      role: node\n",
        nodes[0], nodes[1]
    );
    with_gateways(&platform, &nodes);
}

#[test]
fn a_given_network() {
    let site = Site::new(GIVEN_NETWORK, "", |text, _| text.replace(MACHINE_NETWORK, ""));
    let before = site.paths();
    let said = site.create(&[]);
    site.stands_as_planned(said["infraID"].as_str().unwrap());
    let roles = group("net-rg", "/providers/Microsoft.Authorization/roleAssignments/").to_lowercase();
    assert!(site.paths().iter().any(|path| path.starts_with(&roles)), "{:?}", site.paths());
    site.destroy_bootstrap();
    site.destroy();
    assert_eq!(site.paths(), before);
}

/// Machines find the API by the last free address of its subnet, as the user provides the records.
fn without_records(network: &str, address: &'static str) {
    const CHECK: &str = "/virtualnetworks/corp-vnet/checkipaddressavailability";
    let platform = format!("    userProvisionedDNS: Enabled\n{network}");
    let given = Arc::new(AtomicBool::new(false));
    let shared = Arc::clone(&given);
    let site = Site::new(&platform, "", |text, scene| {
        // Somebody has the last address.
        scene.troubles.push(Trouble::always(CHECK, move |_| {
            let free =
                if shared.load(Ordering::SeqCst) { vec!["10.0.0.9"] } else { vec!["10.0.0.9", "10.0.0.77"] };
            Answer::json(200, &json!({ "available": false, "availableIPAddresses": free }))
        }));
        let text = if network.is_empty() { text } else { text.replace(MACHINE_NETWORK, "") };
        text + "featureSet: TechPreviewNoUpgrade\n"
    });
    let before = site.paths();
    let release = &["--release", "4.21"];
    let said = site.create(release);
    let id = said["infraID"].as_str().unwrap();
    let made: Vec<String> = site.paths().difference(&before).cloned().collect();
    assert!(made.iter().all(|path| !path.contains("dnszones")), "{made:?}");
    let balancer = Site::in_group(id, &format!("Microsoft.Network/loadBalancers/{id}-internal"));
    let balancer = site.azure.manager().look(|tree| tree.get(&balancer).cloned()).unwrap();
    let front_end = &balancer["properties"]["frontendIPConfigurations"][0]["properties"];
    assert_eq!(front_end["privateIPAddress"], address, "{balancer}");
    let master = site.started_with(id, "master-0").to_string();
    assert!(master.contains(&format!("https://{address}:22623/config/master")), "{master}");
    // The load balancer has one of the addresses, and Azure shows that.
    given.store(true, Ordering::SeqCst);
    if !network.is_empty() {
        let path = Site::in_group(id, &format!("Microsoft.Network/loadBalancers/{id}-internal"));
        let used = json!([{ "id": format!("{path}/frontendIPConfigurations/{id}-internal-frontEnd") }]);
        let corporate = group("net-rg", "/providers/Microsoft.Network/virtualNetworks/corp-vnet");
        site.azure.edit(|tree| {
            let subnets = tree.at(&corporate)["properties"]["subnets"].as_array_mut().unwrap();
            let masters = subnets.iter_mut().find(|subnet| subnet["name"] == "masters-sn").unwrap();
            masters["properties"]["ipConfigurations"] = used;
        });
    }
    site.changes_nothing(release);
    site.destroy();
    assert_eq!(site.paths(), before);
}

#[test]
fn machines_find_the_api_in_a_new_network() {
    without_records("", "10.0.127.254");
}

#[test]
fn machines_find_the_api_in_a_given_network() {
    without_records(GIVEN_NETWORK, "10.0.0.77");
}

/// The storage account among what was created.
fn account(site: &Site, made: &[String]) -> Value {
    let account = made.iter().find(|path| kind_of(path) == "microsoft.storage/storageaccounts").unwrap();
    site.azure.manager().look(|tree| tree.get(account).cloned()).unwrap()
}

/// An account that accepts no signature is written to by landfall and read by the bootstrap machine as who they are.
fn without_access_keys(identity: &str, given: &[&str]) {
    const RELEASE: &[&str] = &["--release", "4.19"];
    let site = Site::new("    allowSharedKeyAccess: false\n", identity, |text, _| text);
    let permissions = format!("/subscriptions/{SUBSCRIPTION}/providers/microsoft.authorization/permissions");
    site.azure.edit(|tree| tree.at(&permissions)["value"][0]["dataActions"] = json!(["*"]));
    for path in given {
        site.azure.edit(|tree| {
            let properties = json!({ "principalId": "aaaaaaaa-0000-4000-8000-000000000009" });
            tree.put(
                path,
                json!({ "id": path, "name": "masters", "location": "eastus", "properties": properties }),
            );
        });
    }
    let before = site.paths();
    let said = site.create(RELEASE);
    let id = said["infraID"].as_str().unwrap();
    let made: Vec<String> = site.paths().difference(&before).cloned().collect();
    let account = account(&site, &made);
    assert_eq!(account["properties"]["allowSharedKeyAccess"], false, "{account}");
    let role =
        made.iter().find(|path| path.contains("/storageaccounts/") && path.contains("/roleassignments/"));
    let role = site.azure.manager().look(|tree| tree.get(role.unwrap()).cloned()).unwrap();
    let definition = role["properties"]["roleDefinitionId"].as_str().unwrap();
    assert!(definition.ends_with("/2a2b9908-6ea1-4ae2-8e65-a410df84e7d1"), "{role}");
    let principal = role["properties"]["principalId"].as_str().unwrap();
    assert_eq!(principal.ends_with("009"), !given.is_empty(), "{role}");
    let pointer = site.started_with(id, "bootstrap");
    let source = pointer["ignition"]["config"]["replace"]["source"].as_str().unwrap();
    assert!(source.ends_with(".blob.core.windows.net/ignition/bootstrap.ign"), "{source}");
    let keys = site.azure.asked().iter().filter(|one| one.call.path.ends_with("/listkeys")).count();
    assert_eq!(keys, 0, "the keys of the account were asked for");
    site.changes_nothing(RELEASE);
    site.destroy_bootstrap();
    site.destroy();
    assert_eq!(site.paths(), before);
}

#[test]
fn an_account_without_access_keys() {
    without_access_keys("", &[]);
}

#[test]
fn an_account_without_access_keys_and_the_users_identity() {
    let identity = group("ids-rg", "/providers/Microsoft.ManagedIdentity/userAssignedIdentities/masters");
    let machines = "      identity:\n        type: UserAssigned\n        userAssignedIdentities:\n        \
                    - { name: masters, resourceGroup: ids-rg }\n";
    without_access_keys(machines, &[&group("ids-rg", ""), &identity]);
}

#[test]
fn an_account_that_is_encrypted_with_the_users_key() {
    let platform = "    customerManagedKey:\n      keyVault:\n        resourceGroup: kv-rg\n        name: vault1\n        \
                    keyName: disk\n      userAssignedIdentityKey: reader\n";
    let site = Site::new(platform, "", |text, _| text);
    let vault = group("kv-rg", "/providers/Microsoft.KeyVault/vaults/vault1");
    let reader = group("kv-rg", "/providers/Microsoft.ManagedIdentity/userAssignedIdentities/reader");
    let protected = json!({ "enablePurgeProtection": true });
    site.azure.edit(|tree| {
        for (path, properties) in [
            (group("kv-rg", ""), json!({})),
            (vault.clone(), protected),
            (format!("{vault}/keys/disk"), json!({})),
            (reader.clone(), json!({})),
        ] {
            tree.put(&path, json!({ "id": path, "location": "eastus", "properties": properties }));
        }
    });
    let before = site.paths();
    let said = site.create(&[]);
    site.stands_as_planned(said["infraID"].as_str().unwrap());
    let made: Vec<String> = site.paths().difference(&before).cloned().collect();
    let account = account(&site, &made);
    let encryption = &account["properties"]["encryption"];
    assert_eq!(encryption["keySource"], "Microsoft.Keyvault", "{account}");
    assert_eq!(encryption["keyvaultproperties"]["keyvaulturi"], "https://vault1.vault.azure.net/");
    assert_eq!(encryption["identity"]["userAssignedIdentity"], json!(reader));
    assert!(account["identity"]["userAssignedIdentities"][&reader].is_object(), "{account}");
    // Block blobs are not for accounts of page blobs.
    assert_eq!(account["sku"]["name"], "Standard_LRS", "{account}");
    assert_eq!(account["properties"]["allowBlobPublicAccess"], false, "{account}");
    site.changes_nothing(&[]);
    site.destroy();
    assert_eq!(site.paths(), before);
}

/// Services with addresses of both families, from networks of both.
const DUAL_STACK: &str = "networking:\n  networkType: OVNKubernetes\n  machineNetwork:\n  - cidr: 10.0.0.0/16\n  \
                          - cidr: fd00:10::/48\n  clusterNetwork:\n  - cidr: 10.128.0.0/14\n    hostPrefix: 23\n  \
                          - cidr: fd01::/48\n    hostPrefix: 64\n  serviceNetwork:\n  - 172.30.0.0/16\n  \
                          - fd02::/112\nfeatureSet: TechPreviewNoUpgrade\n";

/// Creates a cluster with both families; gives the endings of what exists.
fn dual_stack(network: &str, edit: impl FnOnce(String) -> String) -> Vec<String> {
    const RELEASE: &[&str] = &["--release", "4.22"];
    let platform = format!("    ipFamily: DualStackIPv4Primary\n{network}");
    let site = Site::new(&platform, "", |text, _| edit(text) + DUAL_STACK);
    let corporate = group("net-rg", "/providers/Microsoft.Network/virtualNetworks/corp-vnet");
    site.azure.edit(|tree| {
        let properties = &mut tree.at(&corporate)["properties"];
        properties["addressSpace"]["addressPrefixes"] = json!(["10.0.0.0/16", "10.9.0.0/16", "fd00:10::/48"]);
        let subnets = properties["subnets"].as_array_mut().unwrap();
        for (subnet, prefixes) in
            subnets.iter_mut().zip([["10.0.0.0/24", "fd00:10:0:7::/64"], ["10.0.1.0/24", "fd00:10:0:8::/64"]])
        {
            subnet["properties"]["addressPrefixes"] = json!(prefixes);
        }
    });
    let before = site.paths();
    let said = site.create(RELEASE);
    let id = said["infraID"].as_str().unwrap();
    site.stands_as_planned_by(id, RELEASE);
    let made: Vec<String> = site.paths().difference(&before).map(|path| path.replace(id, "ID")).collect();
    let document = |rest: &str| {
        let path = Site::in_group(id, &format!("Microsoft.Network/{rest}"));
        site.azure.manager().look(|tree| tree.get(&path).cloned()).unwrap()
    };
    let card = document(&format!("networkInterfaces/{id}-master-0-nic"));
    let addresses = card["properties"]["ipConfigurations"].as_array().unwrap();
    let versions = addresses.iter().map(|one| one["properties"]["privateIPAddressVersion"].as_str().unwrap());
    assert_eq!(versions.collect::<Vec<&str>>(), ["IPv4", "IPv6"], "{card}");
    let balancer = document(&format!("loadBalancers/{id}-internal"));
    let front_ends = balancer["properties"]["frontendIPConfigurations"].as_array().unwrap();
    let record = document("privateDnsZones/demo.example.com/AAAA/api-int");
    let address = &front_ends[1]["properties"]["privateIPAddress"];
    assert_eq!(record["properties"]["aaaaRecords"], json!([{ "ipv6Address": address }]));
    let subnet = if network.is_empty() { "fd00:10::ffff:" } else { "fd00:10:0:7:" };
    assert!(address.as_str().unwrap().starts_with(subnet), "{address}");
    for list in ["backendAddressPools", "loadBalancingRules", "probes"] {
        let count = balancer["properties"][list].as_array().unwrap().len();
        assert_eq!(count, if list == "backendAddressPools" { 2 } else { 4 }, "{list}: {balancer}");
    }
    site.changes_nothing(RELEASE);
    site.destroy_bootstrap();
    site.destroy();
    assert_eq!(site.paths(), before);
    made
}

#[test]
fn both_families() {
    let made = dual_stack("", |text| text);
    for end in ["/publicipaddresses/ID-pip-v6", "/dnszones/example.com/cname/v6-api.demo"] {
        assert!(made.iter().any(|path| path.ends_with(end)), "{end}: {made:?}");
    }
}

/// Only the API is public.
#[test]
fn both_families_with_internal_applications() {
    let made = dual_stack("", |text| {
        text.replace(
            "publish: External\n",
            "publish: Mixed\noperatorPublishingStrategy:\n  apiserver: External\n  ingress: Internal\n",
        )
    });
    assert!(made.iter().any(|path| path.ends_with("/dnszones/example.com/cname/v6-api.demo")), "{made:?}");
}

#[test]
fn both_families_in_a_private_cluster() {
    let made = dual_stack("", |text| text.replace("publish: External", "publish: Internal"));
    assert!(made.iter().any(|path| path.ends_with("/securityrules/apiserver_in_v6")), "{made:?}");
    assert!(!made.iter().any(|path| path.ends_with("/v6-api.demo")), "{made:?}");
}

#[test]
fn both_families_in_a_given_network() {
    dual_stack(GIVEN_NETWORK, |text| text);
}

#[test]
fn a_given_group() {
    let site = Site::new("    resourceGroupName: cluster-rg\n", "", |text, _| text);
    let before = site.paths();
    let said = site.create(&[]);
    site.stands_as_planned(said["infraID"].as_str().unwrap());
    site.destroy_bootstrap();
    site.destroy();
    // Something else is in the group, so that it stays.
    assert_eq!(site.paths(), before);
}

#[test]
fn settings_of_machines() {
    let machines = "      osDisk:\n        diskSizeGB: 256\n        diskType: StandardSSD_LRS\n      \
                    encryptionAtHost: true\n";
    stands_and_goes(PUBLIC, "", machines, |text| {
        let key = text.lines().filter(|line| line.starts_with("sshKey")).collect::<String>();
        text.replace(&key, "")
    });
}
