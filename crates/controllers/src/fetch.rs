//! Objects as they stand now, and words for why they cannot be read.

use landfall_cloud_config::Fault as Refused;
use landfall_kube::Fault;
use landfall_kube::objects::{ObjectRef, Objects};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Failed;

impl Failed {
    /// A failure that may pass by itself.
    pub(super) fn transient(reason: &'static str, note: impl Into<String>) -> Self {
        Self { retry: true, reason, note: note.into() }
    }

    /// A failure that only a change can end.
    pub(super) fn terminal(reason: &'static str, note: impl Into<String>) -> Self {
        Self { retry: false, reason, note: note.into() }
    }

    /// A call that failed; `what` could not be done to the object.
    pub(super) fn call(reason: &'static str, place: &ObjectRef, what: &str, fault: &Fault) -> Self {
        Self::transient(reason, format!("{place} cannot be {what}: {}", fault.why()))
    }
}

impl From<Refused> for Failed {
    fn from(fault: Refused) -> Self {
        Self::terminal(fault.name(), fault.to_string())
    }
}

/// The object as it is now; none where there is none.
pub(super) async fn object(
    objects: &dyn Objects,
    place: &ObjectRef,
    reason: &'static str,
) -> Result<Option<Value>, Failed> {
    objects.get(place).await.map_err(|fault| Failed::call(reason, place, "read", &fault))
}

/// What counts of an object.
pub(super) fn typed<T: DeserializeOwned>(
    object: &Value,
    place: &ObjectRef,
    reason: &'static str,
) -> Result<T, Failed> {
    // The parser's own words would cite values.
    let typed: Result<T, serde_json::Error> = Deserialize::deserialize(object);
    typed.map_err(|_| Failed::terminal(reason, format!("{place} has a field of the wrong type")))
}

/// What counts of an object as it is now; none where there is none.
pub(super) async fn read<T: DeserializeOwned>(
    objects: &dyn Objects,
    place: &ObjectRef,
    reason: &'static str,
) -> Result<Option<T>, Failed> {
    match object(objects, place, reason).await? {
        Some(object) => typed(&object, place, reason).map(Some),
        None => Ok(None),
    }
}
