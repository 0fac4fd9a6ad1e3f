//! The YAML reader: any text gives a tree and findings with places inside the text.
#![no_main]

use landfall_diagnostics::Findings;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = landfall_source::text_of(bytes) else {
        return;
    };
    let mut findings = Findings::default();
    let tree = landfall_source::read(text, &mut findings);
    for path in ["", "a", "a.b[0].c", "platform.aws.userTags[x]", "[0][1]"] {
        let (span, _) = tree.place(path);
        assert!(span.end as usize <= text.len() + 1);
    }
    for finding in findings.into_vec() {
        let span = finding.span.expect("a finding of the reader has its place");
        assert!(span.start <= span.end && span.start as usize <= text.len());
    }
});
