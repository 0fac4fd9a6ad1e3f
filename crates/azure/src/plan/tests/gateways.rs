//! NAT gateways of zones, and subnets of compute machines where there are several.

use landfall_model::azure::config;

use super::*;

fn zoned(change: impl FnOnce(&mut Platform)) -> InstallConfig {
    with_platform(|platform| {
        "NATGatewayMultiZone".clone_into(&mut platform.outbound_type);
        change(platform);
    })
}

fn existing(platform: &mut Platform) {
    "net-rg".clone_into(&mut platform.network_resource_group_name);
    "vnet".clone_into(&mut platform.virtual_network);
    let subnet = |name: &str, role: &str| config::Subnet { name: name.to_owned(), role: role.to_owned() };
    platform.subnets = vec![
        subnet("masters", "control-plane"),
        subnet("second", "node"),
        subnet("first", "node"),
        subnet("third", "node"),
    ];
}

#[test]
fn each_zone_of_a_new_network_has_a_subnet_and_a_gateway() {
    for engine in [Engine::Terraform, Engine::Aso] {
        let catalogue = catalogue::Catalogue::embedded();
        let (plan, findings) = planned_for(engine, catalogue, &zoned(|_| {}), facts(), Source::Cloud);
        assert!(findings.iter().all(|finding| !finding.is_error()), "{findings:?}");
        assert!(plan.is_some(), "{engine:?}");
        let Some(plan) = plan else { continue };
        assert_eq!(plan.outbound_type, "NATGatewayMultiZone");
        let subnets: Vec<(&str, &str, String)> = plan
            .network
            .compute_subnets
            .iter()
            .map(|subnet| (subnet.name.as_str(), subnet.zone.as_str(), subnet.addresses.join(" ")))
            .collect();
        let first = ("demo-bcd24-worker-subnet", "1", "10.0.128.0/18".to_owned());
        let second = ("demo-bcd24-worker-subnet-2", "2", "10.0.192.0/18".to_owned());
        assert_eq!(subnets, [first, second]);
        let gateways = plan.network.nat_gateways.iter();
        let gateways: Vec<(&str, &str, &str)> = gateways
            .map(|gateway| (gateway.name.as_str(), gateway.zone.as_str(), gateway.subnet.as_str()))
            .collect();
        let first = ("demo-bcd24-natgw-1", "1", "demo-bcd24-worker-subnet");
        assert_eq!(gateways, [first, ("demo-bcd24-natgw-2", "2", "demo-bcd24-worker-subnet-2")]);
    }
}

#[test]
fn subnets_of_the_user_take_turns_in_the_zones() {
    let (plan, _) = planned_from(&zoned(existing), facts(), Source::Catalogue);
    let subnets = plan.map(|plan| plan.network.compute_subnets).unwrap_or_default();
    let subnets: Vec<(&str, &str)> =
        subnets.iter().map(|subnet| (subnet.name.as_str(), subnet.zone.as_str())).collect();
    assert_eq!(subnets, [("first", "1"), ("second", "2"), ("third", "1")]);
    let (plan, _) = planned_from(&with_platform(existing), facts(), Source::Catalogue);
    let network = plan.map(|plan| plan.network);
    let told = network.map(|network| (network.compute_subnets.len(), network.nat_gateways.len()));
    assert_eq!(told, Some((3, 0)));
}

#[test]
fn azure_service_operator_changes_no_subnet_of_the_user() {
    let catalogue = catalogue::Catalogue::embedded();
    let (_, findings) = planned_for(Engine::Aso, catalogue, &zoned(existing), facts(), Source::Catalogue);
    let refused = findings.iter().find(|finding| finding.code.as_str() == "LF0764");
    let field = refused.map(|finding| finding.field.clone());
    assert_eq!(field.as_deref(), Some("platform.azure.outboundType"));
}

#[test]
fn gateways_of_zones_need_zones() {
    let mut nowhere = facts();
    for size in nowhere.sizes.values_mut() {
        size.zones.clear();
    }
    let (_, findings) = planned(&zoned(|_| {}), nowhere);
    assert_eq!(places(&findings), [("LF0792", "platform.azure.outboundType")]);
    let mut config = zoned(|platform| {
        existing(platform);
        platform.subnets.truncate(2);
    });
    let pool_in = |zone: &str| Settings { zones: vec![zone.to_owned()], ..Settings::default() };
    let mut other = pool("other", 1);
    other.platform.azure = Some(pool_in("2"));
    if let Some(pool) = config.compute.first_mut() {
        pool.platform.azure = Some(pool_in("1"));
    }
    config.compute.push(other);
    let (_, findings) = planned_from(&config, facts(), Source::Catalogue);
    let told: Vec<&str> = findings
        .iter()
        .filter(|finding| finding.code.as_str() == "LF0792")
        .map(|finding| finding.field.as_str())
        .collect();
    assert_eq!(told, ["compute[1].platform.azure.zones"]);
}
