//! Both layouts of AWS resources, with and without local zones: terraform and the native engine create the same.

use std::sync::{Arc, OnceLock};

use super::difference::{Described, same_with_both, same_with_both_but};
use super::is_created_once;
use super::variants::FIRST_SUBNET;
use crate::cloud::Cloud;
use crate::front::{ALL, Asked, Reply, Rule, forward};
use crate::installation::Installation;
use crate::moto::Moto;
use crate::us_gov;

#[test]
#[ignore = "needs terraform and moto"]
fn the_older_layout_is_the_same() {
    same_with_both(40, us_gov::installation);
}

#[test]
#[ignore = "needs moto"]
fn a_cluster_of_the_older_layout_is_created_once_and_removed() {
    is_created_once(&us_gov::installation(), &us_gov::WANTED, |_| {});
}

const REGION: &str = "us-east-1";
const LOCAL_ZONE: &str = "us-east-1-nyc-1a";
/// moto has no local zones: this one of its zones is shown as one.
const SHOWN_AS_LOCAL: &str = "us-east-1f";

/// The zones of the region, one of them a local zone.
fn zones() -> Reply {
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
    let local = format!(
        "<groupName>us-east-1-nyc-1</groupName><zoneType>local-zone</zoneType>\
         <optInStatus>opted-in</optInStatus><parentZoneName>{REGION}b</parentZoneName>"
    );
    Reply::xml(format!(
        "<DescribeAvailabilityZonesResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\">\
         <availabilityZoneInfo>{}{}{}</availabilityZoneInfo></DescribeAvailabilityZonesResponse>",
        zone("us-east-1a", &ordinary),
        zone("us-east-1b", &ordinary),
        zone(LOCAL_ZONE, &local),
    ))
}

/// Asks moto with the local zone under its other name.
fn renamed(asked: &Asked, port: u16) -> Reply {
    let asked = Asked { body: asked.body.replace(LOCAL_ZONE, SHOWN_AS_LOCAL), ..asked.clone() };
    let answer = forward(&asked, port).expect("moto answers");
    let answer = String::from_utf8(answer).expect("moto answers with a text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("the answer has a body");
    let status =
        head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("the answer has a status");
    Reply::new(status, "text/xml", body.replace(SHOWN_AS_LOCAL, LOCAL_ZONE))
}

/// A cluster with machines in a local zone.
fn with_local_zone(release: &'static str) -> Installation {
    let port = Arc::new(OnceLock::new());
    let told = Arc::clone(&port);
    let rules = vec![
        Rule::always("ec2", "DescribeAvailabilityZones", |_| zones()),
        Rule::always("ec2", ALL, move |asked| renamed(asked, *port.get().expect("moto runs"))),
    ];
    let platform = move |moto: &Moto| {
        told.set(moto.port).expect("moto is started once");
        "    defaultMachinePlatform:\n      type: m5.xlarge\n      zones: [us-east-1a, us-east-1b]\n"
            .to_owned()
    };
    Installation::prepare_edited(release, REGION, rules, platform, |text| {
        let pool = "- name: worker\n";
        assert!(text.contains(pool), "{text}");
        let edge =
            format!("- name: edge\n  replicas: 1\n  platform:\n    aws:\n      zones: [{LOCAL_ZONE}]\n");
        text.replace(pool, &format!("{edge}{pool}"))
    })
}

#[test]
#[ignore = "needs terraform and moto"]
fn subnets_in_a_local_zone_are_the_same() {
    let all = same_with_both(50, || with_local_zone("4.19"));
    has_subnets(&all, "subnet-");
}

#[test]
#[ignore = "needs terraform and moto"]
fn subnets_in_a_local_zone_are_the_same_in_the_older_layout() {
    let all = same_with_both(40, || with_local_zone("4.14"));
    has_subnets(&all, "");
}

fn has_subnets(all: &Described, kind: &str) {
    for role in ["private", "public"] {
        // The listing asks moto itself.
        let name = format!("subnet demo-x7k2p-{kind}{role}-{SHOWN_AS_LOCAL}");
        assert!(all.contains_key(&name), "{name} is not among {:?}", all.keys());
    }
}

/// A network, roles, a security group and a key of the user's, in the older layout, with an Ignition config that stays.
fn brought(moto: &Moto) -> String {
    let cloud = Cloud { moto, region: REGION };
    let trust = "{\"Version\":\"2012-10-17\",\"Statement\":[]}";
    for role in ["masters", "workers"] {
        cloud.iam("CreateRole", &[("RoleName", role), ("AssumeRolePolicyDocument", trust)]);
    }
    let vpc = moto.vpc(REGION, "10.0.0.0/16");
    let subnet = |number: usize, zone: &str| moto.subnet(&vpc, zone, &format!("10.0.{number}.0/24"), None);
    let private = [subnet(0, "us-east-1a"), subnet(1, "us-east-1b")];
    let public = [subnet(2, "us-east-1a"), subnet(3, "us-east-1b")];
    moto.publish(REGION, &vpc, &[&public[0], &public[1]]);
    let group = [("GroupName", "own"), ("GroupDescription", "own"), ("VpcId", vpc.as_str())];
    let group = cloud.ec2("CreateSecurityGroup", &group).find("groupId").text().to_owned();
    let key = cloud.key();
    let subnets: Vec<String> =
        private.iter().chain(&public).map(|subnet| format!("    - {subnet}\n")).collect();
    let subnets = subnets.concat();
    format!(
        "    preserveBootstrapIgnition: true\n    subnets:\n{subnets}    defaultMachinePlatform:\n      \
         type: m5.xlarge\n      iamRole: masters\n      additionalSecurityGroupIDs: [{group}]\n      \
         metadataService:\n        authentication: Required\n      rootVolume:\n        type: gp3\n        \
         size: 300\n        kmsKeyARN: {key}\n"
    )
}

#[test]
#[ignore = "needs terraform and moto"]
fn what_the_user_brings_is_used_alike_in_the_older_layout() {
    let all = same_with_both_but(FIRST_SUBNET, 20, || {
        Installation::prepare_edited("4.14", REGION, Vec::new(), brought, |text| {
            let pool = "- name: worker\n";
            assert!(text.contains(pool), "{text}");
            text.replace(pool, &format!("{pool}  platform:\n    aws:\n      iamRole: workers\n"))
        })
    });
    assert!(!all.keys().any(|name| name.starts_with("role ")), "{:?}", all.keys());
}
