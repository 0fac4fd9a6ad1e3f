//! What must be gone before what: a table of kinds, and what each thing names of the others.

use std::collections::{BTreeMap, BTreeSet};

use landfall_platform::removal::{Disposition, Kind, Resource};

use super::kinds::{
    CARRIER_GATEWAY, CLASSIC_LOAD_BALANCER, DEDICATED_HOST, DHCP_OPTIONS, EGRESS_ONLY_GATEWAY, ELASTIC_IP,
    ENDPOINT_SERVICE, HOSTED_ZONE, IMAGE, INSTANCE, INSTANCE_PROFILE, INTERNET_GATEWAY, LISTENER,
    LOAD_BALANCER, NAT_GATEWAY, NETWORK_INTERFACE, PEERING_CONNECTION, PLACEMENT_GROUP, POLICY, RECORD, ROLE,
    ROUTE_TABLE, SECURITY_GROUP, SNAPSHOT, SUBNET, TARGET_GROUP, USER, VOLUME, VPC, VPC_ENDPOINT,
};

/// A thing, and what is known of its place among the others.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// What the others call it, such as `vpc-1`.
    pub(super) key: String,
    /// Further names that others call it by.
    pub(super) aliases: Vec<String>,
    /// The thing's id.
    pub(super) id: String,
    /// Its kind.
    pub(super) kind: &'static Kind,
    /// What people call it.
    pub(super) name: String,
    /// What becomes of it.
    pub(super) fate: Disposition,
    /// What it names of the others.
    pub(super) mentions: Vec<String>,
    /// The VPC that it is in.
    pub(super) vpc: Option<String>,
    /// Keys of what goes before it in any case.
    pub(super) after: Vec<String>,
    /// Whether only its place says that it is the cluster's, and no tag.
    pub(super) swept: bool,
    /// What uses it.
    pub(super) user: Option<String>,
    /// What takes it along when it goes.
    pub(super) goes_with: Option<String>,
}

impl Node {
    /// A thing of which nothing else is known.
    pub(super) fn new(kind: &'static Kind, key: &str, id: String, fate: Disposition) -> Self {
        Self {
            key: key.to_owned(),
            aliases: Vec::new(),
            id,
            kind,
            name: String::new(),
            fate,
            mentions: Vec::new(),
            vpc: None,
            after: Vec::new(),
            swept: false,
            user: None,
            goes_with: None,
        }
    }
}

/// The first goes before the second where one of them names the other.
static FIRST: &[(&Kind, &[&Kind])] = &[
    (
        &INSTANCE,
        &[
            &VOLUME,
            &NETWORK_INTERFACE,
            &SECURITY_GROUP,
            &SUBNET,
            &INSTANCE_PROFILE,
            &PLACEMENT_GROUP,
            &DEDICATED_HOST,
            &ELASTIC_IP,
        ],
    ),
    (&CLASSIC_LOAD_BALANCER, &[&NETWORK_INTERFACE, &SECURITY_GROUP, &SUBNET, &VPC]),
    (&ENDPOINT_SERVICE, &[&LOAD_BALANCER]),
    (&LOAD_BALANCER, &[&TARGET_GROUP, &NETWORK_INTERFACE, &SECURITY_GROUP, &ELASTIC_IP, &SUBNET, &VPC]),
    (&LISTENER, &[&TARGET_GROUP]),
    (&NAT_GATEWAY, &[&ELASTIC_IP, &NETWORK_INTERFACE, &SUBNET, &VPC]),
    (&VPC_ENDPOINT, &[&ENDPOINT_SERVICE, &NETWORK_INTERFACE, &SECURITY_GROUP, &SUBNET, &ROUTE_TABLE, &VPC]),
    (&NETWORK_INTERFACE, &[&SECURITY_GROUP, &ELASTIC_IP, &SUBNET, &VPC]),
    (&SECURITY_GROUP, &[&VPC]),
    (&ROUTE_TABLE, &[&VPC]),
    (&SUBNET, &[&VPC]),
    (&INTERNET_GATEWAY, &[&VPC]),
    (&EGRESS_ONLY_GATEWAY, &[&VPC]),
    (&CARRIER_GATEWAY, &[&VPC]),
    (&PEERING_CONNECTION, &[&VPC]),
    (&VPC, &[&DHCP_OPTIONS]),
    (&IMAGE, &[&SNAPSHOT]),
    (&INSTANCE_PROFILE, &[&ROLE]),
    // Only a record that nothing else proves to be the cluster's names a load balancer.
    (&RECORD, &[&HOSTED_ZONE, &LOAD_BALANCER, &CLASSIC_LOAD_BALANCER]),
    // Only a zone without a tag names a VPC: that it is attached to it is all that proves whose it is.
    (&HOSTED_ZONE, &[&VPC]),
];

