//! Subnets of compute machines where there are several, and the NAT gateways of single subnets.

use ipnet::{IpNet, Ipv4Net};
use landfall_diagnostics::Findings;
use landfall_model::azure::planned::{ComputeSubnet, NatGateway, Network, Pool};

use super::{NAT_GATEWAY, NAT_GATEWAYS, Planning, pages};

/// The role of the compute machines' subnets.
const NODE: &str = "node";
/// Azure makes no IPv4 subnet that is smaller.
const LONGEST_PREFIX: u8 = 29;

/// The network with what its compute machines have besides one subnet and one gateway.
pub(super) fn complete(
    planning: &Planning<'_>,
    compute: &[Pool],
    mut network: Network,
    out: &mut Findings,
) -> Network {
    let outbound = planning.platform.outbound_type.as_str();
    let existing = network.new.is_none();
    let zones = if outbound == NAT_GATEWAYS { zones(compute) } else { Vec::new() };
    if outbound == NAT_GATEWAYS && zones.is_empty() {
        out.push(pages::gateways_without_zones());
        return network;
    }
    network.compute_subnets = if existing { given(planning, &zones) } else { cut(&network, &zones, out) };
    if outbound == NAT_GATEWAYS {
        network.nat_gateways = of_zones(planning, &network.compute_subnets);
        check_pools(compute, &network.compute_subnets, out);
    } else if outbound == NAT_GATEWAY.0 && existing {
        let (name, subnet) = (format!("{}-natgw", planning.id()), network.compute_subnet.clone());
        network.nat_gateways = vec![NatGateway { name, zone: String::new(), subnet }];
    }
    if network.compute_subnets.len() < 2 && outbound != NAT_GATEWAYS {
        network.compute_subnets.clear();
    }
    network
}

/// The zones of the compute machines, sorted.
fn zones(compute: &[Pool]) -> Vec<String> {
    let zones = compute.iter().flat_map(|pool| &pool.zones).filter(|zone| !zone.is_empty());
    let mut zones: Vec<String> = zones.cloned().collect();
    zones.sort();
    zones.dedup();
    zones
}

/// The user's subnets, sorted by name. They take turns in the zones, if zones have subnets of their own.
fn given(planning: &Planning<'_>, zones: &[String]) -> Vec<ComputeSubnet> {
    let subnets = planning.platform.subnets.iter().filter(|subnet| subnet.role == NODE);
    let mut names: Vec<&str> = subnets.map(|subnet| subnet.name.as_str()).collect();
    names.sort_unstable();
    let zones: Vec<&str> = zones.iter().map(String::as_str).collect();
    let mut turns = zones.iter().copied().cycle();
    let subnets = names.into_iter().map(|name| ComputeSubnet {
        name: name.to_owned(),
        zone: turns.next().unwrap_or_default().to_owned(),
        addresses: Vec::new(),
    });
    subnets.collect()
}

/// Subnets of a new network, one for each zone: equal parts of what a single one would have.
fn cut(network: &Network, zones: &[String], out: &mut Findings) -> Vec<ComputeSubnet> {
    let Some(addresses) = network.new.as_ref().filter(|_| !zones.is_empty()) else { return Vec::new() };
    let mut parts: Vec<Vec<String>> = vec![Vec::new(); zones.len()];
    for whole in &addresses.compute {
        let Some(pieces) = whole.parse().ok().and_then(|net| pieces(net, zones.len())) else {
            out.push(pages::network_too_small());
            return Vec::new();
        };
        for (part, piece) in parts.iter_mut().zip(pieces) {
            part.push(piece);
        }
    }
    let name = |n: usize| match n {
        0 => network.compute_subnet.clone(),
        n => format!("{}-{}", network.compute_subnet, n + 1),
    };
    let subnets = zones.iter().zip(parts).enumerate();
    let subnets =
        subnets.map(|(n, (zone, addresses))| ComputeSubnet { name: name(n), zone: zone.clone(), addresses });
    subnets.collect()
}

/// Equal parts of addresses: halves, quarters, and so on, as many of them as are wanted. Azure wants a /64 of
/// IPv6, so such a network is followed by its neighbours.
fn pieces(net: IpNet, wanted: usize) -> Option<Vec<String>> {
    match net {
        IpNet::V4(net) => {
            let bits = u8::try_from(wanted.next_power_of_two().trailing_zeros()).ok()?;
            let prefix = net.prefix_len().checked_add(bits).filter(|prefix| *prefix <= LONGEST_PREFIX)?;
            let parts: Vec<Ipv4Net> = net.subnets(prefix).ok()?.take(wanted).collect();
            Some(parts.iter().map(ToString::to_string).collect())
        }
        IpNet::V6(net) => {
            let around = net.supernet()?.supernet()?.supernet()?;
            let following = around.subnets(net.prefix_len()).ok()?.filter(|other| *other >= net);
            let parts: Vec<String> = following.take(wanted).map(|net| net.to_string()).collect();
            (parts.len() == wanted).then_some(parts)
        }
    }
}

fn of_zones(planning: &Planning<'_>, subnets: &[ComputeSubnet]) -> Vec<NatGateway> {
    let gateways = subnets.iter().enumerate().map(|(n, subnet)| NatGateway {
        name: format!("{}-natgw-{}", planning.id(), n + 1),
        zone: subnet.zone.clone(),
        subnet: subnet.name.clone(),
    });
    gateways.collect()
}

/// A pool whose zones have no subnet would have no machines.
fn check_pools(compute: &[Pool], subnets: &[ComputeSubnet], out: &mut Findings) {
    for (i, pool) in compute.iter().enumerate() {
        if !subnets.is_empty() && !subnets.iter().any(|subnet| pool.zones.contains(&subnet.zone)) {
            let there: Vec<&str> = subnets.iter().map(|subnet| subnet.zone.as_str()).collect();
            out.push(pages::pool_without_subnet(i, &there));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::pieces;

    fn cut(net: &str, wanted: usize) -> Option<Vec<String>> {
        net.parse().ok().and_then(|net| pieces(net, wanted))
    }

    #[test]
    fn parts_are_equal() {
        let texts = |parts: &[&str]| Some(parts.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>());
        assert_eq!(cut("10.0.128.0/17", 1), texts(&["10.0.128.0/17"]));
        let thirds = ["10.0.128.0/19", "10.0.160.0/19", "10.0.192.0/19"];
        assert_eq!(cut("10.0.128.0/17", 3), texts(&thirds));
        assert_eq!(cut("10.0.0.0/28", 3), None);
        assert_eq!(cut("fd00:0:0:1::/64", 2), texts(&["fd00:0:0:1::/64", "fd00:0:0:2::/64"]));
    }
}
