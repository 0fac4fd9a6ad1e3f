//! Machines, machine sets and the control plane machine set: `assets.md`, B.9 and B.10.

use landfall_model::plan::{Plan, Since};
use serde_json::{Value, json};

use super::{ClusterApiSet, File, MachineAssets, MachineSet};

const NAMESPACE: &str = "openshift-machine-api";
const CLUSTER: &str = "machine.openshift.io/cluster-api-cluster";
const ROLE: &str = "machine.openshift.io/cluster-api-machine-role";
const TYPE: &str = "machine.openshift.io/cluster-api-machine-type";
const SET: &str = "machine.openshift.io/cluster-api-machineset";
const STREAM: &str = "machineconfiguration.openshift.io/osstream";

const CLUSTER_API_NAMESPACE: &str = "openshift-cluster-api";
const CLUSTER_NAME: &str = "cluster.x-k8s.io/cluster-name";
const SET_NAME: &str = "cluster.x-k8s.io/set-name";
/// The API group of templates.
const PROVIDERS: &str = "infrastructure.cluster.x-k8s.io";

/// The files of all machines.
pub(super) fn files(plan: &Plan, machines: &MachineAssets) -> Vec<File> {
    let id = plan.identity.infra_id.as_str();
    let mut files = Vec::new();
    for (number, provider) in numbered(&machines.control_plane) {
        let name = format!("openshift/99_openshift-cluster-api_master-machines-{number}.yaml");
        let index = number.trim_start_matches('0');
        let index = if index.is_empty() { "0" } else { index };
        files.push(File::yaml(name, &of_stream(plan, machine(id, index, provider))));
    }
    if machines.control_plane.len() > 1 {
        let name = "openshift/99_openshift-machine-api_master-control-plane-machine-set.yaml".to_owned();
        files.push(File::yaml(name, &of_stream(plan, control_plane_machine_set(id, machines))));
    }
    for (number, set) in numbered(&machines.sets) {
        let name = format!("openshift/99_openshift-cluster-api_worker-machineset-{number}.yaml");
        files.push(File::yaml(name, &of_stream(plan, machine_set(id, set))));
    }
    for (number, set) in numbered(&machines.cluster_api_sets) {
        let name = |what: &str| format!("openshift/99_openshift-cluster-api_worker-{what}-{number}.yaml");
        files.push(File::yaml(name("machine-template"), &machine_template(id, set)));
        let cluster_api_set = of_stream(plan, cluster_api_machine_set(id, set));
        files.push(File::yaml(name("cluster-api-machineset"), &cluster_api_set));
    }
    if !plan.os_image_stream.is_empty() {
        files.push(File::yaml("openshift/99_osimagestream.yaml".to_owned(), &os_image_stream(plan)));
    }
    files
}

/// Labels machines, and those that a set creates, with the operating system stream of their images: the machine config
/// operator gives sets without the label images of `rhel-9`.
fn of_stream(plan: &Plan, mut object: Value) -> Value {
    const LABELS: [&str; 3] = [
        "/metadata/labels",
        "/spec/template/metadata/labels",
        "/spec/template/machines_v1beta1_machine_openshift_io/metadata/labels",
    ];
    for labels in LABELS.into_iter().filter(|_| !plan.os_image_stream.is_empty()) {
        if let Some(labels) = object.pointer_mut(labels) {
            labels[STREAM] = plan.os_image_stream.as_str().into();
        }
    }
    object
}

/// The stream that machines update to unless their pool says otherwise.
fn os_image_stream(plan: &Plan) -> Value {
    let version = if plan.has(Since::OsImageStream) { "v1" } else { "v1alpha1" };
    json!({
        "apiVersion": format!("machineconfiguration.openshift.io/{version}"),
        "kind": "OSImageStream",
        "metadata": { "name": "cluster" },
        "spec": { "defaultStream": plan.os_image_stream },
    })
}

/// The template that a Cluster API machine set creates machines from.
fn machine_template(id: &str, set: &ClusterApiSet) -> Value {
    json!({
        "apiVersion": format!("{PROVIDERS}/v1beta2"),
        "kind": set.template_kind,
        "metadata": {
            "labels": { CLUSTER_NAME: id },
            "name": set.name,
            "namespace": CLUSTER_API_NAMESPACE,
        },
        "spec": { "template": { "spec": set.machine } },
    })
}

