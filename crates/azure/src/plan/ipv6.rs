//! The IPv6 address of the API's internal load balancer: Azure chooses no such address by itself.

use std::net::Ipv6Addr;

use ipnet::Ipv6Net;
use landfall_diagnostics::Findings;
use landfall_model::azure::planned::Network;

use super::{Planning, cloud_pages, existing_network};

/// The last but one address of the control plane's IPv6 subnet. None without services that have IPv6, and where the
/// addresses of an existing subnet are not known.
pub(super) fn address(planning: &Planning<'_>, network: &Network, out: &mut Findings) -> Option<Ipv6Addr> {
    if !planning.case.config.has_ipv6_services() {
        return None;
    }
    if let Some(new) = &network.new {
        return last_of(&new.control_plane);
    }
    let (place, known) = existing_network::control_plane(planning)?;
    let found = last_of(&known.address_prefixes);
    if found.is_none() && planning.asked() {
        out.push(cloud_pages::without_ipv6(place, known));
    }
    found
}

fn last_of(prefixes: &[String]) -> Option<Ipv6Addr> {
    let net = prefixes.iter().find_map(|prefix| prefix.parse::<Ipv6Net>().ok())?;
    u128::from(net.broadcast()).checked_sub(1).map(Ipv6Addr::from)
}