/// The first goes before the second where both are in one VPC: a gateway stays as long as public addresses
/// lead through it.
static FIRST_IN_VPC: &[(&Kind, &[&Kind])] = &[
    (&INSTANCE, &[&INTERNET_GATEWAY, &CARRIER_GATEWAY]),
    (&CLASSIC_LOAD_BALANCER, &[&INTERNET_GATEWAY]),
    (&LOAD_BALANCER, &[&INTERNET_GATEWAY, &CARRIER_GATEWAY]),
    (&NAT_GATEWAY, &[&INTERNET_GATEWAY]),
];

/// The first goes before the second in any case.
static FIRST_OF_ALL: &[(&Kind, &[&Kind])] = &[(&ROLE, &[&POLICY]), (&USER, &[&POLICY])];

fn goes_first(table: &[(&Kind, &[&Kind])], first: &Kind, then: &Kind) -> bool {
    table.iter().any(|(kind, others)| **kind == *first && others.contains(&then))
}

/// The things with what must be gone before each. What another one takes along, and what is used by something
/// that is not the cluster's, is left out; but what carries the cluster's tag is not, whoever uses it.
pub(super) fn ordered(nodes: Vec<Node>) -> Vec<Resource> {
    let nodes = own(nodes);
    let mut named: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut in_vpc: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, node) in nodes.iter().enumerate() {
        for name in std::iter::once(&node.key).chain(&node.aliases) {
            named.entry(name).or_default().push(i);
        }
        if let Some(vpc) = &node.vpc {
            in_vpc.entry(vpc).or_default().push(i);
        }
    }
    let mut after: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); nodes.len()];
    for (i, node) in nodes.iter().enumerate() {
        for j in node.mentions.iter().filter_map(|name| named.get(name.as_str())).flatten() {
            relate(FIRST, &nodes, i, *j, &mut after);
        }
        for j in node.vpc.iter().filter_map(|vpc| in_vpc.get(vpc.as_str())).flatten() {
            relate(FIRST_IN_VPC, &nodes, i, *j, &mut after);
        }
        let before = node.after.iter().filter_map(|name| named.get(name.as_str())).flatten();
        after[i].extend(before.copied().filter(|j| *j != i));
    }
    for i in (0..nodes.len()).filter(|i| of_all(nodes[*i].kind)) {
        for j in 0..nodes.len() {
            relate(FIRST_OF_ALL, &nodes, i, j, &mut after);
        }
    }
    // The tags that say that something stays go last: without them, the next run would take it for the cluster's own
    // where it lies in its VPC or has one of its names.
    let removed: Vec<usize> = (0..nodes.len()).filter(|i| nodes[*i].fate == Disposition::Removed).collect();
    for i in (0..nodes.len()).filter(|i| nodes[*i].fate == Disposition::Released) {
        after[i].extend(&removed);
    }
    let ids: Vec<String> = nodes.iter().map(|node| node.id.clone()).collect();
    let after = after.into_iter().map(|before| before.into_iter().map(|j| ids[j].clone()).collect());
    let things = nodes.into_iter().zip(after).map(|(node, after)| Resource {
        id: node.id,
        kind: node.kind,
        name: node.name,
        fate: node.fate,
        after,
    });
    things.collect()
}

