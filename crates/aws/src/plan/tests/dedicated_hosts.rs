use landfall_model::aws::config::{DedicatedHost, HostPlacement};
use landfall_model::aws::facts;
use landfall_model::aws::planned::Hosts;

use super::releases::of_release;
use super::*;

/// The first release that has the setting.
const RELEASE: &str = "4.22";
const HOST: &str = "h-0123456789abcdef0";

fn placed(zones: &[&str], hosts: &[&str]) -> InstallConfig {
    let mut config = base_config();
    let dedicated_host = hosts.iter().map(|id| DedicatedHost { id: (*id).to_owned() }).collect();
    let placement = HostPlacement { affinity: Some("DedicatedHost".to_owned()), dedicated_host };
    let settings = config::MachinePool {
        zones: owned(zones),
        host_placement: Some(placement),
        ..config::MachinePool::default()
    };
    if let Some(pool) = config.compute.first_mut() {
        pool.platform.aws = Some(settings);
    }
    config
}

fn host(id: &str, zone: &str) -> facts::DedicatedHost {
    facts::DedicatedHost { id: id.to_owned(), zone: zone.to_owned(), ..facts::DedicatedHost::default() }
}

fn with_host() -> Facts {
    Facts { dedicated_hosts: vec![host(HOST, "us-east-1b")], ..base_facts() }
}

fn found_here(config: &InstallConfig, facts: Facts) -> Vec<Finding> {
    found_for(RELEASE, config, facts, Source::Cloud)
}

fn nothing_is_found(config: &InstallConfig, facts: Facts) {
    let findings = found_here(config, facts);
    assert!(findings.is_empty(), "{findings:?}");
}

#[test]
fn hosts_are_in_the_zones_of_their_pool() {
    const FIELD: &str = "compute[0].platform.aws.hostPlacement.dedicatedHost[0].id";
    nothing_is_found(&placed(&["us-east-1b"], &[HOST]), with_host());
    let elsewhere = found_here(&placed(&["us-east-1a"], &[HOST]), with_host());
    assert_eq!(places(&elsewhere), [("LF0734", FIELD)]);
    assert_names(message(&elsewhere), &[HOST, "us-east-1b", "us-east-1a"]);
    let missing = found_here(&placed(&["us-east-1b"], &[HOST]), base_facts());
    assert_eq!(places(&missing), [("LF0734", FIELD)]);
    // If the cloud was not asked, the zone of the host is unknown.
    let offline = found_for(RELEASE, &placed(&["us-east-1b"], &[HOST]), base_facts(), Source::Catalogue);
    assert!(offline.iter().any(|finding| finding.code.as_str() == "LF0734"));
}

#[test]
fn a_zone_has_one_host_of_no_other_cluster() {
    const SECOND: &str = "h-0fedcba9876543210";
    const FIELD: &str = "compute[0].platform.aws.hostPlacement.dedicatedHost";
    let mut facts = with_host();
    facts.dedicated_hosts.push(host(SECOND, "us-east-1b"));
    let both = placed(&["us-east-1b"], &[HOST, SECOND]);
    let findings = found_here(&both, facts.clone());
    assert_eq!(places(&findings), [("LF0734", &*format!("{FIELD}[1].id"))]);
    assert_names(message(&findings), &[HOST, SECOND, "us-east-1b"]);
    if let Some(host) = facts.dedicated_hosts.first_mut() {
        host.owners = owned(&["demo-bcd24", "other-x9k2p"]);
    }
    let findings = found_here(&placed(&["us-east-1b"], &[HOST]), facts.clone());
    assert_eq!(places(&findings), [("LF0734", &*format!("{FIELD}[0].id"))]);
    assert_names(message(&findings), &[HOST, "other-x9k2p"]);
    if let Some(host) = facts.dedicated_hosts.first_mut() {
        host.owners.pop();
    }
    nothing_is_found(&placed(&["us-east-1b"], &[HOST]), facts);
}

#[test]
fn a_zone_without_a_host_is_said() {
    let findings = found_here(&placed(&["us-east-1a", "us-east-1b"], &[HOST]), with_host());
    assert_eq!(places(&findings), [("LF0735", "compute[0].platform.aws.hostPlacement.dedicatedHost")]);
    assert_eq!(findings.first().map(|finding| finding.severity), Some(Severity::Warning));
    assert_names(message(&findings), &["us-east-1a"]);
}

#[test]
fn a_pool_without_zones_has_those_of_its_hosts() {
    let facts = landfall_model::facts::Facts {
        source: Source::Cloud,
        aws: Some(with_host()),
        ..landfall_model::facts::Facts::default()
    };
    let config = placed(&[], &[HOST]);
    let identity = &Identity { infra_id: "demo-bcd24".to_owned(), cluster_id: String::new() };
    let case = Case {
        config: &config,
        given: &config,
        facts: &facts,
        catalogue: Catalogue::embedded(),
        release: RELEASE,
        identity,
        installed: false,
        own_records: &[],
        engine: Engine::default(),
    };
    let aws = plan(&case, &mut Findings::default()).and_then(|planned| planned.aws);
    let pool = aws.and_then(|aws| aws.compute.into_iter().next());
    let hosts = Hosts::ByZone([("us-east-1b".to_owned(), HOST.to_owned())].into());
    assert_eq!(pool.map(|pool| (pool.zones, pool.hosts)), Some((owned(&["us-east-1b"]), Some(hosts))));
}

#[test]
fn an_older_release_does_not_have_it() {
    let before = of_release([4, 21], &placed(&["us-east-1b"], &[HOST]));
    assert_eq!(places(&before), [("LF0736", "compute[0].platform.aws.hostPlacement")]);
}
