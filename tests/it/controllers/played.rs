//! A cluster in memory, as its API behaves for what controllers do with it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use futures::FutureExt;
use futures::future::BoxFuture;
use landfall_kube::Fault;
use landfall_kube::objects::{ClusterEvent, Events, ObjectRef, Objects, Part};
use serde_json::{Value, json};

/// A cluster, and what was done to it.
#[derive(Default)]
pub struct Played(Mutex<State>);

#[derive(Default)]
struct State {
    objects: BTreeMap<ObjectRef, Value>,
    version: u64,
    reads: Vec<ObjectRef>,
    writes: Vec<(&'static str, ObjectRef)>,
    told: Vec<ClusterEvent>,
    fail_get: BTreeSet<String>,
    fail_write: BTreeSet<String>,
    conflicts: usize,
}

impl Played {
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.0.lock().unwrap())
    }

    /// Puts an object there, as somebody else would.
    pub fn put(&self, place: ObjectRef, object: Value) {
        self.with(|state| state.keep(place, object));
    }

    pub fn remove(&self, place: &ObjectRef) {
        self.with(|state| state.objects.remove(place));
    }

    pub fn object(&self, place: &ObjectRef) -> Option<Value> {
        self.with(|state| state.objects.get(place).cloned())
    }

    /// From now on, reads of this kind or object fail.
    pub fn fail_get(&self, what: &str) {
        self.with(|state| state.fail_get.insert(what.to_owned()));
    }

    /// From now on, writes of this kind or object fail.
    pub fn fail_write(&self, what: &str) {
        self.with(|state| state.fail_write.insert(what.to_owned()));
    }

    /// From now on, everything works.
    pub fn mend(&self) {
        self.with(|state| {
            state.fail_get.clear();
            state.fail_write.clear();
        });
    }

    /// So many of the coming merges find that somebody else was faster.
    pub fn conflict(&self, times: usize) {
        self.with(|state| state.conflicts = times);
    }

    /// The reads of a kind so far; they are forgotten.
    pub fn reads(&self, kind: &str) -> Vec<ObjectRef> {
        let reads = self.with(|state| std::mem::take(&mut state.reads));
        reads.into_iter().filter(|place| place.kind.kind == kind).collect()
    }

    /// The writes that were tried so far, as in `update ConfigMap ns/name`; they are forgotten.
    pub fn writes(&self) -> Vec<String> {
        let writes = self.with(|state| std::mem::take(&mut state.writes));
        writes.into_iter().map(|(verb, place)| format!("{verb} {place}")).collect()
    }

    /// The reasons of what was told so far; they are forgotten.
    pub fn told(&self) -> Vec<&'static str> {
        self.happened().into_iter().map(|event| event.reason).collect()
    }

    /// What was told so far; it is forgotten.
    pub fn happened(&self) -> Vec<ClusterEvent> {
        self.with(|state| std::mem::take(&mut state.told))
    }
}

fn failed() -> Fault {
    Fault::Answer { status: 500, why: "played".to_owned() }
}

fn refused(why: &str) -> Fault {
    Fault::Answer { status: 422, why: why.to_owned() }
}

fn fails(faults: &BTreeSet<String>, place: &ObjectRef) -> bool {
    faults.contains(place.kind.kind) || faults.contains(&place.to_string())
}

impl State {
    fn keep(&mut self, place: ObjectRef, mut object: Value) {
        self.version += 1;
        object["metadata"]["name"] = json!(place.name);
        if let Some(namespace) = &place.namespace {
            object["metadata"]["namespace"] = json!(namespace);
        }
        object["metadata"]["resourceVersion"] = json!(self.version.to_string());
        for side in ["data", "binaryData"] {
            if object.get(side) == Some(&json!({})) {
                object.as_object_mut().unwrap().remove(side);
            }
        }
        self.objects.insert(place, object);
    }

    /// Changes an object by a patch, as the API would let one.
    fn change(&mut self, place: &ObjectRef, patch: &Value, part: Part) -> Result<Value, Fault> {
        let before = self.objects.get(place).cloned().unwrap_or_else(|| json!({ "metadata": {} }));
        let mut after = before.clone();
        json_patch::merge(&mut after, patch);
        // Only its own part of an object can be written by each of the two ways.
        let has_status = place.kind.kind != "ConfigMap";
        if has_status && part == Part::Status {
            let status = after["status"].take();
            after = before.clone();
            after["status"] = status;
        } else if has_status && let Some(map) = after.as_object_mut() {
            map.remove("status");
            map.extend(before.get("status").map(|status| ("status".to_owned(), status.clone())));
        }
        let keys = |side: &str| -> BTreeSet<String> {
            let side = after.get(side).and_then(Value::as_object);
            side.map(|side| side.keys().cloned().collect()).unwrap_or_default()
        };
        if !keys("data").is_disjoint(&keys("binaryData")) {
            return Err(refused("a key stands on both sides"));
        }
        let entries = |map: &Value| (map.get("data").cloned(), map.get("binaryData").cloned());
        if before.get("immutable") == Some(&json!(true)) && entries(&before) != entries(&after) {
            return Err(refused("the map is immutable"));
        }
        self.keep(place.clone(), after);
        Ok(self.objects[place].clone())
    }
}

