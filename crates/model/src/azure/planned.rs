//! The Azure part of a plan: leaf types of [`crate::plan::Plan`].

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};

use serde::Serialize;

use crate::plan::TypeOffer;

/// What is to be made on Azure.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// The cloud.
    pub cloud: Cloud,
    /// Who pays, and who makes it.
    pub account: Account,
    /// Location.
    pub location: String,
    /// Resource groups.
    pub groups: Groups,
    /// Network of the machines.
    pub network: Network,
    /// DNS zones of the cluster.
    pub dns: Dns,
    /// How the machines reach the outside: `Loadbalancer`, `NatGateway`, `NATGatewayMultiZone` or
    /// `UserDefinedRouting`.
    pub outbound_type: String,
    /// Load balancers.
    pub load_balancers: LoadBalancers,
    /// Managed identity that is made for the machines; empty where the cloud has none, and where all machines
    /// have some of the user's.
    pub identity: String,
    /// Image of the control plane and the bootstrap machine.
    pub image: Image,
    /// Control plane machines.
    pub control_plane: Pool,
    /// Compute pools.
    pub compute: Vec<Pool>,
    /// The user's own tags.
    pub user_tags: BTreeMap<String, String>,
    /// What is special about the storage account; nothing by default.
    #[serde(skip_serializing_if = "Storage::is_plain")]
    pub storage: Storage,
}

/// What is special about the cluster's storage account.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Storage {
    /// The user's key that encrypts it; none for the cloud's own keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encryption: Option<StorageKey>,
    /// Whether the account refuses its access keys, so that every caller needs a role.
    pub without_access_keys: bool,
}

impl Storage {
    /// Whether it is like any other account.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

/// A key of the user's in a key vault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StorageKey {
    /// Its address without a version, such as `https://vault.vault.azure.net/keys/name`: the newest version counts.
    pub address: String,
    /// Resource id of the identity that may use it.
    pub identity: String,
}

/// A cloud, as far as files depend on it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cloud {
    /// Name, such as `AzureUSGovernmentCloud`.
    pub name: String,
    /// Name for the terraform provider; empty where that asks the cloud.
    pub terraform_environment: String,
    /// Host that tells the terraform provider the cloud's endpoints; empty where it knows them.
    pub metadata_host: String,
    /// The least TLS version to set on storage accounts; empty where the cloud cannot.
    pub storage_min_tls: String,
    /// Whether it is a Stack Hub: no identities, galleries, private zones or zones.
    pub stack: bool,
    /// Resource manager of a Stack Hub; empty elsewhere.
    pub arm_endpoint: String,
    /// Endpoints of a Stack Hub, as the cloud provider reads them, where these are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<serde_json::Map<String, serde_json::Value>>,
    /// Whether the address of the host's services must be kept from a proxy.
    pub host_service_exception: bool,
}

/// The source of the credentials that is an identity of the machine landfall runs on.
pub const MANAGED_IDENTITY: &str = "managed-identity";

/// Who pays, and who makes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// Subscription.
    pub subscription_id: String,
    /// Tenant of the subscription.
    pub tenant_id: String,
    /// Application that makes the cluster; empty for a managed identity.
    pub client_id: String,
    /// Where the credentials come from, such as `secret` or `managed-identity`; empty where that is not known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub identity: String,
}

/// Resource groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Groups {
    /// Group of the cluster.
    pub cluster: String,
    /// The user's own group, if it is that; empty when one is made.
    pub existing: String,
    /// Group of the base domain's public zone; empty where none is used.
    pub base_domain: String,
}

/// The machines' network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Network {
    /// Resource group.
    pub resource_group: String,
    /// Name of the virtual network.
    pub name: String,
    /// Subnet of the control plane.
    pub control_plane_subnet: String,
    /// Subnet of the compute machines.
    pub compute_subnet: String,
    /// Security group of the machines.
    pub security_group: String,
    /// Route table that the cloud provider uses.
    pub route_table: String,
    /// Addresses of a network that is made; none for an existing one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Addresses>,
    /// The compute machines' subnets where there are several, `compute_subnet` among them; sorted by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compute_subnets: Vec<ComputeSubnet>,
    /// NAT gateways of single subnets; none where one serves the whole network.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nat_gateways: Vec<NatGateway>,
}

/// One of several subnets of the compute machines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ComputeSubnet {
    /// Name.
    pub name: String,
    /// Zone whose machines are in it; empty where zones have no subnets of their own.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub zone: String,
    /// Addresses, one of each family; none for an existing subnet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<String>,
}

/// A NAT gateway of one subnet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NatGateway {
    /// Name. That of its public address follows from it.
    pub name: String,
    /// Zone that it is in; empty where Azure chooses one.
    pub zone: String,
    /// The subnet whose machines it lets out.
    pub subnet: String,
}

/// Addresses of a new network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Addresses {
    /// Of the network.
    pub network: Vec<String>,
    /// Of the control plane's subnet, one of each family.
    pub control_plane: Vec<String>,
    /// Of the compute machines' subnet, one of each family.
    pub compute: Vec<String>,
}

