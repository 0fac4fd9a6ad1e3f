//! `landfall validate`.

use std::path::PathBuf;

use landfall_install_config::verdict::{Outcome, Strictness, is_kubernetes_object, judge_with};
use landfall_model::catalogue::Catalogue;
use landfall_source::Mask;
use rayon::prelude::*;

use super::create::CloudArgs;
use super::input::{Input, Reading, named};
use super::{Ended, Exit, Output, Settings};
use crate::prepare::{INSTALL_CONFIG, release};
use crate::ui::{Judged, Style, counted, github, json, sarif, text};

/// How many files are read and judged at once; their texts are dropped before the next ones come.
const BATCH: usize = 256;

/// Validate install configs offline
///
/// With --dir and without FILE, validates install-config.yaml in that directory. Findings go to standard
/// output, in the order of the files. Exit code 3 if a file is not valid, 1 if a file cannot be read.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files, directories for the *.yaml and *.yml files at any depth in them except Kubernetes objects and
    /// overlays named catalogue.yaml, or - for standard input
    #[arg(required_unless_present = "dir", value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    files: Vec<PathBuf>,

    /// OpenShift release whose settings and rules apply; default: the newest
    #[arg(long, value_name = "RELEASE")]
    release: Option<String>,

    #[command(flatten)]
    clouds: CloudArgs,

    #[command(flatten)]
    reading: Reading,
}

/// Judges every file and shows what was found.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(args: &Args, settings: &Settings) -> Result<Exit, Ended> {
    let printer = &settings.printer;
    let catalogue = args.clouds.catalogue(settings)?;
    let mut strictness = Strictness::from(args.reading);
    if let Some(wanted) = &args.release {
        strictness = strictness.of_release(&release(&catalogue, Some(wanted))?);
    }
    let manner =
        Manner { strictness, catalogue: &catalogue, output: settings.output, style: printer.styles().data };
    let of_cluster = [settings.dir.clone().unwrap_or_default().join(INSTALL_CONFIG)];
    let files = if args.files.is_empty() { &of_cluster[..] } else { &args.files[..] };
    let mut inputs = named(files);
    let mut tally = Tally::default();
    let mut notes = Vec::new();
    while !printer.is_closed() {
        let batch: Vec<Input> = inputs.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        for input in &batch {
            printer.detail(&format!("validating {}", input.name()));
        }
        for report in reports(&batch, manner) {
            if !report.shown.is_empty() {
                printer.data(&report.shown)?;
            }
            tally.add(report.end);
            notes.extend(report.notes);
        }
    }
    if settings.output == Output::Sarif {
        printer.data(&sarif::log(&notes))?;
    }
    if settings.output == Output::Text && tally.files() > 1 {
        printer.talk(&tally.summary());
    } else if tally.skipped > 0 {
        printer.talk(&tally.left_out());
    }
    Ok(tally.exit())
}

/// What decides how a file is judged and shown.
#[derive(Clone, Copy)]
struct Manner<'a> {
    strictness: Strictness,
    catalogue: &'a Catalogue,
    output: Output,
    style: Style,
}

/// What is left of a file when its text is gone.
struct Report {
    shown: String,
    notes: Vec<sarif::Note>,
    end: End,
}

/// How it went with a file.
#[derive(Clone, Copy)]
enum End {
    Judged(Outcome),
    Unreadable,
    /// A Kubernetes object, found in a directory.
    Skipped,
}

/// The reports in the order of the inputs. A single file is not worth starting threads for.
fn reports(batch: &[Input], manner: Manner<'_>) -> Vec<Report> {
    match batch {
        [input] => vec![report(input, manner)],
        inputs => inputs.par_iter().map(|input| report(input, manner)).collect(),
    }
}

