//! The engine on the command line: its flags, its progress, and how its faults end a run.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::future::pending;
use landfall_diagnostics::{Finding, clock};
use landfall_engine_terraform::{Fault as EngineFault, Progress, Search, Stop, Terraform, Work};
use landfall_net::calls;
use serde_json::{Value, json};

use super::signals::Signals;
use super::{Ended, Exit, Output, Settings};
use crate::install::{End, Fault, StageDone, Watcher};
use crate::ui::prompt::{NoAnswer, Prompts};
use crate::ui::{Printer, Pulse, StageBars, counted, json as json_form, text};
use crate::workdir::{ClusterDir, Step, StepResult};
use crate::{prepare, workdir};

/// Which engine, and where its parts are.
#[derive(Clone, Debug, clap::Args)]
pub struct EngineArgs {
    /// Terraform or OpenTofu program; default: the first on PATH that is new enough
    #[arg(long, value_name = "PATH", value_hint = clap::ValueHint::ExecutablePath)]
    terraform: Option<PathBuf>,

    /// Folder with Terraform providers; no download
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    plugin_dir: Option<PathBuf>,
}

impl EngineArgs {
    /// A flag that is given, if any is.
    #[must_use]
    pub fn given(&self) -> Option<&'static str> {
        let plugins = self.plugin_dir.as_ref().map(|_| "--plugin-dir");
        self.terraform.as_ref().map(|_| "--terraform").or(plugins)
    }

    /// The engine that the flags and PATH give.
    ///
    /// # Errors
    /// There is none, or it is too old or does not run.
    pub async fn find(&self) -> Result<Terraform, Ended> {
        let search = Search { program: self.terraform.as_deref(), plugin_dir: self.plugin_dir.as_deref() };
        let found = Terraform::find(&search).await;
        found.map_err(|fault| Ended::Findings(fault.finding(), Exit::Failed))
    }
}

/// Shows the stages on a terminal as bars, elsewhere as lines.
pub struct Shown<'p> {
    bars: StageBars,
    drawn: bool,
    printer: &'p Printer,
    waits: AtomicBool,
    /// Stages of which was said that there is nothing to do.
    known: Vec<&'static str>,
    pulse: Pulse,
}

/// The line about a stage that lasts, where nothing is drawn.
fn beat(stage: &str, progress: &Progress, taken: Duration, message: &str) -> String {
    let done = match progress.total {
        Some(total) => format!("{} of {} done", progress.done, counted(total, "resource")),
        None => "planning".to_owned(),
    };
    let waits = if message.is_empty() { String::new() } else { format!(", waiting for {message}") };
    format!("stage {stage}: {done}, {}{waits}", clock(taken))
}

impl<'p> Shown<'p> {
    /// To the user of these settings.
    pub fn new(settings: &'p Settings) -> Self {
        let drawn = settings.printer.draws();
        let (bars, waits) = (StageBars::new(drawn, None), AtomicBool::new(false));
        Self { bars, drawn, printer: &settings.printer, waits, known: Vec::new(), pulse: Pulse::default() }
    }

    /// The same, for somebody who knows that there is nothing to do about these stages.
    pub fn knowing(self, stages: Vec<&'static str>) -> Self {
        Self { known: stages, ..self }
    }

    fn say(&self, line: &str) {
        if self.drawn {
            self.bars.line(line);
            self.printer.record(line);
        } else {
            self.printer.talk(line);
        }
    }
}

