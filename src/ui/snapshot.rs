//! What users read, kept as files: the one place where tests compare wording.
//!
//! `BLESS=1 cargo nextest run` writes the files anew; review the difference.
#![allow(clippy::disallowed_methods, reason = "a test reads and writes the file that it compares with")]

use std::fmt::Write as _;
use std::path::Path;

use super::text;
use crate::finding::Finding;

/// Fails unless `text` is what `testdata/rendered/NAME.txt` holds.
#[track_caller]
pub(crate) fn assert_text(name: &str, text: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/rendered");
    let path = folder.join(format!("{name}.txt"));
    if std::env::var_os("BLESS").is_some() {
        let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, text));
        assert!(written.is_ok(), "{}: {written:?}", path.display());
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == text, "{} differs (BLESS=1 writes it), now:\n{text}", path.display());
}

/// Fails unless findings read as `testdata/rendered/NAME.txt` says.
#[track_caller]
pub(crate) fn assert_findings<'f>(name: &str, findings: impl IntoIterator<Item = &'f Finding>) {
    let mut all = String::new();
    for finding in findings {
        let field = if finding.field.is_empty() { "no field" } else { &finding.field };
        let rendered = text::placeless(std::slice::from_ref(finding), false);
        let _ = writeln!(all, "at {field}:\n{rendered}");
    }
    assert_text(name, &all);
}

/// Fails unless sentences read as `testdata/rendered/NAME.txt` says, each after what leads to it.
#[track_caller]
pub(crate) fn assert_sentences(name: &str, sentences: impl IntoIterator<Item = (String, String)>) {
    let mut all = String::new();
    for (case, sentence) in sentences {
        let _ = writeln!(all, "{case}:\n    {sentence}");
    }
    assert_text(name, &all);
}
