//! The machine sizes that matter for a config, and what the location says of them.

use std::collections::{BTreeMap, BTreeSet};

use landfall_model::azure::facts::Size;
use landfall_model::catalogue::{Catalogue, Role};
use landfall_model::config::InstallConfig;
use landfall_platform::Offline;
use landfall_platform::cloud::{Asked, Asking};
use serde::Deserialize;

use super::{REGION, is_hub, plain, refused, resource, where_to_ask};
use crate::cloud::api_versions::Api;
use crate::cloud::session::Session;
use crate::offline;

/// The type of resource that sizes of machines are.
const MACHINES: &str = "virtualMachines";

/// What is kept of sizes that are only there to be proposed: what decides whether they would do.
const DECIDING: &[&str] = &[
    "AcceleratedNetworkingEnabled",
    "CpuArchitectureType",
    "HyperVGenerations",
    "MemoryGB",
    "PremiumIO",
    "vCPUs",
    "vCPUsAvailable",
];

/// Something that a subscription can have, such as a size of machines or of disks.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Sku {
    resource_type: String,
    name: String,
    family: String,
    locations: Vec<String>,
    location_info: Vec<LocationInfo>,
    capabilities: Vec<Capability>,
    restrictions: Vec<Restriction>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct LocationInfo {
    location: String,
    zones: Vec<String>,
    zone_details: Vec<ZoneDetails>,
}

/// What some of the zones have besides. The zones' key is written both ways.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ZoneDetails {
    name: Vec<String>,
    #[serde(rename = "Name")]
    names: Vec<String>,
    capabilities: Vec<Capability>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Capability {
    name: String,
    value: String,
}

/// Why a subscription cannot use something somewhere.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Restriction {
    #[serde(rename = "type")]
    kind: String,
    values: Vec<String>,
    #[serde(rename = "restrictionInfo")]
    places: Places,
    reason_code: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Places {
    locations: Vec<String>,
    zones: Vec<String>,
}

/// The usual sizes and those that the config names, as far as the location has them. Where that leaves a
/// pool without a machine, all sizes that the subscription can use, so that an answer can name some.
pub(super) async fn sizes(session: &Session<'_>) -> Asked<BTreeMap<String, Size>> {
    let Some(location) = where_to_ask(session).await else {
        return Ok(BTreeMap::new());
    };
    let arm = session.arm().await?;
    let subscription = session.subscription().await?;
    let path = resource::provided(&subscription, "Microsoft.Compute/skus");
    let filter = format!("location eq '{}'", location.replace('\'', "''"));
    let query = [("$filter", filter.as_str())];
    // The interface that Stack Hubs have is older than the filter, and they have one location.
    let query: &[(&str, &str)] = if is_hub(session) { &[] } else { &query };
    let skus = arm.list::<Sku>(Api::SKUS, &path, query).await;
    let skus = skus.map_err(|fault| refused(&fault, REGION))?;
    let Asking { config, catalogue, release, .. } = session.asking;
    let credentials = BTreeMap::new();
    let offline = Offline { config, catalogue, release, credentials: &credentials };
    let wanted = offline::sizes_of_interest(&offline);
    Ok(chosen(&skus, &location, &wanted, &sizes_of_pools(config, catalogue)))
}

/// The size that each pool would have.
pub(in crate::cloud) fn sizes_of_pools(config: &InstallConfig, catalogue: &Catalogue) -> BTreeSet<String> {
    let cloud = config.platform.azure.as_ref().map_or("", |platform| platform.cloud_name.as_str());
    let pools = config.pools().map(|(path, pool)| {
        let role = if path == "controlPlane" { Role::ControlPlane } else { Role::Compute };
        let named = pool.platform.azure.as_ref().map(|settings| settings.vm_size.as_str());
        let default = || catalogue.azure.default_size(cloud, &pool.architecture, role).unwrap_or_default();
        named.filter(|name| !name.is_empty()).unwrap_or_else(default).to_owned()
    });
    pools.filter(|name| !name.is_empty()).collect()
}

/// The sizes to keep. Names are compared without regard to case, so that one that is written otherwise is
/// among them and can be proposed.
fn chosen(
    skus: &[Sku],
    location: &str,
    wanted: &BTreeSet<String>,
    first: &BTreeSet<String>,
) -> BTreeMap<String, Size> {
    let here = skus.iter().filter(|sku| sku.is_machine_in(location));
    let here: BTreeMap<String, Size> = here.map(|sku| (sku.name.clone(), sku.size_in(location))).collect();
    let usable = |wanted: &String| {
        let mut same = here.iter().filter(|(name, _)| name.eq_ignore_ascii_case(wanted));
        same.any(|(_, size)| size.restriction.is_empty())
    };
    let open = !first.iter().all(usable);
    let wanted: BTreeSet<String> = wanted.iter().map(|name| name.to_ascii_lowercase()).collect();
    let kept = here.into_iter().filter_map(|(name, mut size)| {
        if !wanted.contains(&name.to_ascii_lowercase()) {
            if !open || !size.restriction.is_empty() {
                return None;
            }
            size.capabilities.retain(|capability, _| DECIDING.contains(&capability.as_str()));
        }
        Some((name, size))
    });
    kept.collect()
}

