//! `landfall defaults`.

use std::path::PathBuf;

use anyhow::Context;
use landfall_install_config::verdict::{Outcome, completed, judge_with};
use landfall_source::Mask;
use serde_json::Value;

use super::create::CloudArgs;
use super::input::{Input, Reading};
use super::{Ended, Exit, Output, Settings};
use crate::ui::{Judged, json, text};

/// Print an install config with its defaults
///
/// The findings of a file that is not accepted go to standard error, with exit code 3.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// File to complete, or - for standard input
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,

    #[command(flatten)]
    clouds: CloudArgs,

    #[command(flatten)]
    reading: Reading,

    /// Print the pull secret and passwords instead of placeholders
    #[arg(long)]
    show_secrets: bool,
}

/// Prints the completed config of an accepted file.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(args: &Args, settings: &Settings) -> Result<Exit, Ended> {
    let catalogue = args.clouds.catalogue(settings)?;
    let input = Input::single(&args.file);
    let file = &input.name();
    settings.printer.detail(&format!("validating {file}"));
    let bytes = match input.read() {
        Ok(bytes) => bytes,
        Err(finding) => {
            let findings = &[*finding];
            let outcome = Outcome::Unparseable;
            refuse(&Judged { file, text: "", outcome, findings, mask: &Mask::default() }, settings);
            return Ok(Exit::Failed);
        }
    };
    let verdict = judge_with(&bytes, args.reading.into(), &catalogue);
    let judged = Judged {
        file,
        text: std::str::from_utf8(&bytes).unwrap_or_default(),
        outcome: verdict.outcome,
        findings: &verdict.findings,
        mask: &verdict.mask,
    };
    match &verdict.config {
        Some(config) if verdict.outcome == Outcome::Accepted => {
            if !verdict.findings.is_empty() {
                settings.printer.aside(&text::render(&judged, settings.printer.styles().talk));
            }
            settings.printer.data(&written(&completed(config, args.show_secrets), settings.output)?)?;
            Ok(Exit::Done)
        }
        _ => {
            refuse(&judged, settings);
            Ok(Exit::NotValid)
        }
    }
}

fn refuse(judged: &Judged<'_>, settings: &Settings) {
    settings.printer.report(&match settings.output {
        Output::Json => json::render(judged),
        _ => text::render(judged, settings.printer.styles().talk),
    });
}

fn written(config: &Value, output: Output) -> anyhow::Result<String> {
    match output {
        Output::Json => Ok(format!("{config:#}\n")),
        _ => yaml(config),
    }
}

/// YAML that a YAML 1.1 reader such as the OpenShift installer reads back as the same data: what could be
/// taken for something else than text is in quotes, and no line is folded.
pub(super) fn yaml(config: &Value) -> anyhow::Result<String> {
    let options = serde_saphyr::ser_options! {
        folded_wrap_chars: usize::MAX,
    };
    serde_saphyr::to_string_with_options(config, options).context("cannot write the config as YAML")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_what_yaml_would_read_as_something_else() {
        let values = ["yes", "1_000", "010", "1.10", "null", "~", "2021-01-01", "off", "0x1F", "1:30"];
        let written = yaml(&serde_json::json!(values)).unwrap_or_default();
        for value in values {
            assert!(!written.contains(&format!("- {value}\n")), "{written}");
        }
        let long = "word ".repeat(50);
        assert!(
            yaml(&serde_json::json!({ "a": long.trim_end() })).is_ok_and(|text| text.lines().count() == 1)
        );
    }
}
