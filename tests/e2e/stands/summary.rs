//! What landfall said that it makes, held against what there is; and what is gone with the bootstrap machine.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Made;
use crate::expected::{ANYWHERE, FOR_BOOTSTRAP, MASTERS, TARGET_GROUPS};
use crate::listing::{Listing, Resource};
use crate::xml::Node;

/// Every type of resource is said to be there as often as it is, and every name that is told is one.
pub fn tells(made: &Made<'_>, said: &Value) {
    assert_eq!(said["infraID"], made.id);
    let items = items(&said["summary"]);
    assert!(!items.is_empty(), "{said}");
    let mut told: BTreeMap<&str, u64> = BTreeMap::new();
    for item in &items {
        let resource = item["type"].as_str().unwrap();
        *told.entry(resource).or_default() += item["count"].as_u64().unwrap();
    }
    let counted = counted(made).into_iter().filter(|(_, count)| *count > 0);
    let counted: BTreeMap<&str, u64> =
        counted.map(|(name, count)| (name, u64::try_from(count).unwrap_or_default())).collect();
    assert_eq!(told, counted);
    let known = words(made);
    for item in &items {
        for name in item["names"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            assert!(known.contains(name), "{name} is told of, but is not among {known:?}");
        }
    }
    let resources: u64 = told.values().sum();
    assert_eq!(said["resources"].as_u64(), Some(resources), "{said}");
}

/// What of a summary counts resources, however it is arranged.
fn items(summary: &Value) -> Vec<&Value> {
    if summary["type"].is_string() && summary["count"].is_u64() {
        return vec![summary];
    }
    match summary {
        Value::Array(all) => all.iter().flat_map(items).collect(),
        Value::Object(all) => all.values().flat_map(items).collect(),
        _ => Vec::new(),
    }
}

/// How much there is of each type of resource, as terraform names them.
fn counted(made: &Made<'_>) -> BTreeMap<&'static str, usize> {
    let of = |kind: &str| made.new.of_kind(kind);
    let owned = |kind: &str| of(kind).into_iter().filter(|thing| !thing.tags.is_empty()).count();
    let within =
        |kind: &str, count: &dyn Fn(&Resource) -> usize| of(kind).into_iter().map(count).sum::<usize>();
    let tables = |wanted: &dyn Fn(&Node) -> bool, list: &str| {
        within("route table", &|table: &Resource| {
            table.node.list(list).iter().filter(|item| wanted(item)).count()
        })
    };
    let associated = |association: &Node| !association.says("subnetId").is_empty();
    let main = |association: &Node| association.says("main") == "true";
    let rules = |group: &Resource| -> usize {
        if group.tags.is_empty() {
            return 0;
        }
        let permissions =
            ["ipPermissions", "ipPermissionsEgress"].iter().flat_map(|list| group.node.list(list));
        permissions
            .map(|permission| permission.list("groups").len() + permission.list("ipRanges").len())
            .sum()
    };
    let networks = of("VPC").len();
    BTreeMap::from([
        ("aws_ami_copy", of("image").len()),
        ("aws_eip", of("address").len()),
        ("aws_iam_instance_profile", of("instance profile").len()),
        ("aws_iam_role", of("role").len()),
        ("aws_iam_role_policy", within("role", &|role: &Resource| role.more.len())),
        ("aws_instance", of("machine").len()),
        ("aws_internet_gateway", of("internet gateway").len()),
        ("aws_lb", of("load balancer").len()),
        ("aws_lb_listener", of("listener").len()),
        ("aws_lb_target_group", of("target group").len()),
        ("aws_lb_target_group_attachment", within("target group", &|group: &Resource| group.more.len())),
        ("aws_main_route_table_association", if networks > 0 { tables(&main, "associationSet") } else { 0 }),
        ("aws_nat_gateway", of("NAT gateway").len()),
        ("aws_network_interface", MASTERS),
        ("aws_route", tables(&|route: &Node| route.says("destinationCidrBlock") == ANYWHERE, "routeSet")),
        ("aws_route53_record", records(made)),
        ("aws_route53_zone", of("zone").len()),
        ("aws_route_table", owned("route table")),
        ("aws_route_table_association", tables(&associated, "associationSet")),
        ("aws_s3_bucket", of("bucket").len()),
        ("aws_s3_object", of("object").len()),
        ("aws_security_group", owned("security group")),
        ("aws_security_group_rule", within("security group", &rules)),
        ("aws_subnet", of("subnet").len()),
        ("aws_vpc", networks),
        ("aws_vpc_dhcp_options", of("DHCP options").len()),
        ("aws_vpc_dhcp_options_association", of("DHCP options").len()),
        ("aws_vpc_endpoint", of("endpoint").len()),
    ])
}

/// Records of all zones but those that a zone is born with; before the cluster was made there were none.
fn records(made: &Made<'_>) -> usize {
    let zones = made.all.of_kind("zone").into_iter();
    let records = zones.flat_map(|zone| &zone.more[1..]);
    records.filter(|record| !["NS", "SOA"].contains(&record.says("Type"))).count()
}

/// Everything that is a name.
fn words(made: &Made<'_>) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for (_, id, thing) in made.new.each() {
        words.insert(id.to_owned());
        words.insert(thing.name().to_owned());
        for name in ["Name", "Key", "name", "RoleName", "LoadBalancerName", "TargetGroupName"] {
            words.insert(thing.says(name).trim_end_matches('.').to_owned());
        }
        words.extend(thing.more.iter().map(|more| more.says("PolicyName").to_owned()));
    }
    words
}

/// With the bootstrap machine just that is gone which was there for it alone, and the rest is as it was.
pub fn removed(made: &Made<'_>, after: &Listing) {
    let gone = made.all.since(after);
    let wanted: BTreeSet<(&str, String)> =
        FOR_BOOTSTRAP.iter().map(|(kind, end)| (*kind, (*end).to_owned())).collect();
    let found: BTreeSet<(&str, String)> = gone
        .each()
        .map(|(kind, id, thing)| {
            let name = if ["bucket", "instance profile", "object", "role"].contains(&kind) {
                id
            } else {
                thing.name()
            };
            let end = name.rsplit('/').next().unwrap_or(name);
            let own = format!("{}-", made.id);
            (kind, end.strip_prefix(own.as_str()).unwrap_or(end).to_owned())
        })
        .collect();
    assert_eq!(found, wanted);
    assert_eq!(gone.counts().values().sum::<usize>(), FOR_BOOTSTRAP.len(), "{:?}", gone.counts());

    let new = after.since(made.all);
    assert!(new.counts().is_empty(), "{:?}", new.counts());
    let groups: BTreeSet<(&str, String)> =
        TARGET_GROUPS.iter().map(|(end, ..)| ("target group", made.name(end))).collect();
    let changed: BTreeSet<(&str, String)> =
        after.changed(made.all).into_iter().map(|(kind, name)| (kind, name.to_owned())).collect();
    assert_eq!(changed, groups, "only the target groups have a target less");
    for group in after.of_kind("target group") {
        assert_eq!(group.more.len(), MASTERS, "{}", group.name());
    }
}
