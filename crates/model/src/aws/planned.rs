//! The AWS part of a plan: leaf types of [`crate::plan::Plan`].

use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;

use serde::Serialize;

use crate::plan::TypeOffer;

/// What is to be made on AWS.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Region.
    pub region: String,
    /// Partition of the region, such as `aws-us-gov`; `aws` for a region of no known one.
    pub partition: String,
    /// Custom endpoints: service and URL, in the order of the config.
    pub endpoints: Vec<(String, String)>,
    /// Image of the pools that name none.
    pub image: Image,
    /// Network of the machines.
    pub network: Network,
    /// Whether machines have IPv4 and IPv6 addresses.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dual_stack: bool,
    /// Control plane machines.
    pub control_plane: Pool,
    /// Compute pools.
    pub compute: Vec<Pool>,
    /// Pool of the user's own from which public addresses are taken; empty for those of AWS.
    pub public_ipv4_pool: String,
    /// Id of the base domain's public zone; none for an internal cluster, or where it is not known yet.
    pub public_zone: Option<String>,
    /// Addresses of the API's internal load balancer that are chosen, as machines find the API by them: zone of a subnet
    /// that is made, or id of an existing one, and address. Empty where machines find it by DNS.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub api_addresses: BTreeMap<String, Ipv4Addr>,
    /// What the region and its partition have of their own.
    pub traits: Traits,
}

/// What a region has of its own, taken from the catalogue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Traits {
    /// Service principal of EC2, such as `ec2.amazonaws.com.cn`.
    pub ec2_service_principal: String,
    /// Type of the API's records: `A` for an alias, or `CNAME`.
    pub api_record_type: String,
    /// Domain of the machines' own names, such as `ec2.internal`.
    pub internal_domain: String,
    /// Name of the endpoint service of S3, such as `com.amazonaws.us-east-1.s3`.
    pub s3_endpoint_service: String,
    /// Whether network load balancers have no security groups.
    pub nlb_without_security_groups: bool,
    /// Whether the cloud provider's config carries the trust bundle.
    pub trust_bundle_in_cloud_config: bool,
}

/// The image that machines start from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    /// Id of the image.
    pub id: String,
    /// Region that has it: the cluster's, or the one that it is copied from.
    pub region: String,
}

/// Where the machines' network comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Network {
    /// It is made.
    #[serde(rename_all = "camelCase")]
    New {
        /// Addresses of the VPC.
        cidr: String,
        /// The subnets, in the order in which their addresses are given out.
        subnets: Vec<NewSubnet>,
    },
    /// It is there.
    #[serde(rename_all = "camelCase")]
    Existing {
        /// Id of the VPC.
        vpc: String,
        /// Subnets of the machines, without a route to an internet gateway: zone and id.
        private: BTreeMap<String, String>,
        /// Subnets of the API's public load balancer, with one.
        public: BTreeMap<String, String>,
        /// Subnets in local zones: zone, id and whether they are public.
        edge: BTreeMap<String, EdgeSubnet>,
        /// The subnets of what has subnets by role; none where the routes of the subnets decide.
        #[serde(skip_serializing_if = "Option::is_none")]
        roles: Option<SubnetRoles>,
    },
}

/// The subnets of an existing network that the config gives to what is neither a machine nor the API's public load
/// balancer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubnetRoles {
    /// Subnets of the API's internal load balancer: zone and id.
    pub internal_balancer: BTreeMap<String, String>,
    /// Subnets of the bootstrap machine, which takes the first one: zone and id.
    pub bootstrap: BTreeMap<String, String>,
    /// Subnets of the load balancer of the default ingress controller, in the order of the config.
    pub ingress: Vec<String>,
}

impl Network {
    /// The ids of all existing subnets; none of a network that is made.
    #[must_use]
    pub fn existing_subnets(&self) -> BTreeSet<&String> {
        let Self::Existing { private, public, edge, roles, .. } = self else {
            return BTreeSet::new();
        };
        let mut all: BTreeSet<&String> = private.values().chain(public.values()).collect();
        all.extend(edge.values().map(|subnet| &subnet.id));
        if let Some(roles) = roles {
            all.extend(
                roles.internal_balancer.values().chain(roles.bootstrap.values()).chain(&roles.ingress),
            );
        }
        all
    }

    /// The subnets of existing networks by role; none where the config gives none.
    #[must_use]
    pub const fn subnet_roles(&self) -> Option<&SubnetRoles> {
        match self {
            Self::Existing { roles, .. } => roles.as_ref(),
            Self::New { .. } => None,
        }
    }
}

/// A subnet that is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewSubnet {
    /// Zone.
    pub zone: String,
    /// Whether it has a route to the internet gateway.
    pub public: bool,
    /// Addresses.
    pub cidr: String,
}

/// An existing subnet in a local zone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EdgeSubnet {
    /// Id of the subnet.
    pub id: String,
    /// Whether it has a route to an internet gateway.
    pub public: bool,
}

/// A pool of machines.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pool {
    /// Name of the pool.
    pub name: String,
    /// Number of machines.
    pub replicas: u32,
    /// Instance type.
    pub instance_type: String,
    /// Instance types of zones that have one of their own.
    pub types: BTreeMap<String, String>,
    /// Zones, in the order in which machines are put into them.
    pub zones: Vec<String>,
    /// What is to be known of zones that are local zones.
    pub local_zones: BTreeMap<String, LocalZone>,
    /// Image that the pool names itself; none for the cluster's.
    pub image: Option<String>,
    /// Volume that the machines start from.
    pub volume: Volume,
    /// Access to the metadata service: `Required`, `Optional` or empty.
    pub metadata_authentication: String,
    /// Existing role of the machines; empty when one is made, or the profile is the user's.
    pub iam_role: String,
    /// Existing instance profile of the machines; empty when one is made.
    pub iam_profile: String,
    /// Existing security groups, as given.
    pub security_groups: Vec<String>,
    /// Confidential computing of the machines, as given: `AMDEncryptedVirtualizationNestedPaging`, `Disabled` or empty.
    pub confidential_compute: String,
    /// Whether Cluster API manages the machines.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cluster_api: bool,
    /// Machine types that fit the pool, the chosen one among them; the usual ones first.
    #[serde(skip)]
    pub offers: Vec<TypeOffer>,
    /// Dedicated hosts of the machines; none for machines on shared hardware.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts: Option<Hosts>,
}

/// The dedicated hosts that machines are placed on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Hosts {
    /// Any host of the account that takes them.
    AnyAvailable,
    /// These ones: zone and id. A zone without a host has machines on shared hardware.
    ByZone(BTreeMap<String, String>),
}

/// A local zone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LocalZone {
    /// Kind, such as `local-zone`.
    pub kind: String,
    /// Group of the zone.
    pub group: String,
    /// Availability zone that it hangs on.
    pub parent: String,
}

/// The volume that machines start from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Volume {
    /// Type, such as `gp3`.
    pub kind: String,
    /// Size in GiB.
    pub size: i64,
    /// Operations a second; 0 for the type's own.
    pub iops: i64,
    /// Throughput in MiB a second; none for the type's own.
    pub throughput: Option<i32>,
    /// ARN of the key that encrypts it; empty for the account's own.
    pub kms_key: String,
}
