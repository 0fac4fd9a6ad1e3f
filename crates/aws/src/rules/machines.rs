//! Settings of machines: `docs/install-config.md`, sections 10.2 and 10.6.

use landfall_diagnostics::{Code, Finding, Findings, Kind, counted, shortened};
use landfall_model::aws::config::{CpuOptions, HostPlacement, MachinePool, Platform};
use landfall_model::aws::values::{AFFINITIES, AUTHENTICATION, CONFIDENTIAL};
use landfall_model::config::MachinePool as Pool;
use landfall_rules::Case;

use super::volumes;

/// The image is missing.
pub const AMI: Code = Code::new("LF0440");
/// The zone is of another region.
pub const ZONE: Code = Code::new("LF0445");
/// The metadata service.
pub const METADATA: Code = Code::new("LF0446");
/// Extra security groups.
pub const GROUPS: Code = Code::new("LF0447");
/// Settings of the processors.
pub const CPU: Code = Code::new("LF0448");
/// Placement on dedicated hosts.
pub const PLACEMENT: Code = Code::new("LF0449");

/// Asks for an image where none is published.
pub(super) fn check_ami(case: &Case<'_>, platform: &Platform, path: &str, pool: &Pool, out: &mut Findings) {
    let of_pool = pool.platform.aws.as_ref().map_or("", |machines| machines.ami_id.as_str());
    let default = platform.default_machine_platform.as_ref().map_or("", |machines| machines.ami_id.as_str());
    let given = [of_pool, default, platform.ami_id.as_str()].iter().any(|id| !id.is_empty());
    let required = case.catalogue.aws.region(&platform.region).is_some_and(|region| region.image_required);
    if !given && required {
        let message = format!("no image is published for {}, so `amiID` must be given", platform.region);
        out.push(
            Finding::error(&AMI, Kind::Required, format!("{path}.platform.aws"), message)
                .help("add `defaultMachinePlatform.amiID` under `platform.aws`")
                .related("the region", "platform.aws.region"),
        );
    }
}

/// Judges the settings at `path`; `pool` is the pool's name, none for the default machine platform.
pub(super) fn check(
    platform: &Platform,
    machines: &MachinePool,
    path: &str,
    pool: Option<&str>,
    out: &mut Findings,
) {
    let region = platform.region.as_str();
    for (i, zone) in machines.zones.iter().enumerate().filter(|(_, zone)| !zone.starts_with(region)) {
        let message = format!("the zone `{}` is not in the region `{}`", shortened(zone), shortened(region));
        let finding = Finding::error(&ZONE, Kind::Invalid, format!("{path}.zones[{i}]"), message);
        out.push(finding.help(format!("write a zone such as {}a", shortened(region))));
    }
    volumes::check(&machines.root_volume, path, out);
    let authentication = machines.metadata_service.authentication.as_str();
    if !authentication.is_empty() && !AUTHENTICATION.contains(&authentication) {
        let field = format!("{path}.authentication");
        let mut finding = Finding::not_supported(&METADATA, field, authentication, AUTHENTICATION);
        finding.kind = Kind::Invalid;
        out.push(finding.at(format!("{path}.metadataService.authentication")));
    }
    check_groups(platform, &machines.additional_security_group_ids, path, out);
    if let Some(options) = &machines.cpu_options {
        check_cpu(options, path, out);
    }
    if let Some(placement) = &machines.host_placement {
        check_placement(placement, &format!("{path}.hostPlacement"), pool, out);
    }
}

fn check_groups(platform: &Platform, groups: &[String], path: &str, out: &mut Findings) {
    if groups.is_empty() {
        return;
    }
    if platform.vpc.subnets.is_empty() {
        let message = "additional security groups need the existing subnets of their VPC";
        out.push(
            Finding::error(&GROUPS, Kind::Required, format!("{path}.platform.subnets"), message)
                .help("add `vpc.subnets` under `platform.aws`, or remove the groups")
                .at(format!("{path}.additionalSecurityGroupIDs")),
        );
    }
    if groups.len() > 10 {
        let message = format!("{} additional security groups, at most 10 are accepted", groups.len());
        out.push(
            Finding::error(&GROUPS, Kind::TooMany, path, message)
                .help(format!("remove {}", counted(groups.len() - 10, "group")))
                .at(format!("{path}.additionalSecurityGroupIDs")),
        );
    }
}

fn check_cpu(options: &CpuOptions, path: &str, out: &mut Findings) {
    match options.confidential_compute.as_deref() {
        None => {
            let message = "`cpuOptions` is empty";
            let finding = Finding::error(&CPU, Kind::Invalid, format!("{path}.cpuOptions"), message);
            out.push(finding.help("remove it, or add `confidentialCompute:`"));
        }
        Some(value) if !CONFIDENTIAL.contains(&value) => {
            let field = format!("{path}.confidentialCompute");
            let finding = Finding::not_supported(&CPU, field, value, CONFIDENTIAL);
            out.push(finding.at(format!("{path}.cpuOptions.confidentialCompute")));
        }
        Some(_) => {}
    }
}

fn check_placement(placement: &HostPlacement, path: &str, pool: Option<&str>, out: &mut Findings) {
    let required = |field: String, message: &str, help: &str| {
        Finding::error(&PLACEMENT, Kind::Required, field, message).help(help)
    };
    if pool != Some("worker") {
        let message = "placement on dedicated hosts is for the pool `worker` only";
        let finding = Finding::error(&PLACEMENT, Kind::Invalid, path, message);
        out.push(finding.help("move it to the compute pool `worker`"));
        return;
    }
    let hosts = &placement.dedicated_host;
    match placement.affinity.as_deref() {
        None => {
            let help = "add `affinity: AnyAvailable` or `affinity: DedicatedHost`";
            out.push(required(format!("{path}.affinity"), "`affinity` is missing", help));
        }
        Some("AnyAvailable") if !hosts.is_empty() => {
            let message = "`affinity: AnyAvailable` does not allow `dedicatedHost`";
            let help = "remove `dedicatedHost`, or write `affinity: DedicatedHost`";
            out.push(required(format!("{path}.dedicatedHost"), message, help));
        }
        Some("DedicatedHost") if hosts.is_empty() => {
            let message = "`affinity: DedicatedHost` needs `dedicatedHost`";
            out.push(required(format!("{path}.dedicatedHost"), message, "add `dedicatedHost:` with ids"));
        }
        Some("DedicatedHost") => {
            for (i, _) in hosts.iter().enumerate().filter(|(_, host)| host.id.is_empty()) {
                let field = format!("{path}.dedicatedHost[{i}].id");
                out.push(required(field, "the host's id is missing", "add `id:`"));
            }
        }
        Some("AnyAvailable") => {}
        Some(other) => {
            out.push(Finding::not_supported(&PLACEMENT, format!("{path}.affinity"), other, AFFINITIES));
        }
    }
}
