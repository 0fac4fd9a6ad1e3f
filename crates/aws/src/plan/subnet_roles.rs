//! Existing subnets whose roles the config names: which is used for what, and whether it fits (`assets.md`, F.2).

use std::collections::{BTreeMap, BTreeSet};

use landfall_diagnostics::Findings;
use landfall_model::aws::config;
use landfall_model::aws::facts::Subnet;
use landfall_model::aws::planned::{EdgeSubnet, Network, SubnetRoles};
use landfall_model::plan::Cluster;

use super::given_subnets::{self, is_ordinary};
use super::{Planning, cloud_pages, pages};

const BOOTSTRAP: &str = "BootstrapNode";
const NODES: &str = "ClusterNode";
const EDGE: &str = "EdgeNode";
const EXTERNAL: &str = "ControlPlaneExternalLB";
const INTERNAL: &str = "ControlPlaneInternalLB";
const INGRESS: &str = "IngressControllerLB";

/// Whether the config gives roles. Rules have refused a config in which only some subnets have them.
pub(super) fn are_given(planning: &Planning<'_>) -> bool {
    planning.platform.vpc.subnets.iter().any(|subnet| !subnet.roles.is_empty())
}

/// A subnet of the config with what is known of it.
#[derive(Clone, Copy)]
struct Given<'a> {
    index: usize,
    roles: &'a [config::SubnetRole],
    subnet: &'a Subnet,
}

impl Given<'_> {
    fn has(&self, role: &str) -> bool {
        self.roles.iter().any(|given| given.kind == role)
    }
}

/// The network of the subnets.
pub(super) fn network(planning: &Planning<'_>, out: &mut Findings) -> Network {
    let found = given_subnets::found(planning).into_iter();
    let given: Vec<Given<'_>> = found
        .filter_map(|(index, subnet)| {
            let roles = planning.platform.vpc.subnets.get(index)?.roles.as_slice();
            Some(Given { index, roles, subnet })
        })
        .collect();
    let cluster = Cluster::of(planning.case.config);
    check_reach(&given, &cluster, out);
    check_edge(&given, out);
    let by_zone = |role: &'static str, out: &mut Findings| by_zone(&given, role, out);
    let private = by_zone(NODES, out);
    let public = by_zone(EXTERNAL, out);
    let ingress = by_zone(INGRESS, out);
    let roles = SubnetRoles {
        internal_balancer: by_zone(INTERNAL, out),
        bootstrap: by_zone(BOOTSTRAP, out),
        ingress: of_role(&given, INGRESS).map(|given| given.subnet.id.clone()).collect(),
    };
    let external = cluster.external_api.then_some((EXTERNAL, &public));
    let balancers = [(INTERNAL, &roles.internal_balancer), (INGRESS, &ingress)];
    for (role, subnets) in balancers.into_iter().chain(external) {
        check_zones(role, subnets, &private, out);
    }
    let edge = of_role(&given, EDGE).map(|given| {
        let subnet = EdgeSubnet { id: given.subnet.id.clone(), public: given.subnet.public };
        (given.subnet.zone.clone(), subnet)
    });
    let edge = edge.collect();
    by_zone(EDGE, out);
    Network::Existing { vpc: planning.facts.vpc.clone(), private, public, edge, roles: Some(roles) }
}

fn of_role<'g, 'a>(given: &'g [Given<'a>], role: &'static str) -> impl Iterator<Item = &'g Given<'a>> {
    given.iter().filter(move |given| given.has(role))
}

/// The subnets of a role; at most one in a zone.
fn by_zone(given: &[Given<'_>], role: &'static str, out: &mut Findings) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for Given { subnet, .. } in of_role(given, role) {
        if let Some(first) = found.get(&subnet.zone) {
            out.push(pages::two_subnets_of_role(&subnet.zone, role, first, &subnet.id));
        }
        found.entry(subnet.zone.clone()).or_insert_with(|| subnet.id.clone());
    }
    found
}

/// Refuses subnets that are public where the role needs a private one, and the other way round.
fn check_reach(given: &[Given<'_>], cluster: &Cluster, out: &mut Findings) {
    let bootstrap = cluster.external_api.then_some(true);
    let wanted = [
        (BOOTSTRAP, bootstrap),
        (NODES, Some(false)),
        (INTERNAL, Some(false)),
        (EXTERNAL, Some(true)),
        (INGRESS, Some(cluster.external_ingress)),
    ];
    for (role, public) in wanted {
        let Some(public) = public else { continue };
        let ordinary = of_role(given, role).filter(|given| is_ordinary(given.subnet));
        for Given { index, subnet, .. } in ordinary.filter(|given| given.subnet.public != public) {
            out.push(cloud_pages::unfit_for_role(*index, subnet, role, public));
        }
    }
}

/// Refuses edge machines outside of local zones, and all else in them.
fn check_edge(given: &[Given<'_>], out: &mut Findings) {
    for given in given {
        let is_edge = given.has(EDGE);
        if is_edge == is_ordinary(given.subnet) {
            out.push(cloud_pages::zone_unfit_for_role(given.index, given.subnet, is_edge));
        }
    }
}

/// Refuses a load balancer that does not reach the nodes of a zone, or is in a zone without nodes.
fn check_zones(
    role: &str,
    balancer: &BTreeMap<String, String>,
    nodes: &BTreeMap<String, String>,
    out: &mut Findings,
) {
    let zones = |of: &BTreeMap<String, String>| of.keys().cloned().collect::<BTreeSet<String>>();
    let (balancer, nodes) = (zones(balancer), zones(nodes));
    if balancer.is_empty() || nodes.is_empty() {
        // Rules ask for the role, and unknown subnets were refused.
        return;
    }
    let (missing, idle) = (&nodes - &balancer, &balancer - &nodes);
    if !missing.is_empty() || !idle.is_empty() {
        out.push(cloud_pages::zones_of_role(role, &missing, &idle));
    }
}
