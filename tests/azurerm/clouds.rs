//! Whole clusters in the clouds that the provider knows by name.

use crate::installation::{CLOUDS, Installation};
use crate::inventory::{Inventory, told};

/// Types that exist for the bootstrap machine alone, or fewer of which are there without it.
const OF_BOOTSTRAP: &[&str] = &[
    "azurerm_linux_virtual_machine",
    "azurerm_network_interface",
    "azurerm_network_interface_backend_address_pool_association",
    "azurerm_network_security_rule",
    "azurerm_public_ip",
    "azurerm_storage_blob",
    "azurerm_storage_container",
];

/// Creates a cluster, creates it again, removes its bootstrap machine, and then all of it.
#[track_caller]
fn whole(installation: &Installation) {
    let azure = &installation.azure;
    let before = Inventory::of(azure);
    let said = installation.create(&[]);
    let all = Inventory::of(azure);
    let new = all.since(&before);
    let counts = new.counts();
    let counted = counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
    assert_eq!(told(&said["summary"]), counted, "{said}");
    assert_eq!(said["resources"].as_u64(), Some(counts.values().sum()), "{said}");

    // What is done is not done again.
    let again = installation.create(&[]);
    let results = again["work"].as_array().unwrap().iter().map(|work| &work["result"]);
    assert!(results.into_iter().all(|result| *result == "unchanged"), "{again}");
    assert_eq!(Inventory::of(azure), all);

    installation.destroy_bootstrap();
    let after = Inventory::of(azure);
    let rest = after.since(&before).counts();
    for (name, count) in &counts {
        let now = rest.get(name).copied().unwrap_or_default();
        assert!(now == *count || OF_BOOTSTRAP.contains(name) && now < *count, "{name}: {now} of {count}");
    }
    installation.destroy();
    Inventory::of(azure).is_as(&before);
}

fn in_cloud(name: &str) {
    let installation = Installation::prepare(name, "", "", |text, _| text);
    whole(&installation);
    let (_, named) = CLOUDS.iter().find(|(known, _)| *known == name).unwrap();
    let hosts = installation.hosts();
    for host in [named.manager, named.login] {
        assert!(hosts.contains(host), "{host} was not asked: {hosts:?}");
    }
    // The image of a release is in the public cloud, wherever the cluster is.
    let others: Vec<&String> =
        hosts.iter().filter(|host| !host.contains(".blob.") && !own(named, host)).collect();
    assert!(others.is_empty(), "{others:?}");
}

fn own(named: &crate::installation::Named, host: &str) -> bool {
    [named.manager, named.login, named.graph].contains(&host)
}

#[test]
#[ignore = "needs terraform and azurerm"]
fn a_cluster_in_the_public_cloud() {
    in_cloud("AzurePublicCloud");
}

#[test]
#[ignore = "needs terraform and azurerm"]
fn a_cluster_in_the_us_government_cloud() {
    in_cloud("AzureUSGovernmentCloud");
}

#[test]
#[ignore = "needs terraform and azurerm"]
fn a_cluster_in_the_chinese_cloud() {
    in_cloud("AzureChinaCloud");
}

/// No release of 4.x is there, which the modules take by themselves.
#[test]
#[ignore = "needs terraform and azurerm"]
fn a_cluster_with_release_5_of_the_provider() {
    let installation = Installation::prepare("AzurePublicCloud", "", "", |text, _| text).with_releases("5.");
    whole(&installation);
}

/// A way out by a NAT gateway, and one machine alone.
#[test]
#[ignore = "needs terraform and azurerm"]
fn a_single_node_behind_a_nat_gateway() {
    let platform = "    outboundType: NatGateway\n";
    let installation = Installation::prepare("AzurePublicCloud", platform, "", |text, _| {
        text.replace("  name: master\n  replicas: 3", "  name: master\n  replicas: 1")
            .replace("- name: worker\n  replicas: 3", "- name: worker\n  replicas: 0")
            + "featureSet: TechPreviewNoUpgrade\n"
    });
    whole(&installation);
}
