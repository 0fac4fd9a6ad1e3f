//! The IPv6 address of the API's internal load balancer: Azure chooses no such address by itself.

use std::net::Ipv6Addr;

use ipnet::Ipv6Net;
use landfall_model::azure::planned::Network;

use super::{Planning, existing_network};

/// The last but one address of the control plane's IPv6 subnet. None without services that have IPv6, and where the
/// addresses of an existing subnet are not known.
pub(super) fn address(planning: &Planning<'_>, network: &Network) -> Option<Ipv6Addr> {
    if !planning.case.config.has_ipv6_services() {
        return None;
    }
    if let Some(new) = &network.new {
        return last_of(&new.control_plane);
    }
    last_of(&existing_network::control_plane(planning)?.1.address_prefixes)
}

fn last_of(prefixes: &[String]) -> Option<Ipv6Addr> {
    let net = prefixes.iter().find_map(|prefix| prefix.parse::<Ipv6Net>().ok())?;
    u128::from(net.broadcast()).checked_sub(1).map(Ipv6Addr::from)
}
