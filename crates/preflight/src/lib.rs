//! Preflight: everything that could stop an installation, asked of the cloud before anything is made.
//!
//! An edge that all platforms share. A platform's [`Session`] knows what to ask; here the questions are put
//! with bounded concurrency and one deadline, the facts are planned with, and everything becomes one
//! [`Report`]. Nothing in a cloud is changed.
//!
//! ```
//! use landfall_platform::cloud::Answer;
//! use landfall_preflight::{Checked, Status};
//!
//! let checked = Checked::new("aws.trust", "", Answer::passed("12 certificates"), Default::default());
//! assert_eq!(checked.status, Status::Passed);
//! ```

#![forbid(unsafe_code)]

mod gathering;
mod report;

pub use gathering::{Known, Missing, gather};
pub use report::{Checked, Report, Status};

use std::time::Duration;

use futures::future::{join, join_all};
use landfall_diagnostics::{Finding, Findings};
use landfall_install_config::assets;
use landfall_model::facts::{Facts, Source};
use landfall_model::plan::{Case, Identity, Plan};
use landfall_platform::cloud::{Answer, Asking, Check, Evidence, Gap, Gathered, Judged, Session, Verdict};
use landfall_platform::pages;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

/// How a run goes about its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The most checks that run at a time; at least one does.
    pub parallel: usize,
    /// When the run ends, whatever has been answered by then.
    pub deadline: Duration,
}

/// Somebody who watches a run.
pub trait Watcher: Sync + std::fmt::Debug {
    /// There are this many checks more to come.
    fn more(&self, checks: usize);

    /// A check begins.
    fn began(&self, id: &str);

    /// A check has ended.
    fn ended(&self, checked: &Checked);

    /// Checks are under way: it is called every second.
    fn beat(&self) {}

    /// Nothing more is to come.
    fn over(&self) {}
}

/// Nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watcher for Unwatched {
    fn more(&self, _: usize) {}

    fn began(&self, _: &str) {}

    fn ended(&self, _: &Checked) {}
}

/// What came of putting every question.
#[derive(Debug)]
pub struct Asked {
    /// What came of each.
    pub report: Report,
    /// The facts; none where some could not be gathered.
    pub facts: Option<Facts>,
}

/// Puts every question, and plans with the answers. The cluster's ids are those of `identity`.
pub async fn run(
    session: &dyn Session,
    asking: &Asking<'_>,
    identity: &Identity,
    pace: Pace,
    watcher: &dyn Watcher,
) -> Asked {
    let runner = Runner::new(pace, watcher);
    let (mut first, second) = (session.foundations(), session.checks());
    first.extend(second);
    let planned = Box::pin(planned(session, asking, identity, &runner));
    let (mut checks, (planned, facts)) = join(runner.all(first), planned).await;
    checks.extend(planned);
    Asked { report: Report::new(checks, runner.begun.elapsed()), facts }
}

/// What hangs on the facts: what planning judges of them, and the checks of what the plan uses.
async fn planned(
    session: &dyn Session,
    asking: &Asking<'_>,
    identity: &Identity,
    runner: &Runner<'_>,
) -> (Vec<Checked>, Option<Facts>) {
    let (gathered, took) = runner.facts(session).await;
    // Where nothing came in time, every subject's part is missing.
    let gathered = gathered.unwrap_or_else(|| {
        let parts = session.judged().iter().flat_map(|judged| judged.parts);
        let late = || Verdict::Found(Box::new(pages::late("", runner.limit)));
        Gathered { gaps: parts.map(|part| Gap { part, why: late() }).collect(), ..Gathered::default() }
    });
    let mut out = Findings::default();
    let plan = plan(asking, identity, &gathered.facts, &mut out)
        .or_else(|| likely_plan(asking, identity, &gathered.facts));
    if !asking.installed {
        assets::check_creation(asking.config, &mut out);
    }
    let mut checks = judged(session, asking, &gathered, out.into_vec(), took);
    runner.watcher.more(checks.len());
    for checked in &checks {
        runner.watcher.ended(checked);
    }
    let facts = Some(gathered.facts).filter(|_| gathered.gaps.is_empty());
    if let Some(plan) = plan.filter(|_| facts.is_some()) {
        checks.extend(runner.all(session.checks_of_plan(&plan)).await);
        return (checks, facts);
    }
    let skipped = session.checks_without_plan().into_iter().map(|(id, field)| {
        let answer = Answer::skipped("the cluster's resources are unknown: see the checks above");
        Checked::new(id, field, answer, Duration::ZERO)
    });
    checks.extend(skipped);
    (checks, facts)
}

/// What the plan will be once the cloud is tidied up, such as by making a hosted zone: planned as where no
/// cloud was asked, so that what the cluster will use can be looked at in the same run.
fn likely_plan(asking: &Asking<'_>, identity: &Identity, facts: &Facts) -> Option<Plan> {
    let facts = Facts { source: Source::Catalogue, ..facts.clone() };
    plan(&Asking { installed: true, ..*asking }, identity, &facts, &mut Findings::default())
}

