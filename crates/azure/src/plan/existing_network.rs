//! Whether the existing network that the config names can be that of the cluster (`assets.md`, F.5).

use ipnet::IpNet;
use landfall_diagnostics::Findings;
use landfall_model::azure::config;
use landfall_model::azure::facts::{Network, Subnet};
use landfall_model::config::Net;

use super::cloud_pages::{self, Place};
use super::{Planning, location};

/// The role of the control plane's subnet.
const CONTROL_PLANE: &str = "control-plane";

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
            Some(subnet) => check_addresses(place, subnet, &machines, out),
            None if planning.asked() || !network.subnets.is_empty() => {
                let there: Vec<&str> = network.subnets.iter().map(|subnet| subnet.name.as_str()).collect();
                out.push(cloud_pages::no_subnet(place, &given.name, name, &there));
            }
            None => {}
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
