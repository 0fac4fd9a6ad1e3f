//! The addresses of the API's internal load balancer of a cluster whose DNS records the user provides: the first
//! machines find the API by them, before the cluster answers for its own names.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use landfall_diagnostics::Findings;
use landfall_model::aws::planned::Network;
use landfall_model::plan::last_address;

use super::{Planning, cloud_pages};
use crate::EDGE;

/// An address in each subnet of the load balancer: the last one of a subnet that is made; in an existing one what the
/// facts say of it, or else the last one as well.
pub(super) fn addresses(
    planning: &Planning<'_>,
    network: Option<&Network>,
    out: &mut Findings,
) -> Option<BTreeMap<String, Ipv4Addr>> {
    let mut chosen = BTreeMap::new();
    match network? {
        Network::New { subnets, .. } => {
            let pools = planning.case.config.compute.iter().filter(|pool| pool.name == EDGE);
            let edge = pools.filter_map(|pool| pool.platform.aws.as_ref()).flat_map(|pool| &pool.zones);
            let edge: Vec<&String> = edge.collect();
            let private = subnets.iter().filter(|subnet| !subnet.public && !edge.contains(&&subnet.zone));
            chosen.extend(
                private.filter_map(|subnet| Some((subnet.zone.clone(), last_address(&subnet.cidr)?))),
            );
        }
        Network::Existing { private, roles, .. } => {
            let given = roles.as_ref().map_or(private, |roles| &roles.internal_balancer);
            for id in given.values() {
                let known = planning.facts.subnets.iter().find(|subnet| subnet.id == *id)?;
                let free = known.api_address.parse().ok();
                match free.or_else(|| last_address(&known.cidr).filter(|_| !planning.asked())) {
                    Some(address) => {
                        chosen.insert(id.clone(), address);
                    }
                    None => out.push(cloud_pages::no_free_address(known)),
                }
            }
        }
    }
    Some(chosen)
}
