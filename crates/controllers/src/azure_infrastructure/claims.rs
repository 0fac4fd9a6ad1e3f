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
    /// The only namespace whose resources are worked on, where the others are known by their claims alone.
    namespace: Option<String>,
}

#[derive(Default)]
struct Kept {
    known: BTreeMap<Key, Known>,
    /// Those of a listing that is under way.
    listed: BTreeSet<Key>,
    is_complete: bool,
    others: Others,
}

/// The resources of other namespaces than the one that is worked on.
#[derive(Default)]
struct Others {
    known: BTreeMap<Key, Known>,
    listed: BTreeSet<Key>,
    /// Whether all were reported, or are not for this operator.
    is_complete: bool,
}

/// What is known of a resource.
#[derive(Debug, Default, PartialEq, Eq)]
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
    /// The claims that matter where the resources of this namespace alone are worked on, or those of all.
    pub(super) fn of(namespace: Option<String>) -> Self {
        Self { namespace, ..Self::default() }
    }

    /// Whether other operators give IDs to resources of other namespaces.
    pub(super) fn has_others(&self) -> bool {
        self.namespace.is_some()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether all existing resources were reported.
    pub(super) fn is_complete(&self) -> bool {
        let kept = self.kept();
        kept.is_complete && (kept.others.is_complete || !self.has_others())
    }

    /// The keys of all resources that are worked on.
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

    /// Records a watch event of the resources in other namespaces, or that they are not for this operator, and returns
    /// the keys of the affected resources that are worked on.
    pub(super) fn note_others(&self, event: Option<Event<Metadata>>) -> Vec<Key> {
        let mut kept = self.kept();
        let is_own =
            |found: &Metadata| self.namespace.is_none() || found.metadata.namespace == self.namespace;
        match event {
            None => {
                tracing::warn!(
                    kind = super::AZURE_INFRASTRUCTURE.kind,
                    "objects of other namespaces cannot be listed: an infrastructure ID that a cluster there has \
                     in the same subscription is not refused; apply the manifests of this version"
                );
                kept.others.is_complete = true;
                Vec::new()
            }
            Some(Event::Init) => {
                kept.others.listed.clear();
                Vec::new()
            }
            Some(Event::InitApply(found)) if !is_own(&found) => {
                let (key, affected) = kept.put_other(found.metadata);
                kept.others.listed.insert(key);
                affected
            }
            Some(Event::InitDone) => {
                kept.others.is_complete = true;
                let listed = std::mem::take(&mut kept.others.listed);
                let gone = kept.others.known.keys().filter(|key| !listed.contains(*key));
                let gone: Vec<Key> = gone.cloned().collect();
                gone.iter().flat_map(|key| kept.other_gone(key)).collect()
            }
            Some(Event::Apply(found)) if !is_own(&found) => kept.put_other(found.metadata).1,
            Some(Event::Delete(found)) => kept.other_gone(&key(found.metadata)),
            Some(Event::InitApply(_) | Event::Apply(_)) => Vec::new(),
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

    /// The subscription that the cluster of a resource is in, as far as that is known.
    pub(super) fn subscription(&self, key: &Key) -> Option<String> {
        self.kept().known.get(key).and_then(|known| known.subscription.clone())
    }

    /// The other resource in the namespace of this one that has this ID, so that what stands there is not this
    /// one's.
    pub(super) fn other_here(&self, key: &Key, infra_id: &str) -> Option<Key> {
        self.kept().holder(key, infra_id, |other, _| other.namespace == key.namespace)
    }
}

impl Kept {
    /// What a resource has taken is known better here than by news, which may be old.
    fn put(&mut self, metadata: ObjectMeta) -> Key {
        let (key, told) = read(metadata);
        let known = self.known.entry(key.clone()).or_default();
        known.made = told.made;
        if known.infra_id.is_none() {
            (known.infra_id, known.subscription) = (told.infra_id, told.subscription);
        }
        key
    }

    /// Records what a resource of another namespace says. Gives its key, and those of the resources here to which it
    /// matters: they have the ID that it has now, or wait for the one that it had.
    fn put_other(&mut self, metadata: ObjectMeta) -> (Key, Vec<Key>) {
        let (key, told) = read(metadata);
        if self.others.known.get(&key) == Some(&told) {
            return (key, Vec::new());
        }
        let taken = told.infra_id.clone();
        let freed = self.others.known.insert(key.clone(), told).and_then(|before| before.infra_id);
        let meets = |known: &Known| taken.is_some() && known.infra_id == taken;
        let meeting = self.known.iter().filter(|(_, known)| meets(known)).map(|(key, _)| key.clone());
        let mut affected: BTreeSet<Key> = meeting.collect();
        affected.extend(self.waiting(freed.as_deref()));
        (key, affected.into_iter().collect())
    }

    /// Forgets a resource of another namespace. Gives the keys of the resources that were refused because of it.
    fn other_gone(&mut self, key: &Key) -> Vec<Key> {
        let freed = self.others.known.remove(key).and_then(|known| known.infra_id);
        self.waiting(freed.as_deref())
    }

    /// Forgets a resource. Gives its key, and those of the resources that were refused because of it.
    fn gone(&mut self, key: Key) -> Vec<Key> {
        let freed = self.known.remove(&key).and_then(|known| known.infra_id);
        std::iter::once(key).chain(self.waiting(freed.as_deref())).collect()
    }

    /// The keys of the resources that were refused this ID.
    fn waiting(&self, freed: Option<&str>) -> Vec<Key> {
        let waits = |known: &Known| freed.is_some() && known.refused.as_deref() == freed;
        self.known.iter().filter(|(_, known)| waits(known)).map(|(key, _)| key.clone()).collect()
    }

    /// The other resource that has an ID, if this one does not have it or has it later: a copy of a resource has
    /// its labels.
    fn holder(&self, key: &Key, infra_id: &str, meets: impl Fn(&Key, &Known) -> bool) -> Option<Key> {
        let has = |known: &&Known| known.infra_id.as_deref() == Some(infra_id);
        let own = self.known.get(key).filter(has).map(|own| (own.made, key));
        let all = self.known.iter().chain(&self.others.known);
        let others = all.filter(|(other, known)| *other != key && has(known));
        let others = others.filter(|(other, known)| meets(other, known));
        let first = others.map(|(other, known)| (known.made, other)).min()?;
        own.is_none_or(|own| first < own).then(|| first.1.clone())
    }
}

/// The key of the resource with this metadata, and what that says of it.
fn read(mut metadata: ObjectMeta) -> (Key, Known) {
    let infra_id = metadata.labels.as_mut().and_then(|labels| labels.remove(keys::CLUSTER));
    let subscription = metadata.annotations.as_mut().and_then(|all| all.remove(SUBSCRIPTION));
    let made = metadata.creation_timestamp.as_ref().map(|time| time.0);
    (key(metadata), Known { made, infra_id, subscription, refused: None })
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
        assert_eq!((claims.subscription(&one), claims.subscription(&two)), (Some("s".to_owned()), None));
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

    #[test]
    fn resources_of_other_namespaces_keep_their_ids() {
        let claims = Claims::of(Some("a".to_owned()));
        let (own, other) = (of("a", "own"), of("b", "other"));
        claims.note(Event::Init);
        claims.note(Event::InitApply(resource(&own, 5, None)));
        claims.note(Event::InitDone);
        assert!(!claims.is_complete(), "the others are not known yet");
        assert!(claims.note_others(Some(Event::Init)).is_empty());
        assert!(claims.note_others(Some(Event::InitApply(resource(&other, 9, Some((ID, "s")))))).is_empty());
        assert!(claims.note_others(Some(Event::InitDone)).is_empty());
        assert!(claims.is_complete());
        assert_eq!(claims.all(), std::slice::from_ref(&own), "the others are not worked on");
        assert_eq!(claims.take(&own, ID, "S"), Err(other.clone()));
        assert_eq!(claims.take(&own, ID, "t"), Ok(()), "another subscription");
        assert_eq!(claims.other_here(&own, ID), None);
        assert_eq!(claims.take(&own, "demo-mine", "s"), Ok(()));
        assert_eq!(claims.take(&own, ID, "s"), Err(other.clone()));
        // It goes, while the watch is broken or not.
        assert_eq!(
            claims.note_others(Some(Event::Delete(resource(&other, 9, None)))),
            std::slice::from_ref(&own)
        );
        assert_eq!(claims.take(&own, ID, "s"), Ok(()));
        claims.note_others(Some(Event::Init));
        assert!(claims.note_others(Some(Event::InitDone)).is_empty());
    }

    #[test]
    fn of_two_that_take_an_id_at_once_the_older_one_has_it() {
        let claims = Claims::of(Some("a".to_owned()));
        let (own, other) = (of("a", "own"), of("b", "other"));
        claims.note(Event::Apply(resource(&own, 5, None)));
        assert_eq!(claims.take(&own, ID, "s"), Ok(()));
        // The other operator's resource is seen later.
        let younger = || Some(Event::Apply(resource(&other, 9, Some((ID, "s")))));
        assert_eq!(claims.note_others(younger()), std::slice::from_ref(&own));
        assert!(claims.note_others(younger()).is_empty(), "nothing new");
        assert_eq!(claims.take(&own, ID, "s"), Ok(()));
        let older = Some(Event::Apply(resource(&other, 1, Some((ID, "s")))));
        assert_eq!(claims.note_others(older), std::slice::from_ref(&own));
        assert_eq!(claims.take(&own, ID, "s"), Err(other));
    }

    #[test]
    fn without_the_right_to_list_others_only_the_namespace_counts() {
        let claims = Claims::of(Some("a".to_owned()));
        claims.note(Event::InitDone);
        assert!(!claims.is_complete());
        assert!(claims.note_others(None).is_empty());
        assert!(claims.is_complete());
        // A server that passes over the selector tells of the namespace itself.
        let own = of("a", "own");
        assert!(claims.note_others(Some(Event::Apply(resource(&own, 1, Some((ID, "s")))))).is_empty());
        assert_eq!(claims.take(&of("a", "two"), ID, "s"), Ok(()));
    }
}
