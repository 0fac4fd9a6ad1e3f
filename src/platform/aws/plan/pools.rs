//! The machine pools: zones, instance types, volumes (`assets.md`, B.9).

use std::collections::BTreeMap;

use super::instance_types::{self, Wish};
use super::{Planning, image, pages};
use crate::catalogue::Role;
use crate::config::MachinePool;
use crate::finding::Findings;
use crate::plan::replicas;
use crate::platform::aws::config;
use crate::platform::aws::planned::{LocalZone, Network, Pool, Volume};

/// Name of the pool whose machines are in local zones.
pub(in super::super) const EDGE: &str = "edge";

type Pools = Option<(Option<Pool>, Vec<Pool>)>;

/// Decides every pool. None when a pool could not be decided.
pub(super) fn choose(planning: &Planning<'_>, existing: Option<&Network>, out: &mut Findings) -> Pools {
    let before = out.errors();
    let zones = default_zones(planning, existing);
    let config = planning.case.config;
    let control_plane =
        config.control_plane.as_ref().and_then(|p| pool(planning, existing, &zones, "controlPlane", p, out));
    let mut compute = Vec::new();
    for (i, given) in config.compute.iter().enumerate() {
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
    let zones = match (settings.zones.is_empty(), given.name == EDGE) {
        (false, _) => settings.zones.clone(),
        (true, true) => edge_zones(existing),
        (true, false) => default_zones.to_vec(),
    };
    let role = if path == "controlPlane" { Role::ControlPlane } else { Role::Compute };
    let single = role == Role::ControlPlane && replicas(given) == 1;
    if zones.is_empty() {
        // An edge pool without machines and zones asks for nothing.
        if given.name != EDGE || replicas(given) > 0 {
            out.push(pages::no_zones(planning.region(), path));
        }
        return None;
    }
    check_subnets(existing, given, &zones, path, out);
    let zones_given = !settings.zones.is_empty();
    let wish = Wish { path, role, architecture: &given.architecture, single, zones: &zones, zones_given };
    let instance_type = if settings.instance_type.is_empty() {
        instance_types::choose(planning, &wish, out)?
    } else {
        instance_types::check(planning, &settings.instance_type, &wish, out);
        settings.instance_type.clone()
    };
    let zones = if zones_given { zones } else { instance_types::offering(planning, &instance_type, zones) };
    if zones.is_empty() {
        out.push(pages::offered_nowhere(planning.region(), path, &instance_type));
        return None;
    }
    Some(Pool {
        name: given.name.clone(),
        replicas: replicas(given),
        local_zones: local_zones(planning, &zones),
        zones,
        instance_type,
        image: image::image_of(given).or_else(|| other_architecture(planning, given)),
        volume: volume(planning, given, &settings.root_volume),
        metadata_authentication: settings.metadata_service.authentication.clone(),
        iam_role: settings.iam_role.clone(),
        iam_profile: settings.iam_profile.clone(),
        security_groups: settings.additional_security_group_ids.clone(),
    })
}

/// The zones of the existing subnets in local zones.
fn edge_zones(existing: Option<&Network>) -> Vec<String> {
    match existing {
        Some(Network::Existing { edge, .. }) => edge.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

/// Every zone of a pool needs a subnet in an existing network.
fn check_subnets(
    existing: Option<&Network>,
    given: &MachinePool,
    zones: &[String],
    path: &str,
    out: &mut Findings,
) {
    let Some(Network::Existing { private, edge, .. }) = existing else {
        return;
    };
    let missing: Vec<&str> = zones
        .iter()
        .filter(
            |zone| if given.name == EDGE { !edge.contains_key(*zone) } else { !private.contains_key(*zone) },
        )
        .map(String::as_str)
        .collect();
    if !missing.is_empty() {
        out.push(pages::zone_without_subnet(path, &missing));
    }
}

/// The image of a pool whose architecture is not that of the control plane.
fn other_architecture(planning: &Planning<'_>, given: &MachinePool) -> Option<String> {
    let control_plane = planning.case.config.control_plane.as_ref()?;
    let differs = given.architecture != control_plane.architecture;
    differs.then(|| image::published(planning, &given.architecture)).flatten()
}

fn local_zones(planning: &Planning<'_>, zones: &[String]) -> BTreeMap<String, LocalZone> {
    let facts = planning.facts.zones.iter().filter(|zone| !zone.parent.is_empty());
    facts
        .filter(|zone| zones.contains(&zone.name))
        .map(|zone| {
            let (kind, group, parent) = (zone.kind.clone(), zone.group.clone(), zone.parent.clone());
            (zone.name.clone(), LocalZone { kind, group, parent })
        })
        .collect()
}

/// The volume that the pool names, completed from the catalogue's for its role.
fn volume(planning: &Planning<'_>, pool: &MachinePool, volume: &config::RootVolume) -> Volume {
    let role = match pool.name.as_str() {
        EDGE => Role::Edge,
        "master" => Role::ControlPlane,
        _ => Role::Compute,
    };
    let usual = planning.catalogue().root_volume(role).cloned().unwrap_or_default();
    Volume {
        kind: if volume.kind.is_empty() { usual.kind } else { volume.kind.clone() },
        size: if volume.size == 0 { i64::from(usual.size_gib) } else { volume.size },
        iops: volume.iops,
        throughput: volume.throughput,
        kms_key: volume.kms_key_arn.clone(),
    }
}
