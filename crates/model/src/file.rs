//! How files of landfall's formats are read and written.

use landfall_diagnostics::{Finding, Findings, Severity, Span, sort};
use landfall_source::{Decoder, Mask};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads a file: JSON, or YAML of the same shape. `names` are those of such a file and of this one, for messages;
/// `judge` adds what is wrong with values that could be read.
///
/// # Errors
/// Every fault of the text at once, with its place.
pub(crate) fn read<T: DeserializeOwned + Default>(
    bytes: &[u8],
    names: (&'static str, &'static str),
    judge: impl FnOnce(&T, &mut Findings),
) -> Result<T, Vec<Finding>> {
    let mut out = Findings::default();
    let text = landfall_source::text_of(bytes).map_err(|finding| vec![finding.span(Span::default())])?;
    let tree = landfall_source::read(text, &mut out);
    let read: T = Decoder::new(&tree, &[], Severity::Error, &mut out, &mut Mask::default())
        .named(names.0, names.1)
        .decode();
    if out.errors() == 0 {
        judge(&read, &mut out);
    }
    if out.errors() == 0 {
        return Ok(read);
    }
    let mut findings = out.into_vec();
    for finding in findings.iter_mut().filter(|finding| finding.span.is_none()) {
        finding.span = Some(crate::config::locate(&tree, &finding.field, &[]));
    }
    sort(&mut findings);
    Err(findings)
}

/// The text of a file: JSON with two blanks of indentation and a final newline.
pub(crate) fn text(content: &impl Serialize) -> String {
    // The types hold nothing that JSON has no form for: keys are text, numbers are whole.
    let mut text = serde_json::to_string_pretty(content).unwrap_or_default();
    text.push('\n');
    text
}
