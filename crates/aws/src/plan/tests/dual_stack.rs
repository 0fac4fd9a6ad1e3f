use super::releases::of_release;
use super::*;

/// The first release that has the setting.
const RELEASE: &str = "4.22";

fn ipv6(cidr: &str) -> MachineNetwork {
    MachineNetwork { cidr: cidr.parse().map_or(Network::Missing, Network::Given) }
}

fn dual(mut config: InstallConfig, machines: &[&str]) -> InstallConfig {
    if let Some(platform) = &mut config.platform.aws {
        "DualStackIPv4Primary".clone_into(&mut platform.ip_family);
    }
    if let Some(networking) = &mut config.networking {
        networking.machine_network.extend(machines.iter().map(|cidr| ipv6(cidr)));
    }
    config
}

fn with_ipv6(addresses: [&str; 2]) -> Facts {
    let mut facts = existing_facts();
    for (subnet, cidr) in facts.subnets.iter_mut().zip(addresses) {
        cidr.clone_into(&mut subnet.ipv6_cidr);
    }
    facts
}

fn found_here(config: &InstallConfig, facts: Facts) -> Vec<Finding> {
    found_for(RELEASE, config, facts, Source::Cloud)
}

#[test]
fn aws_chooses_the_ipv6_addresses_of_a_new_network() {
    assert!(found_here(&dual(base_config(), &[]), base_facts()).is_empty());
    let findings = found_here(&dual(base_config(), &["2600:1f18::/56"]), base_facts());
    assert_eq!(places(&findings), [("LF0738", "networking.machineNetwork[1].cidr")]);
    assert_names(message(&findings), &["2600:1f18::/56"]);
}

#[test]
fn existing_subnets_have_ipv6_addresses_in_the_machine_networks() {
    let addresses = ["2600:1f18:0:1::/64", "2600:1f18:0:2::/64"];
    for machines in [&[][..], &["2600:1f18::/56"]] {
        let findings = found_here(&dual(existing_config(), machines), with_ipv6(addresses));
        assert!(findings.is_empty(), "{machines:?}: {findings:?}");
    }
    let outside = found_here(&dual(existing_config(), &["fd00::/48"]), with_ipv6(addresses));
    let fields = ["platform.aws.vpc.subnets[0].id", "platform.aws.vpc.subnets[1].id"];
    assert_eq!(places(&outside), fields.map(|field| ("LF0738", field)));
    let without = found_here(&dual(existing_config(), &[]), with_ipv6([addresses[0], ""]));
    assert_eq!(places(&without), [("LF0738", fields[1])]);
    assert_names(message(&without), &[PUBLIC]);
    // A cluster with IPv4 alone does not need an IPv6 network.
    assert!(found_here(&existing_config(), with_ipv6(["", ""])).is_empty());
}

#[test]
fn local_zones_need_no_ipv6_addresses() {
    let mut config = dual(base_config(), &[]);
    config.compute.push(pool("edge", 0));
    assert_eq!(places(&found_here(&config, base_facts())), [("LF0738", "compute[1].platform.aws")]);
    let mut facts = with_ipv6(["2600:1f18:0:1::/64", "2600:1f18:0:2::/64"]);
    let local = facts.subnets.first().cloned().map(|mut subnet| {
        "subnet-local".clone_into(&mut subnet.id);
        "10.0.200.0/24".clone_into(&mut subnet.cidr);
        "us-east-1-bos-1a".clone_into(&mut subnet.zone);
        "local-zone".clone_into(&mut subnet.zone_type);
        subnet.ipv6_cidr.clear();
        subnet
    });
    facts.subnets.extend(local);
    let mut config = dual(existing_config(), &[]);
    if let Some(platform) = &mut config.platform.aws {
        let local = config::Subnet { id: "subnet-local".to_owned(), ..config::Subnet::default() };
        platform.vpc.subnets.push(local);
    }
    let mut edge = pool("edge", 0);
    let instance_type = "m6i.xlarge".to_owned();
    edge.platform.aws = Some(config::MachinePool { instance_type, ..config::MachinePool::default() });
    config.compute.push(edge);
    if let Some(offer) = facts.instance_types.get_mut("m6i.xlarge") {
        offer.zones.push("us-east-1-bos-1a".to_owned());
    }
    // That of a path to a local zone is too small for IPv6.
    assert_eq!(places(&found_here(&config, facts.clone())), [("LF0738", "networking.clusterNetworkMTU")]);
    config.networking.get_or_insert_default().cluster_network_mtu = 1279;
    assert_eq!(places(&found_here(&config, facts.clone())), [("LF0738", "networking.clusterNetworkMTU")]);
    config.networking.get_or_insert_default().cluster_network_mtu = 1280;
    assert_eq!(places(&found_here(&config, facts.clone())), []);
    if let Some(subnet) = facts.subnets.last_mut() {
        "wavelength-zone".clone_into(&mut subnet.zone_type);
    }
    let findings = found_here(&config, facts);
    assert_eq!(places(&findings), [("LF0738", "platform.aws.vpc.subnets[2].id")]);
    assert_names(message(&findings), &["subnet-local", "us-east-1-bos-1a"]);
}

#[test]
fn instance_types_support_ipv6() {
    let named =
        config::MachinePool { instance_type: "m5.xlarge".to_owned(), ..config::MachinePool::default() };
    let single = with_settings(named);
    let of = |features: &[&str], config: &InstallConfig| {
        let mut facts = base_facts();
        if let Some(offer) = facts.instance_types.get_mut("m5.xlarge") {
            offer.features = owned(features);
        }
        found_here(config, facts)
    };
    let dual = dual(single.clone(), &[]);
    for (features, wanted) in [(&["ipv6"][..], "Nitro"), (&["nitro"], "IPv6")] {
        let findings = of(features, &dual);
        assert_eq!(places(&findings), [("LF0738", "controlPlane.platform.aws.type")]);
        assert_names(message(&findings), &["m5.xlarge", wanted]);
        assert_eq!(places(&of(features, &single)), []);
    }
    // Nothing is known of the type in facts of an older landfall.
    for features in [&["ipv6", "nitro"][..], &[]] {
        assert_eq!(places(&of(features, &dual)), []);
    }
}

#[test]
fn older_releases_are_refused() {
    let findings = of_release([4, 21], &dual(base_config(), &[]));
    assert_eq!(places(&findings), [("LF0736", "platform.aws.ipFamily")]);
    assert!(of_release([4, 22], &dual(base_config(), &[])).is_empty());
}
