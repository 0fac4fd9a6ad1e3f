//! What the machine config operator is told of the images of machines, and gates that a release has on.

use serde_json::Value;

use super::*;

const AZURE: &str = include_str!("../../../testdata/quickstart/azure.yaml");
const STREAM: &str = "machineconfiguration.openshift.io/osstream";
const BOOT_IMAGES: &str = "manifests/90_cluster-mco-02-config.yaml";

/// The files of a config; what was said where it is refused.
fn written(config: &str, release: &str) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let directory = directory(config);
    let output = Command::new(env!("CARGO_BIN_EXE_landfall"))
        .args(["create", "manifests", "--offline", "--release", release, "--dir"])
        .arg(directory.path())
        .env_clear()
        .env("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
        .env("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
        .env("AZURE_SUBSCRIPTION_ID", "00000000-0000-0000-0000-000000000001")
        .env("AZURE_TENANT_ID", "00000000-0000-0000-0000-000000000002")
        .env("AZURE_CLIENT_ID", "00000000-0000-0000-0000-000000000003")
        .env("AZURE_CLIENT_SECRET", "EXAMPLE")
        .output()
        .unwrap();
    if output.status.success() { Ok(files(directory.path())) } else { Err(said(&output)) }
}

fn object(files: &BTreeMap<String, Vec<u8>>, path: &str) -> Value {
    serde_yaml::from_slice(&files[path]).unwrap()
}

#[test]
fn the_stream_of_machines_is_named_where_its_gate_is_on() {
    let preview = "featureSet: TechPreviewNoUpgrade\n";
    for (release, more, expected) in [
        ("4.22", "", None),
        ("4.22", preview, Some(("v1alpha1", "rhel-9"))),
        ("4.23", "", Some(("v1", "rhel-9"))),
        ("5.0", "", Some(("v1", "rhel-10"))),
        ("4.21", preview, None),
    ] {
        for config in [CONFIG, AZURE] {
            let files = written(&format!("{config}{more}"), release).unwrap();
            let stream = files.get("openshift/99_osimagestream.yaml");
            let stream: Option<Value> = stream.map(|text| serde_yaml::from_slice(text).unwrap());
            let wanted = expected.map(|(version, stream)| {
                json!({
                    "apiVersion": format!("machineconfiguration.openshift.io/{version}"),
                    "kind": "OSImageStream",
                    "metadata": { "name": "cluster" },
                    "spec": { "defaultStream": stream },
                })
            });
            assert_eq!(stream, wanted, "{release}");
            let labelled = expected.map(|(_, stream)| Value::from(stream));
            for (path, pointers) in [
                ("openshift/99_openshift-cluster-api_master-machines-0.yaml", &["/metadata/labels"][..]),
                (
                    "openshift/99_openshift-cluster-api_worker-machineset-0.yaml",
                    &["/metadata/labels", "/spec/template/metadata/labels"],
                ),
                (
                    "openshift/99_openshift-machine-api_master-control-plane-machine-set.yaml",
                    &[
                        "/metadata/labels",
                        "/spec/template/machines_v1beta1_machine_openshift_io/metadata/labels",
                    ],
                ),
            ] {
                let object = object(&files, path);
                for pointer in pointers {
                    let labels = object.pointer(pointer).unwrap();
                    assert_eq!(labels.get(STREAM).cloned(), labelled, "{release} {path} {pointer}");
                }
                let selector = object.pointer("/spec/selector/matchLabels");
                assert!(selector.is_none_or(|labels| labels.get(STREAM).is_none()), "{path}");
            }
        }
    }
}

#[test]
fn machine_sets_on_azure_keep_an_image_of_the_user() {
    let image = "      osImage: {publisher: acme, offer: rhcos, sku: gen2, version: 1.2.3}\n";
    let zones = "      zones: [\"1\", \"2\", \"3\"]\n";
    assert!(AZURE.contains(zones));
    let workers = AZURE.replace(zones, &format!("{zones}{image}"));
    let all = AZURE.replace(
        "  azure:\n    cloudName",
        &format!("  azure:\n    defaultMachinePlatform:\n{image}    cloudName"),
    );
    for (config, release, expected) in [
        (AZURE, "4.22", false),
        (workers.as_str(), "4.21", false),
        (workers.as_str(), "4.22", true),
        (all.as_str(), "4.22", true),
    ] {
        let files = written(config, release).unwrap();
        assert_eq!(files.contains_key(BOOT_IMAGES), expected, "{release} {config}");
    }
}

#[test]
fn gates_are_on_in_the_releases_that_have_them_on() {
    let preview = "featureSet: TechPreviewNoUpgrade\n";
    let by_user = |config: &str, cloud: &str| {
        config.replace(
            &format!("platform:\n  {cloud}:\n"),
            &format!("platform:\n  {cloud}:\n    userProvisionedDNS: Enabled\n"),
        )
    };
    let (aws, azure) = (by_user(CONFIG, "aws"), by_user(AZURE, "azure"));
    assert!(aws != CONFIG && azure != AZURE);
    let eusc = CONFIG.replace("us-east-1", "eusc-de-east-1");
    let rhel_10 = format!("{CONFIG}osImageStream: rhel-10\n");
    let identity = AZURE.replace(
        "      zones: [",
        "      identity: {type: UserAssigned, userAssignedIdentities: [{name: nodes, resourceGroup: ids, \
         subscription: 00000000-0000-0000-0000-000000000001}]}\n      zones: [",
    );
    for (config, more, release, refused) in [
        (&aws, "", "4.19", Some("LF0736")),
        (&aws, "", "4.22", Some("LF0162")),
        (&aws, preview, "4.22", None),
        (&aws, "", "4.23", None),
        (&azure, "", "4.21", Some("LF0736")),
        (&azure, preview, "4.21", None),
        (&azure, "", "4.22", None),
        (&eusc, preview, "4.21", Some("LF0736")),
        (&rhel_10, "", "4.22", Some("LF0162")),
        (&rhel_10, "", "5.0", None),
        (&identity, "", "4.18", Some("LF0736")),
        (&identity, "", "4.19", None),
    ] {
        let said = written(&format!("{config}{more}"), release).err().unwrap_or_default();
        assert_eq!(refused.is_some(), !said.is_empty(), "{release}: {said}");
        assert!(refused.is_none_or(|code| said.contains(code)), "{release}: {said}");
        // A setting that the release does not have needs no gate.
        assert!(!(said.contains("LF0736") && said.contains("LF0162")), "{release}: {said}");
    }
}
