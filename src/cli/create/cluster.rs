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

use super::{BasisArgs, FactsArgs};
use crate::cli::accept::AcceptArgs;
use crate::cli::asking::{AskArgs, Live};
use crate::cli::engine::EngineArgs;
use crate::cli::input::Reading;
use crate::cli::{Ended, Exit, Settings};
use crate::prepare::{Basis, Environment, Examined, FactsFrom, IgnitionFrom, Options};
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

/// What a part of the run gives, or how the run ended.
type Going<T> = Result<T, Ended>;

/// Makes the infrastructure of the cluster in the cluster directory.
///
/// # Errors
/// A stream cannot be written, or something outside of the input went wrong.
pub fn run(args: &Args, settings: &Settings) -> Going<Exit> {
    if !args.plan && !args.yes && !ui::can_ask() {
        let why = "no terminal for the confirmation: use --yes, or --plan to see what would be created";
        return Err(Ended::Usage(why.to_owned()));
    }
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let basis = args.basis.basis(&directory, settings)?;
    let examined = prepare::examine(&directory, &basis, args.reading.into())?;
    let prices = args.prices.read(&examined.config)?;
    let platform = active(&examined.config).filter(|platform| !platform.stages().is_empty());
    let platform = platform.ok_or_else(|| prepare::Error::NoModules { platform: examined.platform() })?;
    let noted = begun::engine(&directory)?;
    let implied = flags::of_terraform(args).map(|_| EngineName::Terraform);
    let engine = begun::chosen(args.engine, implied, noted.as_ref(), &directory)
        .map_err(|finding| Ended::finding(*finding, Exit::Failed))?;
    examined.refuse_engine(&basis, engine.into())?;
    let machines = args.aso.makes_machines(noted.as_ref());
    if let Some(line) = flags::misplaced(args, engine, machines) {
        return Err(Ended::Usage(line));
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
        Ok(Exit::Done) if goes_on => Ok(road::go(args, &directory, settings)?),
        exit => exit,
    }
}

impl Job<'_> {
    fn run(&self, asking: &Asking<'_>, ask: &prepare::Ask<'_>) -> Going<Exit> {
        match self.engine {
            EngineName::Aso => return self.aso(asking, ask),
            EngineName::Native => return self.native(asking, ask),
            EngineName::Terraform => {}
        }
        let find = || self.runtime.block_on(self.args.terraform.find());
        let terraform = (!self.args.plan).then(find).transpose()?;
        // What is wrong here is known at once; the cloud takes a while.
        if terraform.is_some() {
            self.ignition().look(self.directory)?;
        }
        let facts = self.facts(asking, ask)?;
        ask.watcher.over();
        match &terraform {
            Some(terraform) => self.make(terraform, facts, asking),
            None => self.show(facts),
        }
    }

    /// Whether the run goes on once the infrastructure exists.
    fn goes_on(&self) -> bool {
        let machines_are_made = self.machines || self.engine != EngineName::Aso;
        road::goes_on(self.args, machines_are_made, self.directory, self.settings)
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
