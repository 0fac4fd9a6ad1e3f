//! The order in which the objects of a cluster go, and the end of some of them while the others stay.
//!
//! What stands outside of the cluster's resource group goes first. Where that group is the cluster's own, it
//! is the one object that is deleted then, and Azure removes all that is in it at once; the other objects go
//! when it is gone, which costs them no more than the operator's look that there is nothing left. The group
//! waits for what somebody else has in it, or built on what is in it, unless that may go as well. The same
//! holds for what the cluster has an object of in it and must not delete: what was never adopted, and what an
//! administrator's policy keeps.
//!
//! Otherwise objects go tier by tier, the highest first: not every use of a resource is a reference between
//! objects. An object that one of somebody else's names waits for that one to go, since the cluster's garbage
//! collector would take it along. The anchor and the credential outlive all of them.

use std::time::Duration;

use futures::StreamExt as _;
use futures::future::ready;
use landfall_diagnostics::few;
use serde_json::Value;
use tokio::time::timeout;

use super::api::{Failure, Feed, ObjectEvent};
use super::at_work::{Place, Worked, against, broken};
use super::relocate::heard;
use super::run::End;
use super::world::text;
use super::{Drive, ObservedState, Planned, Step, Work, pages, tier};
use crate::core::{ApiError, Context, Object, Op, Owner, Status, What, decide, goes_as_a_whole, lacks_proof};
use crate::desired::{Mode, Need, Policy};
use crate::keys;
use crate::kinds::{self, WasManaged};
use crate::translate::Translation;

/// How long it may take to learn which objects there are before anybody is asked.
const SOON: Duration = Duration::from_secs(30);
/// What the operator says of an object whose resource does not exist.
const NOT_FOUND: &str = "AzureResourceNotFound";
/// The most objects that one message names.
const NAMED: usize = 3;

/// The objects of somebody else that the removal of a cluster concerns, and the cluster's own whose resources
/// Azure is to keep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Others {
    /// The cluster waits until their owner deletes these.
    pub waited_for: Vec<Need>,
    /// These are deleted with the cluster, as their owner permits.
    pub removed: Vec<Need>,
}

/// Kind and name of the first few objects, and the number of those that are left out.
#[must_use]
pub fn listed(objects: &[Need]) -> String {
    few(&objects.iter().map(|id| format!("{}/{}", id.kind, id.name)).collect::<Vec<String>>(), NAMED)
}

/// The removal of what stands.
pub(super) struct Removal<'a> {
    drive: &'a Drive,
    world: &'a ObservedState,
    own: Vec<&'a Need>,
    /// The resource group that takes the cluster with it.
    whole: Option<&'a Need>,
    /// What that group does not take with it.
    outside: Vec<&'a Need>,
    /// What somebody else has in that group, and what of the cluster's objects Azure is to keep there.
    inside: Vec<&'a Need>,
}

impl<'a> Removal<'a> {
    pub(super) fn of(drive: &'a Drive, world: &'a ObservedState) -> Self {
        let own: Vec<&Need> = drive.own(world).map(|(id, _)| id).collect();
        let object = |id: &Need| world.get(id).map(Object);
        let is_users =
            |id: &Need| object(id).and_then(|object| object.annotation(keys::MODE)) == Some(Mode::Byo.name());
        let mut groups = own.iter().copied().filter(|id| tier(id.kind) == 0 && !is_users(id));
        let whole = groups.find(|id| {
            let goes = |object| goes_as_a_whole(object, &drive.owner, &drive.infra_id);
            !drive.keeps_azure && object(id).is_some_and(goes)
        });
        // What the operator only reads stays in Azure, wherever it is.
        let changes = |id: &Need| {
            object(id).is_some_and(|object| {
                object.policy() != Policy::Skip || object.is_paused() || object.is_handed_over()
            })
        };
        let outside = whole.map_or_else(Vec::new, |group| {
            let out = |id: &&Need| changes(id) && !owners(world, &own, id).any(|owner| owner == group);
            own.iter().copied().filter(out).collect()
        });
        let inside = whole.map_or_else(Vec::new, |group| {
            let others = world
                .iter()
                .map(|(id, _)| id)
                .filter(|id| drive.is_theirs(id, world) || is_kept(world, &own, id, group, &drive.infra_id));
            others.filter(|id| lies_in(world, &own, id, group)).collect()
        });
        Self { drive, world, own, whole, outside, inside }
    }

