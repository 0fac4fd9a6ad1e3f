//! The table of decisions for an object of the plan.

use jiff::{SignedDuration, Timestamp};

use super::action::unanswered;
use super::difference::{Annotation, annotated, created, planned};
use super::{Action, Case, Context, DryRun, Owner, Stage, Status, Verb, What, adoption, tags};
use crate::desired::{Desired, Mode, Policy};
use crate::keys;
use crate::kinds::{TagCarrier, WasManaged};

/// What is said of a resource that has the name of one of the plan's but is somebody else's.
pub const FOREIGN: &str = "exists in Azure without the ownership tag";

/// What is said of a resource that has no ownership tag because Azure made it, which is nobody else's.
const AZURES: &str = "exists in Azure without the ownership tag, because Azure creates it";

/// What is said of an object that the operator has said nothing about.
pub(super) const READY_UNKNOWN: &str = "ready status unknown";

const PAUSED: &str = "cluster is paused";
const HANDED_OVER: &str = "handed over to the cluster";

/// How long a resource that was just adopted may still be said to be missing.
const ADOPTION: SignedDuration = SignedDuration::from_mins(5);

/// Reasons of the operator's that a row asks for.
const NOT_FOUND: &str = "AzureResourceNotFound";
const AT_WORK: [&str; 2] = ["Reconciling", "Deleting"];
const MISSING_REFERENCE: [&str; 4] =
    ["WaitingForOwner", "ReferenceNotFound", "SecretNotFound", "ConfigMapNotFound"];

