//! The steps of a run that the engines on this machine share: what is shown, asked and said at the end.

use std::fmt::Write as _;

use landfall_diagnostics::Finding;
use landfall_engine_terraform::Stop;
use landfall_install_config::verdict::active;
use landfall_model::plan::Plan;
use landfall_platform::native::Graph;
use serde_json::{Value, json};

use super::super::summary::Summary;
use super::super::{closing, outcome};
use super::{EngineName, Going, Job, capacity};
use crate::cli::aso::management::outcome as word;
use crate::cli::engine::Shown;
use crate::cli::whereabouts::Whereabouts;
use crate::cli::{Exit, Output, engine};
use crate::install::{Drift, Existing, Fault, StageDone};
use crate::prepare::{Environment, FactsFrom, Outlook, Prepared};
use crate::ui::{Volume, Waiting, beating, json as json_form};
use crate::workdir::{ClusterDir, StepResult};
use crate::{install, prepare, ui, workdir};

/// What is said where the user does not want what would be created.
pub(super) const NOTHING: &str = "nothing was created; the files are written";

/// A cluster whose files are written.
pub(super) struct Begun {
    /// Its directory, locked.
    pub(super) cluster: ClusterDir,
    /// Its plan, and what was written.
    pub(super) prepared: Prepared,
    /// Its resources, where the engine has resources of its own.
    pub(super) graph: Option<Graph>,
    /// What is to be created.
    pub(super) summary: Summary,
}

/// What was done in a run.
#[derive(Default)]
pub(super) struct Done {
    /// The stages.
    pub(super) stages: Vec<StageDone>,
    /// What of the user's own was tagged.
    pub(super) adopted: Vec<String>,
    /// What of the existing resources was not as earlier runs left it.
    pub(super) drift: Vec<Finding>,
}

