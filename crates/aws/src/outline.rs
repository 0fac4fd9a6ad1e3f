//! What the modules make of a plan on AWS, stage by stage: `assets.md`, D.2 to D.6.
//!
//! The counts follow `templates/terraform/aws`; a test evaluates the modules and compares.

mod charges;

use std::borrow::Borrow;
use std::collections::BTreeSet;

use landfall_model::catalogue::Catalogue;
use landfall_model::plan::outline::{Adopted, Item, Later, Outline, number};
use landfall_model::plan::{Plan, Since, in_turn};

use super::config::Platform;
use super::ignition::keeps_ignition;
use super::permissions::is_wavelength;
use super::planned::{self, Hosts, Network, NewSubnet, Pool};
use super::{EDGE, STAGES, permissions};
pub(super) use charges::charges;

/// The stage of what stays, and that of what goes with the bootstrap machine.
const CLUSTER: &str = STAGES[0].name;
const BOOTSTRAP: &str = STAGES[1].name;

/// Ports that every node has open to the machine networks.
const NETWORK_PORTS: u32 = 2;
/// Ports that control plane machines have open to the machine networks besides: those of the API.
const API_PORTS: u32 = 2;
/// Ports that every node has open to all nodes.
const NODE_PORTS: u32 = 10;
/// Ports that control plane machines have open to all nodes besides.
const CONTROL_PLANE_PORTS: u32 = 3;
/// Ports that control plane machines have open among themselves besides: those of etcd.
const ETCD_PORTS: u32 = 1;
/// Groups of nodes: control plane and compute machines.
const GROUPS: u32 = 2;
/// Rules of the groups of nodes; each group has one for what goes out.
const NODE_RULES: u32 = NETWORK_PORTS * GROUPS
    + API_PORTS
    + NODE_PORTS * GROUPS * GROUPS
    + CONTROL_PLANE_PORTS * GROUPS
    + ETCD_PORTS
    + GROUPS;

/// Ports of the pod network and of services, open among the control plane and all nodes in both directions.
const POD_NETWORK_PORTS: u32 = 12;
const POD_NETWORK_PAIRS: u32 = 4;
/// Rules of the control plane's group besides: API and machine config server for three groups, scheduler and
/// controller manager for two, etcd for itself.
const CONTROL_PLANE_RULES: u32 = 2 * 3 + 2 * 2 + 1;
/// Rules of the nodes' group besides: node ports for the machine networks, kubelet for two groups.
const NODE_GROUP_RULES: u32 = 1 + 2;
/// Rules of the groups of load balancers: two ports behind them; the API for everybody and the machine config
/// server for two groups in front of them.
const BALANCER_RULES: u32 = 2 + 1 + 2;
/// Rules of the four groups from 4.16 on; each has one for what goes out.
const CLUSTER_API_RULES: u32 =
    POD_NETWORK_PORTS * POD_NETWORK_PAIRS + CONTROL_PLANE_RULES + NODE_GROUP_RULES + BALANCER_RULES + 4;

/// Ports that the bootstrap machine has open besides those of the control plane.
const BOOTSTRAP_RULES: u32 = 2;

/// What a plan comes to; nothing for a plan of another platform.
pub(super) fn outline(plan: &Plan) -> Outline {
    let Some(making) = Making::of(plan) else {
        return Outline::default();
    };
    let parts = [
        making.network(),
        making.addresses(),
        making.security_groups(),
        making.load_balancers(),
        making.roles(),
        making.image(),
        making.machines(),
        making.names(),
        making.ignition(CLUSTER),
        making.ignition(BOOTSTRAP),
        making.bootstrap(),
    ];
    Outline::new(STAGES, parts.into_iter().flatten().collect(), making.adopted(), making.later())
}

/// Something of the stage that stays.
fn lasting(resource: &'static str, kind: &'static str, count: u32) -> Item {
    Item::new(CLUSTER, resource, kind, count)
}

/// Something of the stage of the bootstrap machine.
fn passing(resource: &'static str, kind: &'static str, count: u32) -> Item {
    Item::new(BOOTSTRAP, resource, kind, count)
}

