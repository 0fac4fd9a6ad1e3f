//! The stages of terraform, one after the other.

use std::path::PathBuf;

use landfall_diagnostics::secret::Secret;
use landfall_engine_terraform::{Done, Progress, Stop, Terraform, Work};
use landfall_model::plan::Stage;
use landfall_platform::cloud::{EngineNeeds, Session, Verdict};
use landfall_platform::{Platform, pages};
use serde_json::{Map, Value};

use super::files::{self, FOLDER, Files, outputs_file, step};
use super::recover::{self, Recovery};
use super::standing::{done_before, removed};
use super::{Drift, End, Fault, StageDone, Watcher};
use landfall_workdir::{ClusterDir, FileSet, Step, StepResult};

/// Where files for the engine lie while it is at work, below landfall's records.
const NEEDS: &str = "engine";
/// The variable with the bootstrap machine's Ignition config.
const IGNITION: &str = "ignition_bootstrap";
/// The variable that names the file with the completed one.
const COMPLETED_IGNITION: &str = "TF_VAR_completed_ignition_file";

/// A file that is handed to the engine for a run: the variable that names it, and what is in it.
type Handed = (&'static str, Secret<Vec<u8>>);

/// What all stages of a cluster are worked on with.
pub struct Site<'a> {
    /// The cluster directory, locked.
    pub cluster: &'a mut ClusterDir,
    /// The platform of the cluster.
    pub platform: &'static dyn Platform,
    /// The infrastructure id of the cluster.
    pub infra_id: &'a str,
    /// The cloud, if landfall can ask it.
    pub session: Option<&'a dyn Session>,
    /// How resources are found that the state lacks; nothing is looked for without it.
    pub recovery: Option<Recovery<'a>>,
    /// The engine.
    pub terraform: &'a Terraform,
    /// Who watches.
    pub watcher: &'a dyn Watcher,
    /// What is not as earlier runs left it, and is to be restored.
    pub drift: &'a [Drift],
    /// Ends the work early.
    pub stop: &'a Stop,
    /// The time, as RFC 3339 writes it.
    pub now: fn() -> String,
}

/// Makes everything, in the order of the stages. What an earlier run did, with the same modules and variables,
/// is not done again; a bootstrap machine that was removed is not made again, and is not spoken of.
///
/// # Errors
/// The work was stopped or failed; what stands is in the state of the stages, and the same call goes on.
pub async fn apply(site: &mut Site<'_>, all: &mut Vec<StageDone>) -> Result<(), Fault> {
    for stage in site.platform.stages() {
        if removed(&site.cluster.steps()?, stage)?.is_none() {
            site.apply(stage, all).await?;
        }
    }
    Ok(())
}

/// Removes what only the installation needs: the stages marked so, in reverse order.
///
/// # Errors
/// As [`apply`].
pub async fn destroy_bootstrap(site: &mut Site<'_>, all: &mut Vec<StageDone>) -> Result<(), Fault> {
    for stage in site.platform.stages().iter().rev().filter(|stage| stage.only_for_bootstrap) {
        site.destroy(stage, all).await?;
    }
    Ok(())
}

/// Hands the progress of one stage to the watcher.
struct Watching<'a> {
    watcher: &'a dyn Watcher,
    stage: &'a str,
    work: Work,
}

impl landfall_engine_terraform::Watcher for Watching<'_> {
    fn changed(&self, progress: &Progress) {
        self.watcher.changed(self.stage, self.work, progress);
    }
}

