//! Which resource has which infrastructure ID.
//!
//! Two clusters of one ID in one subscription would be one and the same in Azure, and in one namespace they would
//! be one here. So the first that takes an ID has it, and another is refused before anything of it is written.
//! The claims of a resource are in its metadata, so that a new process knows them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ::kube::api::{DynamicObject, ObjectMeta, PartialObjectMeta};
use ::kube::runtime::watcher::Event;
use jiff::Timestamp;
use landfall_engine_aso::keys;

use super::anchor::SUBSCRIPTION;
use crate::Key;

/// The metadata of a resource.
pub(super) type Metadata = PartialObjectMeta<DynamicObject>;

/// The infrastructure IDs of all resources.
#[derive(Default)]
pub(super) struct Claims {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    known: BTreeMap<Key, Known>,
    /// Those of a listing that is under way.
    listed: BTreeSet<Key>,
    is_complete: bool,
}

/// What is known of a resource.
#[derive(Debug, Default)]
struct Known {
    /// When it was created.
    made: Option<Timestamp>,
    /// The ID that it has.
    infra_id: Option<String>,
    /// The subscription that its cluster is in, as far as that is known.
    subscription: Option<String>,
    /// The ID that it was refused, since another has it.
    refused: Option<String>,
}

impl Claims {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether all existing resources were reported.
    pub(super) fn is_complete(&self) -> bool {
        self.kept().is_complete
    }

    /// The keys of all resources.
    pub(super) fn all(&self) -> Vec<Key> {
        self.kept().known.keys().cloned().collect()
    }

    /// Records a watch event, and returns the keys of the affected resources.
    pub(super) fn note(&self, event: Event<Metadata>) -> Vec<Key> {
        let mut kept = self.kept();
        match event {
            Event::Init => {
                kept.listed.clear();
                Vec::new()
            }
            Event::InitApply(found) => {
                let key = kept.put(found.metadata);
                kept.listed.insert(key.clone());
                vec![key]
            }
            Event::InitDone => {
                kept.is_complete = true;
                let listed = std::mem::take(&mut kept.listed);
                let gone = kept.known.keys().filter(|key| !listed.contains(*key));
                let gone: Vec<Key> = gone.cloned().collect();
                gone.into_iter().flat_map(|key| kept.gone(key)).collect()
            }
            Event::Apply(found) => vec![kept.put(found.metadata)],
            Event::Delete(found) => kept.gone(key(found.metadata)),
        }
    }

    /// Takes an ID for the cluster of a resource in this subscription.
    ///
    /// # Errors
    /// Another resource has it.
    pub(super) fn take(&self, key: &Key, infra_id: &str, subscription: &str) -> Result<(), Key> {
        let mut kept = self.kept();
        let meets = |other: &Key, known: &Known| {
            let there = known.subscription.as_deref();
            let is_same = there.is_none_or(|there| there.eq_ignore_ascii_case(subscription));
            other.namespace == key.namespace || is_same
        };
        let holder = kept.holder(key, infra_id, meets);
        let own = kept.known.entry(key.clone()).or_default();
        if let Some(other) = holder {
            own.refused = Some(infra_id.to_owned());
            return Err(other);
        }
        own.infra_id = Some(infra_id.to_owned());
        own.subscription = Some(subscription.to_owned());
        own.refused = None;
        Ok(())
    }

    /// The other resource in the namespace of this one that has this ID, so that what stands there is not this
    /// one's.
    pub(super) fn other_here(&self, key: &Key, infra_id: &str) -> Option<Key> {
        self.kept().holder(key, infra_id, |other, _| other.namespace == key.namespace)
    }
}

impl Kept {
    /// What a resource has taken is known better here than by news, which may be old.
    fn put(&mut self, mut metadata: ObjectMeta) -> Key {
        let infra_id = metadata.labels.as_mut().and_then(|labels| labels.remove(keys::CLUSTER));
        let subscription = metadata.annotations.as_mut().and_then(|all| all.remove(SUBSCRIPTION));
        let made = metadata.creation_timestamp.as_ref().map(|time| time.0);
        let key = key(metadata);
        let known = self.known.entry(key.clone()).or_default();
        known.made = made;
        if known.infra_id.is_none() {
            (known.infra_id, known.subscription) = (infra_id, subscription);
        }
        key
    }

    /// Forgets a resource. Gives its key, and those of the resources that were refused because of it.
    fn gone(&mut self, key: Key) -> Vec<Key> {
        let freed = self.known.remove(&key).and_then(|known| known.infra_id);
        let waits = |known: &Known| freed.is_some() && known.refused == freed;
        let waiting = self.known.iter().filter(|(_, known)| waits(known)).map(|(key, _)| key.clone());
        std::iter::once(key).chain(waiting).collect()
    }