fn cluster_api_machine_set(id: &str, set: &ClusterApiSet) -> Value {
    let selector = json!({ CLUSTER_NAME: id, SET_NAME: set.name });
    let mut labels = selector.clone();
    // Labels of a machine go to its node.
    labels["node-role.kubernetes.io/worker"] = "".into();
    for (name, value) in &set.node_labels {
        labels[name] = value.as_str().into();
    }
    let mut manifest = json!({
        "apiVersion": "cluster.x-k8s.io/v1beta2",
        "kind": "MachineSet",
        "metadata": {
            "labels": { CLUSTER_NAME: id },
            "name": set.name,
            "namespace": CLUSTER_API_NAMESPACE,
        },
        "spec": {
            "clusterName": id,
            "replicas": set.replicas,
            "selector": { "matchLabels": selector },
            "template": {
                "metadata": { "labels": labels },
                "spec": {
                    "bootstrap": { "dataSecretName": "worker-user-data" },
                    "clusterName": id,
                    "infrastructureRef": {
                        "apiGroup": PROVIDERS,
                        "kind": set.template_kind,
                        "name": set.name,
                    },
                },
            },
        },
    });
    if !set.taints.is_empty() {
        manifest["spec"]["template"]["spec"]["taints"] = set.taints.clone().into();
    }
    manifest
}

/// Counts from 0, with as many digits as the number of items has.
fn numbered<T>(items: &[T]) -> impl Iterator<Item = (String, &T)> {
    let width = items.len().to_string().len();
    items.iter().enumerate().map(move |(i, item)| (format!("{i:0width$}"), item))
}

fn labels(id: &str, role: &str) -> Value {
    json!({ CLUSTER: id, ROLE: role, TYPE: role })
}

fn spec(provider: &Value) -> Value {
    json!({ "lifecycleHooks": {}, "metadata": {}, "providerSpec": { "value": provider } })
}

fn machine(id: &str, index: &str, provider: &Value) -> Value {
    json!({
        "apiVersion": "machine.openshift.io/v1beta1",
        "kind": "Machine",
        "metadata": {
            "creationTimestamp": null,
            "labels": labels(id, "master"),
            "name": format!("{id}-master-{index}"),
            "namespace": NAMESPACE,
        },
        "spec": spec(provider),
        "status": {},
    })
}

fn machine_set(id: &str, set: &MachineSet) -> Value {
    let mut template_labels = labels(id, set.role);
    template_labels[SET] = set.name.as_str().into();
    let own_labels = if set.labelled { labels(id, set.role) } else { json!({ CLUSTER: id }) };
    let mut spec = spec(&set.provider);
    if !set.node_labels.is_empty() {
        spec["metadata"] = json!({ "labels": set.node_labels });
    }
    if !set.taints.is_empty() {
        spec["taints"] = set.taints.clone().into();
    }
    json!({
        "apiVersion": "machine.openshift.io/v1beta1",
        "kind": "MachineSet",
        "metadata": {
            "creationTimestamp": null,
            "labels": own_labels,
            "name": set.name,
            "namespace": NAMESPACE,
        },
        "spec": {
            "replicas": set.replicas,
            "selector": { "matchLabels": { CLUSTER: id, SET: set.name } },
            "template": { "metadata": { "labels": template_labels }, "spec": spec },
        },
        "status": { "replicas": 0 },
    })
}

fn control_plane_machine_set(id: &str, machines: &MachineAssets) -> Value {
    let mut template =
        json!({ "metadata": { "labels": labels(id, "master") }, "spec": spec(&machines.template) });
    if let Some(domains) = &machines.failure_domains {
        template["failureDomains"] = domains.clone();
    }
    json!({
        "apiVersion": "machine.openshift.io/v1",
        "kind": "ControlPlaneMachineSet",
        "metadata": {
            "creationTimestamp": null,
            "labels": { CLUSTER: id },
            "name": "cluster",
            "namespace": NAMESPACE,
        },
        "spec": {
            "replicas": machines.control_plane.len(),
            "selector": { "matchLabels": labels(id, "master") },
            "state": "Active",
            "strategy": {},
            "template": {
                "machineType": "machines_v1beta1_machine_openshift_io",
                "machines_v1beta1_machine_openshift_io": template,
            },
        },
        "status": {},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pads_numbers_to_the_digits_of_the_count() {
        let names =
            |count: usize| -> Vec<String> { numbered(&vec![(); count]).map(|(number, ())| number).collect() };
        assert_eq!(names(3), ["0", "1", "2"]);
        assert_eq!(names(10).first().map(String::as_str), Some("00"));
        assert_eq!(names(10).last().map(String::as_str), Some("09"));
    }
}
