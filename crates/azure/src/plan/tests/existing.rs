//! Networks, groups and zones that are there before the cluster.

use landfall_model::azure::config;
use landfall_model::azure::facts::{Network as Found, ResourceGroup, Subnet};
use landfall_model::config::Network;

use super::*;

/// A config in an existing network.
fn in_network() -> InstallConfig {
    with_platform(|platform| {
        "net-rg".clone_into(&mut platform.network_resource_group_name);
        "vnet".clone_into(&mut platform.virtual_network);
        let subnet = |name: &str, role: &str| config::Subnet { name: name.to_owned(), role: role.to_owned() };
        platform.subnets = vec![subnet("masters", "control-plane"), subnet("workers", "node")];
    })
}

/// What the cloud answers of that network where all is well.
fn network() -> Found {
    let subnet = |name: &str, prefix: &str| Subnet {
        name: name.to_owned(),
        address_prefixes: vec![prefix.to_owned()],
        ..Subnet::default()
    };
    Found {
        name: "VNet".to_owned(),
        resource_group: "net-rg".to_owned(),
        location: "eastus".to_owned(),
        address_prefixes: vec!["10.0.0.0/16".to_owned()],
        subnets: vec![subnet("masters", "10.0.0.0/24"), subnet("Workers", "10.0.1.0/24")],
    }
}

fn with_network(change: impl FnOnce(&mut Found)) -> Facts {
    let mut network = network();
    change(&mut network);
    Facts { network: Some(network), ..answers() }
}

#[test]
fn an_existing_network_is_there() {
    assert!(found(&in_network(), with_network(|_| {})).is_empty());
    let findings = found(&in_network(), answers());
    assert_eq!(places(&findings), [("LF0770", "platform.azure.virtualNetwork")]);
    assert_names(message(&findings), &["`vnet`", "`net-rg`"]);
    is_for_the_cloud_only("LF0770", &in_network(), &answers());
    let other = with_network(|network| "other".clone_into(&mut network.name));
    assert_eq!(places(&found(&in_network(), other)), [("LF0770", "platform.azure.virtualNetwork")]);
}

#[test]
fn a_network_is_where_the_machines_are() {
    let elsewhere = with_network(|network| "West US".clone_into(&mut network.location));
    let findings = found(&in_network(), elsewhere);
    assert_eq!(places(&findings), [("LF0773", "platform.azure.virtualNetwork")]);
    assert_names(message(&findings), &["`vnet`", "`West US`", "`eastus`"]);
    let spelled = with_network(|network| "East US".clone_into(&mut network.location));
    assert!(found(&in_network(), spelled).is_empty());
    let unsaid = with_network(|network| network.location.clear());
    assert!(found(&in_network(), unsaid).is_empty());
}

#[test]
fn subnets_are_in_the_network() {
    let facts = with_network(|network| {
        if let Some(subnet) = network.subnets.last_mut() {
            "worker".clone_into(&mut subnet.name);
        }
    });
    let findings = found(&in_network(), facts.clone());
    assert_eq!(places(&findings), [("LF0771", "platform.azure.computeSubnet")]);
    let at = |findings: &[Finding]| findings.first().and_then(|finding| finding.at.clone());
    assert_eq!(at(&findings).as_deref(), Some("platform.azure.subnets[1].name"));
    assert_names(message(&findings), &["`workers`", "`vnet`"]);
    assert_names(help(&findings), &["`worker`"]);
    let mut older = in_network();
    if let Some(platform) = &mut older.platform.azure {
        "workers".clone_into(&mut platform.compute_subnet);
    }
    assert_eq!(at(&found(&older, facts)).as_deref(), Some("platform.azure.computeSubnet"));
    let none = with_network(|network| network.subnets.clear());
    assert_eq!(
        places(&found(&in_network(), none.clone())),
        [("LF0771", "platform.azure.controlPlaneSubnet"), ("LF0771", "platform.azure.computeSubnet")]
    );
    is_for_the_cloud_only("LF0771", &in_network(), &none);
}

