//! What `landfall operator crds` prints: an API server takes it, and keeps all that a profile says.

use serde_json::{Value, json};

use super::webhook::all;
use super::world::{API, CONTROLLERS, GROUP, NAMESPACED, PARENT, PRIVATE, PROJECT, Place};
use crate::operator::account::printed;
use crate::server::Server;
use crate::until::until;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// A cloud profile that says everything that one can say.
fn full() -> Value {
    json!({
        "type": "aws",
        "caBundle": "-----BEGIN CERTIFICATE-----\n",
        "kubernetes": { "versions": [
            { "version": "1.28.6", "expirationDate": "2123-02-02T01:02:03Z", "classification": "supported" },
            { "version": "1.27.1", "lifecycle": [
                { "classification": "supported" },
                { "classification": "expired", "startTime": "2123-02-02T01:02:03Z" },
            ] },
        ] },
        "machineImages": [{ "name": "suse-chost", "updateStrategy": "minor", "versions": [{
            "version": "15.4",
            "cri": [{ "name": "containerd", "containerRuntimes": [{ "type": "gvisor", "any": { "a": 1 } }] }],
            "architectures": ["amd64", "arm64"],
            "kubeletVersionConstraint": ">= 1.26",
            "inPlaceUpdates": { "supported": true, "minVersionForUpdate": "15.1" },
            "capabilityFlavors": [{ "architecture": ["amd64"], "network": ["fast", "slow"] }],
        }] }],
        "machineTypes": [{
            "name": "m5.large",
            "cpu": 4,
            "gpu": "0",
            "memory": "8Gi",
            "usable": false,
            "architecture": "amd64",
            "storage": { "class": "standard", "type": "default", "minSize": "20Gi" },
            "capabilities": { "architecture": ["amd64"] },
            "machineControllerManager": { "machineDrainTimeout": "1h" },
        }],
        "volumeTypes": [{ "name": "gp3", "class": "standard", "usable": true, "minSize": "10Gi" }],
        "regions": [{
            "name": "europe-central-1",
            "zones": [{ "name": "a", "unavailableMachineTypes": ["x"], "unavailableVolumeTypes": ["y"] }],
            "labels": { "eu-access": "true" },
            "accessRestrictions": [{ "name": "eu-access-only", "options": { "a": "b" } }],
        }],
        "providerConfig": { "apiVersion": "a/v1", "kind": "Config", "list": [{ "x": { "y": [1, "2"] } }] },
        "seedSelector": { "matchLabels": { "a": "b" }, "providerTypes": ["aws"] },
        "limits": { "maxNodesTotal": 100 },
        "bastion": { "machineImage": { "name": "suse-chost" } },
        "machineCapabilities": [{ "name": "architecture", "values": ["amd64", "arm64"] }],
        "controlPlane": { "anything": { "at": "all" } },
    })
}

/// The same without these members and with others.
fn but(spec: &Value, without: &[&str], with: &Value) -> Value {
    let mut spec = spec.as_object().cloned().unwrap_or_default();
    spec.retain(|name, _| !without.contains(&name.as_str()));
    spec.extend(with.as_object().cloned().unwrap_or_default());
    spec.into()
}

#[test]
#[ignore = "needs an API server"]
fn all_that_profiles_say_is_kept() {
    let server = Server::start();
    let definitions = printed(&["crds", GROUP]);
    assert!(!definitions.is_empty());
    for definition in &definitions {
        server.make(DEFINITIONS, definition);
        let name = definition["metadata"]["name"].as_str().unwrap_or_default();
        let conditions = until(&format!("{name} is established"), || {
            let object = server.call("GET", &format!("{DEFINITIONS}/{name}"), &Value::Null).ok()?;
            let conditions = object["status"]["conditions"].as_array()?.clone();
            let is_so = |one: &Value| one["type"] == "Established" && one["status"] == "True";
            conditions.iter().any(is_so).then_some(conditions)
        });
        let is_wrong = |one: &Value| one["type"] == "NonStructuralSchema" && one["status"] == "True";
        assert!(!conditions.iter().any(is_wrong), "{conditions:?}");
        let versions = definition["spec"]["versions"].as_array().cloned().unwrap_or_default();
        assert!(versions.iter().any(|version| version["subresources"]["status"].is_object()), "{name}");
        assert!(!versions.iter().any(|version| version["schema"]["openAPIV3Schema"].is_null()), "{name}");
    }

    let full = full();
    let inherited =
        ["type", "providerConfig", "seedSelector", "bastion", "machineCapabilities", "controlPlane"];
    let released = json!({
        "parent": { "kind": "CloudProfile", "name": "aws" }, "providerConfig": full["providerConfig"],
    });
    let specs = [
        (Place(PARENT, "", "aws"), full.clone()),
        (Place(PRIVATE, PROJECT, "mine"), but(&full, &inherited, &json!({ "parent": "aws" }))),
        (Place(NAMESPACED, PROJECT, "mine"), but(&full, &[&inherited[..], &["regions"]].concat(), &released)),
    ];
    server.make("/api/v1/namespaces", &json!({ "metadata": { "name": PROJECT } }));
    for (place, spec) in specs {
        server.make(&place.collection(), &place.object(&spec));
        let path = place.path();
        let stands = server.call("GET", &path, &Value::Null).unwrap_or_default();
        assert_eq!(stands["spec"], spec, "{path}");
    }

    // What was joined is kept as well, and written by the status alone.
    let joined =
        json!({ "apiVersion": API, "kind": "CloudProfile", "metadata": { "name": "mine" }, "spec": full });
    for (kind, status) in [
        (PRIVATE, json!({ "cloudProfile": joined, "observedGeneration": 1 })),
        (NAMESPACED, json!({ "cloudProfileSpec": full, "observedGeneration": 1 })),
    ] {
        let path = Place(kind, PROJECT, "mine").path();
        let of = |path: &str| server.call("GET", path, &Value::Null).unwrap_or_default();
        let generation = of(&path)["metadata"]["generation"].clone();
        server.change(&path, &json!({ "status": status }));
        assert_eq!(of(&path)["status"], json!({ "observedGeneration": -1 }), "{path}");
        server.change(&format!("{path}/status"), &json!({ "status": status }));
        let stands = of(&path);
        assert_eq!(stands["status"], status, "{path}");
        assert_eq!(stands["metadata"]["generation"], generation, "{path}");
    }
}

#[test]
fn no_right_of_the_operator_is_wide() {
    let controllers = all(CONTROLLERS);
    for object in printed(&["manifests", "--controllers", &controllers]) {
        for rule in object["rules"].as_array().into_iter().flatten() {
            let text = rule.to_string();
            assert!(!text.contains("\"*\""), "{}: {text}", object["metadata"]);
            if text.contains("secrets") {
                // To create knows no names; all else is about the operator's own secret.
                let is_narrow = rule["resourceNames"].is_array() || rule["verbs"] == json!(["create"]);
                assert!(object["kind"] == "Role" && is_narrow, "{}: {text}", object["metadata"]);
            }
        }
    }
}
