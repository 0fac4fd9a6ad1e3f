//! The managed map, brought to what it should be.

use std::sync::atomic::{AtomicBool, Ordering};

use landfall_cloud_config::Entries;
use landfall_kube::objects::{ClusterEvent, ObjectRef, Objects};

use super::super::config_map::{self, Change, Names};
use super::super::{Failed, fetch};
use super::status;

const NAMES: Names = Names { unreadable: "managed-unreadable", unwritable: "managed-unwritable" };

/// Reconciles the managed map; without entries it is deleted. Returns an event, if anything changed.
pub(super) async fn bring(
    objects: &dyn Objects,
    place: &ObjectRef,
    wanted: &Entries,
    left_none: &AtomicBool,
) -> Result<Option<ClusterEvent>, Failed> {
    if !wanted.is_empty() {
        left_none.store(false, Ordering::Relaxed);
        let change = config_map::bring(objects, place, wanted, NAMES).await?;
        return Ok((change != Change::None).then(|| status::updated(place.clone(), change)));
    }
    // To delete it needs no look at it before. Where there was none, a look is enough: nothing is to be
    // written again and again.
    let looked = left_none.load(Ordering::Relaxed);
    if looked && fetch::object(objects, place, NAMES.unreadable).await?.is_none() {
        return Ok(None);
    }
    let deleted = objects.delete(place).await;
    let deleted = deleted.map_err(|fault| Failed::call(NAMES.unwritable, place, "deleted", &fault))?;
    left_none.store(true, Ordering::Relaxed);
    Ok(deleted.then(|| status::deleted(place.clone())))
}
