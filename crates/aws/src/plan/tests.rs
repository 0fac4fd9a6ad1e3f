//! What planning finds where the config and the cloud do not fit together.

mod accepted;
mod cloud_profile;
mod dedicated_hosts;
mod dual_stack;
mod edge_pools;
mod existing_vpc;
mod images;
mod instance_types;
mod machine_network;
mod records;
mod releases;
mod security_groups;
mod subnet_roles;
mod user_dns;

use landfall_diagnostics::secret::SecretUrl;
use landfall_diagnostics::{Finding, Findings, Severity};
use landfall_model::aws::config;
use landfall_model::aws::facts::{
    AVAILABILITY_ZONE, Caller, Facts, HostedZone, InstanceType, SecurityGroup, Subnet, Zone,
};
use landfall_model::catalogue::Catalogue;
use landfall_model::config::{InstallConfig, MachineNetwork, MachinePool, Network, Networking};
use landfall_model::facts::Source;
use landfall_model::plan::{Case, Engine, Identity, Platforms};
use landfall_testing::assert_names;

use super::plan;

const REGION: &str = "us-east-1";
const PRIVATE: &str = "subnet-0private";
const PUBLIC: &str = "subnet-0public";

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn pool(name: &str, replicas: i64) -> MachinePool {
    let (name, architecture) = (name.to_owned(), "amd64".to_owned());
    MachinePool { name, architecture, replicas: Some(replicas), ..MachinePool::default() }
}

/// A config of which the base facts leave nothing to say.
fn base_config() -> InstallConfig {
    let mut config = InstallConfig { base_domain: "example.com".to_owned(), ..InstallConfig::default() };
    config.metadata.name = "demo".to_owned();
    config.platform.aws = Some(config::Platform { region: REGION.to_owned(), ..config::Platform::default() });
    let machine_network = vec![MachineNetwork { cidr: Network::known([10, 0, 0, 0], 16) }];
    config.networking = Some(Networking { machine_network, ..Networking::default() });
    config.control_plane = Some(pool("master", 3));
    config.compute = vec![pool("worker", 2)];
    config
}

/// The config with settings for the control plane.
fn with_settings(settings: config::MachinePool) -> InstallConfig {
    let mut config = base_config();
    if let Some(pool) = &mut config.control_plane {
        pool.platform.aws = Some(settings);
    }
    config
}

fn zone(name: &str, kind: &str) -> Zone {
    let not_opted_in = kind != AVAILABILITY_ZONE;
    let group = if not_opted_in { "us-east-1-nyc-1" } else { REGION };
    let [name, kind, group] = [name, kind, group].map(str::to_owned);
    Zone { name, kind, group, parent: String::new(), not_opted_in }
}

fn offer(architecture: &str) -> InstanceType {
    InstanceType {
        zones: owned(&["us-east-1a", "us-east-1b"]),
        vcpus: 4,
        memory_mib: 16_384,
        architectures: owned(&[architecture]),
        ..InstanceType::default()
    }
}

fn hosted_zone(id: &str, name: &str) -> HostedZone {
    HostedZone { id: id.to_owned(), name: name.to_owned(), ..HostedZone::default() }
}

/// What the cloud answers where all is well.
fn base_facts() -> Facts {
    let types = [("m6i.xlarge", "amd64"), ("m5.xlarge", "amd64"), ("m6g.xlarge", "arm64")];
    Facts {
        region: REGION.to_owned(),
        partition: "aws".to_owned(),
        opt_in: "opt-in-not-required".to_owned(),
        caller: Some(Caller { account: "123456789012".to_owned(), ..Caller::default() }),
        zones: vec![
            zone("us-east-1a", AVAILABILITY_ZONE),
            zone("us-east-1b", AVAILABILITY_ZONE),
            zone("us-east-1-nyc-1a", "local-zone"),
        ],
        instance_types: types.map(|(name, kind)| (name.to_owned(), offer(kind))).into(),
        public_zone: Some(hosted_zone("Z0PUBLIC", "example.com")),
        ..Facts::default()
    }
}

/// A config in an existing network.
fn existing_config() -> InstallConfig {
    let mut config = base_config();
    if let Some(platform) = &mut config.platform.aws {
        let subnet = |id: &str| config::Subnet { id: id.to_owned(), ..config::Subnet::default() };
        platform.vpc.subnets = vec![subnet(PRIVATE), subnet(PUBLIC)];
    }
    config
}

