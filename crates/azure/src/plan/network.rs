//! The machines' network: the user's, or the addresses of a new one (`assets.md`, A.3 and D.8).

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use landfall_diagnostics::Findings;
use landfall_model::azure::planned::{Addresses, Network, Pool};
use landfall_model::config::Networking;

use super::{Planning, existing_network, gateways, pages};

/// Azure makes no IPv4 subnet that is smaller.
const LONGEST_PREFIX: u8 = 29;
/// How much longer the prefix of an IPv6 subnet is than that of its network.
const IPV6_BITS: u8 = 16;

/// The network that the config names, or a new one. None when its addresses do not do.
pub(super) fn choose(planning: &Planning<'_>, compute: &[Pool], out: &mut Findings) -> Option<Network> {
    let (platform, id) = (planning.platform, planning.id());
    let existing = !platform.virtual_network.is_empty();
    if existing {
        existing_network::check(planning, out);
    }
    let new = if existing { None } else { Some(new(planning, out)?) };
    let subnet = |role: &str, own: &str| {
        let given = platform.subnets.iter().filter(|_| existing).find(|subnet| subnet.role == role);
        given.map_or_else(|| format!("{id}-{own}-subnet"), |subnet| subnet.name.clone())
    };
    let (resource_group, name) = if existing {
        (platform.network_resource_group_name.clone(), platform.virtual_network.clone())
    } else {
        (planning.group(), format!("{id}-vnet"))
    };
    let network = Network {
        resource_group,
        name,
        control_plane_subnet: subnet("control-plane", "master"),
        compute_subnet: subnet("node", "worker"),
        security_group: format!("{id}-nsg"),
        route_table: format!("{id}-node-routetable"),
        new,
        compute_subnets: Vec::new(),
        nat_gateways: Vec::new(),
    };
    let network = gateways::complete(planning, compute, network, out);
    // The machines that an earlier run created have their addresses.
    if !planning.case.installed {
        check_room(planning, &network, out);
    }
    Some(network)
}

/// Whether the subnets of a new network have addresses for the machines.
fn check_room(planning: &Planning<'_>, network: &Network, out: &mut Findings) {
    let Some(new) = &network.new else { return };
    let of_zones = network.compute_subnets.iter().flat_map(|subnet| &subnet.addresses);
    let compute: Vec<&String> =
        if network.compute_subnets.is_empty() { new.compute.iter().collect() } else { of_zones.collect() };
    let (masters, workers) = existing_network::needed(planning.case.config);
    let subnets =
        [("control plane", new.control_plane.iter().collect(), masters), ("compute", compute, workers)];
    for (role, cidrs, needed) in subnets {
        let nets = cidrs.into_iter().filter_map(|cidr| cidr.parse::<Ipv4Net>().ok());
        let usable: i64 = nets.map(existing_network::usable).sum();
        if usable < i64::from(needed) {
            out.push(pages::network_without_room(role, usable, needed));
            return;
        }
    }
}

/// The addresses of a new network and its subnets.
fn new(planning: &Planning<'_>, out: &mut Findings) -> Option<Addresses> {
    let networking = planning.case.config.networking.as_ref()?;
    let addresses = addresses(networking);
    if addresses.is_none() {
        out.push(pages::network_too_small());
    }
    addresses
}

/// Cuts the first network of each family into a subnet for the control plane and one for compute machines.
/// None where the first IPv4 one is too small; rules have seen to it that there is one.
fn addresses(networking: &Networking) -> Option<Addresses> {
    let given = networking.machine_network.iter().filter_map(|network| network.cidr.given());
    let networks: Vec<IpNet> = given.map(|network| network.net.trunc()).collect();
    let mut addresses =
        Addresses { network: networks.iter().map(ToString::to_string).collect(), ..Addresses::default() };
    let v4 = networks.iter().find_map(|network| match network {
        IpNet::V4(network) => Some(*network),
        IpNet::V6(_) => None,
    });
    let v6 = networks.iter().find_map(|network| match network {
        IpNet::V6(network) => Some(*network),
        IpNet::V4(_) => None,
    });
    let (control_plane, compute) = v4.and_then(halves)?;
    addresses.control_plane.push(control_plane.to_string());
    addresses.compute.push(compute.to_string());
    if let Some((control_plane, compute)) = v6.filter(|_| networking.has_ipv6_services()).and_then(first_two)
    {
        addresses.control_plane.push(control_plane.to_string());
        addresses.compute.push(compute.to_string());
    }
    Some(addresses)
}

fn halves(network: Ipv4Net) -> Option<(Ipv4Net, Ipv4Net)> {
    let prefix = network.prefix_len().checked_add(1).filter(|prefix| *prefix <= LONGEST_PREFIX)?;
    let mut parts = network.subnets(prefix).ok()?;
    parts.next().zip(parts.next())
}

fn first_two(network: Ipv6Net) -> Option<(Ipv6Net, Ipv6Net)> {
    let mut parts = network.subnets(network.prefix_len().checked_add(IPV6_BITS)?).ok()?;
    parts.next().zip(parts.next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_model::config::{MachineNetwork, Network as Given};

    fn networking(machines: &[([u8; 4], u8)]) -> Networking {
        let machine_network = machines.iter();
        let machine_network =
            machine_network.map(|(address, prefix)| MachineNetwork { cidr: Given::known(*address, *prefix) });
        Networking { machine_network: machine_network.collect(), ..Networking::default() }
    }

    #[test]
    fn halves_the_first_network() {
        let cut = addresses(&networking(&[([10, 0, 0, 0], 16), ([10, 4, 0, 0], 16)])).unwrap_or_default();
        assert_eq!(cut.network, ["10.0.0.0/16", "10.4.0.0/16"]);
        assert_eq!(cut.control_plane, ["10.0.0.0/17"]);
        assert_eq!(cut.compute, ["10.0.128.0/17"]);
        assert_eq!(addresses(&networking(&[([10, 0, 0, 0], 29)])), None);
        assert!(addresses(&networking(&[([10, 0, 0, 0], 28)])).is_some());
    }

    #[test]
    fn takes_two_subnets_of_ipv6() {
        let network: Option<Ipv6Net> = "fd00::/48".parse().ok();
        let subnets = network.and_then(first_two).map(|(a, b)| (a.to_string(), b.to_string()));
        assert_eq!(subnets, Some(("fd00::/64".to_owned(), "fd00:0:0:1::/64".to_owned())));
    }
}
