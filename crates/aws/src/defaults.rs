//! Older forms and open values of AWS fields: `docs/install-config.md`, sections 5 and 6.

use landfall_diagnostics::secret::SecretUrl;
use landfall_diagnostics::{Finding, Kind};
use landfall_model::config::defaults::fill;
use landfall_model::config::{InstallConfig, MachinePool as Pool, Zero};
use landfall_model::plan::{Case, Since, is_from};
use landfall_rules::features;

use super::catalogue::Catalogue;
use super::config::{MachinePool, Platform, ServiceEndpoint, Subnet};
use super::facts::AVAILABILITY_ZONE;
use super::rules::SUBNET_FORMS;
use crate::EDGE;

/// Brings older forms up to date.
pub(super) fn upconvert(platform: &mut Platform) -> Result<(), Box<Finding>> {
    platform.best_effort_delete_ignition |= platform.preserve_bootstrap_ignition;
    if !platform.ami_id.is_empty() {
        let machines = platform.default_machine_platform.get_or_insert_default();
        fill(&mut machines.ami_id, &platform.ami_id);
    }
    if platform.subnets.is_empty() {
        return Ok(());
    }
    if !platform.vpc.subnets.is_empty() {
        let message = "existing subnets are given both in `subnets` and in `vpc.subnets`";
        let finding = Finding::error(&SUBNET_FORMS, Kind::Forbidden, "platform.aws.subnets", message)
            .help("keep `vpc.subnets` only")
            .related("the newer form is here", "platform.aws.vpc.subnets");
        return Err(Box::new(finding));
    }
    let subnets = platform.subnets.iter().map(|id| Subnet { id: id.clone(), roles: Vec::new() });
    platform.vpc.subnets = subnets.collect();
    Ok(())
}

/// Fills the platform's open fields and those of every pool.
pub(super) fn defaults(config: &mut InstallConfig, catalogue: &Catalogue) {
    let by_cluster_api = features::is_on(config, "ClusterAPIMachineManagementAWS", None);
    let Some(platform) = &mut config.platform.aws else {
        return;
    };
    fill(&mut platform.ip_family, "IPv4");
    if platform.is_dual_stack() {
        fill(&mut platform.lb_type, "NLB");
    }
    if platform.service_endpoints.is_empty() {
        let known = catalogue.region(&platform.region).map(|region| region.default_endpoints.as_slice());
        let written = known.unwrap_or_default().iter();
        platform.service_endpoints = written
            .map(|endpoint| ServiceEndpoint {
                name: endpoint.name.clone(),
                url: SecretUrl::new(endpoint.url.clone()),
            })
            .collect();
    }
    let inherited = platform.default_machine_platform.clone();
    for pool in &mut config.compute {
        let managed = ["worker", "edge"].contains(&pool.name.as_str());
        if by_cluster_api && managed {
            fill(&mut pool.management, "ClusterAPI");
        }
    }
    let pools = config.control_plane.iter_mut().chain(&mut config.arbiter).chain(&mut config.compute);
    for pool in pools {
        complete_pool(pool, inherited.as_ref());
    }
}

fn complete_pool(pool: &mut Pool, inherited: Option<&MachinePool>) {
    if let Some(inherited) = inherited {
        inherit(pool.platform.aws.get_or_insert_default(), inherited);
    }
    if let Some(settings) = &mut pool.platform.aws {
        let kind = if pool.name == "edge" { "gp2" } else { "gp3" };
        fill(&mut settings.root_volume.kind, kind);
        if settings.root_volume.size == 0 {
            settings.root_volume.size = 120;
        }
    }
}

/// Adds the pool `edge` where existing subnets are in local zones and no pool is there for them, one machine
/// for each subnet, as the OpenShift installer does. In the given config it is a plain pool; in the completed one it
/// has the default machine platform's settings, and the architecture of the first compute pool, before 4.19 that of
/// the control plane.
pub(super) fn add_edge_pool(case: &Case<'_>, config: &mut InstallConfig, given: &mut InstallConfig) {
    let is_local = |zone: &str| !zone.is_empty() && zone != AVAILABILITY_ZONE;
    let Some(platform) = config.platform.aws.as_ref().filter(|aws| !aws.vpc.subnets.is_empty()) else {
        return;
    };
    let subnets = case.facts.aws.as_ref().map_or(&[][..], |facts| &facts.subnets);
    let count = subnets.iter().filter(|subnet| is_local(&subnet.zone_type)).count();
    if count == 0 || config.compute.iter().any(|pool| pool.name == EDGE) {
        return;
    }
    let plain = Pool {
        name: EDGE.to_owned(),
        replicas: i64::try_from(count).ok(),
        hyperthreading: "Enabled".to_owned(),
        architecture: "amd64".to_owned(),
        ..Pool::default()
    };
    let today = is_from(case.release, Since::Today);
    let model = if today { config.compute.first() } else { config.control_plane.as_ref() };
    let architecture = model.map_or(&plain.architecture, |pool| &pool.architecture).clone();
    let mut completed = Pool { architecture, ..plain.clone() };
    complete_pool(&mut completed, platform.default_machine_platform.as_ref());
    config.compute.push(completed);
    // The installer adds it after the default pool, which the given config need not have yet.
    if !given.compute.iter().any(|pool| pool.name == "worker") {
        given.compute.push(Pool { name: "worker".to_owned(), ..Pool::default() });
    }
    given.compute.push(plain);
}

/// Takes what the pool does not set from the default machine platform.
fn inherit(pool: &mut MachinePool, from: &MachinePool) {
    take(&mut pool.zones, &from.zones);
    take(&mut pool.instance_type, &from.instance_type);
    take(&mut pool.ami_id, &from.ami_id);
    take(&mut pool.root_volume.iops, &from.root_volume.iops);
    take(&mut pool.root_volume.throughput, &from.root_volume.throughput);
    take(&mut pool.root_volume.size, &from.root_volume.size);
    take(&mut pool.root_volume.kind, &from.root_volume.kind);
    take(&mut pool.root_volume.kms_key_arn, &from.root_volume.kms_key_arn);
    take(&mut pool.metadata_service.authentication, &from.metadata_service.authentication);
    take(&mut pool.iam_role, &from.iam_role);
    take(&mut pool.iam_profile, &from.iam_profile);
    take(&mut pool.additional_security_group_ids, &from.additional_security_group_ids);
    take(&mut pool.cpu_options, &from.cpu_options);
    take(&mut pool.host_placement, &from.host_placement);
}

fn take<T: Zero + Clone>(field: &mut T, from: &T) {
    if field.is_zero() {
        field.clone_from(from);
    }
}
