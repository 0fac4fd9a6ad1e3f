//! Terraform itself is killed after it has created something: destroy removes all of it, and create continues
//! without creating anything twice.

use std::collections::BTreeMap;

use crate::installation::Installation;
use crate::killer::{Killer, Taken};
use crate::listing::Listing;

/// The smallest cluster: all machines in one zone.
pub const PLATFORM: &str = "    defaultMachinePlatform:
      zones: [us-east-1a]
";
/// Terraform is killed after so many calls of a run, and at most so often.
const EACH: usize = 30;
const MOST: usize = 24;
/// How many clusters are created at the same time. Each spends most of its time waiting for load balancers.
const WORKERS: usize = 3;

/// An account and a directory, and what kills terraform there.
fn installation() -> (Installation, Killer) {
    let killer = Killer::default();
    let rules = vec![killer.rule()];
    let installation = Installation::prepare("4.19", "us-east-1", rules, |moto| {
        killer.upstream(moto.port);
        PLATFORM.to_owned()
    });
    killer.directory(installation.directory().to_owned());
    (installation, killer)
}

/// Every run dies at the first call that none has died at before, until one finds no more.
#[test]
#[ignore = "needs terraform and moto"]
fn after_each_call_that_creates_something_destroy_leaves_nothing() {
    let taken = Taken::default();
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            let taken = taken.clone();
            scope.spawn(move || while kill_once_and_destroy(&taken) {});
        }
    });
    let all = taken.all();
    for call in ["ec2 CreateVpc", "ec2 RunInstances", "route53 POST hostedzone", "s3 PUT object x-id"] {
        assert!(all.contains(call), "terraform was not killed after {call}: {all:?}");
    }
    assert!(all.len() > 25, "terraform was killed after {} calls only: {all:?}", all.len());
}

/// Whether terraform was killed.
fn kill_once_and_destroy(taken: &Taken) -> bool {
    let (installation, killer) = installation();
    let before = Listing::of(installation.cloud());
    let shared = taken.clone();
    killer.kill_after(move |call| shared.take(call));
    let ran = installation.try_create(&[]);
    let call = killer.killed();
    if call.is_some() {
        assert!(ran.err.contains("LF1206") || ran.out.contains("LF1206"), "{call:?}: {ran}");
        assert_eq!(ran.code, Some(5), "{call:?}: {ran}");
    } else {
        assert_eq!(ran.code, Some(0), "{ran}");
    }
    installation.destroy();
    Listing::of(installation.cloud()).is_as(&before);
    call.is_some()
}

/// Terraform is killed again and again while one cluster is created.
#[test]
#[ignore = "needs terraform and moto"]
fn create_continues_with_what_terraform_lost_track_of() {
    let (installation, killer) = installation();
    let cloud = installation.cloud();
    let before = Listing::of(cloud);
    killer.kill_after(|call| call == "ec2 CreateVpc");
    let ran = installation.try_create(&[]).ends(5);
    assert!(killer.killed().is_some(), "{ran}");

    // Without consent it is listed, and nothing is created.
    let lost = Listing::of(cloud);
    let ran = installation.try_create(&[]).ends(4);
    let report = ran.json();
    let finding = report["findings"].as_array().unwrap().iter().find(|finding| finding["code"] == "LF1222");
    let vpc = lost.since(&before).of_kind("VPC")[0].says("vpcId").to_owned();
    let message = finding.and_then(|finding| finding["message"].as_str()).unwrap_or_default();
    assert!(message.contains(&vpc) && message.contains("aws_vpc.new[0]"), "{ran}");
    Listing::of(cloud).is_as(&lost);

    let mut kills = 0;
    let said = loop {
        let mut calls = 0;
        killer.kill_after(move |_| {
            calls += 1;
            calls == EACH
        });
        let ran = installation.try_create(&["--recover"]);
        if killer.killed().is_none() {
            break ran.ends(0).json();
        }
        kills += 1;
        assert!(kills < MOST, "nothing comes of {kills} runs: {ran}");
    };
    assert!(kills > 1, "terraform was killed {kills} times only: {said}");
    assert_eq!(said["outcome"], "done", "{said}");
    let new = Listing::of(cloud).since(&before);
    assert_eq!(new.counts(), BTreeMap::from(ONCE), "{said}");
    assert!(!installation.directory().join("terraform/cluster/landfall-import.tf").exists());

    installation.destroy();
    Listing::of(cloud).is_as(&before);
}

/// How many there are of each kind in the smallest cluster with its bootstrap machine.
pub const ONCE: [(&str, usize); 20] = [
    ("DHCP options", 1),
    ("NAT gateway", 1),
    ("VPC", 1),
    ("address", 1),
    ("bucket", 1),
    ("endpoint", 1),
    ("instance profile", 3),
    ("interface", 5),
    ("internet gateway", 1),
    ("listener", 3),
    ("load balancer", 2),
    ("machine", 4),
    ("object", 1),
    ("role", 3),
    ("route table", 3),
    ("security group", 6),
    ("subnet", 2),
    ("target group", 3),
    ("volume", 4),
    ("zone", 1),
];
