//! Terraform variables of Azure: `assets.md`, C.6.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use landfall_model::azure::planned::{
    BootDiagnostics, ComputeSubnet, DataDisk, Firmware, MANAGED_IDENTITY, NatGateway, PoolImage, StorageKey,
};
use landfall_model::plan::in_turn;
use landfall_render::{Extras, bootstrap_stub};
use serde::Serialize;
use serde_json::value::RawValue;

use super::{Rendering, owner_tag};
use crate::credentials;

/// Stands for the address of the bootstrap machine's ignition config, which only terraform knows.
const PLACEHOLDER: &str = "BOOTSTRAP_IGNITION_URL_PLACEHOLDER";

/// The variables, in the order and with the names of the OpenShift installer.
///
/// The secret of the application and the password of its certificate are left out: terraform takes them from
/// its environment, and a file would only be one more place to keep them in.
#[derive(Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "terraform has these variables")]
struct Variables<'a> {
    azure_subscription_id: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    azure_client_id: &'a str,
    azure_tenant_id: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    azure_certificate_path: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    azure_use_msi: bool,
    azure_environment: &'a str,
    azure_arm_endpoint: &'a str,
    azure_extra_tags: BTreeMap<String, String>,
    azure_master_vm_type: &'a str,
    azure_master_availability_zones: Vec<&'a str>,
    azure_master_encryption_at_host_enabled: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    azure_master_disk_encryption_set_id: &'a str,
    azure_control_plane_ultra_ssd_enabled: bool,
    azure_master_root_volume_type: &'a str,
    azure_master_root_volume_size: i64,
    #[serde(skip_serializing_if = "str::is_empty")]
    azure_image_url: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    azure_image_release: &'a str,
    azure_region: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    azure_base_domain_resource_group_name: &'a str,
    azure_resource_group_name: &'a str,
    azure_network_resource_group_name: &'a str,
    azure_virtual_network: &'a str,
    azure_control_plane_subnet: &'a str,
    azure_compute_subnet: &'a str,
    azure_preexisting_network: bool,
    azure_private: bool,
    azure_outbound_routing_type: &'a str,
    azure_bootstrap_ignition_stub: String,
    azure_bootstrap_ignition_url_placeholder: &'a str,
    azure_hypervgeneration_version: &'a str,
    azure_control_plane_vm_networking_type: bool,
    random_storage_account_suffix: String,
    azure_vm_architecture: &'a str,
    #[serde(flatten)]
    image: Image<'a>,
    #[serde(skip_serializing_if = "str::is_empty")]
    azure_master_security_encryption_type: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    azure_master_secure_vm_disk_encryption_set_id: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    azure_master_secure_boot: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    azure_master_virtualized_trusted_platform_module: &'a str,
}

/// The marketplace image of the control plane.
#[derive(Serialize)]
struct Image<'a> {
    #[serde(rename = "azure_use_marketplace_image")]
    used: bool,
    /// True without an image as well, as the OpenShift installer has it.
    #[serde(rename = "azure_marketplace_image_has_plan")]
    has_plan: bool,
    #[serde(rename = "azure_marketplace_image_publisher", skip_serializing_if = "str::is_empty")]
    publisher: &'a str,
    #[serde(rename = "azure_marketplace_image_offer", skip_serializing_if = "str::is_empty")]
    offer: &'a str,
    #[serde(rename = "azure_marketplace_image_sku", skip_serializing_if = "str::is_empty")]
    sku: &'a str,
    #[serde(rename = "azure_marketplace_image_version", skip_serializing_if = "str::is_empty")]
    version: &'a str,
}

impl<'a> Image<'a> {
    fn of(image: &'a PoolImage) -> Self {
        match image {
            PoolImage::Cluster { .. } => {
                Self { used: false, has_plan: true, publisher: "", offer: "", sku: "", version: "" }
            }
            PoolImage::Marketplace { publisher, offer, sku, version, plan } => {
                Self { used: true, has_plan: *plan, publisher, offer, sku, version }
            }
        }
    }
}

/// Variables of our own modules: what is decided here, and what comes from the catalogue, so that no module
/// asks for a cloud.
#[derive(Serialize)]
struct Own<'a> {
    #[serde(rename = "azure_metadata_host")]
    metadata_host: &'a str,
    #[serde(rename = "azure_storage_min_tls_version")]
    storage_min_tls: &'a str,
    #[serde(rename = "azure_image_protection")]
    image_protection: &'a str,
    #[serde(rename = "azure_boot_diagnostics", skip_serializing_if = "Option::is_none")]
    boot_diagnostics: Option<&'a str>,
    /// None where the machines have the identity that is made.
    #[serde(rename = "azure_master_identities", skip_serializing_if = "Option::is_none")]
    master_identities: Option<&'a [String]>,
    /// None where an identity is made, if the cloud has any.
    #[serde(rename = "azure_make_identity", skip_serializing_if = "Option::is_none")]
    make_identity: Option<bool>,
    #[serde(rename = "azure_compute_subnets", skip_serializing_if = "<[_]>::is_empty")]
    compute_subnets: &'a [ComputeSubnet],
    #[serde(rename = "azure_nat_gateways", skip_serializing_if = "<[_]>::is_empty")]
    nat_gateways: &'a [NatGateway],
    #[serde(rename = "azure_master_data_disks", skip_serializing_if = "Vec::is_empty")]
    master_data_disks: Vec<MasterDisk<'a>>,
    #[serde(rename = "azure_storage_key", skip_serializing_if = "Option::is_none")]
    storage_key: Option<&'a StorageKey>,
    #[serde(rename = "azure_storage_without_access_keys", skip_serializing_if = "std::ops::Not::not")]
    storage_without_access_keys: bool,
    #[serde(rename = "azure_api_address", skip_serializing_if = "Option::is_none")]
    api_address: Option<Ipv4Addr>,
}

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

