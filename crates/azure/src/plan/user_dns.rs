//! The address of the API's internal load balancer of a cluster whose DNS records the user provides: the first machines
//! find the API by it, before the cluster answers for its own names.

use std::net::Ipv4Addr;

use landfall_diagnostics::Findings;
use landfall_model::azure::planned::Network;
use landfall_model::plan::last_address;

use super::{Planning, cloud_pages, existing_network};

/// The last address of a subnet that is made; in an existing one what the facts say of it, or else the last one as well.
/// None where the cloud's DNS has the names.
pub(super) fn address(planning: &Planning<'_>, network: &Network, out: &mut Findings) -> Option<Ipv4Addr> {
    if !planning.platform.has_user_dns() {
        return None;
    }
    if let Some(new) = &network.new {
        return last_of(&new.control_plane);
    }
    let (place, known) = existing_network::control_plane(planning)?;
    let free = known.api_address.parse().ok();
    let chosen = free.or_else(|| last_of(&known.address_prefixes).filter(|_| !planning.asked()));
    if chosen.is_none() {
        out.push(cloud_pages::no_room(place, &[&known.name], 0, 1));
    }
    chosen
}

/// The last address of the first IPv4 subnet.
fn last_of(prefixes: &[String]) -> Option<Ipv4Addr> {
    prefixes.iter().find_map(|prefix| last_address(prefix))
}