/// What the cloud answers of that network where all is well.
fn existing_facts() -> Facts {
    let subnet = |id: &str, cidr: &str, public: bool| Subnet {
        id: id.to_owned(),
        zone: "us-east-1a".to_owned(),
        zone_type: AVAILABILITY_ZONE.to_owned(),
        cidr: cidr.to_owned(),
        vpc: "vpc-1".to_owned(),
        public,
        ..Subnet::default()
    };
    Facts {
        vpc: "vpc-1".to_owned(),
        subnets: vec![subnet(PRIVATE, "10.0.0.0/24", false), subnet(PUBLIC, "10.0.1.0/24", true)],
        ..base_facts()
    }
}

fn found_in(config: &InstallConfig, facts: Facts, source: Source) -> Vec<Finding> {
    found_of(config, facts, source, false)
}

/// What is found of a cluster whose infrastructure may stand already, or not.
fn found_of(config: &InstallConfig, facts: Facts, source: Source, installed: bool) -> Vec<Finding> {
    found_by(Catalogue::embedded(), config, facts, source, installed)
}

/// What is found of the same with a release.
fn found_for(release: &str, config: &InstallConfig, facts: Facts, source: Source) -> Vec<Finding> {
    planned_with(Catalogue::embedded(), release, config, facts, source, false).1
}

fn found_by(
    catalogue: &Catalogue,
    config: &InstallConfig,
    facts: Facts,
    source: Source,
    installed: bool,
) -> Vec<Finding> {
    planned_with(catalogue, "4.14", config, facts, source, installed).1
}

/// The plan, and what is found.
fn planned_with(
    catalogue: &Catalogue,
    release: &str,
    config: &InstallConfig,
    facts: Facts,
    source: Source,
    installed: bool,
) -> (Option<Platforms>, Vec<Finding>) {
    let facts =
        landfall_model::facts::Facts { source, aws: Some(facts), ..landfall_model::facts::Facts::default() };
    let identity = &Identity { infra_id: "demo-bcd24".to_owned(), cluster_id: String::new() };
    let case = Case {
        config,
        given: config,
        facts: &facts,
        catalogue,
        release,
        identity,
        installed,
        own_records: &[],
        engine: Engine::default(),
    };
    let mut out = Findings::default();
    let planned = plan(&case, &mut out);
    let errors = out.errors();
    let findings = out.into_vec();
    assert!(planned.is_some() || errors > 0, "no plan, and no reason");
    (planned, findings)
}

fn found(config: &InstallConfig, facts: Facts) -> Vec<Finding> {
    found_in(config, facts, Source::Cloud)
}

fn nothing_is_said(config: &InstallConfig, facts: Facts) {
    let findings = found(config, facts);
    assert!(findings.is_empty(), "{findings:?}");
}

/// Codes and fields.
fn places(findings: &[Finding]) -> Vec<(&str, &str)> {
    findings.iter().map(|finding| (finding.code.as_str(), finding.field.as_str())).collect()
}

fn help(findings: &[Finding]) -> &str {
    findings.first().and_then(|finding| finding.help.as_deref()).unwrap_or_default()
}

fn message(findings: &[Finding]) -> &str {
    findings.first().map(|finding| finding.message.as_str()).unwrap_or_default()
}

/// Whether a code is found of facts that say less.
fn is_said(code: &str, config: &InstallConfig, facts: Facts, source: Source) -> bool {
    found_in(config, facts, source).iter().any(|finding| finding.code.as_str() == code)
}

/// Nothing is said of what is missing where the catalogue alone was asked, or nobody knows who asked.
fn is_for_the_cloud_only(code: &str, config: &InstallConfig, facts: &Facts) {
    assert!(is_said(code, config, facts.clone(), Source::Cloud), "{code}");
    assert!(!is_said(code, config, facts.clone(), Source::Catalogue), "{code}");
    let by_hand = Facts { caller: None, ..facts.clone() };
    assert!(!is_said(code, config, by_hand, Source::Cloud), "{code}");
}

#[test]
fn what_fits_is_not_spoken_of() {
    nothing_is_said(&base_config(), base_facts());
    nothing_is_said(&existing_config(), existing_facts());
}

