//! The operator's objects of all clusters, from the watches.
//!
//! Each is kept as text without who wrote which field: a tree of values would be many times as large, and is
//! only needed while its cluster is looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use landfall_engine_aso::core::Object;
use landfall_engine_aso::desired::Need;
use landfall_engine_aso::drive::{ObjectEvent, ObservedState};
use landfall_engine_aso::keys;
use serde_json::Value;
use tokio::time::Instant;

use super::metrics::{Numbers, Stands};
use crate::Key;

/// How long an object that no watch has reported counts as existing.
const UNWATCHED: Duration = Duration::from_mins(5);

/// Which cluster an object belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cluster {
    /// The namespace of its objects.
    pub(super) namespace: String,
    /// Its infrastructure ID.
    pub(super) infra_id: String,
}

/// The objects of all clusters.
pub(super) struct Store {
    kept: Mutex<Kept>,
    numbers: Numbers,
}

#[derive(Default)]
struct Kept {
    clusters: BTreeMap<Cluster, BTreeMap<Need, Entry>>,
    /// The resource that each cluster belongs to, once that is known.
    resources: BTreeMap<Cluster, Key>,
    /// The kinds whose objects were listed.
    listed: BTreeSet<&'static str>,
}

struct Entry {
    text: Box<str>,
    version: u64,
    stands: Stands,
    /// Since when it is known, if no watch has reported it.
    unwatched: Option<Instant>,
}

impl Store {
    pub(super) fn new(numbers: Numbers) -> Self {
        Self { kept: Mutex::default(), numbers }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether all that there is of these kinds is known.
    pub(super) fn has_listed(&self, mut kinds: impl Iterator<Item = &'static str>) -> bool {
        let kept = self.kept();
        kinds.all(|kind| kept.listed.contains(kind))
    }

    /// Records a watch event, and returns the keys of the affected resources.
    pub(super) fn note(&self, news: ObjectEvent) -> Vec<Key> {
        let mut kept = self.kept();
        let changed: Vec<Cluster> = match news {
            ObjectEvent::All(kind, objects) => {
                kept.listed.insert(kind);
                let put =
                    objects.into_iter().filter_map(|object| kept.put(kind, object, None, &self.numbers));
                let there: BTreeSet<(Cluster, String)> = put.collect();
                let mut changed = kept.keep_only(kind, &there, &self.numbers);
                changed.extend(there.into_iter().map(|(cluster, _)| cluster));
                changed.sort();
                changed.dedup();
                changed
            }
            ObjectEvent::Is(kind, object) => {
                let put = kept.put(kind, object, None, &self.numbers);
                put.into_iter().map(|(cluster, _)| cluster).collect()
            }
            ObjectEvent::Gone(kind, object) => kept.gone(kind, &object, &self.numbers).into_iter().collect(),
            ObjectEvent::Broke { .. } => Vec::new(),
        };
        changed.iter().filter_map(|cluster| kept.resources.get(cluster).cloned()).collect()
    }

    /// Records an object from a call. One that no watch reports is forgotten after a while.
    pub(super) fn answered(&self, cluster: &Cluster, kind: &'static str, object: Value) {
        let watched = Object(&object).label(keys::CLUSTER) == Some(cluster.infra_id.as_str());
        let unwatched = (!watched).then(|| (cluster.clone(), Instant::now()));
        self.kept().put(kind, object, unwatched, &self.numbers);
    }

    /// Takes note that an object is gone.
    pub(super) fn removed(&self, cluster: &Cluster, id: &Need) {
        self.kept().remove(cluster, id, &self.numbers);
    }

    /// From now on, changes in this cluster matter to this resource.
    pub(super) fn belongs(&self, cluster: &Cluster, resource: &Key) {
        let mut kept = self.kept();
        if kept.resources.get(cluster) != Some(resource) {
            kept.resources.insert(cluster.clone(), resource.clone());
        }
    }

    /// Changes matter no more to this resource.
    pub(super) fn forget(&self, resource: &Key) {
        self.kept().resources.retain(|_, known| known != resource);
    }

    /// The objects of a cluster at this time.
    pub(super) fn world(&self, cluster: &Cluster, now: Timestamp) -> ObservedState {
        let mut world = ObservedState::new(now);
        let mut kept = self.kept();
        let Some(entries) = kept.clusters.get_mut(cluster) else { return world };
        let numbers = &self.numbers;
        entries.retain(|_, entry| {
            let stays = entry.unwatched.is_none_or(|since| since.elapsed() < UNWATCHED);
            if !stays {
                numbers.stands(Some(&entry.stands), None);
            }
            stays
        });
        for (id, entry) in entries {
            // Written by the line that created the text.
            if let Ok(object) = serde_json::from_str(&entry.text) {
                world.insert(id.kind, object);
            }
        }
        world
    }
}

impl Kept {
    /// Puts an object in, unless a later state of it is known. Gives its cluster and its name.
    fn put(
        &mut self,
        kind: &'static str,
        mut object: Value,
        unwatched: Option<(Cluster, Instant)>,
        numbers: &Numbers,
    ) -> Option<(Cluster, String)> {
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("managedFields");
        }
        let (cluster, since) = match unwatched {
            Some((cluster, since)) => (cluster, Some(since)),
            None => (cluster_of(&object)?, None),
        };
        let name = text(&object, "/metadata/name").to_owned();
        let version = version(&object);
        let entries = self.clusters.entry(cluster.clone()).or_default();
        let id = Need { kind, name: name.clone() };
        let before = entries.get(&id);
        if before.is_some_and(|before| version < before.version) {
            return Some((cluster, name));
        }
        let read = Object(&object);
        let stands = Stands::new(kind, read.policy(), read.is_ready());
        numbers.stands(before.map(|before| &before.stands), Some(&stands));
        if before.is_some_and(|before| !before.stands.is_ready())
            && read.is_ready()
            && let Some(after) = ready_after(&object)
        {
            numbers.became_ready(kind, after);
        }
        let entry = Entry { text: object.to_string().into(), version, stands, unwatched: since };
        entries.insert(id, entry);
        Some((cluster, name))
    }