impl Site<'_> {
    pub(super) fn files(&self) -> Files<'_> {
        Files { root: self.cluster.root(), platform: self.platform }
    }

    async fn apply(&mut self, stage: &Stage, all: &mut Vec<StageDone>) -> Result<(), Fault> {
        let variables = self.files().variables(stage);
        let inputs = self.files().inputs(stage, &variables)?;
        let before = done_before(&self.cluster.steps()?, &self.files(), stage, &inputs);
        let is_drifted = self.drift.iter().any(|drift| drift.stage == stage.name);
        if let Some(time) = before.filter(|_| !is_drifted) {
            self.ended(stage, Work::Apply, End::Before { time }, all);
            return Ok(());
        }
        let inputs = if self.fit(stage).await? { self.files().inputs(stage, &variables)? } else { inputs };
        self.keep(stage).await?;
        self.recover(stage, &variables).await?;
        self.work(stage, Work::Apply, &variables, &inputs, all).await?;
        self.forget_imports(stage)
    }

    /// Tells how work on a stage ended.
    fn ended(&self, stage: &Stage, work: Work, end: End, all: &mut Vec<StageDone>) {
        let done = StageDone { stage: stage.name.to_owned(), work, end };
        self.watcher.ended(&done);
        all.push(done);
    }

    async fn destroy(&mut self, stage: &Stage, all: &mut Vec<StageDone>) -> Result<(), Fault> {
        let steps = self.cluster.steps()?;
        let last = steps.last(&step(stage, Work::Destroy)).filter(|last| last.result == StepResult::Done);
        let stands = landfall_engine_terraform::resources(&self.files().folder(stage))
            .map_err(|fault| Fault::Engine { stage: stage.name.to_owned(), fault: Box::new(fault) })?;
        if let Some(last) = last.filter(|_| stands.is_empty()) {
            let end = End::Before { time: last.time.clone() };
            self.ended(stage, Work::Destroy, end, all);
            return Ok(());
        }
        self.fit(stage).await?;
        self.remove_untracked(stage).await?;
        let variables = self.files().variables_of_all();
        let inputs = self.files().inputs(stage, &variables)?;
        self.work(stage, Work::Destroy, &variables, &inputs, all).await
    }

    /// Lets the engine work on a stage, between two notes in the journal of steps.
    async fn work(
        &mut self,
        stage: &Stage,
        work: Work,
        variables: &[PathBuf],
        inputs: &str,
        all: &mut Vec<StageDone>,
    ) -> Result<(), Fault> {
        let mut needs = self.needs(stage).await?;
        if work == Work::Apply && stage.only_for_bootstrap {
            needs.files.extend(self.completed_ignition(variables)?);
        }
        self.note(stage, work, StepResult::Began, "", inputs)?;
        self.watcher.began(stage.name, work);
        let environment = self.environment(&needs)?;
        let result = self.run(stage, work, variables, &environment).await;
        let removed = self.clear(&needs);
        let (end, noted, detail) = match &result {
            Ok(done) => (
                End::Done {
                    added: done.added,
                    changed: done.changed,
                    removed: done.removed,
                    took: done.took,
                },
                StepResult::Done,
                format!("{} added, {} changed, {} removed", done.added, done.changed, done.removed),
            ),
            Err(fault) if fault.is_interrupted() => (End::Stopped, StepResult::Interrupted, String::new()),
            Err(fault) => {
                let detail = recover::note_of(fault).unwrap_or_else(|| detail(fault));
                (End::Stopped, StepResult::Failed, detail)
            }
        };
        self.note(stage, work, noted, &detail, inputs)?;
        self.ended(stage, work, end, all);
        result?;
        removed
    }

    async fn run(
        &mut self,
        stage: &Stage,
        work: Work,
        variables: &[PathBuf],
        environment: &[(String, Secret<String>)],
    ) -> Result<Done, Fault> {
        let engine = |fault| Fault::Engine { stage: stage.name.to_owned(), fault: Box::new(fault) };
        let (folder, log) = (self.files().folder(stage), self.cluster.logs());
        let described = landfall_engine_terraform::Stage {
            name: stage.name,
            folder: &folder,
            variables,
            environment,
            log: &log,
        };
        let watching = Watching { watcher: self.watcher, stage: stage.name, work };
        self.terraform.init(&described, self.stop).await.map_err(engine)?;
        let done = self.terraform.run(work, &described, &watching, self.stop).await;
        let done = done.map_err(engine)?;
        if work == Work::Apply {
            let outputs = self.terraform.outputs(&described).await.map_err(engine)?;
            self.keep_outputs(stage, &outputs)?;
        }
        Ok(done)
    }

    /// What the cloud's side has for the engine.
    pub(super) async fn needs(&self, stage: &Stage) -> Result<EngineNeeds, Fault> {
        let Some(session) = self.session else {
            return Ok(EngineNeeds::default());
        };
        session.engine(self.infra_id, stage.name).await.map_err(refused)
    }

    /// The bootstrap machine's Ignition config, where it is completed with what earlier stages have created.
    fn completed_ignition(&self, variables: &[PathBuf]) -> Result<Option<Handed>, Fault> {
        let all = files::values(variables)?;
        let ignition = all.get(IGNITION).and_then(Value::as_str).unwrap_or_default();
        let completed = self.platform.completed_ignition(ignition, &all);
        Ok(completed.map(|text| (COMPLETED_IGNITION, Secret::new(text.into_bytes()))))
    }

    /// The variables of the environment, those that name a file among them.
    pub(super) fn environment(&self, needs: &EngineNeeds) -> Result<Vec<(String, Secret<String>)>, Fault> {
        let mut environment: Vec<(String, Secret<String>)> =
            needs.variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        for (name, bytes) in &needs.files {
            let path = self.cluster.write_record(&format!("{NEEDS}/{name}"), bytes.expose())?;
            let path = std::path::absolute(&path).unwrap_or(path);
            environment.push(((*name).to_owned(), Secret::new(path.display().to_string())));
        }
        Ok(environment)
    }

    pub(super) fn clear(&self, needs: &EngineNeeds) -> Result<(), Fault> {
        for (name, _) in &needs.files {
            self.cluster.remove_record(&format!("{NEEDS}/{name}"))?;
        }
        Ok(())
    }

    /// Writes the outputs of a stage as variables of the next ones.
    fn keep_outputs(&mut self, stage: &Stage, outputs: &Map<String, Value>) -> Result<(), Fault> {
        // Text as keys and finite numbers: this always is JSON.
        let text = serde_json::to_string_pretty(outputs).unwrap_or_default() + "\n";
        let path = format!("{FOLDER}/{}", outputs_file(stage));
        let set = FileSet::of([(path, text.into_bytes(), true)]).map_err(landfall_workdir::Error::from)?;
        self.cluster.write(&step(stage, Work::Apply), &set)?;
        Ok(())
    }

    fn note(
        &self,
        stage: &Stage,
        work: Work,
        result: StepResult,
        detail: &str,
        inputs: &str,
    ) -> Result<(), Fault> {
        self.cluster.note(&Step {
            time: (self.now)(),
            step: step(stage, work),
            result,
            detail: detail.to_owned(),
            inputs: inputs.to_owned(),
        })?;
        Ok(())
    }
}

/// What the journal of steps keeps of a fault.
fn detail(fault: &Fault) -> String {
    match fault {
        Fault::Engine { fault, .. } => fault.to_string(),
        fault => fault.to_string(),
    }
}

/// What the cloud refuses, as a fault.
#[must_use]
pub fn refused(verdict: Verdict) -> Fault {
    Fault::Refused(match verdict {
        Verdict::Found(finding) => finding,
        Verdict::Skipped(why) | Verdict::Unanswered(why) | Verdict::Passed(why) => {
            Box::new(pages::not_gathered("engine", &why))
        }
    })
}
