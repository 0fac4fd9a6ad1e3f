//! The stages of the native engine: every resource of each stage, noted in the journal of steps.

mod boot;
mod confirm;
mod removal;

pub use boot::{BootSite, Booted, boot_notes};
pub use confirm::{Confirmation, Confirmed};
pub use removal::{NativeRemoval, destroy_kinds, destroy_native_bootstrap};

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use landfall_diagnostics::secret::Secret;
use landfall_diagnostics::{Finding, clock, shortened};
use landfall_engine_native::{
    Journal, NoteFault, Pace, Past, Pending, Report, Run, Underway, interrupted, run,
};
use landfall_engine_terraform::{Action, Progress, Running, Stop, Work};
use landfall_model::plan::Stage;
use landfall_platform::Platform;
use landfall_platform::native::{Api, Graph, Properties, Secrets, resolve};
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::files::{FOLDER, Files, outputs_file, step};
use super::standing::{done_before, removed};
use super::{End, Fault, StageDone, Watcher};
use landfall_workdir::{ClusterDir, FileSet, Step, StepResult, Steps};

/// What comes after the creating call, as a step of its own.
const COMPLETE: &str = "complete";
/// The files with the secrets of the graph.
const VARIABLES: &[&str] = &["terraform.tfvars.json", "terraform.platform.auto.tfvars.json"];
/// The secrets of the graph, by the names of their variables.
const SECRETS: &[&str] = &[
    "aws_bootstrap_stub_ignition",
    "azure_bootstrap_ignition_stub",
    "azure_bootstrap_ignition_url_placeholder",
    "ignition_bootstrap",
    "ignition_master",
];

/// What the stages of a cluster are worked on with.
pub struct NativeSite<'a> {
    /// The cluster directory, locked.
    pub cluster: &'a mut ClusterDir,
    /// The platform of the cluster.
    pub platform: &'static dyn Platform,
    /// What makes the cluster different from any other.
    pub cluster_id: &'a str,
    /// The calls.
    pub api: &'a dyn Api,
    /// The resources of all stages.
    pub graph: &'a Graph,
    /// Who watches.
    pub watcher: &'a dyn Watcher,
    /// Ends the work early.
    pub stop: &'a Stop,
    /// The time, as RFC 3339 writes it.
    pub now: fn() -> String,
}

/// The secrets that resources of the cluster in a directory refer to, from its files.
///
/// # Errors
/// A file cannot be read.
pub fn secrets(root: &Path) -> Result<Secrets, landfall_workdir::Error> {
    let mut secrets = Secrets::new();
    for file in VARIABLES {
        let bytes = landfall_workdir::read(root, &format!("{FOLDER}/{file}"))?.unwrap_or_default();
        let variables: Map<String, Value> = serde_json::from_slice(&bytes).unwrap_or_default();
        for (name, value) in variables {
            if let Some(text) = value.as_str().filter(|_| SECRETS.contains(&name.as_str())) {
                secrets.insert(name, Secret::new(text.to_owned()));
            }
        }
    }
    Ok(secrets)
}

/// The resources of a stage that exist, as the journal has them, with their outputs.
pub(super) fn noted(steps: &Steps, stage: &Stage) -> BTreeMap<String, Properties> {
    let start = format!("{}/", step(stage, Work::Apply));
    let mut noted = BTreeMap::new();
    for known in steps.iter().filter(|known| known.result == StepResult::Done) {
        let Some(name) = known.step.strip_prefix(&start) else { continue };
        if let Ok(outputs) = serde_json::from_str::<Properties>(&known.detail) {
            noted.insert(name.to_owned(), outputs);
        }
    }
    noted
}

/// Whether nothing was created that only the installation needs, as far as the journal tells.
///
/// # Errors
/// The journal of steps cannot be read.
pub fn is_bootstrap_unknown(cluster: &ClusterDir, platform: &dyn Platform) -> Result<bool, Fault> {
    let steps = cluster.steps()?;
    let mut stages = platform.stages().iter().filter(|stage| stage.only_for_bootstrap);
    Ok(stages.all(|stage| steps.last(&step(stage, Work::Apply)).is_none()))
}

