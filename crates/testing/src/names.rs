//! What tests compare of a finding in place of its wording.

/// Fails unless a text has all of these values in it: names, numbers, fields.
///
/// # Panics
/// One of them is missing.
#[track_caller]
pub fn assert_names(text: &str, values: &[&str]) {
    for value in values {
        assert!(text.contains(value), "`{value}` is missing in: {text}");
    }
}

/// The codes that have a page, from the first one to the last one.
#[must_use]
pub fn codes_between(first: &str, last: &str) -> Vec<&'static str> {
    landfall_diagnostics::pages()
        .iter()
        .map(|page| page.code)
        .filter(|code| (first..=last).contains(code))
        .collect()
}
