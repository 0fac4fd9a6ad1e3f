//! What must stand, as tables: after chapter D of `docs/assets.md`.

/// A cluster that is to stand.
pub struct Cluster {
    /// Release that is installed.
    pub release: &'static str,
    pub region: &'static str,
    /// Partition, as ARNs spell it.
    pub partition: &'static str,
    /// Zones of all machines, in order.
    pub zones: &'static [&'static str],
    pub instance_type: &'static str,
    /// Service principal of EC2 in the partition.
    pub principal: &'static str,
    /// Type of the API's records, and their time to live where they are no aliases.
    pub record: (&'static str, &'static str),
    /// The new network; none where there is one already.
    pub network: Option<Network>,
    /// The image that is copied, where the region has none.
    pub copied: Option<&'static str>,
    /// The user's tags.
    pub tags: &'static [(&'static str, &'static str)],
}

/// A network that is made.
pub struct Network {
    /// Private and public subnets, in the order of the zones.
    pub private: &'static [&'static str],
    pub public: &'static [&'static str],
    /// Domain of host names.
    pub domain: &'static str,
    /// Service of the endpoint of S3.
    pub store: &'static str,
}

/// Range of the machine network, and of a new VPC.
pub const RANGE: &str = "10.0.0.0/16";
/// Everywhere.
pub const ANYWHERE: &str = "0.0.0.0/0";
/// Name and domain of the cluster.
pub const DOMAIN: &str = "demo.example.com";
/// Domain of the public zone.
pub const BASE_DOMAIN: &str = "example.com";
/// Machines of the control plane.
pub const MASTERS: usize = 3;
/// What security groups, roles and interfaces are described by.
pub const DESCRIPTION: &str = "Created By OpenShift Installer";

/// Who may come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The machine networks.
    Network,
    /// The groups with these ends of the name.
    Groups(&'static [&'static str]),
    /// Everybody.
    Anybody,
}

/// Protocol, ports, and who may come in.
pub type Rule = (&'static str, &'static str, Source);

/// End of a group's name, and its rules.
pub type Group = (&'static str, &'static [Rule]);

const NODES: Source = Source::Groups(&["master-sg", "worker-sg"]);

/// Groups of nodes before 4.16: control plane and compute machines.
const GROUPS_4_14: &[Group] = &[
    (
        "master-sg",
        &[
            ("tcp", "22623-22623", Source::Network),
            ("icmp", "-1--1", Source::Network),
            ("tcp", "22-22", Source::Network),
            ("tcp", "6443-6443", Source::Network),
            ("udp", "4789-4789", NODES),
            ("udp", "6081-6081", NODES),
            ("udp", "500-500", NODES),
            ("udp", "4500-4500", NODES),
            ("50", "0-0", NODES),
            ("tcp", "6641-6642", NODES),
            ("tcp", "9000-9999", NODES),
            ("udp", "9000-9999", NODES),
            ("tcp", "10259-10259", NODES),
            ("tcp", "10257-10257", NODES),
            ("tcp", "10250-10250", NODES),
            ("tcp", "2379-2380", Source::Groups(&["master-sg"])),
            ("tcp", "30000-32767", NODES),
            ("udp", "30000-32767", NODES),
        ],
    ),
    (
        "worker-sg",
        &[
            ("icmp", "-1--1", Source::Network),
            ("tcp", "22-22", Source::Network),
            ("udp", "4789-4789", NODES),
            ("udp", "6081-6081", NODES),
            ("udp", "500-500", NODES),
            ("udp", "4500-4500", NODES),
            ("50", "0-0", NODES),
            ("tcp", "9000-9999", NODES),
            ("udp", "9000-9999", NODES),
            ("tcp", "10250-10250", NODES),
            ("tcp", "30000-32767", NODES),
            ("udp", "30000-32767", NODES),
        ],
    ),
];

const ALL_NODES: Source = Source::Groups(&["controlplane", "node"]);
const API_CLIENTS: Source = Source::Groups(&["apiserver-lb", "controlplane", "node"]);

/// Groups of nodes and load balancers from 4.16 on, after `examples-4.19`.
const GROUPS_4_16: &[Group] = &[
    ("apiserver-lb", &[("tcp", "6443-6443", Source::Anybody), ("tcp", "22623-22623", ALL_NODES)]),
    (
        "controlplane",
        &[
            ("icmp", "-1--1", ALL_NODES),
            ("tcp", "22-22", ALL_NODES),
            ("udp", "4789-4789", ALL_NODES),
            ("udp", "6081-6081", ALL_NODES),
            ("udp", "500-500", ALL_NODES),
            ("udp", "4500-4500", ALL_NODES),
            ("50", "0-0", ALL_NODES),
            ("tcp", "6441-6442", ALL_NODES),
            ("tcp", "9000-9999", ALL_NODES),
            ("udp", "9000-9999", ALL_NODES),
            ("tcp", "30000-32767", ALL_NODES),
            ("udp", "30000-32767", ALL_NODES),
            ("tcp", "6443-6443", API_CLIENTS),
            ("tcp", "22623-22623", API_CLIENTS),
            ("tcp", "10257-10257", ALL_NODES),
            ("tcp", "10259-10259", ALL_NODES),
            ("tcp", "2379-2380", Source::Groups(&["controlplane"])),
        ],
    ),
    ("lb", &[("tcp", "6443-6443", Source::Network), ("tcp", "22623-22623", Source::Network)]),
    (
        "node",
        &[
            ("icmp", "-1--1", ALL_NODES),
            ("tcp", "22-22", ALL_NODES),
            ("udp", "4789-4789", ALL_NODES),
            ("udp", "6081-6081", ALL_NODES),
            ("udp", "500-500", ALL_NODES),
            ("udp", "4500-4500", ALL_NODES),
            ("50", "0-0", ALL_NODES),
            ("tcp", "6441-6442", ALL_NODES),
            ("tcp", "9000-9999", ALL_NODES),
            ("udp", "9000-9999", ALL_NODES),
            ("tcp", "30000-32767", ALL_NODES),
            ("udp", "30000-32767", ALL_NODES),
            ("tcp", "30000-32767", Source::Network),
            ("tcp", "10250-10250", ALL_NODES),
        ],
    ),
];

