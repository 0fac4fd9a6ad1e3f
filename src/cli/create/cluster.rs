//! `landfall create cluster`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::{BasisArgs, FactsArgs, outcome};
use crate::cli::asking::{AskArgs, Live};
use crate::cli::engine::{self, EngineArgs, Shown};
use crate::cli::input::Reading;
use crate::cli::{Exit, Output, Settings};
use crate::engine::terraform::{self, Stop, Terraform};
use crate::finding::Finding;
use crate::install::{self, Fault, Site, StageDone};
use crate::plan::Plan;
use crate::plan::outline::Outline;
use crate::platform::Platform;
use crate::platform::cloud::Session;
use crate::preflight::{self, Report};
use crate::prepare::{
    self, Basis, Environment, Examined, FactsFrom, IgnitionFrom, Options, Prepared, Refusal,
};
use crate::ui::{self, Judged, checks, counted, json as json_form};
use crate::verdict::active;
use crate::workdir::{ClusterDir, Durability, Step, StepResult};

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

    /// What makes the infrastructure
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t = EngineName::Terraform)]
    engine: EngineName,

    /// Show what would be made, and make nothing: neither files nor resources
    #[arg(long)]
    plan: bool,

    /// Do not ask before resources are made
    #[arg(short, long)]
    yes: bool,

    #[command(flatten)]
    terraform: EngineArgs,

    #[command(flatten)]
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
    let examined = Basis::new(&(&args.basis).into(), &directory).and_then(|basis| {
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
    let runtime = prepare::runtime()?;
    let live = Live::new("preflight", settings.printer.draws());
    let ask = args.asking.ask(&live);
    let world = Environment;
    let asking = prepare::asking(&directory, &examined, &basis, &ask, &world);
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
    };
    let exit = job.run(&asking, &ask);
    drop(session);
    runtime.shutdown_background();
    exit
}

