//! Tags of what is made and of what the user brought (`assets.md`, A.2).

use std::collections::BTreeSet;

use super::Made;
use crate::expected::{MASTERS, UNTAGGED};
use crate::listing::{Listing, Resource};

/// Everything that can have tags says whose it is, and has the user's tags.
pub(super) fn stand(made: &Made<'_>) {
    let key = format!("kubernetes.io/cluster/{}", made.id);
    let provider = format!("sigs.k8s.io/cluster-api-provider-aws/cluster/{}", made.id);
    for (kind, id, thing) in made.new.each() {
        if UNTAGGED.contains(&kind) || comes_along(made, kind, thing) {
            continue;
        }
        let owner = if is_for_controllers(made, kind, thing) { &key } else { &provider };
        assert_eq!(thing.tags.get(owner).map(String::as_str), Some("owned"), "{kind} {id}: {:?}", thing.tags);
        assert!(owner == &key || !thing.tags.contains_key(&key), "{kind} {id}: {:?}", thing.tags);
        for (name, value) in made.wanted.tags {
            assert_eq!(thing.tags.get(*name).map(String::as_str), Some(*value), "{kind} {id}: {name}");
        }
    }
    if made.wanted.network.is_some() {
        for subnet in made.new.of_kind("subnet") {
            let is_private = subnet.name().contains("private-");
            let tag = |name: &str| subnet.tags.get(name).map(String::as_str);
            let newer = made.wanted.is_newer();
            let inside = is_private.then_some(if newer { "1" } else { "" });
            assert_eq!(tag("kubernetes.io/role/internal-elb"), inside, "{}", subnet.name());
            let outside = (newer && !is_private).then_some("1");
            assert_eq!(tag("kubernetes.io/role/elb"), outside, "{}", subnet.name());
            let role = newer.then_some(if is_private { "private" } else { "public" });
            assert_eq!(tag("sigs.k8s.io/cluster-api-provider-aws/role"), role, "{}", subnet.name());
        }
    }
}

/// Whether the ownership tag is on it: from 4.16 on, one security group alone has it, beside that of the
/// bootstrap machine.
fn is_for_controllers(made: &Made<'_>, kind: &str, thing: &Resource) -> bool {
    let other = ["apiserver-lb", "controlplane", "node"].map(|end| made.name(end));
    !(made.wanted.is_newer() && kind == "security group" && other.iter().any(|name| name == thing.name()))
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
