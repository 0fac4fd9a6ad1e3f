//! What holds things that do not go. Nobody needs to know it for anything else, so a question that fails is
//! a question less.
//!
//! Things are asked about by kind: one list tells what holds many of them, and is taken apart afterwards.
//! `network`, `machines`, `identities` and `vpc_holders` have the questions.

mod identities;
mod machines;
mod network;

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_ec2::types::Tag;
use landfall_platform::removal::{Holder, Kind, Resource};

use super::arn::Arn;
use super::discover::ec2::{Ask, with_any};
use super::{AwsRemoval, MOST_VALUES, kinds};

/// The most holders that are named of one thing.
const MOST: usize = 20;

/// Holders, each with the id or name of what it holds. What holds several things is there several times, and
/// things that nobody asked about may be among them.
pub(super) type Held = Vec<(String, Holder)>;

/// What EC2 has with one of these values; nothing where it cannot be had.
pub(super) async fn listed<T: Ask>(removal: &AwsRemoval<'_>, name: &str, values: &[&str]) -> Vec<T> {
    with_any(&removal.session, name, values).await.unwrap_or_default()
}

/// What holds things of one kind, for each in their order; empty where nobody knows.
pub(super) async fn holders(removal: &AwsRemoval<'_>, things: &[&Resource]) -> Vec<Vec<Holder>> {
    let Some(first) = things.first() else {
        return Vec::new();
    };
    let keys: Vec<&str> = things.iter().map(|thing| key(thing)).collect();
    let wanted: Vec<&str> = keys.iter().copied().filter(|key| !key.is_empty()).collect();
    let mut held = Held::new();
    for some in wanted.chunks(MOST_VALUES) {
        held.extend(Box::pin(of_kind(removal, first.kind, some)).await);
    }
    split(&keys, held)
}

/// What others call a thing.
fn key(thing: &Resource) -> &str {
    if [&kinds::TARGET_GROUP, &kinds::POLICY].contains(&thing.kind) {
        return &thing.id;
    }
    if *thing.kind == kinds::PLACEMENT_GROUP {
        return &thing.name;
    }
    Arn::parse(&thing.id).map_or(thing.id.as_str(), |arn| arn.name())
}

async fn of_kind(removal: &AwsRemoval<'_>, kind: &'static Kind, ids: &[&str]) -> Held {
    match kind {
        _ if *kind == kinds::SECURITY_GROUP => Box::pin(network::of_groups(removal, ids)).await,
        _ if *kind == kinds::SUBNET => Box::pin(network::of_subnets(removal, ids)).await,
        _ if *kind == kinds::VPC => Box::pin(network::of_vpcs(removal, ids)).await,
        _ if *kind == kinds::NETWORK_INTERFACE => Box::pin(network::of_interfaces(removal, ids)).await,
        _ if *kind == kinds::INTERNET_GATEWAY => Box::pin(network::of_gateways(removal, ids)).await,
        _ if *kind == kinds::ELASTIC_IP => Box::pin(network::of_addresses(removal, ids)).await,
        _ if *kind == kinds::ROUTE_TABLE => Box::pin(network::of_tables(removal, ids)).await,
        _ if *kind == kinds::DHCP_OPTIONS => Box::pin(network::of_options(removal, ids)).await,
        _ if *kind == kinds::TARGET_GROUP => Box::pin(network::of_target_groups(removal)).await,
        _ if *kind == kinds::PLACEMENT_GROUP => Box::pin(machines::of_placements(removal, ids)).await,
        _ if *kind == kinds::DEDICATED_HOST => Box::pin(machines::of_hosts(removal, ids)).await,
        _ if *kind == kinds::VOLUME => Box::pin(machines::of_volumes(removal, ids)).await,
        _ if *kind == kinds::SNAPSHOT => Box::pin(machines::of_snapshots(removal, ids)).await,
        _ if *kind == kinds::ROLE => Box::pin(identities::of_roles(removal)).await,
        _ if *kind == kinds::POLICY => Box::pin(identities::of_policies(removal, ids)).await,
        _ => Held::new(),
    }
}

/// The holders of each of some things, each holder once.
fn split(keys: &[&str], held: Held) -> Vec<Vec<Holder>> {
    let mut by_key: BTreeMap<String, Vec<Holder>> = BTreeMap::new();
    for (key, holder) in held {
        by_key.entry(key).or_default().push(holder);
    }
    keys.iter().map(|key| by_key.get(*key).cloned().map(foremost).unwrap_or_default()).collect()
}

fn foremost(mut found: Vec<Holder>) -> Vec<Holder> {
    let mut seen = BTreeSet::new();
    found.retain(|holder| seen.insert(holder.what.clone()));
    // What the user must look after comes first.
    found.sort_by_key(|holder| holder.own);
    found.truncate(MOST);
    found
}

