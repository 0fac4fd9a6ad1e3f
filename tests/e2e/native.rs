//! The native engine: the same infrastructure as terraform's, once, whatever happens.

mod difference;
mod dual_stack;
mod failing;
mod killed;
mod variants;

use serde_json::Value;

use crate::expected::{Cluster, Network};
use crate::installation::Installation;
use crate::listing::Listing;
use crate::stands::{Made, Started, removed};

const WANTED: Cluster = Cluster {
    release: "4.19",
    region: "us-east-1",
    partition: "aws",
    zones: &["us-east-1a", "us-east-1b", "us-east-1c"],
    instance_type: "m6i.xlarge",
    principal: "ec2.amazonaws.com",
    record: ("A", ""),
    network: Some(Network {
        private: &["10.0.0.0/19", "10.0.32.0/19", "10.0.64.0/19"],
        public: &["10.0.96.0/21", "10.0.104.0/21", "10.0.112.0/21"],
        domain: "ec2.internal",
        store: "com.amazonaws.us-east-1.s3",
    }),
    copied: None,
    tags: &[("team", "road"), ("purpose", "trial")],
};

const PLATFORM: &str = "    userTags:
      team: road
      purpose: trial
    defaultMachinePlatform:
      zones: [us-east-1a, us-east-1b, us-east-1c]
";

fn installation() -> Installation {
    Installation::prepare(WANTED.release, WANTED.region, Vec::new(), |_| PLATFORM.to_owned())
}

#[test]
#[ignore = "needs moto"]
fn a_cluster_is_created_once_and_removed() {
    let installation = installation();
    let cloud = installation.cloud();
    let before = Listing::of(cloud);
    let said = installation.create_native(&[]);
    let all = Listing::of(cloud);
    let new = all.since(&before);
    let id = said["infraID"].as_str().unwrap();
    let made = Made { cloud, wanted: &WANTED, id, all: &all, new: &new, subnets: None, given: None };
    let started =
        Started { master: installation.master_ignition(), bootstrap: installation.secrets.ignition() };
    made.stands(&started);
    assert_eq!(said["engine"]["name"], "native", "{said}");

    // Metadata notes the engine, and a second run creates nothing.
    let again = installation.create_native(&[]);
    let results = again["work"].as_array().unwrap().iter().map(|work| &work["result"]);
    assert_eq!(results.collect::<Vec<&Value>>(), ["unchanged", "unchanged"], "{}", again["work"]);
    assert!(!again.to_string().contains("LF1424"), "{again}");
    assert!(Listing::of(cloud).changed(&all).is_empty());

    installation.destroy_native_bootstrap();
    removed(&made, &Listing::of(cloud));

    installation.destroy();
    Listing::of(cloud).is_as(&before);
}
