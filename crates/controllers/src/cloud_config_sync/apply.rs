//! The maps, brought to what they should be.

use landfall_cloud_config::Entries;
use landfall_kube::kinds;
use landfall_kube::objects::{Happening, Objects, Place};

use super::super::config_map::{self, Change, Names};
use super::super::{Failed, object_refs};
use super::status;

/// Brings the managed map to these entries. Gives what there is to tell.
pub(super) async fn managed(objects: &dyn Objects, wanted: &Entries) -> Result<Option<Happening>, Failed> {
    const NAMES: Names = Names { unreadable: "managed-unreadable", unwritable: "managed-unwritable" };
    bring(objects, object_refs::managed_map(), wanted, NAMES).await
}

/// Brings the target to these entries. Gives what there is to tell.
pub(super) async fn target(
    objects: &dyn Objects,
    namespace: &str,
    wanted: &Entries,
) -> Result<Option<Happening>, Failed> {
    const NAMES: Names = Names { unreadable: "target-unreadable", unwritable: "target-unwritable" };
    let place = Place::in_namespace(&kinds::CONFIG_MAP, namespace, object_refs::TARGET_MAP);
    bring(objects, place, wanted, NAMES).await
}

async fn bring(
    objects: &dyn Objects,
    place: Place,
    wanted: &Entries,
    names: Names,
) -> Result<Option<Happening>, Failed> {
    let change = config_map::bring(objects, &place, wanted, names).await?;
    Ok((change != Change::None).then(|| status::updated(place, change)))
}
