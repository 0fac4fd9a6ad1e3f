//! The permissions that installing a config on AWS takes: the actions, and a policy that allows no more
//! (`assets.md`, F.3).
//!
//! The actions are catalogue data, in sets of groups: a release names its set, and the config decides on the
//! groups.

mod grants;

use std::collections::BTreeSet;

use serde_json::{Value, json};

pub use grants::{EC2, Grant, PASSED_TO, Question, grants, questions};

use super::EDGE;
use super::config::{MachinePool as Settings, Platform};
use landfall_model::catalogue::Catalogue;
use landfall_model::config::{InstallConfig, MachinePool};

/// The group of what the cluster's operators need to make users of their own.
const MINT: &str = "permission-mint-creds";
/// The group of what they need where they use the installer's credentials.
const PASSTHROUGH: &str = "permission-passthrough-creds";

/// The actions that installing a config takes, and destroying the cluster again: sorted, each once. What the
/// cluster's operators need besides is not among them.
#[must_use]
pub fn needed(config: &InstallConfig, catalogue: &Catalogue, release: &str) -> Vec<String> {
    let Some(platform) = &config.platform.aws else {
        return Vec::new();
    };
    let secret = catalogue.aws.partition_of(&platform.region).is_some_and(|(_, partition)| partition.secret);
    let groups = groups(config, platform, secret);
    let taken = groups.into_iter().filter_map(|(name, taken)| taken.then_some(name));
    let mut actions = in_groups(catalogue, release, taken);
    // Creating a VPC calls it as well, and nothing is for deleting alone in a secret partition.
    let replaces = "ec2:ReplaceRouteTableAssociation";
    if platform.vpc.subnets.is_empty() && !actions.iter().any(|action| action == replaces) {
        actions.push(replaces.to_owned());
        actions.sort();
    }
    // Nothing in Route 53 is created or changed where the user provides the records.
    actions.retain(|action| !(platform.has_user_dns() && action.starts_with("route53:")));
    actions
}

/// What Terraform's provider reads besides: attributes of addresses and listeners.
fn terraform(catalogue: &Catalogue, release: &str) -> Vec<String> {
    in_groups(catalogue, release, ["terraform"])
}

/// The actions that the cluster's operators need to make users of their own.
#[must_use]
pub fn mint(catalogue: &Catalogue, release: &str) -> Vec<String> {
    in_groups(catalogue, release, [MINT])
}

/// The actions that the cluster's operators need to use the installer's credentials.
#[must_use]
pub fn passthrough(catalogue: &Catalogue, release: &str) -> Vec<String> {
    in_groups(catalogue, release, [PASSTHROUGH])
}

/// An IAM policy that allows what installing a config takes, and as little else as IAM can tell apart: what
/// is made has names that begin with the cluster's, and regional services are limited to the region.
#[must_use]
pub fn policy(config: &InstallConfig, catalogue: &Catalogue, release: &str) -> Value {
    let statements: Vec<Value> = grants(config, catalogue, release).iter().map(Grant::statement).collect();
    json!({ "Version": "2012-10-17", "Statement": statements })
}

/// Whether operators make users of their own: the mode says so, or leaves it open.
fn mints(config: &InstallConfig) -> bool {
    ["", "Mint"].contains(&config.credentials_mode.as_str())
}

/// Whether operators use the installer's credentials: the mode says so.
fn shares(config: &InstallConfig) -> bool {
    config.credentials_mode == "Passthrough"
}

/// The actions of some groups of a release's set: sorted, each once. A release without a set has the newest
/// release's.
fn in_groups<'g>(
    catalogue: &Catalogue,
    release: &str,
    groups: impl IntoIterator<Item = &'g str>,
) -> Vec<String> {
    let own = catalogue.permission_rule(release);
    let newest = || catalogue.newest_release().map(|newest| catalogue.permission_rule(newest));
    let set = if own.is_empty() { newest().unwrap_or_default() } else { own };
    let all: BTreeSet<&String> =
        groups.into_iter().flat_map(|group| catalogue.aws.permissions(set, group)).collect();
    all.into_iter().cloned().collect()
}

