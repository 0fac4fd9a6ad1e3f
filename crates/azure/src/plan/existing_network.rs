//! Whether the existing network that the config names can be that of the cluster (`assets.md`, F.5).

use ipnet::{IpNet, Ipv4Net};
use landfall_diagnostics::Findings;
use landfall_model::azure::config;
use landfall_model::azure::facts::{Network, Subnet};
use landfall_model::config::{InstallConfig, Net};
use landfall_model::plan::{Cluster, replicas};

use super::cloud_pages::{self, Place};
use super::{NAT_GATEWAY, NAT_GATEWAYS, Planning, location};

/// The role of the control plane's subnet.
const CONTROL_PLANE: &str = "control-plane";
/// What of the cluster has an address in that subnet besides the machines of the control plane.
const BESIDES: u32 = 2;
/// Addresses of each subnet that are Azure's: see
/// <https://learn.microsoft.com/azure/virtual-network/virtual-networks-faq>.
const RESERVED: i64 = 5;

/// Compares the network with what the cloud has.
pub(super) fn check(planning: &Planning<'_>, out: &mut Findings) {
    if !planning.of_cloud() {
        return;
    }
    let (platform, region) = (planning.platform, planning.location());
    let name = platform.virtual_network.as_str();
    let Some(network) = found(planning) else {
        if planning.asked() {
            out.push(cloud_pages::no_network(name, &platform.network_resource_group_name));
        }
        return;
    };
    if !network.location.is_empty() && !location::is_same(&network.location, region) {
        out.push(cloud_pages::network_elsewhere(name, network, region));
    }
    let machines = machine_networks(planning);
    for (i, given) in platform.subnets.iter().enumerate() {
        let place = place(platform, i, given);
        match network.subnets.iter().find(|subnet| subnet.name.eq_ignore_ascii_case(&given.name)) {
            Some(subnet) => {
                check_family(planning, &place, subnet, out);
                check_addresses(place, subnet, &machines, out);
            }
            None if planning.asked() || !network.subnets.is_empty() => {
                let there: Vec<&str> = network.subnets.iter().map(|subnet| subnet.name.as_str()).collect();
                out.push(cloud_pages::no_subnet(place, &given.name, name, &there));
            }
            None => {}
        }
    }
    // What an earlier run created has taken its addresses.
    if !planning.case.installed {
        check_room(planning, network, out);
        check_gateways(planning, network, out);
    }
}

/// How many addresses the cluster needs in the subnet of the control plane, with the bootstrap machine and the
/// internal load balancer, and in those of the compute machines, with the load balancer of applications that are not
/// published.
pub(super) fn needed(config: &InstallConfig) -> (u32, u32) {
    let masters = config.control_plane.as_ref().map_or(0, replicas);
    let workers: u32 = config.compute.iter().map(replicas).sum();
    let inside = u32::from(!Cluster::of(config).external_ingress);
    (masters + BESIDES, workers + inside)
}

/// The addresses of a subnet that are not Azure's.
pub(super) fn usable(net: Ipv4Net) -> i64 {
    (1_i64 << u32::from(32 - net.prefix_len())) - RESERVED
}

/// Whether the subnets have addresses for the machines.
fn check_room(planning: &Planning<'_>, network: &Network, out: &mut Findings) {
    let platform = planning.platform;
    let (masters, workers) = needed(planning.case.config);
    for (control_plane, needed) in [(true, masters), (false, workers)] {
        let given = platform.subnets.iter().enumerate();
        let given = given.filter(|(_, given)| (given.role == CONTROL_PLANE) == control_plane);
        let given: Vec<(usize, &config::Subnet)> = given.collect();
        let found = given.iter().filter_map(|(_, given)| subnet_of(network, given));
        let free: Vec<i64> = found.filter_map(free).collect();
        let Some((i, first)) = given.first().filter(|_| free.len() == given.len()) else { continue };
        let free: i64 = free.into_iter().sum();
        if free < i64::from(needed) {
            let names: Vec<&str> = given.iter().map(|(_, given)| given.name.as_str()).collect();
            out.push(cloud_pages::no_room(place(platform, *i, first), &names, free.max(0), needed));
        }
    }
}

/// What is known of the existing subnet of the control plane, and its place in the config.
pub(super) fn control_plane<'a>(planning: &Planning<'a>) -> Option<(Place, &'a Subnet)> {
    let (platform, network) = (planning.platform, found(planning)?);
    let mut given = platform.subnets.iter().enumerate();
    let (i, given) = given.find(|(_, subnet)| subnet.role == CONTROL_PLANE)?;
    Some((place(platform, i, given), subnet_of(network, given)?))
}

fn subnet_of<'n>(network: &'n Network, given: &config::Subnet) -> Option<&'n Subnet> {
    network.subnets.iter().find(|subnet| subnet.name.eq_ignore_ascii_case(&given.name))
}

