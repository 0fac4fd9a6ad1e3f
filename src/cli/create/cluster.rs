//! `landfall create cluster`.

mod aso;
mod begun;
mod capacity;
mod checked;
mod confirm;
mod cost;
mod flags;
mod native;
mod recovery;
mod road;
mod started;
mod steps;
mod terraform;

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use landfall_diagnostics::Code;
use landfall_install_config::verdict::active;
use landfall_model::prices::Prices;
use landfall_platform::Platform;
use landfall_platform::cloud::{Asking, Session};
use tokio::runtime::Runtime;

use super::{BasisArgs, FactsArgs, outcome};
use crate::cli::accept::AcceptArgs;
use crate::cli::asking::{AskArgs, Live};
use crate::cli::destroy::unnamed;
use crate::cli::engine::EngineArgs;
use crate::cli::input::Reading;
use crate::cli::{Exit, Settings, engine};
use crate::prepare::{Basis, Environment, Examined, FactsFrom, IgnitionFrom, Options, Refusal};
use crate::workdir::Durability;
use crate::{prepare, ui};

/// Create a cluster's infrastructure
///
/// Validates `install-config.yaml`, runs the checks of `landfall preflight`, writes all files like `landfall
/// create manifests`, and creates the infrastructure. After any stop, run the same command again to continue.
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    facts: FactsArgs,

    /// Folder with bootstrap.ign, master.ign and worker.ign; `openshift-install` creates them from the
    /// manifests; default: the cluster directory
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    ignition: Option<PathBuf>,

    /// Engine; default: that of the cluster, else native
    ///
    /// A flag of Terraform alone implies `terraform`.
    #[arg(long, value_enum, value_name = "ENGINE")]
    engine: Option<EngineName>,

    /// Show the plan; create neither files nor resources
    #[arg(long)]
    plan: bool,

    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,

    /// Continue until the cluster is installed; default on a terminal when auth/kubeconfig exists
    #[arg(long, conflicts_with_all = ["plan", "no_wait"])]
    wait: bool,

    /// Stop once the infrastructure exists
    #[arg(long)]
    no_wait: bool,

    /// Import resources that are missing in Terraform's state, or remove them
    #[arg(long, conflicts_with = "plan")]
    recover: bool,

    #[command(flatten)]
    prices: cost::PricesArgs,

    #[command(flatten)]
    accept: AcceptArgs,

    #[command(flatten)]
    terraform: EngineArgs,

    #[command(flatten)]
    aso: flags::AsoArgs,

    // The heading of the flags above would go on otherwise.
    #[command(flatten, next_help_heading = Option::<&'static str>::None)]
    basis: BasisArgs,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    asking: AskArgs,
}

/// What makes the infrastructure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum EngineName {
    /// Landfall itself
    Native,
    /// Terraform or `OpenTofu` on this machine
    Terraform,
    /// Azure Service Operator in a management cluster
    Aso,
}

/// The word that has the ignition files made by the OpenShift installer.
const INSTALLER: &str = "openshift-install";

/// A cluster that is about to be made.
struct Job<'a> {
    args: &'a Args,
    settings: &'a Settings,
    directory: &'a Path,
    basis: &'a Basis,
    examined: &'a Examined,
    platform: &'static dyn Platform,
    runtime: &'a Runtime,
    session: Option<&'a dyn Session>,
    engine: EngineName,
    /// Whether the operator makes the machines.
    machines: bool,
    /// The prices that the user gives.
    prices: Option<Prices>,
    /// The checks that failed and were accepted.
    accepted: RefCell<Vec<String>>,
    /// The findings that the checks have told: codes and messages.
    told: RefCell<Vec<(&'static Code, String)>>,
}

/// How far a run came that ended before its time.
enum Ended {
    /// Everything has been said.
    Said(Exit),
    /// A refusal that has not been said yet.
    Refused(Refusal),
}

