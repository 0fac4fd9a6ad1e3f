//! The status of a resource.

use landfall_engine_aso::core::{self, FOREIGN, Outcome, What};
use landfall_engine_aso::drive::{Planned, Step, listed};

use super::resource::{AdoptPolicy, Condition, Counts, DryRun, Standing, Status};
use crate::Failed;

/// Maximum number of objects in the status.
const TOLD: usize = 20;
/// Maximum length of each message, in characters.
const LONGEST: usize = 300;

/// A plan can be created from the install config.
pub(super) const VALIDATED: &str = "Validated";
/// The credentials are there and of the right cloud.
pub(super) const CREDENTIALS: &str = "CredentialsReady";
/// The operator is there and may be used.
pub(super) const OPERATOR: &str = "OperatorReady";
/// All is as it is to be.
pub(super) const READY: &str = "Ready";
/// Something is on its way.
pub(super) const PROGRESSING: &str = "Progressing";

/// This landfall would change the cluster. Only there while it holds.
pub(super) const UPDATE: &str = "UpdateAvailable";
/// It is not as desired, and landfall works on it. Only there while it holds.
const RECONCILING: &str = "Reconciling";
/// It is not as desired, and only a change helps. Only there while it holds.
const STALLED: &str = "Stalled";
/// Reasons of [`PROGRESSING`] in which nothing is wrong although nothing goes on.
const AT_REST: [&str; 5] = ["Done", "Held", "Paused", "DeletionProtected", DRY_RUN];
/// Objects are waited for.
const IN_PROGRESS: &str = "InProgress";
/// Nothing may change in Azure, and what adoption would do is known.
const DRY_RUN: &str = "DryRun";

/// The current state of one condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) kind: &'static str,
    pub(super) holds: bool,
    pub(super) reason: String,
    pub(super) message: String,
}

impl Said {
    pub(super) fn new(kind: &'static str, holds: bool, reason: &str, message: impl Into<String>) -> Self {
        Self { kind, holds, reason: reason.to_owned(), message: message.into() }
    }

    /// That it does not hold because of a failure.
    pub(super) fn failed(kind: &'static str, failed: &Failed) -> Self {
        Self::new(kind, false, &camel(failed.reason), failed.note.clone())
    }
}

/// A short name in words with hyphens as conditions have it.
fn camel(reason: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    reason.split('-').map(word).collect()
}

impl Status {
    /// Takes in what is said now. What nothing is said of stays; a condition keeps its time as long as it
    /// holds or does not hold.
    pub(super) fn say(&mut self, said: &[Said], generation: i64, now: &str) {
        self.observed_generation = generation;
        for Said { kind, holds, reason, message } in said {
            let status = if *holds { "True" } else { "False" };
            let at = self.conditions.iter().position(|known| known.kind == *kind);
            let since = at.and_then(|at| self.conditions.get(at)).filter(|known| known.status == status);
            let condition = Condition {
                kind: (*kind).to_owned(),
                status: status.to_owned(),
                observed_generation: generation,
                last_transition_time: since
                    .map_or_else(|| now.to_owned(), |known| known.last_transition_time.clone()),
                reason: reason.clone(),
                message: message.clone(),
            };
            match at.and_then(|at| self.conditions.get_mut(at)) {
                Some(known) => *known = condition,
                None => self.conditions.push(condition),
            }
        }
    }

    /// Takes a condition away that is only there while it holds.
    pub(super) fn retract(&mut self, kind: &str) {
        self.conditions.retain(|condition| condition.kind != kind);
    }

    /// Whether a condition is there.
    pub(super) fn has(&self, kind: &str) -> bool {
        self.conditions.iter().any(|condition| condition.kind == kind)
    }

    /// Whether a condition was said not to hold.
    pub(super) fn is_false(&self, kind: &str) -> bool {
        self.conditions.iter().any(|condition| condition.kind == kind && condition.status == "False")
    }

