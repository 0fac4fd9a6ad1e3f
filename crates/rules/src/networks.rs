//! The networks of a cluster one by one and against each other: `docs/install-config.md`, sections 8.1
//! to 8.5.

use landfall_diagnostics::{Code, Finding, Findings, Kind, Severity, shortened};
use landfall_model::config::{ClusterNetwork, Net, Network, Networking, fold_eq};

use super::Case;

/// The plugin is no longer there.
const TYPE: Code = Code::new("LF0201");
/// The text is a network, but not a subnet.
const SUBNET: Code = Code::new("LF0202");
/// Two networks share addresses.
const OVERLAP: Code = Code::new("LF0203");
/// A service network is too large.
const SMALL: Code = Code::new("LF0204");
/// A network is used by the plugin itself.
const PLUGIN: Code = Code::new("LF0205");
/// A machine's part of the pod network cannot be cut.
const HOST_PREFIX: Code = Code::new("LF0206");
/// Settings of a plugin that is not used.
const OVN_CONFIG: Code = Code::new("LF0207");
/// The join subnet is too small.
const JOIN_SIZE: Code = Code::new("LF0208");
/// The MTU is not available.
const MTU: Code = Code::new("LF0209");
/// A network is used by Docker.
const DOCKER: Code = Code::new("LF0210");
/// The MTU is large for an edge pool.
const EDGE_MTU: Code = Code::new("LF0211");
/// More networks than can be compared.
const TOO_MANY: Code = Code::new("LF0212");

/// The most networks of one sort.
pub const MOST_NETWORKS: usize = 500;

fn net(address: [u8; 4], prefix: u8) -> Option<Net> {
    Network::known(address, prefix).given().copied()
}

fn net6(text: &str) -> Option<Net> {
    text.parse().ok()
}

pub(super) fn check(case: &Case<'_>, out: &mut Findings) {
    let Some(networking) = &case.config.networking else {
        return;
    };
    let sorts = [
        ("machineNetwork", networking.machine_network.len()),
        ("serviceNetwork", networking.service_network.len()),
        ("clusterNetwork", networking.cluster_network.len()),
    ];
    for (name, count) in sorts.iter().filter(|(_, count)| *count > MOST_NETWORKS) {
        let message = format!("{count} networks, at most {MOST_NETWORKS} are accepted");
        out.push(Finding::error(&TOO_MANY, Kind::TooMany, format!("networking.{name}"), message));
    }
    check_type(networking, out);
    if sorts.iter().all(|(_, count)| *count <= MOST_NETWORKS) {
        let view = View::new(networking);
        check_machine_networks(&view, out);
        check_service_networks(&view, out);
        check_cluster_networks(&view, out);
        check_join_subnet(&view, out);
    }
    check_mtu(case, networking, out);
}

fn is_ovn(networking: &Networking) -> bool {
    fold_eq(&networking.network_type, "OVNKubernetes")
}

fn check_type(networking: &Networking, out: &mut Findings) {
    let field = "networking.networkType";
    let name = &networking.network_type;
    for removed in ["Kuryr", "OpenShiftSDN"] {
        if fold_eq(name, removed) {
            let message = format!("the plugin {removed} is no longer part of OpenShift");
            let finding = Finding::error(&TYPE, Kind::Invalid, field, message);
            out.push(finding.help("write `networkType: OVNKubernetes`"));
        }
    }
    if networking.ovn_kubernetes_config.is_some() && !is_ovn(networking) {
        let message = format!("`ovnKubernetesConfig` does not apply to the plugin `{}`", shortened(name));
        out.push(
            Finding::error(&OVN_CONFIG, Kind::Invalid, field, message)
                .help("remove `ovnKubernetesConfig`, or write `networkType: OVNKubernetes`")
                .related("given here", "networking.ovnKubernetesConfig"),
        );
    }
}

