//! The machines' network: existing subnets, or the addresses of new ones (`assets.md`, D.2 and F.2).

use std::collections::{BTreeMap, BTreeSet};

use ipnet::{IpNet, Ipv4Net, Ipv4Subnets};
use landfall_diagnostics::Findings;
use landfall_model::aws::facts::Subnet;
use landfall_model::aws::planned::{EdgeSubnet, Network, NewSubnet, Pool};
use landfall_model::plan::{Cluster, Since, in_turn, is_from};

use super::given_subnets::{self, is_ordinary};
use super::{Planning, cloud_pages, pages, subnet_roles};

/// AWS creates no VPC that is larger.
const SHORTEST_PREFIX: u8 = 16;
/// AWS creates no VPC and no subnet that is smaller.
const LONGEST_PREFIX: u8 = 28;

/// The network that the config's subnets are in; none when it names no subnets.
pub(super) fn existing(planning: &Planning<'_>, out: &mut Findings) -> Option<Network> {
    if !planning.existing_network() {
        return None;
    }
    let facts = planning.facts;
    let named: Vec<&str> = planning.platform.vpc.subnets.iter().map(|subnet| subnet.id.as_str()).collect();
    let known = |id: &&str| facts.subnets.iter().find(|subnet| subnet.id == **id);
    for (i, id) in named.iter().enumerate() {
        if known(id).is_none() {
            out.push(if planning.asked() {
                cloud_pages::no_such_subnet(i, id, planning.region())
            } else {
                pages::subnet_not_known(i, id, planning.offline())
            });
        }
    }
    given_subnets::check(planning, out);
    if subnet_roles::are_given(planning) {
        return Some(subnet_roles::network(planning, out));
    }
    let subnets: Vec<&Subnet> = named.iter().filter_map(known).collect();
    let mut by_zone = |public: bool| -> BTreeMap<String, String> {
        let mut found: BTreeMap<String, String> = BTreeMap::new();
        for subnet in subnets.iter().filter(|subnet| is_ordinary(subnet) && subnet.public == public) {
            if let Some(first) = found.get(&subnet.zone) {
                out.push(pages::two_subnets(&subnet.zone, public, first, &subnet.id));
            }
            found.entry(subnet.zone.clone()).or_insert_with(|| subnet.id.clone());
        }
        found
    };
    let (private, public) = (by_zone(false), by_zone(true));
    if Cluster::of(planning.case.config).external_api {
        for zone in private.keys().filter(|zone| !public.contains_key(*zone)) {
            out.push(pages::no_public_subnet(zone));
        }
    }
    let mut edge: BTreeMap<String, EdgeSubnet> = BTreeMap::new();
    for subnet in subnets.iter().filter(|subnet| !is_ordinary(subnet)) {
        if let Some(first) = edge.get(&subnet.zone) {
            out.push(pages::two_edge_subnets(&subnet.zone, &first.id, &subnet.id));
        }
        let known = EdgeSubnet { id: subnet.id.clone(), public: subnet.public };
        edge.entry(subnet.zone.clone()).or_insert(known);
    }
    Some(Network::Existing { vpc: facts.vpc.clone(), private, public, edge, roles: None })
}

