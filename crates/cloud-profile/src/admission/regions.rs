//! Regions and their zones.

use std::collections::BTreeSet;
use std::sync::Arc;

use landfall_diagnostics::shortened;

use super::{Refusal, Why};
use crate::types::Region;

/// Regions, each once, and their zones, each once in its region.
pub(super) fn check_regions(regions: &[Arc<Region>], refusals: &mut Vec<Refusal>) {
    let mut seen = BTreeSet::new();
    for (i, region) in regions.iter().enumerate() {
        let at = format!("spec.regions[{i}]");
        check_name(format!("{at}.name"), &region.name, &mut seen, refusals);
        let mut seen = BTreeSet::new();
        for (i, zone) in region.zones.iter().enumerate() {
            check_name(format!("{at}.zones[{i}].name"), &zone.name, &mut seen, refusals);
        }
    }
}

fn check_name<'a>(field: String, name: &'a str, seen: &mut BTreeSet<&'a str>, refusals: &mut Vec<Refusal>) {
    if name.is_empty() {
        refusals.push(Refusal::new(field, Why::Required, "a name must be given"));
    } else if !seen.insert(name) {
        refusals.push(Refusal::new(field, Why::Duplicate, format!("`{}` is listed twice", shortened(name))));
    }
}
