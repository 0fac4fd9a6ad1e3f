//! `landfall create cluster` with Terraform or `OpenTofu`.

use std::time::Duration;

use landfall_engine_terraform::{Stop, Terraform};
use landfall_model::plan::Plan;
use landfall_platform::cloud::Asking;
use serde_json::json;
use tokio::time::sleep;

use super::super::summary::Summary;
use super::steps::{Begun, Done};
use super::{Going, Job, recovery};
use crate::cli::engine::Shown;
use crate::cli::{Exit, engine};
use crate::install::{Drift, End, Fault, Recovery, Site, Verification};
use crate::prepare::FactsFrom;
use crate::workdir::ClusterDir;
use crate::{install, prepare, ui};

/// How often one run goes on by itself where nothing but trouble of the cloud stopped it, and how often of that without
/// a resource more than before.
const AGAIN: usize = 30;
const IN_VAIN: usize = 8;
/// For how many of these an attempt counts that ended with errors of no known cause alone: they may be lasting.
const DOUBTFUL: usize = 4;
/// What is said where the cloud has something else than it confirmed.
const UNCONFIRMED: &str =
    "resources are missing or differ although the cloud confirmed them: creating or changing them again";
/// The pause before that.
const PAUSE: Duration = Duration::from_secs(10);

/// How a run goes on by itself.
#[derive(Default)]
struct Attempts {
    again: usize,
    in_vain: usize,
    standing: usize,
}

impl Attempts {
    /// Whether another attempt is worth it, now that the state has so many resources, after trouble of the cloud or what
    /// may follow from that.
    fn another(&mut self, standing: usize, is_trouble: bool) -> bool {
        let counts = if is_trouble { 1 } else { DOUBTFUL };
        self.in_vain = if standing > self.standing { 0 } else { self.in_vain + counts };
        self.standing = standing;
        self.again += 1;
        self.in_vain <= IN_VAIN && self.again <= AGAIN
    }
}

/// Whether earlier runs had done all that a run was to do.
fn is_unchanged(done: &Done) -> bool {
    done.stages.iter().all(|stage| matches!(stage.end, End::Before { .. }))
}

/// Whether the cluster changes its machines and load balancers itself, since the bootstrap machine was removed.
fn is_handed_over(summary: &Summary) -> bool {
    summary.is_complete() && summary.is_bootstrap_gone()
}

/// What of a fault passes by itself: trouble of the cloud, as the engine or landfall's own look at it met it.
fn passing(fault: &Fault, is_first: bool, is_again: bool) -> Option<String> {
    let findings = match fault {
        Fault::Engine { fault, .. } if fault.may_pass(is_first, is_again) => fault.finding(),
        Fault::Unseen(findings) if landfall_destroy::may_pass(findings) => findings.clone(),
        _ => return None,
    };
    findings.into_iter().next().map(|finding| finding.message)
}

/// What is said of a run that goes on by itself, after trouble of the cloud or what only follows from that.
fn goes_on(is_trouble: bool, attempt: usize, why: &str) -> String {
    let reason = if is_trouble { "the cloud did not answer properly" } else { "calls have failed before" };
    format!("{reason}, continuing in {} s (attempt {attempt}): {why}", PAUSE.as_secs())
}

