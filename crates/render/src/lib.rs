//! From a plan to every file: manifests, machines, terraform variables, `metadata.json`, in memory.
//!
//! Pure: the same plan and the same secrets give the same bytes. What differs between platforms comes as
//! [`PlatformAssets`], made by its crate.
//!
//! ```
//! use landfall_model::plan::Stage;
//! use landfall_render::{modules, yaml};
//! use serde_json::json;
//!
//! assert_eq!(yaml(&json!({ "kind": "Infrastructure" })), "kind: Infrastructure\n");
//! let stage = Stage { name: "bootstrap", only_for_bootstrap: true };
//! let module = modules::joined("aws", &stage);
//! assert_eq!(module.path, "terraform/bootstrap/main.tf");
//! assert!(String::from_utf8_lossy(&module.bytes).contains("resource \"aws_instance\""));
//! ```

#![forbid(unsafe_code)]

mod cluster_config;
mod disk_setup;
mod file;
pub mod ignition;
mod machine_config_server;
mod machines;
mod manifests;
pub mod modules;
mod openshift;
mod terraform;
mod text;

pub use file::File;
pub use manifests::load_balancer_config;
pub use text::{bootstrap_stub, ordered, raw, yaml};

use std::collections::BTreeMap;

use landfall_diagnostics::secret::Secret;
use landfall_model::plan::{Plan, Stage};
use serde_json::Value;
use serde_json::value::RawValue;

/// Every file of a cluster, sorted by path.
///
/// `platform` is the key of the plan's platform, `stages` its terraform modules.
#[must_use]
pub fn files(
    plan: &Plan,
    assets: &PlatformAssets,
    unset: &Unset,
    stages: &[Stage],
    platform: &str,
    extras: &Extras<'_>,
) -> Vec<File> {
    let mut files = manifests::files(plan, assets, extras);
    files.push(manifests::cluster_config(plan, &cluster_config::redacted(plan, unset)));
    files.extend(openshift::files(plan, assets, extras));
    files.extend(machines::files(plan, &assets.machines));
    files.extend(terraform::files(plan, assets, extras, platform));
    files.extend(stages.iter().map(|stage| modules::joined(platform, stage)));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// The credentials with which the cluster calls its cloud, by names that the platform chooses. Empty where
/// none are at hand.
pub type Credentials = BTreeMap<&'static str, Secret<String>>;

/// The certificates of one cluster, each in PEM form.
#[derive(Clone, Debug)]
pub struct Tls {
    /// Certificate of the cluster's root authority.
    pub root_ca: String,
    /// Certificate of the machine config server, signed by the root authority.
    pub machine_config_server: String,
    /// Private key of the machine config server.
    pub machine_config_server_key: Secret<String>,
    /// When that certificate is valid; none where it cannot be read.
    pub machine_config_server_validity: Option<Validity>,
    /// Private key of the root authority; none where it was not kept.
    pub root_key: Option<Secret<String>>,
    /// When the root certificate is valid; none where it cannot be read.
    pub root_validity: Option<Validity>,
}

/// From when to when a certificate is valid, in the form of RFC 3339 with whole seconds in UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validity {
    /// The first moment.
    pub not_before: String,
    /// The last moment.
    pub not_after: String,
}

/// What rendering needs besides the plan.
#[derive(Clone, Debug)]
pub struct Extras<'a> {
    /// The cluster's credentials for its cloud.
    pub credentials: &'a Credentials,
    /// The cluster's certificates.
    pub tls: &'a Tls,
    /// Who runs landfall, in the words of `OPENSHIFT_INSTALL_INVOKER`; `user` by default.
    pub invoker: &'a str,
    /// Whether workloads may run on the control plane, where the scheduler's manifest was edited.
    pub masters_schedulable: Option<bool>,
    /// The ignition config of the bootstrap machine, as JSON; none before it exists.
    pub bootstrap_ignition: Option<&'a Secret<String>>,
    /// The ignition config of the control plane's machines, as JSON; where there is none, they get one that
    /// points at the cluster's machine config server.
    pub master_ignition: Option<&'a Secret<String>>,
    /// The account or subscription that the cluster is made in, for whoever removes it; none where no cloud
    /// was asked.
    pub account: Option<&'a str>,
    /// The engine that creates the cluster, once it is chosen.
    pub engine: Option<&'a Engine>,
}

/// The engine that creates a cluster, and where a management cluster has its objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engine {
    /// Its name.
    pub name: String,
    /// The namespace of the objects; empty where there are none.
    pub namespace: String,
    /// Whether the operator creates the machines as well.
    pub machines: bool,
}

impl Engine {
    /// An engine that needs no management cluster.
    #[must_use]
    pub fn here(engine: landfall_model::plan::Engine) -> Self {
        Self { name: engine.name().to_owned(), namespace: String::new(), machines: false }
    }
}

/// A secret's name and its values by key.
pub type CloudCredentials = (&'static str, Vec<(&'static str, Secret<String>)>);

