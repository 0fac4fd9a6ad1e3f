//! What tests compare: names in a sentence, and what users read, kept as files.
//!
//! `BLESS=1 cargo nextest run` writes the files anew; review the difference.
//!
//! ```
//! use landfall_testing::{assert_names, codes_between};
//!
//! assert_names("subnet-1 is not in vpc-1", &["subnet-1", "vpc-1"]);
//! assert!(codes_between("LF0715", "LF0715").contains(&"LF0715"));
//! ```

#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "a test reads and writes the file that it compares with")]

mod names;
mod shipped;

use std::fmt::Write as _;
use std::path::Path;

use landfall_diagnostics::{Finding, Severity};

pub use names::{assert_names, codes_between};
pub use shipped::misfit;

/// Fails unless `text` is what `testdata/rendered/NAME.txt` holds.
///
/// # Panics
/// It differs, or the file cannot be read.
#[track_caller]
pub fn assert_text(name: &str, text: &str) {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/rendered"));
    let path = folder.join(format!("{name}.txt"));
    if std::env::var_os("BLESS").is_some() {
        let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text));
        assert!(written.is_ok(), "{}: {written:?}", path.display());
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == text, "{} differs (BLESS=1 writes it), now:\n{text}", path.display());
}

/// Fails unless findings read as `testdata/rendered/NAME.txt` says.
#[track_caller]
pub fn assert_findings<'f>(name: &str, findings: impl IntoIterator<Item = &'f Finding>) {
    let mut all = String::new();
    for finding in findings {
        let field = if finding.field.is_empty() { "no field" } else { &finding.field };
        let severity = if finding.severity == Severity::Error { "error" } else { "warning" };
        let _ = writeln!(all, "at {field}:\n{severity}[{}]: {}", finding.code.as_str(), finding.message);
        if let Some(help) = &finding.help {
            let _ = writeln!(all, "  = help: {help}");
        }
        all.push('\n');
    }
    assert_text(name, &all);
}

/// Fails unless sentences read as `testdata/rendered/NAME.txt` says, each after what leads to it.
#[track_caller]
pub fn assert_sentences(name: &str, sentences: impl IntoIterator<Item = (String, String)>) {
    let mut all = String::new();
    for (case, sentence) in sentences {
        let _ = writeln!(all, "{case}:\n    {sentence}");
    }
    assert_text(name, &all);
}
