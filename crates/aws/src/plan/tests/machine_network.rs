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

#[test]
fn facts_of_another_cloud_are_told_once() {
    let facts = |aws: Option<Facts>| {
        let azure = Some(landfall_model::azure::facts::Facts::default());
        landfall_model::facts::Facts { aws, azure, ..landfall_model::facts::Facts::default() }
    };
    let config = base_config();
    let found_of = |facts: &landfall_model::facts::Facts| {
        let identity = Identity { infra_id: "demo-bcd24".to_owned(), cluster_id: String::new() };
        let case = Case {
            config: &config,
            given: &config,
            facts,
            catalogue: Catalogue::embedded(),
            release: "4.14",
            identity: &identity,
            installed: false,
            own_records: &[],
            engine: Engine::default(),
        };
        let mut out = Findings::default();
        (plan(&case, &mut out).is_some(), out.into_vec())
    };
    let (has_plan, findings) = found_of(&facts(None));
    assert!(!has_plan);
    assert_eq!(places(&findings), [("LF0711", "platform.aws.region")]);
    assert_names(message(&findings), &["`azure`", "`aws`"]);
    assert!(found_of(&facts(Some(base_facts()))).0);
}

#[test]
fn facts_of_another_partition_are_refused() {
    let facts = Facts { partition: "aws-cn".to_owned(), ..base_facts() };
    let findings = found(&base_config(), facts);
    assert_eq!(places(&findings), [("LF0711", "platform.aws.region")]);
    assert_names(message(&findings), &["`aws-cn`", "`aws`"]);
    nothing_is_said(&base_config(), Facts { partition: String::new(), ..base_facts() });
}
