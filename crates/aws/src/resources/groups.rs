//! Security groups, and who may talk to whom.

use serde_json::{Value, json};

use super::network::{EVERYWHERE, EVERYWHERE_IPV6, Network};
use super::variables::Layout;
use super::{Builder, DESCRIPTION, id};
use crate::tags::CLUSTER;

/// A range of ports: protocol, first and last.
type Ports = (&'static str, i32, i32);

/// The pod network and the services of nodes: open to all nodes on every node.
const POD_NETWORK: &[Ports] = &[
    ("icmp", -1, -1),
    ("tcp", 22, 22),
    ("udp", 4789, 4789),
    ("udp", 6081, 6081),
    ("udp", 500, 500),
    ("udp", 4500, 4500),
    ("50", 0, 0),
    ("tcp", 6441, 6442),
    ("tcp", 9000, 9999),
    ("udp", 9000, 9999),
    NODE_PORTS,
    ("udp", 30000, 32767),
];
const NODE_PORTS: Ports = ("tcp", 30000, 32767);
const API: Ports = ("tcp", 6443, 6443);
const CONFIG_SERVER: Ports = ("tcp", 22623, 22623);
const CONTROL_PLANE: &[Ports] = &[("tcp", 10259, 10259), ("tcp", 10257, 10257)];
const ETCD: &[Ports] = &[("tcp", 2379, 2380)];
const KUBELET: &[Ports] = &[("tcp", 10250, 10250)];
const ALL: Ports = ("-1", 0, 0);
/// Beside the pod network in a dual-stack cluster.
const ICMPV6: Ports = ("icmpv6", -1, -1);

/// Group, groups that may send to it, and to which ports.
const BETWEEN: &[(&str, &[&str], &[Ports])] = &[
    ("controlplane", &["controlplane", "node"], POD_NETWORK),
    ("node", &["controlplane", "node"], POD_NETWORK),
    ("controlplane", &["apiserver-lb", "controlplane", "node"], &[API, CONFIG_SERVER]),
    ("controlplane", &["controlplane", "node"], CONTROL_PLANE),
    ("node", &["controlplane", "node"], KUBELET),
    ("apiserver-lb", &["controlplane", "node"], &[CONFIG_SERVER]),
    ("controlplane", &["controlplane"], ETCD),
];

/// The groups. Each is also the end of a name.
const GROUPS: &[&str] = &["apiserver-lb", "controlplane", "lb", "node"];

/// In the older layout, open to all nodes on every node.
const OLDER_NODE: &[Ports] = &[
    ("udp", 4789, 4789),
    ("udp", 6081, 6081),
    ("udp", 500, 500),
    ("udp", 4500, 4500),
    ("50", 0, 0),
    ("tcp", 9000, 9999),
    ("udp", 9000, 9999),
    ("tcp", 10250, 10250),
    NODE_PORTS,
    ("udp", 30000, 32767),
];
/// The same on machines of the control plane alone.
const OLDER_CONTROL_PLANE: &[Ports] = &[("tcp", 6641, 6642), ("tcp", 10259, 10259), ("tcp", 10257, 10257)];
/// Open to the machine networks.
const OLDER_OUTSIDE: &[Ports] = &[("icmp", -1, -1), ("tcp", 22, 22)];

/// The groups of a machine of the control plane.
pub(super) fn control_plane_groups(layout: Layout) -> Vec<Value> {
    let roles: &[&str] = match layout {
        Layout::Older => &["master"],
        Layout::ClusterApi => &["node", "lb", "controlplane"],
    };
    roles.iter().map(|role| id(&group_name(role))).collect()
}

fn rule((protocol, from, to): Ports, source: &Value) -> Value {
    json!({ "protocol": protocol, "from": from, "to": to, "source": source })
}

impl Builder<'_> {
    /// The groups and their rules.
    pub(super) fn groups(&mut self, network: &Network) {
        match self.vars.aws_layout {
            Layout::Older => self.older_groups(network),
            Layout::ClusterApi => self.cluster_api_groups(network),
        }
    }

    /// A group for each kind of node.
    fn older_groups(&mut self, network: &Network) {
        const ROLES: [&str; 2] = ["master", "worker"];
        for role in ROLES {
            let end = format!("{role}-sg");
            let tags = self.tags_named(&end);
            self.group(network, role, &end, &tags);
        }
        let machines: Vec<Value> = self.vars.machine_v4_cidrs.iter().map(|cidr| json!(cidr)).collect();
        for role in ROLES {
            let is_master = role == "master";
            let outside = OLDER_OUTSIDE.iter().chain(if is_master { &[API, CONFIG_SERVER][..] } else { &[] });
            let mut ingress: Vec<Value> =
                outside.flat_map(|ports| machines.iter().map(|cidr| rule(*ports, cidr))).collect();
            let nodes = || OLDER_NODE.iter().chain(if is_master { OLDER_CONTROL_PLANE } else { &[] });
            for source in ROLES {
                let source = id(&group_name(source));
                ingress.extend(nodes().map(|ports| rule(*ports, &source)));
            }
            if is_master {
                let source = id(&group_name(role));
                ingress.extend(ETCD.iter().map(|ports| rule(*ports, &source)));
            }
            self.rules(role, &ingress, &[rule(ALL, &json!(EVERYWHERE))]);
        }
    }

    /// A group for each thing that is done: being a node, being of the control plane, being in front of the API
    /// servers, and the one whose rules the cluster's cloud controller writes.
    fn cluster_api_groups(&mut self, network: &Network) {
        for role in GROUPS {
            let mut tags = self.role_tags(role, role);
            // The cluster's cloud controller refuses a machine with two groups that have the ownership tag.
            if *role != "lb" {
                tags.remove(&format!("{CLUSTER}{}", self.vars.cluster_id));
            }
            self.group(network, role, role, &tags);
        }
        let is_dual_stack = self.vars.is_dual_stack();
        let given = self.vars.machine_v4_cidrs.iter().chain(&self.vars.machine_v6_cidrs);
        let machines: Vec<Value> = given.map(|cidr| json!(cidr)).chain(network.ipv6.clone()).collect();
        let everywhere: Vec<Value> = [EVERYWHERE]
            .into_iter()
            .chain(is_dual_stack.then_some(EVERYWHERE_IPV6))
            .map(Value::from)
            .collect();
        let egress: Vec<Value> = everywhere.iter().map(|range| rule(ALL, range)).collect();
        for role in GROUPS {
            let mut ingress = Vec::new();
            for (_, sources, ports) in BETWEEN.iter().filter(|(group, ..)| group == role) {
                for source in *sources {
                    let source = id(&group_name(source));
                    ingress.extend(ports.iter().map(|ports| rule(*ports, &source)));
                    if is_dual_stack && *ports == POD_NETWORK {
                        ingress.push(rule(ICMPV6, &source));
                    }
                }
            }
            match *role {
                "node" => ingress.extend(machines.iter().map(|cidr| rule(NODE_PORTS, cidr))),
                "apiserver-lb" => ingress.extend(everywhere.iter().map(|range| rule(API, range))),
                // A load balancer sends from its own addresses, which may lie outside the machine networks in a VPC
                // of the user's.
                "lb" => {
                    for source in network.given_range.iter().chain(&machines) {
                        ingress.extend([API, CONFIG_SERVER].map(|ports| rule(ports, source)));
                    }
                }
                _ => {}
            }
            self.rules(role, &ingress, &egress);
        }
    }

    pub(super) fn group(&mut self, network: &Network, role: &str, end: &str, tags: &super::Tags) -> String {
        let name = self.named(end);
        let group = json!({ "name": name, "description": DESCRIPTION, "vpc": network.vpc, "tags": tags });
        self.add("security-group", role, group, &[])
    }

    pub(super) fn rules(&mut self, role: &str, ingress: &[Value], egress: &[Value]) {
        let rules = json!({
            "group": id(&group_name(role)),
            "description": DESCRIPTION,
            "ingress": ingress,
            "egress": egress,
        });
        self.add("security-group-rules", role, rules, &[]);
    }
}

/// The name of a group in the graph.
pub(super) fn group_name(role: &str) -> String {
    format!("security-group/{role}")
}
