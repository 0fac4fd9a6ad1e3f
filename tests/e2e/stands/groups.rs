//! Security groups and all of their rules (`assets.md`, D.3).

use std::collections::BTreeSet;

use super::Made;
use crate::expected::{
    ANYWHERE, BOOTSTRAP_RULES, DESCRIPTION, MASTER_RULES, RANGE, Rule, Source, WORKER_RULES,
};
use crate::xml::Node;

/// Protocol, ports, and a group or a range.
type Open = (String, String, String);

pub(super) fn stand(made: &Made<'_>) {
    let id = |role: &str| {
        let group = made.new.named("security group", &made.name(&format!("{role}-sg")));
        group.says("groupId").to_owned()
    };
    let (master, worker) = (id("master"), id("worker"));
    for (role, rules, own, other) in [
        ("master", MASTER_RULES, &master, &worker),
        ("worker", WORKER_RULES, &worker, &master),
        ("bootstrap", BOOTSTRAP_RULES, &id("bootstrap"), &String::new()),
    ] {
        let group = made.new.get("security group", own);
        assert_eq!(group.says("groupName"), made.name(&format!("{role}-sg")));
        assert_eq!(group.says("groupDescription"), DESCRIPTION, "{role}");
        assert_eq!(group.says("vpcId"), made.vpc(), "{role}");
        let wanted: BTreeSet<Open> = rules.iter().flat_map(|rule| open(rule, own, other)).collect();
        assert_eq!(opened(group.node.list("ipPermissions")), wanted, "{role}");
        // Terraform takes away the rule that AWS gives every new group, and gives nodes one of its own.
        let everything = [("-1".to_owned(), "-".to_owned(), ANYWHERE.to_owned())];
        let wanted = if role == "bootstrap" { BTreeSet::new() } else { BTreeSet::from(everything) };
        assert_eq!(opened(group.node.list("ipPermissionsEgress")), wanted, "{role}");
    }
    assert_eq!(made.new.counts().get("security group"), Some(&(3 + made.new.of_kind("VPC").len())));
}

/// What a rule of the table comes to.
fn open((protocol, ports, source): &Rule, own: &str, other: &str) -> Vec<Open> {
    let sources = match source {
        Source::Network => vec![RANGE],
        Source::Nodes => vec![own, other],
        Source::Own => vec![own],
        Source::Anybody => vec![ANYWHERE],
    };
    let of = |source: &str| ((*protocol).to_owned(), (*ports).to_owned(), source.to_owned());
    sources.into_iter().map(of).collect()
}

/// What is open. Who says so is described as well.
fn opened(permissions: &[Node]) -> BTreeSet<Open> {
    let mut all = BTreeSet::new();
    for permission in permissions {
        let ports = format!("{}-{}", permission.says("fromPort"), permission.says("toPort"));
        let groups = permission.list("groups").iter().map(|group| (group, "groupId"));
        let ranges = permission.list("ipRanges").iter().map(|range| (range, "cidrIp"));
        for (source, id) in groups.chain(ranges) {
            assert_eq!(source.says("description"), DESCRIPTION, "{permission:?}");
            let open = (permission.says("ipProtocol").to_owned(), ports.clone(), source.says(id).to_owned());
            assert!(all.insert(open), "twice: {permission:?}");
        }
    }
    all
}
