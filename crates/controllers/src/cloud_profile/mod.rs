//! Profiles of projects, joined with the cloud profiles that they inherit from, in their status.
//!
//! All profiles stand in memory, as small as it goes, so that the change of one parent leads to its children
//! and to no others, and what says already what it is to say is not written. What has expired is taken out
//! when its time comes. A finalizer keeps a profile for as long as something refers to it.

#![allow(
    clippy::disallowed_methods,
    reason = "whether a version has expired is a matter of the current time"
)]

mod clean_up;
mod deletion_guard;
mod derived_profile;
mod digest;
mod finalizer;
mod protection;
mod snapshot;
mod store;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::kube::Client;
use ::kube::api::Api;
use ::kube::runtime::watcher;
use futures::StreamExt as _;
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, select};
use jiff::Timestamp;
use landfall_cloud_profile::admission::{ProfileKind, Shoot, profile_deletion};
use landfall_cloud_profile::status::PARENT_NOT_FOUND;
use landfall_cloud_profile::types::{CloudProfileSpec, NamespacedCloudProfileSpec, PrivateCloudProfileSpec};
use landfall_diagnostics::shortened;
use landfall_kube::Fault;
use landfall_kube::kinds::ProfileKinds;
use landfall_kube::objects::{ClusterEvent, EventType, Events, ObjectRef, Objects, Part};
use landfall_kube::questions::Questions;
use serde_json::{Map, Value, json};

use self::derived_profile::{About, DerivedProfile};
pub(crate) use self::finalizer::user;
use self::finalizer::{AGAIN, Held, few, is_overtaken, written};
use self::protection::Protection;
use self::snapshot::Seen;
pub(crate) use self::snapshot::UNSEEN;
use self::store::{Child, Parent, Store, StoreEvent};
use super::{Controller, Failed, Key, Next, watch};

/// How many profiles are joined and written side by side.
const WORKERS: usize = 16;
/// How many objects one answer of a listing holds: with their status they may be large.
const PAGE: u32 = 50;
/// Reason of the event about a profile that keeps expired versions.
const CLEAN_UP_REFUSED: &str = "CleanUpRefused";
/// Reason of the event about removed versions.
const CLEANED_UP: &str = "CleanedUp";

/// The way to a cluster's objects.
#[derive(Clone)]
pub struct Access {
    /// The objects.
    pub objects: Arc<dyn Objects>,
    /// The sink of events.
    pub events: Arc<dyn Events>,
    /// Questions about more than one object.
    pub questions: Arc<dyn Questions>,
    /// The kinds of profiles.
    pub kinds: &'static ProfileKinds,
}

/// What is removed from profiles when it expires. Versions of Kubernetes in private profiles always are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expiry {
    /// Whether versions of machine images are.
    pub images: bool,
    /// Whether versions in cloud profiles are, unless they are in use.
    pub cloud_profiles: bool,
}

impl Default for Expiry {
    fn default() -> Self {
        Self { images: true, cloud_profiles: false }
    }
}

/// The controller of profiles as they were proposed. With `images`, expired versions of machine images are
/// taken out as well as those of Kubernetes. Unless this operator runs admission itself (`is_judged`),
/// profiles say in a condition whether admission is missing.
#[must_use]
pub fn private(access: Access, images: bool, is_judged: bool) -> Arc<dyn Controller> {
    let protection = (!is_judged)
        .then(|| Arc::new(Protection::new(Arc::clone(&access.objects), access.kinds.private.group)));
    Arc::new(Inheritance::<PrivateCloudProfileSpec> { protection, ..Inheritance::new(access, images) })
}

/// The controller of profiles as they were released.
#[must_use]
pub fn namespaced(access: Access) -> Arc<dyn Controller> {
    Arc::new(Inheritance::<NamespacedCloudProfileSpec>::new(access, false))
}

/// The controller of cloud profiles, which stay for as long as something refers to them.
#[must_use]
pub fn parents(access: Access, expiry: Expiry) -> Arc<dyn Controller> {
    Arc::new(deletion_guard::Guard::new(access, expiry))
}

