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
