//! The rules of AWS fields: `docs/install-config.md`, sections 10 and 13.

mod endpoints;
mod machines;
mod platform;
mod subnets;
mod tags;
mod volumes;

use landfall_diagnostics::Findings;
use landfall_model::config::InstallConfig;
use landfall_model::plan::pages::not_in_release;
use landfall_rules::{Case, Gated};

use super::catalogue::Catalogue;
use super::config::Platform;
use super::introduced::INTRODUCED;

pub(super) use endpoints::{UNKNOWN_REGION, or_meant, unusable};
pub use endpoints::{missing_endpoints, strange_name};
pub(super) use subnets::FORMS as SUBNET_FORMS;
pub(super) use tags::unfit as unfit_tags;

/// The first release whose operators know the regions that are behind a gate. Those before call another partition.
const GATED: [u64; 2] = [4, 22];

/// Judges `platform.aws`.
pub(super) fn check_platform(case: &Case<'_>, platform: &Platform, out: &mut Findings) {
    let is_gated = case.catalogue.aws.region_gates.keys().any(|start| platform.region.starts_with(start));
    if let Some(release) = case.release.filter(|release| is_gated && *release < GATED) {
        out.push(not_in_release("platform.aws.region", GATED, release));
    }
    platform::check(case.config, platform, out);
    subnets::check(case.config, platform, out);
    endpoints::check(platform, out);
    endpoints::check_usable(case.catalogue, platform, out);
    endpoints::check_region(case, platform, out);
    endpoints::check_proxy(case, platform, out);
    tags::check(platform, out);
    if let Some(machines) = &platform.default_machine_platform {
        machines::check(platform, machines, "platform.aws.defaultMachinePlatform", None, out);
    }
}

/// Judges the AWS settings of every pool.
pub(super) fn check_pools(case: &Case<'_>, platform: &Platform, out: &mut Findings) {
    for (path, pool) in case.config.pools() {
        machines::check_ami(case, platform, &path, pool, out);
        if let Some(machines) = &pool.platform.aws {
            machines::check(platform, machines, &format!("{path}.platform.aws"), Some(&pool.name), out);
        }
    }
}

/// The uses of AWS fields that are behind a feature gate.
pub(super) fn gated(config: &InstallConfig, platform: &Platform, catalogue: &Catalogue) -> Vec<Gated> {
    let mut used = Vec::new();
    let mut gate = |gate: &str, field: String| {
        used.push(Gated { gate: gate.to_owned().into(), at: field.clone(), field });
    };
    for setting in INTRODUCED {
        if let Some((name, field)) = setting.gate.zip((setting.used)(config)) {
            gate(name, field);
        }
    }
    let by_region = |(start, _): &(&String, _)| platform.region.starts_with(start.as_str());
    if let Some((_, name)) = catalogue.region_gates.iter().find(by_region) {
        gate(name, "platform.aws.region".to_owned());
    }
    if let Some(i) = config.compute.iter().position(|pool| pool.management == "ClusterAPI") {
        gate("ClusterAPIMachineManagementAWS", format!("compute[{i}].management"));
    }
    used
}
