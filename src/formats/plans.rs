//! Plans in other forms than that of Terraform's stages.

use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::Finding;
use super::cost::Cost;
use super::node::Node;
use super::words::Planned;

/// Output of `graph --resources`.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "the type describes a format")]
pub(super) struct ResourceGraph(Vec<Node>);

/// An object of Azure Service Operator that a run would create.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename_all = "camelCase")]
#[allow(dead_code, reason = "the type describes a format")]
struct PlannedObject {
    api_version: String,
    kind: String,
    name: String,
    /// Names of values that are not known yet.
    waits_for: Vec<String>,
    /// Its spec, without ignition configs.
    spec: Map<String, Value>,
}

/// Output of `create cluster --engine aso --plan`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename_all = "camelCase")]
#[allow(dead_code, reason = "the type describes a format")]
pub(super) struct ObjectsPlan {
    outcome: Planned,
    dir: String,
    #[schemars(rename = "infraID")]
    infra_id: String,
    #[schemars(rename = "clusterID")]
    cluster_id: String,
    release: String,
    /// Namespace of the objects.
    namespace: String,
    /// The objects, in an order in which they can be created.
    objects: Vec<PlannedObject>,
    /// Names of the resources that landfall creates directly for the operator's machines.
    without_object: Vec<String>,
    /// With `--prices`.
    cost: Option<Cost>,
    findings: Vec<Finding>,
}
