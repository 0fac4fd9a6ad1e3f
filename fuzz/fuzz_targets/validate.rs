//! The whole of validate: any bytes give a verdict that every renderer can show, and a config that was
//! accepted is accepted again after it was completed.
#![no_main]

use landfall::ui;
use landfall::ui::Judged;
use landfall_install_config::verdict::{Outcome, Strictness, completed, judge};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let verdict = judge(bytes, Strictness::default());
    let text = landfall_source::text_of(bytes).unwrap_or_default();
    let judged = Judged {
        file: "fuzz.yaml",
        text,
        outcome: verdict.outcome,
        findings: &verdict.findings,
        mask: &verdict.mask,
    };
    let _ = ui::text::render(&judged, ui::Style { colour: true, columns: Some(80) });
    let _ = ui::json::render(&judged);
    let _ = ui::github::render(&judged);
    let _ = ui::sarif::log(&ui::sarif::notes(&judged));
    if let (Outcome::Accepted, Some(config)) = (verdict.outcome, &verdict.config) {
        let value = completed(config, true);
        let again = judge(value.to_string().as_bytes(), Strictness::default());
        assert_eq!(again.outcome, Outcome::Accepted, "{:?}", again.findings);
        assert_eq!(again.config.map(|c| completed(&c, true)), Some(value));
    }
});
