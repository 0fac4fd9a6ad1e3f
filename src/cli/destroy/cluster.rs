//! `landfall destroy cluster`.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::Duration;

use landfall_destroy::{Fault, Outcome, Pace, Planned, Report, Stop, Watcher};
use landfall_diagnostics::Finding;
use landfall_platform::removal::{Account, Removal};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::time::{Instant, sleep, timeout};

use super::consent::Consent;
use super::shown::Shown;
use super::{asking, aso, basis, earlier, ended, no_cloud, note, note_given, unless_stopped, whereabouts};
use crate::cli::whereabouts::Whereabouts;
use crate::cli::{Ended, Exit, Output, Settings, engine, signals};
use crate::prepare::target::{Named, Origin, Unnamed, pages};
use crate::prepare::{Basis, Environment};
use crate::ui::{Waiting, beating, counted, json as json_form, removal as view};
use crate::workdir::{Cleared, ClusterDir, StepResult};
use crate::{prepare, ui};

pub use super::flags::Args;

/// The step in the journal.
const STEP: &str = "cluster.destroy";

/// Destroys the cluster that a directory or the flags name.
///
/// # Errors
/// A stream cannot be written, or something outside of the input went wrong.
pub fn run(args: &Args, settings: &Settings) -> Result<Exit, Ended> {
    if !args.plan && !args.yes && !ui::can_ask() {
        let why = "no terminal for the confirmation: use --yes, or --plan to see what would be removed";
        return Err(Ended::Usage(why.to_owned()));
    }
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let basis = basis(args.catalogue.as_ref(), &directory)?;
    let mut named = args.named(&directory, settings, &basis)?;
    let mut cluster = None;
    if named.is_local() && !args.plan {
        let opened = ClusterDir::open(&directory)?;
        // What was read before the directory was locked may have changed since.
        named = args.named(&directory, settings, &basis)?;
        if let Some(work) = landfall_engine_terraform::at_work(&opened.logs()).first() {
            return Err(Ended::finding(pages::at_work(work), Exit::Failed));
        }
        // What is there now may be another cluster's, where this one was destroyed before.
        cluster = Some(opened).filter(|_| named.origin == Origin::Metadata);
    }
    begin(args, settings, &basis, &named, cluster.as_mut())
}

/// Begins to ask the cloud.
fn begin(
    args: &Args,
    settings: &Settings,
    basis: &Basis,
    named: &Named,
    cluster: Option<&mut ClusterDir>,
) -> Result<Exit, Ended> {
    let cloud = named.platform.cloud().ok_or_else(|| no_cloud(named.platform))?;
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let mut config = named.platform.config_of(&named.target).map_err(|finding| match named.origin {
        Origin::Given => Unnamed::Usage(finding),
        Origin::Metadata | Origin::Destroyed => Unnamed::Invalid(finding),
    })?;
    config.additional_trust_bundle = named.trust_bundle(&directory);
    let world = Environment;
    let asking = asking(&config, basis, &world, args.parallel, args.timeout);
    let runtime = prepare::runtime()?;
    let removal = cloud.removal(asking, &named.target);
    let exit = aso::remove(args, named, settings, &runtime, &*removal).and_then(|objects_are_gone| {
        let job = Job {
            args,
            settings,
            named,
            directory: &directory,
            removal: &*removal,
            runtime: &runtime,
            objects_are_gone,
            accepted: RefCell::default(),
        };
        Ok(job.run(cluster)?)
    });
    drop(removal);
    runtime.shutdown_background();
    exit
}

/// A cluster that is about to go.
struct Job<'a> {
    args: &'a Args,
    settings: &'a Settings,
    named: &'a Named,
    directory: &'a Path,
    removal: &'a dyn Removal,
    runtime: &'a Runtime,
    /// Whether a management cluster had objects of it, which are gone by now.
    objects_are_gone: bool,
    /// The codes of failed checks that were accepted.
    accepted: RefCell<Vec<String>>,
}

