//! What is to be done about one object: what was read and what is wanted go in, one action comes out.
//!
//! [`decide`] looks at no clock and talks to nobody. Who drives it reads the object, sends the action and asks
//! again; where the API server refuses the action, it asks with that refusal in the [`Context`] what follows
//! from it. Each kind of work is a table of rows of which the first that fits wins: `reconcile`, `removal` and
//! `pause`. `docs/aso-decisions.md` has the rows with their numbers.

mod action;
mod adoption;
mod difference;
mod extra;
mod merge_patch;
mod moving;
mod object;
mod owner;
mod pause;
mod progress;
mod reconcile;
mod removal;
mod tags;
mod timing;

use jiff::Timestamp;
use serde_json::Value;

pub use action::{Action, What};
pub use adoption::{DryRun, is_proven, lacks_proof};
pub use moving::{may_move, moved};
pub use object::{Object, Ready, Status};
pub use owner::{INFRASTRUCTURE, Owner};
pub use progress::{Outcome, Progress};
pub use reconcile::FOREIGN;
pub use removal::goes_as_a_whole;
pub use timing::{
    API_CALL_LIMIT, LEASE_DURATION, LEASE_RENEWAL, PLAN_LIMIT, UNSEEN, UNSEEN_LIMIT, next_run, unseen,
};

use super::desired::Desired;
use super::keys;

/// What is to be done with an object.
#[derive(Clone, Copy, Debug)]
pub enum Op<'a> {
    /// It is to be as the plan wants it.
    Reconcile(&'a Desired),
    /// It is to go, together with the cluster.
    Delete,
    /// It is to go, since the plan no longer has it.
    Prune,
    /// Nothing in Azure is to change because of it until it is reconciled again.
    Pause,
}

/// How far the cluster is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Stage {
    /// It is made.
    #[default]
    Install,
    /// It is made, with a bootstrap machine.
    Bootstrap,
    /// It is installed and takes over what it edits itself.
    Handover,
}

/// A call to the API server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verb {
    /// A read.
    Get,
    /// The call of [`What::Create`].
    Create,
    /// The call of [`What::Patch`].
    Patch,
    /// The call of [`What::Delete`].
    Delete,
}

/// A call that the API server refused or did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApiError {
    /// The call.
    pub verb: Verb,
    /// The HTTP status, if there was an answer.
    pub code: Option<u16>,
}

/// What holds around the object in this run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and they occur in any combination"
)]
pub struct Context {
    /// The infrastructure ID of the cluster.
    pub infra_id: String,
    /// The Secret with its credential.
    pub credential_secret: String,
    /// Every object that this one names is Ready.
    pub dependencies_ready: bool,
    /// The object that this one is a part of is managed.
    pub parent_managed: bool,
    /// The cluster is paused.
    pub paused: bool,
    /// How far the cluster is.
    pub stage: Stage,
    /// What the operator misses is in the plan.
    pub reference_in_plan: bool,
    /// A resource that this one is a part of, or refers to, is not in Azure.
    pub parent_missing: bool,
    /// No object is left that names this one.
    pub dependents_gone: bool,
    /// The resource goes together with its resource group.
    pub resource_group_fast_path: bool,
    /// The cluster moves to another management cluster, and this one is left.
    pub moving: bool,
    /// Nothing is to change in Azure: what adoption would do is only said.
    pub dry_run: bool,
    /// The policy of what was adopted before may be another one than that of the plan.
    pub policy_changes: bool,
    /// Azure keeps a resource whose object goes.
    pub keeps_azure: bool,
    /// The time.
    pub now: Timestamp,
    /// The call that failed, if one did.
    pub api_error: Option<ApiError>,
}

impl Context {
    /// The context of an object of this cluster about which nothing special is known.
    #[must_use]
    pub fn new(infra_id: &str, now: Timestamp) -> Self {
        Self {
            infra_id: infra_id.to_owned(),
            credential_secret: keys::credential_name(infra_id),
            dependencies_ready: true,
            reference_in_plan: true,
            dependents_gone: true,
            now,
            ..Self::default()
        }
    }

    /// The failure of this call, if it failed.
    fn failed(&self, verb: Verb) -> Option<ApiError> {
        self.api_error.filter(|error| error.verb == verb)
    }
}

/// An object that is there, with all that its rows look at.
struct Case<'a> {
    object: Object<'a>,
    ready: Ready<'a>,
    owner: &'a Owner,
    context: &'a Context,
}

/// What is to be done about an object, given what was read of it: nothing where it is not there.
#[must_use]
pub fn decide(op: Op<'_>, existing: Option<&Value>, owner: &Owner, context: &Context) -> Action {
    let case = existing.map(|value| {
        let object = Object(value);
        Case { object, ready: object.ready(), owner, context }
    });
    if context.failed(Verb::Get).is_some_and(|error| error.code != Some(404)) {
        let policy = case.as_ref().and_then(|case| case.object.policy_as_written());
        return Action::new(What::TransientError, policy, "failed to get existing resource");
    }
    match (op, case) {
        (Op::Reconcile(desired), None) => reconcile::absent(desired, owner, context),
        (Op::Reconcile(desired), Some(case)) => reconcile::present(&case, desired),
        (Op::Delete | Op::Prune, None) => Action::new(What::None, None, removal::GONE),
        (Op::Delete | Op::Prune, Some(case)) => removal::present(&case),
        (Op::Pause, None) => Action::new(What::None, None, "nothing to pause"),
        (Op::Pause, Some(case)) => pause::present(&case),
    }
}

#[cfg(test)]
mod tests;
