//! What is decided for Azure: cloud, image, sizes, zones, network (`assets.md`, A.3, B.10, C.6, D.8).

mod account;
pub(super) mod account_pages;
mod cloud;
pub(super) mod cloud_pages;
mod cloud_profile;
mod data_disks;
mod disks;
mod dns;
mod existing_network;
mod gateways;
mod identities;
mod image;
mod ipv6;
pub(super) mod location;
mod names;
mod network;
pub(super) mod pages;
mod pools;
pub(super) mod resource_group;
mod sizes;
mod storage;
mod unmade;
mod user_dns;

#[cfg(test)]
mod tests;

use std::net::{Ipv4Addr, Ipv6Addr};

use landfall_diagnostics::Findings;
use landfall_model::facts::Source;
use landfall_model::plan::{Case, Cluster, Platforms};

use super::catalogue::Catalogue;
use super::config::Platform;
use super::facts::Facts;
use super::planned;

pub(crate) use cloud::engine_fault;
#[cfg(feature = "cloud")]
pub(crate) use image::url as image_url;

/// Routes of the user's own: no load balancer carries the machines' outbound traffic.
const OWN_ROUTES: &str = "UserDefinedRouting";
/// The name of a single NAT gateway in an install config, and in terraform's variables.
const NAT_GATEWAY: (&str, &str) = ("NATGatewaySingleZone", "NatGateway");
/// NAT gateways, one for each subnet of compute machines.
const NAT_GATEWAYS: &str = "NATGatewayMultiZone";

/// What every part of the planning looks at.
#[derive(Clone, Copy)]
struct Planning<'a> {
    case: &'a Case<'a>,
    platform: &'a Platform,
    facts: &'a Facts,
}

impl<'a> Planning<'a> {
    fn catalogue(&self) -> &'a Catalogue {
        &self.case.catalogue.azure
    }

    fn location(&self) -> &'a str {
        &self.platform.region
    }

    fn id(&self) -> &'a str {
        &self.case.identity.infra_id
    }

    /// Whether the cloud is a Stack Hub.
    fn stack(&self) -> bool {
        self.catalogue().cloud(&self.platform.cloud_name).is_some_and(|(_, cloud)| cloud.stack)
    }

    /// Whether the facts are answers of the cloud, and not the catalogue's word.
    fn of_cloud(&self) -> bool {
        self.case.facts.source == Source::Cloud
    }

    /// Whether the cloud was asked everything about this location, so that what the facts lack is not there.
    /// Facts without a location's name for people and without quotas were put together by hand, and leave out
    /// what nobody needed.
    fn asked(&self) -> bool {
        let Facts { location, quotas, .. } = self.facts;
        let told = !location.display_name.is_empty() || !quotas.is_empty();
        self.of_cloud() && told && location.name == self.location()
    }

    /// The cluster's resource group: the user's, or one that is made.
    fn group(&self) -> String {
        match self.platform.resource_group_name.as_str() {
            "" => format!("{}-rg", self.id()),
            given => given.to_owned(),
        }
    }
}

/// Decides everything on Azure, or says in `out` what stands against it, all at once.
pub(super) fn plan(case: &Case<'_>, out: &mut Findings) -> Option<Platforms> {
    let platform = case.config.platform.azure.as_ref()?;
    if case.facts.azure.is_none() && case.facts.aws.is_some() {
        out.push(pages::facts_of_another("region", "aws", "azure"));
        return None;
    }
    let none = Facts::default();
    let facts = case.facts.azure.as_ref().unwrap_or(&none);
    let planning = Planning { case, platform, facts };
    let before = out.errors();
    let account = account::choose(&planning, out);
    unmade::check(&planning, out);
    names::check(&planning, out);
    let cluster = Cluster::of(case.config);
    let cloud = cloud::choose(&planning, out);
    let image = image::choose(&planning, &cluster.architecture, out);
    let pools = pools::choose(&planning, out);
    let protection = pools.as_ref().map(|(master, compute)| image::protection(master, compute, out));
    let network = network::choose(&planning, pools.as_ref().map_or(&[], |(_, compute)| compute), out);
    let address = network.as_ref().and_then(|network| user_dns::address(&planning, network, out));
    let ipv6 = network.as_ref().and_then(|network| ipv6::address(&planning, network));
    let storage = storage::choose(&planning, pools.as_ref().map(|(master, _)| master), out);
    resource_group::check(&planning, out);
    dns::check(&planning, &cluster, out);
    if out.errors() > before {
        return None;
    }
    let (control_plane, compute) = pools?;
    let account = account?;
    let plan = planned::Plan {
        dns: dns::zones(&planning, &cluster, &account.subscription_id),
        cloud: cloud?,
        account,
        location: platform.region.clone(),
        groups: planned::Groups {
            cluster: planning.group(),
            existing: platform.resource_group_name.clone(),
            base_domain: platform.base_domain_resource_group_name.clone(),
        },
        load_balancers: load_balancers(&planning, address, ipv6),
        network: network?,
        outbound_type: outbound_type(platform).to_owned(),
        identity: identities::made(&planning),
        image: planned::Image { protection: protection?, ..image? },
        control_plane,
        compute,
        user_tags: platform.user_tags.clone(),
        storage: storage?,
    };
    Some(Platforms { azure: Some(Box::new(plan)), ..Platforms::default() })
}

/// How the machines reach the outside, in the words of the terraform variables.
fn outbound_type(platform: &Platform) -> &str {
    let given = platform.outbound_type.as_str();
    if given == NAT_GATEWAY.0 { NAT_GATEWAY.1 } else { given }
}

fn load_balancers(
    planning: &Planning<'_>,
    api_address: Option<Ipv4Addr>,
    ipv6_address: Option<Ipv6Addr>,
) -> planned::LoadBalancers {
    let own_routes = planning.platform.outbound_type == OWN_ROUTES;
    planned::LoadBalancers {
        internal: format!("{}-internal", planning.id()),
        public: if own_routes { String::new() } else { planning.id().to_owned() },
        api_address,
        ipv6_address,
    }
}