impl Objects for Played {
    fn get<'a>(&'a self, place: &'a ObjectRef) -> BoxFuture<'a, Result<Option<Value>, Fault>> {
        let answer = self.with(|state| {
            state.reads.push(place.clone());
            if fails(&state.fail_get, place) {
                return Err(failed());
            }
            Ok(state.objects.get(place).cloned())
        });
        async move { answer }.boxed()
    }

    fn apply<'a>(
        &'a self,
        place: &'a ObjectRef,
        object: Value,
        part: Part,
    ) -> BoxFuture<'a, Result<Value, Fault>> {
        let answer = self.with(|state| {
            let verb = if state.objects.contains_key(place) { "update" } else { "create" };
            state.writes.push((verb, place.clone()));
            if fails(&state.fail_write, place) {
                return Err(failed());
            }
            state.change(place, &object, part)
        });
        async move { answer }.boxed()
    }

    fn merge<'a>(
        &'a self,
        place: &'a ObjectRef,
        patch: Value,
        part: Part,
    ) -> BoxFuture<'a, Result<Value, Fault>> {
        let answer = self.with(|state| {
            let live = state.objects.get(place).cloned().ok_or(Fault::NotFound)?;
            let version = patch.pointer("/metadata/resourceVersion");
            if state.conflicts > 0 || version != live.pointer("/metadata/resourceVersion") {
                state.conflicts = state.conflicts.saturating_sub(1);
                return Err(Fault::Answer { status: 409, why: "the object has been modified".to_owned() });
            }
            state.writes.push(("update", place.clone()));
            if fails(&state.fail_write, place) {
                return Err(failed());
            }
            state.change(place, &patch, part)
        });
        async move { answer }.boxed()
    }

    fn set_status<'a>(&'a self, place: &'a ObjectRef, status: Value) -> BoxFuture<'a, Result<(), Fault>> {
        let answer = self.with(|state| {
            state.writes.push(("update", place.clone()));
            if fails(&state.fail_write, place) {
                return Err(failed());
            }
            let mut object = state.objects.get(place).cloned().ok_or(Fault::NotFound)?;
            object["status"] = status;
            state.keep(place.clone(), object);
            Ok(())
        });
        async move { answer }.boxed()
    }

    fn delete<'a>(&'a self, place: &'a ObjectRef) -> BoxFuture<'a, Result<bool, Fault>> {
        let answer = self.with(|state| {
            state.writes.push(("delete", place.clone()));
            if fails(&state.fail_write, place) {
                return Err(failed());
            }
            Ok(state.objects.remove(place).is_some())
        });
        async move { answer }.boxed()
    }
}

impl Events for Played {
    fn report(&self, event: ClusterEvent) -> BoxFuture<'_, ()> {
        self.with(|state| state.told.push(event));
        async {}.boxed()
    }
}

/// The feature gates of a cluster of release `5.0.0`.
pub fn gates(played: &Played, enabled: &[String], disabled: &[String]) {
    use landfall_kube::kinds::{CLUSTER_VERSION, FEATURE_GATE};
    let named = |names: &[String]| -> Value { names.iter().map(|name| json!({ "name": name })).collect() };
    let of = json!({ "version": "5.0.0", "enabled": named(enabled), "disabled": named(disabled) });
    let other = json!({ "version": "4.0.0", "enabled": named(disabled), "disabled": named(enabled) });
    let gates = json!({ "metadata": {}, "status": { "featureGates": [other, of] } });
    played.put(ObjectRef::in_cluster(&FEATURE_GATE, "cluster"), gates);
    let version = json!({ "metadata": {}, "status": { "desired": { "version": "5.0.0" } } });
    played.put(ObjectRef::in_cluster(&CLUSTER_VERSION, "version"), version);
}

/// The place of a map.
pub fn map(namespace: &str, name: &str) -> ObjectRef {
    ObjectRef::in_namespace(&landfall_kube::kinds::CONFIG_MAP, namespace, name)
}

/// The place of the Infrastructure object.
pub fn infrastructure() -> ObjectRef {
    ObjectRef::in_cluster(&landfall_kube::kinds::INFRASTRUCTURE, "cluster")
}

/// The place of the Proxy object.
pub fn proxy() -> ObjectRef {
    ObjectRef::in_cluster(&landfall_kube::kinds::PROXY, "cluster")
}

/// The one key of the controllers.
pub fn key() -> landfall_controllers::Key {
    landfall_controllers::Key { namespace: None, name: "cluster".to_owned() }
}

/// A condition of an operator, with status, reason and message.
pub fn condition(played: &Played, operator: &str, kind: &str) -> Option<(String, String, String)> {
    let place = ObjectRef::in_cluster(&landfall_kube::kinds::CLUSTER_OPERATOR, operator);
    let object = played.object(&place)?;
    let conditions = object.pointer("/status/conditions")?.as_array()?.clone();
    let found = conditions.into_iter().find(|condition| condition["type"] == kind)?;
    let text = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
    Some((text("status"), text("reason"), text("message")))
}