impl Cluster {
    /// Whether names, tags and rules are those from 4.16 on.
    pub fn is_newer(&self) -> bool {
        self.release != "4.14"
    }

    /// The groups besides that of the bootstrap machine.
    pub fn groups(&self) -> &'static [Group] {
        if self.is_newer() { GROUPS_4_16 } else { GROUPS_4_14 }
    }

    /// Ends of the names of the control plane's groups.
    pub fn control_plane_groups(&self) -> &'static [&'static str] {
        if self.is_newer() { &["controlplane", "lb", "node"] } else { &["master-sg"] }
    }

    /// What stands between the infrastructure id and the kind in the names of subnets.
    pub fn subnet_name(&self) -> &'static str {
        if self.is_newer() { "subnet-" } else { "" }
    }

    /// The same in the names of route tables.
    pub fn table_name(&self) -> &'static str {
        if self.is_newer() { "rt-" } else { "" }
    }
}

/// Rules of the bootstrap machine.
pub const BOOTSTRAP_RULES: &[Rule] =
    &[("tcp", "22-22", Source::Anybody), ("tcp", "19531-19531", Source::Anybody)];

/// Target groups: end of the name, port, path of the health check, end of the load balancer's name.
pub const TARGET_GROUPS: &[(&str, &str, &str, &str)] = &[
    ("aint", "6443", "/readyz", "int"),
    ("sint", "22623", "/healthz", "int"),
    ("aext", "6443", "/readyz", "ext"),
];

/// Load balancers: end of the name, scheme, whether they are in public subnets.
pub const BALANCERS: &[(&str, &str, bool)] = &[("int", "internal", false), ("ext", "internet-facing", true)];

/// What compute machines may do.
pub const WORKER_ACTIONS: &[(&str, &str)] = &[("ec2", "DescribeInstances DescribeRegions")];

/// What the bootstrap machine may do; its own Ignition config among it.
pub const BOOTSTRAP_ACTIONS: &[(&str, &str)] =
    &[("ec2", "AttachVolume Describe* DetachVolume"), ("s3", "GetObject")];

/// What control plane machines may do.
pub const MASTER_ACTIONS: &[(&str, &str)] = &[
    (
        "ec2",
        "AttachVolume AuthorizeSecurityGroupIngress CreateSecurityGroup CreateTags CreateVolume DeleteSecurityGroup \
         DeleteVolume Describe* DetachVolume ModifyInstanceAttribute ModifyVolume RevokeSecurityGroupIngress",
    ),
    (
        "elasticloadbalancing",
        "AddTags AttachLoadBalancerToSubnets ApplySecurityGroupsToLoadBalancer CreateListener CreateLoadBalancer \
         CreateLoadBalancerPolicy CreateLoadBalancerListeners CreateTargetGroup ConfigureHealthCheck DeleteListener \
         DeleteLoadBalancer DeleteLoadBalancerListeners DeleteTargetGroup DeregisterInstancesFromLoadBalancer \
         DeregisterTargets Describe* DetachLoadBalancerFromSubnets ModifyListener ModifyLoadBalancerAttributes \
         ModifyTargetGroup ModifyTargetGroupAttributes RegisterInstancesWithLoadBalancer RegisterTargets \
         SetLoadBalancerPoliciesForBackendServer SetLoadBalancerPoliciesOfListener",
    ),
    ("kms", "DescribeKey"),
];

/// Kinds of things that have no tags of their own: they go with what has some, or cannot have any.
pub const UNTAGGED: &[&str] = &["listener", "instance profile"];

/// What there is only for the bootstrap machine, by kind, with the end of the name or of the id.
pub const FOR_BOOTSTRAP: &[(&str, &str)] = &[
    ("bucket", "bootstrap"),
    ("instance profile", "bootstrap-profile"),
    ("interface", ""),
    ("machine", "bootstrap"),
    ("object", "bootstrap.ign"),
    ("role", "bootstrap-role"),
    ("security group", "bootstrap-sg"),
    ("volume", "bootstrap-vol"),
];