/// The IPv4 addresses of a subnet that are free; none where its addresses are not known.
fn free(subnet: &Subnet) -> Option<i64> {
    let nets = subnet.address_prefixes.iter().filter_map(|prefix| prefix.parse::<Ipv4Net>().ok());
    let sizes: Vec<i64> = nets.map(usable).collect();
    (!sizes.is_empty()).then(|| sizes.into_iter().sum::<i64>() - subnet.used_addresses)
}

/// A subnet has at most one NAT gateway, and that of the user's stays.
fn check_gateways(planning: &Planning<'_>, network: &Network, out: &mut Findings) {
    let platform = planning.platform;
    if ![NAT_GATEWAY.0, NAT_GATEWAYS].contains(&platform.outbound_type.as_str()) {
        return;
    }
    for (i, given) in platform.subnets.iter().enumerate().filter(|(_, given)| given.role != CONTROL_PLANE) {
        let found = subnet_of(network, given).filter(|subnet| !subnet.nat_gateway.is_empty());
        if let Some(subnet) = found {
            let gateway = subnet.nat_gateway.rsplit('/').next().unwrap_or_default();
            out.push(cloud_pages::gateway_taken(place(platform, i, given), &subnet.name, gateway));
        }
    }
}

/// The network of the facts, if it is the one that the config names. Azure's names know no capitals.
fn found<'a>(planning: &Planning<'a>) -> Option<&'a Network> {
    let platform = planning.platform;
    let fits = |own: &str, wanted: &str| own.is_empty() || own.eq_ignore_ascii_case(wanted);
    planning.facts.network.as_ref().filter(|network| {
        fits(&network.name, &platform.virtual_network)
            && fits(&network.resource_group, &platform.network_resource_group_name)
    })
}

fn machine_networks<'a>(planning: &Planning<'a>) -> Vec<&'a Net> {
    let case = planning.case;
    let given = case.config.networking.iter().flat_map(|networking| &networking.machine_network);
    given.filter_map(|network| network.cidr.given()).collect()
}

/// Whether machines in a subnet have IPv6 addresses, where services have them.
fn check_family(planning: &Planning<'_>, place: &Place, subnet: &Subnet, out: &mut Findings) {
    let has_ipv6 = subnet.address_prefixes.iter().any(|prefix| prefix.contains(':'));
    if planning.case.config.has_ipv6_services() && planning.asked() && !has_ipv6 {
        out.push(cloud_pages::without_ipv6(place, subnet));
    }
}

fn check_addresses(place: Place, subnet: &Subnet, machines: &[&Net], out: &mut Findings) {
    let prefixes = subnet.address_prefixes.iter().map(String::as_str);
    let outside: Vec<&str> = prefixes.filter(|prefix| lies_outside(prefix, machines)).collect();
    if !outside.is_empty() {
        let shown: Vec<String> = machines.iter().map(ToString::to_string).collect();
        out.push(cloud_pages::outside(place, subnet, &outside, &shown));
    }
}

/// Whether addresses begin outside all machine networks of their family. Without such networks nothing does.
fn lies_outside(prefix: &str, machines: &[&Net]) -> bool {
    let Ok(net) = prefix.parse::<IpNet>() else { return false };
    let ipv4 = net.addr().is_ipv4();
    let of_family: Vec<&&Net> = machines.iter().filter(|machine| machine.is_ipv4() == ipv4).collect();
    !of_family.is_empty() && !of_family.iter().any(|machine| machine.contains(net.network()))
}

/// Where a subnet is reported and where it stands: in the list, or in one of the older fields.
fn place(platform: &config::Platform, i: usize, given: &config::Subnet) -> Place {
    let (field, older) = if given.role == CONTROL_PLANE {
        ("platform.azure.controlPlaneSubnet", &platform.control_plane_subnet)
    } else {
        ("platform.azure.computeSubnet", &platform.compute_subnet)
    };
    let at =
        if *older == given.name { field.to_owned() } else { format!("platform.azure.subnets[{i}].name") };
    Place { field, at }
}

#[cfg(test)]
mod tests {
    use super::lies_outside;
    use landfall_model::config::Net;

    #[test]
    fn addresses_are_compared_within_their_family() {
        let networks: Vec<Net> =
            ["10.0.0.0/16", "10.4.0.0/16"].iter().filter_map(|n| n.parse().ok()).collect();
        let machines: Vec<&Net> = networks.iter().collect();
        assert_eq!(machines.len(), 2);
        assert!(!lies_outside("10.4.2.0/24", &machines));
        assert!(lies_outside("10.1.0.0/24", &machines));
        assert!(!lies_outside("fd00::/64", &machines));
        assert!(!lies_outside("nonsense", &machines));
        assert!(!lies_outside("10.1.0.0/24", &[]));
    }
}
