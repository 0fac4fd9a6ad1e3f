//! The management cluster on the command line: the way to it, what is looked at there before anything is
//! written, and how work on a cluster is shown.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use landfall_diagnostics::Finding;
use landfall_engine_aso::detect::look::release::{Offered, upgraded};
use landfall_engine_aso::detect::look::{look, refused};
use landfall_engine_aso::detect::permissions::{Grantee, Question, Rule, denied, questions, rules};
use landfall_engine_aso::detect::{self, Report, Upgraded, Wanted, permissions};
use landfall_engine_aso::drive::{
    End, Feed, Ground, Limits, Live, Place, Planned, Watcher, Worked, now, pages,
};
use landfall_engine_aso::kinds::Kind;
use landfall_kube::{ACCOUNT, Access, Bad, BadKubeconfig, Failure, Fault};
use landfall_model::catalogue::Catalogue;
use landfall_net::calls;
use landfall_net::stop::Stop;
use landfall_platform::World as _;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::cli::{Exit, Settings, engine, signals};
use crate::prepare::Environment;
use crate::ui::{Printer, Pulse, StageBars, beat, counted};
use crate::wait;

/// How long a connection, and each part of an answer, may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often progress is shown.
const BEAT: Duration = Duration::from_secs(1);
/// What is said while a management cluster is looked at.
pub const ASKING: &str = "asking the management cluster";

/// Which management cluster.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct KubeconfigArgs {
    /// Kubeconfig of the management cluster; default: `KUBECONFIG`
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub kubeconfig: Option<PathBuf>,
}

impl KubeconfigArgs {
    /// The file, if one is named by the flag or by the environment.
    #[must_use]
    pub fn file(&self) -> Option<PathBuf> {
        let named = || Environment.variable("KUBECONFIG").map(PathBuf::from);
        self.kubeconfig.clone().or_else(named)
    }
}

/// A management cluster that can be called.
pub struct Management {
    calls: ::kube::Client,
    watches: ::kube::Client,
    /// Name and port of its server.
    server: String,
    /// Its objects.
    pub live: Live,
}

impl Management {
    /// The management cluster of a kubeconfig; why it cannot be called, with the exit code for that. Must be
    /// called within a runtime.
    ///
    /// # Errors
    /// The kubeconfig cannot be used.
    pub fn of(kubeconfig: Option<&Path>) -> Result<Self, Refused> {
        let variable = |name: &str| Environment.variable(name);
        let access = Access::of_run(kubeconfig, &variable).map_err(|(path, bad)| {
            let exit = if bad.bad == Bad::Unreadable { Exit::Failed } else { Exit::NotValid };
            (vec![bad_kubeconfig(&path, &bad)], exit)
        })?;
        let unusable = |fault: Fault| (vec![pages::failure(&fault.into())], Exit::Failed);
        let calls = access.client(PATIENCE).map_err(unusable)?;
        let watches = access.watching_client(PATIENCE).map_err(unusable)?;
        Ok(Self { live: Live::new(calls.clone()), calls, watches, server: access.authority() })
    }

    /// What stands against making a cluster's objects there; else what was found, with warnings.
    ///
    /// # Errors
    /// All that stands against it.
    pub async fn check(
        &self,
        wanted: &Wanted<'_>,
        infra_id: &str,
        machines: bool,
        clouds: &Catalogue,
    ) -> Checked {
        let driver = Driver { infra_id: Some(infra_id), machines };
        let report = self.examine(wanted, Some(driver), clouds).await?;
        let errors = report.findings.iter().filter(|finding| finding.is_error());
        let errors: Vec<Finding> = errors.cloned().collect();
        if errors.is_empty() { Ok(report) } else { Err(errors) }
    }