/// The plan that the facts allow.
fn plan(asking: &Asking<'_>, identity: &Identity, facts: &Facts, out: &mut Findings) -> Option<Plan> {
    let case = Case {
        config: asking.config,
        given: asking.given,
        facts,
        catalogue: asking.catalogue,
        release: asking.release,
        identity,
        installed: asking.installed,
        own_records: asking.own_records,
        engine: asking.engine,
    };
    assets::plan(&case, out)
}

/// What is shown while the facts are gathered.
const FACTS: &str = "facts";

/// The check that tells what planning found of no particular subject.
const PLAN: &str = "plan";

/// One check for each subject of planning: what it found, or that there is nothing to say. A subject whose
/// facts are not there is skipped, as what planning says of it would be wrong.
fn judged(
    session: &dyn Session,
    asking: &Asking<'_>,
    gathered: &Gathered,
    findings: Vec<Finding>,
    took: Duration,
) -> Vec<Checked> {
    let mut checks = Vec::new();
    let mut rest: Vec<Finding> = findings;
    for subject in session.judged() {
        let (own, others) =
            rest.into_iter().partition::<Vec<_>, _>(|finding| subject.codes.contains(&finding.code.as_str()));
        rest = others;
        let seen = (subject.passed)(asking.config, &gathered.facts);
        match (seen, unknown(subject, gathered)) {
            // The config does not have the subject.
            (None, _) if own.is_empty() => {}
            (_, Some(answer)) => checks.push(Checked::new(subject.id, subject.field, answer, took)),
            (Some(answer), None) if own.is_empty() => {
                checks.push(Checked::new(subject.id, subject.field, answer, took));
            }
            (seen, None) => {
                let evidence = seen.map(|answer| answer.evidence).unwrap_or_default();
                checks.extend(numbered(subject.id, own, took, &evidence));
            }
        }
    }
    // What belongs to no subject rests on the config alone.
    checks.extend(numbered(PLAN, rest, took, &Evidence::new()));
    checks
}

/// Why nothing can be said of a subject; none when all of its facts are there.
fn unknown(subject: &Judged, gathered: &Gathered) -> Option<Answer> {
    let gap = |part: &&str| gathered.gaps.iter().find(|gap| gap.part == *part);
    let (first, others) = subject.parts.split_first()?;
    if let Some(gap) = gap(first) {
        return Some(Answer { verdict: gap.why.clone(), evidence: Evidence::new() });
    }
    let missing = others.iter().find_map(gap)?;
    Some(Answer::skipped(format!("the cloud did not report the {}", missing.part.replace('-', " "))))
}

/// Several findings of one subject: the first check has its id, the others a number.
fn numbered(id: &str, findings: Vec<Finding>, took: Duration, evidence: &Evidence) -> Vec<Checked> {
    let checks = findings.into_iter().enumerate().map(|(i, finding)| {
        let id = if i == 0 { id.to_owned() } else { format!("{id}.{}", i + 1) };
        let field = finding.field.clone();
        let answer = Answer { evidence: evidence.clone(), ..Answer::found(finding) };
        Checked::new(id, field, answer, took)
    });
    checks.collect()
}

/// Runs checks, so many at a time, until the time is over.
struct Runner<'w> {
    places: Semaphore,
    begun: Instant,
    deadline: Instant,
    limit: Duration,
    watcher: &'w dyn Watcher,
}

impl<'w> Runner<'w> {
    fn new(pace: Pace, watcher: &'w dyn Watcher) -> Self {
        let begun = Instant::now();
        Self {
            places: Semaphore::new(pace.parallel.clamp(1, Semaphore::MAX_PERMITS)),
            begun,
            deadline: begun + pace.deadline,
            limit: pace.deadline,
            watcher,
        }
    }

    /// The facts, and how long they took; none where the time was over before.
    async fn facts(&self, session: &dyn Session) -> (Option<Gathered>, Duration) {
        self.watcher.more(1);
        self.watcher.began(FACTS);
        let began = Instant::now();
        let gathered = timeout_at(self.deadline, session.facts()).await.ok();
        let took = began.elapsed();
        self.watcher.ended(&Checked::new(FACTS, "", Answer::passed("gathered"), took));
        (gathered, took)
    }

    /// Every check's result, in the order of the checks.
    async fn all(&self, checks: Vec<Check<'_>>) -> Vec<Checked> {
        self.watcher.more(checks.len());
        join_all(checks.into_iter().map(|check| self.one(check))).await
    }

    async fn one(&self, check: Check<'_>) -> Checked {
        let Check { id, field, run } = check;
        let place = timeout_at(self.deadline, self.places.acquire()).await;
        let Some(_place) = place.ok().and_then(Result::ok).filter(|_| Instant::now() < self.deadline) else {
            let answer =
                Answer::skipped(format!("not started within the run's {} s", self.limit.as_secs_f32()));
            return self.ended(Checked::new(id, field, answer, Duration::ZERO));
        };
        self.watcher.began(&id);
        let began = Instant::now();
        let answer = timeout_at(self.deadline, run).await;
        let answer = answer.unwrap_or_else(|_| Answer::found(pages::late(&field, self.limit)));
        self.ended(Checked::new(id, field, answer, began.elapsed()))
    }

    fn ended(&self, checked: Checked) -> Checked {
        self.watcher.ended(&checked);
        checked
    }
}

#[cfg(test)]
mod tests;
