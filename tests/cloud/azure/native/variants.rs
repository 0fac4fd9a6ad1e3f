//! Other clouds and configs: everything that is planned exists, and goes again.

use super::super::scene::group;
use super::site::{Names, PUBLIC, Site};

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
    let network = "    networkResourceGroupName: net-rg\n    virtualNetwork: corp-vnet\n    \
                   controlPlaneSubnet: masters-sn\n    computeSubnet: workers-sn\n";
    let site =
        Site::new(network, "", |text, _| text.replace("  machineNetwork:\n  - cidr: 10.0.0.0/16\n", ""));
    let before = site.paths();
    let said = site.create(&[]);
    site.stands_as_planned(said["infraID"].as_str().unwrap());
    let roles = group("net-rg", "/providers/Microsoft.Authorization/roleAssignments/").to_lowercase();
    assert!(site.paths().iter().any(|path| path.starts_with(&roles)), "{:?}", site.paths());
    site.destroy_bootstrap();
    site.destroy();
    assert_eq!(site.paths(), before);
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