/// What the journal has of a resource of the stage whose steps begin with `start`.
pub(super) fn past(steps: &Steps, start: &str, name: &str) -> Past {
    let (own, complete) = (format!("{start}/{name}"), format!("{start}/{name}/{COMPLETE}"));
    let mut past = Past::default();
    for known in steps.iter() {
        if known.step == complete {
            past.completed = true;
        } else if known.step == own && known.result == StepResult::Done {
            past.created += 1;
            past.begun = false;
            past.outputs = serde_json::from_str(&known.detail).ok();
        } else if known.step == own && known.result == StepResult::Failed {
            past.begun = false;
        } else if known.step == own {
            past.begun = true;
            past.completed = false;
        }
    }
    past
}

/// The journal of steps, for the resources of one stage.
pub(super) struct Notes<'a> {
    pub(super) cluster: &'a ClusterDir,
    pub(super) steps: Steps,
    pub(super) start: String,
    pub(super) now: fn() -> String,
}

impl Notes<'_> {
    fn note(&self, step: String, result: StepResult, detail: String) -> Result<(), NoteFault> {
        let time = (self.now)();
        Ok(self.cluster.note(&Step { time, step, result, detail, inputs: String::new() })?)
    }
}

impl Journal for Notes<'_> {
    fn past(&self, name: &str) -> Past {
        past(&self.steps, &self.start, name)
    }

    fn begins(&self, name: &str, known: &Properties) -> Result<(), NoteFault> {
        let detail = if known.is_empty() { String::new() } else { Value::Object(known.clone()).to_string() };
        self.note(format!("{}/{name}", self.start), StepResult::Began, detail)
    }

    fn refused(&self, name: &str) -> Result<(), NoteFault> {
        self.note(format!("{}/{name}", self.start), StepResult::Failed, String::new())
    }

    fn exists(&self, name: &str, outputs: &Properties) -> Result<(), NoteFault> {
        let detail = Value::Object(outputs.clone()).to_string();
        self.note(format!("{}/{name}", self.start), StepResult::Done, detail)
    }

    fn completed(&self, name: &str) -> Result<(), NoteFault> {
        self.note(format!("{}/{name}/{COMPLETE}", self.start), StepResult::Done, String::new())
    }
}

/// Hands the progress of one stage to the watcher.
struct Watching<'a> {
    watcher: &'a dyn Watcher,
    stage: &'a str,
}

impl landfall_engine_native::Watcher for Watching<'_> {
    fn progress(&self, done: usize, total: usize, running: &[Underway<'_>]) {
        let running = running.iter().map(|one| Running {
            address: one.name.to_owned(),
            action: Action::Create,
            seconds: one.since.as_secs(),
            wait: one
                .wait
                .as_ref()
                .map(|wait| format!("of at most {}: {}", clock(wait.limit), shortened(&wait.reason))),
        });
        let progress =
            Progress { total: Some(total), done, running: running.collect(), waiting_for_earlier: None };
        self.watcher.changed(self.stage, Work::Apply, &progress);
    }
}

/// Finds or creates every resource, stage after stage; gives what differs from the plan. What only the installation
/// needs and was removed is not created again.
///
/// # Errors
/// The work was stopped or failed; the same call goes on.
pub async fn apply_native(
    site: &mut NativeSite<'_>,
    all: &mut Vec<StageDone>,
) -> Result<Vec<Finding>, Fault> {
    let (mut differences, mut known) = (Vec::new(), Known::default());
    let mut stages = Vec::new();
    for stage in site.platform.stages() {
        if removed(&site.cluster.steps()?, stage)?.is_none() {
            stages.push(stage);
        }
    }
    known.installed = stages.len() < site.platform.stages().len();
    for (i, stage) in stages.iter().enumerate() {
        let is_last = i + 1 == stages.len();
        differences.extend(site.stage(stage, is_last, &mut known, all).await?);
    }
    Ok(differences)
}

/// What stages know of earlier ones.
#[derive(Default)]
struct Known {
    outputs: BTreeMap<String, Properties>,
    /// What is not ready yet, and nothing waits for.
    pending: Vec<Pending>,
    /// What only the installation needs was removed.
    installed: bool,
}

