//! Who the machines are in Azure: identities of the user's own, or one that is made with the cluster.

use landfall_model::azure::config::{Identity, MachinePool};
use landfall_model::config::InstallConfig;

use super::Planning;

/// The name of the identity that is made; empty where none is.
pub(super) fn made(planning: &Planning<'_>) -> String {
    if planning.stack() || !is_made(planning.case.config) {
        return String::new();
    }
    format!("{}-identity", planning.id())
}

/// Whether an identity is made: where neither the default machine platform nor all of the pools choose for
/// themselves.
fn is_made(config: &InstallConfig) -> bool {
    let platform = config.platform.azure.as_ref();
    let default = platform.and_then(|platform| platform.default_machine_platform.as_ref());
    let mut pools = config.control_plane.iter().chain(&config.compute);
    is_open(default) && pools.any(|pool| is_open(pool.platform.azure.as_ref()))
}

/// Whether a pool leaves it open who its machines are.
fn is_open(pool: Option<&MachinePool>) -> bool {
    pool.and_then(|pool| pool.identity.as_ref()).is_none_or(names_none)
}

fn names_none(identity: &Identity) -> bool {
    identity.kind == "UserAssigned" && identity.user_assigned_identities.as_ref().is_none_or(Vec::is_empty)
}

/// The resource ids of the identities that a pool chooses; none where it leaves that open.
pub(super) fn chosen(planning: &Planning<'_>, pool: &MachinePool) -> Option<Vec<String>> {
    let identity = pool.identity.as_ref().filter(|identity| !names_none(identity))?;
    let own = planning.facts.subscription_id.as_str();
    let given = identity.user_assigned_identities.iter().flatten();
    let ids = given.map(|given| {
        let subscription = if given.subscription.is_empty() { own } else { given.subscription.as_str() };
        let (group, name) = (&given.resource_group, &given.name);
        let provider = "providers/Microsoft.ManagedIdentity/userAssignedIdentities";
        format!("/subscriptions/{subscription}/resourceGroups/{group}/{provider}/{name}")
    });
    Some(ids.collect())
}
