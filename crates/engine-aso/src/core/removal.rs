//! The table of decisions for an object that is to go.

use super::action::unanswered;
use super::difference::annotated;
use super::{Action, Case, DryRun, Object, Owner, Status, Verb, What};
use crate::desired::{Mode, Policy};
use crate::keys;

/// What is said of an object that is not there.
pub(super) const GONE: &str = "already deleted";

const KEPT: &str = "Azure resource is kept";

/// A row: what is to be done where it fits.
type Row = fn(&Case<'_>) -> Option<Action>;

/// The rows of an object that is there, in their order. What fits none of them is deleted.
const ROWS: &[Row] = &[
    foreign_object,
    failed_for_good,
    on_its_way,
    dry_run,
    with_its_resource_group,
    before_dependents,
    restore_policy,
];

/// Rows 3 to 9c.
pub(super) fn present(case: &Case<'_>) -> Action {
    ROWS.iter().find_map(|row| row(case)).unwrap_or_else(|| delete(case))
}

/// Row 3.
fn foreign_object(case: &Case<'_>) -> Option<Action> {
    case.not_ours()
}

/// Row 4.
fn failed_for_good(case: &Case<'_>) -> Option<Action> {
    let failed = case.ready.severity == Some("Error") && is_refused(case);
    (case.object.is_being_deleted() && failed)
        .then(|| case.keep(What::TerminalError, format!("delete failed: {}", case.ready.said())))
}

/// Row 5. What Azure refuses in the end, the operator tries again.
fn on_its_way(case: &Case<'_>) -> Option<Action> {
    let why = if is_refused(case) { format!(": {}", case.ready.said()) } else { String::new() };
    case.object.is_being_deleted().then(|| case.keep(What::Wait, format!("delete in progress{why}")))
}

/// Whether the operator says of the deletion that it does not succeed. The generation grows with the mark for deletion:
/// what it said of an earlier one is why something could not be created.
fn is_refused(case: &Case<'_>) -> bool {
    let ready = &case.ready;
    let is_stale = ready.observed_generation.is_some_and(|observed| observed < case.object.generation());
    ready.status == Status::False && ready.reason != "Deleting" && !is_stale
}

/// Row 5a. In a dry run, what was adopted stays, and is only read from now on.
fn dry_run(case: &Case<'_>) -> Option<Action> {
    if !case.context.dry_run {
        return None;
    }
    let object = case.object;
    let is_adopted = object.annotation(keys::ADOPTED_AT).is_some() || object.is_handed_over();
    let change = || annotated(object, &[(keys::POLICY, Some(Policy::Skip.name()))]);
    if object.policy() == Policy::Skip {
        return is_adopted.then(|| Action::tried(DryRun::Remove, object.policy_as_written()));
    }
    Some(case.patch(change()?, "policy becomes skip"))
}

/// Row 6.
fn with_its_resource_group(case: &Case<'_>) -> Option<Action> {
    case.context
        .resource_group_fast_path
        .then(|| case.keep(What::None, "removed together with its resource group"))
}

/// Row 7.
fn before_dependents(case: &Case<'_>) -> Option<Action> {
    (!case.context.dependents_gone).then(|| case.keep(What::Wait, "waiting for dependents to be deleted"))
}

/// Row 8, and what keeps a resource of the user's: its object is deleted only while the operator may do no
/// more than read.
fn restore_policy(case: &Case<'_>) -> Option<Action> {
    if case.context.moving {
        return None;
    }
    let object = case.object;
    let before = object.annotation(keys::HANDOVER).or(object.annotation(keys::PRE_PAUSE));
    let policy = if object.annotation(keys::MODE) == Some(Mode::Byo.name()) {
        Some(Policy::Skip.name())
    } else {
        before.map_or(object.policy_as_written(), |before| Some(before).filter(|policy| !policy.is_empty()))
    };
    let deletes = case.context.keeps_azure && Policy::of(policy) == Policy::Manage;
    let policy = if deletes { Some(Policy::DetachOnDelete.name()) } else { policy };
    let change =
        annotated(object, &[(keys::HANDOVER, None), (keys::PRE_PAUSE, None), (keys::POLICY, policy)])?;
    Some(case.patch(change, "restoring policy before delete"))
}

/// Rows 9 to 9c.
fn delete(case: &Case<'_>) -> Action {
    match case.context.failed(Verb::Delete).map(|error| error.code) {
        None if case.object.policy() == Policy::Manage => case.keep(What::Delete, "deleting"),
        None => case.keep(What::Delete, KEPT),
        Some(Some(404)) => Action::new(What::None, None, GONE),
        Some(Some(409)) => case.keep(What::Wait, "object changed meanwhile"),
        Some(code) => case.keep(What::TransientError, unanswered("failed to delete resource", code)),
    }
}

/// Whether the whole cluster goes with this object of its resource group: it is the cluster's own, and
/// deleting it deletes the resource group in Azure.
#[must_use]
pub fn goes_as_a_whole(resource_group: Object<'_>, owner: &Owner, infra_id: &str) -> bool {
    owner.owns(resource_group, infra_id)
        && resource_group.policy() == Policy::Manage
        && !resource_group.is_paused()
        && !resource_group.is_handed_over()
}
