//! The config of the cloud provider: `assets.md`, B.3.

use std::collections::BTreeMap;

use landfall_azure_objects::stack_environment;
use landfall_model::plan::Since;
use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};

use super::Rendering;

/// The config, in the OpenShift installer's names and order.
///
/// It has no credentials, on purpose: the cluster's machines have an identity, or a secret of their own.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the format has these switches")]
struct Config<'a> {
    cloud: &'a str,
    tenant_id: &'a str,
    aad_client_id: &'a str,
    aad_client_secret: &'a str,
    aad_client_cert_path: &'a str,
    aad_client_cert_password: &'a str,
    use_managed_identity_extension: bool,
    #[serde(rename = "userAssignedIdentityID")]
    user_assigned_identity_id: &'a str,
    subscription_id: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    resource_manager_endpoint: &'a str,
    resource_group: &'a str,
    location: &'a str,
    vnet_name: &'a str,
    vnet_resource_group: &'a str,
    subnet_name: &'a str,
    security_group_name: &'a str,
    route_table_name: &'a str,
    vm_type: &'a str,
    load_balancer_sku: &'a str,
    cloud_provider_backoff: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    use_instance_metadata: bool,
    #[serde(rename = "excludeMasterFromStandardLB")]
    exclude_master_from_standard_lb: bool,
    cloud_provider_backoff_duration: u32,
    #[serde(rename = "putVMSSVMBatchSize")]
    put_vmss_vm_batch_size: u32,
    #[serde(rename = "enableMigrateToIPBasedBackendPoolAPI")]
    enable_migrate_to_ip_based_backend_pool_api: bool,
}

/// The data of the `ConfigMap`: the config, and for a Stack Hub its endpoints.
pub(super) fn data(rendering: &Rendering<'_>) -> BTreeMap<String, String> {
    let mut data = BTreeMap::from([("config".to_owned(), indented(&config(rendering)))]);
    if let Some(environment) = &rendering.azure.cloud.environment {
        data.insert("endpoints".to_owned(), stack_environment::line(environment));
    }
    data
}

fn config<'a>(rendering: &Rendering<'a>) -> Config<'a> {
    let azure = rendering.azure;
    let stack = azure.cloud.stack;
    Config {
        cloud: &azure.cloud.name,
        tenant_id: &azure.account.tenant_id,
        aad_client_id: "",
        aad_client_secret: "",
        aad_client_cert_path: "",
        aad_client_cert_password: "",
        use_managed_identity_extension: !stack && uses_identity(rendering),
        // Empty stands for the only identity that a machine has.
        user_assigned_identity_id: "",
        subscription_id: &azure.account.subscription_id,
        resource_manager_endpoint: &azure.cloud.arm_endpoint,
        resource_group: &azure.groups.cluster,
        location: &azure.location,
        vnet_name: &azure.network.name,
        vnet_resource_group: &azure.network.resource_group,
        subnet_name: &azure.network.compute_subnet,
        security_group_name: &azure.network.security_group,
        route_table_name: &azure.network.route_table,
        vm_type: "standard",
        load_balancer_sku: if stack { "basic" } else { "standard" },
        cloud_provider_backoff: true,
        use_instance_metadata: !stack,
        exclude_master_from_standard_lb: false,
        cloud_provider_backoff_duration: 6,
        put_vmss_vm_batch_size: 0,
        enable_migrate_to_ip_based_backend_pool_api: false,
    }
}

/// Whether the cloud provider proves itself as the identity that is created: from 4.19 on only if there is one. Where
/// users bring identities for all machines, or want none, it has credentials of its own.
fn uses_identity(rendering: &Rendering<'_>) -> bool {
    !rendering.plan.has(Since::Today) || !rendering.azure.identity.is_empty()
}

/// JSON indented with tabs and with a final newline, as Go writes it.
fn indented<T: Serialize>(value: &T) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, PrettyFormatter::with_indent(b"\t"));
    // Writing into memory does not fail, and the fields are text, numbers and switches.
    if value.serialize(&mut serializer).is_err() {
        return String::new();
    }
    bytes.push(b'\n');
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indents_with_tabs() {
        let text = indented(&BTreeMap::from([("a", 1), ("b", 2)]));
        assert_eq!(text, "{\n\t\"a\": 1,\n\t\"b\": 2\n}\n");
    }
}
