//! What was decided of a cluster's objects, in later runs.

use std::path::Path;
use std::process::Command;

use landfall::prepare::target::{Decided, note_decided, of_cluster};
use landfall::workdir::ClusterDir;
use serde_json::{Value, json};

use super::{CLIENT, input};

/// A directory for a cluster in an existing network, where nothing but the user fixes an address.
fn site(directory: &Path, objects: &Value) {
    let config = input("byo-private", "install-config.yaml");
    std::fs::write(directory.join("install-config.yaml"), config.to_string()).unwrap();
    let noted = json!({
        "clusterName": "gov1",
        "clusterID": "11111111-1111-1111-1111-111111111111",
        "infraID": "gov1-b4n9w",
        "landfall": { "engine": "aso", "namespace": "fleet", "objects": objects },
        "azure": { "region": "usgovvirginia" },
    });
    std::fs::write(directory.join("metadata.json"), noted.to_string()).unwrap();
}

fn landfall(directory: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_landfall"))
        .args(arguments)
        .args(["--offline", "-o", "json", "--dir"])
        .arg(directory)
        .env_clear()
        .env("AZURE_SUBSCRIPTION_ID", "11111111-2222-3333-4444-555555555555")
        .env("AZURE_TENANT_ID", "99999999-8888-7777-6666-555555555555")
        .env("AZURE_CLIENT_ID", CLIENT)
        .env("AZURE_CLIENT_SECRET", "REPLACE_ME")
        .output()
        .unwrap();
    let said = String::from_utf8(if output.stdout.is_empty() { output.stderr } else { output.stdout });
    (output.status.code(), said.unwrap())
}

fn planned(directory: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    landfall(directory, &[&["create", "cluster", "--engine", "aso", "--plan"], arguments].concat())
}

/// The address of the internal load balancer.
fn address(planned: &(Option<i32>, String)) -> Value {
    assert_eq!(planned.0, Some(0), "{}", planned.1);
    let value: Value = serde_json::from_str(&planned.1).unwrap();
    let objects = value["objects"].as_array().unwrap();
    let balancer = objects.iter().find(|one| one["name"] == "gov1-b4n9w-internal").unwrap();
    balancer["spec"]["frontendIPConfigurations"][0]["privateIPAddress"].clone()
}

#[test]
fn the_address_of_the_api_is_the_one_that_was_fixed() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    site(root, &Value::Null);
    assert_eq!(address(&planned(root, &[])), Value::Null);
    assert_eq!(address(&planned(root, &["--api-internal-ip", "10.20.1.9"])), "10.20.1.9");
    site(root, &json!({ "apiInternalIP": "10.20.1.8" }));
    assert_eq!(address(&planned(root, &[])), "10.20.1.8");
    assert_eq!(address(&planned(root, &["--api-internal-ip", "10.20.1.9"])), "10.20.1.9");
}

#[test]
fn what_writes_the_files_again_keeps_what_was_decided() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let config = input("byo-private", "install-config.yaml");
    std::fs::write(root.join("install-config.yaml"), config.to_string()).unwrap();
    let decided = Decided { api_internal_ip: "10.20.1.8".parse().ok(), patched: true };
    for arguments in [&["create", "manifests", "--infra-id", "gov1-b4n9w"][..], &["create", "manifests"]] {
        let (code, said) = landfall(root, arguments);
        assert_eq!(code, Some(0), "{said}");
        if arguments.len() > 2 {
            note_decided(&mut ClusterDir::open(root).unwrap(), &decided).unwrap();
        }
    }
    assert_eq!(of_cluster(root).ok().map(|named| named.decided()), Some(decided));
}

#[test]
fn a_run_without_the_patches_of_an_earlier_one_is_reported() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    site(root, &json!({ "patched": true }));
    let (code, said) = planned(root, &[]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("LF1561"), "{said}");
    let file = root.join("patches.yaml");
    let flag = ["--aso-patches", file.to_str().unwrap()];
    std::fs::write(&file, "[]").unwrap();
    assert_eq!(address(&planned(root, &flag)), Value::Null);
    let patch = json!([{ "kind": "RouteTable", "name": "none", "patch": "{}" }]);
    std::fs::write(&file, patch.to_string()).unwrap();
    let (code, said) = planned(root, &flag);
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains("LF1510"), "{said}");
}
