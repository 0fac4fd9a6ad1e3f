//! The resource that requests a cluster's infrastructure, and its status.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::Ipv4Addr;

use landfall_engine_aso::core::Stage as CoreStage;
use landfall_engine_aso::desired::Policy;
use landfall_engine_aso::keys;
pub use landfall_kube::kinds::AZURE_INFRASTRUCTURE;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::UNREADABLE;
use crate::Failed;

/// The default key of a config.
pub(crate) const CONFIG_KEY: &str = "install-config.yaml";
/// The default key of facts.
pub(crate) const FACTS_KEY: &str = "facts.json";

/// The resource, as far as it is read.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Resource {
    pub(super) metadata: Metadata,
    pub(super) spec: Spec,
    pub(super) status: Status,
    /// The fields of the spec that cannot be read, and count as left out.
    #[serde(skip)]
    pub(super) unreadable: Vec<String>,
}

/// An object without the fields of its spec that are not of their type, and the names of these.
pub(super) fn readable(mut object: Value) -> (Value, Vec<String>) {
    let mut unreadable = Vec::new();
    if let Some(fields) = object.get_mut("spec").and_then(Value::as_object_mut) {
        fields.retain(|name, value| {
            let alone = Value::Object(Map::from_iter([(name.clone(), value.take())]));
            let fits = Spec::deserialize(&alone).is_ok();
            if let Value::Object(mut alone) = alone {
                *value = alone.remove(name).unwrap_or_default();
            }
            if !fits {
                unreadable.push(name.clone());
            }
            fits
        });
    }
    (object, unreadable)
}

/// What counts of the metadata.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Metadata {
    pub(super) uid: String,
    pub(super) resource_version: String,
    pub(super) generation: i64,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) annotations: BTreeMap<String, String>,
    pub(super) finalizers: Vec<String>,
    pub(super) deletion_timestamp: Option<String>,
}

impl Resource {
    /// Whether nothing is to change: as the resource itself says, or as the Cluster API marks it.
    pub(super) fn is_paused(&self) -> bool {
        self.spec.paused || self.metadata.annotations.contains_key(PAUSED)
    }

    /// Whether Azure keeps a resource whose object goes; also where it cannot be read what its owner wants.
    pub(super) fn keeps_azure(&self) -> bool {
        self.spec.adopt_policy != AdoptPolicy::Manage
            || self.unreadable.iter().any(|field| field == "adoptPolicy")
    }

    /// That every field of the spec can be read.
    pub(super) fn is_whole(&self) -> Result<(), Failed> {
        if self.unreadable.is_empty() {
            return Ok(());
        }
        let fields: Vec<String> = self.unreadable.iter().map(|name| format!("spec.{name}")).collect();
        Err(Failed::terminal(UNREADABLE, format!("{}: invalid format", fields.join(", "))))
    }

    /// Whether it is on its way out.
    pub(super) fn is_being_deleted(&self) -> bool {
        self.metadata.deletion_timestamp.is_some()
    }

    /// Whether it goes because it lives in another management cluster now.
    pub(super) fn has_moved(&self) -> bool {
        self.metadata.annotations.contains_key(keys::DELETE_FOR_MOVE) && !self.has_stale_mark()
    }

    /// Whether the mark of a move that was interrupted is left on it, although somebody works with it again. A repeated
    /// `clusterctl move` copies the mark.
    pub(super) fn has_stale_mark(&self) -> bool {
        let works = !self.is_paused() && !self.is_being_deleted();
        works && self.metadata.annotations.contains_key(keys::DELETE_FOR_MOVE)
    }

    /// The infrastructure ID that was chosen before. The label moves with the resource, the status does not.
    pub(super) fn chosen_id(&self) -> Option<&str> {
        let ids = [Some(&self.status.infra_id), self.metadata.labels.get(keys::CLUSTER)];
        ids.into_iter().flatten().map(String::as_str).find(|id| !id.is_empty())
    }
}

/// Annotation of the Cluster API that pauses reconciliation.
const PAUSED: &str = "cluster.x-k8s.io/paused";

