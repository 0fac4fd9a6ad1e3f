//! The public regions with what they really offer: a default for every machine, or a clear word.

use std::collections::BTreeMap;
use std::sync::Mutex;

use serde_json::Value;

use crate::answers::no_regions;
use crate::front::{Front, Rule};
use crate::moto::{Keys, Moto};
use crate::program::{Landfall, config, text};

const PARTITIONS: &str = include_str!("../../crates/model/src/aws/data/partitions.json");
const DEFAULTS: &str = include_str!("../../crates/model/src/aws/data/defaults.json");

/// Servers and runs of landfall share few processors.
const AT_A_TIME: usize = 4;

/// The regions that a prompt offers, with the zones that offer an instance type, by type. They were taken from
/// the same source as what moto answers.
fn offerings() -> BTreeMap<String, BTreeMap<String, Vec<String>>> {
    let partitions: Value = serde_json::from_str(PARTITIONS).unwrap();
    let regions = partitions["aws"]["regions"].as_object().unwrap().iter();
    let known = regions.filter(|(_, region)| region["offerings"].is_object());
    known
        .map(|(name, region)| (name.clone(), serde_json::from_value(region["offerings"].clone()).unwrap()))
        .collect()
}

/// The type that machines get unasked in a region: the first that all zones offer which are used unasked, else
/// the first that one of them offers.
fn usual(region: &str, offers: &BTreeMap<String, Vec<String>>, zones: &[String]) -> String {
    let defaults: Value = serde_json::from_str(DEFAULTS).unwrap();
    let rule = &defaults["defaultInstanceTypes"]["newest"];
    let skipped: Vec<&str> =
        rule["skippedZones"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let zones: Vec<&String> = zones.iter().filter(|zone| !skipped.contains(&zone.as_str())).collect();
    let candidates = rule["architectures"]["amd64"]["controlPlane"].as_array().unwrap();
    let candidates: Vec<&str> = candidates.iter().filter_map(Value::as_str).collect();
    let offered = |name: &str, zone: &String| offers.get(name).is_some_and(|known| known.contains(zone));
    let covering = candidates.iter().find(|name| zones.iter().all(|zone| offered(name, zone)));
    let touching = || candidates.iter().find(|name| zones.iter().any(|zone| offered(name, zone)));
    let Some(found) = covering.or_else(touching) else {
        panic!("{region} has none of {candidates:?}");
    };
    (*found).to_owned()
}

fn json(landfall: &Landfall, file: &str) -> Value {
    let path = landfall.directory().join(file);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
#[ignore = "needs moto"]
fn every_public_region_has_a_default_for_its_machines() {
    let moto = Moto::start();
    let keys = moto.user("us-east-1");
    moto.zone("us-east-1", "example.com");
    // In moto's account some regions are off, which is another matter.
    let front =
        Front::start(Some(moto.port), None, vec![Rule::always("ec2", "DescribeRegions", |_| no_regions())]);
    let regions = offerings();
    assert!(regions.len() >= 30, "{:?}", regions.keys());
    let rest = Mutex::new(regions.iter());
    let next = || rest.lock().unwrap().next();
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                while let Some((region, offers)) = next() {
                    look_at(region, offers, &keys, &front);
                }
            });
        }
    });

    off_in_the_account(&moto, &keys);
    us_gov_asks_for_the_type(&moto);
}

fn look_at(region: &str, offers: &BTreeMap<String, Vec<String>>, keys: &Keys, front: &Front) {
    let landfall = Landfall::new(&config(region, "")).keys(keys).with("AWS_ENDPOINT_URL", front.url());
    landfall.ask(&["create", "manifests", "-q"]).ends(0);
    let facts = json(&landfall, "facts.json");
    let zones: Vec<String> =
        facts["aws"]["zones"].as_array().unwrap().iter().map(|zone| text(zone, "name").to_owned()).collect();
    for (name, known) in offers.iter().filter(|(_, known)| !known.is_empty()) {
        let found = &facts["aws"]["instanceTypes"][name];
        // Only what matters for the config was asked for.
        if found.is_object() {
            let found: Vec<String> = serde_json::from_value(found["zones"].clone()).unwrap();
            assert_eq!(found, *known, "{region} {name}");
        }
    }
    let variables = json(&landfall, "terraform/terraform.platform.auto.tfvars.json");
    let wanted = usual(region, offers, &zones);
    assert_eq!(variables["aws_master_instance_type"], wanted.as_str(), "{region}");
    let workers = landfall.directory().join("openshift/99_openshift-cluster-api_worker-machineset-0.yaml");
    let workers = std::fs::read_to_string(workers).unwrap();
    assert!(workers.contains(&format!("instanceType: {wanted}\n")), "{region}: {workers}");
}

/// A region that the account has not enabled.
fn off_in_the_account(moto: &Moto, keys: &Keys) {
    let landfall = Landfall::new(&config("ap-east-1", "")).keys(keys).with("AWS_ENDPOINT_URL", moto.url());
    let report = landfall.preflight();
    let check = report.says("aws.region", "failed", &["ap-east-1"]);
    assert_eq!(text(check, "code"), "LF0729", "{check}");
    assert_eq!(text(check, "field"), "platform.aws.region", "{check}");
    report.is("aws.instance-types", "passed");
}

/// Moto answers for this region, and offers no instance types there.
fn us_gov_asks_for_the_type(moto: &Moto) {
    const REGION: &str = "us-gov-west-1";
    let keys = moto.user(REGION);
    moto.zone(REGION, "example.com");
    let landfall = Landfall::new(&config(REGION, "")).keys(&keys).with("AWS_ENDPOINT_URL", moto.url());
    let report = landfall.preflight();
    let check = report.says("aws.instance-types", "failed", &[REGION, "m6i.xlarge"]);
    assert_eq!(text(check, "code"), "LF0704", "{check}");
    assert_eq!(text(check, "field"), "controlPlane.platform.aws.type", "{check}");
    assert!(text(check, "help").contains("set controlPlane.platform.aws.type"), "{check}");
    let ran = landfall.ask(&["create", "manifests"]).ends(4);
    assert!(ran.err.contains("LF0704") && ran.err.contains("controlPlane.platform.aws.type"), "{ran}");
}
