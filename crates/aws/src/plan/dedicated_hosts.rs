//! Machines on dedicated hosts: each zone of a pool takes the host in it that the config names (`assets.md`, B.9 and
//! F.2).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use landfall_diagnostics::Findings;
use landfall_model::aws::config::{DedicatedHost, MachinePool};
use landfall_model::aws::facts;
use landfall_model::aws::planned::Hosts;

use super::{Planning, cloud_pages};

const ANY: &str = "AnyAvailable";

/// The hosts that a pool names, each with its index and what is known of it.
fn named<'a>(
    planning: &Planning<'a>,
    settings: &'a MachinePool,
) -> impl Iterator<Item = (usize, &'a DedicatedHost, Option<&'a facts::DedicatedHost>)> {
    let known = &planning.facts.dedicated_hosts;
    let hosts = settings.host_placement.iter().flat_map(|placement| &placement.dedicated_host).enumerate();
    hosts.map(|(i, host)| (i, host, known.iter().find(|known| known.id == host.id)))
}

/// The zones of the hosts that a pool names, in the order of the hosts.
pub(super) fn zones(planning: &Planning<'_>, settings: &MachinePool) -> Vec<String> {
    let mut zones: Vec<String> = Vec::new();
    for (_, _, known) in named(planning, settings) {
        zones.extend(known.map(|host| host.zone.clone()).filter(|zone| !zones.contains(zone)));
    }
    zones.sort();
    zones
}

/// The hosts of a pool with machines in `zones`; none for a pool on shared hardware.
pub(super) fn choose(
    planning: &Planning<'_>,
    path: &str,
    settings: &MachinePool,
    zones: &[String],
    out: &mut Findings,
) -> Option<Hosts> {
    let placement = settings.host_placement.as_ref()?;
    if placement.affinity.as_deref() == Some(ANY) {
        return Some(Hosts::AnyAvailable);
    }
    let mut by_zone: BTreeMap<String, String> = BTreeMap::new();
    for (i, host, known) in named(planning, settings) {
        let others = known.map(|known| planning.others(&known.owners)).unwrap_or_default();
        if !others.is_empty() {
            out.push(cloud_pages::host_owned(path, i, &host.id, &others));
        }
        match known {
            None => out.push(cloud_pages::no_such_host(path, i, &host.id, planning.asked())),
            Some(known) if !zones.contains(&known.zone) => {
                out.push(cloud_pages::host_elsewhere(path, i, known, zones));
            }
            Some(known) => match by_zone.entry(known.zone.clone()) {
                Entry::Occupied(first) => out.push(cloud_pages::two_hosts(path, i, known, first.get())),
                Entry::Vacant(zone) => {
                    zone.insert(known.id.clone());
                }
            },
        }
    }
    let without: Vec<&str> =
        zones.iter().filter(|zone| !by_zone.contains_key(*zone)).map(String::as_str).collect();
    if !without.is_empty() && !by_zone.is_empty() {
        out.push(cloud_pages::zones_without_host(path, &without));
    }
    Some(Hosts::ByZone(by_zone))
}
