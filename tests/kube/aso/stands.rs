//! What must hold of a cluster that stands: in the management cluster, and in Azure.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use landfall_kube::Fault;
use serde_json::Value;

use super::identity::at;
use super::management::Management;
use super::site::CANARY;
use super::table::Azure;

/// The infrastructure ids of the examples.
pub const PUBLIC: &str = "demo-x7k2p";
pub const PRIVATE: &str = "gov1-b4n9w";

const POLICY: &str = "/metadata/annotations/serviceoperator.azure.com~1reconcile-policy";
const MODE: &str = "/metadata/annotations/aso.landfall.dev~1mode";

/// The policy of an object.
pub fn policy(object: &Value) -> &str {
    at(object, POLICY)
}

/// An annotation of the engine's.
pub fn note<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    object["metadata"]["annotations"].get(format!("aso.landfall.dev/{name}"))?.as_str()
}

/// Whether the operator says that an object is Ready.
pub fn is_ready(object: &Value) -> bool {
    let conditions = object["status"]["conditions"].as_array();
    conditions.into_iter().flatten().any(|one| one["type"] == "Ready" && one["status"] == "True")
}

/// The objects of an example without machines, by kind and name.
pub fn example(name: &str) -> BTreeMap<(String, String), Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/aso").join(name);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    // What begins with a zero is no object of the operator; what begins with a five belongs to machines.
    let is_meant = |path: &PathBuf| {
        let number = path.file_name().unwrap().to_str().unwrap();
        path.extension().is_some_and(|it| it == "yaml") && !number.starts_with(['0', '5'])
    };
    let files = files.filter(is_meant);
    let read = |path: PathBuf| {
        let object: Value = serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        ((at(&object, "/kind").to_owned(), at(&object, "/metadata/name").to_owned()), object)
    };
    files.map(read).collect()
}

/// Fails unless the objects in a namespace are those of an example, each asks for the same, and each is Ready
/// under its last policy.
#[track_caller]
pub fn like_example(management: &Management, namespace: &str, name: &str) {
    let mut wanted = example(name);
    for object in management.objects(namespace) {
        let key = (at(&object, "/kind").to_owned(), at(&object, "/metadata/name").to_owned());
        let like = wanted.remove(&key).unwrap_or_else(|| panic!("{key:?} is not in the example"));
        assert_eq!(object["spec"], like["spec"], "{key:?}");
        assert!(is_ready(&object), "{object}");
        // Azure makes the blob service with the account, so that it is found and never adopted.
        let is_only_read = !at(&object, MODE).is_empty() || key.0 == "StorageAccountsBlobService";
        assert_eq!(policy(&object), if is_only_read { "skip" } else { "manage" }, "{key:?}");
        assert!(is_only_read || note(&object, "adopted-at").is_some(), "{key:?}");
        let owners = object["metadata"]["ownerReferences"].as_array().unwrap();
        let controllers = owners.iter().filter(|owner| owner["controller"] == true).count();
        assert_eq!(controllers, 1, "{key:?}");
    }
    assert!(wanted.is_empty(), "missing: {:?}", wanted.keys());
}

/// Fails if the application's secret stands anywhere but in the Secret for the operator.
#[track_caller]
pub fn keeps_secrets(management: &Management, namespace: &str, said: &[&str]) {
    for text in said.iter().copied().chain([management.texts(namespace).as_str()]) {
        assert!(!text.contains(CANARY), "{text}");
    }
}

/// Makes in Azure what the private example brings along, its resource group with these tags.
pub fn brought(azure: &Azure, tags: &[(&str, &str)]) {
    azure.has("/resourcegroups/corp-gov1-rg", tags);
    let network = "/resourcegroups/corp-net-rg/virtualnetworks/corp-vnet";
    azure.has("/resourcegroups/corp-net-rg", &[]);
    azure.has(network, &[]);
    for subnet in ["corp-cp", "corp-work"] {
        azure.has(&format!("{network}/virtualnetworkssubnets/{subnet}"), &[]);
    }
}

/// The settings of an operator of the private example's cloud.
pub fn settings() -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/aso/byo-private/input");
    let text = std::fs::read_to_string(folder.join("aso-controller-settings.yaml")).unwrap();
    let secret: Value = serde_yaml::from_str(&text).unwrap();
    secret["stringData"].clone()
}

/// Ends the lease of an engine that was killed, which would end by itself after a minute.
pub fn end_lease(management: &Management, infra_id: &str) {
    let path = format!("/apis/coordination.k8s.io/v1/namespaces/{infra_id}/leases/{infra_id}-aso-engine");
    match management.server.call("DELETE", &path, &Value::Null) {
        Ok(_) | Err(Fault::NotFound) => {}
        Err(fault) => panic!("{fault:?}"),
    }
}
