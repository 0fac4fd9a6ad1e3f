//! The cloud: what the catalogue knows of it, and what a Stack Hub says of itself.

use landfall_diagnostics::{Finding, Findings};
use landfall_model::azure::planned::Cloud;
use landfall_model::azure::{catalogue, values};
use landfall_model::plan::Engine;

use super::{Planning, cloud_pages, pages};

/// Why an engine cannot create clusters in a cloud. Azure Service Operator is looked at in its management cluster.
pub(crate) fn engine_fault(name: &str, cloud: &catalogue::Cloud, engine: Engine) -> Option<Box<Finding>> {
    match engine {
        Engine::Native | Engine::Terraform if cloud.stack => Some(Box::new(pages::hub_without_engine())),
        Engine::Native | Engine::Terraform if cloud.closed => {
            Some(Box::new(pages::cloud_without_engine(name)))
        }
        Engine::Native | Engine::Terraform | Engine::Aso => None,
    }
}

/// What files depend on of the cloud.
pub(super) fn choose(planning: &Planning<'_>, out: &mut Findings) -> Option<Cloud> {
    let platform = planning.platform;
    let Some((name, known)) = planning.catalogue().cloud(&platform.cloud_name) else {
        out.push(pages::cloud_not_known(&platform.cloud_name));
        return None;
    };
    if !values::CLOUDS.contains(&name) && !values::NEWER_CLOUDS.contains(&name) {
        out.push(cloud_pages::not_for_openshift(name));
    }
    if known.closed {
        out.push(pages::cloud_closed(name));
    }
    if !known.stack && known.terraform_environment.is_empty() && known.metadata_host.is_empty() {
        out.push(cloud_pages::not_for_terraform(name));
    }
    let environment = planning.facts.environment.clone().filter(|_| known.stack);
    if known.stack && environment.is_none() {
        out.push(pages::environment_not_known());
    }
    Some(Cloud {
        name: name.to_owned(),
        terraform_environment: known.terraform_environment.clone(),
        metadata_host: known.metadata_host.clone(),
        storage_min_tls: known.storage_min_tls.clone().unwrap_or_default(),
        stack: known.stack,
        arm_endpoint: if known.stack { platform.arm_endpoint.shown() } else { String::new() },
        environment,
        host_service_exception: !known.host_service_by_proxy,
    })
}
