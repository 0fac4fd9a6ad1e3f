//! Machine pools: `docs/install-config.md`, section 9, without fencing and what a platform says of its own
//! settings.

use std::collections::HashMap;

use landfall_diagnostics::{Base, Finding, Findings, Kind, Page, Severity, shortened};
use landfall_model::config::MachinePool;

use super::{Case, Subject, Traits};

pub(super) const SUBJECT: Subject = Subject {
    check,
    pages: &[
        &REPLICAS,
        &HYPERTHREADING,
        &ARCHITECTURE,
        &MANAGEMENT,
        &ARBITER,
        &ARBITER_REPLICAS,
        &NAME,
        &DUPLICATE,
        &MIXED,
        &SECTION,
        &DISKS,
        &DISK_ID,
    ],
};

const ARCHITECTURES: &[&str] = &["amd64", "arm64", "ppc64le", "s390x"];
const HYPERTHREADING_MODES: &[&str] = &["Enabled", "Disabled"];
/// The platforms whose settings in a pool of another platform go unnoticed.
const UNNOTICED: &[&str] = &["nutanix", "powervc"];

/// The number of machines.
const REPLICAS: Page = Page {
    code: "LF0301",
    title: "the number of machines is not negative, and not 0 for the control plane",
    text: "A control plane has 3 machines (also 1, 4 or 5, and 2 with fencing or an arbiter); compute pools \
           may be empty.",
    severity: Severity::Error,
    fields: &["<pool>.replicas"],
    base: Base::None,
    bad: "controlPlane:\n  name: master\n  replicas: 0\n",
    good: "controlPlane:\n  name: master\n  replicas: 3\n",
};
/// The threads of a core.
const HYPERTHREADING: Page = Page {
    code: "LF0302",
    title: "`hyperthreading` is `Enabled` or `Disabled`",
    text: "Disabled halves the processors that a machine shows.",
    severity: Severity::Error,
    fields: &["<pool>.hyperthreading"],
    base: Base::None,
    bad: "controlPlane:\n  hyperthreading: disabled\n",
    good: "controlPlane:\n  hyperthreading: Disabled\n",
};
/// The architecture of a pool.
const ARCHITECTURE: Page = Page {
    code: "LF0303",
    title: "the architecture is one that OpenShift and the platform have",
    text: "OpenShift has amd64, arm64, ppc64le and s390x; aws has the first two.",
    severity: Severity::Error,
    fields: &["<pool>.architecture"],
    base: Base::Aws,
    bad: "controlPlane:\n  architecture: s390x\n",
    good: "controlPlane:\n  architecture: arm64\n",
};
/// The API that manages machines.
const MANAGEMENT: Page = Page {
    code: "LF0304",
    title: "the Cluster API manages compute pools on aws only",
    text: "Everywhere else, and for the control plane, the Machine API does.",
    severity: Severity::Error,
    fields: &["<pool>.management"],
    base: Base::None,
    bad: "compute:\n- name: worker\n  management: ClusterAPI\n",
    good: "compute:\n- name: worker\n  management: MachineAPI\n",
};
/// Where there are arbiters.
const ARBITER: Page = Page {
    code: "LF0305",
    title: "arbiter machines are for platforms none and external",
    text: "An arbiter is a small third vote for a control plane of two machines that the user makes.",
    severity: Severity::Error,
    fields: &["arbiter"],
    base: Base::Aws,
    bad: "arbiter:\n  replicas: 1\n",
    good: "publish: External\n",
};
/// How many arbiters.
const ARBITER_REPLICAS: Page = Page {
    code: "LF0306",
    title: "an arbiter pool has machines, and a control plane of at least 2 beside it",
    text: "`replicas` of the arbiter is 0 unless given, and 0 is refused: write `replicas: 1`.",
    severity: Severity::Error,
    fields: &["arbiter.replicas", "controlPlane.replicas"],
    base: Base::None,
    bad: "arbiter: {}\n",
    good: "arbiter:\n  replicas: 1\ncontrolPlane:\n  replicas: 2\n",
};
/// The name of a compute pool.
const NAME: Page = Page {
    code: "LF0307",
    title: "a compute pool is called `worker`, or `edge` on aws",
    text: "Pools of other names are made after the installation, as machine sets.",
    severity: Severity::Error,
    fields: &["compute[].name"],
    base: Base::None,
    bad: "compute:\n- name: workers\n",
    good: "compute:\n- name: worker\n",
};
/// Two pools of one name.
const DUPLICATE: Page = Page {
    code: "LF0308",
    title: "compute pools have different names",
    text: "Two pools of one name could not be told apart.",
    severity: Severity::Error,
    fields: &["compute[].name"],
    base: Base::None,
    bad: "compute:\n- name: worker\n- name: worker\n",
    good: "compute:\n- name: worker\n",
};
/// Architectures of one cluster.
const MIXED: Page = Page {
    code: "LF0309",
    title: "compute pools have the control plane's architecture, except on aws",
    text: "A cluster of several architectures is installed on aws only.",
    severity: Severity::Error,
    fields: &["compute[].architecture", "controlPlane.architecture"],
    base: Base::None,
    bad: "compute:\n- name: worker\n  architecture: arm64\n",
    good: "compute:\n- name: worker\n  architecture: arm64\ncontrolPlane:\n  architecture: arm64\n",
};
/// Settings for another platform.
const SECTION: Page = Page {
    code: "LF0310",
    title: "a pool has settings for the cluster's platform only",
    text: "Settings for another platform would be ignored, so they can only be a mistake.",
    severity: Severity::Error,
    fields: &["<pool>.platform"],
    base: Base::Aws,
    bad: "controlPlane:\n  platform:\n    azure:\n      type: Standard_D8s_v5\n",
    good: "controlPlane:\n  platform:\n    aws:\n      type: m6i.xlarge\n",
};
/// Extra disks.
const DISKS: Page = Page {
    code: "LF0311",
    title: "an entry of `diskSetup` has the settings of its type, and etcd and swap stand once",
    text: "An entry of type etcd, swap or user-defined has the section `etcd`, `swap` or `userDefined`. etcd \
           runs on the control plane only.",
    severity: Severity::Error,
    fields: &["<pool>.diskSetup", "<pool>.diskSetup[].type"],
    base: Base::None,
    bad: "featureSet: TechPreviewNoUpgrade\ncontrolPlane:\n  diskSetup:\n  - type: etcd\n",
    good: "featureSet: TechPreviewNoUpgrade\ncontrolPlane:\n  diskSetup:\n  - type: etcd\n    etcd:\n      \
           platformDiskID: etcd\n",
};
/// The id of an extra disk.
const DISK_ID: Page = Page {
    code: "LF0312",
    title: "the disk id of a user-defined disk has at most 12 bytes",
    text: "The id becomes the label of a partition, which has no room for more.",
    severity: Severity::Error,
    fields: &["<pool>.diskSetup[].userDefined.platformDiskID"],
    base: Base::None,
    bad: "featureSet: TechPreviewNoUpgrade\ncontrolPlane:\n  diskSetup:\n  - type: user-defined\n    \
          userDefined:\n      platformDiskID: a-very-long-name\n      mountPath: /data\n",
    good: "featureSet: TechPreviewNoUpgrade\ncontrolPlane:\n  diskSetup:\n  - type: user-defined\n    \
           userDefined:\n      platformDiskID: data\n      mountPath: /data\n",
};

