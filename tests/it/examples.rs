//! Findings as a user sees them: one folder a case under `testdata/validate`, with the file, the findings
//! as data and the text on the terminal. `BLESS=1` writes the expectations anew; review the difference.

use std::path::{Path, PathBuf};

use landfall::ui;
use landfall::ui::Judged;
use landfall_install_config::verdict::{Strictness, judge};

const FILES: &[&str] = &["install-config.yaml", "expect.json", "output.txt"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/validate")
}

#[test]
fn cases_show_what_is_expected() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut cases: Vec<PathBuf> =
        std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    assert!(cases.len() >= 10, "only {} cases", cases.len());
    let mut wrong = Vec::new();
    for case in cases {
        let name = case.file_name().unwrap().to_str().unwrap().to_owned();
        for entry in std::fs::read_dir(&case).unwrap() {
            let file = entry.unwrap().file_name().into_string().unwrap();
            assert!(FILES.contains(&file.as_str()), "{name}: the file {file} is not part of a case");
        }
        let text = std::fs::read_to_string(case.join("install-config.yaml")).unwrap();
        let verdict = judge(text.as_bytes(), Strictness::default());
        let judged = Judged {
            file: "install-config.yaml",
            text: &text,
            outcome: verdict.outcome,
            findings: &verdict.findings,
            mask: &verdict.mask,
        };
        let json: serde_json::Value = serde_json::from_str(&ui::json::render(&judged)).unwrap();
        let found = [
            ("expect.json", serde_json::to_string_pretty(&json).unwrap() + "\n"),
            ("output.txt", ui::text::render(&judged, ui::Style::PLAIN)),
        ];
        for (file, found) in found {
            let path = case.join(file);
            if bless {
                std::fs::write(&path, &found).unwrap();
            }
            let wanted = std::fs::read_to_string(&path).unwrap_or_default();
            if wanted != found {
                wrong.push(format!("{name}/{file}:\n{found}"));
            }
        }
    }
    assert!(wrong.is_empty(), "differs from what is expected (BLESS=1 writes it):\n{}", wrong.join("\n"));
}