#[test]
fn zones_are_those_of_the_account() {
    let zones = owned(&["us-east-1a", "us-east-1z"]);
    let config = with_settings(config::MachinePool { zones, ..config::MachinePool::default() });
    let findings = found(&config, base_facts());
    assert_eq!(places(&findings), [("LF0717", "controlPlane.platform.aws.zones[1]")]);
    assert_names(help(&findings), &["us-east-1a, us-east-1b"]);
    is_for_the_cloud_only("LF0717", &config, &base_facts());
    let unknown = Facts { zones: Vec::new(), ..base_facts() };
    assert!(!is_said("LF0717", &config, unknown, Source::Cloud));
}

#[test]
fn endpoints_that_no_cluster_can_use_are_refused() {
    let mut config = base_config();
    let endpoint = |name: &str, url: &str| config::ServiceEndpoint {
        name: name.to_owned(),
        url: SecretUrl::new(url.to_owned()),
    };
    if let Some(platform) = &mut config.platform.aws {
        platform.service_endpoints = vec![
            endpoint("EC2", "https://ec2.example.com"),
            endpoint("s3", "https://s3.example.com:99999"),
            endpoint("elb", "https://elb.example.com"),
        ];
    }
    let findings = found(&config, base_facts());
    let at = places(&findings);
    let wanted = [
        ("LF0423", "platform.aws.serviceEndpoints[0].name"),
        ("LF0424", "platform.aws.serviceEndpoints[1].url"),
    ];
    assert_eq!(at, wanted);
    assert!(findings.iter().all(|finding| finding.severity == Severity::Error));
    assert_names(help(&findings), &["ec2"]);
}

#[test]
fn local_zones_need_an_account_that_opted_in() {
    let mut config = base_config();
    let mut edge = pool("edge", 1);
    let zones = owned(&["us-east-1-nyc-1a"]);
    edge.platform.aws = Some(config::MachinePool {
        zones,
        instance_type: "m6i.xlarge".to_owned(),
        ..config::MachinePool::default()
    });
    config.compute.push(edge);
    let mut facts = base_facts();
    if let Some(offer) = facts.instance_types.get_mut("m6i.xlarge") {
        offer.zones.push("us-east-1-nyc-1a".to_owned());
    }
    let findings = found(&config, facts.clone());
    assert_eq!(places(&findings), [("LF0717", "compute[1].platform.aws.zones[0]")]);
    assert!(help(&findings).contains(" us-east-1-nyc-1"), "{}", help(&findings));
    for zone in &mut facts.zones {
        zone.not_opted_in = false;
    }
    nothing_is_said(&config, facts);
}

#[test]
fn subnets_are_in_one_network() {
    let mut facts = existing_facts();
    if let Some(subnet) = facts.subnets.last_mut() {
        subnet.vpc = "vpc-2".to_owned();
    }
    let findings = found(&existing_config(), facts);
    assert_eq!(places(&findings), [("LF0720", "platform.aws.vpc.subnets[1].id")]);
    assert_names(message(&findings), &["vpc-2"]);
}

#[test]
fn subnets_lie_in_the_machine_networks() {
    let mut facts = existing_facts();
    if let Some(subnet) = facts.subnets.first_mut() {
        subnet.cidr = "10.1.0.0/24".to_owned();
    }
    let findings = found(&existing_config(), facts.clone());
    assert_eq!(places(&findings), [("LF0721", "platform.aws.vpc.subnets[0].id")]);
    assert!(message(&findings).contains("10.0.0.0/16"), "{}", message(&findings));
    if let Some(subnet) = facts.subnets.first_mut() {
        subnet.cidr.clear();
    }
    // Whoever writes facts by hand may leave the addresses out.
    let by_hand = Facts { caller: None, ..facts.clone() };
    nothing_is_said(&existing_config(), by_hand.clone());
    let ipv6 = "2600:1f18:0:1::/64".to_owned();
    let mut with_ipv6 = by_hand;
    for subnet in &mut with_ipv6.subnets {
        subnet.ipv6_cidr.clone_from(&ipv6);
    }
    for facts in [facts, with_ipv6] {
        let findings = found(&existing_config(), facts);
        assert_eq!(places(&findings), [("LF0721", "platform.aws.vpc.subnets[0].id")]);
        assert_names(message(&findings), &[PRIVATE, "IPv4"]);
    }
}

