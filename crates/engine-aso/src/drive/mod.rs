//! From decisions about objects to a cluster that stands, moves, or is gone.
//!
//! [`Drive::step`] takes what stands and says what is to be done about every object: it calls nobody and looks
//! at no clock. [`act()`] sends that, and [`Pace`] keeps what was refused from being sent again at once. Whoever
//! drives a cluster repeats the two: the command line in [`run()`], a controller once for each reconciliation.
//!
//! What is read comes of one watch for each kind. A step is safe to repeat and safe to lose: whatever was sent
//! before a crash is seen by the next one.

mod act;
mod api;
mod at_work;
pub mod boot_sources;
mod change;
mod ground;
mod lease;
mod live;
mod other_kinds;
mod pace;
pub mod pages;
mod pruning;
mod references;
mod relocate;
mod removal;
mod run;
mod silence;
mod wake;
mod world;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use act::{Acted, act};
pub use api::{Api, Failure, Feed, Listing, Location, ObjectEvent};
pub use at_work::{Job, Place, Worked, at_work, obstacle};
pub use ground::{Anchor, Ground, PAUSED};
pub use lease::Lease;
pub use live::Live;
pub use other_kinds::{OfOtherKinds, of_other_kinds};
pub use pace::Pace;
pub use relocate::{Relocation, Side, relocate};
pub use removal::{Others, listed};
pub use run::{Boot, Clock, End, Limits, Watcher, now, run};
pub use world::ObservedState;
pub(crate) use world::text;

use super::core::{
    Action, ApiError, Context, FOREIGN, Object, Op, Outcome, Owner, Stage, Status, UNSEEN_LIMIT, What,
    decide, is_proven, unseen,
};
use super::desired::{Desired, Need, Policy};
use super::detect::crd_name;
use super::keys;
use super::kinds::{self, Kind, WasManaged};
use super::translate::Translation;

/// What is said of an object of somebody else that others have waited for in vain.
const OTHERS_NOT_READY: &str = "it is not managed by this cluster and not Ready, and others need it";

/// What is to become of a cluster's objects.
#[derive(Clone, Debug)]
pub enum Work {
    /// They are to be as the plan wants them.
    Make(Translation),
    /// They are to go, with all that they made.
    Remove,
    /// They are to go and leave Azure alone: the cluster is driven from elsewhere now.
    Depart,
    /// They are to stay, and nothing is to change in Azure because of them.
    Pause,
    /// They are to be as they were before the pause.
    Resume,
    /// What the running cluster edits itself is left to it.
    HandOver,
}

/// A cluster that is driven, and where to.
#[derive(Clone, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and they occur in any combination"
)]
pub struct Drive {
    /// Its infrastructure ID.
    pub infra_id: String,
    /// Its anchor.
    pub owner: Owner,
    /// What is to become of it.
    pub work: Work,
    /// How far it is, where it is made.
    pub stage: Stage,
    /// Whether it is paused, where it is made.
    pub paused: bool,
    /// Whether objects of somebody else may be deleted with it, where it is removed.
    pub takes_others: bool,
    /// Whether nothing is to change in Azure, where it is made: what adoption would do is only said.
    pub dry_run: bool,
    /// Whether the policy of what was adopted before may be another one than that of the plan.
    pub policy_changes: bool,
    /// Whether Azure keeps a resource whose object goes.
    pub keeps_azure: bool,
}

/// What is to be done about one object.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The object.
    pub object: Need,
    /// What is to be done.
    pub action: Action,
    /// The objects that must go on before this one can.
    pub behind: Vec<Need>,
}

/// What is to be done about all objects, now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// Each object with what is to be done, in the order in which objects are made.
    pub objects: Vec<Planned>,
}

impl Step {
    /// How the cluster stands: as the worst of its objects.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        Outcome::of_plan(self.objects.iter().map(|planned| &planned.action))
    }

    /// Whether something failed for good and nothing else can go on without it.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        let mut stuck: Vec<&Need> = Vec::new();
        loop {
            let waits = |planned: &Planned| planned.behind.iter().any(|need| stuck.contains(&need));
            let more: Vec<&Need> = self
                .objects
                .iter()
                .filter(|planned| match planned.action.what {
                    What::TerminalError => true,
                    What::Wait => waits(planned),
                    _ => false,
                })
                .map(|planned| &planned.object)
                .collect();
            if more.len() == stuck.len() {
                break;
            }
            stuck = more;
        }
        let settled = |planned: &Planned| {
            Outcome::of(&planned.action.what) == Outcome::Done || stuck.contains(&&planned.object)
        };
        !stuck.is_empty() && self.objects.iter().all(settled)
    }
}

