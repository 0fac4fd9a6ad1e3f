//! Terraform variables of Azure: `assets.md`, C.6.

use std::collections::BTreeMap;

use landfall_azure_objects::keys::ownership_tag;
use landfall_model::azure::planned::{BootDiagnostics, DataDisk, Firmware, MANAGED_IDENTITY, PoolImage};
use landfall_model::plan::in_turn;
use landfall_render::{Extras, bootstrap_stub};
use serde::Serialize;
use serde_json::value::RawValue;

use super::Rendering;
use crate::credentials;

/// Stands for the address of the bootstrap machine's ignition config, which only terraform knows.
const PLACEHOLDER: &str = "BOOTSTRAP_IGNITION_URL_PLACEHOLDER";

/// A data disk of the control plane.
#[derive(Serialize)]
struct MasterDisk<'a> {
    name_suffix: &'a str,
    size_gb: i64,
    lun: i32,
    caching: &'a str,
    kind: &'a str,
    encryption_set: &'a str,
}

impl<'a> From<&'a DataDisk> for MasterDisk<'a> {
    fn from(disk: &'a DataDisk) -> Self {
        let DataDisk { name_suffix, size_gb, lun, caching, kind, encryption_set } = disk;
        Self { name_suffix, size_gb: *size_gb, lun: *lun, caching, kind, encryption_set }
    }
}

/// The value of a variable.
#[expect(clippy::unnecessary_wraps, reason = "the lists below are of variables with and without a value")]
fn set<T: Serialize + ?Sized>(value: &T) -> Option<Box<RawValue>> {
    Some(landfall_render::raw(value))
}

/// The same for a text; none where it is empty.
fn said(text: &str) -> Option<Box<RawValue>> {
    Some(text).filter(|text| !text.is_empty()).and_then(set)
}

/// The platform's variables, in the order and with the names of the OpenShift installer.
///
/// The secret of the application and the password of its certificate are left out: terraform takes them from
/// its environment, and a file would only be one more place to keep them in.
pub(super) fn platform(rendering: &Rendering<'_>, extras: &Extras<'_>) -> Box<RawValue> {
    let given = |name: &str| extras.credentials.get(name).map_or("", |value| value.expose().as_str());
    let azure = rendering.azure;
    let application = credentials::application(&azure.account, extras.credentials);
    let master = &azure.control_plane;
    let security = &master.security;
    let unset = Firmware::default();
    let firmware = security.firmware.as_ref().unwrap_or(&unset);
    let zones: Vec<&str> = in_turn(&master.zones, master.replicas).collect();
    let (is_bought, has_plan, [publisher, offer, sku, version]) = match &master.image {
        PoolImage::Cluster { .. } => (false, true, [""; 4]),
        PoolImage::Marketplace { publisher, offer, sku, version, plan } => {
            (true, *plan, [publisher, offer, sku, version].map(String::as_str))
        }
    };
    landfall_render::ordered(&[
        ("azure_subscription_id", set(&azure.account.subscription_id)),
        ("azure_client_id", said(application.client)),
        ("azure_tenant_id", set(application.tenant)),
        ("azure_certificate_path", said(given(credentials::CLIENT_CERTIFICATE))),
        ("azure_use_msi", set(&true).filter(|_| uses_managed_identity(rendering, extras))),
        ("azure_environment", set(&azure.cloud.terraform_environment)),
        ("azure_arm_endpoint", set(&azure.cloud.arm_endpoint)),
        ("azure_extra_tags", set(&tags(rendering))),
        ("azure_master_vm_type", set(&master.size)),
        ("azure_master_availability_zones", set(&zones)),
        ("azure_master_encryption_at_host_enabled", set(&security.encryption_at_host)),
        ("azure_master_disk_encryption_set_id", said(&master.disk.encryption_set)),
        ("azure_control_plane_ultra_ssd_enabled", set(&(master.ultra_disks == "Enabled"))),
        ("azure_master_root_volume_type", set(&master.disk.kind)),
        ("azure_master_root_volume_size", set(&master.disk.size_gb)),
        ("azure_image_url", said(&azure.image.url)),
        ("azure_image_release", said(&azure.image.release)),
        ("azure_region", set(&azure.location)),
        ("azure_base_domain_resource_group_name", said(&azure.groups.base_domain)),
        ("azure_resource_group_name", set(&azure.groups.existing)),
        ("azure_network_resource_group_name", set(&azure.network.resource_group)),
        ("azure_virtual_network", set(&azure.network.name)),
        ("azure_control_plane_subnet", set(&azure.network.control_plane_subnet)),
        ("azure_compute_subnet", set(&azure.network.compute_subnet)),
        ("azure_preexisting_network", set(&azure.network.new.is_none())),
        ("azure_private", set(&!rendering.plan.cluster.external_api)),
        ("azure_outbound_routing_type", set(&azure.outbound_type)),
        ("azure_bootstrap_ignition_stub", set(&stub(rendering))),
        ("azure_bootstrap_ignition_url_placeholder", set(if azure.cloud.stack { PLACEHOLDER } else { "" })),
        ("azure_hypervgeneration_version", set(&master.hyper_v_generation)),
        ("azure_control_plane_vm_networking_type", set(&master.accelerated_networking)),
        ("random_storage_account_suffix", set(&rendering.plan.identity.letters())),
        ("azure_vm_architecture", set(if master.architecture == "arm64" { "Arm64" } else { "x64" })),
        ("azure_use_marketplace_image", set(&is_bought)),
        ("azure_marketplace_image_has_plan", set(&has_plan)),
        ("azure_marketplace_image_publisher", said(publisher)),
        ("azure_marketplace_image_offer", said(offer)),
        ("azure_marketplace_image_sku", said(sku)),
        ("azure_marketplace_image_version", said(version)),
        ("azure_master_security_encryption_type", said(&security.disk_encryption)),
        ("azure_master_secure_vm_disk_encryption_set_id", said(&security.disk_encryption_set)),
        ("azure_master_secure_boot", said(&firmware.secure_boot)),
        ("azure_master_virtualized_trusted_platform_module", said(&firmware.tpm)),
    ])
}