/// Services with IPv6 need machines with IPv6.
#[test]
fn subnets_have_the_families_of_the_services() {
    let mut config = in_network();
    let networking = config.networking.get_or_insert_default();
    networking.service_network.extend("fd02::/112".parse().map(Network::Given));
    let address = |prefixes: &[&str]| {
        let facts = with_network(|network| {
            for subnet in &mut network.subnets {
                let own = subnet.address_prefixes.iter().map(String::as_str);
                let all = own.chain(prefixes.iter().copied()).map(str::to_owned);
                subnet.address_prefixes = all.collect();
            }
        });
        let (plan, findings) = planned(&config, facts);
        (plan.and_then(|plan| plan.load_balancers.ipv6_address.map(|a| a.to_string())), findings)
    };
    let (found, findings) = address(&["fd00::/64"]);
    assert_eq!(found.as_deref(), Some("fd00::ffff:ffff:ffff:fffe"), "{findings:?}");
    let (found, findings) = address(&[]);
    assert_eq!(found, None);
    assert_eq!(
        places(&findings),
        [("LF0772", "platform.azure.controlPlaneSubnet"), ("LF0772", "platform.azure.computeSubnet")]
    );
    assert_names(message(&findings), &["`masters`", "IPv6"]);
}

#[test]
fn subnets_lie_in_the_machine_networks() {
    let facts = with_network(|network| {
        if let Some(subnet) = network.subnets.first_mut() {
            let prefixes = ["10.0.0.0/24", "10.1.0.0/24", "fd00::/64"];
            subnet.address_prefixes = prefixes.map(str::to_owned).to_vec();
        }
    });
    let findings = found(&in_network(), facts);
    assert_eq!(places(&findings), [("LF0772", "platform.azure.controlPlaneSubnet")]);
    assert_names(message(&findings), &["`masters`", "10.1.0.0/24", "10.0.0.0/16"]);
    assert!(!message(&findings).contains("10.0.0.0/24"), "{findings:?}");
}

fn in_group() -> InstallConfig {
    with_platform(|platform| "rg".clone_into(&mut platform.resource_group_name))
}

fn with_group(change: impl FnOnce(&mut ResourceGroup)) -> Facts {
    let mut group =
        ResourceGroup { name: "RG".to_owned(), location: "eastus".to_owned(), ..ResourceGroup::default() };
    change(&mut group);
    Facts { resource_group: Some(group), ..answers() }
}

fn tagged(keys: &[&str]) -> Facts {
    with_group(|group| {
        group.tags = keys.iter().map(|key| ((*key).to_owned(), "owned".to_owned())).collect();
    })
}

const GROUP: &str = "platform.azure.resourceGroupName";

#[test]
fn an_existing_group_is_there_and_free() {
    assert!(found(&in_group(), with_group(|_| {})).is_empty());
    assert_eq!(places(&found(&in_group(), answers())), [("LF0774", GROUP)]);
    is_for_the_cloud_only("LF0774", &in_group(), &answers());
    let elsewhere = with_group(|group| "westus".clone_into(&mut group.location));
    assert_eq!(places(&found(&in_group(), elsewhere)), [("LF0775", GROUP)]);
    assert!(found(&in_group(), tagged(&["team", "kubernetes.io_cluster.demo-bcd24"])).is_empty());
    let findings = found(&in_group(), tagged(&["team", "kubernetes.io_cluster.other-x9k2p"]));
    assert_eq!(places(&findings), [("LF0776", GROUP)]);
    assert_names(message(&findings), &["`rg`", "kubernetes.io_cluster.other-x9k2p"]);
}

