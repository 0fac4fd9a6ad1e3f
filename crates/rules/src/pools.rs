//! Machine pools: `docs/install-config.md`, section 9, without fencing and what a platform says of its own
//! settings.

use std::collections::HashMap;

use landfall_diagnostics::{Code, Finding, Findings, Kind, shortened};
use landfall_model::config::MachinePool;

use super::{Case, Traits};

const ARCHITECTURES: &[&str] = &["amd64", "arm64", "ppc64le", "s390x"];
const HYPERTHREADING_MODES: &[&str] = &["Enabled", "Disabled"];
/// The platforms whose settings in a pool of another platform go unnoticed.
const UNNOTICED: &[&str] = &["nutanix", "powervc"];

/// The number of machines.
const REPLICAS: Code = Code::new("LF0301");
/// The threads of a core.
const HYPERTHREADING: Code = Code::new("LF0302");
/// The architecture of a pool.
const ARCHITECTURE: Code = Code::new("LF0303");
/// The API that manages machines.
const MANAGEMENT: Code = Code::new("LF0304");
/// Where there are arbiters.
const ARBITER: Code = Code::new("LF0305");
/// How many arbiters.
const ARBITER_REPLICAS: Code = Code::new("LF0306");
/// The name of a compute pool.
const NAME: Code = Code::new("LF0307");
/// Two pools of one name.
const DUPLICATE: Code = Code::new("LF0308");
/// Architectures of one cluster.
const MIXED: Code = Code::new("LF0309");
/// Settings for another platform.
const SECTION: Code = Code::new("LF0310");
/// Extra disks.
const DISKS: Code = Code::new("LF0311");
/// The id of an extra disk.
const DISK_ID: Code = Code::new("LF0312");

pub(super) fn check(case: &Case<'_>, out: &mut Findings) {
    for (path, pool) in case.config.pools() {
        check_pool(case, &path, pool, out);
        check_disks(&path, pool, out);
        check_sections(case, &path, pool, out);
    }
    check_control_plane(case, out);
    check_arbiter(case, out);
    check_compute(case, out);
}

fn replicas(pool: &MachinePool) -> i64 {
    pool.replicas.unwrap_or_default()
}

fn check_pool(case: &Case<'_>, path: &str, pool: &MachinePool, out: &mut Findings) {
    let field = |name: &str| format!("{path}.{name}");
    if replicas(pool) < 0 {
        let message = format!("invalid number of machines: {}", replicas(pool));
        let finding = Finding::error(&REPLICAS, Kind::Invalid, field("replicas"), message);
        out.push(finding.help("use 0 or a positive number"));
    }
    if !HYPERTHREADING_MODES.contains(&pool.hyperthreading.as_str()) {
        let name = field("hyperthreading");
        out.push(Finding::not_supported(&HYPERTHREADING, name, &pool.hyperthreading, HYPERTHREADING_MODES));
    }
    let of_platform = case.active.and_then(|platform| platform.architectures);
    for accepted in [Some(ARCHITECTURES), of_platform].into_iter().flatten() {
        if !accepted.contains(&pool.architecture.as_str()) {
            // What is in neither list is reported twice, as the installer does; the output has equal findings once.
            let name = field("architecture");
            let accepted = of_platform.unwrap_or(ARCHITECTURES);
            out.push(Finding::not_supported(&ARCHITECTURE, name, &pool.architecture, accepted));
        }
    }
    let possible =
        case.active.is_some_and(|platform| (platform.cluster_api)(&pool.name)) || case.is_foreign();
    if pool.management == "ClusterAPI" && !possible {
        let message =
            format!("the Cluster API cannot manage the pool `{}` on this platform", shortened(&pool.name));
        let finding = Finding::error(&MANAGEMENT, Kind::Invalid, field("management"), message);
        out.push(finding.help("write `management: MachineAPI`"));
    }
}

