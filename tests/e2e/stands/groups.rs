//! Security groups and all of their rules (`assets.md`, D.3).

use std::collections::BTreeSet;

use super::Made;
use crate::expected::{ANYWHERE, BOOTSTRAP_RULES, DESCRIPTION, RANGE, Rule, Source};
use crate::xml::Node;

/// Protocol, ports, and a group or a range.
type Open = (String, String, String);

pub(super) fn stand(made: &Made<'_>) {
    for (end, rules) in made.wanted.groups().iter().chain([&("bootstrap-sg", BOOTSTRAP_RULES)]) {
        let group = made.new.get("security group", &id(made, end));
        assert_eq!(group.says("groupName"), made.name(end));
        assert_eq!(group.says("groupDescription"), DESCRIPTION, "{end}");
        assert_eq!(group.says("vpcId"), made.vpc(), "{end}");
        let wanted: BTreeSet<Open> = rules.iter().flat_map(|rule| open(made, rule)).collect();
        assert_eq!(opened(group.node.list("ipPermissions")), wanted, "{end}");
        // Terraform takes away the rule that AWS gives every new group, and gives the others one of its own.
        let everything = [("-1".to_owned(), "-".to_owned(), ANYWHERE.to_owned())];
        let wanted = if *end == "bootstrap-sg" { BTreeSet::new() } else { BTreeSet::from(everything) };
        assert_eq!(opened(group.node.list("ipPermissionsEgress")), wanted, "{end}");
    }
    let number = made.wanted.groups().len() + 1 + made.new.of_kind("VPC").len();
    assert_eq!(made.new.counts().get("security group"), Some(&number));
}

/// The id of the group whose name ends so.
pub(super) fn id(made: &Made<'_>, end: &str) -> String {
    made.new.named("security group", &made.name(end)).says("groupId").to_owned()
}

/// What a rule of the table comes to.
fn open(made: &Made<'_>, (protocol, ports, source): &Rule) -> Vec<Open> {
    let sources = match source {
        Source::Network => vec![RANGE.to_owned()],
        Source::Groups(ends) => ends.iter().map(|end| id(made, end)).collect(),
        Source::Anybody => vec![ANYWHERE.to_owned()],
    };
    let of = |source: String| ((*protocol).to_owned(), (*ports).to_owned(), source);
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