impl Job<'_> {
    /// Shows what would be made.
    pub(super) fn show(&self, facts: FactsFrom<'static>) -> Going<Exit> {
        let options = self.options(facts);
        let outlook = prepare::outlook(self.directory, self.basis, self.examined, &options, Environment)?;
        let graph = self.graph(&outlook.plan)?;
        let stages = install::standing_so_far(self.directory, self.platform)?;
        let outline = self.platform.outline(&outlook.plan);
        let mut summary = Summary::new(outline, graph.as_ref(), stages, self.existing());
        let drift = match graph.as_ref().filter(|_| summary.existing() > 0) {
            Some(graph) => self.native_drift_of(&outlook.plan, graph)?,
            None => Vec::new(),
        };
        let differs = self.drifted(&drift, &mut summary, false);
        if self.settings.output == Output::Json {
            let mut value = self.head("planned", &outlook.plan);
            value["summary"] = summary.json();
            self.add_cost(&mut value, &outlook.plan);
            let mut findings = json_form::findings(&outcome::judged(&outlook.said));
            findings.extend(json_form::placeless(&differs));
            value["findings"] = findings.into();
            if let Some(graph) = graph {
                value["resources"] = serde_json::to_value(graph.resources)?;
            }
            self.settings.printer.data(&format!("{value}\n"))?;
            return Ok(Exit::Done);
        }
        outcome::said(&self.left_to_tell(&outlook.said), self.settings);
        let style = self.settings.printer.styles().data;
        let mut text: String = summary.lines().iter().map(|line| style.fitted(line) + "\n").collect();
        text += &summary.text(style);
        // The summary has the names of a new cluster.
        let lists_each = summary.existing() > 0 || self.settings.printer.volume() == Volume::Verbose;
        for (i, (stage, name)) in summary.to_create_by_name().filter(|_| lists_each).enumerate() {
            let _ = writeln!(text, "{}  {stage:9}  {name}", if i == 0 { "\n" } else { "" });
        }
        text += &self.cost_text(&outlook.plan, self.settings.printer.styles().data);
        self.settings.printer.data(&text)?;
        self.stands_for(&outlook);
        Ok(Exit::Done)
    }

    /// Says that the infrastructure id of an outlook stands for one that is not made yet.
    pub(super) fn stands_for(&self, outlook: &Outlook) {
        if !outlook.id_is_fixed {
            self.settings.printer.talk(&format!(
                "{} is a placeholder for the infrastructure ID, which the first run that writes files \
                 creates; set it with --infra-id",
                outlook.plan.identity.infra_id
            ));
        }
    }

    /// Writes the files, and counts what there is of the cluster.
    pub(super) fn begin(&self, facts: FactsFrom<'static>) -> Going<Begun> {
        let mut cluster = ClusterDir::open(self.directory)?;
        let options = self.options(facts);
        let prepared = prepare::prepare_in(&mut cluster, self.basis, self.examined, &options, Environment)?;
        self.note_accepted(&cluster)?;
        outcome::told(self.directory, &prepared, &self.left_to_tell(&prepared.said), self.settings);
        let graph = self.graph(&prepared.plan)?;
        let stages = install::standing(&cluster, self.platform)?;
        let outline = self.platform.outline(&prepared.plan);
        let summary = Summary::new(outline, graph.as_ref(), stages, self.existing());
        Ok(Begun { cluster, prepared, graph, summary })
    }

    /// Notes which failed checks were accepted.
    pub(super) fn note_accepted(&self, cluster: &ClusterDir) -> Result<(), workdir::Error> {
        let accepted = self.accepted.borrow();
        if accepted.is_empty() {
            return Ok(());
        }
        engine::note(cluster, "preflight.accepted", StepResult::Done, &accepted.join(", "))
    }

    /// Waits while existing resources are looked at, until the user stops it.
    pub(super) fn looking<T>(
        &self,
        work: impl Future<Output = T>,
        stop: &Stop,
        shown: &Shown<'_>,
        stopping: [&str; 2],
    ) -> T {
        let (printer, what) = (&self.settings.printer, "reading existing resources");
        printer.talk(what);
        let _line = Waiting::new(what, None, printer.draws());
        self.runtime.block_on(engine::stoppable(beating(printer, what, None, work), stop, shown, stopping))
    }

    /// Says what of the existing resources is not as earlier runs left it. `restored` says whether the engine
    /// sets changed properties back.
    pub(super) fn drifted(&self, drift: &[Drift], summary: &mut Summary, restored: bool) -> Vec<Finding> {
        let mut all = Vec::new();
        for one in drift {
            let findings = one.findings(restored);
            engine::report(&findings, self.settings);
            all.extend(findings);
            summary.reopen(one);
        }
        all
    }

    /// The graph of a plan, where the engine has resources of its own.
    fn graph(&self, plan: &Plan) -> Going<Option<Graph>> {
        match self.engine {
            EngineName::Native => self.resources(plan).map(Some),
            EngineName::Terraform | EngineName::Aso => Ok(None),
        }
    }

    /// Shows what will be made, and makes sure that the user wants that.
    pub(super) fn agreed(&self, prepared: &Prepared, summary: &Summary) -> Going<()> {
        let printer = &self.settings.printer;
        for line in summary.lines() {
            printer.talk(&line);
        }
        if self.settings.output != Output::Json {
            printer.aside(&summary.text(printer.styles().talk));
            printer.aside(&self.cost_text(&prepared.plan, printer.styles().talk));
        }
        if self.args.yes || summary.is_complete() {
            return Ok(());
        }
        engine::consent(&self.question(prepared, summary), Some(NOTHING), self.settings)
    }

    /// The question before resources are created: how many, of which cluster, where, and with what.
    fn question(&self, prepared: &Prepared, summary: &Summary) -> String {
        let id = &prepared.plan.identity.infra_id;
        let place = self.whereabouts(prepared);
        let cost = self.cost(&prepared.plan).map(|cost| ui::cost::clause(&cost)).unwrap_or_default();
        let changed = if summary.is_changed() { ", some changed" } else { "" };
        match (summary.to_create(), summary.existing()) {
            (0, existing) if summary.is_changed() => {
                format!("{existing} resources exist{changed}; continue with {id} in {place}?")
            }
            (0, _) => format!("Update the infrastructure of {id} in {place}?"),
            (count, 0) => format!("Create {} of {id} in {place}{cost}?", ui::counted(count, "resource")),
            (count, existing) => {
                format!("{existing} resources exist{changed}; create {count} more of {id} in {place}{cost}?")
            }
        }
    }

    /// Where the cluster of a plan is.
    pub(super) fn whereabouts(&self, prepared: &Prepared) -> Whereabouts {
        let placement =
            active(&prepared.plan.config).map(|platform| platform.placement(&prepared.plan.config));
        Whereabouts {
            noun: self.platform.account_noun(),
            account: prepared.account.clone(),
            region: placement.map(|placement| placement.region).unwrap_or_default(),
            release: prepared.plan.release.clone(),
            engine: landfall_model::plan::Engine::from(self.engine).name().to_owned(),
        }
    }

    /// Says how it ended.
    pub(super) fn finish(
        &self,
        cluster: &ClusterDir,
        engine: Value,
        (prepared, summary): (&Prepared, &Summary),
        done: &Done,
        result: Result<(), Fault>,
        differences: &[Finding],
    ) -> Going<Exit> {
        let (mut findings, exit) = match result {
            Ok(()) => (differences.to_vec(), Exit::Done),
            Err(fault) => engine::judged(fault, self.standing(cluster) > 0)?,
        };
        capacity::add_offers(&mut findings, &prepared.plan);
        if self.settings.output == Output::Json {
            let mut value = self.head(word(exit), &prepared.plan);
            value["engine"] = engine;
            value["summary"] = summary.json();
            self.add_cost(&mut value, &prepared.plan);
            value["adopted"] = json!(done.adopted);
            value["accepted"] = json!(*self.accepted.borrow());
            value["work"] = engine::stages(&done.stages).into();
            value["resources"] = self.standing(cluster).into();
            let mut all: Vec<Value> = json_form::findings(&outcome::judged(&prepared.said));
            all.extend(json_form::placeless(&done.drift));
            all.extend(json_form::placeless(&findings));
            value["findings"] = all.into();
            self.settings.printer.data(&format!("{value}\n"))?;
            return Ok(exit);
        }
        engine::report(&findings, self.settings);
        if !self.accepted.borrow().is_empty() {
            let names = self.accepted.borrow().join(", ");
            self.settings.printer.talk(&format!("failed checks that were accepted: {names}"));
        }
        let standing = self.standing(cluster);
        if exit == Exit::Done {
            let id = &prepared.plan.identity.infra_id;
            let bootstrap_gone = summary.is_bootstrap_gone();
            let text = if self.goes_on() {
                closing::stands(id, standing)
            } else {
                closing::next_steps(id, standing, bootstrap_gone, self.engine.into(), self.directory)
            };
            self.settings.printer.data(&text)?;
        } else {
            let text = closing::again(standing, summary.total(), exit, !findings.is_empty(), self.directory);
            self.settings.printer.talk(&text);
        }
        Ok(exit)
    }

    pub(super) fn head(&self, word: &str, plan: &Plan) -> Value {
        json!({
            "outcome": word,
            "dir": self.directory.display().to_string(),
            "infraID": plan.identity.infra_id,
            "clusterID": plan.identity.cluster_id,
            "release": plan.release,
        })
    }

    /// Resources that the engine knows of.
    pub(super) fn standing(&self, cluster: &ClusterDir) -> usize {
        if self.engine == EngineName::Native {
            return self.existing().iter().map(Existing::count).sum();
        }
        let folder = cluster.root().join("terraform");
        let stages = self.platform.stages().iter();
        stages
            .map(|stage| {
                landfall_engine_terraform::resources(&folder.join(stage.name)).map_or(1, |all| all.len())
            })
            .sum()
    }

    /// What exists by what earlier runs noted.
    fn existing(&self) -> Vec<Existing> {
        match self.engine {
            EngineName::Native => install::existing_native(self.directory, self.platform),
            EngineName::Terraform | EngineName::Aso => install::existing(self.directory, self.platform),
        }
    }
}
