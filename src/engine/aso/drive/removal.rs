//! The order in which the objects of a cluster go.
//!
//! What stands outside of the cluster's resource group goes first. Where that group is the cluster's own, it is
//! the one object that is deleted then, and Azure removes all that is in it at once; the other objects go when
//! it is gone, which costs them no more than the operator's look that there is nothing left. Where it is not,
//! every object goes after all those that name it. The anchor and the credential outlive all of them.

use super::{Drive, Planned, World, tier};
use crate::engine::aso::core::{ApiError, Context, Object, Op, decide, goes_as_a_whole};
use crate::engine::aso::desired::{Mode, Need, Policy};
use crate::engine::aso::keys;

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