#[test]
fn one_subnet_is_private() {
    let mut facts = existing_facts();
    for (subnet, zone) in facts.subnets.iter_mut().zip(["us-east-1a", "us-east-1b"]) {
        subnet.public = true;
        zone.clone_into(&mut subnet.zone);
    }
    let findings = found(&existing_config(), facts.clone());
    assert_eq!(places(&findings), [("LF0722", "platform.aws.vpc.subnets")]);
    facts.subnets.pop();
    assert!(!is_said("LF0722", &existing_config(), facts, Source::Cloud));
}

#[test]
fn subnets_belong_to_no_other_cluster() {
    let mut facts = existing_facts();
    for (subnet, owner) in facts.subnets.iter_mut().zip(["demo-bcd24", "other-x9k2p"]) {
        subnet.owners = owned(&[owner]);
    }
    let findings = found(&existing_config(), facts);
    assert_eq!(places(&findings), [("LF0723", "platform.aws.vpc.subnets[1].id")]);
    assert_names(message(&findings), &["other-x9k2p"]);
}

#[test]
fn a_missing_subnet_is_missing_in_the_account() {
    let mut facts = existing_facts();
    facts.subnets.pop();
    let findings = found(&existing_config(), facts);
    assert_eq!(places(&findings).first(), Some(&("LF0707", "platform.aws.vpc.subnets[1].id")));
    assert_names(message(&findings), &["`subnet-0public`", "`us-east-1`"]);
}

/// The config in an existing network with a private zone.
fn with_hosted_zone() -> InstallConfig {
    let mut config = existing_config();
    if let Some(platform) = &mut config.platform.aws {
        platform.hosted_zone = "Z0PRIVATE".to_owned();
    }
    config
}

fn with_private_zone(name: &str, vpcs: &[&str], records: &[&str]) -> Facts {
    let zone = HostedZone { vpcs: owned(vpcs), records: owned(records), ..hosted_zone("Z0PRIVATE", name) };
    Facts { private_zone: Some(zone), ..existing_facts() }
}

#[test]
fn a_hosted_zone_serves_the_cluster() {
    let config = with_hosted_zone();
    let found = |facts: Facts| found(&config, facts);
    let at = "platform.aws.hostedZone";
    nothing_is_said(&config, with_private_zone("demo.example.com", &["vpc-2", "vpc-1"], &[]));
    nothing_is_said(&config, with_private_zone("example.com", &["vpc-1"], &[]));
    let missing = found(existing_facts());
    assert_eq!(places(&missing), [("LF0724", at)]);
    let without_role = help(&missing).to_owned();
    assert_names(&without_role, &["hostedZoneRole"]);
    is_for_the_cloud_only("LF0724", &config, &existing_facts());
    let mut with_role = config.clone();
    if let Some(platform) = &mut with_role.platform.aws {
        platform.hosted_zone_role = "arn:aws:iam::123456789012:role/dns".to_owned();
    }
    let missing = found_in(&with_role, existing_facts(), Source::Cloud);
    assert_eq!(places(&missing), [("LF0724", at)]);
    assert_ne!(help(&missing), without_role);
    let elsewhere = found(with_private_zone("demo.example.com", &["vpc-2"], &[]));
    assert_eq!(places(&elsewhere), [("LF0724", at)]);
    assert_names(message(&elsewhere), &["vpc-2"]);
    let public = found(with_private_zone("demo.example.com", &[], &[]));
    assert_eq!(places(&public), [("LF0724", at)]);
    assert_names(message(&public), &["public"]);
    let other = found(with_private_zone("other.example.com", &["vpc-1"], &[]));
    assert_eq!(places(&other), [("LF0724", at)]);
    assert!(message(&other).contains("demo.example.com"), "{}", message(&other));
}

