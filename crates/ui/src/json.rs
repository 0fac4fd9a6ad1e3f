//! Findings for programs: one JSON object a file, in the form that `docs/contract.md` fixes.

use landfall_diagnostics::{Finding, Kind, LineIndex, Place, Severity};
use serde::Serialize;

use super::Judged;

#[derive(Serialize)]
struct Report<'a> {
    file: &'a str,
    outcome: &'static str,
    findings: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    code: &'static str,
    severity: Severity,
    kind: Kind,
    field: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(flatten)]
    place: Place,
}

/// One line of JSON with everything that was found in the file.
#[must_use]
pub fn render(judged: &Judged<'_>) -> String {
    let index = LineIndex::new(judged.text);
    let report = Report {
        file: judged.file,
        outcome: judged.outcome.name(),
        findings: judged.without_repeats().map(|finding| entry(finding, &index)).collect(),
    };
    // Only a key that is not text could fail here, and all keys are names of fields.
    let mut line = serde_json::to_string(&report).unwrap_or_default();
    line.push('\n');
    line
}

/// The findings of a file, as they stand in its report.
#[must_use]
pub fn findings(judged: &Judged<'_>) -> Vec<serde_json::Value> {
    let index = LineIndex::new(judged.text);
    let entries = judged.without_repeats().map(|finding| entry(finding, &index));
    entries.map(|entry| serde_json::to_value(entry).unwrap_or_default()).collect()
}

/// Findings that are about no file, such as what an engine says.
#[must_use]
pub fn placeless(findings: &[Finding]) -> Vec<serde_json::Value> {
    let values = findings.iter().map(|finding| {
        serde_json::json!({
            "code": finding.code.as_str(),
            "severity": finding.severity,
            "kind": finding.kind,
            "field": finding.field,
            "message": finding.message,
            "help": finding.help,
        })
    });
    values.collect()
}

fn entry<'a>(finding: &'a Finding, index: &LineIndex<'_>) -> Entry<'a> {
    Entry {
        code: finding.code.as_str(),
        severity: finding.severity,
        kind: finding.kind,
        field: &finding.field,
        message: &finding.message,
        help: finding.help.as_deref(),
        place: index.place(finding.span.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_diagnostics::Span;
    use landfall_install_config::verdict::{Outcome, Strictness, judge};
    use landfall_source::{Mask, pages};

    #[test]
    fn says_nothing_twice() {
        let config =
            b"apiVersion: v1\nplatform: {aws: {region: us-east-1}}\ncontrolPlane: {architecture: sparc}\n";
        let verdict = judge(config, Strictness::default());
        let judged = Judged {
            file: "x.yaml",
            text: std::str::from_utf8(config).unwrap_or_default(),
            outcome: verdict.outcome,
            findings: &verdict.findings,
            mask: &verdict.mask,
        };
        let of = |codes: Vec<&str>| codes.into_iter().filter(|code| *code == "LF0303").count();
        assert_eq!(of(verdict.findings.iter().map(|finding| finding.code.as_str()).collect()), 2);
        let shown = findings(&judged);
        assert_eq!(of(shown.iter().filter_map(|finding| finding["code"].as_str()).collect()), 1);
        assert_eq!(render(&judged).matches("LF0303").count(), 1);
    }

    #[test]
    fn keeps_the_order_of_the_contract() {
        let finding = Finding::error(&pages::SYNTAX, Kind::Parse, "a.b", "broken").span(Span::new(5, 7));
        let judged = Judged {
            file: "x.yaml",
            text: "a: b\ncc: d\n",
            outcome: Outcome::Unparseable,
            findings: &[finding],
            mask: &Mask::default(),
        };
        assert_eq!(
            render(&judged),
            "{\"file\":\"x.yaml\",\"outcome\":\"unparseable\",\"findings\":[{\"code\":\"LF0005\",\
             \"severity\":\"error\",\"kind\":\"Parse\",\"field\":\"a.b\",\"message\":\"broken\",\
             \"line\":2,\"column\":1,\"endLine\":2,\"endColumn\":3}]}\n"
        );
    }
}
