//! The catalogue and the SDK that the program is linked with know the same partitions and regions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use landfall_model::catalogue::Catalogue;
use serde_json::Value;

/// The partitions of the SDK: its crate has them as JSON in a byte string of its source.
fn of_the_sdk() -> Value {
    let rustc = Command::new("rustc").arg("-vV").output().unwrap();
    let rustc = String::from_utf8(rustc.stdout).unwrap();
    let host = rustc.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    // A build downloads the packages of its own platform alone; without the filter, cargo asks for those of all.
    let metadata = ["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", host];
    let output = Command::new(env!("CARGO")).args(metadata).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    let metadata: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let ec2 = packages.iter().find(|package| package["name"] == "aws-sdk-ec2").unwrap();
    let manifest = PathBuf::from(ec2["manifest_path"].as_str().unwrap());
    let source = std::fs::read_to_string(manifest.with_file_name("src").join("endpoint_lib.rs")).unwrap();
    let (_, literal) = source.split_once("new_from_json(b\"").unwrap();
    let (literal, _) = literal.split_once("\")").unwrap();
    serde_json::from_str(&literal.replace("\\\"", "\"").replace("\\\\", "\\")).unwrap()
}

#[test]
fn the_catalogue_knows_the_partitions_and_regions_of_the_sdk_and_no_others() {
    let sdk = of_the_sdk();
    let of_sdk: BTreeMap<&str, (&str, BTreeSet<&str>)> = sdk["partitions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|partition| {
            let regions = partition["regions"].as_object().unwrap().keys();
            // These stand for services that all regions share.
            let regions = regions.map(String::as_str).filter(|region| !region.ends_with("-global"));
            let pattern = partition["regionRegex"].as_str().unwrap();
            (partition["id"].as_str().unwrap(), (pattern, regions.collect()))
        })
        .collect();
    let catalogue = Catalogue::embedded();
    let own: BTreeMap<&str, (&str, BTreeSet<&str>)> = catalogue
        .aws
        .partitions
        .iter()
        .map(|(id, partition)| {
            let regions = partition.regions.keys().map(String::as_str).collect();
            (id.as_str(), (partition.region_pattern.as_str(), regions))
        })
        .collect();
    assert_eq!(of_sdk.keys().collect::<Vec<_>>(), own.keys().collect::<Vec<_>>());
    for (id, (pattern, regions)) in &of_sdk {
        let (own_pattern, own_regions) = &own[id];
        assert_eq!(pattern.replace("\\-", "-"), *own_pattern, "{id}");
        let missing: Vec<_> = regions.difference(own_regions).collect();
        let more: Vec<_> = own_regions.difference(regions).collect();
        assert!(missing.is_empty() && more.is_empty(), "{id}: missing {missing:?}, more {more:?}");
    }
}