/// What the counts depend on.
struct Making<'a> {
    plan: &'a Plan,
    aws: &'a planned::Plan,
    platform: &'a Platform,
    id: &'a str,
    /// The zones that have subnets, without local zones.
    zones: BTreeSet<&'a str>,
    /// The local zones in which compute machines are.
    local: BTreeSet<&'a str>,
}

impl<'a> Making<'a> {
    fn of(plan: &'a Plan) -> Option<Self> {
        let aws = plan.platform.aws.as_deref()?;
        let platform = plan.config.platform.aws.as_ref()?;
        let control_plane = &aws.control_plane;
        let mut zones: BTreeSet<&str> = in_turn(&control_plane.zones, control_plane.replicas).collect();
        let ordinary = aws.compute.iter().filter(|pool| pool.name != EDGE);
        zones.extend(ordinary.flat_map(|pool| pool.zones.iter().map(String::as_str)));
        let mut local = BTreeSet::new();
        for pool in &aws.compute {
            let own = pool.zones.iter().map(String::as_str);
            local.extend(own.filter(|zone| pool.local_zones.contains_key(*zone)));
        }
        if let Network::New { subnets, .. } = &aws.network {
            zones = subnets.iter().map(|subnet| subnet.zone.as_str()).collect();
            zones.retain(|zone| !local.contains(zone));
        }
        Some(Self { plan, aws, platform, id: &plan.identity.infra_id, zones, local })
    }

    /// Whether the API is published.
    fn is_external(&self) -> bool {
        self.plan.cluster.external_api
    }

    /// Whether the machines have addresses of both families.
    fn is_dual_stack(&self) -> bool {
        self.platform.is_dual_stack()
    }

    /// How many families of addresses there are.
    fn families(&self) -> u32 {
        1 + u32::from(self.is_dual_stack())
    }

    /// Machines of the control plane.
    fn masters(&self) -> u32 {
        self.plan.cluster.control_plane_replicas
    }

