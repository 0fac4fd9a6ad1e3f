//! All profiles of one kind and all cloud profiles, kept small, and who inherits from whom.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ::kube::api::ObjectMeta;
use ::kube::runtime::watcher::Event;
use landfall_cloud_profile::types::CloudProfileSpec;

use super::derived_profile::DerivedProfile;
use super::snapshot::{Seen, Standing};
use crate::Key;

/// A watch event.
#[allow(clippy::large_enum_variant, reason = "it is handed over once, and mostly it is a child")]
pub(super) enum StoreEvent<S> {
    /// Of cloud profiles.
    Parent(Event<Seen<CloudProfileSpec>>),
    /// Of profiles that inherit.
    Child(Event<Seen<S>>),
}

/// A cloud profile as a child finds it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Parent {
    /// There is none of this name.
    Missing,
    /// Its spec cannot be read.
    Unreadable,
    /// Its spec.
    There(Arc<CloudProfileSpec>),
}

/// A profile that inherits.
#[derive(Clone, Debug)]
pub(super) struct Child<S> {
    /// Distinguishes the object from an earlier one with the same name.
    pub(super) uid: String,
    /// The version of the object.
    pub(super) version: String,
    /// The generation of the spec.
    pub(super) generation: Option<i64>,
    /// Whether it is being deleted.
    pub(super) is_leaving: bool,
    /// The finalizers.
    pub(super) finalizers: Vec<String>,
    /// The spec, where it can be read.
    pub(super) spec: Option<Arc<S>>,
    /// What its status says.
    pub(super) standing: Standing,
}

impl<S> Child<S> {
    fn of(seen: Seen<S>) -> Self {
        let metadata = seen.metadata;
        Self {
            uid: metadata.uid.unwrap_or_default(),
            version: metadata.resource_version.unwrap_or_default(),
            generation: metadata.generation,
            is_leaving: metadata.deletion_timestamp.is_some(),
            finalizers: metadata.finalizers.unwrap_or_default(),
            spec: seen.spec.map(Arc::new),
            standing: seen.status.unwrap_or_default(),
        }
    }

    /// Whether nothing of it differs that counts.
    fn is_as(&self, other: &Self) -> bool {
        self.uid == other.uid
            && self.generation == other.generation
            && self.is_leaving == other.is_leaving
            && self.finalizers == other.finalizers
            && self.standing == other.standing
    }
}

impl<S: DerivedProfile> Child<S> {
    fn parent(&self) -> Option<&str> {
        self.spec.as_deref().map(DerivedProfile::parent)
    }
}

/// What is known of the profiles.
pub(super) struct Store<S> {
    parents: BTreeMap<String, Parent>,
    children: BTreeMap<Key, Child<S>>,
    /// The children of each parent.
    families: BTreeMap<String, BTreeSet<Key>>,
    listed_parents: BTreeSet<String>,
    listed_children: BTreeSet<Key>,
    knows_parents: bool,
    knows_children: bool,
}

impl<S> Default for Store<S> {
    fn default() -> Self {
        Self {
            parents: BTreeMap::new(),
            children: BTreeMap::new(),
            families: BTreeMap::new(),
            listed_parents: BTreeSet::new(),
            listed_children: BTreeSet::new(),
            knows_parents: false,
            knows_children: false,
        }
    }
}

impl<S: DerivedProfile> Store<S> {
    /// Takes an event, and says which children are to be looked at. As long as not all is known, none are;
    /// then all.
    pub(super) fn take(&mut self, event: StoreEvent<S>) -> Vec<Key> {
        let before = self.knows_all();
        let keys = match event {
            StoreEvent::Parent(event) => self.take_parent(event),
            StoreEvent::Child(event) => self.take_child(event),
        };
        match (before, self.knows_all()) {
            (true, _) => keys,
            (false, true) => self.all(),
            (false, false) => Vec::new(),
        }
    }

    /// All children, once all is known.
    pub(super) fn all(&self) -> Vec<Key> {
        if self.knows_all() { self.children.keys().cloned().collect() } else { Vec::new() }
    }