    /// Adds the two conditions by which those who follow kstatus tell work from failure, as Argo CD and Flux do, or
    /// takes them away. They follow from [`PROGRESSING`] and [`READY`].
    pub(super) fn sum_up(&mut self, generation: i64, now: &str) {
        let known = |kind: &str| self.conditions.iter().find(|one| one.kind == kind);
        let (progressing, ready) = (known(PROGRESSING), known(READY));
        let is_ready = ready.is_some_and(|ready| ready.status == "True");
        let works = progressing.is_some_and(|one| one.status == "True");
        let rests = progressing.is_none_or(|one| AT_REST.contains(&one.reason.as_str()));
        let (reason, message) =
            ready.map(|ready| (ready.reason.clone(), ready.message.clone())).unwrap_or_default();
        let reason = if reason.is_empty() { IN_PROGRESS.to_owned() } else { reason };
        let mut said = Vec::new();
        if works && !is_ready {
            said.push(Said::new(RECONCILING, true, &reason, message));
        } else if !works && !rests && !is_ready {
            said.push(Said::new(STALLED, true, &reason, message));
        }
        self.conditions.retain(|one| {
            let is_summary = [RECONCILING, STALLED].contains(&one.kind.as_str());
            !is_summary || said.iter().any(|said| said.kind == one.kind)
        });
        self.say(&said, generation, now);
    }

    /// Takes in how the objects stand.
    pub(super) fn count(&mut self, step: &Step) {
        let mut counts = Counts::default();
        for planned in &step.objects {
            counts.total += 1;
            counts.foreign += i64::from(is_foreign(planned));
            *match Outcome::of(&planned.action.what) {
                Outcome::Done => &mut counts.done,
                Outcome::Waiting => &mut counts.waiting,
                Outcome::TransientError => &mut counts.failing,
                Outcome::TerminalError => &mut counts.failed,
            } += 1;
        }
        self.counts = counts;
        self.resources = worst(step).into_iter().take(TOLD).map(standing).collect();
    }

    /// Takes in what a finished dry run found, and names the objects about which it is more than that they are as
    /// planned.
    pub(super) fn count_dry_run(&mut self, step: &Step) -> DryRun {
        let mut counts = DryRun::default();
        let mut told = Vec::new();
        for planned in &step.objects {
            let count = match &planned.action.dry_run {
                Some(core::DryRun::Adopt) => {
                    counts.to_adopt += 1;
                    continue;
                }
                Some(core::DryRun::Change(_)) => &mut counts.to_change,
                Some(core::DryRun::Create) => &mut counts.to_create,
                Some(core::DryRun::Unseen) => &mut counts.unknown,
                Some(core::DryRun::Remove) => &mut counts.to_remove,
                None if is_foreign(planned) => &mut counts.foreign,
                None => continue,
            };
            *count += 1;
            told.push(standing(planned));
        }
        // All objects are done, so that no other is told of.
        self.resources = told.into_iter().take(TOLD).collect();
        self.dry_run = Some(counts);
        counts
    }

    /// Notes the policy of adopted resources that the spec asks for, and says whether it is still being applied.
    pub(super) fn applies(&mut self, wanted: AdoptPolicy) -> bool {
        // A lost status says nothing; a policy that somebody gave to single objects stays then.
        let changes = match self.adopt_policy.replace(wanted) {
            Some(before) => before != wanted,
            None => wanted != AdoptPolicy::Manage,
        };
        self.adopt_policy_changing |= changes;
        self.adopt_policy_changing
    }

    /// Whether this differs from the last status only in the progress.
    pub(super) fn differs_in_progress_only(&self, before: &Self) -> bool {
        let without = |status: &Self| {
            let mut status = Self { counts: Counts::default(), resources: Vec::new(), ..status.clone() };
            // Their messages have the numbers again, and the object that is waited for.
            let is_progress = |one: &&mut Condition| one.kind == PROGRESSING || one.reason == IN_PROGRESS;
            for condition in status.conditions.iter_mut().filter(is_progress) {
                condition.message.clear();
            }
            status
        };
        self != before && without(self) == without(before)
    }
}

/// The objects that are not done, the worst first.
fn worst(step: &Step) -> Vec<&Planned> {
    let outcome = |planned: &Planned| Outcome::of(&planned.action.what);
    let mut all: Vec<&Planned> = step.objects.iter().filter(|one| outcome(one) != Outcome::Done).collect();
    all.sort_by(|one, other| outcome(other).cmp(&outcome(one)).then_with(|| one.object.cmp(&other.object)));
    all
}