impl Watcher for Shown<'_> {
    fn began(&self, stage: &str, work: Work) {
        self.bars.began(stage);
        if !self.drawn {
            let verb = match work {
                Work::Apply => "being created",
                Work::Destroy => "being removed",
            };
            self.printer.talk(&format!("stage {stage}: {verb}"));
        }
    }

    fn changed(&self, stage: &str, _: Work, progress: &Progress) {
        if let Some(pid) = progress.waiting_for_earlier
            && !self.waits.swap(true, Ordering::Relaxed)
        {
            let line =
                format!("stage {stage}: process {pid} of an earlier run is still running; waiting for it");
            self.say(&line);
        }
        let slowest = progress.running.first();
        let message = slowest.map(|one| {
            let wait = one.wait.as_ref().map(|wait| format!(" {wait}")).unwrap_or_default();
            format!("{} {}{wait}", one.address, clock(Duration::from_secs(one.seconds)))
        });
        // What terraform asks is its own; landfall's own engine says it.
        let message = message.or_else(calls::current).unwrap_or_default();
        self.bars.at(progress.done, progress.total, &message);
        if let Some(taken) = self.pulse.due().filter(|_| !self.drawn) {
            self.printer.talk(&beat(stage, progress, taken, &message));
        }
    }

    fn ended(&self, done: &StageDone) {
        self.pulse.told();
        let line = match &done.end {
            End::Done { added, changed, removed, took } => {
                let mut parts = Vec::new();
                for (count, what) in [(added, "created"), (changed, "changed"), (removed, "removed")] {
                    if *count > 0 {
                        parts.push(format!("{count} {what}"));
                    }
                }
                let what = if parts.is_empty() { "nothing to do".to_owned() } else { parts.join(", ") };
                format!("stage {}: {what}, in {}", done.stage, clock(*took))
            }
            End::Before { .. } if self.known.contains(&done.stage.as_str()) => return,
            End::Before { time } => match done.work {
                Work::Apply => format!("stage {}: created at {time}, unchanged since", done.stage),
                Work::Destroy => format!("stage {}: removed at {time}", done.stage),
            },
            End::Stopped => format!("stage {}: not finished", done.stage),
        };
        if self.drawn {
            self.bars.ended(&line);
            self.printer.record(&line);
        } else {
            self.printer.talk(&line);
        }
    }

    fn told(&self, line: &str) {
        self.say(line);
    }
}

/// Asks whether to go on, and says `otherwise` where it is not to.
///
/// # Errors
/// The user does not want it, or the terminal is gone.
pub fn consent(question: &str, otherwise: Option<&str>, settings: &Settings) -> Result<(), Ended> {
    let prompts = Prompts::new(settings.printer.colours().talk);
    let exit = match prompts.and_then(|prompts| prompts.confirm(question)) {
        Ok(true) => return Ok(()),
        Ok(false) => Exit::Failed,
        Err(NoAnswer::Stopped) => Exit::Interrupted,
        Err(fault) => return Err(Ended::Failed(fault.into())),
    };
    if let Some(line) = otherwise {
        settings.printer.talk(line);
    }
    Err(Ended::Said(exit))
}

/// What is said where terraform is asked to stop.
pub const TERRAFORM_STOPS: [&str; 2] = [
    "stopping: terraform finishes its current operations and saves its state",
    "still stopping: terraform finishes its current operations, so that nothing is lost",
];

/// The work, which is asked to stop whenever the user or the system asks the program to. The lines are said the first
/// time, and each time after that.
pub async fn stoppable<T>(
    work: impl Future<Output = T>,
    stop: &Stop,
    shown: &Shown<'_>,
    lines: [&str; 2],
) -> T {
    tokio::select! {
        biased;
        never = listen(stop, shown, lines) => match never {},
        result = work => result,
    }
}

/// Asks the work to stop as [`stoppable`] says; never ends by itself.
async fn listen(stop: &Stop, shown: &Shown<'_>, lines: [&str; 2]) -> Infallible {
    let Some(mut signals) = Signals::new() else {
        // Terraform then goes on without the program.
        return pending().await;
    };
    let [mut line, again] = lines;
    loop {
        signals.next().await;
        stop.ask();
        shown.told(line);
        line = again;
    }
}