/// A data disk as the operating system of a machine sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataDevice {
    /// Role of the machines: `master` or `worker`.
    pub role: &'static str,
    /// Name of the disk in the install config.
    pub disk: String,
    /// Path of its device.
    pub path: String,
}

/// What a platform adds to the files of a cluster.
#[derive(Debug)]
pub struct PlatformAssets {
    /// Name of the platform in Kubernetes objects, such as `AWS`.
    pub type_name: &'static str,
    /// `spec.platformSpec` of the Infrastructure object besides `type`: an object.
    pub infrastructure_spec: Value,
    /// `status.platformStatus` of the Infrastructure object besides `type`: an object.
    pub infrastructure_status: Value,
    /// Data of the `ConfigMap` `cloud-provider-config`; none where that is not written.
    pub cloud_config: Option<BTreeMap<String, String>>,
    /// `spec.publicZone` of the DNS object.
    pub public_zone: Option<Value>,
    /// `spec.privateZone` of the DNS object.
    pub private_zone: Option<Value>,
    /// `spec.platform` of the DNS object.
    pub dns_platform: Value,
    /// `spec.loadBalancer.platform` of the Ingress object.
    pub ingress_platform: Value,
    /// `providerParameters` of the default ingress controller's load balancer, where the config decides them.
    pub ingress_parameters: Option<Value>,
    /// What is never reached through a proxy on this platform.
    pub no_proxy: Vec<String>,
    /// Whether machines of the control plane have a partition of their own for `/var`, in releases that create one.
    pub var_partition: bool,
    /// Devices of the data disks that machines have.
    pub data_devices: Vec<DataDevice>,
    /// Whether machine sets start from images of the user's own, which the cluster must not replace.
    pub own_boot_images: bool,
    /// The `ClusterCSIDriver` object's name and `spec.driverConfig`, where disks are encrypted with a key
    /// of the user's own.
    pub csi_driver: Option<(&'static str, Value)>,
    /// MTU of the pod network in bytes, where `cluster-network-03-config.yml` must set it.
    pub pod_network_mtu: Option<u32>,
    /// The secret with the cloud credentials: its name and its values by key; none without credentials or
    /// where the mode is manual.
    pub cloud_credentials: Option<CloudCredentials>,
    /// Name of the role that may read that secret, and the secret's name.
    pub credentials_reader: (&'static str, &'static str),
    /// The machines.
    pub machines: MachineAssets,
    /// The object under the platform's key in `metadata.json`.
    pub metadata: Box<RawValue>,
    /// The platform's terraform variables, in declaration order.
    pub tfvars: Box<RawValue>,
    /// Variables of our own modules that come from the catalogue, in declaration order.
    pub own_tfvars: Box<RawValue>,
}

/// What the copy of the install config in the cluster shows of fields that were not set, beside what was
/// given (`assets.md`, B.5). Each is an object that the given one is laid over.
#[derive(Debug)]
pub struct Unset {
    /// The config itself.
    pub top: Value,
    /// The platform's section.
    pub platform: Value,
    /// A pool's section, where there is one.
    pub pool: Value,
    /// Sections of a pool's section, where they are given: the installer writes their fields even if they are empty.
    /// The one entry of a list is for each entry of the given one.
    pub within_pool: Value,
}

/// The machines of a cluster in the form of the Machine API.
#[derive(Debug)]
pub struct MachineAssets {
    /// `spec.providerSpec.value` of each control plane machine.
    pub control_plane: Vec<Value>,
    /// The same for the control plane machine set.
    pub template: Value,
    /// `failureDomains` of the control plane machine set; none leaves the field out.
    pub failure_domains: Option<Value>,
    /// The machine sets, in order.
    pub sets: Vec<MachineSet>,
    /// Those of Cluster API, in order.
    pub cluster_api_sets: Vec<ClusterApiSet>,
}

/// A machine set of Cluster API, with the template of its machines.
#[derive(Debug)]
pub struct ClusterApiSet {
    /// Name of both.
    pub name: String,
    /// Number of machines.
    pub replicas: u32,
    /// Kind of the template, such as `AWSMachineTemplate`.
    pub template_kind: &'static str,
    /// `spec.template.spec` of the template.
    pub machine: Value,
    /// Labels of the machines that their nodes get as well, beside that of their role.
    pub node_labels: BTreeMap<String, String>,
    /// Taints of the nodes, as `MachineTaint` of Cluster API has them.
    pub taints: Vec<Value>,
}

/// One machine set.
#[derive(Debug)]
pub struct MachineSet {
    /// Name.
    pub name: String,
    /// Role and type of its machines in their labels: `worker`, or `edge` from 4.19 on.
    pub role: &'static str,
    /// Number of machines.
    pub replicas: u32,
    /// Whether the set itself carries the labels of role and type.
    pub labelled: bool,
    /// `spec.providerSpec.value` of its machines.
    pub provider: Value,
    /// Labels of its nodes.
    pub node_labels: BTreeMap<String, String>,
    /// Taints of its nodes.
    pub taints: Vec<Value>,
}