    /// What was found of the operator, and which rights somebody lacks for work on clusters.
    ///
    /// # Errors
    /// It does not answer, or does not permit to look.
    pub async fn examine(
        &self,
        wanted: &Wanted<'_>,
        driver: Option<Driver<'_>>,
        clouds: &Catalogue,
    ) -> Checked {
        let unanswered = |fault: Fault| vec![self.unanswered(&fault.into())];
        let cluster = look(&self.calls, wanted.kinds).await.map_err(unanswered)?;
        let mut report = detect::detect(&cluster, wanted, &clouds.azure);
        if let Some(driver) = driver {
            let mut asked = questions(&driver.rights(), wanted.namespace);
            asked.retain(|question| permissions::is_needed(question, wanted.kinds));
            let refused = refused(&self.calls, asked).await.map_err(unanswered)?;
            report.findings.extend(denied(&refused, &driver.roles_command(wanted.namespace)));
        }
        Ok(report)
    }

    /// The operator's CRDs, as a release with these versions would find them.
    ///
    /// # Errors
    /// It does not answer, or does not permit to look.
    pub async fn upgraded(&self, offered: &Offered) -> Result<Vec<Upgraded>, Vec<Finding>> {
        let unanswered = |fault: Fault| vec![self.unanswered(&fault.into())];
        upgraded(&self.calls, offered).await.map_err(unanswered)
    }

    /// A client for calls.
    #[must_use]
    pub fn client(&self) -> &::kube::Client {
        &self.calls
    }

    /// Name and port of its server.
    #[must_use]
    pub fn server(&self) -> &str {
        &self.server
    }

    /// What is said of a call that failed before any work.
    #[must_use]
    pub fn unanswered(&self, failure: &Failure) -> Finding {
        unanswered(&self.server, failure)
    }

    /// The same, with the exit code for it.
    #[must_use]
    pub fn unfit(&self, failure: &Failure) -> Refused {
        (vec![self.unanswered(failure)], Exit::Unfit)
    }

    /// Where a cluster is worked on, for as long as is shown.
    #[must_use]
    pub fn place<'a>(
        &'a self,
        kinds: &'a [&'static Kind],
        ground: &'a Ground,
        shown: &'a Shown<'_>,
        stop: &'a Stop,
    ) -> Place<'a> {
        let limits = Limits { whole: shown.limit, clock: now };
        Place { api: &self.live, kinds, ground, identity: identity(), limits, watcher: shown, stop }
    }

    /// News of all objects in a cluster's namespace, of kinds in the versions that were found: the cluster's
    /// own are not always labelled as such.
    pub fn feed(&self, kinds: &[&'static Kind], report: &Report, ground: &Ground) -> Feed {
        let version = |kind: &'static Kind| {
            let found = report.versions.get(&detect::crd_name(kind)).copied();
            (kind, found.unwrap_or(kind.versions[0]))
        };
        let kinds: Vec<(&'static Kind, &str)> = kinds.iter().copied().map(version).collect();
        Live::feed(&self.watches, &kinds, Some(&ground.namespace), None)
    }

    /// The kinds of these that it serves, and permits to look at where not every cluster needs them, with the
    /// versions of each; of other kinds there is no object.
    ///
    /// # Errors
    /// It does not answer, or does not permit to look.
    pub async fn served(
        &self,
        kinds: &[&'static Kind],
        namespace: &str,
    ) -> Result<(Vec<&'static Kind>, Report), Vec<Finding>> {
        let unanswered = |fault: Fault| vec![self.unanswered(&fault.into())];
        let cluster = look(&self.calls, kinds).await.map_err(unanswered)?;
        let wanted = Wanted { cloud: "", namespace, kinds };
        let report = detect::detect(&cluster, &wanted, &Catalogue::embedded().azure);
        let mut served = kinds.to_vec();
        served.retain(|kind| report.versions.contains_key(&detect::crd_name(kind)));
        let optional = served.iter().filter(|kind| !kind.core);
        let asked = optional.map(|kind| Question::list(kind, namespace));
        let closed = refused(&self.calls, asked.collect()).await.map_err(unanswered)?;
        let is_closed = |kind: &Kind| {
            closed.iter().any(|question| question.group == kind.group && question.resource == kind.plural)
        };
        served.retain(|kind| !is_closed(kind));
        Ok((served, report))
    }
}

/// The rights that are missing to see all objects of a cluster: those to list kinds that are `needed` and served, and
/// that are not among those that are `seen`.
#[must_use]
pub fn closed(
    seen: &[&'static Kind],
    report: &Report,
    ground: &Ground,
    needed: impl Fn(&Kind) -> bool,
) -> Vec<Finding> {
    let is_served = |kind: &Kind| report.versions.contains_key(&detect::crd_name(kind));
    let needed = permissions::kinds(true).into_iter().filter(|kind| needed(kind) && is_served(kind));
    let closed = needed.filter(|kind| !seen.contains(kind));
    let closed = closed.map(|kind| Question::list(kind, &ground.namespace));
    let driver = Driver { infra_id: Some(&ground.infra_id), machines: true };
    denied(&closed.collect::<Vec<Question>>(), &driver.roles_command(&ground.namespace))
}

/// Who works on a cluster, or on all whose objects are in one namespace, as far as rights depend on it.
#[derive(Clone, Copy, Debug)]
pub struct Driver<'a> {
    /// The infrastructure id of the cluster; none for all of the namespace.
    pub infra_id: Option<&'a str>,
    /// Whether the operator makes machines.
    pub machines: bool,
}

impl Driver<'_> {
    /// The rights that the work takes.
    #[must_use]
    pub fn rights(self) -> Vec<Rule> {
        let Self { infra_id, machines } = self;
        rules(&Grantee { kinds: &permissions::kinds(machines), infra_id, controller: false })
    }

    /// The command that prints the roles with these rights.
    #[must_use]
    pub fn roles_command(self, namespace: &str) -> String {
        let id = self.infra_id.map(|id| format!(" --infra-id {id}")).unwrap_or_default();
        let place = if self.infra_id == Some(namespace) { "" } else { namespace };
        let place = if place.is_empty() { String::new() } else { format!(" --namespace {place}") };
        let machines = if self.machines { " --machines aso" } else { "" };
        format!("landfall aso roles{id}{place}{machines}")
    }
}