    fn gone(&mut self, kind: &'static str, object: &Value, numbers: &Numbers) -> Option<Cluster> {
        let cluster = cluster_of(object)?;
        let id = Need { kind, name: text(object, "/metadata/name").to_owned() };
        let known = self.clusters.get(&cluster)?.get(&id)?.version;
        // An object with this name may have been created again meanwhile.
        if known <= version(object) {
            self.remove(&cluster, &id, numbers);
        }
        Some(cluster)
    }

    fn remove(&mut self, cluster: &Cluster, id: &Need, numbers: &Numbers) {
        let Some(entries) = self.clusters.get_mut(cluster) else { return };
        if let Some(entry) = entries.remove(id) {
            numbers.stands(Some(&entry.stands), None);
        }
        if entries.is_empty() {
            self.clusters.remove(cluster);
        }
    }

    /// Drops the objects of a kind that a listing did not have. Gives the clusters that they belonged to.
    fn keep_only(
        &mut self,
        kind: &'static str,
        listed: &BTreeSet<(Cluster, String)>,
        numbers: &Numbers,
    ) -> Vec<Cluster> {
        let mut dropped = Vec::new();
        for (cluster, entries) in &self.clusters {
            let of_kind = entries.iter().filter(|(id, entry)| id.kind == kind && entry.unwatched.is_none());
            let names =
                of_kind.map(|(id, _)| id).filter(|id| !listed.contains(&(cluster.clone(), id.name.clone())));
            dropped.extend(names.map(|id| (cluster.clone(), id.clone())));
        }
        for (cluster, id) in &dropped {
            self.remove(cluster, id, numbers);
        }
        dropped.into_iter().map(|(cluster, _)| cluster).collect()
    }
}

/// The cluster that an object says it belongs to.
fn cluster_of(object: &Value) -> Option<Cluster> {
    let infra_id = Object(object).label(keys::CLUSTER)?.to_owned();
    Some(Cluster { namespace: text(object, "/metadata/namespace").to_owned(), infra_id })
}