/// The platform's variables.
pub(super) fn platform(rendering: &Rendering<'_>, extras: &Extras<'_>) -> Box<RawValue> {
    let given = |name: &str| extras.credentials.get(name).map_or("", |value| value.expose().as_str());
    let azure = rendering.azure;
    let application = credentials::application(&azure.account, extras.credentials);
    let master = &azure.control_plane;
    let security = &master.security;
    let unset = Firmware::default();
    let firmware = security.firmware.as_ref().unwrap_or(&unset);
    landfall_render::raw(&Variables {
        azure_subscription_id: &azure.account.subscription_id,
        azure_client_id: application.client,
        azure_tenant_id: application.tenant,
        azure_certificate_path: given(credentials::CLIENT_CERTIFICATE),
        azure_use_msi: uses_managed_identity(rendering, extras),
        azure_environment: &azure.cloud.terraform_environment,
        azure_arm_endpoint: &azure.cloud.arm_endpoint,
        azure_extra_tags: tags(rendering),
        azure_master_vm_type: &master.size,
        azure_master_availability_zones: in_turn(&master.zones, master.replicas).collect(),
        azure_master_encryption_at_host_enabled: security.encryption_at_host,
        azure_master_disk_encryption_set_id: &master.disk.encryption_set,
        azure_control_plane_ultra_ssd_enabled: master.ultra_disks == "Enabled",
        azure_master_root_volume_type: &master.disk.kind,
        azure_master_root_volume_size: master.disk.size_gb,
        azure_image_url: &azure.image.url,
        azure_image_release: &azure.image.release,
        azure_region: &azure.location,
        azure_base_domain_resource_group_name: &azure.groups.base_domain,
        azure_resource_group_name: &azure.groups.existing,
        azure_network_resource_group_name: &azure.network.resource_group,
        azure_virtual_network: &azure.network.name,
        azure_control_plane_subnet: &azure.network.control_plane_subnet,
        azure_compute_subnet: &azure.network.compute_subnet,
        azure_preexisting_network: azure.network.new.is_none(),
        azure_private: !rendering.plan.cluster.external_api,
        azure_outbound_routing_type: &azure.outbound_type,
        azure_bootstrap_ignition_stub: stub(rendering),
        azure_bootstrap_ignition_url_placeholder: if azure.cloud.stack { PLACEHOLDER } else { "" },
        azure_hypervgeneration_version: &master.hyper_v_generation,
        azure_control_plane_vm_networking_type: master.accelerated_networking,
        random_storage_account_suffix: rendering.plan.identity.letters(),
        azure_vm_architecture: if master.architecture == "arm64" { "Arm64" } else { "x64" },
        image: Image::of(&master.image),
        azure_master_security_encryption_type: &security.disk_encryption,
        azure_master_secure_vm_disk_encryption_set_id: &security.disk_encryption_set,
        azure_master_secure_boot: &firmware.secure_boot,
        azure_master_virtualized_trusted_platform_module: &firmware.tpm,
    })
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

/// The variables that only our modules have.
pub(super) fn own(rendering: &Rendering<'_>) -> Box<RawValue> {
    let (cloud, network) = (&rendering.azure.cloud, &rendering.azure.network);
    landfall_render::raw(&Own {
        metadata_host: &cloud.metadata_host,
        storage_min_tls: &cloud.storage_min_tls,
        image_protection: &rendering.azure.image.protection,
        master_identities: rendering.azure.control_plane.identities.as_deref(),
        make_identity: (rendering.azure.identity.is_empty() && !cloud.stack).then_some(false),
        boot_diagnostics: rendering.azure.control_plane.boot_diagnostics.as_ref().map(|given| match given {
            BootDiagnostics::Disabled => "Disabled",
            BootDiagnostics::Managed => "Managed",
            BootDiagnostics::Account { uri } => uri.as_str(),
        }),
        compute_subnets: if network.new.is_some() { &network.compute_subnets } else { &[] },
        nat_gateways: &network.nat_gateways,
        master_data_disks: rendering.azure.control_plane.data_disks.iter().map(MasterDisk::from).collect(),
        storage_key: rendering.azure.storage.encryption.as_ref(),
        storage_without_access_keys: rendering.azure.storage.without_access_keys,
        api_address: rendering.azure.load_balancers.api_address,
    })
}

/// The tags of all resources: the ownership tag and the user's.
fn tags(rendering: &Rendering<'_>) -> BTreeMap<String, String> {
    let owner = [(owner_tag(rendering.id), "owned".to_owned())];
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
