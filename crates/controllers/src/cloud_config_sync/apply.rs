//! The maps, brought to what they should be.

use landfall_cloud_config::Entries;
use landfall_kube::kinds;
use landfall_kube::objects::{ClusterEvent, ObjectRef, Objects};

use super::super::config_map::{self, Change, Names};
use super::super::{Failed, object_refs};
use super::status;

/// Reconciles the managed map. Returns an event, if anything changed.
pub(super) async fn managed(objects: &dyn Objects, wanted: &Entries) -> Result<Option<ClusterEvent>, Failed> {
    const NAMES: Names = Names { unreadable: "managed-unreadable", unwritable: "managed-unwritable" };
    bring(objects, object_refs::managed_map(), wanted, NAMES).await
}

/// Reconciles the target map. Returns an event, if anything changed.
pub(super) async fn target(
    objects: &dyn Objects,
    namespace: &str,
    wanted: &Entries,
) -> Result<Option<ClusterEvent>, Failed> {
    const NAMES: Names = Names { unreadable: "target-unreadable", unwritable: "target-unwritable" };
    let place = ObjectRef::in_namespace(&kinds::CONFIG_MAP, namespace, object_refs::TARGET_MAP);
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
