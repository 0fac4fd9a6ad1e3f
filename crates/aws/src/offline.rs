//! Facts of AWS where no cloud is asked: what the catalogue knows of the region.

use std::collections::{BTreeMap, BTreeSet};

use landfall_model::catalogue::Role;
use landfall_model::config::InstallConfig;
use landfall_platform::Offline;

use super::catalogue::Catalogue;
use super::facts::{AVAILABILITY_ZONE, Facts, InstanceType, Zone};

/// What the catalogue gives for the region of a config.
pub(super) fn facts(offline: &Offline<'_>) -> Option<Facts> {
    let platform = offline.config.platform.aws.as_ref()?;
    let catalogue = &offline.catalogue.aws;
    let region = catalogue.region(&platform.region);
    let zones = region.map(|region| region.zones.clone()).filter(|zones| !zones.is_empty());
    let zones = zones.unwrap_or_else(|| offline.catalogue.listed_zones(&platform.region));
    let partition = catalogue.partition_of(&platform.region);
    let mut facts = Facts {
        region: platform.region.clone(),
        partition: partition.map(|(id, _)| id.to_owned()).unwrap_or_default(),
        ..Facts::default()
    };
    facts.zones = zones
        .iter()
        .map(|name| Zone { name: name.clone(), kind: AVAILABILITY_ZONE.to_owned(), ..Zone::default() })
        .collect();
    let known: BTreeMap<String, Vec<String>> = region.map(|r| r.offerings.clone()).unwrap_or_default();
    for name in types_of_interest(offline) {
        // Where the catalogue has no word on a type, every zone is taken to offer it.
        let assumed = || if known.is_empty() { zones.clone() } else { Vec::new() };
        let offering = known.get(&name).cloned().unwrap_or_else(assumed);
        if !offering.is_empty() {
            facts.instance_types.insert(name.clone(), instance_type(catalogue, &name, offering));
        }
    }
    Some(facts)
}

/// The candidates for pools without a type, and the types that the config names and the catalogue knows.
fn types_of_interest(offline: &Offline<'_>) -> BTreeSet<String> {
    let mut names = candidates(offline.config, offline.catalogue, offline.release);
    names.extend(named_types(offline.config).filter(|name| known_offering(offline, name)));
    names
}

/// The candidates for pools without a type, whatever the pools come to be.
#[must_use]
pub fn candidates(
    config: &InstallConfig,
    catalogue: &landfall_model::catalogue::Catalogue,
    release: &str,
) -> BTreeSet<String> {
    let rule = catalogue.instance_type_rule(release);
    let mut names: BTreeSet<String> = BTreeSet::new();
    for (_, pool) in config.pools() {
        for (role, single) in
            [(Role::ControlPlane, false), (Role::ControlPlane, true), (Role::Compute, false)]
        {
            let candidates = catalogue.aws.candidates(rule, &pool.architecture, role, single);
            names.extend(candidates.iter().cloned());
        }
    }
    names
}

/// The types that the config names.
pub fn named_types(config: &InstallConfig) -> impl Iterator<Item = String> {
    let settings = config.pools().filter_map(|(_, pool)| pool.platform.aws.as_ref());
    settings.map(|settings| settings.instance_type.clone()).filter(|name| !name.is_empty())
}

/// Whether the catalogue says where a type is offered in the config's region.
fn known_offering(offline: &Offline<'_>, name: &str) -> bool {
    let region = offline.config.platform.aws.as_ref().and_then(|p| offline.catalogue.aws.region(&p.region));
    region.is_some_and(|region| region.offerings.contains_key(name))
}

fn instance_type(catalogue: &Catalogue, name: &str, zones: Vec<String>) -> InstanceType {
    let Some(known) = catalogue.instance_types.get(name) else {
        return InstanceType { zones, ..InstanceType::default() };
    };
    InstanceType {
        zones,
        vcpus: i32::try_from(known.vcpus).unwrap_or(i32::MAX),
        memory_mib: i64::from(known.memory_mib),
        architectures: vec![known.architecture.clone()],
        ..InstanceType::default()
    }
}