impl Drive {
    /// The drive of a cluster of which this is to become.
    #[must_use]
    pub fn new(infra_id: &str, owner: Owner, work: Work) -> Self {
        Self {
            infra_id: infra_id.to_owned(),
            owner,
            work,
            stage: Stage::Install,
            paused: false,
            takes_others: false,
            dry_run: false,
            policy_changes: false,
            keeps_azure: false,
        }
    }

    /// The objects of somebody else that the removal of the cluster concerns.
    #[must_use]
    pub fn others(&self, world: &ObservedState) -> Others {
        removal::Removal::of(self, world).others()
    }

    /// What is to be done about every object, given what stands.
    #[must_use]
    pub fn step(&self, world: &ObservedState) -> Step {
        let objects = match &self.work {
            Work::Make(translation) => self.making(&bound(translation, world), world),
            Work::Remove => removal::Removal::of(self, world).step(),
            _ => self.own(world).map(|(id, object)| self.changing(id, object, world, None)).collect(),
        };
        Step { objects }
    }

    /// What is to be done about one object after this call about it failed.
    #[must_use]
    pub fn after(&self, object: &Need, world: &ObservedState, error: ApiError) -> Action {
        let failed = Some(error);
        match (&self.work, world.get(object)) {
            (Work::Make(translation), _) => {
                let plan = bound(translation, world);
                let wanted = plan.objects.iter().find(|desired| is(desired, object));
                match wanted {
                    Some(desired) => self.wanted(desired, &plan, world, failed).action,
                    None => self.prune(object, &self.left_over(&plan, world), world, failed).action,
                }
            }
            (Work::Remove, _) => removal::Removal::of(self, world).one(object, failed).action,
            (_, Some(existing)) => self.changing(object, existing, world, failed).action,
            (_, None) => decide(Op::Delete, None, &self.owner, &self.context(world, failed)),
        }
    }

    fn context(&self, world: &ObservedState, api_error: Option<ApiError>) -> Context {
        Context {
            paused: self.paused,
            stage: self.stage,
            dry_run: self.dry_run,
            policy_changes: self.policy_changes,
            keeps_azure: self.keeps_azure,
            api_error,
            ..Context::new(&self.infra_id, world.now)
        }
    }

