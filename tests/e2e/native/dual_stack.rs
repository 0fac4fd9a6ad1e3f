//! Clusters whose machines have IPv4 and IPv6 addresses.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::difference::{Exception, same_with_both, same_with_both_but};
use crate::installation::Installation;
use crate::listing::{Listing, Resource};

/// The first release that has the setting.
const RELEASE: &str = "4.22";

pub fn installation(family: &'static str) -> Installation {
    let platform = format!(
        "    ipFamily: {family}\n    defaultMachinePlatform:\n      zones: [us-east-1a, us-east-1b]\n"
    );
    Installation::prepare_edited(
        RELEASE,
        "us-east-1",
        Vec::new(),
        |_| platform,
        |text| {
            let mut services = ["172.30.0.0/16", "fd02::/112"];
            let mut pods = ["{cidr: 10.128.0.0/14, hostPrefix: 23}", "{cidr: 'fd01::/48', hostPrefix: 64}"];
            if family == "DualStackIPv6Primary" {
                services.reverse();
                pods.reverse();
            }
            let [services, pods] = [services.join(", "), pods.join(", ")];
            assert!(text.contains("networking:\n"), "{text}");
            let more = format!("networking:\n  clusterNetwork: [{pods}]\n  serviceNetwork: [{services}]\n");
            text.replace("networking:\n", &more) + "featureSet: TechPreviewNoUpgrade\n"
        },
    )
}

fn text(resource: &Resource) -> String {
    format!("{resource:?}")
}

#[test]
#[ignore = "needs moto"]
fn both_families_are_created_once_and_removed() {
    let installation = installation("DualStackIPv4Primary");
    let cloud = installation.cloud();
    let before = Listing::of(cloud);
    let said = installation.create_native(super::difference::IDENTITY);
    let all = Listing::of(cloud);
    let new = all.since(&before);
    assert_eq!(new.counts().get("egress-only gateway"), Some(&1));
    let balancers = new.of_kind("load balancer");
    assert!(balancers.iter().all(|balancer| balancer.says("IpAddressType") == "dualstack"));
    let groups = new.of_kind("target group");
    assert!(groups.len() == 3 && groups.iter().all(|group| group.says("IpAddressType") != "ipv6"));
    // Two zones: public and private subnets, each with a /64 of its own.
    let parts: std::collections::BTreeSet<String> = new
        .of_kind("subnet")
        .iter()
        .map(|subnet| {
            subnet.node.find("ipv6CidrBlockAssociationSet").at("item").says("ipv6CidrBlock").to_owned()
        })
        .collect();
    assert!(parts.len() == 4 && parts.iter().all(|part| part.ends_with("::/64")), "{parts:?}");
    let machines = new.of_kind("machine");
    assert_eq!(machines.len(), 4);
    let with_both = machines.iter().filter(|machine| text(machine).contains("ipv6Address"));
    assert!(with_both.count() >= 3, "{machines:?}");
    let zones = all.of_kind("zone");
    let records = zones.iter().flat_map(|zone| &zone.more).filter(|record| record.says("Type") == "AAAA");
    let mut names: Vec<&str> = records.map(|record| record.says("Name")).collect();
    names.sort_unstable();
    assert_eq!(names, ["api-int.demo.example.com.", "api.demo.example.com.", "api.demo.example.com."]);

    // The bootstrap machine is told of the addresses that AWS has chosen.
    let ignition: Value = serde_json::from_str(&cloud.store("/demo-x7k2p-bootstrap/bootstrap.ign")).unwrap();
    let files = ignition["storage"]["files"].as_array().unwrap();
    let config = files.iter().find(|file| file["path"] == "/opt/openshift/manifests/cluster-config.yaml");
    let (_, config) = config.unwrap()["contents"]["source"].as_str().unwrap().split_once(',').unwrap();
    let config = String::from_utf8(STANDARD.decode(config).unwrap()).unwrap();
    let (first, second) = (config.find("::/56").unwrap(), config.find("10.0.0.0/16").unwrap());
    assert!(second < first, "{config}");

    let again = installation.create_native(super::difference::IDENTITY);
    let results = again["work"].as_array().unwrap().iter().map(|work| &work["result"]);
    assert_eq!(results.collect::<Vec<&Value>>(), ["unchanged", "unchanged"], "{}", again["work"]);
    assert!(!again.to_string().contains("LF1424"), "{again}");
    assert_eq!(said["infraID"], again["infraID"]);

    installation.destroy_native_bootstrap();
    installation.destroy();
    Listing::of(cloud).is_as(&before);
}

#[test]
#[ignore = "needs terraform and moto"]
fn both_engines_create_the_same_with_ipv4_first() {
    same_with_both(50, || installation("DualStackIPv4Primary"));
}

/// Release 5.100 of the provider drops `enable_primary_ipv6` beside `associate_public_ip_address`. The load balancers
/// need no primary address of the machine: its targets are addresses.
const NOT_PRIMARY: &[Exception] = &[
    ("interface of demo-x7k2p-bootstrap", "isPrimaryIpv6", "the provider drops the argument"),
    ("machine demo-x7k2p-bootstrap", "isPrimaryIpv6", "the provider drops the argument"),
];

#[test]
#[ignore = "needs terraform and moto"]
fn both_engines_create_the_same_with_ipv6_first() {
    same_with_both_but(NOT_PRIMARY, 50, || installation("DualStackIPv6Primary"));
}
