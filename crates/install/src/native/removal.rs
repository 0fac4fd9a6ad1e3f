//! The resources that only the installation needs, removed as the journal has them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use landfall_destroy::{Outcome, Pace as RemovalPace, Unwatched};
use landfall_engine_terraform::{Stop, Work};
use landfall_model::plan;
use landfall_platform::Platform;
use landfall_platform::native::{Api, Failure, Properties};
use landfall_platform::removal::{Discovered, Disposition, Removal, Resource, Target};
use tokio::time::{Instant, sleep};

use super::{noted, past};
use crate::files::step;
use crate::named::{Named, is_noted, names};
use crate::recover::Only;
use crate::standing::removed;
use crate::{End, Fault, StageDone, Watcher};
use landfall_workdir::{ClusterDir, Step, StepResult, Steps};

/// The pause before a removal that the cloud puts off is tried again.
const PAUSE: Duration = Duration::from_secs(5);
/// How long the resources of a stage may take to go.
const LONGEST_REMOVAL: Duration = Duration::from_mins(30);

/// What the resources of a stage are removed with.
pub struct NativeRemoval<'a> {
    /// The cluster directory, locked.
    pub cluster: &'a ClusterDir,
    /// The platform of the cluster.
    pub platform: &'static dyn Platform,
    /// The calls.
    pub api: &'a dyn Api,
    /// Finds and removes what the cluster owns.
    pub removal: &'a dyn Removal,
    /// The cluster.
    pub target: &'a Target,
    /// Who watches.
    pub watcher: &'a dyn Watcher,
    /// Ends the work early.
    pub stop: &'a Stop,
    /// The time, as RFC 3339 writes it.
    pub now: fn() -> String,
}

/// Removes what only the installation needs, as the journal has it.
///
/// # Errors
/// The work was stopped or failed; the same call goes on.
pub async fn destroy_native_bootstrap(
    site: &NativeRemoval<'_>,
    all: &mut Vec<StageDone>,
) -> Result<(), Fault> {
    for stage in site.platform.stages().iter().rev().filter(|stage| stage.only_for_bootstrap) {
        site.stage(stage, all).await?;
    }
    Ok(())
}

/// Removes what a cluster owns of kinds with these names in its resource groups, and nothing else of it. Safe to repeat.
///
/// # Errors
/// Not all of the cluster could be looked at, or the work was stopped or failed; the same call goes on.
pub async fn destroy_kinds(
    removal: &dyn Removal,
    target: &Target,
    kinds: &[&str],
    stop: &Stop,
) -> Result<(), Fault> {
    let mut found = removal.discover_inside().await;
    if !found.unseen.is_empty() {
        return Err(Fault::Unseen(found.unseen));
    }
    found.things.retain(|thing| thing.fate == Disposition::Removed && kinds.contains(&thing.kind.name));
    remove_only(removal, target, found.things, true, stop).await
}

async fn remove_only(
    removal: &dyn Removal,
    target: &Target,
    things: Vec<Resource>,
    inside: bool,
    stop: &Stop,
) -> Result<(), Fault> {
    let ids = things.iter().map(|thing| thing.id.clone()).collect();
    let only = Only { removal, ids, inside };
    let first = Discovered { things, ..Discovered::default() };
    let pace = RemovalPace { timeout: LONGEST_REMOVAL, ..RemovalPace::default() };
    let report = landfall_destroy::run(&only, target, first, &pace, &Unwatched, stop).await;
    match report.outcome {
        Outcome::Gone => Ok(()),
        Outcome::Interrupted => Err(Fault::Native { findings: report.findings, interrupted: true }),
        Outcome::Left | Outcome::TimedOut | Outcome::Refused => Err(Fault::Unseen(report.findings)),
    }
}

