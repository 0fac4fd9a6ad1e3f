//! In a network and with a private zone that are there already, in a region whose image must be copied.

use crate::answers::no_regions;
use crate::cloud::Cloud;
use crate::expected::{Cluster, DOMAIN, RANGE};
use crate::front::Rule;
use crate::installation::Installation;
use crate::listing::Listing;
use crate::moto::Moto;
use crate::stands::{Made, Started, removed, shared, tells};

pub const WANTED: Cluster = Cluster {
    release: "4.19",
    region: "ap-southeast-6",
    partition: "aws",
    zones: &["ap-southeast-6a", "ap-southeast-6b", "ap-southeast-6c"],
    instance_type: "m5.xlarge",
    principal: "ec2.amazonaws.com",
    record: ("A", ""),
    network: None,
    copied: Some("us-east-1"),
    tags: &[],
};

/// What the user brings.
#[derive(Default)]
pub struct Brought {
    vpc: String,
    private: Vec<String>,
    public: Vec<String>,
    zone: String,
}

impl Brought {
    pub fn make(moto: &Moto) -> Self {
        let region = WANTED.region;
        let vpc = moto.vpc(region, RANGE);
        let subnet = |(number, zone): (usize, &&str), from: usize| {
            moto.subnet(&vpc, zone, &format!("10.0.{}.0/20", from + 16 * number), None)
        };
        let zones = || WANTED.zones.iter().enumerate();
        let private: Vec<String> = zones().map(|zone| subnet(zone, 0)).collect();
        let public: Vec<String> = zones().map(|zone| subnet(zone, 128)).collect();
        let ids: Vec<&str> = public.iter().map(String::as_str).collect();
        moto.publish(region, &vpc, &ids);
        let zone = Cloud { moto, region }.private_zone(DOMAIN, &vpc);
        Self { vpc, private, public, zone }
    }

    pub fn config(&self) -> String {
        let all = self.private.iter().chain(&self.public);
        let subnets: Vec<String> = all.map(|subnet| format!("    - {subnet}\n")).collect();
        format!(
            "    defaultMachinePlatform:\n      type: m5.xlarge\n    hostedZone: {}\n    subnets:\n{}",
            self.zone,
            subnets.concat()
        )
    }

    fn things(&self) -> Vec<(&'static str, String)> {
        let subnets = self.private.iter().chain(&self.public).map(|subnet| ("subnet", subnet.clone()));
        subnets.chain([("zone", self.zone.clone())]).collect()
    }
}

#[test]
#[ignore = "needs terraform and moto"]
fn a_cluster_in_a_network_of_the_users_own_stands() {
    // Regions of this kind must be switched on, which moto's account has not done.
    let rules = vec![Rule::always("ec2", "DescribeRegions", |_| no_regions())];
    let mut brought = Brought::default();
    let installation = Installation::prepare(WANTED.release, WANTED.region, rules, |moto| {
        brought = Brought::make(moto);
        brought.config()
    });
    let cloud = installation.cloud();
    let before = Listing::of(cloud);
    let said = installation.create();
    let all = Listing::of(cloud);
    let new = all.since(&before);
    let id = said["infraID"].as_str().unwrap();
    let made = Made {
        cloud,
        wanted: &WANTED,
        id,
        all: &all,
        new: &new,
        subnets: Some((&brought.private, &brought.public)),
        given: Some((&brought.vpc, &brought.zone)),
    };
    let started =
        Started { master: installation.master_ignition(), bootstrap: installation.secrets.ignition() };
    made.stands(&started);
    shared(&before, &made, &brought.things());
    tells(&made, &said);

    installation.destroy_bootstrap();
    removed(&made, &Listing::of(cloud));

    installation.destroy();
    Listing::of(cloud).is_as(&before);
}
