//! Reconciles the entries of `ConfigMap`s.

use std::collections::BTreeMap;

use landfall_cloud_config::Entries;
use landfall_kube::Fault;
use landfall_kube::objects::{ObjectRef, Objects, Part};
use serde_json::{Map, Value, json};

use super::{Failed, fetch};

/// How often a map is read again that somebody else changed meanwhile.
const TRIES: usize = 5;

/// What was done to a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Nothing: it was as it should be.
    None,
    /// It was not there.
    Created,
    /// It was otherwise.
    Updated,
}

/// The names of what can go wrong with a map.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names {
    /// It cannot be read.
    pub(super) unreadable: &'static str,
    /// It cannot be written.
    pub(super) unwritable: &'static str,
}

/// Brings the map to these entries and no others. What else it has, such as labels, stays.
pub(super) async fn bring(
    objects: &dyn Objects,
    place: &ObjectRef,
    wanted: &Entries,
    names: Names,
) -> Result<Change, Failed> {
    let mut tries = 1;
    loop {
        let live = fetch::object(objects, place, names.unreadable).await?;
        let change = match &live {
            None => Change::Created,
            Some(live) => {
                let found: Entries = fetch::typed(live, place, names.unreadable)?;
                if (Entries { immutable: None, ..found }) == *wanted {
                    return Ok(Change::None);
                }
                Change::Updated
            }
        };
        match write(objects, place, live.as_ref(), wanted).await {
            Ok(()) => return Ok(change),
            Err(fault) if tries < TRIES && is_overtaken(&fault, live.is_some()) => tries += 1,
            Err(fault) => return Err(Failed::call(names.unwritable, place, "written", &fault)),
        }
    }
}

/// Whether somebody else changed or deleted the object that was to be changed.
fn is_overtaken(fault: &Fault, was_there: bool) -> bool {
    match fault {
        Fault::Answer { status: 409, .. } => true,
        Fault::NotFound => was_there,
        _ => false,
    }
}

async fn write(
    objects: &dyn Objects,
    place: &ObjectRef,
    live: Option<&Value>,
    wanted: &Entries,
) -> Result<(), Fault> {
    let applied = serde_json::to_value(wanted).unwrap_or_default();
    if let Some(live) = live {
        if live.get("immutable") == Some(&Value::Bool(true)) {
            // Nothing in it can be changed, not even that.
            objects.delete(place).await?;
        } else if let Some(patch) = removal(live, wanted) {
            // Entries of others stay under apply. One patch sets and removes, so that no reader sees half of it.
            return objects.merge(place, patch, Part::Whole).await.map(|_| ());
        }
    }
    objects.apply(place, applied, Part::Whole).await.map(|_| ())
}

/// The patch that brings the map to these entries; none where it has no other ones.
fn removal(live: &Value, wanted: &Entries) -> Option<Value> {
    let (data, one) = side(live.get("data"), &wanted.data);
    let (binary, other) = side(live.get("binaryData"), &wanted.binary_data);
    if !one && !other {
        return None;
    }
    let version = live.pointer("/metadata/resourceVersion").cloned().unwrap_or_default();
    let mut patch = Map::from_iter([("metadata".to_owned(), json!({ "resourceVersion": version }))]);
    for (name, side) in [("data", data), ("binaryData", binary)] {
        if !side.is_empty() {
            patch.insert(name.to_owned(), Value::Object(side));
        }
    }
    Some(Value::Object(patch))
}

/// One side of the patch, and whether it removes anything.
fn side(live: Option<&Value>, wanted: &BTreeMap<String, String>) -> (Map<String, Value>, bool) {
    let mut patch: Map<String, Value> =
        wanted.iter().map(|(key, value)| (key.clone(), Value::String(value.clone()))).collect();
    let live = live.and_then(Value::as_object);
    let foreign = live.into_iter().flat_map(Map::keys).filter(|key| !wanted.contains_key(*key));
    let before = patch.len();
    patch.extend(foreign.map(|key| (key.clone(), Value::Null)));
    let removes = patch.len() > before;
    (patch, removes)
}
