//! The sources of the managed map.

use landfall_cloud_config::target::owns_managed;
use landfall_cloud_config::{Entries, Infrastructure};
use landfall_kube::objects::Objects;

use super::super::{Failed, feature_gates, fetch, object_refs};

/// The Infrastructure object, if there is one.
pub(super) async fn infrastructure(objects: &dyn Objects) -> Result<Option<Infrastructure>, Failed> {
    fetch::read(objects, &object_refs::infrastructure(), "infrastructure-unreadable").await
}

/// Whether the managed map belongs to the controller of `cloud.conf`. Gates are read only where one matters.
pub(super) async fn is_kept_elsewhere(objects: &dyn Objects, platform: &str) -> Result<bool, Failed> {
    if !owns_managed(platform, true) {
        return Ok(false);
    }
    let gates = feature_gates::read(objects).await?;
    Ok(owns_managed(platform, gates.is_on(feature_gates::MANAGED_ELSEWHERE)))
}

/// The entries of the user's map; none where no map is named.
pub(super) async fn user(objects: &dyn Objects, infrastructure: &Infrastructure) -> Result<Entries, Failed> {
    let name = &infrastructure.spec.cloud_config.name;
    if name.is_empty() {
        return Ok(Entries::default());
    }
    let place = object_refs::user_map(name);
    let found = fetch::read(objects, &place, "user-unreadable").await?;
    found.ok_or_else(|| Failed::terminal("source-missing", format!("{place} does not exist")))
}
