//! What came of preflight, for people and for programs.

use std::fmt::Write;

use landfall_diagnostics::{LineIndex, Place};
use serde::Serialize;

use super::{Judged, Style, counted, layout, printable, text};
use landfall_preflight::{Checked, Report, Status};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    id: &'a str,
    status: Status,
    field: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(flatten)]
    place: Option<Place>,
    duration_ms: u64,
    evidence: &'a serde_json::Map<String, serde_json::Value>,
}

#[derive(Serialize)]
struct Outcome<'a> {
    outcome: &'static str,
    checks: Vec<Entry<'a>>,
}

/// One line of JSON, in the form that `docs/contract.md` fixes. `config` is the text of the install config.
#[must_use]
pub fn json(report: &Report, config: &str) -> String {
    let index = LineIndex::new(config);
    let outcome = Outcome {
        outcome: if report.passed() { "passed" } else { "failed" },
        checks: report.checks.iter().map(|checked| entry(checked, &index)).collect(),
    };
    // Only a key that is not text could fail here, and all keys are text.
    let mut line = serde_json::to_string(&outcome).unwrap_or_default();
    line.push('\n');
    line
}

fn entry<'a>(checked: &'a Checked, index: &LineIndex<'_>) -> Entry<'a> {
    Entry {
        id: &checked.id,
        status: checked.status,
        field: &checked.field,
        code: checked.finding.as_ref().map(|finding| finding.code.as_str()),
        message: &checked.message,
        help: checked.finding.as_ref().and_then(|finding| finding.help.as_deref()),
        place: checked.span.map(|span| index.place(span)),
        duration_ms: u64::try_from(checked.took.as_millis()).unwrap_or(u64::MAX),
        evidence: &checked.evidence,
    }
}

/// One line for each check, then every finding with its lines of the config, which `judged` has.
#[must_use]
pub fn text(report: &Report, judged: &Judged<'_>, style: Style) -> String {
    let width = report.checks.iter().map(|checked| checked.id.chars().count()).max().unwrap_or(0);
    let marks = report.checks.iter().map(|checked| mark(checked.status).0.len()).fold(7, usize::max);
    let taken = marks + 1 + width + 2;
    let mut lines = String::new();
    for checked in &report.checks {
        let (mark, sgr) = mark(checked.status);
        let (on, off) = if style.colour { (sgr, "\u{1b}[0m") } else { ("", "") };
        let (id, message) = (printable(&checked.id), printable(&checked.message));
        // Without a terminal a check is one line, as scripts look for it.
        let message = match style.columns {
            Some(columns) => layout::wrapped(&message, columns.saturating_sub(taken)),
            None => vec![message],
        };
        let message = message.join(&format!("\n{:taken$}", ""));
        let _ = writeln!(lines, "{on}{mark:marks$}{off} {id:width$}  {message}");
    }
    if !judged.findings.is_empty() {
        lines.push('\n');
        lines.push_str(&text::findings(judged, style));
    }
    lines
}

/// A word for each status, and how it is coloured.
fn mark(status: Status) -> (&'static str, &'static str) {
    match status {
        Status::Passed => ("ok", "\u{1b}[32m"),
        Status::Warned => ("warning", "\u{1b}[33m"),
        Status::Failed => ("failed", "\u{1b}[1;91m"),
        Status::Skipped => ("skipped", "\u{1b}[2m"),
        Status::Accepted => ("accepted", "\u{1b}[33m"),
    }
}

/// `failed: 1 of 41 checks, 2 warnings, 3 skipped, in 1.2 s`.
#[must_use]
pub fn summary(report: &Report) -> String {
    let number = |status| report.count(status);
    let mut text = match number(Status::Failed) {
        0 => format!("passed: {}", counted(number(Status::Passed), "check")),
        failed => format!("failed: {failed} of {}", counted(report.checks.len(), "check")),
    };
    if number(Status::Warned) > 0 {
        let _ = write!(text, ", {}", counted(number(Status::Warned), "warning"));
    }
    if number(Status::Accepted) > 0 {
        let _ = write!(text, ", {} accepted", number(Status::Accepted));
    }
    if number(Status::Skipped) > 0 {
        let _ = write!(text, ", {} skipped", number(Status::Skipped));
    }
    let _ = write!(text, ", in {:.1} s", report.took.as_secs_f32());
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use landfall_install_config::verdict::Outcome;
    use landfall_source::Mask;

    fn report() -> Report {
        let check = |id: &str, status, message: &str| Checked {
            id: id.to_owned(),
            field: String::new(),
            status,
            message: message.to_owned(),
            finding: None,
            evidence: serde_json::Map::new(),
            took: Duration::from_millis(41),
            span: None,
        };
        let checks = vec![
            check("aws.credentials", Status::Passed, "the credentials are of account 123456789012"),
            check(
                "aws.endpoint.elasticloadbalancing",
                Status::Failed,
                "no connection to https://elb.example.com: the certificate has expired",
            ),
            check("aws.zones", Status::Skipped, "there are no facts"),
        ];
        Report { checks, took: Duration::from_secs(1) }
    }

    #[test]
    fn messages_stay_in_their_column_on_a_terminal() {
        let judged = Judged {
            file: "install-config.yaml",
            text: "",
            outcome: Outcome::Accepted,
            findings: &[],
            mask: &Mask::default(),
        };
        let narrow = text(&report(), &judged, Style { columns: Some(80), ..Style::PLAIN });
        assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
        landfall_testing::assert_text("preflight-80", &narrow);
        // A script finds a check in one line.
        assert_eq!(text(&report(), &judged, Style::PLAIN).lines().count(), 3);
    }
}