impl Sku {
    fn is_machine_in(&self, location: &str) -> bool {
        let here = self.locations.is_empty() || self.locations.iter().any(|name| is(name, location));
        here && !self.name.is_empty() && self.resource_type.eq_ignore_ascii_case(MACHINES)
    }

    fn size_in(&self, location: &str) -> Size {
        let infos = self.location_info.iter().filter(|info| is(&info.location, location));
        let infos: Vec<&LocationInfo> = infos.collect();
        let restricted = self.restricted_zones(location);
        let all: BTreeSet<&String> = infos.iter().flat_map(|info| &info.zones).collect();
        let zones = all.iter().copied().filter(|zone| !restricted.contains(zone.as_str()));
        let zones: BTreeSet<&String> = zones.collect();
        // A location without zones is another matter: its machines stand in none.
        let closed = !all.is_empty() && zones.is_empty();
        let mut restriction = self.restriction(location);
        if closed && restriction.is_empty() {
            restriction = format!("no zone offers it ({})", self.zonal_reason(location));
        }
        let own = self.capabilities.iter().map(|known| (known.name.clone(), known.value.clone()));
        let mut capabilities: BTreeMap<String, String> = own.collect();
        for (name, with) in by_zone(infos.iter().flat_map(|info| &info.zone_details)) {
            let usable = with.into_iter().filter(|zone| zones.iter().any(|own| own == zone));
            let with: Vec<&str> = usable.collect();
            if !with.is_empty() {
                capabilities.entry(name.to_owned()).or_insert_with(|| "True".to_owned());
                capabilities.insert(format!("{name}@zones"), with.join(","));
            }
        }
        Size {
            zones: zones.into_iter().cloned().collect(),
            family: self.family.clone(),
            capabilities,
            restriction,
        }
    }

    /// Why the subscription cannot use the size anywhere in the location; empty where it can.
    fn restriction(&self, location: &str) -> String {
        let found = self.restrictions.iter().find(|restriction| {
            let named = if restriction.places.locations.is_empty() {
                &restriction.values
            } else {
                &restriction.places.locations
            };
            let here = named.is_empty() || named.iter().any(|name| is(name, location));
            here && restriction.kind.eq_ignore_ascii_case("Location")
        });
        let reason = found.map(|restriction| restriction.reason_code.clone());
        reason.map(|code| if code.is_empty() { "restricted".to_owned() } else { code }).unwrap_or_default()
    }

    /// The zones of the location in which the subscription cannot use the size.
    fn restricted_zones(&self, location: &str) -> BTreeSet<&str> {
        let zones = self.zonal(location).flat_map(|restriction| &restriction.places.zones);
        zones.map(String::as_str).collect()
    }

    /// Why the subscription cannot use the size in some zones of the location.
    fn zonal_reason(&self, location: &str) -> &str {
        let mut reasons = self.zonal(location).map(|restriction| restriction.reason_code.as_str());
        reasons.find(|code| !code.is_empty()).unwrap_or("restricted")
    }

    /// The restrictions of zones of the location.
    fn zonal(&self, location: &str) -> impl Iterator<Item = &Restriction> {
        self.restrictions.iter().filter(move |restriction| {
            let locations = &restriction.places.locations;
            let here = locations.is_empty() || locations.iter().any(|name| is(name, location));
            here && restriction.kind.eq_ignore_ascii_case("Zone")
        })
    }
}

/// The zones that have each capability which only some of them have.
fn by_zone<'a>(details: impl Iterator<Item = &'a ZoneDetails>) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let mut zones: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for detail in details {
        let named = detail.name.iter().chain(&detail.names).map(String::as_str);
        let named: BTreeSet<&str> = named.collect();
        let had = detail.capabilities.iter().filter(|known| known.value.eq_ignore_ascii_case("true"));
        for capability in had {
            zones.entry(capability.name.as_str()).or_default().extend(&named);
        }
    }
    zones
}