/// The groups, and whether a config takes them. A set that lacks one has its actions in another group.
fn groups(config: &InstallConfig, platform: &Platform, secret: bool) -> Vec<(&'static str, bool)> {
    let existing_network = !platform.vpc.subnets.is_empty();
    let existing_zone = !platform.hosted_zone.is_empty();
    let dual_stack = !existing_network && platform.is_dual_stack();
    // In a secret partition nothing that is for deleting is asked for.
    let deletes = !secret;
    let role_given = any(config, |_, machines| !machines.iam_role.is_empty());
    let profile_given = any(config, |_, machines| !machines.iam_profile.is_empty());
    let placed = config.pools().any(|(_, pool)| is_placed(pool));
    vec![
        ("create-base", true),
        ("create-networking", !existing_network),
        ("create-dualstack-networking", dual_stack),
        ("create-hosted-zone", !existing_zone),
        ("create-instance-role", creates_role(config)),
        ("create-instance-profile", any(config, |_, machines| machines.iam_profile.is_empty())),
        ("kms-encryption-keys", any(config, |_, machines| !machines.root_volume.kms_key_arn.is_empty())),
        ("public-ipv4-pool", !platform.public_ipv4_pool.is_empty()),
        ("permission-assume-role", !platform.hosted_zone_role.is_empty()),
        ("permission-default-zones", any(config, |_, machines| machines.zones.is_empty())),
        ("permission-validate-instance-type", any(config, |_, machines| !machines.instance_type.is_empty())),
        (
            "permission-edge-default-instance",
            any(config, |pool, machines| pool.name == EDGE && machines.instance_type.is_empty()),
        ),
        (
            "permission-create-carrier-gateway",
            !existing_network && any(config, |_, machines| machines.zones.iter().any(|z| is_wavelength(z))),
        ),
        ("permission-dedicated-hosts", placed),
        ("permission-dynamic-host-allocation", placed && any(config, |_, machines| takes_any_host(machines))),
        ("delete-base", deletes),
        ("delete-ignition-objects", !platform.best_effort_delete_ignition),
        ("delete-networking", deletes && !existing_network),
        ("delete-dualstack-networking", deletes && dual_stack),
        ("delete-shared-networking", deletes && existing_network),
        ("delete-hosted-zone", deletes && !existing_zone),
        ("delete-shared-instance-role", deletes && role_given),
        ("delete-shared-instance-profile", deletes && profile_given),
    ]
}

/// Whether a pool gets a role of the cluster: it names neither a role nor an instance profile, which has one.
fn creates_role(config: &InstallConfig) -> bool {
    any(config, |_, machines| machines.iam_role.is_empty() && machines.iam_profile.is_empty())
}

/// Whether a pool and its settings are of some kind. The config is a completed one: what the default machine
/// platform says stands in every pool.
fn any(config: &InstallConfig, fits: impl Fn(&MachinePool, &Settings) -> bool) -> bool {
    let none = Settings::default();
    config.pools().any(|(_, pool)| fits(pool, pool.platform.aws.as_ref().unwrap_or(&none)))
}

/// Zones in the networks of telephone companies have it in their names, as `us-east-1-wl1-bos-wlz-1`.
pub(crate) fn is_wavelength(zone: &str) -> bool {
    zone.contains("-wlz-")
}

/// Whether the machines of a pool are on dedicated hosts.
fn is_placed(pool: &MachinePool) -> bool {
    pool.platform.aws.as_ref().is_some_and(|machines| machines.host_placement.is_some())
}

fn takes_any_host(machines: &Settings) -> bool {
    let placement = machines.host_placement.as_ref();
    placement.is_some_and(|placement| placement.affinity.as_deref() == Some("AnyAvailable"))
}

#[cfg(test)]
mod tests;