    /// The objects of this cluster that stand.
    fn own<'w>(
        &'w self,
        world: &'w ObservedState,
    ) -> impl Iterator<Item = (&'w Need, &'w serde_json::Value)> {
        world.iter().filter(move |(_, object)| self.owns(object))
    }

    fn owns(&self, object: &serde_json::Value) -> bool {
        self.owner.owns(Object(object), &self.infra_id)
    }

    /// Whether an object stands that is the cluster's own and may change its resource, or might if the cluster did not
    /// edit that itself, or if this were no dry run.
    fn manages(&self, id: &Need, world: &ObservedState) -> bool {
        world.get(id).filter(|object| self.owns(object)).map(Object).is_some_and(|object| {
            let is_users = object.annotation(keys::MODE).is_some();
            let is_probed = || self.dry_run && !is_users && is_proven(object, &self.infra_id);
            object.policy() != Policy::Skip || object.is_handed_over() || is_probed()
        })
    }

    /// The objects of this cluster that stand and are not in its plan. Machines that the plan leaves out for want of an
    /// ignition config stay, with their network cards and disks.
    fn left_over<'w>(&'w self, plan: &Translation, world: &'w ObservedState) -> Vec<&'w Need> {
        let is_planned = |id: &Need| plan.objects.iter().any(|desired| is(desired, id));
        let is_kept = |id: &Need| plan.keeps_machines && pruning::is_of_machine(id);
        let own = self.own(world).map(|(id, _)| id);
        own.filter(|id| !is_planned(id) && !is_kept(id)).collect()
    }

    /// The objects of a plan, and those that are no longer in it.
    fn making(&self, plan: &Translation, world: &ObservedState) -> Vec<Planned> {
        let mut all: Vec<Planned> =
            plan.objects.iter().map(|desired| self.wanted(desired, plan, world, None)).collect();
        wait_for_parents(&mut all, plan);
        // A pause holds back everything that would change Azure.
        if !self.paused {
            let left_over = self.left_over(plan, world);
            all.extend(left_over.iter().map(|id| self.prune(id, &left_over, world, None)));
        }
        let in_the_way: Vec<Need> = self.in_the_way(&all, world).cloned().collect();
        for planned in all.iter_mut().filter(|planned| in_the_way.contains(&planned.object)) {
            if world.not_ready_for(&planned.object) >= UNSEEN_LIMIT {
                planned.action.what = What::TerminalError;
                OTHERS_NOT_READY.clone_into(&mut planned.action.message);
            }
        }
        all
    }

    /// The objects of somebody else that are not Ready, so that others wait for them.
    fn in_the_way<'p>(&self, all: &'p [Planned], world: &ObservedState) -> impl Iterator<Item = &'p Need> {
        let theirs = move |id: &Need| self.is_theirs(id, world);
        let waits_for =
            |other: &Planned, id: &Need| other.action.what == What::Wait && other.behind.contains(id);
        let ids = all.iter().map(|planned| &planned.object);
        ids.filter(move |id| theirs(id) && all.iter().any(|other| waits_for(other, id)))
    }

    /// Whether an object stands that is somebody else's.
    fn is_theirs(&self, id: &Need, world: &ObservedState) -> bool {
        world.get(id).is_some_and(|object| !self.owns(object))
    }

    fn wanted(
        &self,
        desired: &Desired,
        plan: &Translation,
        world: &ObservedState,
        failed: Option<ApiError>,
    ) -> Planned {
        let is_ready = |need: &Need| world.get(need).is_some_and(|object| Object(object).is_ready());
        let mut not_ready = desired.needs.clone();
        not_ready.extend(references::of_patches(desired, plan, world));
        not_ready.retain(|need| !is_ready(need));
        let object = id_of(desired);
        let existing = world.get(&object);
        let context = Context {
            dependencies_ready: not_ready.is_empty(),
            parent_managed: parent(desired, plan).is_some_and(|id| self.manages(id, world)),
            parent_missing: self.dry_run && not_ready.iter().any(|need| is_missing(need, plan, world)),
            reference_in_plan: existing.is_none_or(|object| references::comes(object, plan, world)),
            ..self.context(world, failed)
        };
        let action = decide(Op::Reconcile(desired), existing, &self.owner, &context);
        let at_work = existing.is_some_and(|existing| is_at_work(Object(existing)));
        Planned {
            action: unseen(action, world.unknown_for(&object)),
            object,
            behind: if at_work { Vec::new() } else { not_ready },
        }
    }

    /// What is to be done about an object that is in no plan any more, given all of those.
    fn prune(
        &self,
        object: &Need,
        left_over: &[&Need],
        world: &ObservedState,
        failed: Option<ApiError>,
    ) -> Planned {
        let mut behind = world.dependents(object);
        behind.extend(removal::earlier(object, left_over));
        behind.sort();
        behind.dedup();
        let context = Context { dependents_gone: behind.is_empty(), ..self.context(world, failed) };
        let action = decide(Op::Prune, world.get(object), &self.owner, &context);
        self.explained(Planned { object: object.clone(), action, behind }, world)
    }

    /// The same, saying what is waited for where that is an object of somebody else's, which nobody removes
    /// here.
    fn explained(&self, mut planned: Planned, world: &ObservedState) -> Planned {
        let waits = planned.action.what == What::Wait
            && world.get(&planned.object).is_some_and(|object| !Object(object).is_being_deleted());
        let are_theirs = planned.behind.iter().all(|id| self.is_theirs(id, world));
        if waits && are_theirs && !planned.behind.is_empty() {
            let are = if planned.behind.len() == 1 { "is" } else { "are" };
            planned.action.message = format!(
                "waiting for dependents to be deleted: {} {are} not managed by this cluster",
                listed(&planned.behind)
            );
        }
        planned
    }

    /// What is to be done about an object of which no plan is at hand.
    fn changing(
        &self,
        id: &Need,
        existing: &serde_json::Value,
        world: &ObservedState,
        failed: Option<ApiError>,
    ) -> Planned {
        let context = self.context(world, failed);
        let action = unseen(change::action(self, id, existing, context, world), world.unknown_for(id));
        let behind = if matches!(self.work, Work::Depart) { world.dependents(id) } else { Vec::new() };
        self.explained(Planned { object: id.clone(), action, behind }, world)
    }
}

