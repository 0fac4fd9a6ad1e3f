//! The catalogue of AWS with what a cloud profile adds to it, and without candidates that it does not allow.

use super::{Candidates, Catalogue, InstanceType};
use crate::catalogue::value::{Allowance, AllowedRegion, AllowedType, Role};

impl Catalogue {
    /// Takes in the regions, zones and types of a profile, and leaves of the candidates those that it allows.
    pub(super) fn take_in(&mut self, allowance: &Allowance) {
        for kind in allowance.usable() {
            if let (Some(vcpus), Some(memory_mib)) = (kind.vcpus, kind.memory_mib) {
                let architecture = kind.architecture.clone();
                let described = InstanceType { vcpus, memory_mib, architecture };
                self.instance_types.entry(kind.name.clone()).or_insert(described);
            }
        }
        for (name, region) in &allowance.regions {
            self.take_in_region(name, region, allowance);
        }
        let mut rules = std::mem::take(&mut self.default_instance_types);
        for rule in rules.values_mut() {
            for (architecture, candidates) in &mut rule.architectures {
                *candidates = self.allowed(candidates, architecture, allowance);
            }
        }
        self.default_instance_types = rules;
    }

    /// A region that fits no partition has no place in the catalogue: nobody knows where its services are.
    fn take_in_region(&mut self, name: &str, region: &AllowedRegion, allowance: &Allowance) {
        let Some(partition) = self.partition_of(name).map(|(id, _)| id.to_owned()) else { return };
        let Some(partition) = self.partitions.get_mut(&partition) else { return };
        let known = partition.regions.entry(name.to_owned()).or_default();
        let before = known.zones.clone();
        region.add_zones(&mut known.zones);
        // Zones outside the data centres, such as local ones, have a dash after the region's name. The zones of the
        // catalogue are those within.
        let outside = |zone: &String| zone.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'));
        if !before.is_empty() && !before.iter().any(outside) {
            known.zones.retain(|zone| !outside(zone));
        }
        for kind in allowance.usable() {
            let offering = known.offerings.entry(kind.name.clone()).or_insert_with(|| before.clone());
            // Of zones that are new, the profile alone says what they have.
            offering.extend(known.zones.iter().filter(|zone| !before.contains(zone)).cloned());
            offering.retain(|zone| !region.lacks(zone, &kind.name));
        }
    }

    /// The candidates of an architecture that a profile allows.
    fn allowed(&self, usual: &Candidates, architecture: &str, allowance: &Allowance) -> Candidates {
        let of = |role: Role, single: bool| {
            let fits = |kind: &AllowedType| self.is_fitting(kind, architecture, role);
            allowance.candidates(usual.of(role, single), architecture, fits)
        };
        Candidates {
            control_plane: of(Role::ControlPlane, false),
            single_replica: of(Role::ControlPlane, true),
            compute: of(Role::Compute, false),
            bootstrap: of(Role::Bootstrap, false),
        }
    }

    /// Whether a type is known to have the architecture, and what machines of a role need.
    fn is_fitting(&self, kind: &AllowedType, architecture: &str, role: Role) -> bool {
        let known = self.instance_types.get(&kind.name);
        known.is_some_and(|known| {
            known.architecture == architecture
                && self
                    .minimums(role)
                    .is_none_or(|least| known.vcpus >= least.vcpus && known.memory_mib >= least.memory_mib)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::value::{AllowedZone, Part};

    fn kind(name: &str, vcpus: u32, memory_mib: u32) -> AllowedType {
        AllowedType {
            name: name.to_owned(),
            usable: true,
            vcpus: Some(vcpus),
            memory_mib: Some(memory_mib),
            architecture: "amd64".to_owned(),
            ..AllowedType::default()
        }
    }

    fn zone(name: &str, lacking: &[&str]) -> AllowedZone {
        AllowedZone {
            name: name.to_owned(),
            lacking: lacking.iter().map(|lacking| (*lacking).to_owned()).collect(),
        }
    }

    fn taken_in() -> Catalogue {
        let east =
            vec![zone("us-east-1a", &["x9.huge"]), zone("us-east-1z", &[]), zone("us-east-1-nyc-1a", &[])];
        let regions = [("us-east-1", east), ("eu-west-99", vec![zone("a", &[])]), ("moon", Vec::new())];
        let allowance = Allowance {
            regions: regions
                .map(|(name, zones)| (name.to_owned(), AllowedRegion { zones, added: false }))
                .into(),
            machine_types: vec![
                kind("t9.tiny", 1, 1024),
                kind("x9.huge", 64, 262_144),
                kind("m5.xlarge", 4, 16_384),
                // The profile is wrong about the architecture.
                kind("m6g.2xlarge", 8, 32_768),
            ],
            ..Allowance::default()
        };
        let mut catalogue = Catalogue::shipped();
        catalogue.take_in(&allowance);
        catalogue
    }

    #[test]
    fn candidates_are_allowed_and_large_enough() {
        let aws = taken_in();
        let of = |role, single| aws.candidates("4.14", "amd64", role, single).to_vec();
        assert_eq!(of(Role::ControlPlane, false), ["m5.xlarge", "x9.huge"]);
        assert_eq!(of(Role::Compute, false), ["m5.xlarge", "x9.huge"]);
        assert_eq!(of(Role::ControlPlane, true), ["x9.huge", "m5.xlarge"]);
        assert!(aws.candidates("4.14", "arm64", Role::Compute, false).is_empty());
    }

    #[test]
    fn regions_zones_and_types_of_the_profile_are_known() {
        let aws = taken_in();
        assert_eq!(aws.zones("eu-west-99"), ["a"]);
        assert_eq!(aws.partition_of("eu-west-99").map(|(id, _)| id), Some("aws"));
        assert!(aws.zones("us-east-1").iter().any(|zone| zone == "us-east-1z"));
        assert!(!aws.zones("us-east-1").iter().any(|zone| zone == "us-east-1-nyc-1a"));
        let offered = |name: &str| aws.offered_zones("us-east-1", name).unwrap_or_default().to_vec();
        assert!(offered("m5.xlarge").iter().any(|zone| zone == "us-east-1z"));
        assert!(!offered("x9.huge").iter().any(|zone| zone == "us-east-1a"));
        assert_eq!(aws.region("moon"), None);
        assert_eq!(aws.instance_types.get("x9.huge").map(|known| known.vcpus), Some(64));
    }
}
