//! The managed map before there is a cluster: from the texts of two files to the text of a manifest.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::infrastructure::{CONFIG_MAP, INFRASTRUCTURE, NETWORK};
use super::{Entries, Fault, Infrastructure, Network, document, managed};

const KIND: &str = "ConfigMap";
const NAME: &str = "kube-cloud-config";
const NAMESPACE: &str = "openshift-config-managed";
/// The namespace in which clusters look for the user's map.
const OF_USER: &str = "openshift-config";

/// The manifest of a map.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Manifest {
    #[serde(skip_deserializing)]
    api_version: &'static str,
    #[serde(skip_deserializing)]
    kind: &'static str,
    metadata: Metadata,
    #[serde(flatten)]
    entries: Entries,
}

/// What of the metadata counts.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Metadata {
    name: String,
    namespace: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    labels: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    annotations: BTreeMap<String, String>,
}

/// The manifest of the managed map as YAML, of the Infrastructure object and the user's map, each as YAML or JSON.
/// It has the user's labels and annotations.
///
/// # Errors
/// One of the texts cannot be read, or they contradict each other.
pub fn stitch(infrastructure: &str, user: Option<&str>) -> Result<String, Fault> {
    let infrastructure = self::infrastructure(infrastructure)?;
    let mut manifest = user.map_or_else(|| Ok(Manifest::default()), Manifest::read)?;
    manifest.entries = managed::managed(&infrastructure, &manifest.entries)?;
    manifest.api_version = "v1";
    manifest.kind = KIND;
    NAME.clone_into(&mut manifest.metadata.name);
    NAMESPACE.clone_into(&mut manifest.metadata.namespace);
    // Every key is text.
    Ok(landfall_render::yaml(&serde_json::to_value(&manifest).unwrap_or_default()))
}

/// The key that the Infrastructure object names and the user's map does not have; none where one of them cannot
/// be read.
#[must_use]
pub fn missing_key(infrastructure: &str, user: &str) -> Option<String> {
    let infrastructure = self::infrastructure(infrastructure).ok()?;
    managed::lacking_key(&infrastructure, &Manifest::read(user).ok()?.entries).map(str::to_owned)
}

/// What the user's map is called and what the map is called that the Infrastructure object names, where they
/// differ; none where one of them names nothing or cannot be read.
#[must_use]
pub fn another_map(infrastructure: &str, user: &str) -> Option<(String, String)> {
    let wanted = self::infrastructure(infrastructure).ok()?.spec.cloud_config.name;
    let Metadata { name, namespace, .. } = Manifest::read(user).ok()?.metadata;
    let differs = |found: &str, wanted: &str| !found.is_empty() && found != wanted;
    if wanted.is_empty() || !(differs(&name, &wanted) || differs(&namespace, OF_USER)) {
        return None;
    }
    let or = |given: String, otherwise: &str| if given.is_empty() { otherwise.to_owned() } else { given };
    let found = format!("{}/{}", or(namespace, OF_USER), or(name, &wanted));
    Some((found, format!("{OF_USER}/{wanted}")))
}

/// The Infrastructure object of a file.
///
/// # Errors
/// The file is empty, or not this object.
pub fn infrastructure(text: &str) -> Result<Infrastructure, Fault> {
    if text.is_empty() {
        return Err(Fault::InfrastructureFileEmpty);
    }
    document::object(text, "Infrastructure", &INFRASTRUCTURE).map_err(Fault::InfrastructureUnreadable)
}

/// The Network object of a file.
///
/// # Errors
/// The file is not this object.
pub fn network(text: &str) -> Result<Network, Fault> {
    document::object(text, "Network", &NETWORK).map_err(Fault::NetworkUnreadable)
}

