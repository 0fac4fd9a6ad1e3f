//! The order in which the objects of a cluster go, and the end of some of them while the others stay.
//!
//! What stands outside of the cluster's resource group goes first. Where that group is the cluster's own, it is
//! the one object that is deleted then, and Azure removes all that is in it at once; the other objects go when
//! it is gone, which costs them no more than the operator's look that there is nothing left. Where it is not,
//! every object goes after all those that name it. The anchor and the credential outlive all of them.

use futures::StreamExt as _;
use futures::future::ready;
use serde_json::Value;

use super::api::{Failure, Feed, News};
use super::at_work::{Place, Worked, broken};
use super::relocate::heard;
use super::run::End;
use super::world::text;
use super::{Drive, Planned, Step, Work, World, pages, tier};
use crate::engine::aso::core::{ApiError, Context, Object, Op, Owner, decide, goes_as_a_whole};
use crate::engine::aso::desired::{Mode, Need, Policy};
use crate::engine::aso::keys;
use crate::engine::aso::translate::Translation;

/// The removal of what stands.
pub(super) struct Removal<'a> {
    drive: &'a Drive,
    world: &'a World,
    own: Vec<&'a Need>,
    /// The resource group that takes the cluster with it.
    whole: Option<&'a Need>,
    /// What that group does not take with it.
    outside: Vec<&'a Need>,
    /// The group is gone already.
    group_is_gone: bool,
}

impl<'a> Removal<'a> {
    pub(super) fn of(drive: &'a Drive, world: &'a World) -> Self {
        let own: Vec<&Need> = drive.own(world).map(|(id, _)| id).collect();
        let object = |id: &Need| world.get(id).map(Object);
        let is_users =
            |id: &Need| object(id).and_then(|object| object.annotation(keys::MODE)) == Some(Mode::Byo.name());
        let mut groups = own.iter().copied().filter(|id| tier(id.kind) == 0 && !is_users(id)).peekable();
        let group_is_gone = groups.peek().is_none();
        let whole = groups.find(|id| {
            object(id).is_some_and(|object| goes_as_a_whole(object, &drive.owner, &drive.infra_id))
        });
        // What the operator only reads stays in Azure, wherever it is.
        let changes = |id: &Need| {
            object(id).is_some_and(|object| {
                object.policy() != Policy::Skip || object.is_paused() || object.is_handed_over()
            })
        };
        let outside = whole.map_or_else(Vec::new, |group| {
            let out = |id: &&Need| *id != group && changes(id) && !is_within(world, id, group);
            own.iter().copied().filter(out).collect()
        });
        Self { drive, world, own, whole, outside, group_is_gone }
    }

    /// What is to be done about every object.
    pub(super) fn step(&self) -> Vec<Planned> {
        self.own.iter().map(|id| self.one(id, None)).collect()
    }

    /// What is to be done about one object, or follows from the failure of a call about it.
    pub(super) fn one(&self, id: &Need, failed: Option<ApiError>) -> Planned {
        let is_outside = self.outside.contains(&id);
        let is_whole = self.whole == Some(id);
        let mut behind: Vec<Need> = if is_whole {
            self.outside.iter().map(|id| (*id).clone()).collect()
        } else if self.group_is_gone {
            Vec::new()
        } else {
            self.world.dependents(id)
        };
        if is_outside {
            behind.retain(|other| self.outside.contains(&other));
        }
        let context = Context {
            dependents_gone: behind.is_empty(),
            resource_group_fast_path: self.whole.is_some() && !is_whole && !is_outside,
            ..self.drive.context(self.world, failed)
        };
        let action = decide(Op::Delete, self.world.get(id), &self.drive.owner, &context);
        Planned { object: id.clone(), action, behind }
    }
}

/// Whether a resource is one of this resource group's, by its owner, the owner of that, and so on.
fn is_within(world: &World, id: &Need, group: &Need) -> bool {
    let mut at = id;
    while let Some(owner) = world.owner_of(at) {
        if owner == group {
            return true;
        }
        // An owner is of a lower tier, so that this comes to an end.
        at = owner;
    }
    false
}

impl Place<'_> {
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
            let nothing = World::new((self.limits.clock)());
            step.objects = objects.iter().map(|id| drive.prune(id, &nothing, None)).collect();
        }
        Ok(Worked::Ended(end, step))
    }

    /// The anchor as the owner of objects that are to go while the cluster stays; else how the work ends.
    async fn owner(&self) -> Result<Result<Owner, Worked>, Failure> {
        let ground = self.ground;
        let Some(anchor) = ground.find(self.api).await? else { return Ok(Err(Worked::NotThere)) };
        let against = if !anchor.is_of(&ground.infra_id) {
            pages::not_ours(ground)
        } else if anchor.moves_away() {
            pages::moves_away(ground)
        } else if anchor.is_going() {
            pages::is_going(ground)
        } else if anchor.is_paused() {
            pages::is_paused(ground)
        } else {
            return Ok(Ok(ground.owner(&anchor)));
        };
        Ok(Err(Worked::Refused(Box::new(against))))
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

/// News of these objects alone.
fn only(feed: Feed, objects: Vec<Need>) -> Feed {
    let is_meant = move |kind: &str, object: &Value| {
        objects.iter().any(|id| id.kind == kind && id.name == text(object, "/metadata/name"))
    };
    let of_these = move |news: News| match news {
        News::All(kind, mut all) => {
            all.retain(|object| is_meant(kind, object));
            Some(News::All(kind, all))
        }
        News::Is(kind, object) => is_meant(kind, &object).then_some(News::Is(kind, object)),
        News::Gone(kind, object) => is_meant(kind, &object).then_some(News::Gone(kind, object)),
        News::Broke { .. } => Some(news),
    };
    feed.filter_map(move |news| ready(of_these(news))).boxed()
}

#[cfg(test)]
mod tests;