    /// The objects of somebody else that are in the cluster's group or need an object of the cluster.
    pub(super) fn others(&self) -> Others {
        let needing = self.own.iter().flat_map(|id| self.all_that_need(id));
        let mut all: Vec<Need> = self.inside.iter().map(|id| (*id).clone()).chain(needing).collect();
        all.sort();
        all.dedup();
        let (removed, waited_for) = all.into_iter().partition(|id| self.may_go(id));
        Others { waited_for, removed }
    }

    /// Whether an object of somebody else may be deleted with the cluster.
    fn may_go(&self, id: &Need) -> bool {
        let object = self.world.get(id).map(Object);
        let annotation = object.and_then(|object| object.annotation(keys::DELETE_WITH_CLUSTER));
        // Who keeps a cluster's resources keeps what others have in them.
        !self.drive.keeps_azure && (self.drive.takes_others || annotation == Some("true"))
    }

    /// What is to be done about every object.
    pub(super) fn step(&self) -> Vec<Planned> {
        self.own.iter().map(|id| self.one(id, None)).collect()
    }

    /// What is to be done about one object, or follows from the failure of a call about it.
    pub(super) fn one(&self, id: &Need, failed: Option<ApiError>) -> Planned {
        let is_outside = self.outside.contains(&id);
        let is_whole = self.whole == Some(id);
        let behind: Vec<Need> = if is_whole {
            let others = self.others().waited_for;
            self.outside.iter().map(|id| (*id).clone()).chain(others).collect()
        } else {
            let mut behind = earlier(id, if is_outside { &self.outside } else { &self.own });
            behind.extend(self.others_that_need(id));
            behind
        };
        let context = Context {
            dependents_gone: behind.is_empty(),
            resource_group_fast_path: self.whole.is_some() && !is_whole && !is_outside,
            ..self.drive.context(self.world, failed)
        };
        let action = decide(Op::Delete, self.world.get(id), &self.drive.owner, &context);
        let planned = self.drive.explained(Planned { object: id.clone(), action, behind }, self.world);
        if is_whole { self.with_kept(planned) } else { planned }
    }

    /// The same of the resource group, with the names of what it waits for where some of that is the cluster's own.
    fn with_kept(&self, mut planned: Planned) -> Planned {
        let is_going =
            || self.world.get(&planned.object).is_some_and(|object| Object(object).is_being_deleted());
        let has_kept = planned.behind.iter().any(|id| self.own.contains(&id));
        if planned.action.what == What::Wait && self.outside.is_empty() && has_kept && !is_going() {
            planned.action.message =
                format!("waiting: the resource group would take {} with it", listed(&planned.behind));
        }
        planned
    }

    /// The objects of somebody else that name this one and may not go with it.
    fn others_that_need(&self, id: &Need) -> Vec<Need> {
        let mut others = self.all_that_need(id);
        others.retain(|other| !self.may_go(other));
        others
    }

    /// The objects of somebody else that name this one. Once it has lost what it belongs to, nothing is left in
    /// Azure of any of them.
    fn all_that_need(&self, id: &Need) -> Vec<Need> {
        let last = owners(self.world, &self.own, id).last().and_then(|last| self.world.get(last));
        let has_lost_owner = last.is_some_and(|last| !text(last, "/spec/owner/name").is_empty());
        let mut others = if has_lost_owner { Vec::new() } else { self.world.dependents(id) };
        others.retain(|other| self.drive.is_theirs(other, self.world));
        others
    }
}

