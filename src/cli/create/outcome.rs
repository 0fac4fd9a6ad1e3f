//! What `create` says of a directory.

use std::fmt::Write;
use std::path::Path;

use landfall_diagnostics::Finding;
use landfall_model::facts::Source;
use landfall_model::plan::ignition_pages;
use landfall_model::prices::UNAVAILABLE;
use serde_json::{Value, json};

use crate::cli::{Exit, Output, Settings};
use crate::prepare::{FACTS, Prepared, Refusal, Said};
use crate::ui::{Judged, counted, json as json_form, printable_lines, text};

/// Says what was written.
///
/// # Errors
/// Standard output cannot be written.
pub(super) fn prepared(directory: &Path, prepared: &Prepared, settings: &Settings) -> anyhow::Result<Exit> {
    if settings.output != Output::Json {
        remarks(prepared, &prepared.said, settings);
    }
    settings.printer.data(&shown(directory, prepared, settings))?;
    Ok(Exit::Done)
}

/// Says what was written on the way to something else, with those of its findings that are `left` to be told.
pub(super) fn told(directory: &Path, prepared: &Prepared, left: &Said, settings: &Settings) {
    if settings.output != Output::Json {
        remarks(prepared, left, settings);
        settings.printer.talk(summary(directory, prepared, Output::Text).trim_end());
    }
}

fn remarks(prepared: &Prepared, left: &Said, settings: &Settings) {
    said(left, settings);
    for line in notes(prepared) {
        settings.printer.talk(&line);
    }
}

/// Says why nothing was written.
///
/// # Errors
/// Something outside of the input went wrong.
pub fn refused(refusal: Refusal, settings: &Settings) -> anyhow::Result<Exit> {
    let no_facts = matches!(refusal, Refusal::NoFacts(_));
    let (refused, exit) = match refusal {
        Refusal::Invalid(refused) => (refused, Exit::NotValid),
        Refusal::Usage(refused) => return usage(&refused, settings),
        Refusal::Unfit(refused) => (refused, Exit::Unfit),
        Refusal::Outside(refused) => (refused, Exit::Failed),
        Refusal::NoFacts(refused) => {
            let mut errors = refused.findings.iter().filter(|finding| finding.is_error()).peekable();
            let may_pass = errors.peek().is_some() && errors.all(Finding::may_pass);
            (refused, Exit::of_cloud(may_pass))
        }
        Refusal::Failed(fault) => return Err(fault.into()),
    };
    match settings.output {
        Output::Json => settings.printer.data(&json_form::render(&judged(&refused)))?,
        // Each says which file it is about, and none has a line to point at.
        _ if !refused.findings.is_empty() && refused.findings.iter().all(ignition_pages::is_of) => {
            settings.printer.report(&text::placeless(&refused.findings, settings.printer.styles().talk));
        }
        // There is nothing wrong with the file.
        _ if no_facts => {
            settings.printer.report(&text::findings(&judged(&refused), settings.printer.styles().talk));
            // Prices have a help of their own, and are in no plan.
            if !refused.findings.iter().any(|finding| *finding.code == UNAVAILABLE) {
                settings.printer.talk(WITHOUT_CLOUD);
            }
        }
        _ => settings.printer.report(&text::render(&judged(&refused), settings.printer.styles().talk)),
    }
    Ok(exit)
}

/// How to go on where the cloud cannot be asked.
const WITHOUT_CLOUD: &str = "to plan without asking the cloud, run `landfall create manifests` with \
    --facts FILE, for facts that were gathered elsewhere, or with --offline, for the catalogue alone";

/// Says what is wrong with a value on the command line, which has no line to point at.
fn usage(refused: &Said, settings: &Settings) -> anyhow::Result<Exit> {
    if settings.output == Output::Json {
        settings.printer.data(&json_form::render(&judged(refused)))?;
        return Ok(Exit::Usage);
    }
    for finding in &refused.findings {
        let mut text = format!("error[{}]: {}: {}\n", finding.code.as_str(), refused.file, finding.message);
        if let Some(help) = &finding.help {
            let _ = writeln!(text, "  = help: {help}");
        }
        settings.printer.report(&printable_lines(&text));
    }
    Ok(Exit::Usage)
}

/// Shows findings that refuse nothing.
pub fn said(said: &Said, settings: &Settings) {
    let (placeless, placed): (Vec<Finding>, Vec<Finding>) =
        said.findings.iter().cloned().partition(ignition_pages::is_of);
    let style = settings.printer.styles().talk;
    if !placed.is_empty() {
        let judged = Judged { findings: &placed, ..judged(said) };
        settings.printer.aside(&text::render(&judged, style));
    }
    settings.printer.aside(&text::placeless(&placeless, style));
}

/// A text with what is to be said of it, ready to be rendered.
#[must_use]
pub fn judged(said: &Said) -> Judged<'_> {
    Judged {
        file: &said.file,
        text: &said.text,
        outcome: said.outcome,
        findings: &said.findings,
        mask: &said.mask,
    }
}

/// What was done, as it is written to standard output.
pub(super) fn shown(directory: &Path, prepared: &Prepared, settings: &Settings) -> String {
    let line = summary(directory, prepared, settings.output);
    if settings.output == Output::Json {
        return line;
    }
    format!("{}\n", settings.printer.styles().data.fitted(line.trim_end()))
}

/// What was done, as one line of data.
fn summary(directory: &Path, prepared: &Prepared, output: Output) -> String {
    let identity = &prepared.plan.identity;
    let report = &prepared.report;
    if output == Output::Json {
        let findings: Vec<Value> = json_form::findings(&judged(&prepared.said));
        let value = json!({
            "dir": directory.display().to_string(),
            "infraID": identity.infra_id,
            "clusterID": identity.cluster_id,
            "release": prepared.plan.release,
            "facts": prepared.facts,
            "written": report.written,
            "unchanged": report.unchanged,
            "kept": report.kept,
            "removed": report.removed,
            "findings": findings,
        });
        return format!("{value}\n");
    }
    let mut text =
        format!("{}: {}, release {}: ", directory.display(), identity.infra_id, prepared.plan.release);
    let _ = write!(text, "{} written", counted(report.written.len(), "file"));
    for (files, what) in
        [(&report.unchanged, "unchanged"), (&report.kept, "kept as edited"), (&report.removed, "removed")]
    {
        if !files.is_empty() {
            let _ = write!(text, ", {} {what}", files.len());
        }
    }
    text.push('\n');
    text
}

/// What the user should know besides the findings.
fn notes(prepared: &Prepared) -> Vec<String> {
    let mut notes = Vec::new();
    if !prepared.report.kept.is_empty() {
        notes.push(format!("kept as edited by hand: {}", prepared.report.kept.join(", ")));
    }
    if !prepared.added.is_empty() {
        notes.push(format!("added by hand, unchanged: {}", prepared.added.join(", ")));
    }
    if prepared.report.kept.iter().any(|path| path == FACTS) {
        notes.push(
            "facts.json is kept as edited, but was not used for this plan: pass it with --facts to plan \
             with it"
                .to_owned(),
        );
    }
    if prepared.facts == Source::Catalogue {
        notes.push("planned with the catalogue only: the cloud was not queried".to_owned());
    }
    if !prepared.with_credentials && prepared.plan.config.credentials_mode != "Manual" {
        notes.push(
            "no long-lived cloud credentials in the environment: openshift/99_cloud-creds-secret.yaml is \
             not written; set them and run again, or set credentialsMode: Manual and add the cluster's \
             own"
            .to_owned(),
        );
    }
    notes
}
