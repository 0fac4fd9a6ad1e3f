//! What is decided for AWS: region, image, zones, instance types, network (`assets.md`, B.9, C.4, D.2).

mod cloud_pages;
mod cloud_profile;
mod cluster_api;
mod dedicated_hosts;
mod dns;
mod dual_stack;
mod given_subnets;
mod image;
mod instance_types;
mod network;
pub(super) mod pages;
mod pools;
mod region;
mod security_groups;
mod subnet_roles;
mod user_dns;
mod zones;

pub(crate) use security_groups::own_groups;

use std::collections::BTreeMap;

use landfall_diagnostics::Findings;
use landfall_model::aws::config::Platform;
use landfall_model::facts::Source;
use landfall_model::plan::{Case, Cluster, Platforms};

use super::facts::Facts;
use super::planned;

/// What every part of the planning looks at.
#[derive(Clone, Copy)]
struct Planning<'a> {
    case: &'a Case<'a>,
    platform: &'a Platform,
    facts: &'a Facts,
}

impl<'a> Planning<'a> {
    fn catalogue(&self) -> &'a super::catalogue::Catalogue {
        &self.case.catalogue.aws
    }

    fn region(&self) -> &'a str {
        &self.platform.region
    }

    /// Whether the subnets are the user's own.
    fn existing_network(&self) -> bool {
        !self.platform.vpc.subnets.is_empty()
    }

    /// Whether the cloud was asked everything about this region, so that what the facts lack is not there.
    /// Facts that do not say who asked were put together by hand, and leave out what nobody needed.
    fn asked(&self) -> bool {
        let facts = self.facts;
        self.case.facts.source == Source::Cloud && facts.caller.is_some() && facts.region == self.region()
    }

    /// Those of the clusters that own something which are not this one.
    fn others<'o>(&self, owners: &'o [String]) -> Vec<&'o str> {
        let own = self.case.identity.infra_id.as_str();
        owners.iter().map(String::as_str).filter(|id| *id != own).collect()
    }

    /// Whether the catalogue alone was asked.
    fn offline(&self) -> bool {
        self.case.facts.source == Source::Catalogue
    }
}

/// Decides everything on AWS, or says in `out` what stands against it, all at once.
pub(super) fn plan(case: &Case<'_>, out: &mut Findings) -> Option<Platforms> {
    let platform = case.config.platform.aws.as_ref()?;
    if case.facts.aws.is_none() && case.facts.azure.is_some() {
        out.push(pages::facts_of_another("azure", "aws"));
        return None;
    }
    let none = Facts::default();
    let facts = case.facts.aws.as_ref().unwrap_or(&none);
    let planning = Planning { case, platform, facts };
    region::check(&planning, out);
    region::check_stub(&planning, out);
    dual_stack::check(&planning, out);
    let cluster = Cluster::of(case.config);
    let image = image::choose(&planning, &cluster.architecture, out);
    let existing = network::existing(&planning, out);
    let pools = pools::choose(&planning, existing.as_ref(), out);
    let (control_plane, compute) = pools.unzip();
    let control_plane = control_plane.flatten();
    let network = match existing {
        Some(network) => Some(network),
        None => network::new(&planning, control_plane.as_ref(), compute.as_deref().unwrap_or(&[]), out),
    };
    security_groups::check(&planning, out);
    dns::check_hosted_zone(&planning, &cluster, out);
    let public_zone = dns::public_zone(&planning, &cluster, out);
    let plan = planned::Plan {
        region: platform.region.clone(),
        partition: region::partition(&planning),
        endpoints: region::endpoints(platform),
        image: image?,
        network: network.clone()?,
        dual_stack: platform.is_dual_stack(),
        control_plane: control_plane?,
        compute: compute?,
        public_ipv4_pool: platform.public_ipv4_pool.clone(),
        public_zone,
        api_addresses: if platform.has_user_dns() {
            user_dns::addresses(&planning, network.as_ref(), out)?
        } else {
            BTreeMap::new()
        },
        traits: region::traits(&planning),
    };
    Some(Platforms { aws: Some(Box::new(plan)), ..Platforms::default() })
}

#[cfg(test)]
mod tests;