/// Writes the objects of a translation in the versions that are served, by the name of a kind's CRD.
pub fn served(translation: &mut Translation, versions: &BTreeMap<String, &'static str>) {
    for desired in &mut translation.objects {
        if let Some(version) = versions.get(&crd_name(desired.kind)) {
            desired.api_version = format!("{}/{version}", desired.kind.group);
        }
    }
}

/// The plan with all values that what stands tells.
fn bound(translation: &Translation, world: &ObservedState) -> Translation {
    let mut plan = translation.clone();
    plan.bind(|kind, name| {
        let kind = kinds::named(kind)?.kind;
        world.get(&Need { kind, name: name.to_owned() })
    });
    plan
}

fn id_of(desired: &Desired) -> Need {
    Need { kind: desired.kind.kind, name: desired.name.clone() }
}

fn is(desired: &Desired, id: &Need) -> bool {
    desired.kind.kind == id.kind && desired.name == id.name
}

/// Whether the operator is changing the resource right now, whatever it waits for besides.
fn is_at_work(object: Object<'_>) -> bool {
    let ready = object.ready();
    ready.status == Status::False && ready.reason == "Reconciling"
}

/// The object that decides whether this one was managed before, where its kind has no tags: its owner, or the
/// owner of that.
fn parent<'p>(desired: &'p Desired, plan: &'p Translation) -> Option<&'p Need> {
    let wanted = desired.kind.parent?;
    let mut at = desired;
    // No chain of owners is longer than there are tiers.
    for _ in 0..=u8::MAX {
        if let Some(found) = at.needs.iter().find(|need| need.kind == wanted) {
            return Some(found);
        }
        let below =
            |other: &&Desired| other.kind.tier < at.kind.tier && at.needs.iter().any(|need| is(other, need));
        at = plan.objects.iter().filter(below).max_by_key(|other| other.kind.tier)?;
    }
    None
}

/// Has the parts of a resource wait that would be somebody else's, while its adoption may still make them the cluster's.
/// The objects of the plan come first, in its order.
fn wait_for_parents(all: &mut [Planned], plan: &Translation) {
    let is_open = |id: &&Need| {
        let parent = all.iter().find(|planned| planned.object == **id);
        parent.is_some_and(|parent| Outcome::of(&parent.action.what) != Outcome::Done)
    };
    let open = |(planned, desired): (&Planned, &Desired)| {
        let follows = desired.hints.was_managed == WasManaged::Parent && planned.action.message == FOREIGN;
        parent(desired, plan).filter(|_| follows).filter(is_open).cloned()
    };
    let open: Vec<Option<Need>> = all.iter().zip(&plan.objects).map(open).collect();
    for (planned, parent) in all.iter_mut().zip(open) {
        let Some(parent) = parent else { continue };
        planned.action.what = What::Wait;
        planned.action.message = format!("waiting for the adoption of {}/{}", parent.kind, parent.name);
        planned.behind = vec![parent];
    }
}

/// Whether a resource of the plan is not in Azure, or one that it is a part of.
fn is_missing(id: &Need, plan: &Translation, world: &ObservedState) -> bool {
    let Some(object) = world.get(id) else { return false };
    let ready = Object(object).ready();
    if ready.status != Status::False {
        return false;
    }
    let needs =
        || plan.objects.iter().find(|desired| is(desired, id)).map(|desired| desired.needs.as_slice());
    // What an object needs is of a lower tier, so that this comes to an end.
    let lower = |need: &&Need| tier(need.kind) < tier(id.kind);
    ready.reason == "AzureResourceNotFound"
        || needs().unwrap_or_default().iter().filter(lower).any(|need| is_missing(need, plan, world))
}

/// The place of an object in the order of creation.
fn tier(kind: &str) -> u8 {
    kinds::named(kind).map_or(u8::MAX, |kind: &Kind| kind.tier)
}