/// A call that failed before any work, by a server of this name and port.
fn unanswered(server: &str, failure: &Failure) -> Finding {
    let finding = pages::failure(failure);
    match failure.fault {
        Fault::Way { .. } => Finding { message: format!("{} ({server})", finding.message), ..finding },
        Fault::Forbidden(_) => {
            finding.help("ask an administrator to bind the roles that `landfall aso roles` prints")
        }
        _ => finding,
    }
}

/// What is wrong with the kubeconfig of a management cluster, or with the service account of a pod.
fn bad_kubeconfig(path: &Path, bad: &BadKubeconfig) -> Finding {
    let mut finding = wait::pages::kubeconfig(bad);
    finding.message = if path == Path::new(ACCOUNT) {
        format!("the service account {}", bad.why)
    } else {
        format!("the kubeconfig {} {}", path.display(), bad.why)
    };
    match bad.bad {
        Bad::Unreadable => finding.help(
            "set the kubeconfig of the management cluster with --kubeconfig or KUBECONFIG, or for a move \
             with --from-kubeconfig and --to-kubeconfig; in a pod, mount its service account",
        ),
        Bad::Invalid => finding.help(
            "use --kubeconfig or KUBECONFIG with a file whose current context has the management cluster's \
             server and a user",
        ),
        Bad::Insecure => finding,
    }
}

/// What stands against work in a management cluster, and the exit code for it.
pub type Refused = (Vec<Finding>, Exit);

/// What was found of an operator, or all that stands against its use.
pub type Checked = Result<Report, Vec<Finding>>;

/// A name for this run that no other has.
fn identity() -> String {
    let host = Environment.variable("HOSTNAME").unwrap_or_else(|| "landfall".to_owned());
    format!("{host}_{:016x}", rand::random::<u64>())
}

/// Checks that were made before the work, to be made again while the operator keeps silent.
pub type Checks<'p> = dyn Fn() -> BoxFuture<'p, Vec<Finding>> + Send + Sync + 'p;

/// Shows work on objects: on a terminal as a bar with lines above it, elsewhere as lines.
pub struct Shown<'p> {
    bars: StageBars,
    drawn: bool,
    printer: &'p Printer,
    limit: Duration,
    /// How many of how many objects are as they are to be.
    done: Mutex<(usize, usize)>,
    pulse: Pulse,
    checks: Option<&'p Checks<'p>>,
}

