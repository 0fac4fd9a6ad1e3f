//! `landfall destroy bootstrap`.

mod aso;
mod gate;
mod native;

use std::path::{Path, PathBuf};

use landfall_engine_terraform::Stop;
use landfall_model::plan::{self, Stage};
use landfall_platform::Platform;
use landfall_platform::cloud::Asking;
use landfall_platform::removal::Target;
use serde_json::json;

use super::{no_cloud, whereabouts};
use crate::cli::asking::{AskArgs, Live};
use crate::cli::aso::management::KubeconfigArgs;
use crate::cli::create::BasisArgs;
use crate::cli::engine::{EngineArgs, Shown};
use crate::cli::input::Reading;
use crate::cli::{Ended, Exit, Settings, engine};
use crate::install::{Existing, Fault, Recovery, Site, StageDone};
use crate::prepare::target::{Named, Unnamed};
use crate::prepare::{Basis, BasisOptions, Environment, Examined, target};
use crate::ui::{counted, json as json_form};
use crate::workdir::ClusterDir;
use crate::{install, prepare, ui};

/// Destroy the bootstrap machine
///
/// Removes the bootstrap machine and its resources, after `landfall wait-for bootstrap-complete`. Keeps the
/// rest of the cluster. Safe to repeat.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,

    /// Remove the machine although the cluster does not say that its bootstrap is complete
    #[arg(long)]
    force: bool,

    /// Whether another command goes on from here, and says how to continue.
    #[arg(skip)]
    is_part: bool,

    #[command(flatten)]
    terraform: EngineArgs,

    #[command(flatten)]
    management: KubeconfigArgs,

    #[command(flatten)]
    basis: BasisArgs,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    asking: AskArgs,
}

impl Args {
    /// For a cluster that has just said that its bootstrap is complete, with the flags of another command.
    pub fn after_wait(
        terraform: &EngineArgs,
        management: &KubeconfigArgs,
        basis: &BasisArgs,
        reading: Reading,
        asking: &AskArgs,
    ) -> Self {
        Self {
            yes: true,
            force: true,
            is_part: true,
            terraform: terraform.clone(),
            management: management.clone(),
            basis: basis.clone(),
            reading,
            asking: asking.clone(),
        }
    }
}

/// Removes what only the installation needs.
///
/// # Errors
/// A stream cannot be written, or something outside of the input went wrong.
pub fn run(args: &Args, settings: &Settings) -> Result<Exit, Ended> {
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    // Where nothing of a cluster is, nothing is left behind.
    let named = target::of_cluster(&directory).map_err(Unnamed::by_directory)?;
    let noted = named.engine();
    let engine = noted.as_ref().and_then(|engine| plan::Engine::named(&engine.name));
    match (prepare::engine_of(&directory, engine), noted) {
        (Some(plan::Engine::Aso), Some(engine)) => return aso::remove(args, &named, engine, settings),
        (Some(plan::Engine::Native), _) => return native::remove(args, &named, settings),
        _ => {}
    }
    let (platform, going) = (named.platform, named.target.clone());
    if platform.stages().is_empty() {
        return Err(no_cloud(platform));
    }
    let mut cluster = ClusterDir::open(&directory)?;
    match install::never_begun(&cluster, platform) {
        Ok(false) => {}
        Ok(true) => return finish(args, Ok(()), &[], &going, settings),
        Err(fault) => return finish(args, Err(fault), &[], &going, settings),
    }
    let existing = install::existing_with_replaced(&directory, platform);
    agreed(args, &named, temporary(platform, &existing), settings)?;
    let runtime = prepare::runtime()?;
    let terraform = runtime.block_on(args.terraform.find())?;
    let live = Live::of_many("", &settings.printer);
    let (ask, world) = (args.asking.ask(&live), Environment);
    let known = config(args, &directory, settings);
    let session = known.as_ref().and_then(|(basis, examined)| {
        let asking = prepare::asking(&directory, examined, basis, &ask, &world);
        Some(prepare::cloud(examined)?.session(asking))
    });
    let removal = known.as_ref().and_then(|(basis, examined)| {
        let asking = prepare::asking(&directory, examined, basis, &ask, &world);
        Some(prepare::cloud(examined)?.removal(Asking { installed: true, ..asking }, &going))
    });
    let recovery = removal.as_deref().map(|removal| Recovery { removal, target: &going, allowed: true });
    let (shown, stop) = (Shown::new(settings), Stop::default());
    let mut done = Vec::new();
    let mut site = Site {
        cluster: &mut cluster,
        platform,
        infra_id: &going.infra_id,
        session: session.as_deref(),
        recovery,
        terraform: &terraform,
        watcher: &shown,
        drift: &[],
        stop: &stop,
        now: prepare::now,
    };
    let work = install::destroy_bootstrap(&mut site, &mut done);
    let result = runtime.block_on(engine::stoppable(work, &stop, &shown, engine::TERRAFORM_STOPS));
    drop(shown);
    drop((session, removal));
    runtime.shutdown_background();
    finish(args, result, &done, &going, settings)
}

