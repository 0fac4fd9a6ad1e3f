//! Tags of what is made and of what the user brought (`assets.md`, A.2).

use std::collections::BTreeSet;

use super::Made;
use crate::expected::{MASTERS, UNTAGGED};
use crate::listing::{Listing, Resource};

/// Everything that can have tags says whose it is, and has the user's tags.
pub(super) fn stand(made: &Made<'_>) {
    let key = format!("kubernetes.io/cluster/{}", made.id);
    for (kind, id, thing) in made.new.each() {
        if UNTAGGED.contains(&kind) || comes_along(made, kind, thing) {
            continue;
        }
        assert_eq!(thing.tags.get(&key).map(String::as_str), Some("owned"), "{kind} {id}: {:?}", thing.tags);
        for (name, value) in made.wanted.tags {
            assert_eq!(thing.tags.get(*name).map(String::as_str), Some(*value), "{kind} {id}: {name}");
        }
    }
    if made.wanted.network.is_some() {
        for subnet in made.new.of_kind("subnet") {
            let is_private = subnet.name().contains("-private-");
            let role = subnet.tags.get("kubernetes.io/role/internal-elb").map(String::as_str);
            assert_eq!(role, is_private.then_some(""), "{}", subnet.name());
        }
    }
}

/// What AWS makes with something else, without tags: the main route table and the default group of a VPC, and
/// the interfaces of gateways and of machines.
fn comes_along(made: &Made<'_>, kind: &str, thing: &Resource) -> bool {
    match kind {
        "security group" => thing.says("groupName") == "default",
        "route table" => thing.tags.is_empty() && thing.node.list("associationSet").is_empty(),
        "interface" => {
            let masters = (0..MASTERS).map(|number| made.name(&format!("master-{number}")));
            !masters.collect::<BTreeSet<String>>().contains(thing.name())
        }
        _ => false,
    }
}

/// What the user brought is marked as shared, and nothing else of it is changed.
pub fn shared(before: &Listing, made: &Made<'_>, brought: &[(&'static str, String)]) {
    let key = format!("kubernetes.io/cluster/{}", made.id);
    for (kind, id) in brought {
        let (earlier, now) = (before.get(kind, id), made.all.get(kind, id));
        let mut tags = earlier.tags.clone();
        tags.insert(key.clone(), "shared".to_owned());
        assert_eq!(now.tags, tags, "{kind} {id}");
    }
}
