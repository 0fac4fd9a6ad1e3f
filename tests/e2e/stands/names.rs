//! The private zone, and the names of the API (`assets.md`, D.4).

use std::collections::BTreeMap;

use super::Made;
use crate::expected::{BASE_DOMAIN, DOMAIN};
use crate::listing::Resource;
use crate::xml::Node;

/// Records that every zone has.
const OWN: &[&str] = &["NS", "SOA"];

pub(super) fn stand(made: &Made<'_>) {
    let private = match made.given {
        Some((_, zone)) => made.all.get("zone", zone),
        None => made.new.named("zone", &made.name("int")),
    };
    assert_eq!(private.says("Name"), format!("{DOMAIN}."));
    assert_eq!(private.says("Config/PrivateZone"), "true");
    let networks = private.more[0].children().iter().map(|network| network.says("VPCId"));
    assert_eq!(networks.collect::<Vec<&str>>(), [made.vpc().as_str()]);
    let inside = made.new.named("load balancer", &made.name("int"));
    let api = |host: &str| format!("{host}.{DOMAIN}.");
    lead(made, private, &[(api("api"), inside), (api("api-int"), inside)]);

    let zones = made.all.of_kind("zone");
    let named = |zone: &&&Resource| zone.says("Name") == format!("{BASE_DOMAIN}.");
    let public = zones.iter().find(named).expect("the public zone is gone");
    lead(made, public, &[(api("api"), made.new.named("load balancer", &made.name("ext")))]);
}

/// The records of a zone lead to these load balancers, and there are no others.
fn lead(made: &Made<'_>, zone: &Resource, wanted: &[(String, &Resource)]) {
    let (kind, ttl) = made.wanted.record;
    let records = zone.more[1..].iter().filter(|record| !OWN.contains(&record.says("Type")));
    let mut found: BTreeMap<&str, &Node> = records.map(|record| (record.says("Name"), record)).collect();
    for (name, balancer) in wanted {
        let record = found.remove(name.as_str()).unwrap_or_else(|| panic!("there is no record {name}"));
        assert_eq!((record.says("Type"), record.says("TTL")), (kind, ttl), "{name}");
        let leads_to = if ttl.is_empty() {
            assert_eq!(record.says("AliasTarget/HostedZoneId"), balancer.says("CanonicalHostedZoneId"));
            assert_eq!(record.says("AliasTarget/EvaluateTargetHealth"), "false", "{name}");
            vec![record.says("AliasTarget/DNSName").to_owned()]
        } else {
            record.all("ResourceRecords", "Value")
        };
        let leads_to: Vec<&str> = leads_to.iter().map(|name| name.trim_end_matches('.')).collect();
        assert_eq!(leads_to, [balancer.says("DNSName")], "{name}");
    }
    assert!(found.is_empty(), "{found:?}");
}
