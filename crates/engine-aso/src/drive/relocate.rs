//! The move of a cluster to another management cluster.
//!
//! It is paused first, so that from then on neither operator changes anything in Azure; then it is copied, the
//! other operator looks at everything, and only then is the pause ended there and the cluster removed here.
//! After a stop at any point the same move goes on.

use std::collections::BTreeSet;

use futures::StreamExt as _;
use landfall_diagnostics::Finding;
use serde_json::{Value, json};

use super::api::{Failure, Feed, Location, ObjectEvent};
use super::at_work::{Place, Worked};
use super::ground::{Anchor, PAUSED, present};
use super::run::End;
use super::world::text;
use super::{Drive, Ground, ObservedState, Step, Work, pages, tier};
use crate::core::{Object, Owner, Status, may_move, moved};
use crate::desired::Need;
use crate::{keys, kinds};

/// One of the two management clusters.
pub struct Side<'a> {
    /// Where the cluster is worked on.
    pub place: Place<'a>,
    /// Begins a new feed of the cluster's objects.
    pub feed: &'a (dyn Fn() -> Feed + Sync),
}

/// From where a cluster moves, and where to.
pub struct Relocation<'a> {
    /// Where it is.
    pub from: Side<'a>,
    /// Where it is to be. That its operator can be used was looked at before.
    pub to: Side<'a>,
}

/// Moves a cluster. One that an earlier run has moved to its end is moved.
pub async fn relocate(relocation: &Relocation<'_>) -> Worked {
    relocation.from.place.alone(relocation.steps()).await
}