impl NativeSite<'_> {
    async fn stage(
        &mut self,
        stage: &Stage,
        is_last: bool,
        known: &mut Known,
        all: &mut Vec<StageDone>,
    ) -> Result<Vec<Finding>, Fault> {
        let files = Files { root: self.cluster.root(), platform: self.platform };
        let inputs = files.inputs(stage, &files.variables(stage))?;
        let steps = self.cluster.steps()?;
        let before = done_before(&steps, &files, stage, &inputs);
        self.watcher.began(stage.name, Work::Apply);
        if before.is_none() {
            self.note(stage, StepResult::Began, "", &inputs)?;
        }
        let began = Instant::now();
        let start = step(stage, Work::Apply);
        let notes = Notes { cluster: self.cluster, steps, start, now: self.now };
        let watching = Watching { watcher: self.watcher, stage: stage.name };
        let pace = Pace::default();
        let described = Run {
            api: self.api,
            graph: self.graph,
            stage: stage.name,
            cluster_id: self.cluster_id,
            journal: &notes,
            watcher: &watching,
            stop: self.stop,
            pace: &pace,
            leaves: !is_last,
            installed: known.installed,
        };
        let pending = std::mem::take(&mut known.pending);
        let mut report =
            run(&described, pending, &mut known.outputs).await.map_err(|cause| match cause
                .downcast::<landfall_workdir::Error>(
            ) {
                Ok(cause) => Fault::Directory(*cause),
                Err(cause) => Fault::Note { stage: stage.name.to_owned(), cause },
            })?;
        known.pending = std::mem::take(&mut report.pending);
        self.finish(stage, report, before, began.elapsed(), &inputs, &known.outputs, all)
    }

    #[allow(clippy::too_many_arguments, reason = "what came of one stage")]
    fn finish(
        &mut self,
        stage: &Stage,
        report: Report,
        before: Option<String>,
        took: Duration,
        inputs: &str,
        outputs: &BTreeMap<String, Properties>,
        all: &mut Vec<StageDone>,
    ) -> Result<Vec<Finding>, Fault> {
        let detail = format!("{} added, {} existed", report.created, report.existing);
        if !report.is_complete() {
            let result = if report.interrupted { StepResult::Interrupted } else { StepResult::Failed };
            self.note(stage, result, &detail, inputs)?;
            self.ended(stage, End::Stopped, all);
            let exist = report.created + report.existing;
            let mut findings = report.findings;
            if report.interrupted {
                findings.push(interrupted(stage.name, exist, report.total));
            }
            return Err(Fault::Native { findings, interrupted: report.interrupted });
        }
        let end = if let Some(time) = before.filter(|_| report.created + report.repaired == 0) {
            End::Before { time }
        } else {
            self.keep_outputs(stage, outputs)?;
            self.note(stage, StepResult::Done, &detail, inputs)?;
            End::Done { added: report.created, changed: report.repaired, removed: 0, took }
        };
        self.ended(stage, end, all);
        Ok(report.differences)
    }

    fn ended(&self, stage: &Stage, end: End, all: &mut Vec<StageDone>) {
        let done = StageDone { stage: stage.name.to_owned(), work: Work::Apply, end };
        self.watcher.ended(&done);
        all.push(done);
    }

    /// Writes the outputs of a stage where those of terraform are.
    fn keep_outputs(&mut self, stage: &Stage, outputs: &BTreeMap<String, Properties>) -> Result<(), Fault> {
        let given = self.graph.outputs.get(stage.name).and_then(Value::as_object);
        let known = given.into_iter().flatten();
        let known: Map<String, Value> =
            known.filter_map(|(name, value)| Some((name.clone(), resolve(value, outputs)?))).collect();
        let text = serde_json::to_string_pretty(&known).unwrap_or_default() + "\n";
        let path = format!("{FOLDER}/{}", outputs_file(stage));
        let set = FileSet::of([(path, text.into_bytes(), true)]).map_err(landfall_workdir::Error::from)?;
        self.cluster.write(&step(stage, Work::Apply), &set)?;
        Ok(())
    }

    fn note(&self, stage: &Stage, result: StepResult, detail: &str, inputs: &str) -> Result<(), Fault> {
        let (time, detail) = ((self.now)(), detail.to_owned());
        let step = step(stage, Work::Apply);
        self.cluster.note(&Step { time, step, result, detail, inputs: inputs.to_owned() })?;
        Ok(())
    }
}