/// Whether a location is the one that was asked for.
fn is(name: &str, location: &str) -> bool {
    plain(name) == plain(location)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::described::of_text;
    use landfall_model::azure::config::{MachinePool as Settings, Platform};
    use landfall_model::config::MachinePool;

    const SKUS: &str = r#"[
        {"resourceType": "virtualMachines", "name": "Standard_D8s_v3", "family": "standardDSv3Family",
         "tier": "Standard", "size": "D8s_v3", "locations": ["eastus"],
         "locationInfo": [{"location": "eastus", "zones": ["3", "1", "2"], "zoneDetails": [
            {"Name": ["1", "3"], "capabilities": [{"name": "UltraSSDAvailable", "value": "True"}]}]}],
         "capabilities": [{"name": "vCPUs", "value": "8"}, {"name": "MemoryGB", "value": "32"},
            {"name": "MaxNetworkInterfaces", "value": "4"}],
         "restrictions": []},
        {"resourceType": "virtualMachines", "name": "Standard_D4s_v3", "family": "standardDSv3Family",
         "locations": ["EastUS"], "locationInfo": [{"location": "EastUS", "zones": ["1", "2", "3"]}],
         "capabilities": [{"name": "vCPUs", "value": "4"}],
         "restrictions": [{"type": "Zone", "values": ["eastus"], "reasonCode": "NotAvailableForSubscription",
            "restrictionInfo": {"locations": ["eastus"], "zones": ["1", "3"]}}]},
        {"resourceType": "virtualMachines", "name": "Standard_E8s_v5", "locations": ["eastus"],
         "locationInfo": null, "capabilities": null,
         "restrictions": [{"type": "Location", "values": ["eastus"],
            "reasonCode": "NotAvailableForSubscription", "restrictionInfo": {"locations": ["eastus"]}}]},
        {"resourceType": "virtualMachines", "name": "Standard_D8s_v5", "locations": ["eastus"],
         "locationInfo": [{"location": "eastus", "zones": ["1", "2"]}],
         "restrictions": [{"type": "Zone", "values": ["eastus"], "reasonCode": "NotAvailableForSubscription",
            "restrictionInfo": {"locations": ["eastus"], "zones": ["1", "2"]}}]},
        {"resourceType": "virtualMachines", "name": "Standard_F8s", "locations": ["eastus"],
         "capabilities": [{"name": "vCPUs", "value": "8"}, {"name": "MaxNetworkInterfaces", "value": "4"}],
         "restrictions": [{"type": "Location", "values": ["westus"],
            "reasonCode": "QuotaId", "restrictionInfo": {"locations": ["westus"]}}]},
        {"resourceType": "virtualMachines", "name": "Standard_W8s", "locations": ["westus"]},
        {"resourceType": "disks", "name": "Premium_LRS", "locations": ["eastus"]}
    ]"#;

    fn skus() -> Vec<Sku> {
        of_text(SKUS).unwrap_or_default()
    }

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn kept(wanted: &[&str], first: &[&str]) -> BTreeMap<String, Size> {
        chosen(&skus(), "eastus", &set(wanted), &set(first))
    }

    fn size(name: &str) -> Size {
        kept(&[name], &[]).remove(name).unwrap_or_default()
    }

    #[test]
    fn a_size_has_its_zones_family_and_capabilities() {
        let size = size("Standard_D8s_v3");
        assert_eq!(size.zones, ["1", "2", "3"]);
        assert_eq!((size.family.as_str(), size.restriction.as_str()), ("standardDSv3Family", ""));
        let has = |name: &str| size.capabilities.get(name).map(String::as_str);
        assert_eq!((has("vCPUs"), has("MaxNetworkInterfaces")), (Some("8"), Some("4")));
        assert_eq!(has("UltraSSDAvailable"), Some("True"));
        assert_eq!(has("UltraSSDAvailable@zones"), Some("1,3"));
    }

    #[test]
    fn restrictions_take_zones_or_the_whole_size() {
        let zonal = size("Standard_D4s_v3");
        assert_eq!((zonal.zones, zonal.restriction), (vec!["2".to_owned()], String::new()));
        assert_eq!(size("Standard_E8s_v5").restriction, "NotAvailableForSubscription");
        assert_eq!(size("Standard_F8s").restriction, "");
        let closed = size("Standard_D8s_v5");
        assert!(closed.restriction.ends_with("(NotAvailableForSubscription)"), "{}", closed.restriction);
        assert!(closed.zones.is_empty());
    }

    #[test]
    fn other_sizes_are_kept_where_a_pool_has_none() {
        let names = |kept: BTreeMap<String, Size>| kept.into_keys().collect::<Vec<String>>();
        assert_eq!(names(kept(&["standard_d8S_V3"], &["standard_d8S_V3"])), ["Standard_D8s_v3"]);
        let all = kept(&["Standard_E8s_v5"], &["Standard_E8s_v5"]);
        let other = all.get("Standard_F8s").cloned().unwrap_or_default();
        assert_eq!(other.capabilities.into_keys().collect::<Vec<String>>(), ["vCPUs"]);
        assert_eq!(names(all), ["Standard_D4s_v3", "Standard_D8s_v3", "Standard_E8s_v5", "Standard_F8s"]);
    }

    #[test]
    fn each_pool_has_its_own_size_or_the_usual_one() {
        let pool = |size: &str| {
            let mut pool = MachinePool { architecture: "amd64".to_owned(), ..MachinePool::default() };
            pool.platform.azure = Some(Settings { vm_size: size.to_owned(), ..Settings::default() });
            pool
        };
        let mut config = InstallConfig {
            control_plane: Some(pool("Standard_E8s_v5")),
            compute: vec![pool("")],
            ..InstallConfig::default()
        };
        config.platform.azure = Some(Platform::default());
        let first = sizes_of_pools(&config, Catalogue::embedded());
        assert_eq!(first, set(&["Standard_D4s_v3", "Standard_E8s_v5"]));
    }
}