/// Keeps what profiles of one kind inherit in their status.
struct Inheritance<S> {
    access: Access,
    images: bool,
    /// Where it must be looked whether admission protects the profiles.
    protection: Option<Arc<Protection>>,
    store: Arc<Mutex<Store<S>>>,
}

impl<S: DerivedProfile> Inheritance<S> {
    fn new(access: Access, images: bool) -> Self {
        Self { access, images, protection: None, store: Arc::default() }
    }

    async fn run(&self, key: &Key) -> Result<Next, Failed> {
        let Some((child, parent)) = locked(&self.store).child(key) else { return Ok(Next::Settled) };
        let kind = S::kind(self.access.kinds);
        let place = ObjectRef { kind, namespace: key.namespace.clone(), name: key.name.clone() };
        let held = Held { place: &place, version: &child.version, finalizers: &child.finalizers };
        if child.is_leaving {
            return self.leave(&held).await;
        }
        if !held.is_held() {
            return held.hold(&*self.access.objects).await;
        }
        let Some(spec) = child.spec.clone() else {
            return Err(unreadable(&place));
        };
        let now = Timestamp::now();
        if matches!(parent, Parent::Missing) {
            let missing = spec.parent();
            let controller = S::CONTROLLER;
            tracing::warn!(controller, %key, cloud_profile = missing, "the parent does not exist");
            // The other kind has a condition.
            if S::PROFILE == ProfileKind::Released {
                self.access.events.report(parent_not_found(&place, missing)).await;
            }
            // No change of a spec is taken as long as the parent is not there, which leads here again.
            self.render(key, &place, &child, &spec, &parent, now).await?;
            return Ok(Next::Settled);
        }
        let swept = spec.swept(now, self.images);
        let Some(left) = swept.left else {
            self.render(key, &place, &child, &spec, &parent, now).await?;
            return Ok(next(swept.next, now));
        };
        let patch = json!({ "metadata": { "resourceVersion": child.version }, "spec": left.patch });
        let saved = self.access.objects.merge(&place, patch, Part::Whole).await;
        let refusal = saved.as_ref().err().and_then(|fault| clean_up_refused(&place, fault));
        let is_saved = saved.is_ok();
        let is_overtaken = saved.as_ref().is_err_and(is_overtaken);
        if let Err(failed) = written(&place, saved) {
            // What has expired must not be offered, even where it cannot be taken out of the profile.
            let rendered = self.render(key, &place, &child, &left.spec, &parent, now).await;
            if let Some(refusal) = refusal {
                self.access.events.report(refusal).await;
            }
            rendered?;
            return if is_overtaken { Ok(Next::Again(AGAIN)) } else { Err(failed) };
        }
        if is_saved {
            self.access.events.report(cleaned_up(&place, &left.removed)).await;
        }
        Ok(next(swept.next, now))
    }

    /// Has the status say what comes of a spec and its parent, if it does not.
    async fn render(
        &self,
        key: &Key,
        place: &ObjectRef,
        child: &Child<S>,
        spec: &S,
        parent: &Parent,
        now: Timestamp,
    ) -> Result<(), Failed> {
        let generation = child.generation;
        let is_unprotected = match &self.protection {
            Some(protection) => protection.is_missing().await,
            None => Some(false),
        };
        let api_version = place.kind.api_version();
        let (name, standing) = (key.name.as_str(), &child.standing);
        let about = About { api_version, name, generation, standing, is_unprotected, now };
        if let Some(told) = spec.told(&about, parent).filter(|told| told.standing != child.standing) {
            let objects = &self.access.objects;
            let answer = if told.is_whole {
                objects.set_status(place, told.status).await
            } else {
                objects.merge(place, json!({ "status": told.status }), Part::Status).await.map(drop)
            };
            written(place, answer)?;
            locked(&self.store).note(key, &child.uid, told.standing);
        }
        if matches!(parent, Parent::Unreadable) {
            return Err(unreadable(&ObjectRef::in_cluster(&self.access.kinds.cloud, spec.parent())));
        }
        Ok(())
    }

