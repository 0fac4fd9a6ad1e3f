//! The catalogue of Azure with what a cloud profile adds to it, and with usual sizes that it allows.

use std::collections::BTreeMap;

use super::{Catalogue, Location, Size};
use crate::catalogue::value::{Allowance, AllowedType, Role};

/// Sizes by the names of roles.
type Sizes = BTreeMap<String, String>;
/// Sizes that can take their place, by the names of roles.
type Further = BTreeMap<String, Vec<String>>;

/// The roles that have a usual size.
const ROLES: [Role; 2] = [Role::ControlPlane, Role::Compute];

impl Catalogue {
    /// Takes in the locations, zones and sizes of a profile, and has machines be of a size that it allows.
    pub(super) fn take_in(&mut self, allowance: &Allowance) {
        for kind in allowance.usable() {
            self.take_in_size(kind);
        }
        let default = self.default_cloud.clone();
        for (name, region) in &allowance.regions {
            if !self.listed(name)
                && let Some(cloud) = self.clouds.get_mut(&default)
            {
                let location = Location { display_name: name.clone(), zones: Vec::new() };
                cloud.locations.insert(name.clone(), location);
            }
            for location in self.clouds.values_mut().filter_map(|cloud| cloud.locations.get_mut(name)) {
                region.add_zones(&mut location.zones);
            }
        }
        let mut sizes = std::mem::take(&mut self.default_sizes);
        for (architecture, of_roles) in &mut sizes {
            let further = self.allow_sizes(of_roles, architecture, allowance);
            self.further_sizes.insert(architecture.clone(), further);
        }
        self.default_sizes = sizes;
        let mut sizes = std::mem::take(&mut self.stack_sizes);
        self.further_stack_sizes = self.allow_sizes(&mut sizes, "amd64", allowance);
        self.stack_sizes = sizes;
    }

    /// A size that only the profile knows. It says nothing of what else Azure's sizes have: they are taken to start from
    /// any image and to take premium disks, as nearly all do, and not to have faster networking, which some lack.
    fn take_in_size(&mut self, kind: &AllowedType) {
        let (Some(vcpus), Some(memory_mib)) = (kind.vcpus, kind.memory_mib) else { return };
        if self.size(&kind.name).is_some() {
            return;
        }
        let described = Size {
            vcpus,
            memory_gb: memory_mib / 1024,
            architecture: kind.architecture.clone(),
            family: String::new(),
            hyper_v_generations: ["V1", "V2"].map(str::to_owned).into(),
            premium_io: true,
            accelerated_networking: false,
        };
        self.sizes.insert(kind.name.clone(), described);
    }

    /// Puts the first candidate in the place of the usual size of each role, and gives the others; where there is
    /// none, no size is usual.
    fn allow_sizes(&self, sizes: &mut Sizes, architecture: &str, allowance: &Allowance) -> Further {
        let mut further = Further::new();
        for role in ROLES {
            let usual: Vec<String> = sizes.remove(role.name()).into_iter().collect();
            let fits = |kind: &AllowedType| self.is_fitting(kind, architecture, role);
            let mut candidates = allowance.candidates(&usual, architecture, fits).into_iter();
            sizes.extend(candidates.next().map(|name| (role.name().to_owned(), name)));
            further.insert(role.name().to_owned(), candidates.collect());
        }
        further
    }

    /// Whether a size is large enough for machines of a role, and nothing that the catalogue knows of it, such as
    /// another architecture, stands against it.
    fn is_fitting(&self, kind: &AllowedType, architecture: &str, role: Role) -> bool {
        let known = self.size(&kind.name).map(|(_, known)| known);
        let vcpus = known.map(|known| known.vcpus).or(kind.vcpus);
        let memory_gb = known.map(|known| known.memory_gb).or(kind.memory_mib.map(|mib| mib / 1024));
        let least = self.minimums(role);
        let nothing_against = known.is_none_or(|known| {
            known.architecture == architecture
                && known.premium_io
                && !self.unsupported_families.contains(&known.family)
        });
        nothing_against
            && least.is_none_or(|least| {
                vcpus.is_some_and(|vcpus| vcpus >= least.vcpus)
                    && memory_gb.is_some_and(|memory_gb| memory_gb >= least.memory_gb)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::value::{AllowedRegion, AllowedZone, Part};

    fn kind(name: &str, vcpus: u32) -> AllowedType {
        AllowedType {
            name: name.to_owned(),
            usable: true,
            vcpus: Some(vcpus),
            memory_mib: Some(vcpus * 4096),
            architecture: "amd64".to_owned(),
            ..AllowedType::default()
        }
    }

    fn taken_in(machine_types: Vec<AllowedType>) -> Catalogue {
        let zones = vec![AllowedZone { name: "1".to_owned(), ..AllowedZone::default() }];
        let region = AllowedRegion { zones, added: false };
        let regions = ["mooneast", "usgovvirginia"].map(|name| (name.to_owned(), region.clone()));
        let allowance = Allowance { regions: regions.into(), machine_types, ..Allowance::default() };
        let mut catalogue = Catalogue::shipped();
        catalogue.take_in(&allowance);
        catalogue
    }

    #[test]
    fn the_usual_size_is_one_that_is_allowed() {
        let sizes = |azure: &Catalogue, architecture: &str| {
            [Role::ControlPlane, Role::Compute]
                .map(|role| azure.default_size("", architecture, role).map(str::to_owned))
        };
        let some = taken_in(vec![kind("Standard_X2", 2), kind("Standard_X8", 8), kind("Standard_D4s_v3", 4)]);
        assert_eq!(
            sizes(&some, "amd64"),
            [Some("Standard_X8".to_owned()), Some("Standard_D4s_v3".to_owned())]
        );
        let compute = some.candidates("", "amd64", Role::Compute);
        assert_eq!(compute, ["Standard_D4s_v3", "Standard_X2", "Standard_X8"]);
        assert_eq!(some.candidates("", "amd64", Role::Bootstrap), ["Standard_X8", "Standard_D4s_v3"]);
        assert_eq!(sizes(&some, "arm64"), [None, None]);
        assert_eq!(sizes(&taken_in(Vec::new()), "amd64"), [None, None]);
    }

    #[test]
    fn sizes_that_only_the_profile_knows_are_described_by_it() {
        let undescribed = AllowedType { vcpus: None, ..kind("Standard_Y8", 8) };
        let azure = taken_in(vec![kind("Standard_X8", 8), kind("standard_d4s_v3", 64), undescribed]);
        let size =
            |name: &str| azure.size(name).map(|(name, size)| (name.to_owned(), size.vcpus, size.memory_gb));
        assert_eq!(size("standard_x8"), Some(("Standard_X8".to_owned(), 8, 32)));
        assert_eq!(size("Standard_D4s_v3"), Some(("Standard_D4s_v3".to_owned(), 4, 16)));
        assert_eq!(size("Standard_Y8"), None);
    }

    #[test]
    fn locations_of_the_profile_are_known() {
        let azure = taken_in(Vec::new());
        assert_eq!(azure.zones("", "mooneast"), ["1"]);
        assert_eq!(azure.clouds_with("usgovvirginia"), ["AzureUSGovernmentCloud"]);
    }
}