/// A row: what is to be done where it fits.
type Row = fn(&Case<'_>, &Desired) -> Option<Action>;

/// The rows of an object that is there, in their order. What fits none of them is [`not_ready`].
const ROWS: &[Row] = &[
    foreign_object,
    being_deleted,
    cluster_paused,
    policy_changed,
    misplaced_probe,
    ready_unknown,
    users_resource_missing,
    dry_run,
    adoption_without_value,
    adoption_before_dependencies,
    adopt_missing,
    adopt_and_hand_over,
    adopt_found,
    hand_over,
    resume,
    update,
    made_by_azure,
    handed_over,
    left_alone,
    not_yet_observed,
    ready,
    failed_for_good,
    at_work,
    just_adopted,
    reference_missing,
];

/// Rows 2 to 4c: an object that is not there.
pub(super) fn absent(desired: &Desired, owner: &Owner, context: &Context) -> Action {
    let action = |what, message: String| Action::new(what, None, message);
    if context.paused {
        return action(What::None, PAUSED.to_owned());
    }
    if let Some(message) = late_bound(desired) {
        let tried = || Action::tried(DryRun::Unseen, None);
        return if context.dry_run { tried() } else { action(What::Wait, message) };
    }
    // The operator's first look is then at what Azure made by now.
    if desired.hints.was_managed == WasManaged::Never && !context.dependencies_ready && !context.dry_run {
        return action(What::Wait, "waiting for dependencies".to_owned());
    }
    let object = match created(desired, owner, context) {
        Ok(object) => object,
        Err(message) => return action(What::TerminalError, message),
    };
    let refused = "failed to create resource";
    match context.failed(Verb::Create).map(|error| error.code) {
        None => Action::new(What::Create(object), Some(Policy::Skip.name()), "looking for it in Azure"),
        Some(Some(409)) => action(What::Wait, "object appeared meanwhile".to_owned()),
        Some(code @ Some(400 | 403 | 404 | 422)) => action(What::TerminalError, unanswered(refused, code)),
        Some(code) => action(What::TransientError, unanswered(refused, code)),
    }
}

/// Rows 5 to 26: an object that is there.
pub(super) fn present(case: &Case<'_>, desired: &Desired) -> Action {
    ROWS.iter().find_map(|row| row(case, desired)).unwrap_or_else(|| not_ready(case))
}

/// Row 5.
fn foreign_object(case: &Case<'_>, _: &Desired) -> Option<Action> {
    case.not_ours()
}

/// Row 6.
fn being_deleted(case: &Case<'_>, _: &Desired) -> Option<Action> {
    case.object.is_being_deleted().then(|| case.keep(What::Wait, "object is being deleted"))
}

/// Row 7.
fn cluster_paused(case: &Case<'_>, _: &Desired) -> Option<Action> {
    case.context.paused.then(|| case.keep(What::None, PAUSED))
}

/// Row 7a. What the owner's choice of a policy changes of what was adopted before; a policy that a handover or a pause
/// remembers is one of these. What is only read so far is adopted by the rows below.
fn policy_changed(case: &Case<'_>, desired: &Desired) -> Option<Action> {
    let Context { policy_changes, dry_run, .. } = case.context;
    if !(*policy_changes || *dry_run) || desired.hints.mode == Mode::Byo {
        return None;
    }
    let wanted = desired.hints.adopt_policy;
    let memory = [keys::HANDOVER, keys::PRE_PAUSE].into_iter().find_map(|key| {
        let before = case.object.annotation(key)?;
        Some((key, Policy::of(Some(before))))
    });
    let (key, before) = memory.unwrap_or_else(|| (keys::POLICY, case.object.policy()));
    if before == wanted || (key != keys::HANDOVER && before == Policy::Skip) {
        return None;
    }
    let change = annotated(case.object, &[(key, Some(wanted.name()))])?;
    Some(case.patch(change, format!("policy becomes {}", wanted.name())))
}

/// Row 7b. The operator looks at one resource, and the plan means another one, as after a patch of its name: it looks
/// again, and Azure is not touched. Nothing is adopted that it did not look at.
fn misplaced_probe(case: &Case<'_>, desired: &Desired) -> Option<Action> {
    let object = case.object;
    let is_adopted = object.annotation(keys::ADOPTED_AT).is_some() && !case.context.dry_run;
    let only_read = object.policy() == Policy::Skip && !is_adopted && !remembers(case);
    // What the user brings is created without the user's patches.
    if !only_read || desired.hints.mode != Mode::Managed {
        return None;
    }
    adoption::is_elsewhere(desired, object)
        .then(|| case.keep(What::Delete, "looking for another resource: its name or owner changed"))
}

/// Row 8.
fn ready_unknown(case: &Case<'_>, _: &Desired) -> Option<Action> {
    (case.ready.status == Status::Unknown).then(|| case.keep(What::Wait, READY_UNKNOWN))
}

/// Row 9.
fn users_resource_missing(case: &Case<'_>, desired: &Desired) -> Option<Action> {
    (is_missing(case) && desired.hints.mode != Mode::Managed)
        .then(|| case.keep(What::TerminalError, "existing Azure resource not found"))
}

/// Row 9a: what adoption would do with what is only read so far.
fn dry_run(case: &Case<'_>, desired: &Desired) -> Option<Action> {
    if !case.context.dry_run || case.object.policy() != Policy::Skip || remembers(case) {
        return None;
    }
    let lacks_parent = MISSING_REFERENCE.contains(&case.ready.reason) && case.context.parent_missing;
    let found = if desired.hints.mode == Mode::Byo {
        return None;
    } else if is_missing(case) || lacks_parent {
        DryRun::Create
    } else if case.ready.reason == "ConfigMapNotFound" && case.context.reference_in_plan {
        // The operator writes this map for what it manages.
        DryRun::Unseen
    } else if is_ready(case) && was_managed(case, desired) {
        // What the running cluster edits is never written.
        let is_left = case.context.stage == Stage::Handover && desired.hints.handover;
        let fields = if is_left { Vec::new() } else { adoption::deviations(desired, case.object) };
        if fields.is_empty() { DryRun::Adopt } else { DryRun::Change(fields) }
    } else {
        return None;
    };
    Some(Action::tried(found, case.object.policy_as_written()))
}

/// Row 10.
fn adoption_without_value(case: &Case<'_>, desired: &Desired) -> Option<Action> {
    let message = late_bound(desired).filter(|_| may_adopt_missing(case, desired))?;
    Some(case.keep(What::Wait, message))
}

/// Row 11.
fn adoption_before_dependencies(case: &Case<'_>, desired: &Desired) -> Option<Action> {
    (may_adopt_missing(case, desired) && !case.context.dependencies_ready)
        .then(|| case.keep(What::Wait, "waiting for dependencies"))
}

/// Row 12.
fn adopt_missing(case: &Case<'_>, desired: &Desired) -> Option<Action> {
    may_adopt_missing(case, desired).then(|| adopt(case, desired, "adopting: not in Azure yet")).flatten()
}

/// Row 12a. What the running cluster edits itself is never written on the way: the operator would undo its changes.
fn adopt_and_hand_over(case: &Case<'_>, desired: &Desired) -> Option<Action> {
    let hints = &desired.hints;
    let due = case.context.stage == Stage::Handover && hints.handover && hints.adopt_policy != Policy::Skip;
    if !due || !is_found(case, desired) {
        return None;
    }
    let now = format!("{:.0}", case.context.now);
    let annotations =
        [(keys::ADOPTED_AT, Some(now.as_str())), (keys::HANDOVER, Some(hints.adopt_policy.name()))];
    change(case, desired, &annotations, Some(HANDED_OVER))
}

/// Row 13.
fn adopt_found(case: &Case<'_>, desired: &Desired) -> Option<Action> {
    is_found(case, desired)
        .then(|| adopt(case, desired, "adopting: managed by this cluster before"))
        .flatten()
}

/// Whether a resource was found that this cluster managed before, and is only read so far.
fn is_found(case: &Case<'_>, desired: &Desired) -> bool {
    let probed = is_ready(case) && case.object.policy() == Policy::Skip && !remembers(case);
    probed && desired.hints.mode != Mode::Byo && was_managed(case, desired)
}

/// Row 14.
fn hand_over(case: &Case<'_>, desired: &Desired) -> Option<Action> {
    let policy = case.object.policy();
    let hints = &desired.hints;
    let due = case.context.stage == Stage::Handover && hints.handover && hints.mode != Mode::Byo;
    if !is_ready(case) || !due || policy == Policy::Skip {
        return None;
    }
    let annotations = [(keys::HANDOVER, Some(policy.name())), (keys::POLICY, Some(Policy::Skip.name()))];
    change(case, desired, &annotations, Some(HANDED_OVER))
}

/// Row 15.
fn resume(case: &Case<'_>, desired: &Desired) -> Option<Action> {
    let before = case.object.annotation(keys::PRE_PAUSE)?;
    let annotations =
        [(keys::PRE_PAUSE, None), (keys::POLICY, Some(before).filter(|policy| !policy.is_empty()))];
    change(case, desired, &annotations, Some("restoring policy after pause"))
}

/// Row 16. It comes before what the operator says of failures, since a changed spec may cure them.
fn update(case: &Case<'_>, desired: &Desired) -> Option<Action> {
    change(case, desired, &[], None)
}

/// Row 16d. What Azure makes itself is there soon, and is nobody's to make.
fn made_by_azure(case: &Case<'_>, desired: &Desired) -> Option<Action> {
    (is_missing(case) && desired.hints.was_managed == WasManaged::Never && !remembers(case))
        .then(|| case.keep(What::Wait, "waiting until Azure creates it with its parent"))
}

/// Row 17.
fn handed_over(case: &Case<'_>, _: &Desired) -> Option<Action> {
    (is_ready(case) && case.object.is_handed_over()).then(|| case.keep(What::None, HANDED_OVER))
}

/// Row 18. What Azure makes itself, and what the plan only wants to read, is nobody else's.
fn left_alone(case: &Case<'_>, desired: &Desired) -> Option<Action> {
    let hints = &desired.hints;
    let message = if hints.mode != Mode::Managed || was_managed(case, desired) {
        "exists in Azure and is not changed"
    } else if hints.was_managed == WasManaged::Never {
        AZURES
    } else {
        FOREIGN
    };
    (is_ready(case) && case.object.policy() == Policy::Skip).then(|| case.keep(What::Leave, message))
}

/// Rows 19 and 21.
fn not_yet_observed(case: &Case<'_>, _: &Desired) -> Option<Action> {
    let generation = case.object.generation();
    let behind = case.ready.observed_generation.is_some_and(|observed| observed < generation);
    behind.then(|| case.keep(What::Wait, format!("waiting for generation {generation} to be reconciled")))
}

/// Row 20.
fn ready(case: &Case<'_>, _: &Desired) -> Option<Action> {
    is_ready(case).then(|| case.keep(What::None, "ready"))
}

/// Row 22.
fn failed_for_good(case: &Case<'_>, _: &Desired) -> Option<Action> {
    (case.ready.severity == Some("Error")).then(|| case.keep(What::TerminalError, not_ready_message(case)))
}

/// Row 23.
fn at_work(case: &Case<'_>, _: &Desired) -> Option<Action> {
    AT_WORK.contains(&case.ready.reason).then(|| case.keep(What::Wait, not_ready_message(case)))
}

/// Row 24. A policy that only reads is the one after adoption where the plan says so.
fn just_adopted(case: &Case<'_>, desired: &Desired) -> Option<Action> {
    let adopted = case.object.policy() != Policy::Skip || desired.hints.adopt_policy == Policy::Skip;
    let at: Timestamp = case.object.annotation(keys::ADOPTED_AT)?.parse().ok()?;
    let just = case.context.now.duration_since(at).abs() <= ADOPTION;
    (case.ready.reason == NOT_FOUND && adopted && just).then(|| case.keep(What::Wait, "adopting"))
}

/// Row 25.
fn reference_missing(case: &Case<'_>, _: &Desired) -> Option<Action> {
    (MISSING_REFERENCE.contains(&case.ready.reason) && case.context.reference_in_plan)
        .then(|| case.keep(What::Wait, not_ready_message(case)))
}

/// Row 26: whatever else the operator says, it goes on trying.
fn not_ready(case: &Case<'_>) -> Action {
    case.keep(What::TransientError, not_ready_message(case))
}

fn not_ready_message(case: &Case<'_>) -> String {
    format!("resource is not Ready: {}", case.ready.said())
}

fn late_bound(desired: &Desired) -> Option<String> {
    let values = &desired.hints.late_bound;
    (!values.is_empty()).then(|| format!("waiting for value: {}", values.join(", ")))
}

fn is_ready(case: &Case<'_>) -> bool {
    case.ready.status == Status::True
}

/// Whether the operator has looked, without the right to change anything, and found nothing.
fn is_missing(case: &Case<'_>) -> bool {
    case.ready.status == Status::False
        && case.ready.reason == NOT_FOUND
        && case.object.policy() == Policy::Skip
}

/// Whether a policy is remembered: what only reads now is not waiting for its adoption.
fn remembers(case: &Case<'_>) -> bool {
    case.object.is_paused() || case.object.is_handed_over()
}

fn may_adopt_missing(case: &Case<'_>, desired: &Desired) -> bool {
    let is_azures = desired.hints.was_managed == WasManaged::Never;
    is_missing(case) && desired.hints.mode == Mode::Managed && !is_azures && !remembers(case)
}

/// Whether a resource that was found was managed by this cluster before.
fn was_managed(case: &Case<'_>, desired: &Desired) -> bool {
    let field = desired.hints.tags.field().or(TagCarrier::Tags.field()).unwrap_or_default();
    let shown = case.object.map("status", field);
    let proven = tags::prove_ownership(shown, &case.context.infra_id);
    match desired.hints.was_managed {
        WasManaged::Tags => proven,
        WasManaged::TagsIfShown => proven || shown.is_none(),
        WasManaged::Parent => case.context.parent_managed,
        WasManaged::Always => true,
        WasManaged::Never => false,
    }
}

/// Adopts an object. One that is only read afterwards as well is adopted once.
fn adopt(case: &Case<'_>, desired: &Desired, message: &str) -> Option<Action> {
    let policy = desired.hints.adopt_policy;
    if policy == Policy::Skip && case.object.annotation(keys::ADOPTED_AT).is_some() {
        return None;
    }
    let now = format!("{:.0}", case.context.now);
    let annotations = [(keys::ADOPTED_AT, Some(now.as_str())), (keys::POLICY, Some(policy.name()))];
    change(case, desired, &annotations, Some(message))
}

/// The one patch of these annotations and of all else that differs; without a message it says what differs.
fn change(
    case: &Case<'_>,
    desired: &Desired,
    annotations: &[Annotation<'_>],
    message: Option<&str>,
) -> Option<Action> {
    match planned(case, desired, annotations) {
        Ok(change) => change.map(|change| {
            let message = message.map_or_else(|| format!("updating {}", change.fields()), str::to_owned);
            case.patch(change, message)
        }),
        Err(message) => Some(case.keep(What::TerminalError, message)),
    }
}
