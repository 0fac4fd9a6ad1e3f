//! The machine pools: zones, instance types, volumes (`assets.md`, B.9).

use std::collections::{BTreeMap, BTreeSet};

use landfall_diagnostics::{Finding, Findings};
use landfall_model::aws::config;
use landfall_model::aws::planned::{LocalZone, Network, Pool, Volume};
use landfall_model::catalogue::Role;
use landfall_model::config::MachinePool;
use landfall_model::plan::replicas;

use super::instance_types::{self, Wish};
use super::zones::is_local;
use super::{
    Planning, cloud_pages, cloud_profile, cluster_api, dedicated_hosts, given_subnets, image, pages, zones,
};
use crate::EDGE;
use crate::rules::missing_endpoints;

type Pools = Option<(Option<Pool>, Vec<Pool>)>;

/// Decides every pool. None when a pool could not be decided.
pub(super) fn choose(planning: &Planning<'_>, existing: Option<&Network>, out: &mut Findings) -> Pools {
    let before = out.errors();
    let zones = default_zones(planning, existing);
    let config = planning.case.config;
    let control_plane =
        config.control_plane.as_ref().and_then(|p| pool(planning, existing, &zones, "controlPlane", p, out));
    let mut compute = Vec::new();
    let first = config.compute.first().map_or("", |pool| pool.architecture.as_str());
    for (i, given) in config.compute.iter().enumerate() {
        if given.architecture != first {
            out.push(cloud_pages::other_pool_architecture(
                &format!("compute[{i}]"),
                &given.architecture,
                first,
            ));
        }
        compute.extend(pool(planning, existing, &zones, &format!("compute[{i}]"), given, out));
    }
    (out.errors() == before).then_some((control_plane, compute))
}

/// The zones of pools that name none: those of the private subnets, or all of the region.
fn default_zones(planning: &Planning<'_>, existing: Option<&Network>) -> Vec<String> {
    if let Some(Network::Existing { private, .. }) = existing {
        return private.keys().cloned().collect();
    }
    let rule = planning.case.catalogue.instance_type_rule(planning.case.release);
    let skipped = planning.catalogue().skipped_zones(rule);
    let zones = planning.facts.availability_zones().into_iter();
    zones.filter(|zone| !skipped.contains(zone)).collect()
}

fn pool(
    planning: &Planning<'_>,
    existing: Option<&Network>,
    default_zones: &[String],
    path: &str,
    given: &MachinePool,
    out: &mut Findings,
) -> Option<Pool> {
    let none = config::MachinePool::default();
    let settings = given.platform.aws.as_ref().unwrap_or(&none);
    let edge = given.name == EDGE;
    let of_hosts = dedicated_hosts::zones(planning, settings);
    let known = match (settings.zones.is_empty(), edge) {
        (false, _) => settings.zones.clone(),
        (true, false) if !of_hosts.is_empty() => of_hosts,
        (true, true) => edge_zones(existing),
        (true, false) => default_zones.to_vec(),
    };
    if replicas(given) > 0 || edge && !known.is_empty() {
        image::check_pool(planning, path, given, out);
    }
    let is_allowed = |zone: &&String| planning.case.catalogue.allows_zone(planning.region(), zone);
    let role = if path == "controlPlane" { Role::ControlPlane } else { Role::Compute };
    let mut zones: Vec<String> = known.iter().filter(is_allowed).cloned().collect();
    if role == Role::Compute {
        // A machine set has the name of its zone, so that two of one zone would be one object.
        let mut seen = BTreeSet::new();
        zones.retain(|zone| seen.insert(zone.clone()));
    }
    if zones.is_empty() {
        if let Some(finding) = without_zones(planning, existing, path, given, &known) {
            out.push(finding);
        }
        return None;
    }
    let missing = zones::refuse(planning, path, edge, &settings.zones, out);
    zones.retain(|zone| !missing.contains(zone.as_str()));
    if zones.is_empty() {
        return None;
    }
    let local_zones = local_zones(planning, &zones);
    check_zones(planning, existing, edge, &zones, path, out);
    let single = role == Role::ControlPlane && replicas(given) == 1;
    // Zones of existing subnets are the user's choice as well.
    let zones_given = !settings.zones.is_empty() || existing.is_some() || settings.host_placement.is_some();
    let wish = |zones| Wish { path, role, architecture: &given.architecture, single, zones, zones_given };
    let mut types = BTreeMap::new();
    if !settings.instance_type.is_empty() {
        instance_types::check(planning, &settings.instance_type, &wish(&zones), out);
        instance_types::check_features(planning, &settings.instance_type, path, settings.has_sev_snp(), out);
    } else if edge {
        // Local zones differ in what they offer, so each has a type of its own.
        for zone in &zones {
            let chosen = instance_types::choose(planning, &wish(std::slice::from_ref(zone)), out)?;
            types.insert(zone.clone(), chosen);
        }
    }
    let instance_type = match (settings.instance_type.as_str(), types.values().next()) {
        ("", Some(first)) => first.clone(),
        ("", None) => instance_types::choose(planning, &wish(&zones), out)?,
        (named, _) => named.to_owned(),
    };
    let offers =
        if edge { Vec::new() } else { instance_types::offers(planning, &wish(&zones), default_zones) };
    if !zones_given {
        zones = instance_types::offering(planning, &instance_type, zones);
        if zones.is_empty() {
            out.push(instance_types::nowhere(planning, path, &instance_type, &known));
            return None;
        }
    }
    // Each local zone gets a machine unless the pool says how many there are.
    let each = u32::try_from(zones.len()).unwrap_or(u32::MAX);
    let hosts = dedicated_hosts::choose(planning, path, settings, &zones, out);
    Some(Pool {
        name: given.name.clone(),
        replicas: if edge && replicas(given) == 0 { each } else { replicas(given) },
        local_zones,
        zones,
        instance_type,
        types,
        image: image::of_pool(planning, given),
        volume: volume(planning, given, path, &settings.root_volume, out),
        metadata_authentication: settings.metadata_service.authentication.clone(),
        iam_role: settings.iam_role.clone(),
        iam_profile: settings.iam_profile.clone(),
        security_groups: settings.additional_security_group_ids.clone(),
        cluster_api: cluster_api::is_wanted(planning, path, &given.name),
        hosts,
        offers,
        confidential_compute: confidential(settings).unwrap_or_default().to_owned(),
    })
}

