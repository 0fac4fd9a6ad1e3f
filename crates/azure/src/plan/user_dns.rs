//! The address of the API's internal load balancer of a cluster whose DNS records the user provides: the first machines
//! find the API by it, before the cluster answers for its own names.

use std::net::Ipv4Addr;

use ipnet::Ipv4Net;
use landfall_diagnostics::Findings;
use landfall_model::azure::planned::Network;

use super::{Planning, cloud_pages, existing_network};

/// The last address of a subnet that is made; in an existing one what the facts say of it, or else the last one as well.
/// None where the cloud's DNS has the names.
pub(super) fn address(planning: &Planning<'_>, network: &Network, out: &mut Findings) -> Option<Ipv4Addr> {
    if !planning.platform.has_user_dns() {
        return None;
    }
    if let Some(new) = &network.new {
        return last(&new.control_plane);
    }
    let (place, known) = existing_network::control_plane(planning)?;
    let free = known.api_address.parse().ok();
    let chosen = free.or_else(|| last(&known.address_prefixes).filter(|_| !planning.asked()));
    if chosen.is_none() {
        out.push(cloud_pages::no_room(place, &[&known.name], 0, 1));
    }
    chosen
}

/// The last address that Azure gives to somebody: the very last one is reserved.
fn last(prefixes: &[String]) -> Option<Ipv4Addr> {
    let net: Ipv4Net = prefixes.iter().find_map(|prefix| prefix.parse().ok())?;
    Some(Ipv4Addr::from(u32::from(net.broadcast()).checked_sub(1)?))
}