/// The desired infrastructure of a cluster.
#[derive(Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Spec {
    /// The install config. Everyone who may read this resource can read it: put one with a pull secret into a
    /// Secret, and use `installConfigRef`.
    #[schemars(schema_with = "any_object")]
    pub install_config: Map<String, Value>,
    /// Reference to the install config, as YAML or JSON. Default key: `install-config.yaml`.
    pub install_config_ref: Option<Reference>,
    /// Reference to a facts file of `landfall facts`. Default key: `facts.json`. Default: the catalogue.
    pub facts_ref: Option<Reference>,
    /// The cloud profile that restricts regions, zones and machine types.
    pub cloud_profile_ref: Option<ProfileReference>,
    /// The infrastructure ID, part of all names. Default: generated. It cannot be changed later.
    #[serde(rename = "infraID")]
    pub infra_id: String,
    /// The OpenShift release. Default: the catalogue's default release when the cluster was planned first.
    pub release: String,
    /// Subscription. Default: that of the credentials.
    #[serde(rename = "subscriptionID")]
    pub subscription_id: String,
    /// Tenant of the subscription. Default: that of the credentials.
    #[serde(rename = "tenantID")]
    pub tenant_id: String,
    /// The Secret with the credentials with which Azure Service Operator creates the cluster, in the operator's
    /// keys. It may have the endpoints of the cloud, which must be those of the install config.
    pub credentials_secret_ref: Named,
    /// Who creates the machines.
    pub machines: Machines,
    /// The Secret with what machines start with, if Azure Service Operator creates them: ignition pointers under
    /// `bootstrap` and `controlPlane`, or the files `bootstrap.ign` and `master.ign`.
    pub ignition_secret_ref: Option<Named>,
    /// The stage of the installation.
    pub stage: Stage,
    /// Whether to change nothing.
    pub paused: bool,
    /// What Azure Service Operator may do with adopted resources. With `skip`, the status says what adoption would
    /// do, and nothing changes in Azure.
    pub adopt_policy: AdoptPolicy,
    /// Internal address of the API; default in an existing network: chosen by Azure.
    #[serde(rename = "apiInternalIP")]
    #[schemars(schema_with = "ipv4_address")]
    pub api_internal_ip: Option<Ipv4Addr>,
    /// Changes to single objects, applied in their order.
    pub patches: Vec<Patch>,
}

/// The config may hold secrets.
impl fmt::Debug for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spec").field("infra_id", &self.infra_id).finish_non_exhaustive()
    }
}

fn any_object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
}

fn ipv4_address(_: &mut SchemaGenerator) -> Schema {
    const PART: &str = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
    json_schema!({ "type": "string", "nullable": true, "pattern": format!("^({PART}\\.){{3}}{PART}$") })
}

/// A text in the same namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Reference {
    /// The kind of the object that has the text.
    pub kind: Holder,
    /// The name of the object.
    pub name: String,
    /// The key in the object.
    pub key: String,
}

/// The kinds of objects that may have a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Holder {
    /// A Secret.
    #[default]
    Secret,
    /// A `ConfigMap`.
    ConfigMap,
}

/// An object in the same namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Named {
    /// Its name.
    pub name: String,
}

/// A cloud profile.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProfileReference {
    /// The kind of the profile.
    pub kind: ProfileHolder,
    /// Its name; except for a `CloudProfile`, in the same namespace.
    pub name: String,
}

/// The kinds of cloud profiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ProfileHolder {
    /// A `PrivateCloudProfile`.
    #[default]
    PrivateCloudProfile,
    /// A `NamespacedCloudProfile`.
    NamespacedCloudProfile,
    /// A `CloudProfile`.
    CloudProfile,
}

/// Who creates the machines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Machines {
    /// Another engine.
    #[default]
    None,
    /// Azure Service Operator.
    Aso,
}

/// The stage of an installation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// The infrastructure is created.
    #[default]
    Install,
    /// The infrastructure and the bootstrap machine are created.
    Bootstrap,
    /// The cluster is installed, and takes over the resources that it edits itself.
    Handover,
}

impl From<Stage> for CoreStage {
    fn from(stage: Stage) -> Self {
        match stage {
            Stage::Install => Self::Install,
            Stage::Bootstrap => Self::Bootstrap,
            Stage::Handover => Self::Handover,
        }
    }
}

/// What the operator may do with adopted resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AdoptPolicy {
    /// Read, write and delete it.
    #[default]
    Manage,
    /// Read and write it; Azure keeps it when its object goes.
    DetachOnDelete,
    /// Only read it.
    Skip,
}

impl From<AdoptPolicy> for Policy {
    fn from(policy: AdoptPolicy) -> Self {
        match policy {
            AdoptPolicy::Manage => Self::Manage,
            AdoptPolicy::DetachOnDelete => Self::DetachOnDelete,
            AdoptPolicy::Skip => Self::Skip,
        }
    }
}

/// A change to one object.
#[derive(Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Patch {
    /// The kind of the object.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// A JSON merge patch.
    pub patch: String,
}

/// A patch may hold what is not for everybody.
impl fmt::Debug for Patch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind, self.name)
    }
}

