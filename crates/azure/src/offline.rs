//! Facts of Azure where no cloud is asked: what the catalogue knows of the location.

use std::collections::{BTreeMap, BTreeSet};

use landfall_model::catalogue::Role;
use landfall_platform::Offline;

use super::catalogue::{self, Catalogue};
use super::config::Platform;
use super::credentials;
use super::facts::{Facts, Location, Size};

/// What the catalogue gives for the location of a config. What it does not know is left out, and planning
/// says so.
pub(super) fn facts(offline: &Offline<'_>) -> Option<Facts> {
    let platform = offline.config.platform.azure.as_ref()?;
    let catalogue = &offline.catalogue.azure;
    let credential =
        |key: &str| offline.credentials.get(key).map(|value| value.expose().clone()).unwrap_or_default();
    let mut facts = Facts {
        cloud_name: platform.cloud_name.clone(),
        subscription_id: credential(credentials::SUBSCRIPTION_ID),
        tenant_id: credential(credentials::TENANT_ID),
        client_id: credential(credentials::CLIENT_ID),
        ..Facts::default()
    };
    let stack = catalogue.cloud(&platform.cloud_name).is_some_and(|(_, cloud)| cloud.stack);
    let location = location(catalogue, platform);
    if let Some((location, zones)) = location {
        facts.location = location;
        let known = sizes_of_interest(offline).into_iter().filter_map(|name| {
            let (name, known) = catalogue.size(&name)?;
            Some((name.to_owned(), size(known, zones, stack)))
        });
        facts.sizes = known.collect();
    }
    Some(facts)
}

/// The location with its zones. That of a Stack Hub is its owner's, and has none.
fn location<'a>(catalogue: &'a Catalogue, platform: &Platform) -> Option<(Location, &'a [String])> {
    let (_, cloud) = catalogue.cloud(&platform.cloud_name)?;
    let name = platform.region.clone();
    if cloud.stack {
        return Some((Location { display_name: name.clone(), name }, <&[String]>::default()));
    }
    let known = cloud.locations.get(&name)?;
    Some((Location { name, display_name: known.display_name.clone() }, known.zones.as_slice()))
}

/// The sizes to choose from for pools without one, and those that the config names.
pub(super) fn sizes_of_interest(offline: &Offline<'_>) -> BTreeSet<String> {
    let cloud = offline.config.platform.azure.as_ref().map_or("", |platform| platform.cloud_name.as_str());
    let mut names = BTreeSet::new();
    for (_, pool) in offline.config.pools() {
        for role in [Role::ControlPlane, Role::Compute] {
            let candidates = offline.catalogue.azure.candidates(cloud, &pool.architecture, role);
            names.extend(candidates.into_iter().map(str::to_owned));
        }
        names.extend(pool.platform.azure.iter().map(|settings| settings.vm_size.clone()));
    }
    names
}

/// A size with the catalogue's word on it, in the resource manager's form. A Stack Hub has machines of the
/// first generation only, and no accelerated networking.
fn size(known: &catalogue::Size, zones: &[String], stack: bool) -> Size {
    let truth = |value: bool| if value { "True" } else { "False" };
    let architecture = if known.architecture == "arm64" { "Arm64" } else { "x64" };
    let capabilities = [
        ("vCPUs", known.vcpus.to_string()),
        ("MemoryGB", known.memory_gb.to_string()),
        ("HyperVGenerations", if stack { "V1".to_owned() } else { known.hyper_v_generations.join(",") }),
        ("PremiumIO", truth(known.premium_io).to_owned()),
        ("AcceleratedNetworkingEnabled", truth(known.accelerated_networking && !stack).to_owned()),
        ("CpuArchitectureType", architecture.to_owned()),
    ];
    let capabilities: BTreeMap<String, String> =
        capabilities.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Size { zones: zones.to_vec(), family: known.family.clone(), capabilities, restriction: String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_diagnostics::secret::Secret;
    use landfall_model::azure::config::MachinePool as Settings;
    use landfall_model::azure::values;
    use landfall_model::config::{InstallConfig, MachinePool};
    use landfall_render::Credentials;

    fn facts_of(cloud: &str, region: &str, size: &str) -> Facts {
        let mut config = InstallConfig::default();
        let (cloud_name, region) = (cloud.to_owned(), region.to_owned());
        config.platform.azure = Some(Platform { region, cloud_name, ..Platform::default() });
        let mut pool = MachinePool { architecture: "amd64".to_owned(), ..MachinePool::default() };
        pool.platform.azure = Some(Settings { vm_size: size.to_owned(), ..Settings::default() });
        config.control_plane = Some(pool);
        let credentials = Credentials::from([(credentials::SUBSCRIPTION_ID, Secret::new("s".to_owned()))]);
        let catalogue = landfall_model::catalogue::Catalogue::embedded();
        let offline = Offline { config: &config, catalogue, release: "4.19", credentials: &credentials };
        facts(&offline).unwrap_or_default()
    }

    #[test]
    fn knows_default_and_named_sizes_of_a_location() {
        let facts = facts_of(values::PUBLIC, "eastus", "Standard_E8s_v5");
        assert_eq!((facts.subscription_id.as_str(), facts.location.display_name.as_str()), ("s", "East US"));
        let names: Vec<&str> = facts.sizes.keys().map(String::as_str).collect();
        assert_eq!(names, ["Standard_D4s_v3", "Standard_D8s_v3", "Standard_E8s_v5"]);
        let size = facts.sizes.get("Standard_D8s_v3").cloned().unwrap_or_default();
        assert_eq!(size.zones, ["1", "2", "3"]);
        let capability = |name: &str| size.capabilities.get(name).cloned().unwrap_or_default();
        assert_eq!(capability("HyperVGenerations"), "V1,V2");
        assert_eq!(capability("PremiumIO"), "True");
        assert_eq!(capability("CpuArchitectureType"), "x64");
    }

    #[test]
    fn a_size_is_known_however_it_is_written() {
        let facts = facts_of(values::PUBLIC, "eastus", "standard_e8S_V5");
        let names: Vec<&str> = facts.sizes.keys().map(String::as_str).collect();
        assert_eq!(names, ["Standard_D4s_v3", "Standard_D8s_v3", "Standard_E8s_v5"]);
    }

    #[test]
    fn leaves_out_what_it_does_not_know() {
        assert!(facts_of(values::PUBLIC, "mooneast", "").sizes.is_empty());
        assert!(!facts_of(values::PUBLIC, "eastus", "Standard_Moon").sizes.contains_key("Standard_Moon"));
        let stack = facts_of(values::STACK, "local", "").sizes;
        let size = stack.get("Standard_DS4_v2").cloned().unwrap_or_default();
        assert_eq!(size.capabilities.get("HyperVGenerations").map(String::as_str), Some("V1"));
        assert!(stack.values().all(|size| size.zones.is_empty()));
    }
}