/// What was found, as the holder of each of its `ids`.
pub(super) fn pairs<'f, T, I>(
    found: impl IntoIterator<Item = &'f T>,
    ids: impl Fn(&'f T) -> I,
    told: impl Fn(&'f T) -> Holder,
) -> Held
where
    T: 'f,
    I: IntoIterator<Item = &'f str>,
{
    let mut held = Held::new();
    for one in found {
        for id in ids(one) {
            held.push((id.to_owned(), told(one)));
        }
    }
    held
}

/// The holders of things that were asked for by a way to them: `ways` has what is at the way's end, and the
/// thing.
fn by_way(held: &[(String, Holder)], ways: &[(String, String)]) -> Held {
    let mut all = Held::new();
    for (end, holder) in held {
        let things = ways.iter().filter(|(way, _)| way == end);
        all.extend(things.map(|(_, thing)| (thing.clone(), holder.clone())));
    }
    all
}

/// A holder: the cluster's own by its tags, or as the last look found it.
pub(super) fn holder(removal: &AwsRemoval<'_>, what: &str, names: &[&str], tags: &[Tag]) -> Holder {
    let pairs = tags.iter().filter_map(|tag| Some((tag.key()?, tag.value().unwrap_or_default())));
    let tagged = removal.ownership.fate(pairs).is_some();
    let own = tagged || names.iter().any(|name| !name.is_empty() && removal.has_found(name));
    let whose = if own { "" } else { " (not the cluster's)" };
    Holder { what: format!("{what}{whose}"), own }
}

/// A holder that is known by its id alone.
pub(super) fn named(removal: &AwsRemoval<'_>, sort: &str, id: Option<&str>, tags: &[Tag]) -> Holder {
    let id = id.unwrap_or_default();
    holder(removal, &format!("{sort} {id}"), &[id], tags)
}

/// Holders that are `named` in the description of the thing that they hold.
fn named_in<'f, T, I>(
    removal: &AwsRemoval<'_>,
    sort: &str,
    found: &'f [T],
    id: impl Fn(&'f T) -> Option<&'f str>,
    names: impl Fn(&'f T) -> I,
) -> Held
where
    I: IntoIterator<Item = &'f str>,
{
    let mut held = Held::new();
    for one in found {
        let id = id(one).unwrap_or_default();
        for name in names(one) {
            held.push((id.to_owned(), named(removal, sort, Some(name), &[])));
        }
    }
    held
}

#[cfg(test)]
mod tests {
    use aws_sdk_ec2::types::{GroupIdentifier, NetworkInterface};

    use super::*;
    use landfall_platform::removal::Disposition;

    fn foreign(what: &str) -> Holder {
        Holder { what: what.to_owned(), own: false }
    }

    fn own(what: &str) -> Holder {
        Holder { what: what.to_owned(), own: true }
    }

    fn thing(kind: &'static Kind, id: &str, name: &str) -> Resource {
        Resource {
            id: id.to_owned(),
            kind,
            name: name.to_owned(),
            fate: Disposition::Removed,
            after: Vec::new(),
        }
    }

    #[test]
    fn each_thing_has_its_own_holders_in_the_order_of_the_things() {
        let of = |key: &str, holder: Holder| (key.to_owned(), holder);
        let held = vec![
            of("sg-1", own("b")),
            of("sg-2", foreign("a")),
            of("sg-1", foreign("a")),
            of("sg-1", foreign("a")),
            of("sg-9", foreign("c")),
        ];
        let expected = [vec![foreign("a")], Vec::new(), vec![foreign("a"), own("b")]];
        assert_eq!(split(&["sg-2", "sg-3", "sg-1"], held), expected);
    }

    #[test]
    fn of_many_holders_those_that_are_not_the_clusters_are_named() {
        let mut held = Held::new();
        for number in 0..MOST {
            held.push(("vpc-1".to_owned(), own(&number.to_string())));
        }
        held.push(("vpc-1".to_owned(), foreign("last")));
        let split = split(&["vpc-1"], held);
        assert_eq!(split.iter().map(Vec::len).collect::<Vec<usize>>(), [MOST]);
        assert_eq!(split.first().and_then(|holders| holders.first()), Some(&foreign("last")));
    }

    #[test]
    fn what_holds_several_things_is_named_with_each() {
        let interface = |id: &str, groups: &[&str]| {
            let groups = groups.iter().map(|group| GroupIdentifier::builder().group_id(*group).build());
            let groups: Vec<GroupIdentifier> = groups.collect();
            NetworkInterface::builder().network_interface_id(id).set_groups(Some(groups)).build()
        };
        let found = [interface("eni-1", &["sg-1", "sg-2"]), interface("eni-2", &["sg-2"])];
        let told = |one: &NetworkInterface| foreign(one.network_interface_id().unwrap_or_default());
        let held = pairs(&found, network::groups_of, told);
        let expected = [vec![foreign("eni-1")], vec![foreign("eni-1"), foreign("eni-2")]];
        assert_eq!(split(&["sg-1", "sg-2"], held), expected);
    }

    #[test]
    fn a_way_leads_to_the_thing_that_was_asked_about() {
        let held = [("vpc-1".to_owned(), foreign("eni-1")), ("vpc-2".to_owned(), foreign("eni-2"))];
        let ways = [("vpc-2".to_owned(), "igw-2".to_owned()), ("vpc-3".to_owned(), "igw-3".to_owned())];
        assert_eq!(by_way(&held, &ways), [("igw-2".to_owned(), foreign("eni-2"))]);
    }

    #[test]
    fn a_thing_is_looked_for_by_what_others_call_it() {
        let arn = "arn:aws:ec2:us-east-1:123456789012:subnet/subnet-1";
        assert_eq!(key(&thing(&kinds::SUBNET, arn, "demo")), "subnet-1");
        let arn = "arn:aws:ec2:us-east-1:123456789012:placement-group/pg-1";
        assert_eq!(key(&thing(&kinds::PLACEMENT_GROUP, arn, "demo")), "demo");
        let arn = "arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/demo-aint/0123";
        assert_eq!(key(&thing(&kinds::TARGET_GROUP, arn, "demo-aint")), arn);
        let arn = "arn:aws:iam::123456789012:role/path/demo-role";
        assert_eq!(key(&thing(&kinds::ROLE, arn, "demo-role")), "demo-role");
    }
}
