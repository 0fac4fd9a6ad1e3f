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

impl NativeRemoval<'_> {
    async fn stage(&self, stage: &plan::Stage, all: &mut Vec<StageDone>) -> Result<(), Fault> {
        let steps = self.cluster.steps()?;
        if let Ok(Some(time)) = removed(&steps, stage) {
            self.ended(stage, End::Before { time }, all);
            return Ok(());
        }
        let known = noted(&steps, stage);
        let others = self.platform.stages().iter().filter(|other| other.name != stage.name);
        let others: Vec<_> = others.map(|other| noted(&steps, other)).collect();
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
        let names: BTreeSet<&str> = noted.iter().flat_map(|(_, outputs)| names(outputs)).collect();
        let is_its = |thing: &&Resource| {
            is_noted(thing, names.iter().copied())
                || named.is_some_and(|named| named.has(thing, &self.target.infra_id))
        };
        let things: Vec<Resource> = found.things.iter().filter(is_its).cloned().collect();
        let ids = things.iter().map(|thing| thing.id.clone()).collect();
        let only = Only { removal: self.removal, ids };
        let first = Discovered { things, ..Discovered::default() };
        let pace = RemovalPace { timeout: LONGEST_REMOVAL, ..RemovalPace::default() };
        let report = landfall_destroy::run(&only, self.target, first, &pace, &Unwatched, self.stop).await;
        match report.outcome {
            Outcome::Gone => Ok(()),
            Outcome::Interrupted => Err(Fault::Native { findings: report.findings, interrupted: true }),
            Outcome::Left | Outcome::TimedOut | Outcome::Refused => Err(Fault::Unseen(report.findings)),
        }
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

/// What tells the resources of a stage whose creation was not noted.
#[derive(Clone, Copy)]
struct Named<'a> {
    stage: &'a str,
    /// What was noted of other stages.
    others: &'a [BTreeMap<String, Properties>],
}

impl Named<'_> {
    /// Whether a resource of the cluster has the name of the stage, and is of no other one.
    fn has(self, thing: &Resource, infra_id: &str) -> bool {
        let id = thing.id.rsplit(['/', ':']).next().unwrap_or_default();
        let is_named = |name: &str| {
            let rest = name.strip_prefix(infra_id).and_then(|rest| rest.strip_prefix('-'));
            let rest = rest.and_then(|rest| rest.strip_prefix(self.stage));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        let mut others = self.others.iter().flat_map(BTreeMap::values);
        let is_removed = thing.fate == Disposition::Removed;
        is_removed
            && (is_named(&thing.name) || is_named(id))
            && !others.any(|outputs| is_noted(thing, names(outputs)))
    }
}

/// What the outputs of a resource call it.
fn names(outputs: &Properties) -> impl Iterator<Item = &str> {
    ["id", "name"].into_iter().filter_map(|key| outputs.get(key)?.as_str())
}

/// Whether the id of a resource ends with one of these.
fn is_noted<'n>(thing: &Resource, mut names: impl Iterator<Item = &'n str>) -> bool {
    names.any(|name| {
        let start = thing.id.strip_suffix(name);
        start.is_some_and(|start| start.is_empty() || start.ends_with(['/', ':']))
    })
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
    use landfall_platform::removal::Kind;
    use serde_json::json;

    use super::*;

    static MACHINE: Kind = Kind { name: "machine", batch: 1, help: "", last: false };

    #[test]
    fn what_was_not_noted_is_known_by_the_name_of_the_stage() {
        let noted = |name: &str| {
            let outputs = Properties::from_iter([("id".to_owned(), json!(name))]);
            BTreeMap::from([("machine/x".to_owned(), outputs)])
        };
        let others = [noted("i-2")];
        let named = Named { stage: "bootstrap", others: &others };
        let is_its = |id: &str, name: &str, fate| {
            let (id, name) = (id.to_owned(), name.to_owned());
            named.has(&Resource { id, kind: &MACHINE, name, fate, after: Vec::new() }, "demo-x7k2p")
        };
        for (id, name) in [
            ("arn:aws:ec2:r:1:instance/i-1", "demo-x7k2p-bootstrap"),
            ("arn:aws:s3:::demo-x7k2p-bootstrap", ""),
            ("/groups/g/demo-x7k2p-bootstrap-nic", ""),
        ] {
            assert!(is_its(id, name, Disposition::Removed), "{id}");
            assert!(!is_its(id, name, Disposition::Released), "{id}");
        }
        for (id, name) in [
            ("arn:aws:ec2:r:1:instance/i-2", "demo-x7k2p-bootstrap"),
            ("arn:aws:ec2:r:1:instance/i-3", "demo-x7k2p-master-0"),
            ("arn:aws:ec2:r:1:instance/i-4", "demo-x7k2p2-bootstrap"),
            ("arn:aws:ec2:r:1:instance/i-5", "demo-x7k2p-bootstrapper"),
        ] {
            assert!(!is_its(id, name, Disposition::Removed), "{id}");
        }
    }

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