fn of_all(kind: &Kind) -> bool {
    FIRST_OF_ALL.iter().any(|(first, _)| **first == *kind)
}

/// Notes which of two things goes first, if one does. What stays holds nothing up.
fn relate(table: &[(&Kind, &[&Kind])], nodes: &[Node], i: usize, j: usize, after: &mut [BTreeSet<usize>]) {
    let (one, other) = (&nodes[i], &nodes[j]);
    let matters =
        |first: &Node, then: &Node| [first, then].iter().all(|node| node.fate == Disposition::Removed);
    if i == j {
        return;
    }
    if goes_first(table, one.kind, other.kind) && matters(one, other) {
        after[j].insert(i);
    }
    if goes_first(table, other.kind, one.kind) && matters(other, one) {
        after[i].insert(j);
    }
}

/// Each thing once, without what need not or must not be removed by itself.
fn own(nodes: Vec<Node>) -> Vec<Node> {
    let removed: BTreeSet<String> =
        nodes.iter().filter(|node| node.fate == Disposition::Removed).map(|node| node.key.clone()).collect();
    let mut seen = BTreeSet::new();
    let stays = |node: &Node| {
        let along = node.goes_with.as_ref().is_some_and(|with| removed.contains(with));
        let used = node.swept && node.user.as_ref().is_some_and(|user| !removed.contains(user));
        !along && !used
    };
    nodes.into_iter().filter(|node| stays(node) && seen.insert(node.id.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::kinds;
    use super::*;

    fn node(kind: &'static Kind, key: &str, mentions: &[&str]) -> Node {
        let mentions = mentions.iter().map(|name| (*name).to_owned()).collect();
        Node { mentions, ..Node::new(kind, key, format!("id:{key}"), Disposition::Removed) }
    }

    fn after(things: &[Resource], key: &str) -> Vec<String> {
        let id = format!("id:{key}");
        let found = things.iter().find(|thing| thing.id == id);
        let mut keys: Vec<String> = found
            .into_iter()
            .flat_map(|thing| &thing.after)
            .map(|id| id.trim_start_matches("id:").to_owned())
            .collect();
        keys.sort();
        keys
    }

    #[test]
    fn no_kind_waits_for_itself_by_way_of_others() {
        let mut first: Vec<(&Kind, &Kind)> = Vec::new();
        for table in [FIRST, FIRST_IN_VPC, FIRST_OF_ALL] {
            first.extend(
                table.iter().flat_map(|(one, others)| others.iter().map(move |other| (*one, *other))),
            );
        }
        let mut left: Vec<&Kind> = kinds::ALL.to_vec();
        while !left.is_empty() {
            let free = |kind: &&Kind| !first.iter().any(|(one, then)| *then == *kind && left.contains(one));
            let (ready, waiting): (Vec<&Kind>, Vec<&Kind>) = left.iter().copied().partition(free);
            assert!(!ready.is_empty(), "{waiting:?}");
            left = waiting;
        }
    }

    #[test]
    fn what_names_another_is_ordered_by_their_kinds() {
        let things = ordered(vec![
            node(&VPC, "vpc-1", &["dopt-1"]),
            node(&SUBNET, "subnet-1", &["vpc-1"]),
            node(&INSTANCE, "i-1", &["subnet-1", "sg-1"]),
            node(&SECURITY_GROUP, "sg-1", &["vpc-1"]),
            node(&DHCP_OPTIONS, "dopt-1", &[]),
            node(&VOLUME, "vol-1", &["i-1"]),
            node(&VOLUME, "vol-2", &["i-2"]),
        ]);
        assert_eq!(after(&things, "vpc-1"), ["sg-1", "subnet-1"]);
        assert_eq!(after(&things, "subnet-1"), ["i-1"]);
        assert_eq!(after(&things, "sg-1"), ["i-1"]);
        assert_eq!(after(&things, "dopt-1"), ["vpc-1"]);
        assert_eq!(after(&things, "vol-1"), ["i-1"]);
        assert!(after(&things, "vol-2").is_empty() && after(&things, "i-1").is_empty());
    }

    #[test]
    fn a_gateway_waits_for_what_has_public_addresses_in_its_vpc() {
        let vpc = Some("vpc-1".to_owned());
        let things = ordered(vec![
            Node { vpc: vpc.clone(), ..node(&INTERNET_GATEWAY, "igw-1", &["vpc-1"]) },
            Node { vpc: vpc.clone(), ..node(&NAT_GATEWAY, "nat-1", &["eipalloc-1"]) },
            Node { vpc: Some("vpc-2".to_owned()), ..node(&INSTANCE, "i-2", &[]) },
            node(&ELASTIC_IP, "eipalloc-1", &[]),
            node(&POLICY, "policy", &[]),
            node(&ROLE, "role", &[]),
            node(&USER, "user", &[]),
        ]);
        assert_eq!(after(&things, "igw-1"), ["nat-1"]);
        assert_eq!(after(&things, "eipalloc-1"), ["nat-1"]);
        assert_eq!(after(&things, "policy"), ["role", "user"]);
    }

    #[test]
    fn what_stays_holds_nothing_up() {
        let shared = |node: Node| Node { fate: Disposition::Released, ..node };
        let public = node(&RECORD, "public", &["Z2"]);
        let private = Node { after: vec!["public".to_owned()], ..node(&RECORD, "private", &["Z1"]) };
        let things = ordered(vec![
            shared(node(&SUBNET, "subnet-1", &["vpc-1"])),
            shared(node(&VPC, "vpc-1", &[])),
            node(&INSTANCE, "i-1", &["subnet-1"]),
            shared(node(&HOSTED_ZONE, "Z1", &[])),
            public,
            private,
        ]);
        for stays in ["vpc-1", "subnet-1", "Z1"] {
            assert_eq!(after(&things, stays), ["i-1", "private", "public"]);
        }
        assert_eq!(after(&things, "private"), ["public"]);
        assert_eq!(things.iter().filter(|thing| thing.fate == Disposition::Released).count(), 3);
    }

    #[test]
    fn a_load_balancer_waits_for_a_record_that_it_alone_proves() {
        let balancer = |key: &str, name: &str| Node {
            aliases: vec![name.to_owned()],
            ..node(&CLASSIC_LOAD_BALANCER, key, &[])
        };
        let things = ordered(vec![
            balancer("elb-1", "a0123.elb.amazonaws.com"),
            balancer("elb-2", "b0123.elb.amazonaws.com"),
            node(&RECORD, "public", &["Z2", "a0123.elb.amazonaws.com"]),
        ]);
        assert_eq!(after(&things, "elb-1"), ["public"]);
        assert!(after(&things, "elb-2").is_empty() && after(&things, "public").is_empty());
    }

    #[test]
    fn what_goes_along_and_what_others_use_is_left_out() {
        let along = |with: &str, key: &str| Node {
            goes_with: Some(with.to_owned()),
            user: Some(with.to_owned()),
            ..node(&NETWORK_INTERFACE, key, &[])
        };
        let used = |user: &str, swept: bool, key: &str| Node {
            user: Some(user.to_owned()),
            swept,
            ..node(&NETWORK_INTERFACE, key, &[])
        };
        let things = ordered(vec![
            node(&INSTANCE, "i-1", &[]),
            node(&INSTANCE, "i-1", &[]),
            along("i-1", "eni-1"),
            along("i-2", "eni-2"),
            used("i-1", true, "eni-3"),
            used("i-2", true, "eni-4"),
            used("i-2", false, "eni-5"),
        ]);
        let ids: Vec<&str> = things.iter().map(|thing| thing.id.as_str()).collect();
        assert_eq!(ids, ["id:i-1", "id:eni-2", "id:eni-3", "id:eni-5"]);
    }
}
