//! What came of a run.

use std::time::Duration;

use landfall_diagnostics::{Finding, Severity, Span};
use landfall_install_config::assets;
use landfall_model::config::InstallConfig;
use landfall_platform::cloud::{Answer, Evidence, Verdict};
use serde::Serialize;

/// Whether all is well with what was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It is.
    Passed,
    /// It may not be.
    Warned,
    /// It is not: an installation would fail.
    Failed,
    /// Nobody knows.
    Skipped,
    /// It is not, and the user accepts that.
    Accepted,
}

/// One check with its result.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Name, unique in a run.
    pub id: String,
    /// The field of the config that was checked.
    pub field: String,
    /// Whether all is well.
    pub status: Status,
    /// What was found, or why nobody knows: a sentence without a full stop.
    pub message: String,
    /// The finding of a check that failed or warned.
    pub finding: Option<Finding>,
    /// What was seen.
    pub evidence: Evidence,
    /// How long it took.
    pub took: Duration,
    /// Bytes of the config's text that the field is at, once it was looked up.
    pub span: Option<Span>,
}

impl Checked {
    /// A check with what came of it.
    pub fn new(id: impl Into<String>, field: impl Into<String>, answer: Answer, took: Duration) -> Self {
        let (status, message, finding) = match answer.verdict {
            Verdict::Passed(message) => (Status::Passed, message, None),
            Verdict::Skipped(message) | Verdict::Unanswered(message) => (Status::Skipped, message, None),
            Verdict::Found(finding) => {
                let status = if finding.is_error() { Status::Failed } else { Status::Warned };
                (status, finding.message.clone(), Some(*finding))
            }
        };
        // A check of several fields finds fault with one of them.
        let found = finding.as_ref().map(|finding| finding.field.clone()).filter(|field| !field.is_empty());
        Self {
            id: id.into(),
            field: found.unwrap_or_else(|| field.into()),
            status,
            message,
            finding,
            evidence: answer.evidence,
            took,
            span: None,
        }
    }
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Report {
    /// The checks: first what all else rests on, then what the cloud has, then what the plan uses.
    pub checks: Vec<Checked>,
    /// How long all of them took together.
    pub took: Duration,
}

impl Report {
    pub(super) fn new(checks: Vec<Checked>, took: Duration) -> Self {
        Self { checks, took }
    }

    /// Whether an installation would not fail for anything that was checked.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.checks.iter().all(|checked| checked.status != Status::Failed)
    }

    /// Whether checks failed, and all of them because the cloud, or the way to it, was in trouble.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        let mut failed = self.checks.iter().filter(|checked| checked.status == Status::Failed).peekable();
        let may_pass = |checked: &Checked| checked.finding.as_ref().is_some_and(Finding::may_pass);
        failed.peek().is_some() && failed.all(may_pass)
    }

    /// Takes failed checks for accepted ones whose id or code is among `names`; gives the names that were
    /// used. The findings of these checks are warnings from then on.
    pub fn accept(&mut self, names: &[String]) -> Vec<String> {
        let mut used = Vec::new();
        for checked in self.checks.iter_mut().filter(|checked| checked.status == Status::Failed) {
            let code = checked.finding.as_ref().map(|finding| finding.code.as_str());
            let is_meant = |name: &&String| **name == checked.id || Some(name.as_str()) == code;
            let Some(name) = names.iter().find(is_meant) else { continue };
            used.push(name.clone());
            checked.status = Status::Accepted;
            if let Some(finding) = &mut checked.finding {
                finding.severity = Severity::Warning;
            }
        }
        used.dedup();
        used
    }

    /// The ids of the checks that failed and were accepted.
    #[must_use]
    pub fn accepted(&self) -> Vec<String> {
        let accepted = self.checks.iter().filter(|checked| checked.status == Status::Accepted);
        accepted.map(|checked| checked.id.clone()).collect()
    }

    /// How many checks ended so.
    #[must_use]
    pub fn count(&self, status: Status) -> usize {
        self.checks.iter().filter(|checked| checked.status == status).count()
    }

    /// Looks up every check's place in the text of the config.
    pub fn place(&mut self, config: &InstallConfig, text: &str) {
        let at = |checked: &Checked| {
            let own = checked.finding.as_ref().and_then(|finding| finding.at.clone());
            own.unwrap_or_else(|| checked.field.clone())
        };
        let fields: Vec<String> = self.checks.iter().map(at).collect();
        let spans = assets::spans(&fields, config, text);
        for (checked, span) in self.checks.iter_mut().zip(spans) {
            checked.span = span;
            if let Some(finding) = &mut checked.finding {
                finding.span = finding.span.or(span);
            }
        }
    }

    /// The findings of all checks, in their order.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        self.checks.iter().filter_map(|checked| checked.finding.clone()).collect()
    }
}