impl From<Refusal> for Ended {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// What a part of the run gives, or how the run ended.
type Going<T> = Result<T, Ended>;

/// Makes the infrastructure of the cluster in the cluster directory.
///
/// # Errors
/// A stream cannot be written, or something outside of the input went wrong.
pub fn run(args: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    if !args.plan && !args.yes && !ui::can_ask() {
        settings.printer.report(
            "error: no terminal for the confirmation: use --yes, or --plan to see what would be created\n",
        );
        return Ok(Exit::Usage);
    }
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let examined = args.basis.basis(&directory, settings).and_then(|basis| {
        let examined = prepare::examine(&directory, &basis, args.reading.into())?;
        let prices = args.prices.read(&examined.config)?;
        Ok((basis, examined, prices))
    });
    let (basis, examined, prices) = match examined {
        Ok(examined) => examined,
        Err(refusal) => return outcome::refused(refusal, settings),
    };
    let Some(platform) = active(&examined.config).filter(|platform| !platform.stages().is_empty()) else {
        let platform = examined.platform();
        return outcome::refused(prepare::Error::NoModules { platform }.into(), settings);
    };
    let noted = match begun::engine(&directory) {
        Ok(noted) => noted,
        Err(why) => return unnamed(why, settings),
    };
    let implied = flags::of_terraform(args).map(|_| EngineName::Terraform);
    let engine = match begun::chosen(args.engine, implied, noted.as_ref(), &directory) {
        Ok(engine) => engine,
        Err(finding) => return aso::refused(&[*finding], Exit::Failed, settings),
    };
    if let Err(refusal) = examined.refuse_engine(&basis, engine.into()) {
        return outcome::refused(refusal, settings);
    }
    let machines = args.aso.makes_machines(noted.as_ref());
    if let Some(line) = flags::misplaced(args, engine, machines) {
        settings.printer.report(&format!("error: {line}\n"));
        return Ok(Exit::Usage);
    }
    let runtime = prepare::runtime()?;
    let live = Live::new("preflight", Some(args.asking.limit()), &settings.printer);
    let ask = args.asking.ask(&live);
    let world = Environment;
    let asking = prepare::asking(&directory, &examined, &basis, &ask, &world);
    let asking = Asking { engine: engine.into(), ..asking };
    let session = prepare::cloud(&examined).map(|cloud| cloud.session(asking));
    let job = Job {
        args,
        settings,
        directory: &directory,
        basis: &basis,
        examined: &examined,
        platform,
        runtime: &runtime,
        session: session.as_deref(),
        engine,
        machines,
        prices,
        accepted: RefCell::default(),
        told: RefCell::default(),
    };
    let exit = job.run(&asking, &ask);
    let goes_on = job.goes_on();
    drop(session);
    runtime.shutdown_background();
    match exit {
        Ok(Exit::Done) if goes_on => road::go(args, &directory, settings),
        exit => exit,
    }
}

impl Job<'_> {
    fn run(&self, asking: &Asking<'_>, ask: &prepare::Ask<'_>) -> anyhow::Result<Exit> {
        if self.engine == EngineName::Aso {
            return self.aso(asking, ask)?.or_else(|ended| self.end(ended));
        }
        if self.engine == EngineName::Native {
            return self.native(asking, ask)?.or_else(|ended| self.end(ended));
        }
        let terraform = if self.args.plan {
            None
        } else {
            match self.runtime.block_on(self.args.terraform.find()) {
                Ok(terraform) => Some(terraform),
                Err(fault) => return engine::missing(&fault, self.settings),
            }
        };
        // What is wrong here is known at once; the cloud takes a while.
        if terraform.is_some()
            && let Err(refusal) = self.ignition().look(self.directory)
        {
            return outcome::refused(refusal, self.settings);
        }
        let facts = self.facts(asking, ask)?;
        ask.watcher.over();
        let facts = match facts {
            Ok(facts) => facts,
            Err(ended) => return self.end(ended),
        };
        let made = match &terraform {
            Some(terraform) => self.make(terraform, facts, asking)?,
            None => self.show(facts)?,
        };
        made.or_else(|ended| self.end(ended))
    }

    /// Whether the run goes on once the infrastructure exists.
    fn goes_on(&self) -> bool {
        let machines_are_made = self.machines || self.engine != EngineName::Aso;
        road::goes_on(self.args, machines_are_made, self.directory, self.settings)
    }

    fn end(&self, ended: Ended) -> anyhow::Result<Exit> {
        match ended {
            Ended::Said(exit) => Ok(exit),
            Ended::Refused(refusal) => outcome::refused(refusal, self.settings),
        }
    }

    /// Where the user has the ignition files.
    fn ignition(&self) -> IgnitionFrom {
        match &self.args.ignition {
            Some(word) if word.as_os_str() == INSTALLER => IgnitionFrom::OpenshiftInstall(INSTALLER.into()),
            Some(directory) => IgnitionFrom::Directory(directory.clone()),
            // Machines that are made elsewhere get theirs there.
            None if self.engine == EngineName::Aso && !self.creates_boot_sources() => IgnitionFrom::None,
            None => IgnitionFrom::Directory(self.directory.to_owned()),
        }
    }

    fn options(&self, facts: FactsFrom<'static>) -> Options<'static> {
        Options {
            strictness: self.args.reading.into(),
            facts,
            infra_id: self.args.facts.infra_id.clone(),
            cluster_id: self.args.facts.cluster_id.map(|id| id.to_string()),
            ignition: self.ignition(),
            engine: match self.engine {
                EngineName::Aso => Some(self.args.aso.noted(self.machines)),
                here @ (EngineName::Terraform | EngineName::Native) => {
                    Some(prepare::Engine::here(here.into()))
                }
            },
            durability: Durability::Fsync,
        }
    }
}
