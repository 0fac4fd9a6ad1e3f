//! The maps, brought to what they should be.

use landfall_cloud_config::Entries;
use landfall_kube::objects::{ClusterEvent, ObjectRef, Objects};

use super::super::Failed;
use super::super::config_map::{self, Change, Names};
use super::super::object_refs::MapNames;
use super::{Settings, status};

/// Reconciles the managed map. Returns an event, if anything changed.
pub(super) async fn managed(
    objects: &dyn Objects,
    maps: &MapNames,
    wanted: &Entries,
) -> Result<Option<ClusterEvent>, Failed> {
    const NAMES: Names = Names { unreadable: "managed-unreadable", unwritable: "managed-unwritable" };
    bring(objects, maps.managed_map(), wanted, NAMES).await
}

/// Reconciles the target map. Returns an event, if anything changed.
pub(super) async fn target(
    objects: &dyn Objects,
    Settings { target_namespace, maps, .. }: &Settings,
    wanted: &Entries,
) -> Result<Option<ClusterEvent>, Failed> {
    const NAMES: Names = Names { unreadable: "target-unreadable", unwritable: "target-unwritable" };
    let place = maps.target_map(target_namespace);
    bring(objects, place, wanted, NAMES).await
}

async fn bring(
    objects: &dyn Objects,
    place: ObjectRef,
    wanted: &Entries,
    names: Names,
) -> Result<Option<ClusterEvent>, Failed> {
    let change = config_map::bring(objects, &place, wanted, names).await?;
    Ok((change != Change::None).then(|| status::updated(place, change)))
}