impl<'p> Shown<'p> {
    /// To the user of these settings, of work that may take as long as `limit`.
    #[must_use]
    pub fn new(settings: &'p Settings, limit: Duration) -> Self {
        let drawn = settings.printer.draws();
        let bars = StageBars::new(drawn, Some(limit));
        bars.began("objects");
        let (done, pulse) = (Mutex::default(), Pulse::default());
        Self { bars, drawn, printer: &settings.printer, limit, done, pulse, checks: None }
    }

    /// Waits for the work, and shows its progress every second, or writes a line every 30 seconds if nothing is drawn.
    pub async fn during<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                result = &mut work => return result,
                () = sleep(BEAT) => self.beat(),
            }
        }
    }

    fn beat(&self) {
        let (done, total) = *self.done.lock().unwrap_or_else(PoisonError::into_inner);
        self.bars.at(done, Some(total), &calls::current().unwrap_or_default());
        if let Some(taken) = self.pulse.due().filter(|_| !self.drawn) {
            let what = match total {
                0 => "objects".to_owned(),
                total => format!("{done} of {} done", counted(total, "object")),
            };
            self.printer.talk(&beat(&what, taken, Some(self.limit)));
        }
    }

    /// The same, with checks that say why the operator cannot be used.
    #[must_use]
    pub fn checking(mut self, checks: &'p Checks<'p>) -> Self {
        self.checks = Some(checks);
        self
    }
}

impl Watcher for Shown<'_> {
    fn changed(&self, done: usize, total: usize) {
        *self.done.lock().unwrap_or_else(PoisonError::into_inner) = (done, total);
        self.bars.at(done, Some(total), &calls::current().unwrap_or_default());
    }

    fn told(&self, line: &str) {
        self.pulse.told();
        if self.drawn {
            self.bars.line(line);
            self.printer.record(line);
        } else {
            self.printer.talk(line);
        }
    }

    fn checks(&self) -> BoxFuture<'_, Vec<Finding>> {
        match self.checks {
            Some(checks) => checks(),
            None => ready(Vec::new()).boxed(),
        }
    }
}

/// What is to be said of how work ended, and the exit code for it.
#[must_use]
pub fn judged(worked: &Worked, ground: &Ground) -> (Vec<Finding>, Exit) {
    match worked {
        Worked::Ended(End::Done, _) => (Vec::new(), Exit::Done),
        Worked::Ended(End::Stuck, step) => (pages::failed(step), Exit::Unfit),
        Worked::Ended(End::TimedOut, step) => {
            let mut findings = pages::failed(step);
            findings.push(pages::late(step));
            (findings, Exit::PartWay)
        }
        // Whoever creates what machines start from knows why it failed.
        Worked::Ended(End::Unbooted, _) => (Vec::new(), Exit::PartWay),
        Worked::Ended(End::Interrupted, _) => (Vec::new(), Exit::Interrupted),
        Worked::NotThere => (vec![pages::not_there(ground)], Exit::Unfit),
        Worked::Refused(finding) => (vec![(**finding).clone()], Exit::Unfit),
        Worked::Broken(finding) => (vec![(**finding).clone()], Exit::PartWay),
    }
}

/// One object of a step, as data has it.
#[must_use]
pub fn described(planned: &Planned) -> Value {
    json!({
        "kind": planned.object.kind,
        "name": planned.object.name,
        "action": planned.action.what.name(),
        "policy": planned.action.policy,
        "message": planned.action.message,
    })
}

/// The word for an exit code, as data has it.
#[must_use]
pub fn outcome(exit: Exit) -> &'static str {
    match exit {
        Exit::Done => "done",
        Exit::Interrupted => "interrupted",
        Exit::PartWay => "stopped",
        _ => "refused",
    }
}

/// Shows warnings of a report.
pub fn warn(report: &Report, settings: &Settings) {
    engine::report(&report.findings, settings);
}

/// The work, which is asked to stop when the program is.
pub async fn stopping<T>(stop: &Stop, work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    tokio::select! {
        biased;
        () = signals::asked() => stop.ask(),
        worked = &mut work => return worked,
    }
    work.await
}

#[cfg(test)]
mod tests;