/// Confidential computing, as a pool names it.
pub(super) fn confidential(settings: &config::MachinePool) -> Option<&str> {
    settings.cpu_options.as_ref()?.confidential_compute.as_deref()
}

/// What is to be said of a pool that has none of the zones that are known for it.
fn without_zones(
    planning: &Planning<'_>,
    existing: Option<&Network>,
    path: &str,
    given: &MachinePool,
    known: &[String],
) -> Option<Finding> {
    if let Some(allowance) = planning.case.catalogue.allowance.as_ref().filter(|_| !known.is_empty()) {
        // Subnets in zones that the profile does not list were refused one by one.
        let region = planning.region();
        return existing.is_none().then(|| cloud_profile::no_zone(allowance, region, path, known));
    }
    if given.name == EDGE {
        // Unknown subnets, and a dual-stack cluster with an edge pool in a new network, were refused.
        let said = match existing {
            Some(_) => given_subnets::found(planning).len() < planning.platform.vpc.subnets.len(),
            None => planning.platform.is_dual_stack(),
        };
        return (!said).then(|| pages::no_edge_zones(path, existing.is_some()));
    }
    // Subnets of which none is private were refused as a whole.
    let said = existing.is_some() && given_subnets::lack_private(planning);
    // The region check has already refused an unknown region, such as a misspelt one.
    let said = said || !missing_endpoints(planning.case.catalogue, planning.platform).is_empty();
    (!said).then(|| pages::no_zones(planning.region(), path, existing.is_some()))
}

/// The zones of the existing subnets in local zones.
fn edge_zones(existing: Option<&Network>) -> Vec<String> {
    match existing {
        Some(Network::Existing { edge, .. }) => edge.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

/// Every zone of a pool needs a subnet in an existing network. In a new one, it is one of the region's, and
/// a local zone exactly if the pool is for these.
fn check_zones(
    planning: &Planning<'_>,
    existing: Option<&Network>,
    edge: bool,
    zones: &[String],
    path: &str,
    out: &mut Findings,
) {
    if let Some(Network::Existing { private, edge: local, .. }) = existing {
        let has_subnet =
            |zone: &str| if edge { local.contains_key(zone) } else { private.contains_key(zone) };
        let missing: Vec<&str> = zones.iter().map(String::as_str).filter(|zone| !has_subnet(zone)).collect();
        if !missing.is_empty() {
            out.push(pages::zone_without_subnet(path, &missing));
        }
        return;
    }
    let known = &planning.facts.zones;
    let fits = |name: &str| known.iter().any(|zone| zone.name == name && is_local(zone) == edge);
    let unfit: Vec<&str> = zones.iter().map(String::as_str).filter(|zone| !fits(zone)).collect();
    // Without any zone in the facts there is nothing to compare with, but what a local zone hangs on is needed.
    if !unfit.is_empty() && (edge || !known.is_empty()) {
        out.push(pages::no_such_zones(planning.region(), path, &unfit, edge));
    }
}

fn local_zones(planning: &Planning<'_>, zones: &[String]) -> BTreeMap<String, LocalZone> {
    let facts = planning.facts.zones.iter().filter(|zone| is_local(zone));
    facts
        .filter(|zone| zones.contains(&zone.name))
        .map(|zone| {
            let (kind, group, parent) = (zone.kind.clone(), zone.group.clone(), zone.parent.clone());
            (zone.name.clone(), LocalZone { kind, group, parent })
        })
        .collect()
}

/// The volume that the pool names, completed from the catalogue's for its role.
fn volume(
    planning: &Planning<'_>,
    pool: &MachinePool,
    path: &str,
    given: &config::RootVolume,
    out: &mut Findings,
) -> Volume {
    let role = match pool.name.as_str() {
        EDGE => Role::Edge,
        _ if path == "controlPlane" => Role::ControlPlane,
        _ => Role::Compute,
    };
    let usual = planning.catalogue().root_volume(role).cloned().unwrap_or_default();
    let volume = Volume {
        // Rules ignore its case, as the installer does; EC2 does not.
        kind: if given.kind.is_empty() { usual.kind } else { given.kind.to_ascii_lowercase() },
        size: if given.size == 0 { i64::from(usual.size_gib) } else { given.size },
        iops: given.iops,
        throughput: given.throughput,
        kms_key: given.kms_key_arn.clone(),
    };
    if volume.kind == "io1" && volume.iops == 0 {
        out.push(pages::no_iops(path));
    }
    volume
}
