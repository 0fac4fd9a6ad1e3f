//! The folder `openshift/` without its machines: `assets.md`, B.6 to B.8.

use std::collections::BTreeSet;

use landfall_model::config::InstallConfig;
use landfall_model::plan::{Plan, Since};
use serde_json::{Map, Value, json};

use super::manifests::{named, placed};
use super::{Extras, File, PlatformAssets, disk_setup, text};

fn file(name: impl AsRef<str>, value: &Value) -> File {
    File::yaml(format!("openshift/{}", name.as_ref()), value)
}

/// The files of the folder.
pub(super) fn files(plan: &Plan, assets: &PlatformAssets, extras: &Extras<'_>) -> Vec<File> {
    let (reader, secret) = assets.credentials_reader;
    let mut files = vec![
        file("99_role-cloud-creds-secret-reader.yaml", &reader_role(reader, secret)),
        file("99_feature-gate.yaml", &feature_gate(plan)),
        file("openshift-install-manifests.yaml", &install_note(plan, extras, "openshift-install-manifests")),
    ];
    if let Some((name, values)) = &assets.cloud_credentials {
        let data: Map<String, Value> = values
            .iter()
            .map(|(key, value)| ((*key).to_owned(), text::base64(value.expose()).into()))
            .collect();
        let value = json!({
            "apiVersion": "v1",
            "data": data,
            "kind": "Secret",
            "metadata": { "name": name, "namespace": "kube-system" },
        });
        files.push(file("99_cloud-creds-secret.yaml", &value).kept_secret());
    }
    for role in ["master", "worker"] {
        let name = format!("99_openshift-cluster-api_{role}-user-data-secret.yaml");
        files.push(file(name, &user_data(role, &pointer(plan, assets, extras, role))).kept_secret());
    }
    files.extend(machine_configs(plan));
    files.extend(disk_setup::configs(plan, assets).into_iter().map(|(name, role, ignition)| {
        let value = machine_config(&name, role, &[("config", ignition)]);
        file(format!("99_openshift-machineconfig_{name}.yaml"), &value)
    }));
    files
}

fn reader_role(name: &str, secret: &str) -> Value {
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": { "name": name, "namespace": "kube-system" },
        "rules": [{
            "apiGroups": [""],
            "resourceNames": [secret],
            "resources": ["secrets"],
            "verbs": ["get"],
        }],
    })
}

fn feature_gate(plan: &Plan) -> Value {
    let config = &plan.config;
    let mut spec = Map::new();
    if !config.feature_set.is_empty() {
        spec.insert("featureSet".to_owned(), config.feature_set.as_str().into());
    }
    if let Some(gates) = custom_gates(config) {
        spec.insert("customNoUpgrade".to_owned(), gates);
    }
    json!({
        "apiVersion": "config.openshift.io/v1",
        "kind": "FeatureGate",
        "metadata": named("cluster"),
        "spec": spec,
        "status": { "featureGates": null },
    })
}

/// The feature gates that the config switches on and off, by list; none without any.
pub(super) fn custom_gates(config: &InstallConfig) -> Option<Value> {
    let mut gates = Map::new();
    for (list, on) in [("enabled", true), ("disabled", false)] {
        let parsed = config.feature_gates.iter().filter_map(|gate| gate.split_once('='));
        let names: Vec<&str> =
            parsed.filter(|(_, state)| is_true(state) == on).map(|(name, _)| name).collect();
        if !names.is_empty() {
            gates.insert(list.to_owned(), names.into());
        }
    }
    (!gates.is_empty()).then_some(Value::Object(gates))
}

/// Whether a text is one of those that Go takes for true; rules refuse what is neither true nor false.
fn is_true(text: &str) -> bool {
    ["1", "t", "T", "true", "TRUE", "True"].contains(&text)
}

/// Who installed the cluster, and with which release's rules.
pub(super) fn install_note(plan: &Plan, extras: &Extras<'_>, name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "data": { "invoker": extras.invoker, "version": format!("v{}.0", plan.release) },
        "kind": "ConfigMap",
        "metadata": placed(name, "openshift-config"),
    })
}

/// The ignition config that machines of a role begin with.
pub(super) fn pointer(plan: &Plan, assets: &PlatformAssets, extras: &Extras<'_>, role: &str) -> String {
    let mut ignition = text::pointer_ignition(&plan.machine_config_host(), role, &extras.tls.root_ca);
    if assets.var_partition && role == "master" && plan.has(Since::Today) {
        text::add_var_partition(&mut ignition);
    }
    ignition.to_string()
}

fn user_data(role: &str, ignition: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "data": { "disableTemplating": text::base64("true\n"), "userData": text::base64(ignition) },
        "kind": "Secret",
        "metadata": { "name": format!("{role}-user-data"), "namespace": "openshift-machine-api" },
        "type": "Opaque",
    })
}

/// Settings of the machines' operating system before its first start.
fn machine_configs(plan: &Plan) -> Vec<File> {
    let config = &plan.config;
    let keys = config.ssh_key.expose();
    let control_plane = config.control_plane.iter().map(|pool| ("master", pool));
    let compute = config.compute.iter().map(|pool| ("worker", pool));
    let disabled: BTreeSet<&str> = control_plane
        .chain(compute)
        .filter(|(_, pool)| pool.hyperthreading == "Disabled")
        .map(|(role, _)| role)
        .collect();
    let mut files = Vec::new();
    for role in ["master", "worker"] {
        let mut push = |what: &str, changed: &[(&str, Value)]| {
            let name = format!("99-{role}-{what}");
            let value = machine_config(&name, role, changed);
            files.push(file(format!("99_openshift-machineconfig_{name}.yaml"), &value));
        };
        if !keys.is_empty() {
            let users = json!({ "users": [{ "name": "core", "sshAuthorizedKeys": [keys] }] });
            let ignition = json!({ "ignition": { "version": "3.2.0" }, "passwd": users });
            push("ssh", &[("config", ignition)]);
        }
        if config.fips {
            push("fips", &[("fips", true.into())]);
        }
        if disabled.contains(role) {
            let mut arguments = vec!["nosmt"];
            if plan.has(Since::Today) {
                arguments.push("smt-enabled=off");
            }
            push("disable-hyperthreading", &[("kernelArguments", arguments.into())]);
        }
    }
    files
}

fn machine_config(name: &str, role: &str, changed: &[(&str, Value)]) -> Value {
    let mut spec = json!({
        "baseOSExtensionsContainerImage": "",
        "config": { "ignition": { "version": "3.2.0" } },
        "extensions": null,
        "fips": false,
        "kernelArguments": null,
        "kernelType": "",
        "osImageURL": "",
    });
    for (key, value) in changed {
        spec[*key] = value.clone();
    }
    json!({
        "apiVersion": "machineconfiguration.openshift.io/v1",
        "kind": "MachineConfig",
        "metadata": {
            "creationTimestamp": null,
            "labels": { "machineconfiguration.openshift.io/role": role },
            "name": name,
        },
        "spec": spec,
    })
}