/// Of the objects that go, those that go before this one: all of a higher tier.
pub(super) fn earlier(id: &Need, going: &[&Need]) -> Vec<Need> {
    let higher = going.iter().filter(|other| tier(other.kind) > tier(id.kind));
    higher.map(|other| (*other).clone()).collect()
}

/// An object, its owner, the owner of that, and so on. An owner is of a lower tier, so that this comes to an
/// end.
fn owners<'w>(world: &'w ObservedState, own: &[&Need], id: &'w Need) -> impl Iterator<Item = &'w Need> {
    std::iter::successors(Some(id), move |at| world.owner_of(at, |other| own.contains(&other)))
}

/// Whether an object is in a resource group: through its owners, or by the id of its owner in Azure.
fn lies_in(world: &ObservedState, own: &[&Need], id: &Need, group: &Need) -> bool {
    let Some(object) = world.get(group) else { return false };
    let named = match text(object, "/spec/azureName") {
        "" => &group.name,
        name => name,
    };
    let is_by_id = |id: &Need| {
        let owner = world.get(id).map(|object| text(object, "/spec/owner/armId")).unwrap_or_default();
        let mut parts = owner.split('/').skip_while(|part| !part.eq_ignore_ascii_case("resourceGroups"));
        parts.nth(1).is_some_and(|part| part.eq_ignore_ascii_case(named))
    };
    owners(world, own, id).any(|owner| owner == group || is_by_id(owner))
}

/// Whether Azure is to keep the resource of an object of the cluster that is in the resource group which is
/// deleted: it is somebody else's and was never adopted, or an administrator gave the object a policy that
/// keeps it. What Azure creates with another resource goes with that, and what a pause or a handover
/// remembers is no such policy.
fn is_kept(world: &ObservedState, own: &[&Need], id: &Need, group: &Need, infra_id: &str) -> bool {
    let (Some(object), true) = (world.get(id).map(Object), own.contains(&id)) else { return false };
    let is_azures = kinds::named(id.kind).is_some_and(|kind| kind.was_managed == WasManaged::Never);
    let remembers = object.is_paused() || object.is_handed_over();
    if id == group || object.policy() == Policy::Manage || remembers || is_azures {
        return false;
    }
    let ready = object.ready();
    let was_adopted =
        object.annotation(keys::ADOPTED_AT).is_some() || object.policy() == Policy::DetachOnDelete;
    let is_foreign = || {
        let mut chain = owners(world, own, id).take_while(|at| *at != group);
        chain.find_map(|at| {
            let object = Object(world.get(at)?);
            let is_managed =
                own.contains(&at) && (object.policy() != Policy::Skip || object.is_handed_over());
            if is_managed { Some(false) } else { lacks_proof(object, kinds::named(at.kind)?, infra_id) }
        })
    };
    // What was adopted may exist in whatever state the operator is; what was only looked for exists if it was found.
    if was_adopted {
        ready.reason != NOT_FOUND
    } else {
        ready.status == Status::True && is_foreign().unwrap_or_default()
    }
}

