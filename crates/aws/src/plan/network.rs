//! The machines' network: existing subnets, or the addresses of new ones (`assets.md`, D.2 and F.2).

use std::collections::{BTreeMap, BTreeSet};

use ipnet::{IpNet, Ipv4Net};
use landfall_diagnostics::Findings;
use landfall_model::aws::facts::Subnet;
use landfall_model::aws::planned::{EdgeSubnet, Network, NewSubnet, Pool};
use landfall_model::plan::Cluster;

use super::given_subnets::{self, is_ordinary};
use super::{Planning, cloud_pages, pages};

/// AWS makes no subnet that is smaller.
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
    Some(Network::Existing { vpc: facts.vpc.clone(), private, public, edge })
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
    // Rules have refused a config without an IPv4 network of machines.
    let vpc = v4.next()?;
    let vpc = vpc.trunc();
    let all = || control_plane.into_iter().chain(compute);
    let zones: BTreeSet<&String> = all()
        .flat_map(|pool| pool.zones.iter().filter(|zone| !pool.local_zones.contains_key(*zone)))
        .collect();
    let local: BTreeSet<&String> = all().flat_map(|pool| pool.local_zones.keys()).collect();
    if zones.is_empty() {
        return None;
    }
    let subnets = subnets(vpc, &zones, &local);
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

fn halves(net: Ipv4Net) -> Option<(Ipv4Net, Ipv4Net)> {
    let mut parts = net.subnets(net.prefix_len() + 1).ok()?;
    parts.next().zip(parts.next())
}

/// One part of `pool` for each zone: as many bits as it takes to count them.
fn cut(pool: Ipv4Net, zones: &BTreeSet<&String>, public: bool) -> Option<Vec<NewSubnet>> {
    let bits = u8::try_from(zones.len().next_power_of_two().trailing_zeros()).ok()?;
    let prefix = pool.prefix_len().checked_add(bits).filter(|prefix| *prefix <= LONGEST_PREFIX)?;
    let parts = pool.subnets(prefix).ok()?;
    let subnet =
        |(zone, net): (&&String, Ipv4Net)| NewSubnet { zone: (*zone).clone(), public, cidr: net.to_string() };
    Some(zones.iter().zip(parts).map(subnet).collect())
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
    fn a_network_can_be_too_small() {
        assert_eq!(cidrs("10.0.0.0/26", &["a", "b", "c"], &[]), None);
        assert!(cidrs("10.0.0.0/25", &["a", "b", "c"], &[]).is_some());
    }
}
