//! The sources of the target map.

use landfall_cloud_config::target::{MINIMAL_VSPHERE, rule};
use landfall_cloud_config::{CLOUD_CONF, Entries, Infrastructure, Network};
use landfall_kube::kinds;
use landfall_kube::objects::{ObjectRef, Objects};

use super::super::feature_gates::Gates;
use super::super::object_refs::MapNames;
use super::super::{Failed, feature_gates, fetch, object_refs};

/// What the cluster says of itself.
pub(super) struct Basis {
    pub(super) infrastructure: Infrastructure,
    pub(super) network: Network,
    pub(super) platform: String,
    pub(super) gates: Gates,
}

/// What the cluster says of itself; none where it has no platform that there is a rule for.
pub(super) async fn basis(objects: &dyn Objects) -> Result<Option<Basis>, Failed> {
    let place = object_refs::infrastructure();
    let found = fetch::read::<Infrastructure>(objects, &place, "infrastructure-unreadable").await?;
    let Some(infrastructure) = found else {
        return Ok(None);
    };
    let network = network(objects).await?;
    let Some(status) = &infrastructure.status.platform_status else {
        let note = format!("{place} has no status.platformStatus");
        return Err(Failed::terminal("platform-missing", note));
    };
    let platform = status.platform.clone();
    if rule(&platform).is_none() {
        return Ok(None);
    }
    let gates = feature_gates::read(objects).await?;
    Ok(Some(Basis { infrastructure, network, platform, gates }))
}

async fn network(objects: &dyn Objects) -> Result<Network, Failed> {
    const UNREADABLE: &str = "network-unreadable";
    let place = ObjectRef::in_cluster(&kinds::NETWORK, object_refs::CLUSTER);
    let found = fetch::read(objects, &place, UNREADABLE).await?;
    found.ok_or_else(|| Failed::transient(UNREADABLE, format!("{place} does not exist")))
}

/// The entries that the target is made of: the managed map's, where the platform has one, or else those of
/// the user's. Where the managed map is this controller's own, there is a text even without them.
pub(super) async fn source(
    objects: &dyn Objects,
    basis: &Basis,
    maps: &MapNames,
    owned: bool,
) -> Result<Entries, Failed> {
    let managed_first = rule(&basis.platform).is_some_and(|rule| rule.managed_first);
    if managed_first
        && let Some(entries) = fetch::read(objects, &maps.managed_map(), "managed-unreadable").await?
    {
        return Ok(entries);
    }
    let name = &basis.infrastructure.spec.cloud_config.name;
    if !name.is_empty()
        && let Some(entries) = fetch::read(objects, &object_refs::user_map(name), "user-unreadable").await?
    {
        return Ok(entries);
    }
    let mut entries = Entries::default();
    if owned {
        entries.data.insert(CLOUD_CONF.to_owned(), MINIMAL_VSPHERE.to_owned());
    }
    Ok(entries)
}
