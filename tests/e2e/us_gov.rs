//! In `GovCloud`, where the API's names are no aliases.

use crate::expected::{Cluster, Network};
use crate::installation::Installation;
use crate::listing::Listing;
use crate::stands::{Made, Started, removed, tells};

pub const WANTED: Cluster = Cluster {
    release: "4.14",
    region: "us-gov-west-1",
    partition: "aws-us-gov",
    zones: &["us-gov-west-1a", "us-gov-west-1b"],
    instance_type: "m5.xlarge",
    principal: "ec2.amazonaws.com",
    record: ("CNAME", "10"),
    network: Some(Network {
        private: &["10.0.0.0/18", "10.0.64.0/18"],
        public: &["10.0.128.0/18", "10.0.192.0/18"],
        domain: "us-gov-west-1.compute.internal",
        store: "com.amazonaws.us-gov-west-1.s3",
    }),
    copied: None,
    tags: &[],
};

/// Moto does not know which types the region offers.
const PLATFORM: &str = "    defaultMachinePlatform:
      type: m5.xlarge
      zones: [us-gov-west-1a, us-gov-west-1b]
";

pub fn installation() -> Installation {
    Installation::prepare(WANTED.release, WANTED.region, Vec::new(), |_| PLATFORM.to_owned())
}

#[test]
#[ignore = "needs terraform and moto"]
fn a_cluster_in_govcloud_stands() {
    let installation = installation();
    let cloud = installation.cloud();
    let before = Listing::of(cloud);
    let said = installation.create();
    let all = Listing::of(cloud);
    let new = all.since(&before);
    let id = said["infraID"].as_str().unwrap();
    let made = Made { cloud, wanted: &WANTED, id, all: &all, new: &new, subnets: None, given: None };
    let started =
        Started { master: installation.master_ignition(), bootstrap: installation.secrets.ignition() };
    made.stands(&started);
    tells(&made, &said);

    installation.destroy_bootstrap();
    removed(&made, &Listing::of(cloud));

    installation.destroy();
    Listing::of(cloud).is_as(&before);
}