/// Whether a resource has the name of one of the plan's and belongs to somebody else.
fn is_foreign(planned: &Planned) -> bool {
    planned.action.what == What::Leave && planned.action.message == FOREIGN
}

/// A message of an object, as long as the status has it at most.
pub(super) fn shortened(message: &str) -> String {
    message.chars().take(LONGEST).collect()
}

fn standing(planned: &Planned) -> Standing {
    Standing {
        kind: planned.object.kind.to_owned(),
        name: planned.object.name.clone(),
        action: planned.action.what.name().to_owned(),
        message: shortened(&planned.action.message),
    }
}

fn reason(step: &Step) -> &'static str {
    match step.outcome() {
        Outcome::Done => "Done",
        Outcome::Waiting => IN_PROGRESS,
        Outcome::TransientError => "Failing",
        Outcome::TerminalError => "Failed",
    }
}

/// Whether all is as it is to be, and the worst of what is not where something failed.
pub(super) fn readiness(step: &Step) -> Said {
    let is_failing = step.outcome() >= Outcome::TransientError;
    let failed = worst(step).into_iter().next().filter(|_| is_failing).map(told);
    Said::new(READY, step.outcome() == Outcome::Done, reason(step), failed.unwrap_or_default())
}

/// An object with its message.
fn told(planned: &Planned) -> String {
    let Planned { object, action, .. } = planned;
    format!("{}/{}: {}", object.kind, object.name, shortened(&action.message))
}

/// The same of a cluster that is in progress, with the first object that is waited for where nothing else is said.
pub(super) fn with_waiting(ready: Said, step: &Step) -> Said {
    let mut waiting = step.objects.iter().filter(|one| Outcome::of(&one.action.what) == Outcome::Waiting);
    match waiting.next() {
        Some(first) if !ready.holds && ready.message.is_empty() => Said { message: told(first), ..ready },
        _ => ready,
    }
}

/// The same of a cluster that is Ready, with the resources of its plan that belong to somebody else.
pub(super) fn with_foreign(ready: Said, step: &Step) -> Said {
    let foreign = step.objects.iter().filter(|one| is_foreign(one)).map(|one| one.object.clone());
    let foreign: Vec<_> = foreign.collect();
    if !ready.holds || foreign.is_empty() {
        return ready;
    }
    let note = format!("not changed, as they exist in Azure without the ownership tag: {}", listed(&foreign));
    let message = if ready.message.is_empty() { note } else { format!("{}; {note}", ready.message) };
    Said { message, ..ready }
}

/// What a finished dry run says in place of that the cluster is Ready, and of its progress.
pub(super) fn dry_run(found: DryRun) -> [Said; 2] {
    let DryRun { to_adopt, to_change, to_create, unknown, to_remove, foreign } = found;
    let mut parts = vec![
        format!("{to_adopt} resources would be adopted"),
        format!("{to_change} adopted and changed"),
        format!("{to_create} created"),
        format!("{to_remove} removed"),
    ];
    parts.extend((unknown > 0).then(|| format!("{unknown} looked for later")));
    let found = format!("nothing changes in Azure: {}; {foreign} belong to somebody else", parts.join(", "));
    [Said::new(READY, false, DRY_RUN, found.clone()), Said::new(PROGRESSING, false, DRY_RUN, found)]
}

