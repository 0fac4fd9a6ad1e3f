//! From config and facts to the plan.

use landfall_diagnostics::Findings;
use landfall_model::catalogue::Catalogue as All;
use landfall_model::config::{InstallConfig, MachinePool};
use landfall_model::plan::{Case, Platforms, replicas};
use landfall_model::toy::catalogue::Catalogue;
use landfall_model::toy::config::Platform;
use landfall_model::toy::facts::Facts;
use landfall_model::toy::planned::{Plan, Pool};

use crate::rules;

/// What the catalogue knows of a region.
pub(super) fn known(section: &Platform, catalogue: &Catalogue) -> Facts {
    let region = catalogue.regions.get(&section.region);
    Facts {
        region: section.region.clone(),
        zones: region.map(|region| region.zones.clone()).unwrap_or_default(),
        machine_types: catalogue.machine_types.keys().cloned().collect(),
        ..Facts::default()
    }
}

pub(super) fn plan(case: &Case<'_>, out: &mut Findings) -> Option<Platforms> {
    let section = case.config.platform.toy.as_ref()?;
    let zone = case.facts.toy.as_ref().and_then(|facts| facts.zones.first());
    let Some(zone) = zone else {
        out.push(rules::unknown_region(&section.region));
        return None;
    };
    let network = case.config.networking.iter().flat_map(|networking| &networking.machine_network).next();
    let network = network.and_then(|entry| entry.cidr.given()).map(ToString::to_string);
    let of = |pool: &MachinePool| planned(pool, section, case.catalogue);
    let planned = Plan {
        region: section.region.clone(),
        zone: zone.clone(),
        network: network.unwrap_or_default(),
        control_plane: of(&control_plane(case.config)),
        compute: case.config.compute.iter().map(of).collect(),
    };
    Some(Platforms { toy: Some(Box::new(planned)), ..Platforms::default() })
}

fn control_plane(config: &InstallConfig) -> MachinePool {
    config.control_plane.clone().unwrap_or_default()
}

fn planned(pool: &MachinePool, section: &Platform, catalogue: &All) -> Pool {
    let given = [pool.platform.toy.as_ref(), section.default_machine_platform.as_ref()];
    let mut given = given.into_iter().flatten().map(|settings| &settings.machine_type);
    let machine_type = given.find(|name| !name.is_empty()).unwrap_or(&catalogue.toy.default_machine_type);
    Pool { name: pool.name.clone(), replicas: replicas(pool), machine_type: machine_type.clone() }
}