impl NativeRemoval<'_> {
    async fn stage(&self, stage: &plan::Stage, all: &mut Vec<StageDone>) -> Result<(), Fault> {
        let steps = self.cluster.steps()?;
        if let Ok(Some(time)) = removed(&steps, stage) {
            self.ended(stage, End::Before { time }, all);
            return Ok(());
        }
        let known = noted(&steps, stage);
        let others = self.platform.stages().iter().filter(|other| other.name != stage.name);
        let others = others.flat_map(|other| noted(&steps, other).into_values());
        let others: Vec<String> =
            others.flat_map(|outputs| names(&outputs).map(str::to_owned).collect::<Vec<_>>()).collect();
        // What began last may exist, and only its name tells that it is of this stage.
        let named = is_cut_short(&steps, stage).then_some(Named { stage: stage.name, others: &others });
        self.note(stage, StepResult::Began, "")?;
        self.watcher.began(stage.name, Work::Destroy);
        let began = Instant::now();
        let removed = match self.remove_each(stage, &steps).await {
            Ok(()) => self.remove(&known, named).await,
            Err(fault) => Err(fault),
        };
        match removed {
            Ok(()) => {
                self.note(stage, StepResult::Done, &format!("{} removed", known.len()))?;
                let took = began.elapsed();
                self.ended(stage, End::Done { added: 0, changed: 0, removed: known.len(), took }, all);
                Ok(())
            }
            Err(fault) => {
                let stopped = fault.is_interrupted();
                let result = if stopped { StepResult::Interrupted } else { StepResult::Failed };
                self.note(stage, result, "")?;
                self.ended(stage, End::Stopped, all);
                Err(fault)
            }
        }
    }

    /// Removes resources of kinds that discovery does not remove, the last created first. What others attach to goes
    /// after them.
    async fn remove_each(&self, stage: &plan::Stage, steps: &Steps) -> Result<(), Fault> {
        for (name, outputs) in in_order(steps, stage).iter().rev() {
            let kind = name.split('/').next().unwrap_or_default();
            if !self.api.traits(kind).removes || self.api.traits(kind).is_given {
                continue;
            }
            let end = Instant::now() + LONGEST_REMOVAL;
            loop {
                if self.stop.is_asked() {
                    return Err(Fault::Native { findings: Vec::new(), interrupted: true });
                }
                let finding = match self.api.remove(kind, outputs).await {
                    Ok(()) => break,
                    Err(Failure::Refused(finding)) => {
                        return Err(Fault::Native { findings: vec![*finding], interrupted: false });
                    }
                    Err(
                        Failure::Throttled(finding) | Failure::Unknown(finding) | Failure::NotYet(finding),
                    ) => finding,
                };
                if Instant::now() + PAUSE > end {
                    return Err(Fault::Native { findings: vec![*finding], interrupted: false });
                }
                tokio::select! {
                    () = sleep(PAUSE) => {}
                    () = self.stop.asked() => {}
                }
            }
        }
        Ok(())
    }

    async fn remove(
        &self,
        noted: &BTreeMap<String, Properties>,
        named: Option<Named<'_>>,
    ) -> Result<(), Fault> {
        let is_removed = |name: &str| self.api.traits(name.split('/').next().unwrap_or_default()).removes;
        let (_, noted): (Vec<_>, Vec<_>) = noted.iter().partition(|(name, _)| is_removed(name));
        if noted.is_empty() && named.is_none() {
            return Ok(());
        }
        for (name, outputs) in &noted {
            let kind = name.split('/').next().unwrap_or_default();
            let released = self.api.release(kind, outputs).await;
            released.map_err(|failure| {
                let (Failure::Throttled(finding)
                | Failure::Unknown(finding)
                | Failure::NotYet(finding)
                | Failure::Refused(finding)) = failure;
                Fault::Native { findings: vec![*finding], interrupted: false }
            })?;
        }
        let found = self.removal.discover().await;
        if !found.unseen.is_empty() {
            return Err(Fault::Unseen(found.unseen));
        }
        let ids: BTreeSet<&str> = noted.iter().flat_map(|(_, outputs)| names(outputs)).collect();
        let is_its = |thing: &&Resource| {
            is_noted(thing, ids.iter().copied())
                || named.is_some_and(|named| named.has(thing, &self.target.infra_id))
        };
        let things = found.things.iter().filter(is_its).cloned().collect();
        remove_only(self.removal, self.target, things, false, self.stop).await
    }

    fn ended(&self, stage: &plan::Stage, end: End, all: &mut Vec<StageDone>) {
        let done = StageDone { stage: stage.name.to_owned(), work: Work::Destroy, end };
        self.watcher.ended(&done);
        all.push(done);
    }

    fn note(&self, stage: &plan::Stage, result: StepResult, detail: &str) -> Result<(), Fault> {
        let (time, detail) = ((self.now)(), detail.to_owned());
        let step = step(stage, Work::Destroy);
        self.cluster.note(&Step { time, step, result, detail, inputs: String::new() })?;
        Ok(())
    }
}

/// Whether the creation of a resource of a stage began and was not seen to end.
fn is_cut_short(steps: &Steps, stage: &plan::Stage) -> bool {
    let start = step(stage, Work::Apply);
    let name = |known: &'_ Step| known.step.strip_prefix(&start)?.strip_prefix('/').map(str::to_owned);
    let all: BTreeSet<String> = steps.iter().filter_map(name).collect();
    all.iter().any(|name| past(steps, &start, name).begun)
}

/// The resources of a stage that exist or may exist, in the order in which their creation began last. What the cloud
/// refused to create is another's, if it exists.
fn in_order(steps: &Steps, stage: &plan::Stage) -> Vec<(String, Properties)> {
    let start = format!("{}/", step(stage, Work::Apply));
    let mut all: Vec<(String, Properties)> = Vec::new();
    for known in steps.iter() {
        let Some(name) = known.step.strip_prefix(&start) else { continue };
        if known.result == StepResult::Failed {
            all.retain(|(other, _)| other != name);
        } else if let Ok(outputs) = serde_json::from_str::<Properties>(&known.detail) {
            all.retain(|(other, _)| other != name);
            all.push((name.to_owned(), outputs));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_began_last_may_exist() -> Result<(), Box<dyn std::error::Error>> {
        static STAGE: plan::Stage = plan::Stage { name: "bootstrap", only_for_bootstrap: true };
        let directory = tempfile::tempdir()?;
        let cluster = ClusterDir::open(directory.path())?;
        let note = |name: &str, result: StepResult, detail: &str| {
            let (time, step) = (String::new(), format!("bootstrap.apply{name}"));
            cluster.note(&Step { time, step, result, detail: detail.to_owned(), inputs: String::new() })
        };
        let is_cut_short = || cluster.steps().map(|steps| is_cut_short(&steps, &STAGE));
        note("", StepResult::Began, "")?;
        note("/instance/bootstrap", StepResult::Began, "")?;
        assert!(is_cut_short()?);
        note("/instance/bootstrap", StepResult::Failed, "")?;
        assert!(!is_cut_short()?, "the cloud refused it");
        note("/instance/bootstrap", StepResult::Began, "")?;
        note("/instance/bootstrap", StepResult::Done, "{}")?;
        assert!(!is_cut_short()?);
        Ok(())
    }
}
