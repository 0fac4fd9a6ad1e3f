//! The Azure object of `metadata.json`: `assets.md`, E.1.

use landfall_model::plan::Since;
use serde::Serialize;
use serde_json::value::RawValue;

use super::Rendering;

/// All that destroy needs, in the OpenShift installer's names and order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'a> {
    arm_endpoint: &'a str,
    cloud_name: &'a str,
    region: &'a str,
    resource_group_name: &'a str,
    base_domain_resource_group_name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    base_domain_name: &'a str,
}

/// The object, in the order of its fields.
pub(super) fn metadata(rendering: &Rendering<'_>) -> Box<RawValue> {
    let (azure, plan) = (rendering.azure, rendering.plan);
    landfall_render::raw(&Metadata {
        arm_endpoint: &azure.cloud.arm_endpoint,
        cloud_name: &azure.cloud.name,
        region: &azure.location,
        resource_group_name: &azure.groups.existing,
        base_domain_resource_group_name: &azure.groups.base_domain,
        base_domain_name: if plan.has(Since::Today) { &plan.cluster.base_domain } else { "" },
    })
}