impl Relocation<'_> {
    async fn steps(&self) -> Result<Worked, Failure> {
        let (from, to) = (&self.from.place, &self.to.place);
        let (ground, told) = (from.ground, from.watcher);
        let Some(anchor) = ground.find(from.api).await? else {
            let there = to.ground.find(to.api).await?;
            let has_moved = there.is_some_and(|anchor| anchor.is_of(&ground.infra_id));
            return Ok(if has_moved { Worked::Ended(End::Done, Step::default()) } else { Worked::NotThere });
        };
        if !anchor.is_of(&ground.infra_id) {
            return Ok(Worked::Refused(Box::new(pages::not_ours(ground))));
        }
        if anchor.is_going() {
            return Ok(Worked::Refused(Box::new(pages::is_going(ground))));
        }
        if to.ground.is_taken(to.api).await? {
            return Ok(Worked::Refused(Box::new(pages::not_ours(to.ground))));
        }
        // The lease and the objects lie in the namespace.
        to.ground.lay_namespace(to.api).await?;
        let Some(world) = heard((self.from.feed)(), from).await else {
            return Ok(from.cut_off(Step::default()));
        };
        if let Some(refused) = self.rehearse(&ground.owner(&anchor), &world).await? {
            return Ok(Worked::Refused(Box::new(refused)));
        }
        told.told("pausing the cluster");
        let anchor = ground.annotate(from.api, anchor, &json!({ (PAUSED): "true" })).await?;
        let owner = ground.owner(&anchor);
        let mut feed = (self.from.feed)();
        let pause = Drive::new(&ground.infra_id, owner.clone(), Work::Pause);
        let (end, step) = from.run(&pause, &mut feed).await;
        if end != End::Done {
            return Ok(Worked::Ended(end, step));
        }
        let Some(world) = heard((self.from.feed)(), from).await else {
            return Ok(from.cut_off(step));
        };
        if !may_move(world.iter().map(|(_, object)| Object(object)), &owner, &ground.infra_id) {
            return Ok(from.cut_off(step));
        }
        let anchor = ground.annotate(from.api, anchor, &json!({ (keys::BLOCK_MOVE): null })).await?;
        let arrived = to.alone(Box::pin(self.arrive(&anchor, &owner, &world, step))).await;
        if !matches!(arrived, Worked::Ended(End::Done, _)) {
            return Ok(arrived);
        }
        told.told("removing the remaining objects here");
        let depart = Drive::new(&ground.infra_id, owner, Work::Depart);
        let (end, step) = from.run(&depart, &mut (self.from.feed)()).await;
        if end == End::Done {
            ground.clear(from.api).await?;
        }
        Ok(Worked::Ended(end, step))
    }

    /// Copies the paused cluster, and ends the pause in the other management cluster once all is seen there.
    async fn arrive(
        &self,
        anchor: &Anchor,
        owner: &Owner,
        world: &ObservedState,
        step: Step,
    ) -> Result<Worked, Failure> {
        let (from, to) = (&self.from.place, &self.to.place);
        let told = from.watcher;
        told.told("copying the cluster");
        let there = self.copy(anchor, owner, world).await?;
        told.told("waiting for the other operator to reconcile every object");
        if !self.is_seen(world, owner).await {
            return Ok(from.cut_off(step));
        }
        told.told("ending the pause there");
        let there = to.ground.annotate(to.api, there, &json!({ (keys::BLOCK_MOVE): "true" })).await?;
        let resume = Drive::new(&from.ground.infra_id, to.ground.owner(&there), Work::Resume);
        let (end, step) = to.run(&resume, &mut (self.to.feed)()).await;
        if end == End::Done {
            to.ground.annotate(to.api, there, &json!({ (PAUSED): null })).await?;
        }
        Ok(Worked::Ended(end, step))
    }

    /// Makes namespace, anchor, credential and objects in the other management cluster, as far as they are not
    /// there.
    async fn copy(&self, anchor: &Anchor, owner: &Owner, world: &ObservedState) -> Result<Anchor, Failure> {
        let (from, to) = (&self.from.place, &self.to.place);
        let there = to.ground.lay(to.api, &bare(anchor.object(), to.ground)).await?;
        let new = to.ground.owner(&there);
        if let Some(secret) = from.ground.credential(from.api).await? {
            let mut copy = bare(&secret, to.ground);
            copy["metadata"]["ownerReferences"] = json!([new.reference()]);
            to.ground.keep_credential(to.api, &copy).await?;
        }
        let mut objects: Vec<(&Need, &Value)> = self.own(owner, world).collect();
        objects.sort_by_key(|(id, _)| tier(id.kind));
        for (id, object) in objects {
            present(to.api, &self.destination(id, object), &moved(object, &new)).await?;
        }
        Ok(there)
    }

    /// The cluster's own objects.
    fn own<'w>(
        &'w self,
        owner: &'w Owner,
        world: &'w ObservedState,
    ) -> impl Iterator<Item = (&'w Need, &'w Value)> {
        world.iter().filter(|(_, object)| owner.owns(Object(object), &self.from.place.ground.infra_id))
    }

    /// Where an object is in the other management cluster.
    fn destination(&self, id: &Need, object: &Value) -> Location {
        Location {
            api_version: text(object, "/apiVersion").to_owned(),
            plural: kinds::named(id.kind).map_or("", |kind| kind.plural),
            namespace: Some(self.to.place.ground.namespace.clone()),
            name: id.name.clone(),
        }
    }

    /// What the other management cluster refuses of the cluster; none where it would take all of it. Another release
    /// of the operator can lack a version or a field of a kind.
    async fn rehearse(&self, owner: &Owner, world: &ObservedState) -> Result<Option<Finding>, Failure> {
        for (id, object) in self.own(owner, world) {
            let tried =
                self.to.place.api.rehearse(&self.destination(id, object), &moved(object, owner)).await;
            match tried {
                Err(failure) if failure.code().is_some_and(is_refusal) => {
                    return Ok(Some(pages::not_taken(id, &failure)));
                }
                // It is there already.
                Err(failure) if failure.code() == Some(409) => {}
                tried => tried?,
            }
        }
        Ok(None)
    }

    /// Waits until the other operator has found every resource that this one has found.
    async fn is_seen(&self, world: &ObservedState, owner: &Owner) -> bool {
        let place = &self.to.place;
        let wait = async {
            let mut feed = (self.to.feed)();
            let mut there = ObservedState::new((place.limits.clock)());
            loop {
                let mut own = world.iter().filter(|(_, one)| owner.owns(Object(one), &place.ground.infra_id));
                let is_seen = |(id, here): (&Need, &Value)| {
                    let ready = there.get(id).map(|object| Object(object).ready().status);
                    match ready {
                        Some(Status::True) => true,
                        Some(Status::False) => !Object(here).is_ready(),
                        _ => false,
                    }
                };
                if own.all(is_seen) {
                    return true;
                }
                match feed.next().await {
                    Some(news) => there.note(news),
                    None => return false,
                }
            }
        };
        tokio::select! {
            seen = tokio::time::timeout(place.limits.whole, wait) => seen.unwrap_or_default(),
            () = place.stop.asked() => false,
        }
    }
}

/// Whether an answer refuses an object for what it is, and not for the moment.
fn is_refusal(status: u16) -> bool {
    matches!(status, 400 | 403 | 404 | 422)
}

/// What stands, once everything was heard of; none where that takes too long or is not wanted any more.
pub(super) async fn heard(mut feed: Feed, place: &Place<'_>) -> Option<ObservedState> {
    let hear = async {
        let mut world = ObservedState::new((place.limits.clock)());
        let mut told = BTreeSet::new();
        while told.len() < place.kinds.len() {
            let news = feed.next().await?;
            if let ObjectEvent::All(kind, _) = news {
                told.insert(kind);
            }
            world.note(news);
        }
        Some(world)
    };
    tokio::select! {
        heard = tokio::time::timeout(place.limits.whole, hear) => heard.ok().flatten(),
        () = place.stop.asked() => None,
    }
}

/// An object of the core without what the API server wrote into it.
fn bare(object: &Value, ground: &Ground) -> Value {
    let mut bare = object.clone();
    if let Some(fields) = bare.as_object_mut() {
        fields.remove("status");
    }
    let metadata = &object["metadata"];
    let mut kept = json!({ "name": metadata["name"], "namespace": ground.namespace });
    for field in ["labels", "annotations", "finalizers"] {
        if !metadata[field].is_null() {
            kept[field] = metadata[field].clone();
        }
    }
    bare["metadata"] = kept;
    bare
}
