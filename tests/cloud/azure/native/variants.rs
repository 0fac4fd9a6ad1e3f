//! Other clouds and configs: everything that is planned exists, and goes again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use super::super::answer::Answer;
use super::super::arm::Trouble;
use super::super::scene::group;
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
    let changes = site.changes();
    let again = site.create(&[]).to_string();
    assert!(!again.contains("LF1424"), "{again}");
    assert_eq!(site.changes(), changes, "a second run has changed something");
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
    let changes = site.changes();
    let again = site.create(release).to_string();
    assert!(!again.contains("LF1424") && !again.contains("LF1428"), "{again}");
    assert_eq!(site.changes(), changes, "a second run has changed something");
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