/// DNS zones of the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Dns {
    /// Resource id of the base domain's public zone; none where nothing is published there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public_zone: Option<String>,
    /// Resource id of the cluster's private zone; none where the cloud has no such zones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_zone: Option<String>,
}

/// Load balancers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoadBalancers {
    /// The internal one.
    pub internal: String,
    /// The public one that machines name as theirs; empty with routes of the user's own.
    pub public: String,
    /// Address of the internal one that is chosen, as machines find the API by it; none where they find it by DNS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_address: Option<Ipv4Addr>,
    /// IPv6 address of the internal one, where services have IPv6; none where the subnet's addresses are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ipv6_address: Option<Ipv6Addr>,
}

/// The image that a cluster brings along.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    /// Where it is copied from; empty where nobody named one.
    pub url: String,
    /// Version in the image gallery; empty where it is not known.
    pub release: String,
    /// Protection that machines started from it may have besides none: `TrustedLaunch`, `ConfidentialVM` or
    /// empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub protection: String,
}

/// A pool of machines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pool {
    /// Name of the pool.
    pub name: String,
    /// Number of machines.
    pub replicas: u32,
    /// Processor architecture: `amd64` or `arm64`.
    pub architecture: String,
    /// Size of the machines.
    pub size: String,
    /// Zones, in the order in which machines are put into them; one empty one where there are none.
    pub zones: Vec<String>,
    /// Generation of the virtual machines: `V1` or `V2`.
    pub hyper_v_generation: String,
    /// Whether a part of the network card is handed to the machine.
    pub accelerated_networking: bool,
    /// Whether ultra disks can be attached: `Enabled`, `Disabled` or empty.
    pub ultra_disks: String,
    /// Disk that the machines start from.
    pub disk: Disk,
    /// Disks besides that one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub data_disks: Vec<DataDisk>,
    /// Image that they start from.
    pub image: PoolImage,
    /// What protects them.
    pub security: Security,
    /// Resource ids of the user's managed identities that they have in place of the one that is made; none of
    /// them for machines without an identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identities: Option<Vec<String>>,
    /// Machine types that fit the pool, the chosen one among them; the usual ones first.
    #[serde(skip)]
    pub offers: Vec<TypeOffer>,
    /// Where they write their boot diagnostics, as the pool says it; none where it says nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boot_diagnostics: Option<BootDiagnostics>,
}

/// Where machines write their boot diagnostics.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum BootDiagnostics {
    /// Nowhere.
    Disabled,
    /// Into a storage account that Azure manages.
    Managed,
    /// Into a storage account of the user's.
    #[serde(rename_all = "camelCase")]
    Account {
        /// Address of its blobs, such as `https://logs.blob.core.windows.net`.
        uri: String,
    },
}

/// The disk that machines start from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Disk {
    /// Type, such as `Premium_LRS`.
    pub kind: String,
    /// Size in GB.
    #[serde(rename = "sizeGB")]
    pub size_gb: i64,
    /// Resource id of the set of keys that encrypts it; empty for the cloud's own keys.
    pub encryption_set: String,
}

/// A disk besides the one that machines start from. It is deleted with its machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DataDisk {
    /// What follows the machine's name in the disk's.
    pub name_suffix: String,
    /// Size in GB.
    #[serde(rename = "sizeGB")]
    pub size_gb: i64,
    /// Logical unit number.
    pub lun: i32,
    /// Caching: `None`, `ReadOnly` or `ReadWrite`; empty for that of the cloud.
    pub caching: String,
    /// Type, such as `Premium_LRS`; empty for that of the cloud.
    pub kind: String,
    /// Resource id of the set of keys that encrypts it; empty for the cloud's own keys.
    pub encryption_set: String,
}

/// The image that the machines of a pool start from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum PoolImage {
    /// The one that the cluster brings along.
    #[serde(rename_all = "camelCase")]
    Cluster {
        /// Resource id without its subscription.
        resource_id: String,
    },
    /// One of the marketplace.
    #[serde(rename_all = "camelCase")]
    Marketplace {
        /// Publisher.
        publisher: String,
        /// Offer.
        offer: String,
        /// SKU.
        sku: String,
        /// Version.
        version: String,
        /// Whether it is bought under a plan.
        plan: bool,
    },
}

/// What protects machines from their host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Security {
    /// Whether the host encrypts the disks.
    pub encryption_at_host: bool,
    /// `ConfidentialVM`, `TrustedLaunch` or empty.
    pub kind: String,
    /// Firmware settings, where they are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub firmware: Option<Firmware>,
    /// What of a confidential machine's disk is encrypted; empty for other machines.
    pub disk_encryption: String,
    /// Resource id of the set of keys that does it; empty for the cloud's own keys.
    pub disk_encryption_set: String,
}

/// Firmware settings; each `Enabled`, `Disabled` or empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Firmware {
    /// Whether only signed code is started.
    pub secure_boot: String,
    /// Whether the machine has a virtual TPM.
    pub tpm: String,
}