#[test]
fn a_cluster_for_all_has_a_public_zone() {
    let facts = Facts { public_zone: None, ..base_facts() };
    assert_eq!(places(&found(&base_config(), facts.clone())), [("LF0727", "baseDomain")]);
    is_for_the_cloud_only("LF0727", &base_config(), &facts);
    let offline = found_in(&base_config(), facts.clone(), Source::Catalogue);
    assert_eq!(places(&offline), [("LF0710", "baseDomain")]);
    assert!(!offline.iter().any(Finding::is_error));
    assert_names(help(&offline), &["--offline", "--facts"]);
    let by_hand = found(&base_config(), Facts { caller: None, ..facts.clone() });
    assert_names(help(&by_hand), &["--facts"]);
    let internal = InstallConfig { publish: "Internal".to_owned(), ..base_config() };
    nothing_is_said(&internal, facts);
}

#[test]
fn the_region_is_enabled() {
    let facts = Facts { opt_in: "not-opted-in".to_owned(), ..base_facts() };
    assert_eq!(places(&found(&base_config(), facts.clone())), [("LF0729", "platform.aws.region")]);
    is_for_the_cloud_only("LF0729", &base_config(), &facts);
}

#[test]
fn an_unknown_region_is_told_with_what_the_cloud_says_of_it() {
    let mut config = base_config();
    if let Some(platform) = &mut config.platform.aws {
        platform.region = "xx-hidden-1".to_owned();
    }
    let of = |opt_in: &str, zones: Vec<Zone>| {
        let region = "xx-hidden-1".to_owned();
        let facts = Facts { region, opt_in: opt_in.to_owned(), zones, ..base_facts() };
        let findings = found(&config, facts);
        let endpoint = findings.into_iter().find(|finding| finding.code.as_str() == "LF0422");
        endpoint.map(|finding| finding.message).unwrap_or_default()
    };
    let zones = vec![zone("xx-hidden-1a", AVAILABILITY_ZONE)];
    let listed = of("opted-in", zones.clone());
    assert_names(&listed, &["`xx-hidden-1`", " opted-in"]);
    let (unlisted, unknown) = (of("", zones), of("", Vec::new()));
    for message in [&unlisted, &unknown] {
        assert_names(message, &["`xx-hidden-1`"]);
        assert!(!message.contains("opted-in"), "{message}");
    }
    assert_ne!(unlisted, unknown);
}

#[test]
fn findings_of_the_account_read_as_they_are_kept() {
    let existing = |change: fn(&mut Facts)| {
        let mut facts = existing_facts();
        change(&mut facts);
        (existing_config(), facts)
    };
    let zones = owned(&["us-east-1a", "us-east-1z"]);
    let elsewhere = with_settings(config::MachinePool { zones, ..config::MachinePool::default() });
    let left = ["api.demo.example.com A", "*.apps.demo.example.com A"];
    let mut used = base_facts();
    if let Some(zone) = &mut used.public_zone {
        zone.records = owned(&left);
    }
    let cases = vec![
        (elsewhere, base_facts()),
        existing(|facts| facts.subnets.iter_mut().skip(1).for_each(|subnet| subnet.vpc = "vpc-2".to_owned())),
        existing(|facts| facts.subnets.iter_mut().take(1).for_each(|s| s.cidr = "10.1.0.0/24".to_owned())),
        existing(|facts| {
            for (subnet, zone) in facts.subnets.iter_mut().zip(["us-east-1a", "us-east-1b"]) {
                subnet.public = true;
                zone.clone_into(&mut subnet.zone);
            }
        }),
        existing(|facts| facts.subnets.iter_mut().for_each(|subnet| subnet.owners = owned(&["other-x9k2p"]))),
        existing(|facts| facts.subnets.truncate(1)),
        (with_hosted_zone(), existing_facts()),
        (with_hosted_zone(), with_private_zone("demo.example.com", &["vpc-2"], &[])),
        (with_hosted_zone(), with_private_zone("demo.example.com", &[], &[])),
        (with_hosted_zone(), with_private_zone("other.example.com", &["vpc-1"], &[])),
        (with_hosted_zone(), with_private_zone("demo.example.com", &["vpc-1"], &left)),
        (base_config(), used),
        (base_config(), Facts { public_zone: None, ..base_facts() }),
        (base_config(), Facts { opt_in: "not-opted-in".to_owned(), ..base_facts() }),
    ];
    let findings = cases.into_iter().flat_map(|(config, facts)| found(&config, facts));
    landfall_testing::assert_findings("aws-plan", &findings.collect::<Vec<_>>());
}
