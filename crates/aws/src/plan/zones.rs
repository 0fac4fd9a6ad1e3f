//! The zones that pools name, against those that the cloud has (`assets.md`, F.2).

use std::collections::BTreeSet;

use landfall_diagnostics::Findings;
use landfall_model::aws::facts::{AVAILABILITY_ZONE, Zone};

use super::{Planning, cloud_pages};

/// Whether a zone lies outside the region's data centres.
pub(super) fn is_local(zone: &Zone) -> bool {
    !zone.kind.is_empty() && zone.kind != AVAILABILITY_ZONE
}

/// Refuses zones that the account cannot use, and gives the names of those that the region does not have, of
/// which nothing else needs to be said. `local` is for a pool in local zones.
pub(super) fn refuse<'z>(
    planning: &Planning<'_>,
    path: &str,
    local: bool,
    named: &'z [String],
    out: &mut Findings,
) -> BTreeSet<&'z str> {
    let known = &planning.facts.zones;
    let mut missing = BTreeSet::new();
    if !planning.asked() || known.is_empty() {
        return missing;
    }
    let is_allowed = |name: &str| planning.case.catalogue.allows_zone(planning.region(), name);
    for (i, name) in named.iter().enumerate() {
        match known.iter().find(|zone| zone.name == *name) {
            Some(zone) if zone.not_opted_in => out.push(cloud_pages::zone_not_opted_in(path, i, zone)),
            Some(_) => {}
            None => {
                let fitting = known.iter().filter(|zone| is_local(zone) == local && !zone.not_opted_in);
                let fitting = fitting.map(|zone| zone.name.as_str());
                let mut there: Vec<&str> = fitting.filter(|name| is_allowed(name)).collect();
                there.sort_unstable();
                out.push(cloud_pages::no_such_zone(planning.region(), path, i, name, &there));
                missing.insert(name.as_str());
            }
        }
    }
    missing
}
