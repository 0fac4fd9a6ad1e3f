//! The resource that requests a cluster's infrastructure, and its status.

use std::collections::BTreeMap;
use std::fmt;
use std::net::Ipv4Addr;

use landfall_engine_aso::core::INFRASTRUCTURE;
use landfall_engine_aso::core::Stage as CoreStage;
use landfall_engine_aso::desired::Policy;
use landfall_engine_aso::keys;
use landfall_kube::objects::Kind;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::UNREADABLE;
use crate::Failed;

/// The kind of the resource.
pub static AZURE_INFRASTRUCTURE: Kind =
    Kind { group: keys::P, version: "v1alpha1", kind: INFRASTRUCTURE, plural: "azureinfrastructures" };

/// The default key of a config.
pub(super) const CONFIG_KEY: &str = "install-config.yaml";
/// The default key of facts.
pub(super) const FACTS_KEY: &str = "facts.json";

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
            let alone = Map::from_iter([(name.clone(), value.take())]);
            let alone = Value::Object(alone);
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

    /// That every field of the spec can be read.
    pub(super) fn is_whole(&self) -> Result<(), Failed> {
        if self.unreadable.is_empty() {
            return Ok(());
        }
        let fields: Vec<String> = self.unreadable.iter().map(|name| format!("spec.{name}")).collect();
        let note = format!("{}: invalid format", fields.join(", "));
        Err(Failed::terminal(UNREADABLE, note))
    }

    /// Whether it is on its way out.
    pub(super) fn is_being_deleted(&self) -> bool {
        self.metadata.deletion_timestamp.is_some()
    }

    /// Whether it goes because it lives in another management cluster now.
    pub(super) fn has_moved(&self) -> bool {
        self.metadata.annotations.contains_key(keys::DELETE_FOR_MOVE)
    }

    /// The infrastructure ID that was chosen before. The label is there from the first write on, and moves
    /// with the resource; the status does not.
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
    /// Reference to a facts file of `landfall facts`. Default key: `facts.json`. Without facts, landfall plans
    /// with its catalogue.
    pub facts_ref: Option<Reference>,
    /// The infrastructure ID, part of the names of all resources. Default: generated, and kept in the status.
    /// It cannot be changed later.
    #[serde(rename = "infraID")]
    pub infra_id: String,
    /// The OpenShift release. Default: the newest in the catalogue.
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
    /// The Secret with the ignition configs of the machines, under `bootstrap` and `controlPlane`, if Azure
    /// Service Operator creates them.
    pub ignition_secret_ref: Option<Named>,
    /// The stage of the installation.
    pub stage: Stage,
    /// Whether to change nothing.
    pub paused: bool,
    /// What Azure Service Operator may do with adopted resources.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
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

/// Who creates the machines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Machines {
    /// Another engine.
    #[default]
    None,
    /// Azure Service Operator.
    Aso,
}

/// The stage of an installation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
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
    /// The Secret with the credentials that is held for this cluster.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub credentials_secret: String,
    /// A digest of the desired resources in Azure.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub plan_hash: String,
    /// Whether the resource got the annotation that protects the cluster from deletion. It gets it once the
    /// cluster is Ready.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deletion_protection_added: bool,
    /// The conditions of the infrastructure.
    pub conditions: Vec<Condition>,
    /// The number of objects in each state.
    pub counts: Counts,
    /// The objects that are not done, the worst first; at most a limited number.
    pub resources: Vec<Standing>,
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
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_left_out_has_its_default() -> Result<(), serde_json::Error> {
        let resource: Resource = serde_json::from_value(json!({
            "metadata": { "name": "a", "generation": 3, "labels": { (keys::CLUSTER): "demo-x7k2p" } },
            "spec": { "installConfig": { "pullSecret": "canary" }, "adoptPolicy": "detach-on-delete" },
        }))?;
        assert_eq!((resource.spec.machines, resource.spec.stage), (Machines::None, Stage::Install));
        assert_eq!(Policy::from(resource.spec.adopt_policy), Policy::DetachOnDelete);
        assert_eq!((resource.chosen_id(), resource.is_paused()), (Some("demo-x7k2p"), false));
        assert!(!format!("{resource:?}").contains("canary"));
        Ok(())
    }

    #[test]
    fn what_cannot_be_read_is_named_and_all_else_counts() -> Result<(), serde_json::Error> {
        let spec = json!({ "apiInternalIP": "foo", "paused": true, "patches": 5, "infraID": "demo-x7k2p" });
        let (object, unreadable) = readable(json!({ "metadata": { "name": "a" }, "spec": spec }));
        assert_eq!(unreadable, ["apiInternalIP", "patches"]);
        let resource = Resource { unreadable, ..serde_json::from_value(object)? };
        assert!(resource.is_paused() && resource.spec.infra_id == "demo-x7k2p");
        let told = resource.is_whole().map_err(|failed| failed.note);
        assert!(told.is_err_and(|note| note.starts_with("spec.apiInternalIP, spec.patches: ")));
        let whole = json!({ "spec": { "apiInternalIP": "10.0.0.5", "installConfig": { "a": null } } });
        assert_eq!(readable(whole.clone()), (whole, Vec::new()));
        Ok(())
    }

    #[test]
    fn the_cluster_api_can_pause_it() -> Result<(), serde_json::Error> {
        let annotations = json!({ "cluster.x-k8s.io/paused": "", (keys::DELETE_FOR_MOVE): "" });
        let resource: Resource =
            serde_json::from_value(json!({ "metadata": { "annotations": annotations } }))?;
        assert!(resource.is_paused() && resource.has_moved() && !resource.is_being_deleted());
        Ok(())
    }
}