impl Job<'_> {
    fn run(
        &self,
        asking: &crate::platform::cloud::Asking<'_>,
        ask: &prepare::Ask<'_>,
    ) -> anyhow::Result<Exit> {
        let terraform = if self.args.plan {
            None
        } else {
            match self.runtime.block_on(self.args.terraform.find()) {
                Ok(terraform) => Some(terraform),
                Err(fault) => return engine::missing(&fault, self.settings),
            }
        };
        let facts = self.facts(asking, ask)?;
        ask.watcher.over();
        let facts = match facts {
            Ok(facts) => facts,
            Err(ended) => return self.end(ended),
        };
        let made = match &terraform {
            Some(terraform) => self.make(terraform, facts)?,
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

    /// The facts, and with them the word of the cloud that nothing stands in the way.
    fn facts(
        &self,
        asking: &crate::platform::cloud::Asking<'_>,
        ask: &prepare::Ask<'_>,
    ) -> anyhow::Result<Going<FactsFrom<'static>>> {
        if let Some(given) = self.args.facts.given() {
            self.settings.printer.talk("the cloud is not asked whether something stands in the way");
            return Ok(Ok(given));
        }
        let Some(session) = self.session else {
            return Ok(Err(
                Refusal::Failed(prepare::Error::NoCloud { platform: self.examined.platform() }).into()
            ));
        };
        let identity = prepare::likely_identity(self.directory, self.examined);
        let run = preflight::run(session, asking, &identity, ask.pace, ask.watcher);
        let preflight::Asked { mut report, facts } = self.runtime.block_on(run);
        ask.watcher.over();
        report.place(&self.examined.config, &self.examined.said.text);
        if let Some(facts) = facts.filter(|_| report.passed()) {
            self.passed(&report);
            return Ok(Ok(FactsFrom::Given(Box::new(facts))));
        }
        self.failed(&report)?;
        Ok(Err(Ended::Said(Exit::Unfit)))
    }

    /// Says in a few lines that nothing stands in the way.
    fn passed(&self, report: &Report) {
        let findings = report.findings();
        let said = outcome::judged(&self.examined.said);
        if self.settings.output != Output::Json && !findings.is_empty() {
            let judged = Judged { findings: &findings, ..said };
            let text = ui::text::findings(&judged, self.settings.printer.colours().talk);
            self.settings.printer.aside(&text);
        }
        self.settings.printer.talk(&format!("preflight: {}", checks::summary(report)));
    }

    /// Says what stands in the way.
    fn failed(&self, report: &Report) -> anyhow::Result<()> {
        let said = &self.examined.said;
        if self.settings.output == Output::Json {
            self.settings.printer.data(&checks::json(report, &said.text))?;
            return Ok(());
        }
        let findings = report.findings();
        let judged = Judged { findings: &findings, ..outcome::judged(said) };
        let colour = self.settings.printer.colours().talk;
        self.settings.printer.report(&checks::text(report, &judged, colour));
        self.settings.printer.talk(&format!("preflight: {}; nothing was made", checks::summary(report)));
        Ok(())
    }

    fn options(&self, facts: FactsFrom<'static>) -> Options<'static> {
        let ignition = match &self.args.ignition {
            Some(word) if word.as_os_str() == INSTALLER => IgnitionFrom::OpenshiftInstall(INSTALLER.into()),
            Some(directory) => IgnitionFrom::Directory(directory.clone()),
            None => IgnitionFrom::Directory(self.directory.to_owned()),
        };
        Options {
            strictness: self.args.reading.into(),
            facts,
            infra_id: self.args.facts.infra_id.clone(),
            cluster_id: self.args.facts.cluster_id.map(|id| id.to_string()),
            ignition,
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
        let outline = self.platform.outline(&outlook.plan);
        if self.settings.output == Output::Json {
            let mut value = self.head("planned", &outlook.plan);
            value["summary"] = ui::outline::json(&outline);
            value["findings"] = json_form::findings(&outcome::judged(&outlook.said)).into();
            self.settings.printer.data(&format!("{value}\n"))?;
            return Ok(Ok(Exit::Done));
        }
        outcome::said(&outlook.said, self.settings);
        self.settings.printer.data(&ui::outline::text(&outline, self.settings.printer.colours().data))?;
        if !outlook.id_is_fixed {
            self.settings.printer.talk(&format!(
                "{} stands for the infrastructure id, which the first run that writes files makes; fix it with \
                 --infra-id",
                outlook.plan.identity.infra_id
            ));
        }
        Ok(Ok(Exit::Done))
    }

    /// Writes the files and makes the infrastructure.
    fn make(&self, terraform: &Terraform, facts: FactsFrom<'static>) -> anyhow::Result<Going<Exit>> {
        let mut cluster = ClusterDir::open(self.directory)?;
        let options = self.options(facts);
        let prepared = prepare::prepare_in(&mut cluster, self.basis, self.examined, &options, Environment);
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(refusal) => return Ok(Err(refusal.into())),
        };
        outcome::told(self.directory, &prepared, self.settings);
        let outline = self.platform.outline(&prepared.plan);
        if let Some(exit) = self.refused(&prepared.plan, &outline)? {
            self.settings.printer.talk("nothing was made; the files are written");
            return Ok(Err(Ended::Said(exit)));
        }
        let shown = Shown::new(self.settings);
        let stop = Stop::default();
        let mut done = Done { stages: Vec::new(), adopted: Vec::new() };
        let work = self.work(&mut cluster, &prepared.plan, terraform, &shown, &stop, &mut done);
        let result = self.runtime.block_on(async {
            tokio::select! {
                result = work => result,
                never = engine::listen(&stop, &shown) => match never {},
            }
        });
        drop(shown);
        self.finish(&cluster, terraform, &prepared, &outline, &done, result).map(Ok)
    }

    /// Shows what will be made; how the run ends where the user does not want that.
    fn refused(&self, plan: &Plan, outline: &Outline) -> anyhow::Result<Option<Exit>> {
        let colour = self.settings.printer.colours().talk;
        if self.settings.output != Output::Json {
            self.settings.printer.aside(&ui::outline::text(outline, colour));
        }
        if self.args.yes {
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
        terraform: &Terraform,
        shown: &Shown<'_>,
        stop: &Stop,
        done: &mut Done,
    ) -> Result<(), Fault> {
        if let Some(session) = self.session {
            let marked = session.adopt(plan).await.map_err(install::refused)?;
            for sentence in &marked {
                install::Watcher::told(shown, sentence);
            }
            if !marked.is_empty() {
                cluster.note(&Step {
                    time: prepare::now(),
                    step: "adopt".to_owned(),
                    result: StepResult::Done,
                    detail: marked.join("; "),
                    inputs: String::new(),
                })?;
            }
            done.adopted = marked;
        }
        let mut site = Site {
            cluster,
            platform: self.platform,
            infra_id: &plan.identity.infra_id,
            session: self.session,
            terraform,
            watcher: shown,
            stop,
            now: prepare::now,
        };
        install::apply(&mut site, &mut done.stages).await
    }

    /// Says how it ended.
    fn finish(
        &self,
        cluster: &ClusterDir,
        terraform: &Terraform,
        prepared: &Prepared,
        outline: &Outline,
        done: &Done,
        result: Result<(), Fault>,
    ) -> anyhow::Result<Exit> {
        let (findings, exit) = match result {
            Ok(()) => (Vec::new(), Exit::Done),
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
            value["engine"] = json!({ "name": terraform.name(), "version": terraform.version().to_string() });
            value["summary"] = ui::outline::json(outline);
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
        if exit == Exit::Done {
            self.settings.printer.data(&self.next_steps(&prepared.plan, cluster))?;
        } else {
            self.settings.printer.talk(&self.again(cluster, &findings));
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

    /// Resources that terraform knows of.
    fn standing(&self, cluster: &ClusterDir) -> usize {
        let folder = cluster.root().join("terraform");
        let stages = self.platform.stages().iter();
        stages.map(|stage| terraform::resources(&folder.join(stage.name)).map_or(1, |all| all.len())).sum()
    }

    /// The word about a cluster whose infrastructure stands.
    fn next_steps(&self, plan: &Plan, cluster: &ClusterDir) -> String {
        let directory = self.directory.display();
        let mut text = format!(
            "the infrastructure of {} stands: {}\n",
            plan.identity.infra_id,
            counted(self.standing(cluster), "resource")
        );
        let _ = write!(
            text,
            "next:\n  landfall wait-for bootstrap-complete --dir {directory}\n  landfall destroy bootstrap --dir \
             {directory}\n  landfall wait-for install-complete --dir {directory}\n"
        );
        text
    }

    /// How to go on after a stop.
    fn again(&self, cluster: &ClusterDir, findings: &[Finding]) -> String {
        let standing = self.standing(cluster);
        let after = if findings.is_empty() { "" } else { ", once that is mended," };
        if standing == 0 {
            return format!("nothing stands; run the same command again{after} to begin anew");
        }
        format!(
            "{} stand; run the same command again{after} to go on, or remove them with `landfall destroy cluster \
             --dir {}`",
            counted(standing, "resource"),
            self.directory.display()
        )
    }
}

/// What was done so far.
struct Done {
    stages: Vec<StageDone>,
    adopted: Vec<String>,
}
