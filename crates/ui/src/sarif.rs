//! Findings as a SARIF 2.1.0 log, which code hosts and editors read.
//!
//! One log holds a whole run, so the findings of each file are kept as [`Note`]s, which need neither the
//! file nor its text, until the last file was judged.

use std::collections::BTreeSet;

use landfall_diagnostics::{Code, Finding, LineIndex, Place, Severity};
use serde_json::{Value, json};

use super::Judged;

/// A finding that no longer needs the text of its file.
#[derive(Clone, Debug)]
pub struct Note {
    code: &'static Code,
    severity: Severity,
    message: String,
    uri: String,
    field: String,
    place: Option<Place>,
    related: Option<(String, Place)>,
}

/// What a log has to say of a file.
#[must_use]
pub fn notes(judged: &Judged<'_>) -> Vec<Note> {
    let index = LineIndex::new(judged.text);
    let uri = uri(judged.file);
    judged.distinct().into_iter().map(|finding| note(finding, &uri, &index)).collect()
}

fn note(finding: &Finding, uri: &str, index: &LineIndex<'_>) -> Note {
    let related = finding.related.as_ref();
    Note {
        code: finding.code,
        severity: finding.severity,
        message: match &finding.help {
            Some(help) => format!("{}\nhelp: {help}", finding.message),
            None => finding.message.clone(),
        },
        uri: uri.to_owned(),
        field: finding.field.clone(),
        place: finding.span.map(|span| index.place(span)),
        related: related.and_then(|r| Some((r.label.clone(), index.place(r.span?)))),
    }
}

/// The log of a run: every rule that found something, and every result.
#[must_use]
pub fn log(notes: &[Note]) -> String {
    let codes: BTreeSet<&str> = notes.iter().map(|note| note.code.as_str()).collect();
    let codes: Vec<&str> = codes.into_iter().collect();
    let results: Vec<Value> = notes.iter().map(|note| result(note, &codes)).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "landfall",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": codes.iter().map(|code| rule(code)).collect::<Vec<_>>(),
                },
            },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn rule(code: &str) -> Value {
    let Some(page) = landfall_diagnostics::page(code) else { return json!({ "id": code }) };
    let mut help = page.text.clone();
    for (heading, example) in [("Wrong", page.wrong), ("Right", page.right)] {
        if !example.is_empty() {
            help = format!("{help}\n\n{heading}:\n\n{}", example.trim_end());
        }
    }
    json!({
        "id": page.code,
        "name": name(page.title),
        "shortDescription": { "text": page.title },
        "fullDescription": { "text": page.text },
        "help": { "text": help },
        "defaultConfiguration": { "level": level(page.severity) },
    })
}

fn result(note: &Note, codes: &[&str]) -> Value {
    let mut location = json!({ "physicalLocation": physical(&note.uri, note.place) });
    if !note.field.is_empty() {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": note.field }]);
    }
    let mut result = json!({
        "ruleId": note.code.as_str(),
        "ruleIndex": codes.iter().position(|code| *code == note.code.as_str()),
        "level": level(note.severity),
        "message": { "text": note.message },
        "locations": [location],
    });
    if let Some((label, place)) = &note.related {
        let there = physical(&note.uri, Some(*place));
        result["relatedLocations"] = json!([{ "message": { "text": label }, "physicalLocation": there }]);
    }
    result
}

fn physical(uri: &str, place: Option<Place>) -> Value {
    let mut location = json!({ "artifactLocation": { "uri": uri } });
    if let Some(place) = place {
        location["region"] = json!({
            "startLine": place.line,
            "startColumn": place.column,
            "endLine": place.end_line,
            "endColumn": place.end_column,
        });
    }
    location
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// A title as one word: `TheFileIsYaml11`.
fn name(title: &str) -> String {
    let mut name = String::new();
    for word in title.split(|c: char| !c.is_ascii_alphanumeric()) {
        let (first, rest) = word.split_at(word.len().min(1));
        name.push_str(&first.to_ascii_uppercase());
        name.push_str(rest);
    }
    name
}

/// A file's name as a reference: relative ones stay so, absolute ones get their scheme.
fn uri(file: &str) -> String {
    let slashed = if cfg!(windows) { file.replace('\\', "/") } else { file.to_owned() };
    let path = match slashed.strip_prefix("./") {
        Some(rest) => rest.trim_start_matches('/'),
        None => &slashed,
    };
    let encoded: String = path.bytes().map(encoded).collect();
    if path.starts_with('/') { format!("file://{encoded}") } else { encoded }
}

fn encoded(byte: u8) -> String {
    match byte {
        b'/' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        letter if letter.is_ascii_alphanumeric() => char::from(letter).to_string(),
        other => format!("%{other:02X}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_diagnostics::{Kind, Span};
    use landfall_install_config::verdict::Outcome;
    use landfall_source::{Mask, pages};

    #[test]
    fn writes_file_names_as_references() {
        assert_eq!(uri("./a b/ü%.yaml"), "a%20b/%C3%BC%25.yaml");
        assert_eq!(uri("/etc/x.yaml"), "file:///etc/x.yaml");
        assert_eq!(uri("c:x/y.yaml"), "c%3Ax/y.yaml");
        assert_eq!(uri("../x.yaml"), "../x.yaml");
    }

    #[test]
    fn names_rules_in_one_word() {
        assert_eq!(name("the file is YAML 1.1"), "TheFileIsYAML11");
    }

    #[test]
    fn points_from_results_to_rules() {
        let at = |page, place| Finding::error(page, Kind::Parse, "a", "broken").span(place);
        let findings = [at(&pages::SYNTAX, Span::new(0, 1)), at(&pages::ENCODING, Span::new(0, 0))];
        let notes = notes(&Judged {
            file: "x.yaml",
            text: "a",
            outcome: Outcome::Unparseable,
            findings: &findings,
            mask: &Mask::default(),
        });
        let log: Value = serde_json::from_str(&log(&notes)).unwrap_or_default();
        let run = &log["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"][1]["id"], "LF0005");
        assert_eq!(run["results"][0]["ruleIndex"], 1);
        assert_eq!(run["results"][1]["locations"][0]["physicalLocation"]["region"]["endColumn"], 1);
    }
}
