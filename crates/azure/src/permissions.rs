//! The permissions that installing a config on Azure takes: the actions, and a role that allows no more.
//!
//! The actions are data, in groups: the modules of terraform make resources of some kinds, and the config
//! decides which of them.

use std::collections::{BTreeMap, BTreeSet};

use landfall_model::catalogue::Catalogue;
use landfall_model::catalogue::value::shipped;
use landfall_model::config::InstallConfig;
use landfall_model::plan::Cluster;
use serde_json::{Value, json};

use super::config::{DiskEncryptionSet, MachinePool, Platform};

const PERMISSIONS: &str = include_str!("data/permissions.json");

/// Routes of the user's own: a private cluster with these has no public address.
const OWN_ROUTES: &str = "UserDefinedRouting";
/// The beginning of the ways to the outside that are gateways.
const GATEWAYS: &str = "natgateway";
/// The type of machines' identities that means none.
const NO_IDENTITY: &str = "None";
/// The plan of an image that is bought without one.
const NO_PLAN: &str = "NoPurchasePlan";
/// The mode in which operators do not use the installer's credentials.
const MANUAL: &str = "Manual";
/// What is done with blobs where no access key opens the storage account.
const BLOBS: &[&str] = &[
    "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/add/action",
    "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/delete",
    "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/read",
    "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/write",
];
/// Stands for a subscription that is not known.
const SOME_SUBSCRIPTION: &str = "<subscription id>";

/// The actions that installing a config takes, and destroying the cluster again: sorted, each once. What
/// preflight reads and what the cluster's operators need besides is not among them.
#[must_use]
pub fn needed(config: &InstallConfig, catalogue: &Catalogue) -> Vec<String> {
    let Some(platform) = &config.platform.azure else {
        return Vec::new();
    };
    in_groups(taken(&making(config, platform, catalogue)))
}

/// A custom role, in the form that `az role definition create` reads: what installing a config takes, what
/// preflight reads, and what the cluster's operators need where they use the installer's credentials. It can
/// be assigned in the subscription and in the groups that the config names. Where the subscription is not
/// known a placeholder stands for it.
#[must_use]
pub fn policy(config: &InstallConfig, catalogue: &Catalogue, subscription: &str) -> Value {
    let none = Platform::default();
    let platform = config.platform.azure.as_ref().unwrap_or(&none);
    let mut groups = making(config, platform, catalogue);
    groups.extend(besides(config, platform, catalogue));
    let domain = Cluster::of(config).domain;
    let mut role = json!({
        "Name": format!("Installer of the OpenShift cluster {domain}"),
        "IsCustom": true,
        "Description": format!("Permissions to install and destroy the OpenShift cluster {domain}"),
        "Actions": in_groups(taken(&groups)),
        "NotActions": [],
        "AssignableScopes": scopes(config, platform, subscription),
    });
    if without_access_keys(platform) {
        role["DataActions"] = json!(BLOBS);
        role["NotDataActions"] = json!([]);
    }
    role
}

/// What is done to blobs where the storage account refuses its access keys.
#[must_use]
pub fn needed_for_data(config: &InstallConfig) -> Vec<String> {
    let closed = config.platform.azure.as_ref().is_some_and(without_access_keys);
    BLOBS.iter().filter(|_| closed).map(|action| (*action).to_owned()).collect()
}

/// Whether blobs are uploaded with a role, as the storage account refuses its access keys.
fn without_access_keys(platform: &Platform) -> bool {
    platform.allow_shared_key_access == Some(false)
}

/// The actions of some groups: sorted, each once.
fn in_groups<'g>(groups: impl Iterator<Item = &'g str>) -> Vec<String> {
    let table: BTreeMap<String, Vec<String>> = shipped(PERMISSIONS);
    let all: BTreeSet<&String> = groups.filter_map(|group| table.get(group)).flatten().collect();
    all.into_iter().cloned().collect()
}

fn taken<'g>(groups: &[(&'g str, bool)]) -> impl Iterator<Item = &'g str> {
    groups.iter().filter(|(_, taken)| *taken).map(|(name, _)| *name)
}

/// What of the cluster is made, as groups, and whether a config takes them.
fn making(config: &InstallConfig, platform: &Platform, catalogue: &Catalogue) -> Vec<(&'static str, bool)> {
    let stack = is_stack(platform, catalogue);
    let cluster = Cluster::of(config);
    let new_network = platform.virtual_network.is_empty();
    // Releases before 4.20 have `NatGateway`.
    let gateways = platform.outbound_type.to_ascii_lowercase().starts_with(GATEWAYS);
    let ipv6 = config.has_ipv6_services();
    let by_cloud = !platform.has_user_dns();
    let public_zone = by_cloud && uses_public_zone(&cluster, stack);
    let makes_identity = !stack && any(config, makes_identity);
    let encrypted = platform.customer_managed_key.is_some();
    vec![
        ("base", true),
        ("new-network", new_network),
        ("security-rules", new_network || cluster.external_api),
        ("nat-gateway", gateways),
        ("existing-subnets", !new_network && gateways),
        ("public-addresses", cluster.external_api || platform.outbound_type != OWN_ROUTES),
        ("identity", makes_identity),
        ("assign-roles", makes_identity || without_access_keys(platform)),
        ("assign-identity", encrypted || (!stack && any(config, has_identity))),
        ("storage-key", encrypted),
        ("gallery", !stack),
        ("stack-image", stack),
        ("availability-set", stack),
        ("private-dns", by_cloud && !stack),
        ("private-dns-ipv6", by_cloud && !stack && ipv6),
        ("public-dns", public_zone),
        ("public-dns-api", by_cloud && cluster.external_api),
        ("public-dns-ipv6", public_zone && ipv6),
        ("stack-dns", public_zone && stack),
        ("described-machines", described_machines(config)),
        (
            "disk-encryption-sets",
            encryption_sets(config).next().is_some() || data_sets(config).next().is_some(),
        ),
        ("marketplace-image", any(config, |machines| !machines.os_image.publisher.is_empty())),
        ("marketplace-plan", any(config, buys_image)),
    ]
}

