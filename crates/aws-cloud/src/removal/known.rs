//! What a look at the cloud learned of things beside that they are there, so that removing them need not ask
//! again.
//!
//! A detail counts for one attempt: whoever removes a thing takes the detail out, and a second attempt looks
//! for itself, since much may have changed by then.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use aws_sdk_ec2::types::IpPermission;
use aws_sdk_route53::types::ResourceRecordSet;

/// Details of things. The keys are the ids that AWS gives within a service, such as `sg-1` or the name of a
/// role, but for those of records.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Internet gateways: the VPCs that they are attached to.
    pub(super) gateways: BTreeMap<String, Vec<String>>,
    /// Route tables.
    pub(super) tables: BTreeMap<String, Table>,
    /// Security groups.
    pub(super) groups: BTreeMap<String, Group>,
    /// Network interfaces.
    pub(super) interfaces: BTreeMap<String, Interface>,
    /// Images: ids of their snapshots that carry no tag of the cluster.
    pub(super) images: BTreeMap<String, Vec<String>>,
    /// Placement groups: their names.
    pub(super) placement_groups: BTreeMap<String, String>,
    /// Instance profiles: their roles' names.
    pub(super) profiles: BTreeMap<String, Vec<String>>,
    /// Roles; without those whose policies nobody asked for.
    pub(super) roles: BTreeMap<String, Role>,
    /// DNS records, under the ids of their [`Resource`](landfall_platform::removal::Resource)s. These stay.
    pub(super) records: BTreeMap<String, Record>,
    /// Ids of what only the region lists where all regions share things. These stay.
    pub(super) abroad: BTreeSet<String>,
}

/// What of a route table matters for its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Table {
    /// Whether it is its VPC's main one, which goes with the VPC.
    pub(super) main: bool,
    /// Ids of its associations, without the main one.
    pub(super) associations: Vec<String>,
}

/// What of a security group matters for its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Group {
    /// Whether it is named `default`, and so goes with its VPC.
    pub(super) is_default: bool,
    /// What it lets in, as EC2 describes it.
    pub(super) ingress: Vec<IpPermission>,
    /// What it lets out, as EC2 describes it.
    pub(super) egress: Vec<IpPermission>,
}

/// What of a network interface matters for its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Interface {
    /// Whether a service of AWS made it and uses it, and so removes it.
    pub(super) of_service: bool,
    /// Whether something uses it.
    pub(super) in_use: bool,
}

/// What of a role matters for its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Role {
    /// Names of its own policies.
    pub(super) inline: Vec<String>,
    /// ARNs of the policies that are attached to it.
    pub(super) attached: Vec<String>,
    /// Names of the instance profiles that it is in.
    pub(super) profiles: Vec<String>,
}

/// A record of a hosted zone.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Record {
    /// Id of the zone, without a prefix.
    pub(super) zone: String,
    /// Whether the zone belongs to the account of the role that the cluster has for its hosted zone.
    pub(super) by_zone_role: bool,
    /// The record as Route 53 lists it.
    pub(super) set: ResourceRecordSet,
}

/// What is known, put in or taken out.
pub(super) fn with<T>(known: &Mutex<Known>, act: impl FnOnce(&mut Known) -> T) -> T {
    act(&mut known.lock().unwrap_or_else(PoisonError::into_inner))
}