    /// The other resource that has an ID, if this one does not have it or has it later: a copy of a resource has
    /// its labels.
    fn holder(&self, key: &Key, infra_id: &str, meets: impl Fn(&Key, &Known) -> bool) -> Option<Key> {
        let has = |known: &&Known| known.infra_id.as_deref() == Some(infra_id);
        let own = self.known.get(key).filter(has).map(|own| (own.made, key));
        let others = self.known.iter().filter(|(other, known)| *other != key && has(known));
        let others = others.filter(|(other, known)| meets(other, known));
        let first = others.map(|(other, known)| (known.made, other)).min()?;
        own.is_none_or(|own| first < own).then(|| first.1.clone())
    }
}

/// The key of the resource with this metadata.
pub(super) fn key(metadata: ObjectMeta) -> Key {
    Key { namespace: metadata.namespace, name: metadata.name.unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use ::kube::api::PartialObjectMetaExt as _;
    use serde_json::json;

    use super::*;

    const ID: &str = "demo-x7k2p";

    fn of(namespace: &str, name: &str) -> Key {
        Key { namespace: Some(namespace.to_owned()), name: name.to_owned() }
    }

    /// A resource created in this second, with its claims.
    fn resource(key: &Key, second: u8, taken: Option<(&str, &str)>) -> Metadata {
        let mut metadata = json!({
            "name": key.name,
            "namespace": key.namespace,
            "creationTimestamp": format!("2026-01-01T00:00:{second:02}Z"),
        });
        if let Some((infra_id, subscription)) = taken {
            metadata["labels"] = json!({ (keys::CLUSTER): infra_id });
            metadata["annotations"] = json!({ (SUBSCRIPTION): subscription });
        }
        let metadata: ObjectMeta = serde_json::from_value(metadata).unwrap_or_default();
        metadata.into_response_partial()
    }

    #[test]
    fn the_first_that_takes_an_id_has_it() {
        let claims = Claims::default();
        let (one, two) = (of("a", "one"), of("b", "two"));
        // The second is the older one, and has taken nothing.
        claims.note(Event::Apply(resource(&one, 9, None)));
        claims.note(Event::Apply(resource(&two, 1, None)));
        assert_eq!(claims.take(&one, ID, "S"), Ok(()));
        assert_eq!(claims.take(&two, ID, "s"), Err(one.clone()));
        // An old state of the first changes nothing.
        claims.note(Event::Apply(resource(&one, 9, None)));
        assert_eq!(claims.take(&two, ID, "s"), Err(one.clone()));
        assert_eq!(claims.take(&one, ID, "S"), Ok(()));
        assert_eq!(claims.take(&two, "demo-other", "s"), Ok(()));
    }

    #[test]
    fn another_subscription_in_another_namespace_is_another_cluster() {
        let claims = Claims::default();
        assert_eq!(claims.take(&of("a", "one"), ID, "s"), Ok(()));
        assert_eq!(claims.take(&of("b", "two"), ID, "t"), Ok(()));
        assert_eq!(claims.other_here(&of("b", "two"), ID), None);
        assert_eq!(claims.take(&of("a", "three"), ID, "t"), Err(of("a", "one")));
        assert_eq!(claims.other_here(&of("a", "three"), ID), Some(of("a", "one")));
    }

    #[test]
    fn a_process_that_begins_anew_knows_who_has_it() {
        let claims = Claims::default();
        let (one, two, copy) = (of("a", "one"), of("b", "two"), of("a", "copy"));
        assert!(!claims.is_complete());
        claims.note(Event::Init);
        claims.note(Event::InitApply(resource(&copy, 5, Some((ID, "s")))));
        claims.note(Event::InitApply(resource(&two, 1, None)));
        claims.note(Event::InitApply(resource(&one, 3, Some((ID, "s")))));
        claims.note(Event::InitDone);
        assert!(claims.is_complete());
        assert_eq!(claims.take(&two, ID, "s"), Err(one.clone()));
        // Whoever copies a resource copies its labels.
        assert_eq!(claims.take(&copy, ID, "s"), Err(one.clone()));
        assert_eq!(claims.other_here(&copy, ID), Some(one.clone()));
        assert_eq!((claims.take(&one, ID, "s"), claims.other_here(&one, ID)), (Ok(()), None));
    }

    #[test]
    fn who_was_refused_is_looked_at_when_the_id_is_free() {
        let claims = Claims::default();
        let (one, two, three) = (of("a", "one"), of("a", "two"), of("a", "three"));
        assert_eq!(claims.take(&one, ID, "s"), Ok(()));
        assert_eq!(claims.take(&two, ID, "s"), Err(one.clone()));
        assert_eq!(claims.take(&three, "demo-other", "s"), Ok(()));
        assert_eq!(claims.note(Event::Delete(resource(&one, 1, None))), [one.clone(), two.clone()]);
        assert_eq!(claims.take(&two, ID, "s"), Ok(()));
        // What went while the watch was broken shows in the next listing.
        claims.note(Event::Init);
        claims.note(Event::InitApply(resource(&two, 1, None)));
        assert_eq!(claims.note(Event::InitDone), [three]);
    }
}