/// Waits before another attempt, unless the user stops it.
async fn pause(stop: &Stop, shown: &Shown<'_>) {
    let pause = async {
        tokio::select! {
            () = stop.asked() => {}
            () = sleep(PAUSE) => {}
        }
    };
    engine::stoppable(pause, stop, shown, engine::TERRAFORM_STOPS).await;
}

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
    ) -> Going<Exit> {
        let Begun { mut cluster, prepared, mut summary, .. } = self.begin(facts)?;
        let engine = json!({ "name": terraform.name(), "version": terraform.version().to_string() });
        let mut drift = match self.drift(terraform, &mut cluster, &prepared.plan, &summary) {
            Ok(drift) => drift,
            Err(fault) => {
                let (all, done) = ((&prepared, &summary), Done::default());
                return self.finish(&cluster, engine, all, &done, Err(fault), &[]);
            }
        };
        let mut done = Done { drift: self.drifted(&drift, &mut summary, true), ..Done::default() };
        self.agreed(&prepared, &summary)?;
        let shown = Shown::new(self.settings).knowing(summary.standing());
        let stop = Stop::default();
        let finder = recovery::Finder::of(self.directory, asking);
        let mut allowed = self.args.recover;
        let continuing = terraform.continuing();
        let is_first = !install::has_begun(&cluster, self.platform)?;
        let verification = self.verification(&cluster, &summary)?;
        let mut attempts = Attempts::default();
        // What the engine took for done may not be: it is read before that is reported.
        let mut confirms = false;
        let result = loop {
            let removal = finder.removal();
            // What the state lacks after the first attempt of the first run was created by it, with consent.
            let is_own = is_first && attempts.again > 0;
            let recovery = finder.recovery(removal.as_deref(), allowed || is_own);
            let reads = attempts.again == 0 || confirms;
            let tools = Tools {
                terraform: if reads { terraform } else { &continuing },
                recovery,
                drift: &drift,
                shown: &shown,
                stop: &stop,
            };
            let work = self.work(&mut cluster, &prepared.plan, tools, &mut done);
            let result =
                self.runtime.block_on(engine::stoppable(work, &stop, &shown, engine::TERRAFORM_STOPS));
            let fault = match result {
                Ok(())
                    if attempts.again == 0 && verification == Verification::Done && is_unchanged(&done) =>
                {
                    break Ok(());
                }
                Ok(()) => {
                    confirms = true;
                    let continued = attempts.again > 0 || verification == Verification::DueAfterFailures;
                    match self.unconfirmed(terraform, &mut cluster, &prepared.plan, continued) {
                        Ok(found) if found.is_empty() => {
                            break install::note_verified(&cluster, prepare::now());
                        }
                        Ok(found) if attempts.another(self.standing(&cluster), true) => {
                            self.settings.printer.talk(UNCONFIRMED);
                            drift = found;
                            continue;
                        }
                        Ok(found) => {
                            break Err(Fault::Unseen(
                                found.iter().flat_map(|one| one.findings(true)).collect(),
                            ));
                        }
                        Err(fault) => {
                            drift.clear();
                            fault
                        }
                    }
                }
                Err(Fault::Untracked(finding)) if !self.args.yes && ui::can_ask() => {
                    engine::report(&[*finding], self.settings);
                    let otherwise = "nothing was imported, removed or created";
                    engine::consent(recovery::QUESTION, Some(otherwise), self.settings)?;
                    allowed = true;
                    continue;
                }
                Err(fault) => fault,
            };
            let why = passing(&fault, is_first, attempts.again > 0);
            let Some(why) = why else { break Err(fault) };
            let is_trouble = passing(&fault, is_first, false).is_some();
            if !attempts.another(self.standing(&cluster), is_trouble) {
                break Err(fault);
            }
            let line = goes_on(is_trouble, attempts.again + 1, &why);
            self.settings.printer.talk(&line);
            self.runtime.block_on(pause(&stop, &shown));
        };
        drop(shown);
        self.finish(&cluster, engine, (&prepared, &summary), &done, result, &[])
    }

    /// What is known of the resources of earlier runs, unless the cluster changes them itself.
    fn verification(&self, cluster: &ClusterDir, summary: &Summary) -> Result<Verification, Fault> {
        if is_handed_over(summary) {
            return Ok(Verification::Done);
        }
        install::verification(cluster, self.platform)
    }

    /// What of the existing resources is not as earlier runs left it.
    fn drift(
        &self,
        terraform: &Terraform,
        cluster: &mut ClusterDir,
        plan: &Plan,
        summary: &Summary,
    ) -> Result<Vec<Drift>, Fault> {
        if summary.existing() == 0 || is_handed_over(summary) {
            return Ok(Vec::new());
        }
        let (shown, stop) = (Shown::new(self.settings), Stop::default());
        let mut site = self.seen(terraform, cluster, plan, &shown, &stop);
        self.looking(site.drift(), &stop, &shown, engine::TERRAFORM_STOPS)
    }

    /// The cluster, to be looked at only.
    pub(super) fn seen<'s>(
        &'s self,
        terraform: &'s Terraform,
        cluster: &'s mut ClusterDir,
        plan: &'s Plan,
        shown: &'s Shown<'_>,
        stop: &'s Stop,
    ) -> Site<'s> {
        Site {
            cluster,
            platform: self.platform,
            infra_id: &plan.identity.infra_id,
            session: self.session,
            recovery: None,
            terraform,
            watcher: shown,
            drift: &[],
            stop,
            now: prepare::now,
        }
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
        let mut site = Site { recovery, drift, ..self.seen(terraform, cluster, plan, shown, stop) };
        install::apply(&mut site, &mut done.stages).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_goes_on_while_it_creates_something() {
        let mut attempts = Attempts::default();
        assert!((1..=AGAIN).all(|standing| attempts.another(standing, true)));
        assert!(!attempts.another(AGAIN + 1, true), "more than {AGAIN} attempts");
        let mut attempts = Attempts::default();
        assert!(attempts.another(7, true));
        assert!((0..IN_VAIN).all(|_| attempts.another(7, true)));
        assert!(!attempts.another(7, true), "more than {IN_VAIN} attempts for nothing");
        let mut attempts = Attempts::default();
        assert!(attempts.another(7, false) && attempts.another(7, false) && attempts.another(7, false));
        assert!(!attempts.another(7, false), "the same errors would come again");
    }
}
