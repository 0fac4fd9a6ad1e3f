//! What the user sees: one printer for both streams, prompts, progress, and the renderers of findings and reports.
//!
//! Renderers are pure: they take a judged file or a report and return text. Only [`Printer`] writes. Nothing here judges
//! a file, calls a cloud or decides an exit code.
//!
//! ```
//! assert_eq!(landfall_ui::counted(1, "finding"), "1 finding");
//! assert_eq!(landfall_ui::counted(3, "finding"), "3 findings");
//! ```

#![forbid(unsafe_code)]

pub mod checks;
pub mod cost;
pub mod github;
pub mod json;
pub mod layout;
pub mod outline;
mod printer;
mod progress;
pub mod prompt;
mod pulse;
mod record;
pub mod removal;
pub mod sarif;
mod stages;
mod style;
mod terminal;
pub mod text;
mod waiting;

pub use printer::{Colours, Printer, Volume};
pub use progress::Progress;
pub use pulse::{Pulse, beat, beating, of_limit};
pub use stages::StageBars;
pub use style::{Style, Styles};
pub use terminal::{can_ask, columns_of};
pub use waiting::{Waiting, watched};

pub use landfall_diagnostics::counted;

use landfall_diagnostics::Finding;
use landfall_install_config::verdict::Outcome;
use landfall_source::Mask;

/// A judged file, as every renderer takes it. It cannot be printed for debugging: the text holds secrets.
#[derive(Clone, Copy)]
pub struct Judged<'a> {
    /// Name of the file as the user gave it.
    pub file: &'a str,
    /// What the file holds; empty where it is not text.
    pub text: &'a str,
    /// What became of it.
    pub outcome: Outcome,
    /// What is to be said of it, sorted by place.
    pub findings: &'a [Finding],
    /// What of the text must not be shown.
    pub mask: &'a Mask,
}

impl<'a> Judged<'a> {
    /// The findings without those that say the same of the same place, with the same help, such as a setting that every pool
    /// inherits; of such, the one whose field is at the platform itself.
    #[must_use]
    pub fn distinct(&self) -> Vec<&'a Finding> {
        let mut distinct: Vec<&Finding> = Vec::new();
        for finding in self.findings {
            match distinct.last_mut() {
                Some(last)
                    if last.code.as_str() == finding.code.as_str()
                        && last.span == finding.span
                        && last.message == finding.message
                        && last.help == finding.help
                        && (last.field == finding.field || finding.span.is_some_and(|s| s.start < s.end)) =>
                {
                    if finding.field.starts_with("platform.") {
                        *last = finding;
                    }
                }
                _ => distinct.push(finding),
            }
        }
        distinct
    }

    /// The findings for programs, which count them by field: without those that repeat an earlier one in everything. The
    /// OpenShift installer says some things twice, such as a value that is in neither of two lists.
    pub fn without_repeats(&self) -> impl Iterator<Item = &'a Finding> {
        let all = self.findings;
        let is_repeat = |at: usize, finding: &Finding| {
            let before = all.iter().take(at).rev().take_while(|before| before.span == finding.span);
            before.into_iter().any(|before| {
                before.code.as_str() == finding.code.as_str()
                    && before.field == finding.field
                    && before.message == finding.message
                    && before.help == finding.help
            })
        };
        all.iter()
            .enumerate()
            .filter(move |(at, finding)| !is_repeat(*at, finding))
            .map(|(_, finding)| finding)
    }
}

/// A text from outside in which nothing moves the cursor, changes colours or reverses the writing.
#[must_use]
pub fn printable(text: &str) -> String {
    let unfit = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if unfit(c) { '\u{fffd}' } else { c }).collect()
}

/// A text from outside of several lines, each made [`printable`].
#[must_use]
pub fn printable_lines(text: &str) -> String {
    text.split('\n').map(printable).collect::<Vec<String>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn shows_no_escapes_of_a_file_name() {
        assert_eq!(printable("a\u{1b}[2Jb\u{202e}c\n"), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}");
        assert_eq!(printable("ünder/ok.yaml"), "ünder/ok.yaml");
    }
}