fn report(input: &Input, manner: Manner<'_>) -> Report {
    let file = &input.name();
    match input.read() {
        Ok(bytes) if matches!(input, Input::Found(_)) && is_kubernetes_object(&bytes) => {
            Report { shown: String::new(), notes: Vec::new(), end: End::Skipped }
        }
        Ok(bytes) => {
            let verdict = judge_with(&bytes, manner.strictness, manner.catalogue);
            let judged = Judged {
                file,
                text: std::str::from_utf8(&bytes).unwrap_or_default(),
                outcome: verdict.outcome,
                findings: &verdict.findings,
                mask: &verdict.mask,
            };
            shown(&judged, manner, End::Judged(verdict.outcome))
        }
        Err(finding) => {
            let judged = Judged {
                file,
                text: "",
                outcome: Outcome::Unparseable,
                findings: &[*finding],
                mask: &Mask::default(),
            };
            shown(&judged, manner, End::Unreadable)
        }
    }
}

fn shown(judged: &Judged<'_>, manner: Manner<'_>, end: End) -> Report {
    let shown = match manner.output {
        Output::Json => json::render(judged),
        Output::Github => github::render(judged),
        Output::Sarif => String::new(),
        Output::Text | Output::Yaml => text::render(judged, manner.style),
    };
    let notes = if manner.output == Output::Sarif { sarif::notes(judged) } else { Vec::new() };
    Report { shown, notes, end }
}

/// How many files ended how.
#[derive(Default)]
struct Tally {
    accepted: usize,
    rejected: usize,
    unparseable: usize,
    unreadable: usize,
    skipped: usize,
}

impl Tally {
    fn add(&mut self, end: End) {
        let count = match end {
            End::Judged(Outcome::Accepted) => &mut self.accepted,
            End::Judged(Outcome::Rejected) => &mut self.rejected,
            End::Judged(Outcome::Unparseable) => &mut self.unparseable,
            End::Unreadable => &mut self.unreadable,
            End::Skipped => &mut self.skipped,
        };
        *count += 1;
    }

    fn files(&self) -> usize {
        self.accepted + self.rejected + self.unparseable + self.unreadable
    }

    /// `12 files: 10 accepted, 2 rejected`.
    fn summary(&self) -> String {
        let counts = [
            (self.accepted, "accepted"),
            (self.rejected, "rejected"),
            (self.unparseable, "unparseable"),
            (self.unreadable, "unreadable"),
        ];
        let parts: Vec<String> = counts
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, what)| format!("{number} {what}"))
            .collect();
        let judged = format!("{}: {}", counted(self.files(), "file"), parts.join(", "));
        if self.skipped == 0 { judged } else { format!("{judged}; {}", self.left_out()) }
    }

    /// `29 Kubernetes objects skipped`.
    fn left_out(&self) -> String {
        format!("{} skipped", counted(self.skipped, "Kubernetes object"))
    }

    /// A file that is not valid outweighs one that cannot be read: more is known of it.
    fn exit(&self) -> Exit {
        if self.rejected + self.unparseable > 0 {
            Exit::NotValid
        } else if self.unreadable > 0 {
            Exit::Failed
        } else {
            Exit::Done
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lets_an_invalid_file_outweigh_an_unreadable_one() {
        let mut tally = Tally::default();
        tally.add(End::Judged(Outcome::Accepted));
        assert_eq!(tally.exit(), Exit::Done);
        tally.add(End::Unreadable);
        assert_eq!(tally.exit(), Exit::Failed);
        tally.add(End::Judged(Outcome::Rejected));
        assert_eq!(tally.exit(), Exit::NotValid);
        let summary = tally.summary();
        let figures: Vec<&str> = summary.split(' ').filter(|word| word.parse::<u32>().is_ok()).collect();
        assert_eq!(figures, ["3", "1", "1", "1"]);
        landfall_testing::assert_text("validate-summary", &format!("{summary}\n"));
    }

    #[test]
    fn makes_a_finding_of_what_cannot_be_read() {
        let input = Input::File(PathBuf::from("/nonexistent/x.yaml"));
        let manner = Manner {
            strictness: Strictness::default(),
            catalogue: Catalogue::embedded(),
            output: Output::Json,
            style: Style::PLAIN,
        };
        let shown = report(&input, manner).shown;
        assert!(
            shown.starts_with("{\"file\":\"/nonexistent/x.yaml\",\"outcome\":\"unparseable\""),
            "{shown}"
        );
        assert!(shown.contains("\"code\":\"LF0001\"") && shown.contains("cannot read"), "{shown}");
    }
}