fn check_disks(path: &str, pool: &MachinePool, out: &mut Findings) {
    let (mut etcd_seen, mut swap_seen) = (false, false);
    for (i, disk) in pool.disk_setup.iter().enumerate() {
        let mut fault = |page, kind, field: &str, at: &str, message: &str, help: &str| {
            let finding = Finding::error(page, kind, format!("{path}.diskSetup.{field}"), message);
            out.push(finding.help(help).at(format!("{path}.diskSetup[{i}]{at}")));
        };
        let missing = "the section with the settings of this disk type is missing";
        match disk.kind.as_str() {
            "user-defined" => match &disk.user_defined {
                None => fault(&DISKS, Kind::Invalid, "userDefined", "", missing, "add `userDefined:`"),
                Some(user) if user.platform_disk_id.len() > 12 => {
                    let message = "the disk id has more than 12 bytes";
                    let (field, at) = ("userDefined.platformDiskId", ".userDefined.platformDiskID");
                    fault(&DISK_ID, Kind::Invalid, field, at, message, "choose a shorter id");
                }
                Some(_) => {}
            },
            "etcd" if etcd_seen => {
                let message = "a pool can have only one etcd disk";
                fault(&DISKS, Kind::TooMany, "etcd", "", message, "remove one of the entries");
            }
            "etcd" if disk.etcd.is_none() => {
                fault(&DISKS, Kind::Invalid, "etcd", "", missing, "add `etcd:` with `platformDiskID:`");
            }
            "etcd" if pool.name != "master" => {
                let message = "etcd does not run in this pool";
                fault(&DISKS, Kind::Invalid, "etcd", "", message, "move the entry to `controlPlane`");
            }
            "etcd" => etcd_seen = true,
            "swap" if swap_seen => {
                let message = "a pool can have only one swap disk";
                fault(&DISKS, Kind::TooMany, "swap", "", message, "remove one of the entries");
            }
            "swap" if disk.swap.is_none() => {
                fault(&DISKS, Kind::Invalid, "swap", "", missing, "add `swap:` with `platformDiskID:`");
            }
            "swap" => swap_seen = true,
            _ => {}
        }
    }
}

fn check_sections(case: &Case<'_>, path: &str, pool: &MachinePool, out: &mut Findings) {
    let active = case.config.platform.present().first().copied();
    for name in pool.platform.present() {
        if Some(name) != active && !UNNOTICED.contains(&name) {
            let message = match active {
                Some(active) => format!("the pool has settings for `{name}`, but the platform is `{active}`"),
                None => format!("the pool has settings for `{name}`, but no platform is set"),
            };
            let finding = Finding::error(&SECTION, Kind::Invalid, format!("{path}.platform.{name}"), message);
            out.push(finding.help("remove these settings"));
        }
    }
}

fn check_control_plane(case: &Case<'_>, out: &mut Findings) {
    if case.config.control_plane.as_ref().is_some_and(|pool| replicas(pool) == 0) {
        let message = "the control plane needs at least one machine";
        let finding = Finding::error(&REPLICAS, Kind::Invalid, "controlPlane.replicas", message);
        out.push(finding.help("write `replicas: 3`"));
    }
}

fn check_arbiter(case: &Case<'_>, out: &mut Findings) {
    let Some(arbiter) = &case.config.arbiter else {
        return;
    };
    if !case.any(|platform| platform.arbiter) && !case.is_foreign() {
        let name = case.active.map_or("this platform", |platform| platform.name);
        let message = format!("{name} does not support arbiter machines; accepted: none, external");
        let finding = Finding::error(&ARBITER, Kind::NotSupported, "arbiter.platform", message).at("arbiter");
        out.push(finding.help("remove `arbiter`"));
    }
    if replicas(arbiter) == 0 {
        let message = "the arbiter pool needs at least one machine";
        let finding = Finding::error(&ARBITER_REPLICAS, Kind::Invalid, "arbiter.replicas", message);
        out.push(finding.help("write `replicas: 1`, or remove `arbiter`"));
    }
    if case.config.control_plane.as_ref().is_some_and(|pool| replicas(pool) < 2) {
        let message = "an arbiter needs a control plane of at least 2 machines";
        out.push(
            Finding::error(&ARBITER_REPLICAS, Kind::Invalid, "arbiter.replicas", message)
                .help("write `replicas: 2` under `controlPlane`, or remove `arbiter`")
                .related("the control plane", "controlPlane.replicas"),
        );
    }
}

fn check_compute(case: &Case<'_>, out: &mut Findings) {
    let names = case.active.map_or(&["worker"][..], |platform| platform.compute_names);
    let architecture = case.config.control_plane.as_ref().map(|pool| pool.architecture.as_str());
    let may_mix =
        case.active.is_some_and(|platform: &Traits| platform.mixed_architectures) || case.is_foreign();
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (i, pool) in case.config.compute.iter().enumerate() {
        let name = format!("compute[{i}].name");
        if !names.contains(&pool.name.as_str()) && !case.is_foreign() {
            out.push(Finding::not_supported(&NAME, name.clone(), &pool.name, names));
        }
        let j = *first.entry(&pool.name).or_insert(i);
        if j != i {
            let message = format!("the pool `{}` is listed twice", shortened(&pool.name));
            out.push(
                Finding::error(&DUPLICATE, Kind::Duplicate, name, message)
                    .help("merge the two pools")
                    .related("the first one", format!("compute[{j}].name")),
            );
        }
        if architecture.is_some_and(|wanted| wanted != pool.architecture) && !may_mix {
            let message = format!(
                "the pool's architecture `{}` is not the control plane's, `{}`",
                shortened(&pool.architecture),
                shortened(architecture.unwrap_or_default())
            );
            out.push(
                Finding::error(&MIXED, Kind::Invalid, format!("compute[{i}].architecture"), message)
                    .help("use one architecture for all pools")
                    .related("the control plane's", "controlPlane.architecture"),
            );
        }
    }
}