fn check(case: &Case<'_>, out: &mut Findings) {
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
        let message = format!("{} machines are not possible", replicas(pool));
        let finding = Finding::error(&REPLICAS, Kind::Invalid, field("replicas"), message);
        out.push(finding.help("write a number that is not negative"));
    }
    if !HYPERTHREADING_MODES.contains(&pool.hyperthreading.as_str()) {
        let name = field("hyperthreading");
        out.push(Finding::not_supported(&HYPERTHREADING, name, &pool.hyperthreading, HYPERTHREADING_MODES));
    }
    let of_platform = case.active.and_then(|platform| platform.architectures);
    for accepted in [Some(ARCHITECTURES), of_platform].into_iter().flatten() {
        if !accepted.contains(&pool.architecture.as_str()) {
            let name = field("architecture");
            out.push(Finding::not_supported(&ARCHITECTURE, name, &pool.architecture, accepted));
        }
    }
    let possible = case.active.is_some_and(|platform| (platform.cluster_api)(&pool.name));
    if pool.management == "ClusterAPI" && !possible {
        let message = format!("the Cluster API cannot manage the pool `{}` here", shortened(&pool.name));
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
        let missing = "the section of this type is missing";
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
                let message = "a pool has one etcd disk";
                fault(&DISKS, Kind::TooMany, "etcd", "", message, "remove one of the entries");
            }
            "etcd" if disk.etcd.is_none() => {
                fault(&DISKS, Kind::Invalid, "etcd", "", missing, "add `etcd:` with `platformDiskID:`");
            }
            "etcd" if pool.name != "master" => {
                let message = "etcd does not run on the machines of this pool";
                fault(&DISKS, Kind::Invalid, "etcd", "", message, "move the entry to `controlPlane`");
            }
            "etcd" => etcd_seen = true,
            "swap" if swap_seen => {
                let message = "a pool has one swap disk";
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
                None => format!("the pool has settings for `{name}`, but no platform is named"),
            };
            let finding = Finding::error(&SECTION, Kind::Invalid, format!("{path}.platform.{name}"), message);
            out.push(finding.help("remove these settings"));
        }
    }
}

fn check_control_plane(case: &Case<'_>, out: &mut Findings) {
    if case.config.control_plane.as_ref().is_some_and(|pool| replicas(pool) == 0) {
        let message = "a control plane without machines is not possible";
        let finding = Finding::error(&REPLICAS, Kind::Invalid, "controlPlane.replicas", message);
        out.push(finding.help("write `replicas: 3`"));
    }
}

fn check_arbiter(case: &Case<'_>, out: &mut Findings) {
    let Some(arbiter) = &case.config.arbiter else {
        return;
    };
    if !case.any(|platform| platform.arbiter) {
        let name = case.active.map_or("this platform", |platform| platform.name);
        let message = format!("there are no arbiter machines on {name}; accepted: none, external");
        let finding = Finding::error(&ARBITER, Kind::NotSupported, "arbiter.platform", message).at("arbiter");
        out.push(finding.help("remove `arbiter`"));
    }
    if replicas(arbiter) == 0 {
        let message = "an arbiter pool without machines is not possible";
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
    let may_mix = case.active.is_some_and(|platform: &Traits| platform.mixed_architectures);
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (i, pool) in case.config.compute.iter().enumerate() {
        let name = format!("compute[{i}].name");
        if !names.contains(&pool.name.as_str()) {
            out.push(Finding::not_supported(&NAME, name.clone(), &pool.name, names));
        }
        let j = *first.entry(&pool.name).or_insert(i);
        if j != i {
            let message = format!("a pool `{}` is there already", shortened(&pool.name));
            out.push(
                Finding::error(&DUPLICATE, Kind::Duplicate, name, message)
                    .help("put both into one pool")
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
