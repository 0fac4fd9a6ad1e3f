//! What AWS answered: leaf types of [`crate::facts::Facts`].

use std::collections::BTreeMap;

use crate::config::value::model;

model! {
    /// What AWS answered for one install config.
    pub struct Facts {
        /// Region of these facts.
        pub region: String,
        /// Partition of the region, such as `aws` or `aws-us-gov`; empty when none is known.
        pub partition: String,
        /// What the account may do with the region: `opt-in-not-required`, `opted-in`, `not-opted-in`; empty
        /// where the cloud does not list the region or was not queried.
        pub opt_in: String,
        /// Caller of the cloud.
        pub caller: Option<Caller>,
        /// Zones of the region that the account can use.
        pub zones: Vec<Zone>,
        /// Instance types that the region offers, by name; of those that matter for the config.
        pub instance_types: BTreeMap<String, InstanceType>,
        /// Images for the machines, by processor architecture (`amd64`, `arm64`), where they differ from
        /// the catalogue's.
        pub images: BTreeMap<String, String>,
        /// Existing network that the config's subnets are in.
        pub vpc: String,
        /// Infrastructure ids of clusters that own that network, as its tags say.
        pub vpc_owners: Vec<String>,
        /// Subnets of that network that the config does not name and no tag `kubernetes.io/cluster/` assigns or excludes.
        pub untagged_subnets: Vec<String>,
        /// Existing subnets that the config names.
        pub subnets: Vec<Subnet>,
        /// Existing security groups that the config names.
        pub security_groups: Vec<SecurityGroup>,
        /// Dedicated hosts of the account that the config names.
        pub dedicated_hosts: Vec<DedicatedHost>,
        /// Public hosted zone of the base domain.
        pub public_zone: Option<HostedZone>,
        /// Private hosted zone that the config names.
        pub private_zone: Option<HostedZone>,
    }

    /// Caller of the cloud.
    pub struct Caller {
        /// Account, twelve digits.
        pub account: String,
        /// ARN of the user or of the assumed role.
        pub arn: String,
        /// Unique id of the user or role.
        pub user_id: String,
    }

    /// A zone of a region.
    pub struct Zone {
        /// Name, such as `us-east-1a`.
        pub name: String,
        /// Kind: `availability-zone`, `local-zone` or `wavelength-zone`.
        #[serde(rename = "type")]
        pub kind: String,
        /// Group of a local zone, such as `us-east-1-nyc-1`.
        pub group: String,
        /// Availability zone that a local zone hangs on.
        pub parent: String,
        /// Whether the account has not opted in to the zone's group.
        pub not_opted_in: bool,
    }

    /// An instance type as the region offers it.
    pub struct InstanceType {
        /// Zones that offer it.
        pub zones: Vec<String>,
        /// Virtual CPUs; 0 where it is unknown.
        pub vcpus: i32,
        /// Memory in MiB; 0 where it is unknown.
        pub memory_mib: i64,
        /// Processor architectures, `amd64` and `arm64`; empty where it is unknown.
        pub architectures: Vec<String>,
        /// What else it supports, of `ipv6`, `nitro` and `amd-sev-snp`; empty where it is unknown.
        pub features: Vec<String>,
    }

    /// An existing subnet.
    pub struct Subnet {
        /// Id, such as `subnet-0123456789abcdef0`.
        pub id: String,
        /// Zone that it is in.
        pub zone: String,
        /// Kind of that zone, as in `zones`.
        pub zone_type: String,
        /// Addresses as `address/prefix`.
        pub cidr: String,
        /// IPv6 addresses as `address/prefix`; empty without IPv6.
        pub ipv6_cidr: String,
        /// Network that it is in.
        pub vpc: String,
        /// Whether its route table has a route to an internet gateway.
        pub public: bool,
        /// Infrastructure ids of clusters that own it, as its tags say.
        pub owners: Vec<String>,
        /// Address that the API's internal load balancer can have: the one that it has, or the last free one; only where
        /// the user provides the cluster's DNS records.
        pub api_address: String,
    }

    /// An existing security group.
    pub struct SecurityGroup {
        /// Id, such as `sg-0123456789abcdef0`.
        pub id: String,
        /// Network that it is in.
        pub vpc: String,
    }

    /// A dedicated host.
    pub struct DedicatedHost {
        /// Id, such as `h-0123456789abcdef0`.
        pub id: String,
        /// Zone that it is in.
        pub zone: String,
        /// Infrastructure ids of clusters that own it, as its tags say.
        pub owners: Vec<String>,
    }

    /// A Route 53 zone.
    pub struct HostedZone {
        /// Id without `/hostedzone/`.
        pub id: String,
        /// Domain without a final dot.
        pub name: String,
        /// Networks that a private zone serves.
        pub vpcs: Vec<String>,
        /// Records below the cluster's domain, each as its name without a final dot, a blank and its type:
        /// what an earlier cluster of this name left behind.
        pub records: Vec<String>,
    }
}

/// The kind of ordinary zones.
pub const AVAILABILITY_ZONE: &str = "availability-zone";
/// The kind of zones in the networks of mobile operators.
pub const WAVELENGTH_ZONE: &str = "wavelength-zone";
/// The feature of instance types whose machines can have IPv6 addresses.
pub const IPV6: &str = "ipv6";
/// The feature of instance types on the Nitro system, whose metadata service answers at an IPv6 address.
pub const NITRO: &str = "nitro";
/// The feature of instance types with AMD SEV-SNP, as EC2 names it.
pub const SEV_SNP: &str = "amd-sev-snp";

impl Facts {
    /// The zones that ordinary machines can be in, sorted.
    #[must_use]
    pub fn availability_zones(&self) -> Vec<String> {
        let ordinary =
            self.zones.iter().filter(|zone| zone.kind == AVAILABILITY_ZONE || zone.kind.is_empty());
        let mut names: Vec<String> = ordinary.map(|zone| zone.name.clone()).collect();
        names.sort();
        names.dedup();
        names
    }
}
