//! `OpenTofu` or Terraform: found, started, followed and understood.
//!
//! Terraform writes what it prints into files that are read as they grow, so that it finishes its work whatever
//! becomes of landfall; the next run finds it and waits. It begins with a mask under which no one else can read
//! what it writes. What it says is sorted, and shown without secrets.
//!
//! ```
//! use landfall_engine_terraform::resources;
//!
//! // The resources that a state has, and none where nothing was applied yet.
//! let stage = std::env::temp_dir().join("landfall-no-such-stage");
//! assert!(resources(&stage).is_ok_and(|resources| resources.is_empty()));
//! ```

#![forbid(unsafe_code)]

mod environment;
mod event;
mod fault;
mod install;
pub mod pages;
mod preview;
mod previous_run;
mod process;
mod program;
mod run_errors;
mod run_progress;
mod started;
mod state;
mod streams;
mod tail;

pub use environment::hide_environment;
pub use event::Action;
pub use fault::{Failed, Fault, Interrupted};
pub use landfall_net::stop::Stop;
pub use preview::{Change, Changes, Outside, Preview};
pub use previous_run::{AtWork, at_work};
pub use run_errors::{Cause, Trouble, lacks_capacity};
pub use run_progress::{Progress, Running};
pub use started::started;
pub use state::{complete_resources, ids, record_names, resources, tainted};

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use landfall_diagnostics::secret::Secret;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::time::Instant;

use event::Diagnostic;
use process::{Ended, Process};
use program::Program;
use run_progress::Tally;
use streams::Streams;
use tail::Tail;

/// How many resources are worked on at once.
const PARALLELISM: &str = "-parallelism=10";
/// What exists is taken from the state, and not read again.
const UNREAD: &str = "-refresh=false";
/// How long another one that works on the same state is waited for.
const LOCK_TIMEOUT: &str = "-lock-timeout=60s";

/// Where the program and its providers are looked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Search<'a> {
    /// The program that the user names.
    pub program: Option<&'a Path>,
    /// The folder with the providers, in place of all other sources.
    pub plugin_dir: Option<&'a Path>,
}

/// A program that was found and is new enough.
#[derive(Clone, Debug)]
pub struct Terraform {
    program: Program,
    plugin_dir: Option<PathBuf>,
    /// Whether runs begin without reading what exists.
    continues: bool,
}

/// A part of the infrastructure that is created, and can be removed, by itself.
#[derive(Clone, Copy, Debug)]
pub struct Stage<'a> {
    /// Its name: `cluster`.
    pub name: &'a str,
    /// The folder with its configuration, in which its state is kept as `terraform.tfstate`.
    pub folder: &'a Path,
    /// Files with values of its variables, later ones before earlier ones.
    pub variables: &'a [PathBuf],
    /// What is added to the environment. Of the values nothing secret is ever shown.
    pub environment: &'a [(String, Secret<String>)],
    /// The folder for what is printed; created if it is missing.
    pub log: &'a Path,
}

/// What is to be done with a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Apply the configuration.
    Apply,
    /// Remove it.
    Destroy,
}

impl Work {
    /// The work as terraform calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Apply => "apply",
            Self::Destroy => "destroy",
        }
    }
}

/// Sees how far the work is.
pub trait Watcher: Sync {
    /// The work is so far. Called whenever something has changed, and again and again while something lasts.
    fn changed(&self, progress: &Progress);
}

/// Work that is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// How many resources were added.
    pub added: usize,
    /// How many were changed in place.
    pub changed: usize,
    /// How many were removed.
    pub removed: usize,
    /// How long it took, without the time of waiting for an earlier run.
    pub took: Duration,
}

/// One value of `output -json`.
#[derive(Deserialize)]
struct Output {
    value: Value,
}

impl Terraform {
    /// The program that `search` names, else `tofu` or `terraform` on PATH, the first that is new enough.
    ///
    /// # Errors
    /// There is none, none is new enough, or it does not run.
    pub async fn find(search: &Search<'_>) -> Result<Self, Fault> {
        let plugin_dir = search.plugin_dir.map(process::whole).transpose()?;
        Ok(Self { program: program::find(search.program).await?, plugin_dir, continues: false })
    }

    /// The same program for runs right after one that stopped: what is in the state is not read again before the rest is
    /// created.
    #[must_use]
    pub fn continuing(&self) -> Self {
        Self { continues: true, ..self.clone() }
    }

