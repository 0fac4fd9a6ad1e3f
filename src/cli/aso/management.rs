//! The management cluster on the command line: the way to it, what is looked at there before anything is
//! written, and how work on a cluster is shown.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::catalogue::Catalogue;
use crate::cli::{Exit, Settings, engine, signals};
use crate::engine::aso::detect::look::{look, refused};
use crate::engine::aso::detect::permissions::{self, Grantee, Question, denied, questions, rules};
use crate::engine::aso::detect::{self, Report, Wanted};
use crate::engine::aso::drive::{Clock, End, Feed, Ground, Limits, Live, Watcher, Worked, now, pages};
use crate::engine::aso::keys;
use crate::engine::aso::kinds::Kind;
use crate::finding::{Finding, Severity};
use crate::kube::{Access, Bad};
use crate::platform::World as _;
use crate::prepare::Environment;
use crate::stop::Stop;
use crate::ui::{Printer, StageBars};
use crate::wait;

/// How long a connection, and each part of an answer, may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// The clock of the work.
const CLOCK: Clock = now;

/// Which management cluster.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct KubeconfigArgs {
    /// Kubeconfig of the management cluster, for `--engine aso`; that of `KUBECONFIG` unless given
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
    /// Its objects.
    pub live: Live,
}

impl Management {
    /// The management cluster of a kubeconfig; why it cannot be called, with the exit code for that. Must be
    /// called within a runtime.
    ///
    /// # Errors
    /// The kubeconfig cannot be used.
    pub fn of(kubeconfig: Option<&Path>) -> Result<Self, (Box<Finding>, Exit)> {
        let variable = |name: &str| Environment.variable(name);
        let access = Access::of_run(kubeconfig, &variable).map_err(|(_, bad)| {
            let exit = if bad.bad == Bad::Unreadable { Exit::Failed } else { Exit::NotValid };
            (Box::new(wait::pages::kubeconfig(&bad)), exit)
        })?;
        let unusable = |fault: crate::kube::Fault| (Box::new(pages::failure(&fault.into())), Exit::Failed);
        let calls = access.client(PATIENCE).map_err(unusable)?;
        let watches = access.watching_client(PATIENCE).map_err(unusable)?;
        Ok(Self { live: Live::new(calls.clone()), calls, watches })
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
        let unanswered = |fault: crate::kube::Fault| vec![pages::failure(&fault.into())];
        let cluster = look(&self.calls, wanted.kinds).await.map_err(unanswered)?;
        let report = detect::detect(&cluster, wanted, &clouds.azure);
        let kinds = permissions::kinds(machines);
        let grantee = Grantee { kinds: &kinds, infra_id: Some(infra_id), controller: false };
        let asked = questions(&rules(&grantee), wanted.namespace);
        let denied = denied(&refused(&self.calls, asked).await.map_err(unanswered)?);
        let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
        let errors: Vec<Finding> = errors.cloned().chain(denied).collect();
        if errors.is_empty() { Ok(report) } else { Err(errors) }
    }

    /// News of the objects of a cluster, of kinds in the versions that were found.
    pub fn feed(&self, kinds: &[&'static Kind], report: &Report, ground: &Ground) -> Feed {
        let version = |kind: &'static Kind| {
            let found = report.versions.get(&detect::crd_name(kind)).copied();
            (kind, found.unwrap_or(kind.versions[0]))
        };
        let kinds: Vec<(&'static Kind, &str)> = kinds.iter().copied().map(version).collect();
        let label = format!("{}={}", keys::CLUSTER, ground.infra_id);
        Live::feed(&self.watches, &kinds, Some(&ground.namespace), &label)
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
        let unanswered = |fault: crate::kube::Fault| vec![pages::failure(&fault.into())];
        let cluster = look(&self.calls, kinds).await.map_err(unanswered)?;
        let wanted = Wanted { cloud: "", namespace, kinds };
        let report = detect::detect(&cluster, &wanted, &Catalogue::embedded().azure);
        let mut served = kinds.to_vec();
        served.retain(|kind| report.versions.contains_key(&detect::crd_name(kind)));
        let optional = served.iter().filter(|kind| !kind.core);
        let asked = optional.map(|kind| Question {
            namespace: Some(namespace.to_owned()),
            group: kind.group,
            resource: kind.plural.to_owned(),
            name: None,
            verb: "list",
        });
        let closed = refused(&self.calls, asked.collect()).await.map_err(unanswered)?;
        let is_closed = |kind: &Kind| {
            closed.iter().any(|question| question.group == kind.group && question.resource == kind.plural)
        };
        served.retain(|kind| !is_closed(kind));
        Ok((served, report))
    }
}

/// What was found of an operator, or all that stands against its use.
pub type Checked = Result<Report, Vec<Finding>>;

/// The limits of work that may take so long.
#[must_use]
pub fn limits(whole: Duration) -> Limits {
    Limits { whole, clock: CLOCK }
}

/// A name for this run that no other has.
#[must_use]
pub fn identity() -> String {
    let host = Environment.variable("HOSTNAME").unwrap_or_else(|| "landfall".to_owned());
    format!("{host}_{:016x}", rand::random::<u64>())
}

/// Shows work on objects: on a terminal as a bar with lines above it, elsewhere as lines.
pub struct Shown<'p> {
    bars: StageBars,
    drawn: bool,
    printer: &'p Printer,
}

impl<'p> Shown<'p> {
    /// To the user of these settings.
    #[must_use]
    pub fn new(settings: &'p Settings) -> Self {
        let drawn = settings.printer.draws();
        let bars = StageBars::new(drawn);
        bars.began("objects");
        Self { bars, drawn, printer: &settings.printer }
    }
}

impl Watcher for Shown<'_> {
    fn changed(&self, done: usize, total: usize) {
        self.bars.at(done, Some(total), "");
    }

    fn told(&self, line: &str) {
        if self.drawn {
            self.bars.line(line);
            self.printer.record(line);
        } else {
            self.printer.talk(line);
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
        Worked::Ended(End::Interrupted, _) => (Vec::new(), Exit::Interrupted),
        Worked::NotThere => (vec![pages::not_there(ground)], Exit::Unfit),
        Worked::Refused(finding) => (vec![(**finding).clone()], Exit::Unfit),
        Worked::Broken(finding) => (vec![(**finding).clone()], Exit::PartWay),
    }
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
        worked = &mut work => return worked,
        () = signals::asked() => stop.ask(),
    }
    work.await
}
