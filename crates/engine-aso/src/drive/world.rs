//! What stands: the objects of a cluster as they were read last.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use super::api::ObjectEvent;
use super::references::{is_owner, mentions};
use super::tier;
use crate::core::{Object, Status};
use crate::desired::Need;

/// The objects of a cluster, and the time.
#[derive(Clone, Default)]
pub struct ObservedState {
    objects: BTreeMap<Need, Value>,
    /// The time.
    pub now: Timestamp,
    /// The Secret with the credential was looked for and is not there.
    pub(super) lacks_credential: bool,
}

impl ObservedState {
    /// What stands at this time, of which nothing is known yet.
    #[must_use]
    pub fn new(now: Timestamp) -> Self {
        Self { objects: BTreeMap::new(), now, lacks_credential: false }
    }

    /// An object, if it stands.
    #[must_use]
    pub fn get(&self, id: &Need) -> Option<&Value> {
        self.objects.get(id)
    }

    /// All objects.
    pub fn iter(&self) -> impl Iterator<Item = (&Need, &Value)> {
        self.objects.iter()
    }

    /// Takes note of an object, unless a later state of it is known.
    pub fn insert(&mut self, kind: &'static str, object: Value) {
        let id = Need { kind, name: text(&object, "/metadata/name").to_owned() };
        let older = self.objects.get(&id).is_some_and(|known| version(&object) < version(known));
        if !older && !id.name.is_empty() {
            self.objects.insert(id, without_bookkeeping(object));
        }
    }

    /// Takes note that an object is gone.
    pub fn remove(&mut self, id: &Need) {
        self.objects.remove(id);
    }

    /// Takes note of news.
    pub fn note(&mut self, news: ObjectEvent) {
        match news {
            ObjectEvent::Is(kind, object) => self.insert(kind, object),
            ObjectEvent::Gone(kind, object) => {
                let id = Need { kind, name: text(&object, "/metadata/name").to_owned() };
                let known = self.objects.get(&id).map(version);
                if known <= Some(version(&object)) {
                    self.objects.remove(&id);
                }
            }
            ObjectEvent::All(kind, objects) => {
                self.objects.retain(|id, _| id.kind != kind);
                for object in objects {
                    self.insert(kind, object);
                }
            }
            ObjectEvent::Broke { .. } => {}
        }
    }

    /// How long the operator has said nothing of an object.
    pub(super) fn unknown_for(&self, id: &Need) -> Duration {
        self.so_for(id, |status| status == Status::Unknown)
    }

    /// How long an object has not been Ready.
    pub(super) fn not_ready_for(&self, id: &Need) -> Duration {
        self.so_for(id, |status| status != Status::True)
    }

    /// How long an object stands like this, if it does: since its condition changed last, or since it was made
    /// where it has none.
    fn so_for(&self, id: &Need, is_so: impl Fn(Status) -> bool) -> Duration {
        let found = self.get(id).filter(|object| is_so(Object(object).ready().status));
        let since: Option<Timestamp> = found.and_then(|object| {
            let conditions = object.pointer("/status/conditions").and_then(Value::as_array);
            let ready = conditions.into_iter().flatten().find(|one| text(one, "/type") == "Ready");
            let changed = ready.and_then(|ready| text(ready, "/lastTransitionTime").parse().ok());
            changed.or_else(|| text(object, "/metadata/creationTimestamp").parse().ok())
        });
        let passed = since.map(|since| self.now.duration_since(since));
        passed.and_then(|passed| Duration::try_from(passed).ok()).unwrap_or_default()
    }

    /// The objects that stand and name this one, so that they must be gone before it.
    pub(super) fn dependents(&self, id: &Need) -> Vec<Need> {
        let names = |other: &Need, object: &Value| {
            tier(other.kind) > tier(id.kind) && object.get("spec").is_some_and(|spec| mentions(spec, id))
        };
        self.iter().filter(|(other, object)| names(other, object)).map(|(other, _)| other.clone()).collect()
    }

    /// The object that owns this one in Azure, if it is named by its name and stands. Where a name may mean
    /// several, it means the cluster's own.
    pub(super) fn owner_of(&self, id: &Need, is_own: impl Fn(&Need) -> bool) -> Option<&Need> {
        let spec = self.get(id)?.get("spec")?;
        let below = self.iter().map(|(other, _)| other).filter(|other| tier(other.kind) < tier(id.kind));
        let owner = spec.get("owner")?;
        below.filter(|other| is_owner(owner, other)).max_by_key(|other| (is_own(other), tier(other.kind)))
    }
}

/// A text in an object; empty where there is none.
pub(crate) fn text<'v>(object: &'v Value, pointer: &str) -> &'v str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The version of an object, so that an older one is less. What is no number is as old as anything.
fn version(object: &Value) -> u64 {
    text(object, "/metadata/resourceVersion").parse().unwrap_or_default()
}

/// An object without who wrote which field, which is longer than all the rest.
fn without_bookkeeping(mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    object
}
