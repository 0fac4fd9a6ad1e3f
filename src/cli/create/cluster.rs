//! `landfall create cluster`.

mod aso;
mod begun;
mod checked;
mod flags;
mod native;
mod recovery;
mod started;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use landfall_engine_terraform::{Stop, Terraform};
use landfall_install_config::verdict::active;
use landfall_model::plan::Plan;
use landfall_platform::Platform;
use landfall_platform::cloud::{Asking, Session};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::summary::Summary;
use super::{BasisArgs, FactsArgs, closing, outcome};
use crate::cli::asking::{AskArgs, Live};
use crate::cli::destroy::unnamed;
use crate::cli::engine;
use crate::cli::engine::{EngineArgs, Shown};
use crate::cli::input::Reading;
use crate::cli::{Exit, Output, Settings};
use crate::install;
use crate::install::{Fault, Recovery, Site, StageDone};
use crate::prepare;
use crate::prepare::{
    Basis, Environment, Examined, FactsFrom, IgnitionFrom, Options, Outlook, Prepared, Refusal,
};
use crate::ui;
use crate::ui::json as json_form;
use crate::workdir::{ClusterDir, Durability};

/// Make the infrastructure of a cluster
///
/// Judges `install-config.yaml`, asks the cloud everything that `landfall preflight` asks, writes all files as
/// `landfall create manifests` does, and makes the infrastructure with terraform or `OpenTofu`. After any stop,
/// the same command goes on where the earlier one ended.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    facts: FactsArgs,

    /// Where bootstrap.ign, master.ign and worker.ign are; `openshift-install` has that program make them
    /// from the manifests. The cluster directory unless given
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    ignition: Option<PathBuf>,

    /// What makes the infrastructure; what began it, or terraform, unless given
    #[arg(long, value_enum, value_name = "ENGINE")]
    engine: Option<EngineName>,

    /// Show what would be made, and make nothing: neither files nor resources
    #[arg(long)]
    plan: bool,

    /// Do not ask before resources are made
    #[arg(short, long)]
    yes: bool,

    /// Import resources that terraform lost track of when it was killed, and remove those that cannot be imported
    #[arg(long, conflicts_with = "plan")]
    recover: bool,

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
    /// Terraform or `OpenTofu` on this machine
    Terraform,
    /// Azure Service Operator in a management cluster
    Aso,
    /// Landfall itself, on AWS
    Native,
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
            "error: there is no terminal to ask whether resources may be made: give --yes, or --plan to see \
             what would be made\n",
        );
        return Ok(Exit::Usage);
    }
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let examined = args.basis.basis(&directory, settings).and_then(|basis| {
        let examined = prepare::examine(&directory, &basis, args.reading.into())?;
        Ok((basis, examined))
    });
    let (basis, examined) = match examined {
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
    let engine = match begun::chosen(args.engine, noted.as_ref(), &directory) {
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
    let live = Live::new("preflight", settings.printer.draws());
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
    };
    let exit = job.run(&asking, &ask);
    drop(session);
    runtime.shutdown_background();
    exit
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
            None if self.engine == EngineName::Aso => IgnitionFrom::None,
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
                EngineName::Terraform => None,
                EngineName::Aso => Some(self.args.aso.noted(self.machines)),
                EngineName::Native => Some(prepare::Engine {
                    name: native::NAME.to_owned(),
                    namespace: String::new(),
                    machines: false,
                }),
            },
            durability: Durability::Fsync,
        }
    }

    /// Shows what would be made.
    fn show(&self, facts: FactsFrom<'static>) -> anyhow::Result<Going<Exit>> {
        let options = self.options(facts);
        let outlook = match prepare::outlook(self.directory, self.basis, self.examined, &options, Environment)
        {
            Ok(outlook) => outlook,
            Err(refusal) => return Ok(Err(refusal.into())),
        };
        let graph = match self.engine {
            EngineName::Native => match self.resources(&outlook.plan)? {
                Ok(graph) => Some(graph),
                Err(ended) => return Ok(Err(ended)),
            },
            EngineName::Terraform | EngineName::Aso => None,
        };
        let stages = install::standing_so_far(self.directory, self.platform)?;
        let summary = Summary::new(self.platform.outline(&outlook.plan), stages);
        if self.settings.output == Output::Json {
            let mut value = self.head("planned", &outlook.plan);
            value["summary"] = summary.json();
            value["findings"] = json_form::findings(&outcome::judged(&outlook.said)).into();
            if let Some(graph) = graph {
                value["resources"] = serde_json::to_value(graph.resources)?;
            }
            self.settings.printer.data(&format!("{value}\n"))?;
            return Ok(Ok(Exit::Done));
        }
        outcome::said(&outlook.said, self.settings);
        let mut text: String = summary.lines().into_iter().map(|line| line + "\n").collect();
        text += &summary.text(self.settings.printer.colours().data);
        for node in graph.iter().flat_map(|graph| &graph.resources) {
            let _ = writeln!(text, "  {:9}  {}", node.stage, node.name);
        }
        self.settings.printer.data(&text)?;
        self.stands_for(&outlook);
        Ok(Ok(Exit::Done))
    }

    /// Says that the infrastructure id of an outlook stands for one that is not made yet.
    fn stands_for(&self, outlook: &Outlook) {
        if !outlook.id_is_fixed {
            self.settings.printer.talk(&format!(
                "{} stands for the infrastructure id, which the first run that writes files makes; fix it with \
                 --infra-id",
                outlook.plan.identity.infra_id
            ));
        }
    }

    /// Writes the files and makes the infrastructure.
    fn make(
        &self,
        terraform: &Terraform,
        facts: FactsFrom<'static>,
        asking: &Asking<'_>,
    ) -> anyhow::Result<Going<Exit>> {
        let mut cluster = ClusterDir::open(self.directory)?;
        let options = self.options(facts);
        let prepared = prepare::prepare_in(&mut cluster, self.basis, self.examined, &options, Environment);
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(refusal) => return Ok(Err(refusal.into())),
        };
        outcome::told(self.directory, &prepared, self.settings);
        let stages = install::standing(&cluster, self.platform)?;
        let summary = Summary::new(self.platform.outline(&prepared.plan), stages);
        if let Some(exit) = self.refused(&prepared.plan, &summary)? {
            self.settings.printer.talk("nothing was made; the files are written");
            return Ok(Err(Ended::Said(exit)));
        }
        let shown = Shown::new(self.settings).knowing(summary.standing());
        let stop = Stop::default();
        let mut done = Done { stages: Vec::new(), adopted: Vec::new() };
        let finder = recovery::Finder::of(self.directory, asking);
        let mut allowed = self.args.recover;
        let result = loop {
            let removal = finder.removal();
            let recovery = finder.recovery(removal.as_deref(), allowed);
            let tools = Tools { terraform, recovery, shown: &shown, stop: &stop };
            let work = self.work(&mut cluster, &prepared.plan, tools, &mut done);
            let result = self.runtime.block_on(async {
                tokio::select! {
                    result = work => result,
                    never = engine::listen(&stop, &shown, engine::TERRAFORM_STOPS) => match never {},
                }
            });
            match result {
                Err(Fault::Untracked(finding)) if !self.args.yes && ui::can_ask() => {
                    engine::report(&[*finding], self.settings);
                    if let Some(exit) = engine::consent(recovery::QUESTION, self.settings)? {
                        self.settings.printer.talk("nothing was imported, removed or created");
                        return Ok(Err(Ended::Said(exit)));
                    }
                    allowed = true;
                }
                result => break result,
            }
        };
        drop(shown);
        let engine = json!({ "name": terraform.name(), "version": terraform.version().to_string() });
        self.finish(&cluster, engine, &prepared, &summary, &done, result, &[]).map(Ok)
    }

    /// Shows what will be made; how the run ends where the user does not want that.
    fn refused(&self, plan: &Plan, summary: &Summary) -> anyhow::Result<Option<Exit>> {
        let printer = &self.settings.printer;
        for line in summary.lines() {
            printer.talk(&line);
        }
        if self.settings.output != Output::Json {
            printer.aside(&summary.text(printer.colours().talk));
        }
        if self.args.yes || summary.is_complete() {
            return Ok(None);
        }
        let question = format!("Make the infrastructure of {}?", plan.identity.infra_id);
        engine::consent(&question, self.settings)
    }

    /// Marks what the user brought, and makes the rest.
    async fn work(
        &self,
        cluster: &mut ClusterDir,
        plan: &Plan,
        tools: Tools<'_>,
        done: &mut Done,
    ) -> Result<(), Fault> {
        let Tools { terraform, recovery, shown, stop } = tools;
        if let Some(session) = self.session {
            self.adopt(session, cluster, plan, shown, done).await?;
        }
        let mut site = Site {
            cluster,
            platform: self.platform,
            infra_id: &plan.identity.infra_id,
            session: self.session,
            recovery,
            terraform,
            watcher: shown,
            stop,
            now: prepare::now,
        };
        install::apply(&mut site, &mut done.stages).await
    }

    /// Says how it ended.
    #[allow(clippy::too_many_arguments, reason = "everything that is said at the end")]
    fn finish(
        &self,
        cluster: &ClusterDir,
        engine: Value,
        prepared: &Prepared,
        summary: &Summary,
        done: &Done,
        result: Result<(), Fault>,
        differences: &[landfall_diagnostics::Finding],
    ) -> anyhow::Result<Exit> {
        let (findings, exit) = match result {
            Ok(()) => (differences.to_vec(), Exit::Done),
            Err(fault) => engine::judged(fault, self.standing(cluster) > 0)?,
        };
        if self.settings.output == Output::Json {
            let word = match exit {
                Exit::Done => "done",
                Exit::Interrupted => "interrupted",
                Exit::PartWay => "stopped",
                _ => "refused",
            };
            let mut value = self.head(word, &prepared.plan);
            value["engine"] = engine;
            value["summary"] = summary.json();
            value["adopted"] = json!(done.adopted);
            value["work"] = engine::stages(&done.stages).into();
            value["resources"] = self.standing(cluster).into();
            let mut all: Vec<Value> = json_form::findings(&outcome::judged(&prepared.said));
            all.extend(json_form::placeless(&findings));
            value["findings"] = all.into();
            self.settings.printer.data(&format!("{value}\n"))?;
            return Ok(exit);
        }
        engine::report(&findings, self.settings);
        let standing = self.standing(cluster);
        if exit == Exit::Done {
            let id = &prepared.plan.identity.infra_id;
            let bootstrap_gone = summary.is_bootstrap_gone();
            let text = closing::next_steps(id, standing, bootstrap_gone, self.engine.into(), self.directory);
            self.settings.printer.data(&text)?;
        } else {
            let text = closing::again(standing, exit, !findings.is_empty(), self.directory);
            self.settings.printer.talk(&text);
        }
        Ok(exit)
    }

    fn head(&self, word: &str, plan: &Plan) -> Value {
        json!({
            "outcome": word,
            "dir": self.directory.display().to_string(),
            "infraID": plan.identity.infra_id,
            "clusterID": plan.identity.cluster_id,
            "release": plan.release,
        })
    }

    /// Resources that the engine knows of.
    fn standing(&self, cluster: &ClusterDir) -> usize {
        if self.engine == EngineName::Native {
            return install::noted_resources(cluster, self.platform);
        }
        let folder = cluster.root().join("terraform");
        let stages = self.platform.stages().iter();
        stages
            .map(|stage| {
                landfall_engine_terraform::resources(&folder.join(stage.name)).map_or(1, |all| all.len())
            })
            .sum()
    }
}

/// What the infrastructure is made with.
#[derive(Clone, Copy)]
struct Tools<'t> {
    terraform: &'t Terraform,
    recovery: Option<Recovery<'t>>,
    shown: &'t Shown<'t>,
    stop: &'t Stop,
}

/// What was done so far.
struct Done {
    stages: Vec<StageDone>,
    adopted: Vec<String>,
}