    /// A child and its parent, as they are known.
    pub(super) fn child(&self, key: &Key) -> Option<(Child<S>, Parent)> {
        let child = self.children.get(key)?.clone();
        let parent = child.parent().and_then(|parent| self.parents.get(parent)).cloned();
        Some((child, parent.unwrap_or(Parent::Missing)))
    }

    /// The status of a child was written: its own change is not one to react to. Another child that has taken
    /// its place meanwhile has a status of its own.
    pub(super) fn note(&mut self, key: &Key, uid: &str, standing: Standing) {
        if let Some(child) = self.children.get_mut(key).filter(|child| child.uid == uid) {
            child.standing = standing;
        }
    }

    fn knows_all(&self) -> bool {
        self.knows_parents && self.knows_children
    }

    fn take_parent(&mut self, event: Event<Seen<CloudProfileSpec>>) -> Vec<Key> {
        match event {
            Event::Init => {
                self.listed_parents.clear();
                Vec::new()
            }
            Event::InitApply(seen) => {
                self.listed_parents.extend(seen.metadata.name.clone());
                self.put_parent(seen)
            }
            Event::InitDone => {
                self.knows_parents = true;
                let listed = std::mem::take(&mut self.listed_parents);
                let gone: Vec<String> =
                    self.parents.keys().filter(|name| !listed.contains(*name)).cloned().collect();
                gone.iter().flat_map(|name| self.drop_parent(name)).collect()
            }
            Event::Apply(seen) => self.put_parent(seen),
            Event::Delete(seen) => self.drop_parent(&seen.metadata.name.unwrap_or_default()),
        }
    }

    fn put_parent(&mut self, seen: Seen<CloudProfileSpec>) -> Vec<Key> {
        let name = seen.metadata.name.unwrap_or_default();
        let parent = seen.spec.map_or(Parent::Unreadable, |spec| Parent::There(Arc::new(spec)));
        if self.parents.get(&name) == Some(&parent) {
            return Vec::new();
        }
        let family = self.family(&name);
        self.parents.insert(name, parent);
        family
    }

    fn drop_parent(&mut self, name: &str) -> Vec<Key> {
        self.parents.remove(name);
        self.family(name)
    }

    fn family(&self, parent: &str) -> Vec<Key> {
        self.families.get(parent).into_iter().flatten().cloned().collect()
    }

    fn take_child(&mut self, event: Event<Seen<S>>) -> Vec<Key> {
        match event {
            Event::Init => self.listed_children.clear(),
            Event::InitApply(seen) => {
                self.listed_children.insert(key(&seen.metadata));
                return self.put_child(seen);
            }
            Event::InitDone => {
                self.knows_children = true;
                let listed = std::mem::take(&mut self.listed_children);
                let gone: Vec<Key> =
                    self.children.keys().filter(|key| !listed.contains(*key)).cloned().collect();
                for key in gone {
                    self.drop_child(&key);
                }
            }
            Event::Apply(seen) => return self.put_child(seen),
            Event::Delete(seen) => self.drop_child(&key(&seen.metadata)),
        }
        Vec::new()
    }

    fn put_child(&mut self, seen: Seen<S>) -> Vec<Key> {
        let key = key(&seen.metadata);
        let child = Child::of(seen);
        let is_known = self.children.get(&key).is_some_and(|known| known.is_as(&child));
        self.drop_child(&key);
        if let Some(parent) = child.parent() {
            self.families.entry(parent.to_owned()).or_default().insert(key.clone());
        }
        self.children.insert(key.clone(), child);
        if is_known { Vec::new() } else { vec![key] }
    }

    fn drop_child(&mut self, key: &Key) {
        let parent = self.children.remove(key).and_then(|child| child.parent().map(str::to_owned));
        let Some(parent) = parent else { return };
        if let Some(family) = self.families.get_mut(&parent) {
            family.remove(key);
            if family.is_empty() {
                self.families.remove(&parent);
            }
        }
    }
}

fn key(metadata: &ObjectMeta) -> Key {
    Key { namespace: metadata.namespace.clone(), name: metadata.name.clone().unwrap_or_default() }
}

#[cfg(test)]
mod tests;