/// The addresses of a new network and its subnets.
pub(super) fn new(
    planning: &Planning<'_>,
    control_plane: Option<&Pool>,
    compute: &[Pool],
    out: &mut Findings,
) -> Option<Network> {
    let networking = planning.case.config.networking.as_ref();
    let machines = networking.iter().flat_map(|n| n.machine_network.iter().filter_map(|m| m.cidr.given()));
    let mut v4 = machines.filter_map(|net| if let IpNet::V4(v4) = net.net { Some(v4) } else { None });
    // The OpenShift installer accepts a config without one.
    let Some(vpc) = v4.next() else {
        out.push(pages::no_ipv4_network());
        return None;
    };
    let vpc = vpc.trunc();
    if vpc.prefix_len() < SHORTEST_PREFIX {
        out.push(pages::network_too_large(&vpc.to_string(), SHORTEST_PREFIX));
        return None;
    }
    let newer = is_from(planning.case.release, Since::ClusterApi);
    // The older layout has subnets only where the first machines of the control plane are.
    let control_plane = control_plane.map_or_else(Vec::new, |pool| {
        let first = in_turn(&pool.zones, pool.replicas).collect::<BTreeSet<&str>>();
        pool.zones.iter().filter(|zone| newer || first.contains(zone.as_str())).collect()
    });
    let ordinary = compute.iter().flat_map(|pool| {
        let is_local = |zone: &&String| pool.local_zones.contains_key(*zone);
        pool.zones.iter().filter(move |zone| !is_local(zone))
    });
    let zones: BTreeSet<&String> = control_plane.into_iter().chain(ordinary).collect();
    let local: BTreeSet<&String> = compute.iter().flat_map(|pool| pool.local_zones.keys()).collect();
    if zones.is_empty() {
        return None;
    }
    let subnets = if newer { blocks(vpc, &zones, &local) } else { subnets(vpc, &zones, &local) };
    if subnets.is_none() {
        out.push(pages::network_too_small(&vpc.to_string(), zones.len() + local.len()));
    }
    Some(Network::New { cidr: vpc.to_string(), subnets: subnets? })
}

/// Cuts the network into a private and a public half, and each half into one part for each zone. Local
/// zones share the second half of the public one. None when the parts would be too small.
fn subnets(vpc: Ipv4Net, zones: &BTreeSet<&String>, local: &BTreeSet<&String>) -> Option<Vec<NewSubnet>> {
    let (mut private, mut public) = halves(vpc)?;
    let mut edge = None;
    if zones.len() == 1 {
        // Room to grow: a single zone takes half of its half.
        private = halves(private)?.0;
        if local.is_empty() {
            public = halves(public)?.0;
        }
    }
    if !local.is_empty() {
        let (ordinary, rest) = halves(public)?;
        public = if zones.len() == 1 { halves(ordinary)?.0 } else { ordinary };
        let (mut private_edge, mut public_edge) = halves(rest)?;
        if local.len() == 1 {
            (private_edge, public_edge) = (halves(private_edge)?.0, halves(public_edge)?.0);
        }
        edge = Some((private_edge, public_edge));
    }
    let mut subnets = cut(private, zones, false)?;
    subnets.extend(cut(public, zones, true)?);
    if let Some((private_edge, public_edge)) = edge {
        subnets.extend(cut(private_edge, local, false)?);
        subnets.extend(cut(public_edge, local, true)?);
    }
    Some(subnets)
}

/// Cuts the network into equal blocks (from 4.16 on): a private subnet for each zone, one block that the public
/// subnets share, one that the subnets of local zones share, and at least one that stays free, as does a part of that of
/// local zones.
fn blocks(vpc: Ipv4Net, zones: &BTreeSet<&String>, local: &BTreeSet<&String>) -> Option<Vec<NewSubnet>> {
    let shared = 1 + usize::from(!local.is_empty());
    let mut blocks = parts(vpc, zones.len() + shared + 1)?;
    let mut subnets = Vec::new();
    add(&mut subnets, zones, false, &mut blocks);
    add(&mut subnets, zones, true, &mut parts(blocks.next()?, zones.len())?);
    if !local.is_empty() {
        let mut edge = parts(blocks.next()?, 2 * local.len() + 1)?;
        add(&mut subnets, local, false, &mut edge);
        add(&mut subnets, local, true, &mut edge);
    }
    Some(subnets)
}

/// Adds a subnet in each zone.
fn add(
    to: &mut Vec<NewSubnet>,
    zones: &BTreeSet<&String>,
    public: bool,
    nets: &mut impl Iterator<Item = Ipv4Net>,
) {
    let made =
        |(zone, net): (&&String, Ipv4Net)| NewSubnet { zone: (*zone).clone(), public, cidr: net.to_string() };
    to.extend(zones.iter().zip(nets).map(made));
}