/// How many resources exist that only the installation needs.
fn temporary(platform: &dyn Platform, existing: &[Existing]) -> usize {
    let stages = platform.stages().iter().filter(|stage| stage.only_for_bootstrap);
    let count = |stage: &Stage| existing.iter().find(|known| known.stage == stage.name).map(Existing::count);
    stages.filter_map(count).sum()
}

/// Makes sure that the bootstrap is complete, and that the user wants the removal.
fn agreed(args: &Args, named: &Named, count: usize, settings: &Settings) -> Result<(), Ended> {
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    if !args.force
        && let Some(finding) = gate::obstacle(&directory, settings)
    {
        return Err(Ended::finding(finding, Exit::Unfit));
    }
    if args.yes {
        return Ok(());
    }
    if !ui::can_ask() {
        return Err(Ended::Usage("no terminal for the confirmation: use --yes".to_owned()));
    }
    let place = whereabouts(named, None, &directory);
    let count = counted(count, "resource");
    let id = &named.target.infra_id;
    let question = format!("Remove the bootstrap machine of {id}, {count} in {place}?");
    engine::consent(&question, None, settings)
}

/// The config of the cluster, where it can still be read: with it come endpoints and trust.
fn config(args: &Args, directory: &Path, settings: &Settings) -> Option<(Basis, Examined)> {
    // Endpoints and trust depend on no release, which the catalogue may no longer have.
    let options = args.basis.options().map(|options| BasisOptions { own_release: false, ..options });
    let basis = options.and_then(|options| Basis::new(&options, directory));
    let known = basis.ok().and_then(|basis| {
        let examined = prepare::examine(directory, &basis, args.reading.into()).ok()?;
        Some((basis, examined))
    });
    if known.is_none() {
        settings.printer.talk("install-config.yaml cannot be used: terraform gets the environment only");
    }
    known
}

fn finish(
    args: &Args,
    result: Result<(), Fault>,
    done: &[StageDone],
    target: &Target,
    settings: &Settings,
) -> Result<Exit, Ended> {
    let (findings, exit) = match result {
        Ok(()) => (Vec::new(), Exit::Done),
        Err(fault) => engine::judged(fault, true)?,
    };
    let outcome = match exit {
        Exit::Done => "done",
        Exit::Interrupted => "interrupted",
        _ => "stopped",
    };
    let id = &target.infra_id;
    let value = json!({
        "outcome": outcome,
        "infraID": id,
        "work": engine::stages(done),
        "findings": json_form::placeless(&findings),
    });
    let line = match done {
        [] => format!("no bootstrap machine of {id} was created from here"),
        _ => format!("the bootstrap machine of {id} is gone"),
    };
    engine::concluded(&value, (&findings, exit), &line, !args.is_part, settings)
}
