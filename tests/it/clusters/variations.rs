//! What changes in the files of an example with its config.

use super::*;

/// The files of a release for an example of 4.19 after a change to its config and inputs, as data.
fn varied(
    release: &str,
    example: &str,
    change: impl FnOnce(&mut Value, &mut Value),
) -> BTreeMap<String, Value> {
    let folder = SETS[1].own_folder().join(example);
    let read = |name: &str| -> Value {
        serde_yaml::from_str(&std::fs::read_to_string(folder.join(name)).unwrap()).unwrap()
    };
    let (mut config, mut inputs) = (read("install-config.yaml"), read("inputs.json"));
    change(&mut config, &mut inputs);
    let (_, files) = made_of(release, example, &config.to_string(), &inputs);
    let of_cluster = files.into_iter().filter(|file| !file.path.starts_with("terraform/"));
    of_cluster.map(|file| (file.path, serde_yaml::from_slice(&file.bytes).unwrap())).collect()
}

/// The copy of the config in a cluster's files.
fn copy(files: &BTreeMap<String, Value>) -> Value {
    serde_yaml::from_str(&text_at(&files["manifests/cluster-config.yaml"], "/data/install-config")).unwrap()
}

const BOOT_IMAGES: &str = "manifests/90_cluster-mco-02-config.yaml";

#[test]
fn boot_images_are_pinned_for_images_of_the_config() {
    let workers = |settings: Value| json!([{ "name": "worker", "platform": { "aws": settings } }]);
    let own = json!({ "amiID": "ami-0own" });
    let pinned = |control_plane: Value, compute: Value, usual: Value| {
        let files = varied("4.19", "var-aws-defaults", |config, _| {
            config["controlPlane"] = control_plane;
            config["compute"] = compute;
            config["platform"]["aws"]["defaultMachinePlatform"] = usual;
        });
        files.contains_key(BOOT_IMAGES)
    };
    let (amd, arm) = (json!({ "name": "master" }), json!({ "name": "master", "architecture": "arm64" }));
    // Compute machines of another architecture start from another image, which is a published one as well.
    assert!(!pinned(arm, workers(json!({})), json!({})));
    assert!(pinned(amd.clone(), workers(own.clone()), json!({})));
    assert!(pinned(amd, workers(json!({})), own));
}

#[test]
fn the_copy_of_the_config_keeps_older_forms() {
    for release in ["4.14", "4.19"] {
        let copy = copy(&varied(release, "var-aws-defaults", |config, _| {
            config["networking"] = json!({
                "clusterNetworks": [{ "cidr": "10.132.0.0/14", "hostSubnetLength": 9 }],
                "machineCIDR": "10.2.0.0/16",
                "serviceCIDR": "172.31.0.0/16",
                "type": "ovnkubernetes",
            });
        }));
        let pods = json!([{ "cidr": "10.132.0.0/14", "hostPrefix": 23, "hostSubnetLength": 9 }]);
        let networking = json!({
            "clusterNetwork": pods,
            "clusterNetworks": pods,
            "machineCIDR": "10.2.0.0/16",
            "machineNetwork": [{ "cidr": "10.2.0.0/16" }],
            "networkType": "OVNKubernetes",
            "serviceCIDR": "172.31.0.0/16",
            "serviceNetwork": ["172.31.0.0/16"],
            "type": "ovnkubernetes",
        });
        assert_eq!(copy["networking"], networking, "{release}");
    }
}

#[test]
fn an_added_edge_pool_is_plain_in_the_copy_and_complete_in_machines() {
    for release in ["4.14", "4.19"] {
        let files = |architecture: &str| {
            varied(release, "x-aws-edge-existing", |config, inputs| {
                config["controlPlane"] = json!({ "name": "master", "architecture": architecture });
                config["compute"] = json!([{ "name": "worker", "architecture": architecture }]);
                config["platform"]["aws"]["defaultMachinePlatform"] =
                    json!({ "rootVolume": { "size": 200 } });
                let offers = &mut inputs["aws"]["instanceTypeOfferings"]["m6g.xlarge"];
                offers.as_array_mut().unwrap().push("us-east-1-bos-1a".into());
            })
        };
        for (architecture, kind) in [("amd64", "m5.2xlarge"), ("arm64", "m6g.xlarge")] {
            let files = files(architecture);
            let pool = json!({
                "architecture": "amd64",
                "hyperthreading": "Enabled",
                "name": "edge",
                "platform": {},
                "replicas": 1,
            });
            assert_eq!(copy(&files)["compute"][1], pool, "{release}, {architecture}");
            let machines = |set: u8| {
                let path = format!("openshift/99_openshift-cluster-api_worker-machineset-{set}.yaml");
                files[&path].pointer("/spec/template/spec/providerSpec/value").unwrap().clone()
            };
            let (worker, edge) = (machines(0), machines(3));
            assert_eq!(edge["instanceType"], kind, "{release}");
            assert_eq!(edge["ami"], worker["ami"], "{release}, {architecture}");
            let volume = &edge["blockDevices"][0]["ebs"];
            assert_eq!(
                (&volume["volumeSize"], &volume["volumeType"]),
                (&json!(200), &json!("gp2")),
                "{release}"
            );
            assert!(!files.contains_key(BOOT_IMAGES), "{release}, {architecture}");
        }
    }
}

/// Components of the cluster call custom endpoints, which often have certificates of a private authority.
#[test]
fn custom_endpoints_do_not_take_the_roots_of_the_system_away() {
    for release in ["4.14", "4.19"] {
        let files = varied(release, "x-aws-trust-gates", |config, _| {
            let endpoint = json!({ "name": "s3", "url": "https://s3.example.com" });
            config["platform"]["aws"]["serviceEndpoints"] = json!([endpoint]);
        });
        let config = &files["manifests/cloud-provider-config.yaml"];
        assert_eq!(text_at(config, "/data/ca-bundle.pem"), "", "{release}");
        assert!(files.contains_key("manifests/user-ca-bundle-config.yaml"), "{release}");
    }
}

#[test]
fn failure_domains_on_azure_are_sorted_before_4_19() {
    for (release, wanted) in [("4.14", ["1", "2", "3"]), ("4.19", ["3", "1", "2"])] {
        let files = varied(release, "x-azure-internal", |config, _| {
            config["platform"]["azure"]["defaultMachinePlatform"] = json!({ "zones": ["3", "1", "2"] });
        });
        let set = &files["openshift/99_openshift-machine-api_master-control-plane-machine-set.yaml"];
        let domains =
            set.pointer("/spec/template/machines_v1beta1_machine_openshift_io/failureDomains/azure");
        assert_eq!(domains.unwrap(), &json!(wanted.map(|zone| json!({ "zone": zone }))), "{release}");
    }
}