/// Equal parts of a network, at least `count`; none where AWS makes no network as small.
fn parts(net: Ipv4Net, count: usize) -> Option<Ipv4Subnets> {
    let bits = u8::try_from(count.next_power_of_two().trailing_zeros()).ok()?;
    let prefix = net.prefix_len().checked_add(bits).filter(|prefix| *prefix <= LONGEST_PREFIX)?;
    net.subnets(prefix).ok()
}

fn halves(net: Ipv4Net) -> Option<(Ipv4Net, Ipv4Net)> {
    let mut parts = net.subnets(net.prefix_len() + 1).ok()?;
    parts.next().zip(parts.next())
}

/// One part of `pool` for each zone: as many bits as it takes to count them.
fn cut(pool: Ipv4Net, zones: &BTreeSet<&String>, public: bool) -> Option<Vec<NewSubnet>> {
    let mut subnets = Vec::new();
    add(&mut subnets, zones, public, &mut parts(pool, zones.len())?);
    Some(subnets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cidrs(vpc: &str, zones: &[&str], local: &[&str]) -> Option<Vec<String>> {
        let owned = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<String>>();
        let (zones, local) = (owned(zones), owned(local));
        let subnets = subnets(vpc.parse().ok()?, &zones.iter().collect(), &local.iter().collect())?;
        Some(subnets.into_iter().map(|subnet| subnet.cidr).collect())
    }

    #[test]
    fn cuts_a_network_as_the_specification_shows() {
        let three = cidrs("10.0.0.0/16", &["a", "b", "c"], &[]).unwrap_or_default();
        assert_eq!(
            three,
            [
                "10.0.0.0/19",
                "10.0.32.0/19",
                "10.0.64.0/19",
                "10.0.128.0/19",
                "10.0.160.0/19",
                "10.0.192.0/19"
            ]
        );
        let one = cidrs("10.0.0.0/16", &["a"], &[]).unwrap_or_default();
        assert_eq!(one, ["10.0.0.0/18", "10.0.128.0/18"]);
    }

    #[test]
    fn local_zones_share_a_quarter() {
        let with = cidrs("10.0.0.0/16", &["a", "b"], &["l"]).unwrap_or_default();
        assert_eq!(with.len(), 6);
        assert_eq!(&with[2..4], ["10.0.128.0/19", "10.0.160.0/19"]);
        assert_eq!(&with[4..], ["10.0.192.0/20", "10.0.224.0/20"]);
    }

    #[test]
    fn from_4_16_on_a_network_is_cut_into_equal_blocks() {
        let zones = ["a", "b", "c"].map(str::to_owned);
        let local = ["l".to_owned()];
        let cidrs = |zones: &[String], local: &[String]| -> Vec<String> {
            let vpc = Ipv4Net::new_assert(std::net::Ipv4Addr::new(10, 0, 0, 0), 16);
            let subnets = blocks(vpc, &zones.iter().collect(), &local.iter().collect()).unwrap_or_default();
            subnets.into_iter().map(|subnet| subnet.cidr).collect()
        };
        let private = ["10.0.0.0/19", "10.0.32.0/19", "10.0.64.0/19"];
        let public = ["10.0.96.0/21", "10.0.104.0/21", "10.0.112.0/21"];
        let wanted: Vec<&str> = private.into_iter().chain(public).collect();
        assert_eq!(cidrs(&zones, &[]), wanted);
        let edge = ["10.0.128.0/21", "10.0.136.0/21"];
        assert_eq!(cidrs(&zones, &local), wanted.into_iter().chain(edge).collect::<Vec<&str>>());
        assert_eq!(cidrs(&zones[..1], &[]), ["10.0.0.0/18", "10.0.64.0/18"]);
    }

    #[test]
    fn a_network_can_be_too_small() {
        assert_eq!(cidrs("10.0.0.0/26", &["a", "b", "c"], &[]), None);
        assert!(cidrs("10.0.0.0/25", &["a", "b", "c"], &[]).is_some());
    }
}
