//! The Azure object of `metadata.json`: `assets.md`, E.1.

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
}

/// The object, in the order of its fields.
pub(super) fn metadata(rendering: &Rendering<'_>) -> Box<RawValue> {
    let azure = rendering.azure;
    landfall_render::raw(&Metadata {
        arm_endpoint: &azure.cloud.arm_endpoint,
        cloud_name: &azure.cloud.name,
        region: &azure.location,
        resource_group_name: &azure.groups.existing,
        base_domain_resource_group_name: &azure.groups.base_domain,
    })
}
