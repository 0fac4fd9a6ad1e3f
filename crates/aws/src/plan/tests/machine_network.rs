//! The machine network of a new VPC, and the zones of its pools.

use super::*;

fn in_networks(machine_network: Vec<Network>) -> InstallConfig {
    let mut config = base_config();
    let machine_network = machine_network.into_iter().map(|cidr| MachineNetwork { cidr });
    config.networking =
        Some(Networking { machine_network: machine_network.collect(), ..Networking::default() });
    config
}

#[test]
fn a_new_vpc_has_a_size_that_aws_creates() {
    for prefix in [16, 24] {
        nothing_is_said(&in_networks(vec![Network::known([10, 0, 0, 0], prefix)]), base_facts());
    }
    let findings = found(&in_networks(vec![Network::known([10, 0, 0, 0], 9)]), base_facts());
    assert_eq!(places(&findings), [("LF0708", "networking.machineNetwork[0].cidr")]);
    assert_names(message(&findings), &["10.0.0.0/9", "/16"]);
    // An existing VPC was created already.
    let mut existing = existing_config();
    existing.networking = in_networks(vec![Network::known([10, 0, 0, 0], 9)]).networking;
    nothing_is_said(&existing, existing_facts());
}

#[test]
fn a_new_vpc_needs_an_ipv4_network() {
    for networks in [vec![], vec![Network::default()]] {
        let findings = found(&in_networks(networks), base_facts());
        assert_eq!(places(&findings), [("LF0708", "networking.machineNetwork")]);
        assert_names(help(&findings), &["10.0.0.0/16"]);
    }
}

#[test]
fn a_zone_that_a_compute_pool_names_twice_is_one_zone() {
    let mut config = base_config();
    let zones = owned(&["us-east-1b", "us-east-1a", "us-east-1b"]);
    if let Some(pool) = config.compute.first_mut() {
        pool.platform.aws = Some(config::MachinePool { zones, ..config::MachinePool::default() });
    }
    let catalogue = Catalogue::embedded();
    let (plan, findings) = planned_with(catalogue, "4.14", &config, base_facts(), Source::Cloud, false);
    assert!(findings.is_empty(), "{findings:?}");
    let zones = plan.and_then(|plan| plan.aws).and_then(|aws| Some(aws.compute.first()?.zones.clone()));
    assert_eq!(zones, Some(owned(&["us-east-1b", "us-east-1a"])));
}
