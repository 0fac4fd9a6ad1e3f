//! Both layouts of AWS resources, with and without local zones: terraform and the native engine create the same.

use std::sync::{Arc, OnceLock};

use super::difference::{Described, same_with_both};
use super::is_created_once;
use crate::front::{ALL, Asked, Reply, Rule, forward};
use crate::installation::Installation;
use crate::moto::Moto;
use crate::us_gov;

#[test]
#[ignore = "needs moto"]
fn a_cluster_of_the_older_layout_is_created_once_and_removed() {
    is_created_once(&us_gov::installation(), &us_gov::WANTED, |_| {});
}

const REGION: &str = "us-east-1";

/// A zone that moto does not have, such as a local zone: one of its zones is shown as it.
#[derive(Clone, Copy)]
pub struct Shown {
    pub local: &'static str,
    pub zone: &'static str,
}

pub const ONE_LOCAL_ZONE: &[Shown] = &[Shown { local: "us-east-1-nyc-1a", zone: "us-east-1f" }];

/// The network of a telephone company.
const ONE_WAVELENGTH_ZONE: &[Shown] = &[Shown { local: "us-east-1-wl1-bos-wlz-1", zone: "us-east-1f" }];

/// The zones of the region, and local zones.
fn zones(shown: &[Shown]) -> Reply {
    let zone = |name: &str, more: &str| {
        format!(
            "<item><zoneName>{name}</zoneName><zoneState>available</zoneState><regionName>{REGION}</regionName>\
             {more}</item>"
        )
    };
    let ordinary = format!(
        "<groupName>{REGION}</groupName><zoneType>availability-zone</zoneType>\
         <optInStatus>opt-in-not-required</optInStatus>"
    );
    let local = |shown: &Shown| {
        let sort = if shown.local.contains("-wlz-") { "wavelength-zone" } else { "local-zone" };
        let more = format!(
            "<groupName>{}</groupName><zoneType>{sort}</zoneType><optInStatus>opted-in</optInStatus>\
             <parentZoneName>{REGION}b</parentZoneName>",
            shown.local.trim_end_matches('a')
        );
        zone(shown.local, &more)
    };
    let ordinary = ["a", "b", "c"].map(|letter| zone(&format!("{REGION}{letter}"), &ordinary));
    let local: Vec<String> = shown.iter().map(local).collect();
    Reply::xml(format!(
        "<DescribeAvailabilityZonesResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\">\
         <availabilityZoneInfo>{}{}</availabilityZoneInfo></DescribeAvailabilityZonesResponse>",
        ordinary.concat(),
        local.concat(),
    ))
}

/// Asks moto with zones under their other names.
fn renamed(shown: &[Shown], asked: &Asked, port: u16) -> Reply {
    let body = shown.iter().fold(asked.body.clone(), |body, one| body.replace(one.local, one.zone));
    let answer = forward(&Asked { body, ..asked.clone() }, port).expect("moto answers");
    let answer = String::from_utf8(answer).expect("moto answers with a text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("the answer has a body");
    let status =
        head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("the answer has a status");
    let body = shown.iter().fold(body.to_owned(), |body, one| body.replace(one.zone, one.local));
    Reply::new(status, "text/xml", body)
}

/// What a moto at this port answers with these local zones, and in other zones.
pub fn zone_rules(shown: &'static [Shown], port: &Arc<OnceLock<u16>>) -> Vec<Rule> {
    let port = Arc::clone(port);
    vec![
        Rule::always("ec2", "DescribeAvailabilityZones", |_| zones(shown)),
        Rule::always("ec2", ALL, move |asked| renamed(shown, asked, *port.get().expect("moto runs"))),
    ]
}

/// A cluster with machines in a local or Wavelength zone.
fn with_edge_zone(release: &'static str, shown: &'static [Shown]) -> Installation {
    let port = Arc::new(OnceLock::new());
    let rules = zone_rules(shown, &port);
    let platform = move |moto: &Moto| {
        port.set(moto.port).expect("moto is started once");
        "    defaultMachinePlatform:\n      type: m5.xlarge\n      zones: [us-east-1a, us-east-1b]\n"
            .to_owned()
    };
    Installation::prepare_edited(release, REGION, rules, platform, |text| {
        let pool = "- name: worker\n";
        assert!(text.contains(pool), "{text}");
        let edge = format!(
            "- name: edge\n  replicas: 1\n  platform:\n    aws:\n      zones: [{}]\n",
            shown[0].local
        );
        text.replace(pool, &format!("{edge}{pool}"))
    })
}

#[test]
#[ignore = "needs terraform and moto"]
fn subnets_in_a_local_zone_are_the_same_in_the_older_layout() {
    let all = same_with_both(40, || with_edge_zone("4.14", ONE_LOCAL_ZONE));
    has_subnets(&all, "");
}

#[test]
#[ignore = "needs terraform and moto"]
fn a_wavelength_zone_has_a_carrier_gateway() {
    let all = same_with_both(40, || with_edge_zone("4.19", ONE_WAVELENGTH_ZONE));
    has_subnets(&all, "subnet-");
    for name in ["carrier gateway demo-x7k2p-cagw", "route table demo-x7k2p-rt-carrier"] {
        assert!(all.contains_key(name), "{name} is not among {:?}", all.keys());
    }
}

fn has_subnets(all: &Described, kind: &str) {
    for role in ["private", "public"] {
        // The listing asks moto itself.
        let name = format!("subnet demo-x7k2p-{kind}{role}-{}", ONE_LOCAL_ZONE[0].zone);
        assert!(all.contains_key(&name), "{name} is not among {:?}", all.keys());
    }
}