/// Whether terraform has the identity of the machine that it runs on. Where nobody says where the credentials
/// come from, it does if there is nothing else to prove an application with.
fn uses_managed_identity(rendering: &Rendering<'_>, extras: &Extras<'_>) -> bool {
    let proofs = [credentials::CLIENT_SECRET, credentials::CLIENT_CERTIFICATE];
    let proven = |name: &&str| extras.credentials.get(*name).is_some_and(|value| !value.is_empty());
    !proofs.iter().any(proven) && may_be_managed(&rendering.azure.account.identity)
}

fn may_be_managed(identity: &str) -> bool {
    identity.is_empty() || identity == MANAGED_IDENTITY
}

/// The variables that only our modules have: what is decided here, and what comes from the catalogue, so that no
/// module asks for a cloud.
pub(super) fn own(rendering: &Rendering<'_>) -> Box<RawValue> {
    let azure = rendering.azure;
    let (cloud, network, master) = (&azure.cloud, &azure.network, &azure.control_plane);
    let diagnostics = master.boot_diagnostics.as_ref().map(|given| match given {
        BootDiagnostics::Disabled => "Disabled",
        BootDiagnostics::Managed => "Managed",
        BootDiagnostics::Account { uri } => uri.as_str(),
    });
    let subnets = &network.compute_subnets;
    let disks: Vec<MasterDisk<'_>> = master.data_disks.iter().map(MasterDisk::from).collect();
    landfall_render::ordered(&[
        ("azure_metadata_host", set(&cloud.metadata_host)),
        ("azure_storage_min_tls_version", set(&cloud.storage_min_tls)),
        ("azure_image_protection", set(&azure.image.protection)),
        ("azure_boot_diagnostics", diagnostics.and_then(set)),
        // None where the machines have the identity that is made.
        ("azure_master_identities", master.identities.as_ref().and_then(set)),
        // None where an identity is made, if the cloud has any.
        ("azure_make_identity", set(&false).filter(|_| azure.identity.is_empty() && !cloud.stack)),
        ("azure_compute_subnets", set(subnets).filter(|_| network.new.is_some() && !subnets.is_empty())),
        ("azure_nat_gateways", set(&network.nat_gateways).filter(|_| !network.nat_gateways.is_empty())),
        ("azure_master_data_disks", set(&disks).filter(|_| !disks.is_empty())),
        ("azure_storage_key", azure.storage.encryption.as_ref().and_then(set)),
        ("azure_storage_without_access_keys", set(&true).filter(|_| azure.storage.without_access_keys)),
        ("azure_api_address", azure.load_balancers.api_address.as_ref().and_then(set)),
    ])
}

/// The tags of all resources: the ownership tag and the user's.
fn tags(rendering: &Rendering<'_>) -> BTreeMap<String, String> {
    let owner = [(ownership_tag(rendering.id), "owned".to_owned())];
    let user = rendering.azure.user_tags.iter().map(|(key, value)| (key.clone(), value.clone()));
    owner.into_iter().chain(user).collect()
}

/// The bootstrap machine's own ignition config where terraform does not make it: on a Stack Hub.
fn stub(rendering: &Rendering<'_>) -> String {
    if rendering.azure.cloud.stack {
        bootstrap_stub(&rendering.plan.config, PLACEHOLDER)
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::may_be_managed;

    #[test]
    fn logins_and_tokens_are_no_identity_of_the_machine() {
        assert!(may_be_managed("") && may_be_managed("managed-identity"));
        for other in ["secret", "certificate", "federated-token", "cli"] {
            assert!(!may_be_managed(other), "{other}");
        }
    }
}