/// Whether something is on its way to the goal, and how far it is.
pub(super) fn progress(step: &Step, goal: &str) -> Said {
    let outcome = |one: &Planned| Outcome::of(&one.action.what);
    let done = step.objects.iter().filter(|one| outcome(one) == Outcome::Done).count();
    let goes_on = |one: &Planned| matches!(outcome(one), Outcome::Waiting | Outcome::TransientError);
    let is_at_work = step.objects.iter().any(goes_on) && !step.is_stuck();
    let numbers = format!("{done} of {} objects are done", step.objects.len());
    let numbers = if step.outcome() == Outcome::Done { numbers } else { format!("{goal}: {numbers}") };
    Said::new(PROGRESSING, is_at_work, reason(step), numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_engine_aso::core::{Action, What};
    use landfall_engine_aso::desired::Need;

    fn step(whats: &[What]) -> Step {
        let planned = |(at, what): (usize, &What)| Planned {
            object: Need { kind: "RouteTable", name: format!("r{at}") },
            action: Action { what: what.clone(), policy: None, message: "said".to_owned(), dry_run: None },
            behind: Vec::new(),
        };
        Step { objects: whats.iter().enumerate().map(planned).collect() }
    }

    #[test]
    fn the_worst_come_first_and_what_is_done_is_not_told() {
        let mut status = Status::default();
        status.count(&step(&[What::None, What::Wait, What::TerminalError, What::TransientError]));
        let names: Vec<&str> = status.resources.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["r2", "r3", "r1"]);
        let counts = Counts { total: 4, done: 1, waiting: 1, failing: 1, failed: 1, foreign: 0 };
        assert_eq!(status.counts, counts);
    }

    #[test]
    fn a_ready_cluster_names_what_belongs_to_somebody_else() {
        let mut found = step(&[What::None, What::Leave, What::Leave]);
        for one in found.objects.iter_mut().skip(1) {
            FOREIGN.clone_into(&mut one.action.message);
        }
        let mut status = Status::default();
        status.count(&found);
        assert_eq!((status.counts.done, status.counts.foreign), (3, 2));
        let ready = with_foreign(readiness(&found), &found);
        assert!(ready.holds && ready.message.ends_with(": RouteTable/r1, RouteTable/r2"), "{ready:?}");
        let lacking = Said { message: "machines wait".to_owned(), ..readiness(&found) };
        assert!(with_foreign(lacking, &found).message.starts_with("machines wait; not changed"));
        let other = step(&[What::None, What::Leave]);
        assert_eq!(with_foreign(readiness(&other), &other), readiness(&other));
        found.objects.extend(step(&[What::Wait]).objects);
        assert_eq!(with_foreign(readiness(&found), &found), readiness(&found));
    }

    #[test]
    fn a_condition_keeps_its_time_while_it_stays() {
        let mut status = Status::default();
        status.say(&[Said::new(READY, false, "InProgress", "a")], 1, "1");
        status.say(&[Said::new(READY, false, "Failing", "b")], 2, "2");
        let told = |status: &Status| {
            status.conditions.iter().map(|one| one.last_transition_time.clone()).collect::<Vec<_>>()
        };
        assert_eq!(told(&status), ["1"]);
        status.say(&[Said::new(READY, true, "Done", "")], 2, "3");
        assert_eq!(told(&status), ["3"]);
    }

    #[test]
    fn numbers_alone_are_progress() {
        let mut before = Status::default();
        let said = |step: &Step| [with_waiting(readiness(step), step), progress(step, "making")];
        before.say(&said(&step(&[What::Wait, What::Wait])), 1, "1");
        before.count(&step(&[What::Wait, What::Wait]));
        let mut after = before.clone();
        after.say(&said(&step(&[What::None, What::Wait])), 1, "2");
        after.count(&step(&[What::None, What::Wait]));
        assert!(after.differs_in_progress_only(&before));
        assert!(!before.differs_in_progress_only(&before.clone()));
        after.say(&said(&step(&[What::None, What::None])), 1, "3");
        assert!(!after.differs_in_progress_only(&before));
    }

    #[test]
    fn a_cluster_in_progress_names_the_first_object_that_is_waited_for() {
        let making = step(&[What::None, What::Wait, What::Wait]);
        let ready = with_waiting(readiness(&making), &making);
        assert_eq!((ready.reason.as_str(), ready.message.as_str()), ("InProgress", "RouteTable/r1: said"));
        assert_eq!(progress(&making, "making").message, "making: 1 of 3 objects are done");
        let machines = Said { message: "machines wait".to_owned(), ..readiness(&making) };
        assert_eq!(with_waiting(machines.clone(), &making), machines);
        let made = step(&[What::None, What::None]);
        assert_eq!(with_waiting(readiness(&made), &made), readiness(&made));
        assert_eq!(progress(&made, "making").message, "2 of 2 objects are done");
    }

    #[test]
    fn a_failure_has_a_reason_in_one_word() {
        let said = Said::failed(VALIDATED, &Failed::terminal("config-rejected", "x"));
        assert_eq!((said.reason.as_str(), said.holds), ("ConfigRejected", false));
    }
}
