//! What Azure answered: leaf types of [`crate::facts::Facts`].

use std::collections::BTreeMap;

use crate::config::value::model;

model! {
    /// What Azure answered for one install config.
    pub struct Facts {
        /// Cloud of these facts, such as `AzurePublicCloud`.
        pub cloud_name: String,
        /// Subscription of the credentials.
        pub subscription_id: String,
        /// Tenant of the credentials.
        pub tenant_id: String,
        /// Application id of the credentials; empty for a managed identity.
        pub client_id: String,
        /// Where the credentials come from: `secret`, `certificate`, `federated-token`, `managed-identity` or
        /// `cli`; empty where that is not known.
        pub identity: String,
        /// Location of these facts.
        pub location: Location,
        /// Machine sizes of the location, by name; of those that matter for the config.
        pub sizes: BTreeMap<String, Size>,
        /// Public DNS zone of the base domain.
        pub dns_zone: Option<DnsZone>,
        /// Existing network that the config names.
        pub network: Option<Network>,
        /// Existing resource group that the config names.
        pub resource_group: Option<ResourceGroup>,
        /// Use and limit of the quotas of the location, by their name, such as `standardDSv3Family`.
        pub quotas: BTreeMap<String, Quota>,
        /// Endpoints of an Azure Stack Hub, as the cloud provider reads them.
        pub environment: Option<serde_json::Map<String, serde_json::Value>>,
    }

    /// A location.
    pub struct Location {
        /// Name, such as `eastus`.
        pub name: String,
        /// Name for people, such as `East US`.
        pub display_name: String,
    }

    /// A machine size as the location offers it.
    pub struct Size {
        /// Zones that offer it; empty where the location does not have zones.
        pub zones: Vec<String>,
        /// Quota family, such as `standardDSv3Family`.
        pub family: String,
        /// Capabilities as the resource manager names them, such as `vCPUs`, `MemoryGB`,
        /// `HyperVGenerations`, `PremiumIO`, `AcceleratedNetworkingEnabled`, `CpuArchitectureType`. One that
        /// only some zones have is there twice: the other name ends in `@zones`, its value lists them with
        /// commas.
        pub capabilities: BTreeMap<String, String>,
        /// Why the subscription cannot use the size here, if so.
        pub restriction: String,
    }

    /// A public DNS zone.
    pub struct DnsZone {
        /// Resource id.
        pub id: String,
        /// Domain.
        pub name: String,
        /// Records of the API's names that are there, each as its name, a blank and its type: what an earlier
        /// cluster of this name left behind.
        pub records: Vec<String>,
    }

    /// A virtual network.
    pub struct Network {
        /// Name.
        pub name: String,
        /// Resource group.
        pub resource_group: String,
        /// Location.
        pub location: String,
        /// Addresses as `address/prefix`.
        pub address_prefixes: Vec<String>,
        /// Its subnets.
        pub subnets: Vec<Subnet>,
    }

    /// A subnet of a virtual network.
    pub struct Subnet {
        /// Name.
        pub name: String,
        /// Addresses as `address/prefix`.
        pub address_prefixes: Vec<String>,
        /// How many addresses are in use.
        pub used_addresses: i64,
        /// Resource id of the NAT gateway of the subnet; empty without one.
        pub nat_gateway: String,
        /// Address that the API's internal load balancer can have: the one that it has, or the last free one; only in the
        /// control plane's subnet where the user provides the cluster's DNS records.
        pub api_address: String,
    }

    /// A resource group.
    pub struct ResourceGroup {
        /// Name.
        pub name: String,
        /// Location.
        pub location: String,
        /// Tags.
        pub tags: BTreeMap<String, String>,
        /// How many resources are in it.
        pub resources: i64,
        /// Names of the first of them.
        pub first: Vec<String>,
    }

    /// A quota of a location.
    pub struct Quota {
        /// The most there may be.
        pub limit: i64,
        /// How many there are.
        pub used: i64,
    }
}