    /// The ends of the target groups' names.
    fn target_groups(&self) -> Vec<&'static str> {
        let external = self.is_external().then_some("aext");
        ["aint", "sint"].into_iter().chain(external).collect()
    }

    fn network(&self) -> Vec<Item> {
        let Network::New { cidr, subnets } = &self.aws.network else {
            return Vec::new();
        };
        let (id, traits) = (self.id, &self.aws.traits);
        let zones = number(self.zones.len());
        let all = zones + number(self.local.len());
        let carrier = u32::from(self.local.iter().any(|zone| is_wavelength(zone)));
        let endpoint = &traits.s3_endpoint_service;
        let of_zones = |what: &'static str| self.zones.iter().map(move |zone| format!("{id}-{what}-{zone}"));
        vec![
            lasting("aws_vpc", "VPC", 1).named([format!("{id}-vpc")]).detailed(cidr),
            lasting("aws_vpc_dhcp_options", "DHCP options", 1).detailed(&traits.internal_domain),
            lasting("aws_vpc_dhcp_options_association", "DHCP options association", 1),
            lasting("aws_internet_gateway", "Internet gateway", 1).named([format!("{id}-igw")]),
            lasting("aws_vpc_endpoint", "VPC endpoint", u32::from(!endpoint.is_empty())).detailed(endpoint),
            lasting("aws_subnet", "Subnet", 2 * all).detailed(subnet_addresses(subnets)),
            lasting("aws_nat_gateway", "NAT gateway", zones).named(of_zones("nat")),
            lasting("aws_ec2_carrier_gateway", "Carrier gateway", carrier).named([format!("{id}-cagw")]),
            lasting("aws_route_table", "Route table", 1 + zones + carrier)
                .detailed("one of the public subnets, one of the private subnet of each zone"),
            lasting("aws_main_route_table_association", "Main route table association", 1),
            lasting("aws_route_table_association", "Route table association", 2 * all),
            lasting("aws_egress_only_internet_gateway", "Egress-only internet gateway", self.families() - 1)
                .named(self.is_dual_stack().then(|| format!("{id}-eigw"))),
            lasting("aws_route", "Route", (1 + zones) * self.families() + carrier).detailed(if self.is_dual_stack() {
                "0.0.0.0/0 to the internet gateway and the NAT gateways, ::/0 to the internet gateway and \
                 the egress-only one"
            } else {
                "0.0.0.0/0 to the internet gateway and the NAT gateways"
            }),
        ]
    }

    fn security_groups(&self) -> Vec<Item> {
        let (groups, rules): (&[&str], u32) = if self.plan.has(Since::ClusterApi) {
            let icmpv6 = if self.is_dual_stack() { POD_NETWORK_PAIRS } else { 0 };
            (&["apiserver-lb", "controlplane", "lb", "node"], CLUSTER_API_RULES + icmpv6)
        } else {
            (&["master-sg", "worker-sg"], NODE_RULES)
        };
        vec![
            lasting("aws_security_group", "Security group", number(groups.len()))
                .named(groups.iter().map(|group| format!("{}-{group}", self.id))),
            lasting("aws_security_group_rule", "Security group rule", rules),
        ]
    }

    fn load_balancers(&self) -> Vec<Item> {
        let (id, ends) = (self.id, self.target_groups());
        let groups = number(ends.len());
        let balancers = ["int"].into_iter().chain(self.is_external().then_some("ext"));
        let balancers: Vec<String> = balancers.map(|end| format!("{id}-{end}")).collect();
        let ports = if self.is_external() {
            "TCP 6443 and 22623 inside, TCP 6443 outside"
        } else {
            "TCP 6443 and 22623 inside"
        };
        vec![
            lasting("aws_lb", "Network load balancer", number(balancers.len())).named(balancers),
            lasting("aws_lb_target_group", "Target group", groups)
                .named(ends.iter().map(|end| format!("{id}-{end}"))),
            lasting("aws_lb_listener", "Listener", groups).detailed(ports),
            lasting("aws_lb_target_group_attachment", "Target group attachment", self.masters() * groups)
                .detailed("every control plane machine in every target group"),
        ]
    }

    /// The addresses of NAT gateways, and, from a pool of the user's own, those of the public load balancer.
    fn addresses(&self) -> Vec<Item> {
        let id = self.id;
        let (zones, public) = match &self.aws.network {
            Network::New { .. } => (Some(&self.zones), self.zones.len()),
            Network::Existing { public, .. } => (None, public.len()),
        };
        let gateways = zones.into_iter().flatten().map(|zone| format!("{id}-eip-{zone}"));
        let balancer =
            (0..if self.has_pool() { public } else { 0 }).map(|n| format!("{id}-eip-apiserver-{n}"));
        let names: Vec<String> = gateways.chain(balancer).collect();
        vec![lasting("aws_eip", "Elastic IP address", number(names.len())).named(names)]
    }

    /// Whether what is published has addresses of a pool of the user's own.
    fn has_pool(&self) -> bool {
        self.is_external() && !self.aws.public_ipv4_pool.is_empty()
    }

    /// Roles that are made; those of the user's own take their place.
    fn roles(&self) -> Vec<Item> {
        let id = self.id;
        let ordinary = self.aws.compute.iter().find(|pool| pool.name != EDGE);
        let is_profile_made = self.aws.compute.is_empty() || self.aws.compute.iter().any(makes_profile);
        let is_role_made = is_profile_made && ordinary.is_none_or(|pool| pool.iam_role.is_empty());
        let of = |master: bool, worker: bool| -> Vec<&str> {
            let all = [("master", master), ("worker", worker)];
            all.into_iter().filter(|(_, made)| *made).map(|(role, _)| role).collect()
        };
        let master = &self.aws.control_plane;
        let made = of(makes_role(master), is_role_made);
        let profiles = of(makes_profile(master), is_profile_made);
        let names = |end: &'static str| made.iter().map(move |role| format!("{id}-{role}-{end}"));
        vec![
            lasting("aws_iam_role", "IAM role", number(made.len())).named(names("role")),
            lasting("aws_iam_role_policy", "IAM role policy", number(made.len())).named(names("policy")),
            lasting("aws_iam_instance_profile", "IAM instance profile", number(profiles.len()))
                .named(profiles.iter().map(|role| format!("{id}-{role}-profile"))),
        ]
    }

    /// The copy of an image that the region does not have.
    fn image(&self) -> Vec<Item> {
        let image = &self.aws.image;
        let copied = self.aws.control_plane.image.is_none() && image.region != self.aws.region;
        let copy = lasting("aws_ami_copy", "Image copy", u32::from(copied));
        let detail = format!("of {} in {}", image.id, image.region);
        vec![copy.named([format!("{}-master", self.id)]).detailed(detail)]
    }

    fn machines(&self) -> Vec<Item> {
        let (id, masters) = (self.id, self.masters());
        vec![
            lasting("aws_network_interface", "Network interface", masters),
            lasting("aws_instance", "Instance", masters)
                .named((0..masters).map(|n| format!("{id}-master-{n}")))
                .detailed(machines(&self.aws.control_plane)),
        ]
    }

    /// The private zone and the records of the API; none where the user provides the records.
    fn names(&self) -> Vec<Item> {
        if self.platform.has_user_dns() {
            return Vec::new();
        }
        let domain = &self.plan.cluster.domain;
        let kind = &self.aws.traits.api_record_type;
        let made = self.platform.hosted_zone.is_empty();
        // A CNAME is of both families.
        let both = kind == "A" && self.is_dual_stack();
        let (kind, families) = if both { ("A and AAAA", 2) } else { (kind.as_str(), 1) };
        let inside = format!("{kind} api.{domain}, {kind} api-int.{domain} inside");
        let records = match &self.aws.public_zone {
            _ if !self.is_external() => inside,
            Some(zone) => format!("{inside}; {kind} api.{domain} in the public zone {zone}"),
            None => format!("{inside}; {kind} api.{domain} in the public zone"),
        };
        vec![
            lasting("aws_route53_zone", "Private hosted zone", u32::from(made)).named([domain.clone()]),
            lasting("aws_route53_record", "DNS record", (2 + u32::from(self.is_external())) * families)
                .detailed(records),
        ]
    }

    /// Where the bootstrap machine's Ignition config lies: it goes with the machine unless it is to be kept.
    fn ignition(&self, stage: &'static str) -> Vec<Item> {
        let holder = if keeps_ignition(self.plan) { CLUSTER } else { BOOTSTRAP };
        let here = u32::from(stage == holder);
        vec![
            Item::new(stage, "aws_s3_bucket", "S3 bucket", here).named([format!("{}-bootstrap", self.id)]),
            Item::new(stage, "aws_s3_object", "S3 object", here).named(["bootstrap.ign".to_owned()]),
        ]
    }

    fn bootstrap(&self) -> Vec<Item> {
        // What the control plane's machines are given, the bootstrap machine is given as well.
        let master = &self.aws.control_plane;
        let (id, role, profile) = (self.id, u32::from(makes_role(master)), u32::from(makes_profile(master)));
        let groups = number(self.target_groups().len());
        let named = |end: &str| [format!("{id}-bootstrap-{end}")];
        let (place, source) = if self.is_external() {
            ("with a public address", "anywhere")
        } else {
            ("in a private subnet", "the machine networks")
        };
        let kind = &self.aws.control_plane.instance_type;
        let address = u32::from(self.has_pool());
        vec![
            passing("aws_eip", "Elastic IP address", address).named(named("eip")),
            passing("aws_security_group", "Security group", 1).named(named("sg")),
            passing("aws_security_group_rule", "Security group rule", BOOTSTRAP_RULES)
                .detailed(format!("TCP 22 and 19531 from {source}")),
            passing("aws_iam_role", "IAM role", role).named(named("role")),
            passing("aws_iam_role_policy", "IAM role policy", role).named(named("policy")),
            passing("aws_iam_instance_profile", "IAM instance profile", profile).named(named("profile")),
            passing("aws_instance", "Instance", 1)
                .named([format!("{id}-bootstrap")])
                .detailed(format!("{kind} {place}, 30 GiB gp2")),
            passing("aws_lb_target_group_attachment", "Target group attachment", groups),
        ]
    }

    /// What the user brought. It is marked as shared, and stays when the cluster is destroyed.
    fn adopted(&self) -> Vec<Adopted> {
        let subnets = self.aws.network.existing_subnets();
        let pools = || std::iter::once(&self.aws.control_plane).chain(&self.aws.compute);
        let zone = Some(&self.platform.hosted_zone).filter(|_| !self.platform.has_user_dns());
        // A release that does not mark profiles has no permission for it.
        let rights = permissions::needed(&self.plan.config, Catalogue::embedded(), &self.plan.release);
        let marks = |action: &str| rights.iter().any(|right| right == action);
        let (roles, profiles) = (marks("iam:TagRole"), marks("iam:TagInstanceProfile"));
        vec![
            self.shared("Subnet", subnets),
            self.shared("Private hosted zone", zone),
            self.shared("IAM role", pools().map(|pool| &pool.iam_role).filter(|_| roles)),
            self.shared("IAM instance profile", pools().map(|pool| &pool.iam_profile).filter(|_| profiles)),
        ]
    }

    fn shared<'n>(&self, kind: &'static str, names: impl IntoIterator<Item = &'n String>) -> Adopted {
        let names: BTreeSet<&String> = names.into_iter().filter(|name| !name.is_empty()).collect();
        let detail = format!("tag kubernetes.io/cluster/{}=shared", self.id);
        Adopted { kind, names: names.into_iter().cloned().collect(), detail }
    }

    fn later(&self) -> Vec<Later> {
        let cluster = &self.plan.cluster;
        let pools = self.aws.compute.iter().map(|pool| Later {
            names: vec![pool.name.clone()],
            ..Later::new("Compute machine", pool.replicas).detailed(machines(pool))
        });
        let external = cluster.external_ingress;
        let reach = if external { "public" } else { "internal" };
        let kind = if self.platform.lb_type.is_empty() { "Classic" } else { &self.platform.lb_type };
        let apps = format!("*.apps.{}", cluster.domain);
        let balancer =
            Later::new("Ingress load balancer", 1).detailed(format!("{kind}, {reach}, for {apps}"));
        let records = if self.platform.has_user_dns() { 0 } else { 1 + u32::from(external) };
        let records = Later::new("Ingress DNS record", records).detailed(apps);
        pools.chain([balancer, records]).collect()
    }
}