/// The networks of a config, with what to compare them against.
struct View<'a> {
    networking: &'a Networking,
    machine: Vec<Option<Net>>,
    service: Vec<Option<Net>>,
    cluster: Vec<Option<Net>>,
    join: Option<Net>,
    plugin: Vec<(&'static str, Net)>,
    docker: Option<Net>,
}

impl<'a> View<'a> {
    fn new(networking: &'a Networking) -> Self {
        let ovn = networking.ovn_kubernetes_config.as_ref().and_then(|ovn| ovn.ipv4.as_ref());
        let join = ovn.and_then(|ipv4| ipv4.internal_join_subnet.given().copied());
        let default_join = if join.is_none() { net([100, 64, 0, 0], 16) } else { None };
        let plugin = [
            ("join", default_join),
            ("transit", net([100, 88, 0, 0], 16)),
            ("masquerade", net([169, 254, 0, 0], 17)),
            ("join", net6("fd98::/64")),
            ("transit", net6("fd97::/64")),
            ("masquerade", net6("fd69::/112")),
        ];
        let plugin = plugin.into_iter().filter_map(|(name, net)| net.map(|net| (name, net)));
        let nets = |list: &mut dyn Iterator<Item = &Network>| list.map(|n| n.given().copied()).collect();
        Self {
            networking,
            machine: nets(&mut networking.machine_network.iter().map(|n| &n.cidr)),
            service: nets(&mut networking.service_network.iter()),
            cluster: nets(&mut networking.cluster_network.iter().map(|n| &n.cidr)),
            join,
            plugin: if is_ovn(networking) { plugin.collect() } else { Vec::new() },
            docker: net([172, 17, 0, 0], 16),
        }
    }

    /// Compares a network with the plugin's subnets and with Docker's.
    fn check_plugin(&self, net: &Net, field: &str, at: &str, out: &mut Findings) {
        for (name, subnet) in self.plugin.iter().filter(|(_, subnet)| subnet.overlaps(net)) {
            let message = format!("{net} overlaps the plugin's {name} subnet {subnet}");
            let help = if *name == "join" && subnet.is_ipv4() {
                "choose another network, or move the subnet with \
                 `networking.ovnKubernetesConfig.ipv4.internalJoinSubnet`"
            } else {
                "choose another network"
            };
            out.push(Finding::error(&PLUGIN, Kind::Invalid, field, message).help(help).at(at));
        }
        if let Some(docker) = self.docker.filter(|docker| docker.overlaps(net)) {
            let message = format!("{net} overlaps {docker}, which Docker uses on its machines");
            let finding = Finding::warning(&DOCKER, Kind::Invalid, field, message).at(at);
            out.push(finding.help("choose another network, unless no machine runs Docker"));
        }
    }
}

/// Refuses a network that does not begin at its first address; true if it does.
fn check_subnet(net: &Net, field: &str, at: &str, out: &mut Findings) -> bool {
    let first = net.net.trunc();
    let (message, help) = if net.address().is_unspecified() {
        (format!("{net} has no address"), "write the network's first address".to_owned())
    } else if first == net.net {
        return true;
    } else {
        (format!("{net} is an address with a prefix, not a network"), format!("write {first}"))
    };
    out.push(Finding::error(&SUBNET, Kind::Invalid, field, message).help(help).at(at));
    false
}

/// Reports every overlap of a network with those of a list. To the installer, networks without a CIDR share all
/// addresses.
fn check_overlaps(
    net: Option<&Net>,
    (field, at): (&str, &str),
    others: &[Option<Net>],
    sort: &str,
    place: impl Fn(usize) -> String,
    out: &mut Findings,
) {
    for (j, other) in others.iter().enumerate() {
        let (message, help) = match (net, other) {
            (Some(net), Some(other)) if other.overlaps(net) => {
                (format!("{net} overlaps the {sort} network {other}"), "choose networks that do not overlap")
            }
            (None, None) => {
                let message = format!("neither this network nor the {sort} network has a CIDR");
                (message, "add the CIDR of both, or remove one")
            }
            _ => continue,
        };
        if out.is_full(Severity::Error) {
            return;
        }
        out.push(
            Finding::error(&OVERLAP, Kind::Invalid, field, message)
                .help(help)
                .at(at)
                .related(format!("the {sort} network"), place(j)),
        );
    }
}

