//! Everything that moto holds, by kind and id, and what became of it between two moments.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Things by kind and id, such as `subnet subnet-1`, with their tags and what else may change of them.
pub type Listing = BTreeMap<String, Value>;

/// Kinds that landfall counts as things of their own, wherever they are.
const COUNTED: &[&str] = &[
    "address",
    "bucket",
    "classic load balancer",
    "DHCP options",
    "endpoint",
    "hosted zone",
    "image",
    "instance",
    "instance profile",
    "internet gateway",
    "load balancer",
    "NAT gateway",
    "policy",
    "role",
    "route table",
    "security group",
    "snapshot",
    "subnet",
    "target group",
    "user",
    "volume",
    "VPC",
];

/// What is in the later of two listings and not in the earlier.
pub fn new<'l>(earlier: &Listing, later: &'l Listing) -> BTreeSet<&'l str> {
    later.keys().filter(|key| !earlier.contains_key(*key)).map(String::as_str).collect()
}

/// What is in both and has changed.
pub fn changed<'l>(earlier: &'l Listing, later: &Listing) -> BTreeSet<&'l str> {
    let both = earlier.iter().filter(|(key, value)| later.get(*key).is_some_and(|now| now != *value));
    both.map(|(key, _)| key.as_str()).collect()
}

/// The ids of new things that a plan must name. What goes along with another thing need not be: what a VPC always
/// has, and the disks of machines.
pub fn must_be_named<'l>(earlier: &Listing, later: &'l Listing) -> BTreeSet<&'l str> {
    let named = new(earlier, later).into_iter().filter(|key| !goes_along(&later[*key]));
    named
        .filter_map(|key| key.rsplit_once(' '))
        .filter(|(kind, _)| COUNTED.contains(kind))
        .map(|(_, id)| id)
        .collect()
}

fn goes_along(thing: &Value) -> bool {
    let of = |list: &str| thing[list].as_array().into_iter().flatten();
    thing["GroupName"] == "default"
        || of("Associations").any(|association| association["Main"] == true)
        || of("Attachments").any(|attachment| attachment["InstanceId"].is_string())
}

/// Fails unless two listings are equal, and says where they are not.
#[track_caller]
pub fn equal(earlier: &Listing, later: &Listing, what: &str) {
    let more = new(earlier, later);
    assert!(more.is_empty(), "{what}: left of the cluster: {more:?}");
    let missing = new(later, earlier);
    assert!(missing.is_empty(), "{what}: gone, and was not the cluster's: {missing:?}");
    let changed = changed(earlier, later);
    let now: Vec<(&str, &Value, &Value)> =
        changed.iter().map(|key| (*key, &earlier[*key], &later[*key])).collect();
    assert!(changed.is_empty(), "{what}: not as it was before: {now:?}");
}
