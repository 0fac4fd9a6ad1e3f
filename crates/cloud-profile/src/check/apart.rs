//! Which conflicts with a parent are faults of their own, beside those of which more is said already.

use landfall_diagnostics::{Finding, Kind};

use crate::admission::misfit::is_within;
use crate::document::Document;
use crate::render::DIFFERS;
use crate::types::Conflict;

/// The conflicts without those that come of an error: of an entry that stands twice, and of values that are refused.
pub(super) fn apart(profile: &Document, conflicts: &[Conflict], findings: &[Finding]) -> Vec<Conflict> {
    let errors = findings.iter().filter(|finding| finding.is_error());
    let errors: Vec<(String, Kind)> = errors.map(|error| (profile.named(&error.field), error.kind)).collect();
    let stands = |conflict: &&Conflict| conflict.reason != DIFFERS || !comes_of_one(conflict, &errors);
    conflicts.iter().filter(stands).cloned().collect()
}

fn comes_of_one(conflict: &Conflict, errors: &[(String, Kind)]) -> bool {
    let path = conflict.path.as_str();
    let stands_twice = |(at, kind): &(String, Kind)| {
        let entry = at.strip_suffix(".name").or_else(|| at.strip_suffix(".version")).unwrap_or(at);
        *kind == Kind::Duplicate && is_within(path, entry)
    };
    let is_refused = |field: &str| {
        // The path is of an entry, or of the one field that is named.
        let field = if path.ends_with(']') { format!("{path}.{field}") } else { path.to_owned() };
        errors.iter().any(|(at, _)| is_within(at, &field))
    };
    errors.iter().any(stands_twice) || conflict.fields.iter().all(|field| is_refused(field))
}
