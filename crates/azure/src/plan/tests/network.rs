//! The room in a new network, the zones of its pools, and facts of another cloud.

use super::*;

fn in_network(prefix: u8, workers: i64) -> InstallConfig {
    let mut config = config();
    let machine_network = vec![MachineNetwork { cidr: Network::known([10, 0, 0, 0], prefix) }];
    config.networking = Some(Networking { machine_network, ..Networking::default() });
    config.compute = vec![pool("worker", workers)];
    config
}

#[test]
fn a_new_network_has_addresses_for_the_machines() {
    // Azure keeps five addresses of each subnet.
    let findings = found(&in_network(28, 2), answers());
    assert_eq!(places(&findings), [("LF0763", "networking.machineNetwork[0].cidr")]);
    assert_names(message(&findings), &["control plane", "3 usable", "needs 5"]);
    assert!(found(&in_network(27, 11), answers()).is_empty());
    let findings = found(&in_network(27, 12), answers());
    assert_eq!(places(&findings), [("LF0763", "networking.machineNetwork[0].cidr")]);
    assert_names(message(&findings), &["compute", "11 usable", "needs 12"]);
}

#[test]
fn subnets_of_zones_lose_addresses_each() {
    let mut config = in_network(26, 23);
    if let Some(platform) = &mut config.platform.azure {
        NAT_GATEWAYS.clone_into(&mut platform.outbound_type);
    }
    // Two zones have two subnets of 16 addresses.
    let findings = found(&config, answers());
    assert_eq!(places(&findings), [("LF0763", "networking.machineNetwork[0].cidr")]);
    assert_names(message(&findings), &["22 usable", "needs 23"]);
    config.compute = vec![pool("worker", 22)];
    assert!(found(&config, answers()).is_empty());
}

#[test]
fn a_zone_that_a_compute_pool_names_twice_is_one_zone() {
    let mut config = config();
    let zones = ["2", "1", "2"].map(str::to_owned).to_vec();
    if let Some(pool) = config.compute.first_mut() {
        pool.platform.azure = Some(Settings { zones, ..Settings::default() });
    }
    let (plan, findings) = planned(&config, answers());
    assert!(findings.is_empty(), "{findings:?}");
    let zones = plan.and_then(|plan| Some(plan.compute.first()?.zones.join(" ")));
    assert_eq!(zones.as_deref(), Some("2 1"));
}

#[test]
fn facts_of_another_cloud_are_told_once() {
    let config = config();
    let aws = Some(landfall_model::aws::facts::Facts::default());
    let facts = landfall_model::facts::Facts { aws, ..landfall_model::facts::Facts::default() };
    let identity = Identity { infra_id: "demo-bcd24".to_owned(), cluster_id: String::new() };
    let case = Case {
        config: &config,
        given: &config,
        facts: &facts,
        catalogue: catalogue::Catalogue::embedded(),
        release: "4.14",
        identity: &identity,
        installed: false,
        own_records: &[],
        engine: Engine::default(),
    };
    let mut out = Findings::default();
    assert!(plan(&case, &mut out).is_none());
    let findings = out.into_vec();
    assert_eq!(places(&findings), [("LF0752", "platform.azure.region")]);
    assert_names(message(&findings), &["`aws`", "`azure`"]);
}