/// The observed infrastructure of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Status {
    /// The generation of the spec that this is about.
    pub observed_generation: i64,
    /// The infrastructure ID.
    #[serde(rename = "infraID", skip_serializing_if = "String::is_empty")]
    pub infra_id: String,
    /// The subscription that the cluster was planned in.
    #[serde(rename = "subscriptionID", skip_serializing_if = "String::is_empty")]
    pub subscription_id: String,
    /// The Secret with the credentials that is held for this cluster.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub credentials_secret: String,
    /// A digest of the desired resources in Azure.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub plan_hash: String,
    /// A digest of the plan's sources.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub inputs_hash: String,
    /// A digest of those of the plan's sources that the owner of the cluster decides.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub owner_inputs_hash: String,
    /// The version of landfall, and so of its catalogue, that planned the cluster.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub planned_by: String,
    /// The OpenShift release of the plan.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub release: String,
    /// The region of the plan. A cloud profile that the cluster refers to keeps it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub region: String,
    /// The zones of the plan's machines, which the profile keeps, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub zones: Vec<String>,
    /// The machine types of the plan, which the profile keeps, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub machine_types: Vec<String>,
    /// The machine types of the plan with the zones of each, in which the profile keeps them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<MachineZones>,
    /// What the infrastructure offers, once it is Ready.
    #[serde(skip_serializing_if = "Outputs::is_empty")]
    pub outputs: Outputs,
    /// Whether the resource got the annotation that protects the cluster from deletion, as a Ready cluster does.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deletion_protection_added: bool,
    /// Whether that annotation was removed since: it is not added again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deletion_protection_removed: bool,
    /// The policy of adopted resources that was applied last, or is being applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adopt_policy: Option<AdoptPolicy>,
    /// Whether that policy is not yet the one of all resources.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub adopt_policy_changing: bool,
    /// What adoption would do, where nothing may change in Azure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<DryRun>,
    /// The conditions of the infrastructure.
    pub conditions: Vec<Condition>,
    /// The number of objects in each state.
    pub counts: Counts,
    /// The objects that are not done, the worst first; at most a limited number.
    pub resources: Vec<Standing>,
}

/// The zones of a machine type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MachineZones {
    /// The machine type.
    #[serde(rename = "type")]
    pub machine_type: String,
    /// The zones of the plan's machines of this type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub zones: Vec<String>,
}

impl From<(String, BTreeSet<String>)> for MachineZones {
    fn from((machine_type, zones): (String, BTreeSet<String>)) -> Self {
        Self { machine_type, zones: zones.into_iter().collect() }
    }
}

/// What the infrastructure of a cluster offers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Outputs {
    /// Addresses of the API: the public ones; of a private cluster those within its network.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub api_addresses: Vec<String>,
    /// All public addresses of the cluster, with those that it has for outgoing connections only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub public_addresses: Vec<String>,
    /// Addresses of the internal load balancer, for the API within the network.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub internal_addresses: Vec<String>,
    /// Resource ids of the resource groups.
    #[serde(rename = "resourceGroupIDs", skip_serializing_if = "Vec::is_empty")]
    pub resource_group_ids: Vec<String>,
    /// Resource ids of the virtual networks.
    #[serde(rename = "networkIDs", skip_serializing_if = "Vec::is_empty")]
    pub network_ids: Vec<String>,
    /// Resource ids of the subnets.
    #[serde(rename = "subnetIDs", skip_serializing_if = "Vec::is_empty")]
    pub subnet_ids: Vec<String>,
    /// Resource ids of the DNS zones that were created.
    #[serde(rename = "zoneIDs", skip_serializing_if = "Vec::is_empty")]
    pub zone_ids: Vec<String>,
}

impl Outputs {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// How many resources adoption would concern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct DryRun {
    /// Those that exist as planned.
    pub to_adopt: i64,
    /// Those that exist and would be changed.
    pub to_change: i64,
    /// Those that do not exist and would be created.
    pub to_create: i64,
    /// Those that would be looked for once what they refer to is known.
    pub unknown: i64,
    /// Those that were adopted before, are not planned any more, and would be removed.
    pub to_remove: i64,
    /// Those that belong to somebody else, and would be left alone.
    pub foreign: i64,
}

/// A condition of the infrastructure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Condition {
    /// Type of the condition.
    #[serde(rename = "type")]
    pub kind: String,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// The generation of the spec that was observed.
    pub observed_generation: i64,
    /// When the status last changed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub last_transition_time: String,
    /// Why, in one word.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Why, in sentences.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// The number of objects in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Counts {
    /// All of them.
    pub total: i64,
    /// Those that are as desired.
    pub done: i64,
    /// Those that are being worked on.
    pub waiting: i64,
    /// Those that failed and are retried.
    pub failing: i64,
    /// Those that failed and need a change.
    pub failed: i64,
    /// Those of the ones that are done whose resource belongs to somebody else, and is left alone.
    pub foreign: i64,
}

/// The state of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Standing {
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The current action.
    pub action: String,
    /// Why.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
}

#[cfg(test)]
mod tests;
