//! The corpora of the fuzz targets, run once each: a bounded form of `cargo fuzz`, without its tools.

use std::path::{Path, PathBuf};

use landfall::ui;
use landfall::ui::Judged;
use landfall_diagnostics::Findings;
use landfall_install_config::verdict::{Outcome, Strictness, completed, judge};

fn files(corpus: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(corpus);
    let files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 5, "the corpus {corpus} is not there");
    files
}

#[test]
fn the_reader_gives_places_inside_the_text() {
    for file in files("yaml") {
        let bytes = std::fs::read(&file).unwrap();
        let Ok(text) = landfall_source::text_of(&bytes) else {
            continue;
        };
        let mut findings = Findings::default();
        let tree = landfall_source::read(text, &mut findings);
        for path in ["", "a", "a.b[0].c", "platform.aws.userTags[x]", "[0][1]"] {
            assert!(tree.place(path).0.end as usize <= text.len() + 1, "{}", file.display());
        }
        for finding in findings.into_vec() {
            let span = finding.span.expect("a finding of the reader has its place");
            assert!(span.start <= span.end && span.start as usize <= text.len(), "{}", file.display());
        }
    }
}

#[test]
fn every_verdict_can_be_shown_and_completed() {
    for file in files("validate") {
        let bytes = std::fs::read(&file).unwrap();
        let verdict = judge(&bytes, Strictness::default());
        let judged = Judged {
            file: "f.yaml",
            text: landfall_source::text_of(&bytes).unwrap_or_default(),
            outcome: verdict.outcome,
            findings: &verdict.findings,
            mask: &verdict.mask,
        };
        let shown = [
            ui::text::render(&judged, ui::Style { colour: true, ..ui::Style::PLAIN }),
            ui::json::render(&judged),
            ui::sarif::log(&ui::sarif::notes(&judged)),
        ];
        assert!(shown.iter().all(|text| !text.is_empty()), "{}", file.display());
        if let (Outcome::Accepted, Some(config)) = (verdict.outcome, &verdict.config) {
            let value = completed(config, true);
            let again = judge(value.to_string().as_bytes(), Strictness::default());
            assert_eq!(again.outcome, Outcome::Accepted, "{}: {:?}", file.display(), again.findings);
            assert_eq!(again.config.map(|c| completed(&c, true)), Some(value));
        }
    }
}
