//! `platform.azure` and the Azure section of a pool: `docs/install-config.md`, sections 4.6 and 4.7.

use std::collections::BTreeMap;

use landfall_diagnostics::secret::SecretUrl;

use crate::config::value::model;

model! {
    /// Settings of a cluster on Azure.
    pub struct Platform {
        /// Location to install in.
        #[schemars(extend("x-required" = "always", "examples" = ["eastus"]))]
        pub region: String,
        /// Resource group of the public DNS zone of the base domain.
        #[schemars(extend("x-required" = "unless publish is Internal"))]
        pub base_domain_resource_group_name: String,
        /// The Azure cloud.
        #[schemars(extend("examples" = super::values::CLOUDS, "default" = "AzurePublicCloud"))]
        pub cloud_name: String,
        /// Resource manager endpoint of an Azure Stack Hub.
        #[schemars(extend("x-required" = "on AzureStackCloud", "examples" = ["https://management.local.example.com"]))]
        pub arm_endpoint: SecretUrl,
        /// URL of the operating system image, on Azure Stack Hub.
        #[serde(rename = "clusterOSImage")]
        pub cluster_os_image: String,
        /// Whether the storage account may be used with its keys.
        pub allow_shared_key_access: Option<bool>,
        /// Settings for pools without their own.
        pub default_machine_platform: Option<MachinePool>,
        /// Resource group of the existing network.
        pub network_resource_group_name: String,
        /// Existing virtual network to install into.
        pub virtual_network: String,
        /// Existing subnets of that network.
        pub subnets: Vec<Subnet>,
        /// Existing subnet of the control plane, in the older form. `subnets` replaces it.
        #[schemars(extend("deprecated" = true))]
        pub control_plane_subnet: String,
        /// Existing subnet of the compute machines, in the older form. `subnets` replaces it.
        #[schemars(extend("deprecated" = true))]
        pub compute_subnet: String,
        /// How the machines reach the outside.
        #[schemars(extend("enum" = super::values::OUTBOUND_TYPES, "default" = "Loadbalancer"))]
        pub outbound_type: String,
        /// Existing, empty resource group to install into.
        pub resource_group_name: String,
        /// Tags for all created resources, at most 10.
        pub user_tags: BTreeMap<String, String>,
        /// The user's own key for the storage account.
        pub customer_managed_key: Option<CustomerManagedKey>,
        /// Whether the user provides the DNS records of the cluster.
        #[serde(rename = "userProvisionedDNS")]
        #[schemars(extend("examples" = ["Enabled", "Disabled"]))]
        pub user_provisioned_dns: String,
        /// Address families of the cluster's network.
        #[schemars(extend("enum" = super::values::IP_FAMILIES, "default" = "IPv4"))]
        pub ip_family: String,
    }

    /// One existing subnet.
    pub struct Subnet {
        /// Name of the subnet.
        pub name: String,
        /// What the subnet is used for.
        #[schemars(extend("enum" = ["control-plane", "node"]))]
        pub role: String,
    }

    /// The user's own key for the storage account.
    pub struct CustomerManagedKey {
        /// Where the key is.
        pub key_vault: KeyVault,
        /// User-assigned identity with rights on the key.
        #[schemars(extend("x-required" = "with customerManagedKey"))]
        pub user_assigned_identity_key: String,
    }

    /// A key in a key vault.
    pub struct KeyVault {
        /// Resource group of the vault.
        #[schemars(extend("x-required" = "with customerManagedKey"))]
        pub resource_group: String,
        /// Name of the vault.
        #[schemars(extend("x-required" = "with customerManagedKey"))]
        pub name: String,
        /// Name of the key.
        #[schemars(extend("x-required" = "with customerManagedKey"))]
        pub key_name: String,
    }

    /// Settings of machines on Azure.
    pub struct MachinePool {
        /// Availability zones for the machines.
        pub zones: Vec<String>,
        /// Size of the machines.
        #[serde(rename = "type")]
        #[schemars(extend("examples" = ["Standard_D4s_v5"]))]
        pub vm_size: String,
        /// Whether the host encrypts the disks.
        pub encryption_at_host: bool,
        /// Disk that the machines start from.
        pub os_disk: OsDisk,
        /// Whether ultra disks can be attached.
        #[serde(rename = "ultraSSDCapability")]
        #[schemars(extend("enum" = ["Enabled", "Disabled"]))]
        pub ultra_ssd_capability: String,
        /// Networking of the machines.
        #[serde(rename = "vmNetworkingType")]
        #[schemars(extend("enum" = ["Accelerated", "Basic"]))]
        pub vm_networking_type: String,
        /// Where the machines write their boot diagnostics.
        pub boot_diagnostics: Option<BootDiagnostics>,
        /// Marketplace image of the machines.
        pub os_image: OsImage,
        /// Confidential or trusted start of the machines.
        pub settings: Option<SecuritySettings>,
        /// Managed identities of the machines.
        pub identity: Option<Identity>,
        /// Extra disks.
        pub data_disks: Option<Vec<DataDisk>>,
    }

    /// Disk that the machines start from.
    pub struct OsDisk {
        /// Size in GB.
        #[serde(rename = "diskSizeGB")]
        pub disk_size_gb: i32,
        /// Type of the disk; `Standard_LRS` for compute pools only.
        #[schemars(extend("enum" = super::values::DISK_TYPES))]
        pub disk_type: String,
        /// Set of keys that encrypts the disk.
        pub disk_encryption_set: Option<DiskEncryptionSet>,
        /// Encryption of a confidential machine's disk.
        pub security_profile: Option<DiskSecurityProfile>,
    }

    /// A set of disk encryption keys.
    pub struct DiskEncryptionSet {
        /// Subscription of the set, as a UUID.
        pub subscription_id: String,
        /// Resource group of the set.
        pub resource_group: String,
        /// Name of the set.
        pub name: String,
    }

    /// Encryption of a confidential machine's disk.
    pub struct DiskSecurityProfile {
        /// What is encrypted.
        #[schemars(extend("enum" = super::values::ENCRYPTION_TYPES))]
        pub security_encryption_type: String,
        /// Set of keys that encrypts it.
        pub disk_encryption_set: Option<DiskEncryptionSet>,
    }

    /// Where machines write their boot diagnostics.
    pub struct BootDiagnostics {
        /// Whether there are any, and who owns the account.
        #[serde(rename = "type")]
        #[schemars(extend("enum" = super::values::BOOT_DIAGNOSTICS, "x-required" = "with bootDiagnostics"))]
        pub kind: String,
        /// Resource group of your storage account.
        pub resource_group: String,
        /// Name of your storage account.
        pub storage_account_name: String,
    }

    /// A marketplace image.
    pub struct OsImage {
        /// Whether the image comes with a purchase plan.
        #[schemars(extend("enum" = super::values::PLANS))]
        pub plan: String,
        /// Publisher of the image.
        pub publisher: String,
        /// Offer of the image.
        pub offer: String,
        /// SKU of the image.
        pub sku: String,
        /// Version of the image.
        pub version: String,
    }

    /// Confidential or trusted start of machines.
    pub struct SecuritySettings {
        /// Which of the two.
        #[schemars(extend("examples" = ["ConfidentialVM", "TrustedLaunch"]))]
        pub security_type: String,
        /// Settings of a confidential machine.
        #[serde(rename = "confidentialVM")]
        pub confidential_vm: Option<Launch>,
        /// Settings of a machine with trusted launch.
        pub trusted_launch: Option<Launch>,
    }

    /// How a machine starts.
    pub struct Launch {
        /// Firmware settings.
        pub uefi_settings: Option<UefiSettings>,
    }

    /// Firmware settings.
    pub struct UefiSettings {
        /// Whether only signed code is started.
        #[schemars(extend("enum" = ["Enabled", "Disabled"]))]
        pub secure_boot: Option<String>,
        /// Whether the machine has a virtual TPM.
        #[schemars(extend("enum" = ["Enabled", "Disabled"]))]
        pub virtualized_trusted_platform_module: Option<String>,
    }

    /// Managed identities of machines.
    pub struct Identity {
        /// Whether the machines have one.
        #[serde(rename = "type")]
        #[schemars(extend("enum" = super::values::IDENTITY_TYPES, "x-required" = "with identity"))]
        pub kind: String,
        /// The identities.
        pub user_assigned_identities: Option<Vec<UserAssignedIdentity>>,
    }

    /// An existing managed identity.
    pub struct UserAssignedIdentity {
        /// Name of the identity.
        pub name: String,
        /// Subscription of the identity.
        pub subscription: String,
        /// Resource group of the identity.
        pub resource_group: String,
    }

    /// An extra disk.
    pub struct DataDisk {
        /// Suffix of the disk's name.
        pub name_suffix: String,
        /// Size in GB.
        #[serde(rename = "diskSizeGB")]
        pub disk_size_gb: i32,
        /// Logical unit number, from 0 to 63.
        pub lun: Option<i32>,
        /// Caching of the disk.
        #[schemars(extend("examples" = ["None", "ReadOnly", "ReadWrite"]))]
        pub caching_type: String,
        /// Parameters of a managed disk.
        pub managed_disk: Option<ManagedDisk>,
    }

    /// Parameters of a managed disk.
    pub struct ManagedDisk {
        /// Storage type of the disk.
        #[schemars(extend("examples" = ["Premium_LRS"]))]
        pub storage_account_type: String,
        /// Set of keys that encrypts the disk.
        pub disk_encryption_set: Option<DiskEncryptionSetId>,
        /// Encryption of a confidential machine's disk.
        pub security_profile: Option<ManagedDiskSecurityProfile>,
    }

    /// A set of disk encryption keys by its resource id.
    pub struct DiskEncryptionSetId {
        /// Resource id of the set.
        pub id: String,
    }

    /// Encryption of a confidential machine's extra disk.
    pub struct ManagedDiskSecurityProfile {
        /// Set of keys that encrypts the disk.
        pub disk_encryption_set: Option<DiskEncryptionSetId>,
        /// What is encrypted.
        pub security_encryption_type: String,
    }
}

impl Platform {
    /// The URLs that may hold a password: the resource manager of an Azure Stack Hub.
    #[must_use]
    pub fn secret_urls(&self) -> Vec<(String, &str)> {
        let given =
            (!self.arm_endpoint.is_empty()).then(|| ("/armEndpoint".to_owned(), self.arm_endpoint.expose()));
        given.into_iter().collect()
    }

    /// Whether the user provides the cluster's DNS records, and the cluster answers for its own names.
    #[must_use]
    pub fn has_user_dns(&self) -> bool {
        self.user_provisioned_dns == super::values::USER_DNS
    }

    /// Whether both address families are asked for.
    #[must_use]
    pub fn is_dual_stack(&self) -> bool {
        super::values::DUAL_STACK.contains(&self.ip_family.as_str())
    }
}