/// What is done besides making the cluster: what preflight reads, and what the cluster's operators do.
fn besides(config: &InstallConfig, platform: &Platform, catalogue: &Catalogue) -> Vec<(&'static str, bool)> {
    let stack = is_stack(platform, catalogue);
    let cluster = Cluster::of(config);
    let operators = config.credentials_mode != MANUAL;
    let by_cloud = !platform.has_user_dns();
    vec![
        ("preflight", true),
        // What the native engine creates and the modules of terraform do not.
        ("native-engine", !stack),
        ("preflight-dns", by_cloud && uses_public_zone(&cluster, stack)),
        ("preflight-address", !by_cloud && !platform.virtual_network.is_empty()),
        ("operators", operators),
        ("operators-public-dns", operators && by_cloud && cluster.external_ingress),
        ("operators-private-dns", operators && by_cloud && !stack),
    ]
}

fn is_stack(platform: &Platform, catalogue: &Catalogue) -> bool {
    catalogue.azure.cloud(&platform.cloud_name).is_some_and(|(_, cloud)| cloud.stack)
}

/// Whether names of the cluster go into the zone of the base domain. A Stack Hub has no other zones.
fn uses_public_zone(cluster: &Cluster, stack: bool) -> bool {
    stack || cluster.external_api || cluster.external_ingress
}

/// Whether the machines of a pool have an identity that is made with the cluster.
fn makes_identity(machines: &MachinePool) -> bool {
    let given = machines.identity.as_ref().and_then(|identity| identity.user_assigned_identities.as_ref());
    has_identity(machines) && given.is_none_or(Vec::is_empty)
}

/// Whether the machines of a pool have an identity, whosever it is.
fn has_identity(machines: &MachinePool) -> bool {
    machines.identity.as_ref().is_none_or(|identity| identity.kind != NO_IDENTITY)
}

fn buys_image(machines: &MachinePool) -> bool {
    !machines.os_image.publisher.is_empty() && machines.os_image.plan != NO_PLAN
}

/// Whether the machines of a pool are of some kind. The config is a completed one: what the default machine
/// platform says stands in every pool.
fn any(config: &InstallConfig, fits: impl Fn(&MachinePool) -> bool) -> bool {
    let none = MachinePool::default();
    config.pools().any(|(_, pool)| fits(pool.platform.azure.as_ref().unwrap_or(&none)))
}

/// The sets of keys that encrypt disks.
fn encryption_sets(config: &InstallConfig) -> impl Iterator<Item = &DiskEncryptionSet> {
    let machines = config.pools().filter_map(|(_, pool)| pool.platform.azure.as_ref());
    machines.flat_map(|machines| {
        let disk = &machines.os_disk;
        let of_guest =
            disk.security_profile.as_ref().and_then(|profile| profile.disk_encryption_set.as_ref());
        disk.disk_encryption_set.iter().chain(of_guest)
    })
}

/// The resource ids of the sets of keys that encrypt data disks.
fn data_sets(config: &InstallConfig) -> impl Iterator<Item = &str> {
    let machines = config.pools().filter_map(|(_, pool)| pool.platform.azure.as_ref());
    let disks = machines.flat_map(|machines| machines.data_disks.iter().flatten());
    let managed = disks.filter_map(|disk| disk.managed_disk.as_ref());
    managed.filter_map(|disk| disk.disk_encryption_set.as_ref()).map(|set| set.id.as_str())
}

/// Whether the control plane is described to the resource manager, as its machines have data disks.
fn described_machines(config: &InstallConfig) -> bool {
    let pool = config.control_plane.as_ref().and_then(|pool| pool.platform.azure.as_ref());
    pool.and_then(|machines| machines.data_disks.as_ref()).is_some_and(|disks| !disks.is_empty())
}

/// Where the role can be assigned: the subscription, and the groups of what is there before.
fn scopes(config: &InstallConfig, platform: &Platform, subscription: &str) -> Vec<String> {
    let own = if subscription.is_empty() { SOME_SUBSCRIPTION } else { subscription };
    let group = |subscription: &str, name: &str| {
        let subscription = if subscription.is_empty() { own } else { subscription };
        format!("/subscriptions/{subscription}/resourceGroups/{name}")
    };
    let given = [
        &platform.resource_group_name,
        &platform.network_resource_group_name,
        &platform.base_domain_resource_group_name,
    ];
    let given = given.into_iter().filter(|name| !name.is_empty()).map(|name| group("", name));
    let vault = platform.customer_managed_key.iter().map(|key| group("", &key.key_vault.resource_group));
    let given = given.chain(vault);
    let sets = encryption_sets(config).map(|set| group(&set.subscription_id, &set.resource_group));
    let of_data =
        data_sets(config).filter_map(|id| id.split_once("/providers/").map(|(group, _)| group.to_owned()));
    let sets = sets.chain(of_data);
    let mut scopes = vec![format!("/subscriptions/{own}")];
    for scope in given.chain(sets) {
        if !scopes.iter().any(|known| known.eq_ignore_ascii_case(&scope)) {
            scopes.push(scope);
        }
    }
    scopes
}

#[cfg(test)]
mod tests;