fn machine_place(j: usize) -> String {
    format!("networking.machineNetwork[{j}].cidr")
}

fn service_place(j: usize) -> String {
    format!("networking.serviceNetwork[{j}]")
}

fn cluster_place(j: usize) -> String {
    format!("networking.clusterNetwork[{j}].cidr")
}

fn check_machine_networks(view: &View<'_>, out: &mut Findings) {
    for (i, net) in view.machine.iter().enumerate() {
        let (field, at) = (format!("networking.machineNetwork[{i}]"), machine_place(i));
        if let Some(net) = net {
            if !check_subnet(net, &field, &at, out) {
                continue;
            }
            view.check_plugin(net, &field, &at, out);
        }
        check_overlaps(net.as_ref(), (&field, &at), &view.machine[..i], "machine", machine_place, out);
    }
}

fn check_service_networks(view: &View<'_>, out: &mut Findings) {
    for (i, net) in view.service.iter().enumerate() {
        let field = service_place(i);
        if let Some(net) = net {
            if !check_subnet(net, &field, &field, out) {
                continue;
            }
            let least = if net.is_ipv4() { 12 } else { 108 };
            if net.net.prefix_len() < least {
                let message = format!("{net} is too large for services; /{least} or smaller is accepted");
                let finding = Finding::error(&SMALL, Kind::Invalid, field.clone(), message);
                out.push(finding.help("a /16 (or /112 for IPv6) is recommended"));
                continue;
            }
            view.check_plugin(net, &field, &field, out);
        }
        let net = net.as_ref();
        check_overlaps(net, (&field, &field), &view.machine, "machine", machine_place, out);
        check_overlaps(net, (&field, &field), &view.service[..i], "service", service_place, out);
    }
}

fn check_cluster_networks(view: &View<'_>, out: &mut Findings) {
    for (i, entry) in view.networking.cluster_network.iter().enumerate() {
        let field = cluster_place(i);
        let net = entry.cidr.given();
        if let Some(net) = net {
            if !check_subnet(net, &field, &field, out) {
                continue;
            }
            view.check_plugin(net, &field, &field, out);
        }
        check_overlaps(net, (&field, &field), &view.machine, "machine", machine_place, out);
        check_overlaps(net, (&field, &field), &view.service, "service", service_place, out);
        check_overlaps(net, (&field, &field), &view.cluster[..i], "pod", cluster_place, out);
        if view.networking.network_type == "OVNKubernetes" || entry.host_prefix != 0 {
            check_host_prefix(view, i, entry, out);
        }
    }
}

fn check_host_prefix(view: &View<'_>, i: usize, entry: &ClusterNetwork, out: &mut Findings) {
    let prefix = entry.host_prefix;
    let (ones, bits) = entry.cidr.given().map_or((0, 0), |net| (net.ones, net.bits));
    let earlier = view.networking.cluster_network.iter().take(i);
    let differing =
        earlier.enumerate().find(|(_, other)| other.cidr.is_ipv4() && other.host_prefix != prefix);
    let field = format!("networking.clusterNetwork[{i}].hostPrefix");
    let fault = |message: String, help: &str| {
        Finding::error(&HOST_PREFIX, Kind::Invalid, field.clone(), message).help(help)
    };
    if prefix < 0 {
        let help = "set the prefix length of each machine's subnet, such as 23";
        out.push(fault(format!("the host prefix {prefix} is negative"), help));
    } else if prefix < i32::from(ones) {
        let message = match prefix {
            0 => "the host prefix is missing".to_owned(),
            _ => format!("a /{prefix} for each machine does not fit into the network's /{ones}"),
        };
        out.push(fault(message, "write a larger number, such as `hostPrefix: 23`"));
    } else if let (32, Some((j, other))) = (bits, differing) {
        let message =
            format!("the host prefix {prefix} differs from {} of an earlier network", other.host_prefix);
        let first = format!("networking.clusterNetwork[{j}].hostPrefix");
        out.push(
            fault(message, "use one host prefix for all IPv4 networks").related("the earlier one", first),
        );
    } else if bits == 128 && prefix != 64 {
        let message = format!("the host prefix {prefix} cannot be used for IPv6");
        out.push(fault(message, "write `hostPrefix: 64`"));
    }
}