#[test]
fn an_existing_group_is_empty() {
    let holding = |resources: i64, first: &[&str]| {
        let first: Vec<String> = first.iter().map(|name| (*name).to_owned()).collect();
        with_group(|group| {
            group.resources = resources;
            group.first = first;
        })
    };
    let findings = found(&in_group(), holding(3, &["disk", "nic"]));
    assert_eq!(places(&findings), [("LF0777", GROUP)]);
    assert_names(message(&findings), &["`rg`", "3 resources", "disk, nic and 1 more"]);
    let findings = found(&in_group(), holding(1, &["disk"]));
    assert_eq!(places(&findings), [("LF0777", GROUP)]);
    assert!(message(&findings).ends_with(": disk"), "{findings:?}");
    let findings = found(&in_group(), holding(2, &[]));
    assert_eq!(places(&findings), [("LF0777", GROUP)]);
    assert_names(message(&findings), &["`rg`", "2 resources"]);
    let mut own = tagged(&["kubernetes.io_cluster.demo-bcd24"]);
    if let Some(group) = &mut own.resource_group {
        group.resources = 9;
    }
    assert!(found(&in_group(), own).is_empty(), "an installation goes on");
}

#[test]
fn the_public_zone_is_in_its_group() {
    let none = || Facts { dns_zone: None, ..answers() };
    let field = "platform.azure.baseDomainResourceGroupName";
    let findings = found(&config(), none());
    assert_eq!(places(&findings), [("LF0778", field)]);
    assert_names(message(&findings), &["`example.com`", "`dns-rg`"]);
    is_for_the_cloud_only("LF0778", &config(), &none());
    let mut internal = config();
    "Internal".clone_into(&mut internal.publish);
    assert!(found(&internal, none()).is_empty());
    let mut other = answers();
    other.dns_zone = Some(DnsZone { name: "example.org".to_owned(), ..DnsZone::default() });
    assert_eq!(places(&found(&config(), other)), [("LF0778", field)]);
}

#[test]
fn records_of_an_earlier_cluster_are_in_the_way() {
    let with = |records: &[&str]| {
        let records = records.iter().map(|record| (*record).to_owned()).collect();
        let zone = DnsZone { name: "example.com".to_owned(), records, ..DnsZone::default() };
        Facts { dns_zone: Some(zone), ..answers() }
    };
    let findings = found(&config(), with(&["api.demo.example.com A", "api.demo.example.com CNAME"]));
    assert_eq!(places(&findings), [("LF0779", "baseDomain")]);
    assert_names(
        message(&findings),
        &["`example.com`", "api.demo.example.com A, api.demo.example.com CNAME"],
    );
    assert!(!is_said("LF0779", &config(), with(&["api.demo.example.com A"]), Source::Catalogue));
}

#[test]
fn findings_of_what_is_there_read_as_they_are_kept() {
    let moved = with_network(|network| "West US".clone_into(&mut network.location));
    let renamed = with_network(|network| {
        if let Some(subnet) = network.subnets.last_mut() {
            "worker".clone_into(&mut subnet.name);
        }
    });
    let outside = with_network(|network| {
        if let Some(subnet) = network.subnets.first_mut() {
            subnet.address_prefixes = vec!["10.1.0.0/24".to_owned()];
        }
    });
    let holding = with_group(|group| {
        group.resources = 3;
        group.first = vec!["disk".to_owned(), "nic".to_owned()];
    });
    let records = vec!["api.demo.example.com A".to_owned(), "api.demo.example.com CNAME".to_owned()];
    let zone = DnsZone { name: "example.com".to_owned(), records, ..DnsZone::default() };
    let cases = vec![
        (in_network(), answers()),
        (in_network(), moved),
        (in_network(), renamed),
        (in_network(), outside),
        (in_group(), answers()),
        (in_group(), with_group(|group| "westus".clone_into(&mut group.location))),
        (in_group(), tagged(&["kubernetes.io_cluster.other-x9k2p"])),
        (in_group(), holding),
        (config(), Facts { dns_zone: None, ..answers() }),
        (config(), Facts { dns_zone: Some(zone), ..answers() }),
    ];
    let findings: Vec<Finding> =
        cases.into_iter().flat_map(|(config, facts)| found(&config, facts)).collect();
    landfall_testing::assert_findings("azure-plan-existing", &findings);
}