    /// Lets a profile go that is being deleted, unless clusters refer to it.
    async fn leave(&self, held: &Held<'_>) -> Result<Next, Failed> {
        let mut shoots = Vec::new();
        if held.is_held() {
            let namespace = held.place.namespace.as_deref();
            let mut taker = |shoot: Shoot| {
                shoots.push(shoot);
                true
            };
            finalizer::shoots(&self.access, namespace, &mut taker).await?;
        }
        let metadata: Map<String, Value> = [
            ("name".to_owned(), json!(held.place.name)),
            ("namespace".to_owned(), json!(held.place.namespace)),
            ("finalizers".to_owned(), json!(held.finalizers)),
        ]
        .into_iter()
        .collect();
        let deletion = profile_deletion(S::PROFILE, &metadata, &shoots);
        held.release(&*self.access.objects, &*self.access.events, &deletion).await
    }
}

impl<S: DerivedProfile> Controller for Inheritance<S> {
    fn name(&self) -> &'static str {
        S::CONTROLLER
    }

    fn workers(&self) -> usize {
        WORKERS
    }

    fn triggers(&self, client: &Client) -> BoxStream<'static, Key> {
        let config = || watcher::Config::default().page_size(PAGE);
        let (parent, child) = (&self.access.kinds.cloud, S::kind(self.access.kinds));
        let parents: Api<Seen<CloudProfileSpec>> = Api::all_with(client.clone(), &watch::resource(parent));
        let parents = watch::unbroken(parent, parents, config()).map(StoreEvent::Parent);
        let children: Api<Seen<S>> = Api::all_with(client.clone(), &watch::resource(child));
        let children = watch::unbroken(child, children, config()).map(StoreEvent::Child);
        let store = Arc::clone(&self.store);
        let keys = select(parents, children).flat_map(move |event| {
            let keys = locked(&store).take(event);
            stream::iter(keys)
        });
        let Some(protection) = self.protection.clone() else { return keys.boxed() };
        let store = Arc::clone(&self.store);
        let all = protection::changes(protection).flat_map(move |()| stream::iter(locked(&store).all()));
        select(keys, all).boxed()
    }

    fn reconcile<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Next, Failed>> {
        Box::pin(self.run(key))
    }
}

fn locked<S>(store: &Mutex<Store<S>>) -> MutexGuard<'_, Store<S>> {
    store.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unreadable(place: &ObjectRef) -> Failed {
    Failed::terminal("profile-unreadable", format!("{place} has a field of the wrong type"))
}

fn parent_not_found(place: &ObjectRef, parent: &str) -> ClusterEvent {
    let note = format!("There is no cloud profile `{}`: the profile is not merged.", shortened(parent));
    ClusterEvent { about: place.clone(), event_type: EventType::Warning, reason: PARENT_NOT_FOUND, note }
}

/// What is reported where what has expired cannot be taken out of a profile, since the profile would then not be
/// accepted: somebody must change it first. Other faults may pass by themselves.
fn clean_up_refused(place: &ObjectRef, fault: &Fault) -> Option<ClusterEvent> {
    let is_refused = match fault {
        Fault::Forbidden(_) => true,
        // Too late, another version, too many.
        Fault::Answer { status, .. } => (400..500).contains(status) && ![408, 409, 429].contains(status),
        _ => false,
    };
    let note = format!("Expired entries cannot be removed from the profile: {}.", fault.why());
    let about = place.clone();
    is_refused.then_some(ClusterEvent {
        about,
        event_type: EventType::Warning,
        reason: CLEAN_UP_REFUSED,
        note,
    })
}

fn cleaned_up(place: &ObjectRef, removed: &[String]) -> ClusterEvent {
    let note = format!("Expired entries were removed from the profile: {}.", few(removed));
    ClusterEvent { about: place.clone(), event_type: EventType::Normal, reason: CLEANED_UP, note }
}

/// When to look again: as soon as what expires next has expired.
fn next(expiry: Option<Timestamp>, now: Timestamp) -> Next {
    let pause = expiry.and_then(|expiry| Duration::try_from(expiry.duration_since(now)).ok());
    // At this very instant it is still valid.
    pause.map_or(Next::Settled, |pause| Next::Again(pause.saturating_add(Duration::from_millis(1))))
}