/// The time from the creation of an object until it was Ready.
fn ready_after(object: &Value) -> Option<Duration> {
    let conditions = object.pointer("/status/conditions")?.as_array()?;
    let ready = conditions.iter().find(|condition| text(condition, "/type") == "Ready")?;
    let since: Timestamp = text(ready, "/lastTransitionTime").parse().ok()?;
    let made: Timestamp = text(object, "/metadata/creationTimestamp").parse().ok()?;
    since.duration_since(made).try_into().ok()
}

fn text<'v>(object: &'v Value, pointer: &str) -> &'v str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn version(object: &Value) -> u64 {
    text(object, "/metadata/resourceVersion").parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use prometheus_client::registry::Registry;
    use serde_json::json;

    use super::*;

    const KIND: &str = "RouteTable";

    fn store() -> Store {
        let store = Store::new(Numbers::registered(&mut Registry::default()));
        store.belongs(&cluster(), &key());
        store
    }

    fn cluster() -> Cluster {
        Cluster { namespace: "here".to_owned(), infra_id: "demo-x7k2p".to_owned() }
    }

    fn key() -> Key {
        Key { namespace: Some("here".to_owned()), name: "demo".to_owned() }
    }

    fn object(name: &str, version: &str) -> Value {
        json!({ "metadata": {
            "name": name,
            "namespace": "here",
            "resourceVersion": version,
            "labels": { (keys::CLUSTER): "demo-x7k2p" },
            "managedFields": [{ "manager": "somebody" }],
        }})
    }

    fn standing(store: &Store) -> Vec<(String, String)> {
        let world = store.world(&cluster(), Timestamp::UNIX_EPOCH);
        let version = |object: &Value| text(object, "/metadata/resourceVersion").to_owned();
        world.iter().map(|(id, object)| (id.name.clone(), version(object))).collect()
    }

    fn row(name: &str, version: &str) -> (String, String) {
        (name.to_owned(), version.to_owned())
    }

    #[test]
    fn changes_reach_the_resource_of_their_cluster() {
        let store = store();
        assert_eq!(store.note(ObjectEvent::Is(KIND, object("a", "5"))), [key()]);
        let mut other = object("a", "6");
        other["metadata"]["namespace"] = json!("there");
        assert!(store.note(ObjectEvent::Is(KIND, other)).is_empty());
        assert_eq!(standing(&store), [row("a", "5")]);
        store.forget(&key());
        assert!(store.note(ObjectEvent::Is(KIND, object("a", "7"))).is_empty());
    }

    #[test]
    fn what_is_older_than_known_changes_nothing() {
        let store = store();
        store.answered(&cluster(), KIND, object("a", "9"));
        store.note(ObjectEvent::Is(KIND, object("a", "10")));
        store.note(ObjectEvent::Is(KIND, object("a", "9")));
        store.note(ObjectEvent::Gone(KIND, object("a", "8")));
        assert_eq!(standing(&store), [row("a", "10")]);
        store.note(ObjectEvent::Gone(KIND, object("a", "11")));
        assert!(standing(&store).is_empty());
    }

    #[test]
    fn a_listing_tells_what_is_gone() {
        let store = store();
        store.note(ObjectEvent::Is(KIND, object("a", "1")));
        store.note(ObjectEvent::Is("VirtualNetwork", object("a", "1")));
        assert!(!store.has_listed([KIND].into_iter()));
        assert_eq!(store.note(ObjectEvent::All(KIND, vec![object("b", "2")])), [key()]);
        assert!(store.has_listed([KIND].into_iter()));
        assert_eq!(standing(&store), [row("b", "2"), row("a", "1")]);
        assert_eq!(store.note(ObjectEvent::All("VirtualNetwork", Vec::new())), [key()]);
        assert_eq!(standing(&store), [row("b", "2")]);
    }

    #[tokio::test(start_paused = true)]
    async fn an_object_without_a_watch_is_forgotten_after_a_while() {
        let store = store();
        let foreign = json!({ "metadata": { "name": "a", "namespace": "here", "resourceVersion": "1" } });
        store.answered(&cluster(), KIND, foreign);
        store.note(ObjectEvent::All(KIND, Vec::new()));
        assert_eq!(standing(&store), [row("a", "1")]);
        tokio::time::advance(UNWATCHED).await;
        assert!(standing(&store).is_empty());
    }
}