#[test]
fn subnets_have_room_for_the_machines() {
    let facts = |masters: &str, used: i64| {
        with_network(|network| {
            if let Some(subnet) = network.subnets.first_mut() {
                subnet.address_prefixes = vec![masters.to_owned()];
                subnet.used_addresses = used;
            }
        })
    };
    // Three machines, the bootstrap machine and a load balancer beside the five addresses of Azure.
    assert!(found(&in_network(), facts("10.0.0.0/28", 6)).is_empty());
    let findings = found(&in_network(), facts("10.0.0.0/28", 7));
    assert_eq!(places(&findings), [("LF0793", "platform.azure.controlPlaneSubnet")]);
    assert_names(message(&findings), &["4 addresses", "`masters`", "needs 5"]);
    let full = with_network(|network| {
        if let Some(subnet) = network.subnets.last_mut() {
            subnet.used_addresses = 250;
        }
    });
    assert_eq!(places(&found(&in_network(), full)), [("LF0793", "platform.azure.computeSubnet")]);
    let unknown = with_network(|network| {
        for subnet in &mut network.subnets {
            subnet.address_prefixes.clear();
        }
    });
    assert!(!is_said("LF0793", &in_network(), unknown, Source::Cloud));
}

#[test]
fn a_subnet_has_one_nat_gateway() {
    let mut config = in_network();
    let facts = with_network(|network| {
        if let Some(subnet) = network.subnets.last_mut() {
            "/subscriptions/s/x/natGateways/theirs".clone_into(&mut subnet.nat_gateway);
        }
    });
    assert!(found(&config, facts.clone()).is_empty());
    for outbound in ["NATGatewaySingleZone", "NATGatewayMultiZone"] {
        if let Some(platform) = &mut config.platform.azure {
            outbound.clone_into(&mut platform.outbound_type);
        }
        let findings = found(&config, facts.clone());
        assert_eq!(places(&findings), [("LF0794", "platform.azure.computeSubnet")]);
        assert_names(message(&findings), &["`Workers`", "`theirs`"]);
        let (plan, _) = planned(&config, with_network(|_| {}));
        let gateways = plan.map(|plan| plan.network.nat_gateways).unwrap_or_default();
        let gateways: Vec<(&str, &str)> =
            gateways.iter().map(|gateway| (gateway.subnet.as_str(), gateway.zone.as_str())).collect();
        assert_eq!(gateways, [("workers", if outbound.contains("Multi") { "1" } else { "" })]);
    }
}

#[test]
fn the_api_of_a_cluster_without_records_has_a_free_address() {
    let mut config = in_network();
    if let Some(platform) = &mut config.platform.azure {
        "Enabled".clone_into(&mut platform.user_provisioned_dns);
    }
    let chosen = |config: &InstallConfig, facts: Facts| {
        let (plan, findings) =
            planned_for(Engine::Terraform, catalogue::Catalogue::embedded(), config, facts, Source::Cloud);
        (plan.and_then(|plan| plan.load_balancers.api_address).map(|address| address.to_string()), findings)
    };
    let free = with_network(|network| "10.0.0.77".clone_into(&mut network.subnets[0].api_address));
    let (address, findings) = chosen(&config, free);
    assert_eq!((address.as_deref(), places(&findings)), (Some("10.0.0.77"), vec![]));
    let (address, findings) = chosen(&config, with_network(|_| {}));
    assert_eq!((address, places(&findings)), (None, vec![("LF0793", "platform.azure.controlPlaneSubnet")]));
    // In a new network the last address of the control plane's subnet is free.
    let new = with_platform(|platform| "Enabled".clone_into(&mut platform.user_provisioned_dns));
    assert_eq!(chosen(&new, answers()).0.as_deref(), Some("10.0.127.254"));
}
