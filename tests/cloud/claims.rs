//! What a preflight claims, beside one of the same config to which the cloud answered everything.

use crate::program::{Report, text};

/// Claims of a report that are not true: a check that passes and should not, or one that finds what is not there.
/// Checks that ask in vain have one of these codes, or are skipped.
pub fn false_claims(report: &Report, reference: &Report, in_vain: &[&str]) -> Vec<String> {
    let mut wrong = Vec::new();
    for check in report.all() {
        let (id, status, code) = (text(check, "id"), text(check, "status"), text(check, "code"));
        let known = reference.all().iter().find(|known| text(known, "id") == id);
        let (truth, of) = known.map_or(("", ""), |known| (text(known, "status"), text(known, "code")));
        let is_same = (status, code) == (truth, of);
        let is_unasked = status == "skipped" || in_vain.contains(&code);
        if !is_same && !is_unasked {
            wrong.push(format!("{id} is {status} {code}, and in truth {truth} {of}"));
        }
    }
    wrong
}

/// Whether something could not be asked, so that the report says less than the other one.
pub fn asked_in_vain(report: &Report, reference: &Report) -> bool {
    let known = |of: &Report| -> Vec<(String, String)> {
        let checks = of.all().iter().filter(|check| text(check, "status") != "skipped");
        checks.map(|check| (text(check, "id").to_owned(), text(check, "code").to_owned())).collect()
    };
    known(report) != known(reference)
}
