//! What Azure knows for those who ask a user for a new config.

use landfall_diagnostics::{nearest, shortened};
use landfall_model::catalogue::{Catalogue, KnownRegion, Role};
use landfall_platform::World;
use landfall_platform::survey::{Fields, MachineType, Site, Survey};
use serde_json::{Map, Value};

use super::rules;

/// The default region of the OpenShift installer, too.
const USUAL_REGION: &str = "eastus";

/// How the name of every size begins.
const SIZE: &str = "standard_";

/// Azure's part in asking for a new config.
pub(super) struct AzureSurvey;

impl Survey for AzureSurvey {
    fn title(&self) -> &'static str {
        "Microsoft Azure"
    }

    fn fields(&self) -> Fields {
        Fields {
            cloud: "platform.azure.cloudName",
            region: "platform.azure.region",
            zone_group: "platform.azure.baseDomainResourceGroupName",
            image: "",
            machine_type: "type",
        }
    }

    fn clouds<'c>(&self, catalogue: &'c Catalogue) -> Vec<&'c str> {
        // A closed cloud takes no new cluster; a Stack Hub needs an endpoint, which its owner alone knows.
        let open = catalogue.azure.clouds.iter().filter(|(_, cloud)| !cloud.closed && !cloud.stack);
        let mut names: Vec<&str> = open.map(|(name, _)| name.as_str()).collect();
        names.sort_by_key(|name| *name != catalogue.azure.default_cloud);
        names
    }

    fn regions<'c>(&self, catalogue: &'c Catalogue, release: &str, cloud: &str) -> Vec<KnownRegion<'c>> {
        let mut regions = catalogue.known_regions(rules::NAME, release);
        regions.retain(|region| catalogue.azure.location(cloud, region.id).is_some());
        regions
    }

    fn usual_region(&self) -> &'static str {
        USUAL_REGION
    }

    fn environment_region(&self, world: &dyn World) -> Option<String> {
        world.variable("AZURE_DEFAULTS_LOCATION")
    }

    fn unlisted(&self) -> &'static str {
        "write it to the file as `platform.azure.region` (an Azure Stack Hub with its `cloudName` and \
         `armEndpoint`), or describe it in a catalogue overlay and pass that with --catalogue"
    }

    fn machine_type(&self, catalogue: &Catalogue, _: &str, role: Role, name: &str) -> MachineType {
        let azure = &catalogue.azure;
        let sizes = || azure.sizes.keys().map(String::as_str);
        let usual = || azure.default_size("", "amd64", role);
        let near = || nearest(name, sizes()).or_else(usual).map(str::to_owned);
        if azure.size(name).is_some() {
            MachineType::Fits
        } else if name.to_ascii_lowercase().starts_with(SIZE) {
            MachineType::Unknown(near())
        } else {
            let example = near().map(|near| format!("; use for example `{near}`")).unwrap_or_default();
            MachineType::Refused(format!("`{}` is not a machine size of Azure{example}", shortened(name)))
        }
    }

    fn section(&self, site: Site<'_>, catalogue: &Catalogue) -> Map<String, Value> {
        let cloud = if site.cloud == catalogue.azure.default_cloud { "" } else { site.cloud };
        let entries =
            [("baseDomainResourceGroupName", site.zone_group), ("cloudName", cloud), ("region", site.region)];
        let given = entries.into_iter().filter(|(_, value)| !value.is_empty());
        given.map(|(key, value)| (key.to_owned(), Value::from(value))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cloud_has_its_own_regions() {
        let catalogue = Catalogue::embedded();
        let release = catalogue.default_release().unwrap_or_default();
        let clouds = AzureSurvey.clouds(catalogue);
        assert_eq!(clouds.first().copied(), Some(catalogue.azure.default_cloud.as_str()));
        assert!(clouds.iter().all(|name| !catalogue.azure.is_stack(name)), "{clouds:?}");
        let has = |cloud: &str, id: &str| {
            AzureSurvey.regions(catalogue, release, cloud).iter().any(|region| region.id == id)
        };
        assert!(has("", AzureSurvey.usual_region()) && !has("", "usgovvirginia"));
        assert!(has("AzureUSGovernmentCloud", "usgovvirginia") && !has("AzureUSGovernmentCloud", "eastus"));
    }

    #[test]
    fn a_machine_size_is_judged_by_its_name() {
        let of = |name| AzureSurvey.machine_type(Catalogue::embedded(), "eastus", Role::Compute, name);
        assert_eq!(of("standard_d4s_v3"), MachineType::Fits);
        assert!(matches!(of("Standard_D4s_v99"), MachineType::Unknown(Some(near)) if near.contains("D4s_v")));
        assert!(matches!(of("m6i.xlarge"), MachineType::Refused(why) if why.contains("Standard_")));
    }

    #[test]
    fn only_what_is_not_usual_is_written() {
        let catalogue = Catalogue::embedded();
        let keys = |site: Site<'_>| -> Vec<String> {
            AzureSurvey.section(site, catalogue).keys().cloned().collect()
        };
        let cloud = catalogue.azure.default_cloud.as_str();
        let usual = Site { cloud, region: "eastus", zone_group: "dns", ..Site::default() };
        assert_eq!(keys(usual), ["baseDomainResourceGroupName", "region"]);
        let china = Site { cloud: "AzureChinaCloud", region: "chinaeast", ..Site::default() };
        assert_eq!(keys(china), ["cloudName", "region"]);
    }
}