/// What is to be said of a fault, and the exit code for it. `stands` says whether some of the infrastructure
/// does.
///
/// # Errors
/// The fault is none of the cloud's or the engine's.
pub fn judged(fault: Fault, stands: bool) -> anyhow::Result<(Vec<Finding>, Exit)> {
    let interrupted = fault.is_interrupted();
    let is_killed =
        matches!(&fault, Fault::Engine { fault, .. } if matches!(**fault, EngineFault::Killed { .. }));
    let may_pass = matches!(&fault, Fault::Engine { fault, .. } if fault.may_pass(false, false));
    let findings = match fault {
        Fault::Refused(finding) => vec![*finding],
        Fault::Engine { fault, .. } => fault.finding(),
        Fault::Native { findings, .. } => findings,
        // Without the flag the same command ends so again.
        Fault::Untracked(finding) => return Ok((vec![*finding], Exit::Unfit)),
        Fault::Unseen(findings) => {
            let exit = Exit::of_cloud(landfall_destroy::may_pass(&findings));
            return Ok((findings, exit));
        }
        fault => return Err(fault.into()),
    };
    // What it was creating is not in its state.
    let exit = match (interrupted, stands || is_killed || may_pass) {
        (true, _) => Exit::Interrupted,
        (false, true) => Exit::PartWay,
        (false, false) => Exit::Unfit,
    };
    Ok((findings, exit))
}

/// Adds to the journal of steps.
///
/// # Errors
/// The journal cannot be written.
pub fn note(
    cluster: &ClusterDir,
    step: &str,
    result: StepResult,
    detail: &str,
) -> Result<(), workdir::Error> {
    note_given(cluster, step, result, detail, String::new())
}

/// The same, with a fingerprint of what the step was given.
///
/// # Errors
/// The journal cannot be written.
pub fn note_given(
    cluster: &ClusterDir,
    step: &str,
    result: StepResult,
    detail: &str,
    inputs: String,
) -> Result<(), workdir::Error> {
    let (step, detail) = (step.to_owned(), detail.to_owned());
    cluster.note(&Step { time: prepare::now(), step, result, detail, inputs })
}

/// Shows findings that have no place in a file, unless they go into JSON.
pub fn report(findings: &[Finding], settings: &Settings) {
    if settings.output != Output::Json {
        settings.printer.report(&text::placeless(findings, settings.printer.styles().talk));
    }
}

/// Says why a run ended before it began.
///
/// # Errors
/// Standard output cannot be written.
pub fn ended(outcome: &str, findings: &[Finding], exit: Exit, settings: &Settings) -> anyhow::Result<Exit> {
    if settings.output == Output::Json {
        let value = json!({ "outcome": outcome, "findings": json_form::placeless(findings) });
        settings.printer.data(&format!("{value}\n"))?;
    }
    report(findings, settings);
    Ok(exit)
}

/// Says how work ended: as data, or with its findings and a line where it is done. Else the user may be told how to go on.
///
/// # Errors
/// Standard output cannot be written.
pub fn concluded(
    data: &Value,
    (findings, exit): (&[Finding], Exit),
    done: &str,
    advises: bool,
    settings: &Settings,
) -> Result<Exit, Ended> {
    if settings.output == Output::Json {
        settings.printer.data(&format!("{data}\n"))?;
        return Ok(exit);
    }
    report(findings, settings);
    if exit == Exit::Done {
        settings.printer.data(&format!("{done}\n"))?;
    } else if advises {
        settings.printer.talk("run the same command again to continue");
    }
    Ok(exit)
}

/// What was done with the stages, as data.
pub fn stages(done: &[StageDone]) -> Vec<Value> {
    let values = done.iter().map(|done| {
        let mut value = json!({ "name": done.stage, "work": done.work.name() });
        let more = match &done.end {
            End::Done { added, changed, removed, took } => json!({
                "result": "done",
                "added": added,
                "changed": changed,
                "removed": removed,
                "seconds": took.as_secs(),
            }),
            End::Before { time } => json!({ "result": "unchanged", "since": time }),
            End::Stopped => json!({ "result": "stopped" }),
        };
        if let (Some(value), Value::Object(more)) = (value.as_object_mut(), more) {
            value.extend(more);
        }
        value
    });
    values.collect()
}