impl Manifest {
    fn read(text: &str) -> Result<Self, Fault> {
        let unreadable = Fault::ManifestUnreadable;
        let mut manifest: Self = document::object(text, KIND, &CONFIG_MAP).map_err(unreadable)?;
        for (key, text) in &mut manifest.entries.binary_data {
            // Lines may be broken anywhere.
            text.retain(|c| !matches!(c, '\r' | '\n'));
            if STANDARD.decode(&*text).is_err() {
                return Err(unreadable(format!("binaryData has `{key}`, which is not base64")));
            }
        }
        Ok(manifest)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn made(infrastructure: &str, user: &str) -> Result<Value, String> {
        let manifest = stitch(infrastructure, Some(user)).map_err(|fault| fault.name().to_owned())?;
        serde_yaml::from_str(&manifest).map_err(|fault| fault.to_string())
    }

    const GCP: &str = r#"{"spec": {"cloudConfig": {"name": "m", "key": "config"}}, "status": {"platformStatus": {"type": "GCP"}}}"#;

    #[test]
    fn labels_and_annotations_are_carried_over_and_nothing_else() {
        let user = "kind: ConfigMap\nmetadata:\n  name: own\n  uid: x\n  labels: {a: b}\n  annotations:\nimmutable: true\n\
                    data: {config: 'yes', other: , n: 1.50, b: true}\nbinaryData:\n  b: |\n    eA\n    ==\n";
        let expected = json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": { "name": NAME, "namespace": NAMESPACE, "labels": { "a": "b" } },
            "data": { "cloud.conf": "yes", "other": "", "n": "1.5", "b": "true" },
            "binaryData": { "b": "eA==" },
        });
        assert_eq!(made(GCP, user), Ok(expected));
    }

    #[test]
    fn a_key_that_the_map_does_not_have_is_reported() {
        for lacking in ["data: {other: a}", "kind: ConfigMap", ""] {
            assert_eq!(missing_key(GCP, lacking), Some("config".to_owned()), "{lacking}");
        }
        for fine in ["data: {config: a}", "binaryData: {config: eA==}", "data: 5"] {
            assert_eq!(missing_key(GCP, fine), None, "{fine}");
        }
    }

    #[test]
    fn a_map_of_another_name_or_namespace_is_reported() {
        let told = |metadata: &str| another_map(GCP, &format!("metadata: {metadata}"));
        let found = |found: &str| Some((found.to_owned(), "openshift-config/m".to_owned()));
        assert_eq!(told("{name: own, namespace: openshift-config}"), found("openshift-config/own"));
        assert_eq!(told("{name: m, namespace: default}"), found("default/m"));
        for fine in ["{name: m, namespace: openshift-config}", "{name: m}", "{}", "", "5"] {
            assert_eq!(told(fine), None, "{fine}");
        }
        assert_eq!(another_map("status: {platformStatus: {type: GCP}}", "metadata: {name: own}"), None);
    }

    #[test]
    fn what_is_of_another_kind_or_type_is_refused() {
        let unreadable = |text: &str| made(GCP, text) == Err("config-manifest-unreadable".to_owned());
        for text in [
            "kind: Secret",
            "data: 5",
            "data: {a: [5]}",
            "binaryData: {a: '?'}",
            "binaryData: {a: 1234}",
            "- a",
            "a: [",
            "immutable: 'true'",
            "immutable: 5",
            "apiVersion: 5",
            "metadata: {creationTimestamp: x}",
        ] {
            assert!(unreadable(text), "{text}");
        }
        let infrastructure = |text: &str| made(text, "");
        assert_eq!(infrastructure("kind: Pod"), Err("infrastructure-unreadable".to_owned()));
        for text in [
            "status: []",
            "status: {platformStatus: [GCP]}",
            "status: {platformStatus: {type: AWS, aws: []}}",
            "status: {platformStatus: {type: AWS, aws: {serviceEndpoints: [[ec2, x]]}}}",
            "spec: {cloudConfig: [m, config]}",
            "spec: {platformSpec: {vsphere: 5}}",
            "spec: {platformSpec: {vsphere: {vcenters: x}}}",
            "spec: {platformSpec: {vsphere: {vcenters: [{port: 99999999999}]}}}",
            "spec: {platformSpec: {aws: {serviceEndpoints: x}}}",
            "metadata: x",
            "metadata: {labels: x}",
            "metadata: {creationTimestamp: x}",
            "metadata: {generation: '5'}",
            "apiVersion: 5",
            "status: {infrastructureName: [x]}",
            "status: {apiServerURL: {}}",
            "status: {platformStatus: {gcp: 5}}",
            "status: {platformStatus: {nutanix: {loadBalancer: {type: [x]}}}}",
        ] {
            assert_eq!(infrastructure(text), Err("infrastructure-unreadable".to_owned()), "{text}");
        }
        assert!(unreadable("metadata: [{a: b}]"));
        // Null is as good as absent, at any level.
        let nulls = "spec: {cloudConfig: ~}\nstatus: {platformStatus: {type: GCP, aws: ~}}\nmetadata: {x: 12345678901234567890123}";
        assert!(infrastructure(nulls).is_ok());
        let labelled = made(GCP, "metadata: {labels: {a: ~}}");
        assert_eq!(labelled.map(|made| made["metadata"]["labels"].clone()), Ok(json!({ "a": "" })));
        assert_eq!(infrastructure(""), Err("infrastructure-file-empty".to_owned()));
        assert_eq!(
            infrastructure("status: {platformStatus: {type: Azure, azure: {cloudName: 5}}}"),
            Err("cloud-name-unsupported".to_owned())
        );
        let caseless = "SPEC: {cloudconfig: {KEY: 5}}\nStatus: {platformStatus: {Type: GCP}}";
        let map = "DATA: {5: a}\ndata: {x: y}\nMetadata: {Labels: {a: 5}}";
        let caseless = made(caseless, map);
        assert_eq!(caseless.as_ref().map(|made| &made["data"]), Ok(&json!({ "cloud.conf": "a", "x": "y" })));
        assert_eq!(caseless.map(|made| made["metadata"]["labels"].clone()), Ok(json!({ "a": "5" })));
        assert_eq!(infrastructure("# none\n").map(|made| made["kind"].clone()), Ok(json!("ConfigMap")));
        assert_eq!(
            network("spec: {serviceNetwork: 5}").map_err(|fault| fault.name()),
            Err("network-unreadable")
        );
    }
}
