//! What of a platform may be used, as a cloud profile says it.

use std::collections::BTreeMap;

use serde::Serialize;

/// What of a platform's clouds may be used. Its serialized form is part of the digest of a plan's inputs, which must not
/// change by an upgrade: a new field is left out of it at its default value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Allowance {
    /// The name of the profile that says so.
    pub profile: String,
    /// The platform that it is about.
    pub platform: String,
    /// The regions by name.
    pub regions: BTreeMap<String, AllowedRegion>,
    /// The types of machines, in the order of the profile.
    pub machine_types: Vec<AllowedType>,
}

/// A region that may be used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AllowedRegion {
    /// The zones that may be used; any where there are none.
    pub zones: Vec<AllowedZone>,
    /// Whether the profile alone describes the region: the catalogue that takes it in says so.
    pub added: bool,
}

/// A zone that may be used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AllowedZone {
    /// The name of the zone.
    pub name: String,
    /// The types of machines that it does not have.
    pub lacking: Vec<String>,
}

/// A type of machine that the profile lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AllowedType {
    /// The name of the type.
    pub name: String,
    /// Whether it may be used.
    pub usable: bool,
    /// Number of virtual processors, where the profile says it.
    pub vcpus: Option<u32>,
    /// Memory in MiB, where the profile says it.
    pub memory_mib: Option<u32>,
    /// Whether it has graphics processors.
    pub graphics: bool,
    /// Architecture: `amd64` or `arm64`.
    pub architecture: String,
}

impl Allowance {
    /// The types that may be used, in the order of the profile.
    pub fn usable(&self) -> impl Iterator<Item = &AllowedType> {
        self.machine_types.iter().filter(|kind| kind.usable)
    }

    /// What the profile says of a type. Azure tells no capitals from small letters in its name, and no cloud has
    /// two that differ in these alone.
    #[must_use]
    pub fn machine_type(&self, name: &str) -> Option<&AllowedType> {
        self.machine_types.iter().find(|kind| kind.name.eq_ignore_ascii_case(name))
    }

    /// Whether machines may have a type.
    #[must_use]
    pub fn allows_type(&self, name: &str) -> bool {
        self.machine_type(name).is_some_and(|kind| kind.usable)
    }

    /// The types to choose from where a config leaves it open: those of `preferred` that may be used, then the
    /// others of the architecture that are known to be `fitting`, those with graphics processors last.
    #[must_use]
    pub fn candidates(
        &self,
        preferred: &[String],
        architecture: &str,
        fitting: impl Fn(&AllowedType) -> bool,
    ) -> Vec<String> {
        // A cloud is asked where all candidates are offered, and takes a limited number of names.
        const MOST: usize = 30;
        let mut all: Vec<String> = preferred.iter().filter(|name| self.allows_type(name)).cloned().collect();
        let fits = |kind: &&AllowedType| kind.architecture == architecture && fitting(kind);
        let mut others: Vec<&AllowedType> = self.usable().filter(fits).collect();
        others.sort_by_key(|kind| kind.graphics);
        for kind in others {
            if all.len() < MOST && !all.iter().any(|name| name.eq_ignore_ascii_case(&kind.name)) {
                all.push(kind.name.clone());
            }
        }
        all
    }
}

impl AllowedRegion {
    /// The names of the zones.
    pub fn zone_names(&self) -> impl Iterator<Item = &str> {
        self.zones.iter().map(|zone| zone.name.as_str())
    }

    /// Whether machines may be in a zone.
    #[must_use]
    pub fn allows_zone(&self, name: &str) -> bool {
        self.zones.is_empty() || self.zone_names().any(|zone| zone == name)
    }

    /// Whether a zone does not have a type of machine.
    #[must_use]
    pub fn lacks(&self, zone: &str, machine_type: &str) -> bool {
        let mut named = self.zones.iter().filter(|known| known.name == zone);
        named.any(|known| known.lacking.iter().any(|lacking| lacking.eq_ignore_ascii_case(machine_type)))
    }

    /// Whether zones are listed and none of them has a type of machine.
    #[must_use]
    pub fn lacks_everywhere(&self, machine_type: &str) -> bool {
        !self.zones.is_empty() && self.zone_names().all(|zone| self.lacks(zone, machine_type))
    }

    /// Adds the zones that `known` does not have.
    pub fn add_zones(&self, known: &mut Vec<String>) {
        for zone in self.zone_names() {
            if !known.iter().any(|known| known == zone) {
                known.push(zone.to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(name: &str, usable: bool, graphics: bool) -> AllowedType {
        let architecture = "amd64".to_owned();
        AllowedType { name: name.to_owned(), usable, graphics, architecture, ..AllowedType::default() }
    }

    #[test]
    fn the_usual_types_come_first_and_those_with_graphics_last() {
        let machine_types = vec![kind("g", true, true), kind("c", true, false), kind("a", false, false)];
        let mut allowance = Allowance { machine_types, ..Allowance::default() };
        allowance.machine_types.push(kind("b", true, false));
        let usual = ["a", "b", "x"].map(str::to_owned);
        assert_eq!(allowance.candidates(&usual, "amd64", |_| true), ["b", "c", "g"]);
        assert_eq!(allowance.candidates(&usual, "arm64", |_| true), ["b"]);
        assert_eq!(allowance.candidates(&usual, "amd64", |kind| kind.graphics), ["b", "g"]);
        assert!(allowance.allows_type("C") && !allowance.allows_type("a"));
    }

    #[test]
    fn a_region_without_zones_allows_any() {
        let zone = AllowedZone { name: "r-1a".to_owned(), lacking: vec!["m5.large".to_owned()] };
        let region = AllowedRegion { zones: vec![zone], added: false };
        assert!(region.allows_zone("r-1a") && !region.allows_zone("r-1b"));
        assert!(region.lacks("r-1a", "M5.large") && !region.lacks("r-1a", "m5.xlarge"));
        assert!(region.lacks_everywhere("m5.large") && !region.lacks_everywhere("m5.xlarge"));
        assert!(AllowedRegion::default().allows_zone("r-1b"));
        assert!(!AllowedRegion::default().lacks_everywhere("m5.large"));
        let mut known = vec!["r-1b".to_owned()];
        region.add_zones(&mut known);
        assert_eq!(known, ["r-1b", "r-1a"]);
    }
}
