//! Clusters whose machines have addresses of both families (`assets.md`, D.2 and F.2).

use ipnet::IpNet;
use landfall_diagnostics::{Code, Finding, Findings, Kind};
use landfall_model::aws::facts::WAVELENGTH_ZONE;
use landfall_model::config::{InstallConfig, Net};

use super::{Planning, given_subnets};
use crate::EDGE;

pub(super) const IPV6: Code = Code::new("LF0738");
/// The MTU of the pod network with machines in local zones.
const EDGE_MTU: u32 = 1200;
/// The least MTU of a network with IPv6.
const IPV6_MTU: u32 = 1280;
const SUBNETS: &str = "platform.aws.vpc.subnets";
const MACHINES: &str = "networking.machineNetwork";

/// Refuses networks in which machines cannot have IPv6 addresses.
pub(super) fn check(planning: &Planning<'_>, out: &mut Findings) {
    if !planning.platform.is_dual_stack() {
        return;
    }
    let config = planning.case.config;
    let networks =
        config.networking.iter().flat_map(|networking| networking.machine_network.iter().enumerate());
    let ipv6 = networks.filter(|(_, network)| !network.cidr.is_ipv4());
    let ipv6: Vec<(usize, &Net)> = ipv6.filter_map(|(i, network)| Some((i, network.cidr.given()?))).collect();
    let edge = config.compute.iter().position(|pool| pool.name == EDGE);
    check_mtu(config, edge.is_some() && planning.existing_network(), out);
    if planning.existing_network() {
        check_subnets(planning, &ipv6, out);
        if edge.is_some() {
            check_wavelength(planning, out);
        }
        return;
    }
    if let Some(i) = edge {
        let message = "a dual-stack cluster with an edge pool needs existing subnets";
        let finding = Finding::error(&IPV6, Kind::Forbidden, format!("compute[{i}].platform.aws"), message);
        out.push(finding.help("remove the pool, name existing subnets, or write `ipFamily: IPv4`"));
    }
    if let Some((i, network)) = ipv6.first() {
        let message = format!("AWS chooses the IPv6 addresses of a new VPC, and the config names {network}");
        let finding = Finding::error(&IPV6, Kind::Invalid, format!("{MACHINES}[{i}].cidr"), message);
        out.push(finding.help("remove the IPv6 network, or name existing subnets").at(MACHINES));
    }
}

/// Refuses an MTU that IPv6 does not work with: the network operator would refuse it, and the cluster have no network.
fn check_mtu(config: &InstallConfig, has_edge: bool, out: &mut Findings) {
    let given = config.networking.as_ref().map_or(0, |networking| networking.cluster_network_mtu);
    let mtu = if given == 0 && has_edge { EDGE_MTU } else { given };
    if (1..IPV6_MTU).contains(&mtu) {
        let message = format!("the pod network has an MTU of {mtu}, and IPv6 needs at least {IPV6_MTU}");
        let finding = Finding::error(&IPV6, Kind::Invalid, "networking.clusterNetworkMTU", message);
        out.push(finding.help(format!(
            "set an MTU of at least {IPV6_MTU} that the networks of all zones support, or write `ipFamily: IPv4`"
        )));
    }
}

/// Machines of an edge pool in a dual-stack cluster are in local zones only.
fn check_wavelength(planning: &Planning<'_>, out: &mut Findings) {
    let found = given_subnets::found(planning).into_iter();
    for (i, subnet) in found.filter(|(_, subnet)| subnet.zone_type == WAVELENGTH_ZONE) {
        let (id, zone) = (&subnet.id, &subnet.zone);
        let message = format!(
            "subnet {id} is in the Wavelength zone {zone}, which a dual-stack cluster does not support"
        );
        let finding = Finding::error(&IPV6, Kind::Invalid, format!("{SUBNETS}[{i}].id"), message);
        out.push(finding.help("remove the subnet, or write `ipFamily: IPv4`"));
    }
}

/// Every subnet has IPv6 addresses, in the machine networks if these have any of that family. Machines in local zones
/// have IPv4 addresses alone, as those of openshift-install.
fn check_subnets(planning: &Planning<'_>, machines: &[(usize, &Net)], out: &mut Findings) {
    let found = given_subnets::found(planning).into_iter();
    for (i, subnet) in found.filter(|(_, subnet)| given_subnets::is_ordinary(subnet)) {
        let field = format!("{SUBNETS}[{i}].id");
        let Ok(net) = subnet.ipv6_cidr.parse::<IpNet>() else {
            let message =
                format!("subnet {} has no IPv6 addresses, which a dual-stack cluster needs", subnet.id);
            let finding = Finding::error(&IPV6, Kind::Invalid, field, message);
            out.push(finding.help("associate an IPv6 range with the subnet, or write `ipFamily: IPv4`"));
            continue;
        };
        if !machines.is_empty() && !machines.iter().any(|(_, network)| network.contains(net.network())) {
            let message = format!("subnet {} has {net}, which is in no IPv6 machine network", subnet.id);
            let finding = Finding::error(&IPV6, Kind::Invalid, field, message);
            out.push(finding.help(format!("add {net}, or the range of its VPC, to `machineNetwork`")));
        }
    }
}
