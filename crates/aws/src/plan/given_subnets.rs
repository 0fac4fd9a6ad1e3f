//! Whether existing subnets can be the network of a cluster (`assets.md`, F.2).

use ipnet::IpNet;
use landfall_diagnostics::Findings;
use landfall_model::aws::facts::{AVAILABILITY_ZONE, Subnet};
use landfall_model::config::Net;
use landfall_model::plan::{Since, is_from};

use super::{Planning, cloud_pages, cloud_profile, subnet_roles};

/// Whether machines of ordinary pools can be in a subnet.
pub(super) fn is_ordinary(subnet: &Subnet) -> bool {
    subnet.zone_type.is_empty() || subnet.zone_type == AVAILABILITY_ZONE
}

/// Refuses subnets that do not belong together, or to this cluster.
pub(super) fn check(planning: &Planning<'_>, out: &mut Findings) {
    let found = found(planning);
    check_networks(&found, out);
    check_addresses(planning, &found, out);
    check_owners(planning, &found, out);
    check_untagged(planning, out);
    check_zones(planning, &found, out);
    if lack_private(planning) {
        out.push(cloud_pages::no_private_subnet(found.len()));
    }
}

/// Whether all subnets are known and none of them is private.
pub(super) fn lack_private(planning: &Planning<'_>) -> bool {
    let found = found(planning);
    let complete = !found.is_empty() && found.len() == planning.platform.vpc.subnets.len();
    complete && !found.iter().any(|(_, subnet)| is_ordinary(subnet) && !subnet.public)
}

/// The subnets of the config that something is known of, each with its place in the list.
pub(super) fn found<'a>(planning: &Planning<'a>) -> Vec<(usize, &'a Subnet)> {
    let known: &'a [Subnet] = &planning.facts.subnets;
    let named = planning.platform.vpc.subnets.iter().enumerate();
    named.filter_map(|(i, given)| Some((i, known.iter().find(|subnet| subnet.id == given.id)?))).collect()
}

fn check_networks(found: &[(usize, &Subnet)], out: &mut Findings) {
    let mut placed = found.iter().filter(|(_, subnet)| !subnet.vpc.is_empty());
    let Some(&first) = placed.next() else { return };
    for (i, subnet) in placed.filter(|(_, subnet)| subnet.vpc != first.1.vpc) {
        out.push(cloud_pages::other_network(*i, subnet, first));
    }
}

fn check_addresses(planning: &Planning<'_>, found: &[(usize, &Subnet)], out: &mut Findings) {
    // Facts written by hand may leave the addresses out.
    let lacks_ipv4 = |subnet: &Subnet| {
        is_ordinary(subnet) && subnet.cidr.is_empty() && (planning.asked() || !subnet.ipv6_cidr.is_empty())
    };
    for (i, subnet) in found.iter().filter(|(_, subnet)| lacks_ipv4(subnet)) {
        out.push(cloud_pages::without_ipv4(*i, subnet));
    }
    let networking = planning.case.config.networking.as_ref();
    let given = networking.map(|networking| networking.machine_network.as_slice()).unwrap_or_default();
    let machines: Vec<&Net> = given.iter().filter_map(|network| network.cidr.given()).collect();
    if machines.is_empty() {
        return;
    }
    for (i, subnet) in found {
        let Ok(net) = subnet.cidr.parse::<IpNet>() else { continue };
        if !machines.iter().any(|network| network.contains(net.network())) {
            let shown: Vec<String> = machines.iter().map(ToString::to_string).collect();
            out.push(cloud_pages::outside(*i, subnet, &shown));
        }
    }
}

/// Refuses subnets in zones that a cloud profile, if there is one, does not list.
fn check_zones(planning: &Planning<'_>, found: &[(usize, &Subnet)], out: &mut Findings) {
    let catalogue = planning.case.catalogue;
    let Some(allowance) = &catalogue.allowance else { return };
    for (i, subnet) in found {
        if !catalogue.allows_zone(planning.region(), &subnet.zone) {
            out.push(cloud_profile::subnet_outside(allowance, planning.region(), *i, subnet));
        }
    }
}

fn check_owners(planning: &Planning<'_>, found: &[(usize, &Subnet)], out: &mut Findings) {
    for (i, subnet) in found {
        let others = planning.others(&subnet.owners);
        if !others.is_empty() {
            out.push(cloud_pages::owned(*i, subnet, &others));
        }
    }
    let others = planning.others(&planning.facts.vpc_owners);
    if !others.is_empty() {
        out.push(cloud_pages::vpc_owned(&planning.facts.vpc, &others));
    }
}

/// Refuses other subnets of the network in which the cluster may put load balancers, as openshift-install does from
/// 4.19 on, where the config can name roles instead.
fn check_untagged(planning: &Planning<'_>, out: &mut Findings) {
    let untagged: Vec<&str> = planning.facts.untagged_subnets.iter().map(String::as_str).collect();
    if !untagged.is_empty()
        && is_from(planning.case.release, Since::Today)
        && !subnet_roles::are_given(planning)
    {
        out.push(cloud_pages::untagged(&planning.facts.vpc, &untagged));
    }
}