impl Place<'_> {
    /// The objects of somebody else that the removal of the cluster concerns; none where there is no such
    /// cluster, or nothing was heard in time.
    ///
    /// # Errors
    /// The management cluster does not answer.
    pub async fn others(&self, feed: Feed, takes_others: bool) -> Result<Others, Failure> {
        let anchor = self.ground.find(self.api).await?;
        let Some(anchor) = anchor.filter(|anchor| anchor.is_of(&self.ground.infra_id)) else {
            return Ok(Others::default());
        };
        let drive = Drive::new(&self.ground.infra_id, self.ground.owner(&anchor), Work::Remove);
        let drive = Drive { takes_others, ..drive };
        // Who hears nothing learns of them while the cluster waits for them.
        let world = timeout(SOON, heard(feed, self)).await;
        Ok(world.ok().flatten().map(|world| drive.others(&world)).unwrap_or_default())
    }

    /// The objects that stand, are the cluster's own, and are wanted.
    ///
    /// # Errors
    /// How the work ends instead: there is no such cluster, or it is not to be touched.
    pub async fn standing(&self, feed: Feed, wanted: impl Fn(&Need) -> bool) -> Result<Vec<Need>, Worked> {
        self.found(feed, wanted).await.unwrap_or_else(|failure| Err(broken(&failure)))
    }

    async fn found(
        &self,
        feed: Feed,
        wanted: impl Fn(&Need) -> bool,
    ) -> Result<Result<Vec<Need>, Worked>, Failure> {
        let owner = match self.owner().await? {
            Ok(owner) => owner,
            Err(ended) => return Ok(Err(ended)),
        };
        let Some(world) = heard(feed, self).await else { return Ok(Err(self.cut_off(Step::default()))) };
        let own = world.iter().filter(|(_, object)| owner.owns(Object(object), &self.ground.infra_id));
        Ok(Ok(own.map(|(id, _)| id).filter(|&id| wanted(id)).cloned().collect()))
    }

    /// Removes these objects of the cluster with what they made, and no others. At the end of the work it says
    /// of each that it is gone.
    pub async fn prune(&self, feed: Feed, objects: Vec<Need>) -> Worked {
        self.alone(self.pruned(feed, objects)).await
    }

    async fn pruned(&self, feed: Feed, objects: Vec<Need>) -> Result<Worked, Failure> {
        let owner = match self.owner().await? {
            Ok(owner) => owner,
            Err(ended) => return Ok(ended),
        };
        // What stands and is in no plan goes; of all else nothing is heard, so that it stays.
        let drive = Drive::new(&self.ground.infra_id, owner, Work::Make(Translation::default()));
        let (end, mut step) = self.run(&drive, &mut only(feed, objects.clone())).await;
        if end == End::Done {
            let nothing = ObservedState::new((self.limits.clock)());
            step.objects = objects.iter().map(|id| drive.prune(id, &[], &nothing, None)).collect();
        }
        Ok(Worked::Ended(end, step))
    }

    /// The anchor as the owner of objects that are to go while the cluster stays; else how the work ends.
    async fn owner(&self) -> Result<Result<Owner, Worked>, Failure> {
        let ground = self.ground;
        let Some(anchor) = ground.find(self.api).await? else { return Ok(Err(Worked::NotThere)) };
        Ok(match against(ground, &anchor) {
            Some(finding) => Err(Worked::Refused(Box::new(finding))),
            None => Ok(ground.owner(&anchor)),
        })
    }

    /// Does this as the only one who works on the cluster.
    pub(super) async fn alone(&self, work: impl Future<Output = Result<Worked, Failure>>) -> Worked {
        let lease = self.lease();
        if let Some(ended) = self.win(&lease).await {
            return ended;
        }
        let worked = tokio::select! {
            worked = work => worked.unwrap_or_else(|failure| broken(&failure)),
            () = lease.hold() => Worked::Broken(Box::new(pages::lease_lost())),
        };
        lease.release().await;
        worked
    }

    /// The end of work that could not wait for what it needs.
    pub(super) fn cut_off(&self, step: Step) -> Worked {
        let end = if self.stop.is_asked() { End::Interrupted } else { End::TimedOut };
        Worked::Ended(end, step)
    }
}

/// Events of these objects alone.
fn only(feed: Feed, objects: Vec<Need>) -> Feed {
    let is_meant = move |kind: &str, object: &Value| {
        objects.iter().any(|id| id.kind == kind && id.name == text(object, "/metadata/name"))
    };
    let of_these = move |news: ObjectEvent| match news {
        ObjectEvent::All(kind, mut all) => {
            all.retain(|object| is_meant(kind, object));
            Some(ObjectEvent::All(kind, all))
        }
        ObjectEvent::Is(kind, object) => is_meant(kind, &object).then_some(ObjectEvent::Is(kind, object)),
        ObjectEvent::Gone(kind, object) => is_meant(kind, &object).then_some(ObjectEvent::Gone(kind, object)),
        ObjectEvent::Broke { .. } => Some(news),
    };
    feed.filter_map(move |news| ready(of_these(news))).boxed()
}

#[cfg(test)]
mod tests;