impl Job<'_> {
    fn run(&self, cluster: Option<&mut ClusterDir>) -> anyhow::Result<Exit> {
        let printer = &self.settings.printer;
        let began = Instant::now();
        let what = format!("looking for resources of {}", self.id());
        printer.talk(&what);
        let limit = Some(self.args.timeout);
        let look = unless_stopped(async { timeout(self.args.timeout, self.look()).await });
        let look = beating(printer, &what, limit, look);
        let line = Waiting::new("looking", limit, printer.draws());
        let looked = self.runtime.block_on(look);
        drop(line);
        let left = self.args.timeout.saturating_sub(began.elapsed());
        let mut planned = match looked {
            Some(Ok(Ok(planned))) => planned,
            Some(Ok(Err((findings, exit)))) => return self.refused(&findings, exit),
            Some(Err(_)) => {
                let finding = pages::late(self.args.timeout.as_secs());
                if self.objects_are_gone {
                    return self.refused(&[Finding { help: None, ..finding }], Exit::PartWay);
                }
                return ended("timedOut", &[finding], Exit::PartWay, self.settings);
            }
            None => {
                printer.talk(&format!("stopped; {}", self.untouched()));
                return ended("interrupted", &[], Exit::Interrupted, self.settings);
            }
        };
        // What is accepted is a warning from now on, wherever it is named.
        let accepted = self.args.accept.apply(&mut planned.notes);
        self.accepted.borrow_mut().extend(accepted);
        if planned.first.things.is_empty() {
            return self.nothing(cluster, &planned);
        }
        let notes = self.named.note.iter().chain(&planned.notes);
        let findings: Vec<Finding> = notes.chain(&planned.unseen).chain(&planned.unproven).cloned().collect();
        let refused = planned.notes.iter().any(Finding::is_error);
        if self.args.plan {
            return self.show(&planned, &findings, refused);
        }
        if refused {
            return self.refused(&findings, Exit::Unfit);
        }
        engine::report(&findings, self.settings);
        match self.consent(&planned)? {
            Consent::Given => self.remove(cluster, planned, left),
            Consent::Declined => self.without_consent("declined", &planned.account, Exit::Failed),
            Consent::Stopped => self.without_consent("interrupted", &planned.account, Exit::Interrupted),
        }
    }

    fn id(&self) -> &str {
        &self.named.target.infra_id
    }

    /// Whose credentials these are, and what there is of the cluster. Another account is not looked at, and
    /// nothing is done in a place that the cluster is not in.
    async fn look(&self) -> Result<Planned, (Vec<Finding>, Exit)> {
        let told = |fault: Fault| {
            let exit = Exit::of_cloud(fault.may_pass());
            (vec![fault.into_finding()], exit)
        };
        let target = &self.named.target;
        let account = landfall_destroy::account(self.removal, self.args.timeout).await.map_err(told)?;
        landfall_destroy::same_account(target, &account).map_err(|finding| (vec![*finding], Exit::Unfit))?;
        let mut planned = landfall_destroy::plan(self.removal, self.args.timeout).await.map_err(told)?;
        let is_empty = planned.first.things.is_empty() && self.named.is_local();
        if is_empty && earlier::was_just_creating(self.directory, STEP, &prepare::now()) {
            self.settings.printer.talk(earlier::UNLISTED);
            sleep(earlier::LISTED_LATER).await;
            planned = landfall_destroy::plan(self.removal, self.args.timeout).await.map_err(told)?;
        }
        if self.is_place_doubtful(&planned) {
            let sure = self.args.confirm_gone || self.has_begun_here(&account);
            let placed = landfall_destroy::right_place(self.removal, target, &planned.first, sure).await;
            placed.map_err(|misplaced| (misplaced.findings, Exit::of_cloud(misplaced.may_pass)))?;
        }
        Ok(planned)
    }

    /// Whether it may be another place that the cluster is in. Where nothing is left of it, its own metadata
    /// and the account that they note say enough.
    fn is_place_doubtful(&self, planned: &Planned) -> bool {
        let typed = self.named.origin == Origin::Given || self.named.target.account.is_none();
        !planned.first.things.is_empty() || typed
    }

    /// Whether an earlier run has begun to remove the cluster in the same place.
    fn has_begun_here(&self, account: &Account) -> bool {
        let place = earlier::place(&self.named.target, account);
        self.named.is_local() && earlier::has_begun(self.directory, STEP, &place)
    }

    /// Says why nothing is removed from the cloud; with objects that went, the removal has begun all the
    /// same.
    fn refused(&self, findings: &[Finding], exit: Exit) -> anyhow::Result<Exit> {
        if !self.objects_are_gone {
            let outcome = if exit == Exit::PartWay { "left" } else { "refused" };
            return ended(outcome, findings, exit, self.settings);
        }
        let findings = [findings, &[pages::unproven(self.id())]].concat();
        ended("left", &findings, Exit::PartWay, self.settings)
    }

    /// What was removed where the run ends before the cloud is touched.
    fn untouched(&self) -> &'static str {
        if self.objects_are_gone { "nothing but its objects was removed" } else { "nothing was removed" }
    }

    /// What every object begins with.
    fn head(&self, outcome: &str, account: &Account) -> Value {
        json!({
            "outcome": outcome,
            "infraID": self.id(),
            "platform": self.named.platform.name(),
            "account": account,
        })
    }

    /// Says that nothing of the cluster is there, if that proves that it is gone.
    fn nothing(&self, cluster: Option<&mut ClusterDir>, planned: &Planned) -> anyhow::Result<Exit> {
        let Planned { account, first, .. } = planned;
        let confirmed = self.args.confirm_gone;
        let mut first = first.clone();
        if self.args.accept.covers(&first.unseen) {
            self.accept(&first.unseen);
            first.unseen.clear();
        }
        if let Err(finding) = landfall_destroy::nothing_found(&self.named.target, account, &first, confirmed)
        {
            let mut findings = planned.unseen.clone();
            let exit = Exit::of_cloud(!findings.is_empty() && landfall_destroy::may_pass(&findings));
            findings.push(*finding);
            findings.extend(planned.unproven.iter().cloned());
            return self.refused(&findings, exit);
        }
        if !planned.unproven.is_empty() {
            return self.refused(&planned.unproven, Exit::PartWay);
        }
        let noted = format!("no resource of the cluster was found{}", self.by_consent());
        let cleared = self.clear(cluster, account, &noted, self.named.origin == Origin::Metadata)?;
        if self.settings.output == Output::Json {
            let mut value = self.head("alreadyGone", account);
            value["local"] = local_json(cleared.as_ref());
            value["findings"] = json_form::placeless(&planned.notes).into();
            self.settings.printer.data(&format!("{value}\n"))?;
            return Ok(Exit::Done);
        }
        engine::report(&planned.notes, self.settings);
        let line =
            format!("{} is gone already: no resource of it is in {}\n", self.id(), self.whereabouts(account));
        self.settings.printer.data(&ui::printable_lines(&line))?;
        self.tell_local(cleared.as_ref());
        Ok(Exit::Done)
    }

    /// Shows what would be removed.
    fn show(&self, planned: &Planned, findings: &[Finding], refused: bool) -> anyhow::Result<Exit> {
        let exit = if refused { Exit::Unfit } else { Exit::Done };
        let printer = &self.settings.printer;
        if self.settings.output == Output::Json {
            let word = if refused { "refused" } else { "planned" };
            let mut value = self.head(word, &planned.account);
            merge(&mut value, view::plan_json(planned));
            value["findings"] = json_form::placeless(findings).into();
            printer.data(&format!("{value}\n"))?;
            return Ok(exit);
        }
        engine::report(findings, self.settings);
        printer.data(&view::plan_text(planned, printer.styles().data))?;
        Ok(exit)
    }

    /// Shows in short what will be removed, and asks whether the user wants that.
    fn consent(&self, planned: &Planned) -> anyhow::Result<Consent> {
        let printer = &self.settings.printer;
        let place = self.whereabouts(&planned.account);
        printer.aside(&format!("{} in {place}: {}", self.id(), view::plan_summary(planned)));
        if self.args.yes {
            return Ok(Consent::Given);
        }
        let count = counted(planned.waves.iter().map(|wave| wave.things.len()).sum(), "resource");
        let question = format!("Remove {count} for good, in {place}?\nType {} to confirm", self.id());
        Ok(Consent::asked(&question, self.id(), self.settings)?)
    }

    /// Where the cluster is, and what created it.
    fn whereabouts(&self, account: &Account) -> Whereabouts {
        whereabouts(self.named, Some(account.id.clone()), self.directory)
    }

    /// Says that nothing was removed, as the user does not want it.
    fn without_consent(&self, outcome: &str, account: &Account, exit: Exit) -> anyhow::Result<Exit> {
        let printer = &self.settings.printer;
        if self.settings.output == Output::Json {
            let mut value = self.head(outcome, account);
            value["findings"] = json!([]);
            printer.data(&format!("{value}\n"))?;
        }
        let why = match exit {
            Exit::Interrupted => "stopped",
            _ => "that is not the cluster's infrastructure id",
        };
        printer.talk(&format!("{why}; {}", self.untouched()));
        Ok(exit)
    }

    /// Removes everything.
    fn remove(
        &self,
        cluster: Option<&mut ClusterDir>,
        planned: Planned,
        timeout: Duration,
    ) -> anyhow::Result<Exit> {
        let Planned { account, first, .. } = planned;
        if let Some(cluster) = &cluster {
            let inputs = earlier::place(&self.named.target, &account);
            note_given(cluster, STEP, StepResult::Began, "", inputs)?;
        }
        let pace = Pace { parallel: usize::from(self.args.parallel), timeout, ..Pace::default() };
        let stop = Stop::default();
        let shown = Shown::new(self.id(), timeout, self.settings);
        let mut report = self.runtime.block_on(async {
            let work = landfall_destroy::run(self.removal, &self.named.target, first, &pace, &shown, &stop);
            let mut work = pin!(work);
            let ended = tokio::select! {
                biased;
                () = signals::asked() => None,
                report = &mut work => Some(report),
            };
            if let Some(report) = ended {
                report
            } else {
                stop.ask();
                shown.told("stopping: deletions that have begun may still complete");
                work.await
            }
        });
        drop(shown);
        self.settle(&mut report);
        let detail =
            format!("{} removed, {} left{}", report.removed.len(), report.left.len(), self.by_consent());
        let cleared = match (cluster, report.outcome) {
            (cluster, Outcome::Gone) => self.clear(cluster, &account, &detail, true)?,
            (Some(cluster), outcome) => {
                let stopped = outcome == Outcome::Interrupted;
                let result = if stopped { StepResult::Interrupted } else { StepResult::Failed };
                note(cluster, STEP, result, &detail)?;
                None
            }
            (None, _) => None,
        };
        self.finish(&report, &account, cleared.as_ref())
    }

    /// Takes a removal for complete of which only what the user accepts could not be looked at.
    fn settle(&self, report: &mut Report) {
        let of_looks: Vec<Finding> =
            report.findings.iter().filter(|one| !landfall_destroy::pages::is_proof(one)).cloned().collect();
        if report.outcome == Outcome::Left && report.left.is_empty() && self.args.accept.covers(&of_looks) {
            self.accept(&of_looks);
            report.outcome = Outcome::Gone;
            report.findings = of_looks;
            self.args.accept.apply(&mut report.findings);
        }
    }

    /// Remembers findings that the user accepts.
    fn accept(&self, findings: &[Finding]) {
        let mut accepted = self.accepted.borrow_mut();
        accepted.extend(findings.iter().map(|finding| finding.code.as_str().to_owned()));
        accepted.sort_unstable();
        accepted.dedup();
    }

    /// What was accepted, for the end of a sentence; empty where nothing was.
    fn by_consent(&self) -> String {
        let accepted = self.accepted.borrow();
        if accepted.is_empty() { String::new() } else { format!(", accepted: {}", accepted.join(", ")) }
    }

    /// Notes that the cluster is gone, and removes what is left of it here.
    fn clear(
        &self,
        cluster: Option<&mut ClusterDir>,
        account: &Account,
        detail: &str,
        noted: bool,
    ) -> anyhow::Result<Option<Cleared>> {
        let Some(cluster) = cluster else {
            return Ok(None);
        };
        if noted {
            note(cluster, STEP, StepResult::Done, detail)?;
        }
        Ok(Some(cluster.clear_destroyed(self.id(), &self.named.kept(account))?))
    }

    /// Says how it ended.
    fn finish(&self, report: &Report, account: &Account, cleared: Option<&Cleared>) -> anyhow::Result<Exit> {
        let exit = match report.outcome {
            Outcome::Gone => Exit::Done,
            Outcome::Left | Outcome::TimedOut => Exit::PartWay,
            Outcome::Interrupted => Exit::Interrupted,
            Outcome::Refused => Exit::Unfit,
        };
        if self.settings.output == Output::Json {
            let mut value = self.head(view::outcome_name(report.outcome), account);
            merge(&mut value, view::report_json(report));
            value["local"] = local_json(cleared);
            value["accepted"] = json!(*self.accepted.borrow());
            value["findings"] = json_form::placeless(&report.findings).into();
            self.settings.printer.data(&format!("{value}\n"))?;
            return Ok(exit);
        }
        engine::report(&report.findings, self.settings);
        self.settings.printer.data(&view::report_text(
            self.id(),
            report,
            self.settings.printer.styles().data,
        ))?;
        if !self.accepted.borrow().is_empty() {
            let names = self.accepted.borrow().join(", ");
            self.settings.printer.talk(&format!("failed checks that were accepted: {names}"));
        }
        if report.outcome != Outcome::Gone {
            self.settings.printer.talk("run the same command again to continue; no local file was removed");
        }
        self.tell_local(cleared);
        Ok(exit)
    }

    /// Says what became of the files of the directory.
    fn tell_local(&self, cleared: Option<&Cleared>) {
        let Some(cleared) = cleared else { return };
        let printer = &self.settings.printer;
        if !cleared.removed.is_empty() {
            let files = counted(cleared.removed.len(), "local file");
            printer
                .talk(&format!("{files} removed; metadata.json is kept as {}", cleared.metadata.display()));
        }
        if !cleared.kept.is_empty() {
            printer.talk(&format!("kept as edited by hand: {}", cleared.kept.join(", ")));
        }
    }
}

/// What became of the files of the directory, as data; null where none were touched.
fn local_json(cleared: Option<&Cleared>) -> Value {
    cleared.map_or(Value::Null, |cleared| {
        json!({
            "removed": cleared.removed,
            "kept": cleared.kept,
            "metadata": cleared.metadata.display().to_string(),
        })
    })
}

/// Adds the keys of one object to another.
fn merge(value: &mut Value, more: Value) {
    if let (Some(value), Value::Object(more)) = (value.as_object_mut(), more) {
        value.extend(more);
    }
}
