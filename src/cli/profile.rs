//! `landfall profile`.

#![allow(clippy::disallowed_methods, reason = "profiles are read here, and the clock unless a time is given")]

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use landfall_cloud_profile::check::pages::OBJECT;
use landfall_cloud_profile::diff::{differences, unified, yaml};
use landfall_cloud_profile::document::Document;
use landfall_cloud_profile::instant::instant;
use landfall_cloud_profile::outcome::outcome;
use landfall_cloud_profile::types::{
    CLOUD_PROFILE, CloudProfile, NAMESPACED_CLOUD_PROFILE, PRIVATE_CLOUD_PROFILE,
};
use landfall_cloud_profile::{check, outcome};
use landfall_diagnostics::{Finding, Kind, Span};
use landfall_install_config::verdict::Outcome;
use landfall_source::{MOST_BYTES, Mask, text_of};

use super::create::judged;
use super::input::Input;
use super::{Ended, Exit, Output, Settings};
use crate::prepare::{Error, Refusal, Said};
use crate::ui::layout::compared;
use crate::ui::{github, json, printable, sarif, text};

/// The kinds of profiles that inherit.
const INHERITING: &[&str] = &[PRIVATE_CLOUD_PROFILE, NAMESPACED_CLOUD_PROFILE];
/// The kinds of profiles.
const ALL: &[&str] = &[PRIVATE_CLOUD_PROFILE, NAMESPACED_CLOUD_PROFILE, CLOUD_PROFILE];

/// Render, validate and compare cloud profiles
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

// Help texts are the doc comments of each verb's arguments.
#[derive(Debug, clap::Subcommand)]
enum What {
    Render(RenderArgs),
    Check(CheckArgs),
    Diff(DiffArgs),
}

/// Print a profile merged with its parent
///
/// Removes expired versions, then merges the profile with its parent. With -o json or yaml, prints the whole
/// profile with its status, as in a cluster; `--cloud-profile` accepts this. If the profile contradicts its
/// parent, the parent is preferred, with a warning. `profile check` validates the profile.
#[derive(Debug, clap::Args)]
struct RenderArgs {
    #[command(flatten)]
    pair: Pair,
}

/// Validate a profile offline
///
/// Applies the rules of a cluster's admission. Exit code 3 if a cluster would reject the profile. Without
/// --parent, validates the profile by itself.
#[derive(Debug, clap::Args)]
struct CheckArgs {
    /// File with the parent cloud profile, or - for standard input
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    parent: Option<PathBuf>,

    /// File with the profile, or - for standard input
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    profile: PathBuf,

    #[command(flatten)]
    clock: Clock,
}

/// Compare a profile with its parent
///
/// Prints what the profile adds and changes. Exit code 0 with and without differences.
#[derive(Debug, clap::Args)]
struct DiffArgs {
    #[command(flatten)]
    pair: Pair,
}

/// A profile and its parent.
#[derive(Debug, clap::Args)]
struct Pair {
    /// File with the parent cloud profile, or - for standard input
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    parent: PathBuf,

    /// File with the profile, or - for standard input
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    profile: PathBuf,

    #[command(flatten)]
    clock: Clock,
}

/// The time that versions expire by.
#[derive(Debug, clap::Args)]
struct Clock {
    /// Time for expiration dates, such as `2026-08-01T00:00:00Z`; default: now
    #[arg(long, value_name = "TIME", value_parser = time)]
    now: Option<Timestamp>,
}

impl Clock {
    fn now(&self) -> Timestamp {
        self.now.unwrap_or_else(Timestamp::now)
    }
}

fn time(text: &str) -> Result<Timestamp, String> {
    instant(text).ok_or_else(|| "use an RFC 3339 time, such as 2026-08-01T00:00:00Z".to_owned())
}

impl What {
    /// Whether both files are standard input, which can be read but once.
    fn reads_input_twice(&self) -> bool {
        let (parent, profile) = match self {
            Self::Render(RenderArgs { pair }) | Self::Diff(DiffArgs { pair }) => {
                (Some(&pair.parent), &pair.profile)
            }
            Self::Check(args) => (args.parent.as_ref(), &args.profile),
        };
        let is_input = |path: &PathBuf| matches!(Input::single(path), Input::Stdin);
        parent.is_some_and(is_input) && is_input(profile)
    }
}

