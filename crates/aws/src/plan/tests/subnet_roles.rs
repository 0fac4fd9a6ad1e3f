use landfall_model::aws::planned::{Network, SubnetRoles};
use landfall_model::plan::Platforms;

use super::releases::of_release;
use super::*;

/// The first release that has the setting.
const RELEASE: &str = "4.19";
const NODES: &str = "subnet-0nodes";
const BALANCER: &str = "subnet-0balancer";
const OUTSIDE: &str = "subnet-0outside";
const INGRESS: &str = "subnet-0ingress";

/// A config in which every role has a subnet of its own, but for the bootstrap machine.
fn roles() -> InstallConfig {
    let mut config = base_config();
    let subnets = [
        (NODES, vec!["ClusterNode"]),
        (BALANCER, vec!["ControlPlaneInternalLB"]),
        (OUTSIDE, vec!["ControlPlaneExternalLB", "BootstrapNode"]),
        (INGRESS, vec!["IngressControllerLB"]),
    ];
    give(&mut config, &subnets);
    config
}

fn give(config: &mut InstallConfig, subnets: &[(&str, Vec<&str>)]) {
    let Some(platform) = &mut config.platform.aws else { return };
    let role = |kind: &&str| config::SubnetRole { kind: (*kind).to_owned() };
    let subnet = |(id, roles): &(&str, Vec<&str>)| config::Subnet {
        id: (*id).to_owned(),
        roles: roles.iter().map(role).collect(),
    };
    platform.vpc.subnets = subnets.iter().map(subnet).collect();
}

fn subnet(id: &str, number: u8, public: bool) -> Subnet {
    Subnet {
        id: id.to_owned(),
        zone: "us-east-1a".to_owned(),
        zone_type: AVAILABILITY_ZONE.to_owned(),
        cidr: format!("10.0.{number}.0/24"),
        vpc: "vpc-1".to_owned(),
        public,
        ..Subnet::default()
    }
}

fn facts() -> Facts {
    let subnets = vec![
        subnet(NODES, 0, false),
        subnet(BALANCER, 1, false),
        subnet(OUTSIDE, 2, true),
        subnet(INGRESS, 3, true),
    ];
    Facts { vpc: "vpc-1".to_owned(), subnets, ..base_facts() }
}

/// The facts with a change to one subnet.
fn changed(id: &str, change: impl Fn(&mut Subnet)) -> Facts {
    let mut facts = facts();
    facts.subnets.iter_mut().filter(|subnet| subnet.id == id).for_each(change);
    facts
}

fn planned(config: &InstallConfig) -> Platforms {
    planned_with(Catalogue::embedded(), RELEASE, config, facts(), Source::Cloud, false).0.unwrap_or_default()
}

fn found_here(config: &InstallConfig, facts: Facts) -> Vec<Finding> {
    found_for(RELEASE, config, facts, Source::Cloud)
}

fn nothing_is_found(config: &InstallConfig, facts: Facts) {
    let findings = found_here(config, facts);
    assert!(findings.is_empty(), "{findings:?}");
}

#[test]
fn every_subnet_is_used_for_its_roles() {
    nothing_is_found(&roles(), facts());
    let planned = planned(&roles());
    let network = planned.aws.map(|aws| aws.network);
    let zone = |id: &str| [("us-east-1a".to_owned(), id.to_owned())].into();
    let wanted = Network::Existing {
        vpc: "vpc-1".to_owned(),
        private: zone(NODES),
        public: zone(OUTSIDE),
        edge: [].into(),
        roles: Some(SubnetRoles {
            internal_balancer: zone(BALANCER),
            bootstrap: zone(OUTSIDE),
            ingress: owned(&[INGRESS]),
        }),
    };
    assert_eq!(network.as_ref(), Some(&wanted));
    let all: Vec<&String> = wanted.existing_subnets().into_iter().collect();
    assert_eq!(all, [BALANCER, INGRESS, NODES, OUTSIDE]);
}

#[test]
fn subnets_fit_their_roles() {
    let field = |i: usize| format!("platform.aws.vpc.subnets[{i}].id");
    for (i, id) in [NODES, BALANCER, OUTSIDE, INGRESS].into_iter().enumerate() {
        let findings = found_here(&roles(), changed(id, |subnet| subnet.public = !subnet.public));
        let unfit: Vec<&Finding> =
            findings.iter().filter(|finding| finding.code.as_str() == "LF0732").collect();
        assert!(!unfit.is_empty() && unfit.iter().all(|finding| finding.field == field(i)), "{findings:?}");
    }
    // Neither do they in a local zone, where only edge machines are.
    let local = changed(BALANCER, |subnet| {
        subnet.zone = "us-east-1-nyc-1a".to_owned();
        subnet.zone_type = "local-zone".to_owned();
    });
    assert!(places(&found_here(&roles(), local)).contains(&("LF0732", field(1).as_str())));
}

#[test]
fn load_balancers_are_in_the_zones_of_the_nodes() {
    let elsewhere = changed(INGRESS, |subnet| subnet.zone = "us-east-1b".to_owned());
    let findings = found_here(&roles(), elsewhere);
    assert_eq!(places(&findings), [("LF0733", "platform.aws.vpc.subnets")]);
    assert!(message(&findings).contains("us-east-1a") && message(&findings).contains("IngressControllerLB"));
}

#[test]
fn a_role_has_one_subnet_in_a_zone() {
    let mut config = roles();
    let more = [
        (NODES, vec!["ClusterNode", "ControlPlaneInternalLB"]),
        (BALANCER, vec!["ClusterNode"]),
        (OUTSIDE, vec!["ControlPlaneExternalLB", "BootstrapNode"]),
        (INGRESS, vec!["IngressControllerLB"]),
    ];
    give(&mut config, &more);
    let findings = found_here(&config, facts());
    assert_eq!(places(&findings), [("LF0713", "platform.aws.vpc.subnets")]);
    assert_names(message(&findings), &["ClusterNode", NODES, BALANCER]);
}

#[test]
fn an_older_release_does_not_have_it() {
    let before = of_release([4, 18], &roles());
    assert_eq!(places(&before), [("LF0736", "platform.aws.vpc.subnets[0].roles")]);
}