    /// The product: `Terraform` or `OpenTofu`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.program.name
    }

    /// Its version.
    #[must_use]
    pub fn version(&self) -> &semver::Version {
        &self.program.version
    }

    /// Installs the providers of a stage, unless the last installation is still valid.
    ///
    /// # Errors
    /// A provider cannot be installed, the configuration cannot be read, or it was asked to stop.
    pub async fn init(&self, stage: &Stage<'_>, stop: &Stop) -> Result<(), Fault> {
        if install::stands(self, stage) {
            return Ok(());
        }
        previous_run::wait(self.program.name, stage, None, stop).await?;
        let had_data = install::has_data(stage);
        install::prepare(stage)?;
        match self.install(stage, stop).await {
            // What is left of an installation that was cut short can be in the way of a new one.
            Err(Fault::Init(_)) if had_data => {
                install::wipe(stage)?;
                self.install(stage, stop).await?;
            }
            other => other?,
        }
        install::note(self, stage);
        Ok(())
    }

    async fn install(&self, stage: &Stage<'_>, stop: &Stop) -> Result<(), Fault> {
        const WORK: &str = "init";
        self.not_stopped(stage, WORK, stop)?;
        let streams = Streams::create(stage.log, &format!("{}-{WORK}", stage.name), "log")?;
        let (output, errors) = (streams.output.clone(), streams.errors.clone());
        let arguments = install::arguments(self.plugin_dir.as_deref());
        let process = Process::start(&self.program.path, stage, WORK, &arguments, streams)?;
        let ended = process.end(stage, stop, || {}).await?;
        self.judge(stage, WORK, ended, &Tally::default(), &output, &errors).map_err(|fault| match fault {
            Fault::Failed(failed) => Fault::Init(failed),
            other => other,
        })
    }

    /// Does the work on a stage that was prepared by [`Terraform::init`]. Waits before for an earlier run that
    /// still works on it. If this is dropped, terraform goes on, and the next run waits for it.
    ///
    /// # Errors
    /// Something could not be made or removed, or it was asked to stop. What was done until then stands in the
    /// state, and the next run goes on from there.
    pub async fn run(
        &self,
        work: Work,
        stage: &Stage<'_>,
        watcher: &dyn Watcher,
        stop: &Stop,
    ) -> Result<Done, Fault> {
        previous_run::wait(self.program.name, stage, Some(watcher), stop).await?;
        self.not_stopped(stage, work.name(), stop)?;
        state::restrict(stage.folder)?;
        let streams = Streams::create(stage.log, &format!("{}-{}", stage.name, work.name()), "jsonl")?;
        let (output, errors) = (streams.output.clone(), streams.errors.clone());
        let mut tail = Tail::open(&output).map_err(Fault::file("read", &output))?;
        let mut arguments = arguments(work, stage)?;
        if self.continues && work == Work::Apply {
            arguments.push(UNREAD.into());
        }
        let began = Instant::now();
        let process = Process::start(&self.program.path, stage, work.name(), &arguments, streams)?;

        let mut tally = Tally::default();
        let mut told = Progress::default();
        watcher.changed(&told);
        let ended = process
            .end(stage, stop, || {
                // An unreadable stream must not end the supervision of Terraform.
                let _ = tail.follow(&mut |line| {
                    tally.take(line, began.elapsed());
                });
                let progress = tally.progress(began.elapsed());
                if progress != told {
                    watcher.changed(&progress);
                    told = progress;
                }
            })
            .await?;
        let took = began.elapsed();
        let _ = tail.finish(&mut |line| {
            tally.take(line, took);
        });
        watcher.changed(&tally.progress(took));
        if tally.unknown + tally.broken > 0 {
            tracing::debug!(unknown = tally.unknown, broken = tally.broken, "lines of terraform skipped");
        }

        let judged = self.judge(stage, work.name(), ended, &tally, &output, &errors);
        if let Err(Fault::Failed(failed)) = &judged
            && failed.troubles.iter().any(|trouble| trouble.cause == Cause::Provider)
        {
            install::forget(stage);
        }
        judged?;
        let counts = tally.counts();
        Ok(Done { added: counts.add, changed: counts.change, removed: counts.remove, took })
    }

    /// The outputs in a stage's state, by name. They may contain secrets.
    ///
    /// # Errors
    /// The state cannot be read.
    pub async fn outputs(&self, stage: &Stage<'_>) -> Result<Map<String, Value>, Fault> {
        let printed = self.with_state(stage, &["output", "-json", "-no-color"]).await?;
        let unusable = |why: String| Fault::State { path: stage.folder.join(state::STATE), why };
        let outputs: Map<String, Value> = serde_json::from_slice(&printed)
            .map_err(|_| unusable("its outputs cannot be read".to_owned()))?;
        let value = |(name, output)| {
            let output: Output = serde_json::from_value(output).ok()?;
            Some((name, output.value))
        };
        outputs
            .into_iter()
            .map(value)
            .collect::<Option<Map<String, Value>>>()
            .ok_or_else(|| unusable("its outputs have an unknown format".to_owned()))
    }

    /// Has the next run keep a resource that it would replace, as its creation failed.
    ///
    /// # Errors
    /// The state does not have it, or cannot be read or written.
    pub async fn untaint(&self, stage: &Stage<'_>, address: &str) -> Result<(), Fault> {
        self.with_state(stage, &["untaint", "-no-color", address]).await?;
        state::restrict(stage.folder)
    }

    /// What a command about the state of a stage prints.
    async fn with_state(
        &self,
        stage: &Stage<'_>,
        arguments: &[impl AsRef<std::ffi::OsStr>],
    ) -> Result<Vec<u8>, Fault> {
        let folder = process::whole(stage.folder)?;
        let mut command = tokio::process::Command::new(&self.program.path);
        command.args(arguments).current_dir(&folder).stdin(std::process::Stdio::null()).kill_on_drop(true);
        environment::prepare_stage(&mut command, stage, &folder);
        let cannot_run = |source| Fault::CannotRun { program: self.program.path.clone(), source };
        let output = command.output().await.map_err(cannot_run)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let error = run_errors::plain(&said).into_iter().next().or_else(|| run_errors::last_words(&said));
        let why = Trouble::of(&error.unwrap_or_default(), &environment::secrets(stage)).said;
        Err(Fault::State { path: folder.join(state::STATE), why })
    }

    fn not_stopped(&self, stage: &Stage<'_>, work: &str, stop: &Stop) -> Result<(), Fault> {
        if stop.is_asked() { Err(self.interrupted(stage, work, &Tally::default())) } else { Ok(()) }
    }

    fn interrupted(&self, stage: &Stage<'_>, work: &str, tally: &Tally) -> Fault {
        let progress = tally.progress(Duration::ZERO);
        Fault::Interrupted(Interrupted {
            engine: self.program.name,
            stage: stage.name.to_owned(),
            work: work.to_owned(),
            earlier: None,
            done: progress.done,
            total: progress.total,
        })
    }

    /// What the end of a run comes to.
    fn judge(
        &self,
        stage: &Stage<'_>,
        work: &'static str,
        ended: Ended,
        tally: &Tally,
        output: &Path,
        errors: &Path,
    ) -> Result<(), Fault> {
        let engine = self.program.name;
        if ended.stopped {
            return Err(self.interrupted(stage, work, tally));
        }
        if let Some(signal) = ended.signal {
            let (stage, work) = (stage.name.to_owned(), work.to_owned());
            return Err(Fault::Killed { engine, stage, work, signal });
        }
        if ended.code == Some(0) {
            return Ok(());
        }
        let scrub = environment::secrets(stage);
        let said = if tally.errors.is_empty() { for_people(output, errors) } else { tally.errors.clone() };
        Err(Fault::Failed(Failed {
            engine,
            stage: stage.name.to_owned(),
            work,
            troubles: said.iter().map(|error| Trouble::of(error, &scrub)).collect(),
            code: ended.code,
            log: output.to_owned(),
        }))
    }
}

/// The errors of a run without error events: its output for people.
fn for_people(output: &Path, errors: &Path) -> Vec<Diagnostic> {
    let text = |path: &Path| {
        let bytes = streams::read(path).ok().flatten().unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let (output, errors) = (text(output), text(errors));
    let mut found = run_errors::plain(&errors);
    found.extend(run_errors::plain(&output));
    if found.is_empty() {
        found.extend(run_errors::last_words(&errors));
    }
    found
}

/// What a run is called with.
fn arguments(work: Work, stage: &Stage<'_>) -> Result<Vec<OsString>, Fault> {
    let fixed = [work.name(), "-json", "-input=false", "-auto-approve", PARALLELISM, LOCK_TIMEOUT];
    let mut arguments: Vec<OsString> = fixed.iter().map(OsString::from).collect();
    for file in stage.variables {
        let mut argument = OsString::from("-var-file=");
        argument.push(process::whole(file)?);
        arguments.push(argument);
    }
    Ok(arguments)
}
