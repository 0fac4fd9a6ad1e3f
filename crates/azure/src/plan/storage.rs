//! What is special about the storage account: the user's key, and an account without access keys.

use landfall_diagnostics::Findings;
use landfall_model::azure::config::CustomerManagedKey;
use landfall_model::azure::planned::{Pool, Storage, StorageKey};
use landfall_model::plan::{Engine, Since, is_from};

use super::{Planning, pages};

/// Ignition proves itself with a machine's identity to blobs of this domain only:
/// <https://github.com/coreos/ignition/blob/main/internal/resource/url.go>.
const PROVEN_BY_IDENTITY: &str = "core.windows.net";

/// What the config asks of the account. None, with the reasons in `out`, where the cluster could not use it.
pub(super) fn choose(
    planning: &Planning<'_>,
    control_plane: Option<&Pool>,
    out: &mut Findings,
) -> Option<Storage> {
    let before = out.errors();
    let key = planning.platform.customer_managed_key.as_ref();
    let encryption = key.and_then(|key| encryption(planning, key, out));
    let without_access_keys = planning.platform.allow_shared_key_access == Some(false);
    if without_access_keys && planning.case.engine != Engine::Aso {
        check_bootstrap(planning, control_plane, out);
    }
    (out.errors() == before).then_some(Storage { encryption, without_access_keys })
}

/// The key by its address. The identity that may use it is in the group of its vault.
fn encryption(planning: &Planning<'_>, key: &CustomerManagedKey, out: &mut Findings) -> Option<StorageKey> {
    let cloud = planning.catalogue().cloud(&planning.platform.cloud_name);
    let domain = cloud.map_or("", |(_, cloud)| cloud.key_vault_dns_suffix.as_str());
    if domain.is_empty() {
        out.push(pages::no_vault_domain(&planning.platform.cloud_name));
        return None;
    }
    let vault = &key.key_vault;
    let (subscription, group) = (&planning.facts.subscription_id, &vault.resource_group);
    let (provider, name) =
        ("Microsoft.ManagedIdentity/userAssignedIdentities", &key.user_assigned_identity_key);
    Some(StorageKey {
        address: format!("https://{}.{domain}/keys/{}", vault.name, vault.key_name),
        identity: format!("/subscriptions/{subscription}/resourceGroups/{group}/providers/{provider}/{name}"),
    })
}

/// Whether the bootstrap machine can read its ignition config from an account that accepts no signature made
/// with an access key: as its identity, of which Ignition finds one only if there is no other.
fn check_bootstrap(planning: &Planning<'_>, control_plane: Option<&Pool>, out: &mut Findings) {
    let cloud = planning.catalogue().cloud(&planning.platform.cloud_name);
    let domain = cloud.map_or("", |(_, cloud)| cloud.storage_endpoint_suffix.as_str());
    if domain != PROVEN_BY_IDENTITY {
        out.push(pages::keys_needed(&format!(
            "Ignition reads blobs as an identity under `{PROVEN_BY_IDENTITY}` only"
        )));
    }
    if !is_from(planning.case.release, Since::Today) {
        let release = planning.case.release;
        out.push(pages::keys_needed(&format!("Ignition of {release} cannot read blobs as an identity")));
    }
    let Some(identities) = control_plane.and_then(|pool| pool.identities.as_ref()) else { return };
    let subscription = format!("/subscriptions/{}/", planning.facts.subscription_id);
    match identities.as_slice() {
        [] => out.push(pages::keys_needed("the machines of the control plane have no identity")),
        [only] if only.starts_with(&subscription) => {}
        [_] => out.push(pages::keys_needed("the identity of the control plane is in another subscription")),
        _ => out.push(pages::keys_needed("the machines of the control plane have several identities")),
    }
}