/// The addresses of new subnets in words.
/// Whether an instance profile is made for the machines of a pool.
fn makes_profile(pool: &Pool) -> bool {
    pool.iam_profile.is_empty()
}

/// Whether a role is made for them.
fn makes_role(pool: &Pool) -> bool {
    makes_profile(pool) && pool.iam_role.is_empty()
}

fn subnet_addresses(subnets: &[NewSubnet]) -> String {
    let of = |public: bool| {
        let those = subnets.iter().filter(|subnet| subnet.public == public);
        joined(those.map(|subnet| format!("{} in {}", subnet.cidr, subnet.zone)))
    };
    format!("private: {}; public: {}", of(false), of(true))
}

/// The machines of a pool in words: types, zones and volume.
fn machines(pool: &Pool) -> String {
    let mut types: Vec<(&str, Vec<&str>)> = Vec::new();
    for zone in pool.zones.iter().take(usize::try_from(pool.replicas).unwrap_or(usize::MAX)) {
        let kind = pool.types.get(zone).unwrap_or(&pool.instance_type).as_str();
        match types.iter_mut().find(|(name, _)| *name == kind) {
            Some((_, zones)) => zones.push(zone),
            None => types.push((kind, vec![zone.as_str()])),
        }
    }
    let types = joined(types.into_iter().map(|(kind, zones)| format!("{kind} in {}", joined(zones))));
    let hosts = match &pool.hosts {
        None => String::new(),
        Some(Hosts::AnyAvailable) => ", on any dedicated host".to_owned(),
        Some(Hosts::ByZone(hosts)) => {
            format!(", on dedicated {}", joined(hosts.iter().map(|(zone, host)| format!("{host} in {zone}"))))
        }
    };
    format!("{types}, {} GiB {}{hosts}", pool.volume.size, pool.volume.kind)
}

/// A list in words.
fn joined<T: Borrow<str>>(parts: impl IntoIterator<Item = T>) -> String {
    parts.into_iter().collect::<Vec<T>>().join(", ")
}
