//! The catalogue with a cloud profile: what it adds, and what of everything may be used.

use std::collections::{BTreeMap, BTreeSet};

use super::{Allowance, AllowedRegion, Catalogue, KnownRegion, Reason, nameless};

impl Catalogue {
    /// The catalogue with a cloud profile: its regions, zones and types are known, and nothing else may be used.
    #[must_use]
    pub fn with_allowance(&self, mut allowance: Allowance) -> Self {
        let known: BTreeSet<&str> =
            self.listings(&allowance.platform).iter().map(|listing| listing.id).collect();
        for (id, region) in &mut allowance.regions {
            region.added = !known.contains(id.as_str());
        }
        let mut catalogue = self.clone();
        catalogue.take_in(&allowance);
        catalogue.allowance = Some(allowance);
        catalogue
    }

    /// Whether a cloud profile, if there is one, is for a platform.
    #[must_use]
    pub fn allows_platform(&self, platform: &str) -> bool {
        self.allowance.as_ref().is_none_or(|allowance| allowance.platform == platform)
    }

    /// Whether a cloud profile, if there is one, lets machines have a type.
    #[must_use]
    pub fn allows_type(&self, machine_type: &str) -> bool {
        self.allowance.as_ref().is_none_or(|allowance| allowance.allows_type(machine_type))
    }

    /// Whether a cloud profile, if there is one, lets machines be in a zone of a region that it lists.
    #[must_use]
    pub fn allows_zone(&self, region: &str, zone: &str) -> bool {
        let region = self.allowance.as_ref().and_then(|allowance| allowance.regions.get(region));
        region.is_none_or(|region| region.allows_zone(zone))
    }

    /// Whether a cloud profile, if there is one, lets machines of a type be in a zone of a region that it lists.
    #[must_use]
    pub fn allows_type_in(&self, region: &str, zone: &str, machine_type: &str) -> bool {
        let region = self.allowance.as_ref().and_then(|allowance| allowance.regions.get(region));
        region.is_none_or(|region| region.allows_zone(zone) && !region.lacks(zone, machine_type))
    }

    /// The zones of a region that a cloud profile, if there is one, lists.
    #[must_use]
    pub fn listed_zones(&self, region: &str) -> Vec<String> {
        let region = self.allowance.as_ref().and_then(|allowance| allowance.regions.get(region));
        region.into_iter().flat_map(AllowedRegion::zone_names).map(str::to_owned).collect()
    }

    /// One sentence about the cloud profile, if there is one.
    #[must_use]
    pub fn restriction(&self) -> Option<String> {
        let allowance = self.allowance.as_ref()?;
        let (regions, types) = (allowance.regions.len(), allowance.usable().count());
        let noun = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        Some(format!(
            "the cloud profile {} restricts the cluster to {} and {} of {}",
            allowance.profile,
            noun(regions, "region"),
            noun(types, "machine type"),
            allowance.platform
        ))
    }
}

/// Leaves of the regions of a platform those that a cloud profile lists, and adds those that nobody else knows.
pub(super) fn keep<'a>(
    known: &mut BTreeMap<&'a str, KnownRegion<'a>>,
    platform: &str,
    allowance: &'a Allowance,
) {
    if allowance.platform != platform {
        known.clear();
        return;
    }
    known.retain(|id, _| allowance.regions.contains_key(*id));
    for (id, allowed) in &allowance.regions {
        let region = known.entry(id).or_insert_with(|| nameless(id));
        if allowed.added {
            region.reasons.retain(|reason| matches!(reason, Reason::ImagePublished { .. }));
        }
        region.reasons.push(Reason::Allowed { profile: allowance.profile.clone() });
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AllowedType, AllowedZone};
    use super::*;

    fn zone(name: &str) -> AllowedZone {
        AllowedZone { name: name.to_owned(), lacking: vec!["m5.large".to_owned()] }
    }

    fn restricted() -> Catalogue {
        let regions =
            [("us-east-1", vec![zone("us-east-1a")]), ("moon", vec![zone("moon-a")]), ("sa-east-1", vec![])];
        let kind =
            |name: &str, usable| AllowedType { name: name.to_owned(), usable, ..AllowedType::default() };
        Catalogue::embedded().with_allowance(Allowance {
            profile: "team".to_owned(),
            platform: "aws".to_owned(),
            regions: regions
                .map(|(name, zones)| (name.to_owned(), AllowedRegion { zones, added: false }))
                .into(),
            machine_types: vec![kind("m5.large", true), kind("m5.xlarge", false)],
        })
    }

    #[test]
    fn the_regions_of_a_profile_are_the_known_ones() {
        let catalogue = restricted();
        let known = catalogue.known_regions("aws", "4.14");
        let ids: Vec<&str> = known.iter().map(|region| region.id).collect();
        assert_eq!(ids, ["moon", "sa-east-1", "us-east-1"]);
        let reasons: Vec<String> = known
            .iter()
            .map(|region| region.reasons.last().map(ToString::to_string).unwrap_or_default())
            .collect();
        assert!(reasons.iter().all(|reason| reason.contains(" team")), "{reasons:?}");
        assert_eq!(known.first().map(|region| region.reasons.len()), Some(1));
        assert!(catalogue.known_regions("azure", "4.14").is_empty());
        assert!(catalogue.allows_platform("aws") && !catalogue.allows_platform("azure"));
    }

    #[test]
    fn zones_and_types_are_those_of_the_profile() {
        let catalogue = restricted();
        assert_eq!(catalogue.listed_zones("moon"), ["moon-a"]);
        assert!(catalogue.listed_zones("sa-east-1").is_empty() && catalogue.listed_zones("x").is_empty());
        assert!(catalogue.allows_type("m5.large") && !catalogue.allows_type("m5.xlarge"));
        assert!(catalogue.allows_zone("moon", "moon-a") && !catalogue.allows_zone("moon", "moon-b"));
        assert!(!catalogue.allows_type_in("moon", "moon-a", "m5.large"));
        assert!(catalogue.allows_type_in("moon", "moon-a", "m6i.large"));
        assert!(
            catalogue
                .restriction()
                .is_some_and(|words| words.contains("3 regions") && words.contains("1 machine type "))
        );
    }

    #[test]
    fn without_a_profile_everything_may_be_used() {
        let catalogue = Catalogue::embedded();
        assert!(
            catalogue.allows_platform("azure")
                && catalogue.allows_type("x")
                && catalogue.allows_zone("r", "z")
        );
        assert!(catalogue.allows_type_in("r", "z", "x"));
        assert_eq!(catalogue.restriction(), None);
    }
}
