//! `landfall create cluster` with Terraform or `OpenTofu`.

use std::time::Duration;

use landfall_engine_terraform::{Stop, Terraform};
use landfall_model::plan::Plan;
use landfall_platform::cloud::Asking;
use serde_json::json;
use tokio::time::sleep;

use super::super::summary::Summary;
use super::steps::{Begun, Done};
use super::{Ended, Going, Job, recovery};
use crate::cli::engine::Shown;
use crate::cli::{Exit, engine};
use crate::install;
use crate::install::{Drift, Fault, Recovery, Site};
use crate::prepare;
use crate::prepare::FactsFrom;
use crate::ui;
use crate::workdir::ClusterDir;

/// How often a stage is gone on with in one run where nothing but trouble of the cloud stopped it.
const AGAIN: usize = 3;
/// The pause before that.
const PAUSE: Duration = Duration::from_secs(10);

/// What the infrastructure is made with.
#[derive(Clone, Copy)]
struct Tools<'t> {
    terraform: &'t Terraform,
    recovery: Option<Recovery<'t>>,
    drift: &'t [Drift],
    shown: &'t Shown<'t>,
    stop: &'t Stop,
}

impl Job<'_> {
    /// Writes the files and makes the infrastructure.
    pub(super) fn make(
        &self,
        terraform: &Terraform,
        facts: FactsFrom<'static>,
        asking: &Asking<'_>,
    ) -> anyhow::Result<Going<Exit>> {
        let begun = match self.begin(facts)? {
            Ok(begun) => begun,
            Err(ended) => return Ok(Err(ended)),
        };
        let Begun { mut cluster, prepared, mut summary, .. } = begun;
        let engine = json!({ "name": terraform.name(), "version": terraform.version().to_string() });
        let drift = match self.drift(terraform, &mut cluster, &prepared.plan, &summary) {
            Ok(drift) => drift,
            Err(fault) => {
                let (all, done) = ((&prepared, &summary), Done::default());
                return self.finish(&cluster, engine, all, &done, Err(fault), &[]).map(Ok);
            }
        };
        let mut done = Done { drift: self.drifted(&drift, &mut summary, true), ..Done::default() };
        if let Some(exit) = self.refused(&prepared, &summary)? {
            return Ok(Err(Ended::Said(exit)));
        }
        let shown = Shown::new(self.settings).knowing(summary.standing());
        let stop = Stop::default();
        let finder = recovery::Finder::of(self.directory, asking);
        let mut allowed = self.args.recover;
        let mut again = 0;
        let result = loop {
            let removal = finder.removal();
            let recovery = finder.recovery(removal.as_deref(), allowed);
            let tools = Tools { terraform, recovery, drift: &drift, shown: &shown, stop: &stop };
            let work = self.work(&mut cluster, &prepared.plan, tools, &mut done);
            let result = self.runtime.block_on(async {
                tokio::select! {
                    biased;
                    never = engine::listen(&stop, &shown, engine::TERRAFORM_STOPS) => match never {},
                    result = work => result,
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
                Err(Fault::Engine { stage, fault }) if fault.may_pass() && again < AGAIN => {
                    again += 1;
                    let causes = fault.finding();
                    let why = causes.first().map_or_else(String::new, |finding| finding.message.clone());
                    self.settings.printer.talk(&format!(
                        "stage {stage}: the cloud did not answer properly, continuing in {} s ({again} of {AGAIN}): \
                         {why}",
                        PAUSE.as_secs()
                    ));
                    self.runtime.block_on(async {
                        tokio::select! {
                            never = engine::listen(&stop, &shown, engine::TERRAFORM_STOPS) => match never {},
                            () = stop.asked() => {}
                            () = sleep(PAUSE) => {}
                        }
                    });
                }
                result => break result,
            }
        };
        drop(shown);
        self.finish(&cluster, engine, (&prepared, &summary), &done, result, &[]).map(Ok)
    }

    /// What of the existing resources is not as earlier runs left it.
    fn drift(
        &self,
        terraform: &Terraform,
        cluster: &mut ClusterDir,
        plan: &Plan,
        summary: &Summary,
    ) -> Result<Vec<Drift>, Fault> {
        // A cluster whose bootstrap machine was removed changes machines and load balancers itself.
        let is_handed_over = summary.is_complete() && summary.is_bootstrap_gone();
        if summary.existing() == 0 || is_handed_over {
            return Ok(Vec::new());
        }
        let (shown, stop) = (Shown::new(self.settings), Stop::default());
        let mut site = Site {
            cluster,
            platform: self.platform,
            infra_id: &plan.identity.infra_id,
            session: self.session,
            recovery: None,
            terraform,
            watcher: &shown,
            drift: &[],
            stop: &stop,
            now: prepare::now,
        };
        self.looking(site.drift(), &stop, &shown, engine::TERRAFORM_STOPS)
    }

    /// Marks what the user brought, and makes the rest.
    async fn work(
        &self,
        cluster: &mut ClusterDir,
        plan: &Plan,
        tools: Tools<'_>,
        done: &mut Done,
    ) -> Result<(), Fault> {
        let Tools { terraform, recovery, drift, shown, stop } = tools;
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
            drift,
            stop,
            now: prepare::now,
        };
        install::apply(&mut site, &mut done.stages).await
    }
}