/// Does what the arguments name.
///
/// # Errors
/// Standard output cannot be written, or a file cannot be read.
pub fn run(args: &Args, settings: &Settings) -> Result<Exit, Ended> {
    if args.what.reads_input_twice() {
        let why = "only one of `--parent` and `--profile` can be `-`, standard input";
        return Err(Ended::Usage(why.to_owned()));
    }
    match &args.what {
        What::Render(args) => match joined(&args.pair) {
            // What is printed is kept as a profile: where there is none, nothing is.
            Err(Refusal::Invalid(refused)) => {
                settings.printer.report(&text::render(&judged(&refused), settings.printer.styles().talk));
                Ok(Exit::NotValid)
            }
            joined => render(&joined?, settings),
        },
        What::Check(args) => show(&judge(args, settings)?, settings),
        What::Diff(args) => diff(&joined(&args.pair)?, settings),
    }
}

/// The bytes of a file or of standard input, or one more than a file may have.
fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let Input::Stdin = Input::single(path) else {
        return std::fs::read(path);
    };
    let mut bytes = Vec::new();
    io::stdin().lock().take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A file that the command line names.
struct Named {
    file: String,
    text: String,
}

impl Named {
    fn read(path: &Path) -> Result<Self, Refusal> {
        let bytes = bytes(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
        let named = |text: &str| Self { file: path.display().to_string(), text: text.to_owned() };
        match text_of(&bytes) {
            Ok(text) => Ok(named(text)),
            Err(finding) => Err(named("").refused(vec![finding.span(Span::default())])),
        }
    }

    fn document(&self, kinds: &[&'static str]) -> Result<Document, Refusal> {
        Document::read(&self.text, kinds).map_err(|findings| self.refused(findings))
    }

    /// The text with what is to be said of it.
    fn said(&self, findings: Vec<Finding>) -> Said {
        let rejected = findings.iter().any(Finding::is_error);
        Said {
            file: self.file.clone(),
            text: self.text.clone(),
            outcome: if rejected { Outcome::Rejected } else { Outcome::Accepted },
            findings,
            mask: Mask::default(),
        }
    }

    fn refused(&self, findings: Vec<Finding>) -> Refusal {
        Refusal::Invalid(Box::new(self.said(findings)))
    }
}

/// A cloud profile that others inherit from.
struct Parent {
    profile: CloudProfile,
    /// The file with what of it does not count.
    said: Said,
}

impl Parent {
    fn read(path: &Path) -> Result<Self, Refusal> {
        let file = Named::read(path)?;
        let document = file.document(&[CLOUD_PROFILE])?;
        let profile = document.cloud_profile().map_err(|findings| file.refused(findings))?;
        Ok(Self { profile, said: file.said(check::passed_over(&document)) })
    }
}

/// A profile that was joined with its parent.
struct Joined {
    parent: Parent,
    outcome: outcome::Outcome,
    /// The file of the profile with what is worth knowing of it.
    said: Said,
}

fn joined(pair: &Pair) -> Result<Joined, Refusal> {
    let now = pair.clock.now();
    let parent = Parent::read(&pair.parent)?;
    let file = Named::read(&pair.profile)?;
    let document = file.document(INHERITING)?;
    let unreadable = check::unreadable(&document);
    if !unreadable.is_empty() {
        return Err(file.refused(unreadable));
    }
    let outcome = outcome(&document, &parent.profile, now).map_err(|findings| file.refused(findings))?;
    let said = file.said(check::remarks(&document, &parent.profile, &outcome.conflicts, now));
    Ok(Joined { parent, outcome, said })
}

/// Tells what is worth knowing of a file; nobody judges it.
fn warn(said: &Said, settings: &Settings) {
    settings.printer.aside(&text::findings(&judged(said), settings.printer.styles().talk));
}

fn render(joined: &Joined, settings: &Settings) -> Result<Exit, Ended> {
    warn(&joined.parent.said, settings);
    warn(&joined.said, settings);
    let outcome = &joined.outcome;
    settings.printer.data(&match settings.output {
        Output::Json => format!("{}\n", serde_json::to_string_pretty(&outcome.profile)?),
        Output::Yaml => yaml(&outcome.profile),
        _ => yaml(&outcome.rendered),
    })?;
    Ok(Exit::Done)
}

fn diff(joined: &Joined, settings: &Settings) -> Result<Exit, Ended> {
    warn(&joined.parent.said, settings);
    warn(&joined.said, settings);
    let (old, new) = (&joined.parent.profile.spec, &joined.outcome.rendered.spec);
    if settings.output == Output::Json {
        settings.printer.data(&format!("{}\n", serde_json::to_string(&differences("spec", old, new))?))?;
        return Ok(Exit::Done);
    }
    let (parent, file) = (printable(&joined.parent.said.file), printable(&joined.said.file));
    let lines = unified(old, new, (&parent, &file));
    if lines.is_empty() {
        settings.printer.talk("the profile changes nothing of its parent");
    }
    // On a terminal it is read; elsewhere it is a patch.
    let lines = match settings.printer.styles().data.columns {
        Some(columns) => compared(&lines, columns),
        None => lines,
    };
    settings.printer.data(&if settings.printer.colours().data { coloured(&lines) } else { lines })?;
    Ok(Exit::Done)
}

/// The lines of a comparison in the colours that are usual for them.
fn coloured(lines: &str) -> String {
    let paint = |line: &str| {
        let colour = match line.chars().next() {
            Some('+') => "32",
            Some('-') => "31",
            Some('@') => "36",
            _ => return format!("{line}\n"),
        };
        format!("\u{1b}[{colour}m{line}\u{1b}[0m\n")
    };
    lines.lines().map(paint).collect()
}

/// The profile with what stands against it. A parent that cannot be read is a refusal.
fn judge(args: &CheckArgs, settings: &Settings) -> Result<Said, Refusal> {
    let parent = args.parent.as_deref().map(Parent::read).transpose()?;
    if let Some(parent) = &parent {
        warn(&parent.said, settings);
    }
    let parent = parent.as_ref().map(|parent| &parent.profile);
    let file = Named::read(&args.profile)?;
    Ok(match to_judge(&file.text) {
        Ok(document) => file.said(check::check(&document, parent, args.clock.now())),
        Err(findings) => file.said(findings),
    })
}

/// The profile that a text is about: the one that inherits, also beside its parent, or else a cloud profile.
fn to_judge(text: &str) -> Result<Document, Vec<Finding>> {
    let has_none = |finding: &Finding| *finding.code == OBJECT && finding.kind == Kind::Required;
    match Document::read(text, INHERITING) {
        Err(findings) if findings.iter().any(has_none) => Document::read(text, ALL),
        read => read,
    }
}

fn show(profile: &Said, settings: &Settings) -> Result<Exit, Ended> {
    let judged = judged(profile);
    settings.printer.data(&match settings.output {
        Output::Json => json::render(&judged),
        Output::Github => github::render(&judged),
        Output::Sarif => sarif::log(&sarif::notes(&judged)),
        Output::Text | Output::Yaml => text::render(&judged, settings.printer.styles().data),
    })?;
    Ok(if profile.outcome == Outcome::Accepted { Exit::Done } else { Exit::NotValid })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_its_offset() {
        assert!(time("2026-08-01T00:00:00Z").is_ok() && time("2026-08-01T02:00:00+02:00").is_ok());
        assert!(time("2026-08-01").is_err() && time("tomorrow").is_err());
    }

    #[test]
    fn colours_leave_the_text_as_it_is() {
        let lines = "@@ -1 +1 @@\n a\n-b\n+c\n";
        let shown = coloured(lines);
        assert_eq!(shown.matches("\u{1b}[0m").count(), 3);
        assert!(shown.contains("\n a\n") && shown.contains("\u{1b}[32m+c\u{1b}[0m\n"));
    }
}