fn check_join_subnet(view: &View<'_>, out: &mut Findings) {
    let field = "networking.ovnKubernetesConfig.ipv4.internalJoinSubnet";
    let Some(join) = view.join.filter(|join| check_subnet(join, field, field, out)) else {
        return;
    };
    check_overlaps(Some(&join), (field, field), &view.cluster, "pod", cluster_place, out);
    check_overlaps(Some(&join), (field, field), &view.machine, "machine", machine_place, out);
    check_overlaps(Some(&join), (field, field), &view.service, "service", service_place, out);
    // The OpenShift installer computes with 64 bits, and a network with more nodes than that counts for none.
    let mut nodes: i64 = 0;
    // A network without a CIDR counts as one with the prefix 0.
    let is_counted = |entry: &&ClusterNetwork| entry.cidr.given().is_none_or(Net::is_ipv4);
    for entry in view.networking.cluster_network.iter().filter(is_counted) {
        let ones = entry.cidr.given().map_or(0, |net| i32::from(net.ones));
        let Ok(bits) = u32::try_from(i64::from(entry.host_prefix) - i64::from(ones)) else {
            let message = "the number of machines cannot be computed from the pod networks' host prefixes";
            let finding = Finding::error(&JOIN_SIZE, Kind::InternalError, field, message);
            out.push(finding.help("correct the host prefixes first"));
            return;
        };
        nodes = nodes.wrapping_add(1_i64.checked_shl(bits).unwrap_or_default());
    }
    let host_bits = 32_u32.saturating_sub(u32::from(join.ones));
    let addresses = 1_i64 << host_bits;
    if nodes >= addresses.saturating_sub(3) {
        let message = format!("{join} has {addresses} addresses, too few for the {nodes} possible machines");
        let help = "choose a larger join subnet, or smaller pod networks";
        out.push(Finding::error(&JOIN_SIZE, Kind::Invalid, field, message).help(help));
    }
}

fn check_mtu(case: &Case<'_>, networking: &Networking, out: &mut Findings) {
    let mtu = networking.cluster_network_mtu;
    if mtu == 0 || case.is_foreign() {
        return;
    }
    let field = "networking.clusterNetworkMTU";
    let fault = if !case.active.is_some_and(|platform| platform.mtu) {
        "the MTU of the pod network can be set on aws only".to_owned()
    } else if mtu > 9001 {
        format!("an MTU of {mtu} is more than the 9001 of the machines' network")
    } else if mtu < 1000 {
        format!("an MTU of {mtu} is less than 1000")
    } else if networking.network_type != "OVNKubernetes" {
        "the MTU of the pod network can be set with OVNKubernetes only".to_owned()
    } else if mtu > 8901 {
        format!("an MTU of {mtu} is too large: OVNKubernetes needs 100 of the 9001 bytes")
    } else {
        if mtu > 1200 && case.config.compute.iter().any(|pool| pool.name == "edge") {
            let message = format!("an MTU of {mtu} is more than Local Zones support to their region");
            let finding = Finding::warning(&EDGE_MTU, Kind::Invalid, field, message);
            out.push(finding.help("write `clusterNetworkMTU: 1200`"));
        }
        return;
    };
    let finding = Finding::error(&MTU, Kind::Invalid, field, fault);
    out.push(finding.help("remove the field, or write 1000 to 8901 on aws"));
}
