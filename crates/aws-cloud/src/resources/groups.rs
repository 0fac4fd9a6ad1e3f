//! Security groups and their rules.

use std::collections::BTreeSet;

use aws_sdk_ec2::types::{IpPermission, IpRange, Ipv6Range, ResourceType, SecurityGroup, UserIdGroupPair};
use landfall_platform::native::{Properties, Wanted};
use serde_json::{Value, json};

use super::network::{tagged, tags};
use super::{Item, Made, Resources, pages, send, with_id};

/// The range of the rule that every new group has.
const EVERYWHERE: &str = "0.0.0.0/0";
/// That of the one that a new group in a VPC with IPv6 has besides.
const EVERYWHERE_IPV6: &str = "::/0";

/// A rule as one text, so that rules can be compared; other values as they are.
pub(super) fn flat(rule: &Value) -> Value {
    let Some(protocol) = rule["protocol"].as_str() else { return rule.clone() };
    let source = rule["source"].as_str().unwrap_or_default();
    let end = |key: &str| rule[key].as_i64().and_then(|port| i32::try_from(port).ok());
    Value::from(line(protocol, end("from"), end("to"), source))
}

fn line(protocol: &str, from: Option<i32>, to: Option<i32>, source: &str) -> String {
    match (protocol, from, to) {
        // Other protocols have no ports.
        ("tcp" | "udp" | "icmp", Some(from), Some(to)) => format!("{protocol} {from}-{to} {source}"),
        _ => format!("{protocol} {source}"),
    }
}

fn lines(permissions: &[IpPermission]) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for one in permissions {
        let ranges = one.ip_ranges().iter().filter_map(IpRange::cidr_ip);
        let groups = one.user_id_group_pairs().iter().filter_map(UserIdGroupPair::group_id);
        let ranges6 = one.ipv6_ranges().iter().filter_map(Ipv6Range::cidr_ipv6);
        for source in ranges.chain(ranges6).chain(groups) {
            lines.insert(line(one.ip_protocol().unwrap_or_default(), one.from_port(), one.to_port(), source));
        }
    }
    lines
}

pub(super) async fn groups(cx: &Resources<'_>, _: &Wanted) -> Made<Vec<Item>> {
    let request = cx.ec2().await?.describe_security_groups().filters(cx.tagged("group-id"));
    let found: Vec<SecurityGroup> = pages!(cx, "ec2:DescribeSecurityGroups", request)?;
    let mut items = Vec::new();
    for group in found {
        let id = group.group_id();
        let known = json!({
            "id": id,
            "name": group.group_name(),
            "description": group.description(),
            "vpc": group.vpc_id(),
            "tags": tags(group.tags()),
        });
        items.push(Item::new("security-group", known));
        let egress: Vec<IpPermission> =
            group.ip_permissions_egress().iter().filter(|one| !is_default(one)).cloned().collect();
        let rules = json!({
            "group": id,
            "ingress": lines(group.ip_permissions()),
            "egress": lines(&egress),
            "egressWhole": lines(group.ip_permissions_egress()),
        });
        items.push(Item::new("security-group-rules", rules));
    }
    Ok(items)
}

/// Whether a rule is the one that AWS gives to every new group: ours has a description.
fn is_default(permission: &IpPermission) -> bool {
    !defaults(permission).is_empty()
}

/// The ranges of such rules.
fn defaults(permission: &IpPermission) -> Vec<&'static str> {
    if permission.ip_protocol() != Some("-1") {
        return Vec::new();
    }
    let is_plain = |description: Option<&str>| description.unwrap_or_default().is_empty();
    let mut ranges = permission.ip_ranges().iter();
    let is_open = ranges.any(|one| one.cidr_ip() == Some(EVERYWHERE) && is_plain(one.description()));
    let mut ranges = permission.ipv6_ranges().iter();
    let is_open6 = ranges.any(|one| one.cidr_ipv6() == Some(EVERYWHERE_IPV6) && is_plain(one.description()));
    let both = [(is_open, EVERYWHERE), (is_open6, EVERYWHERE_IPV6)];
    both.into_iter().filter(|(open, _)| *open).map(|(_, range)| range).collect()
}

pub(super) async fn create_group(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let request = cx.ec2_once().await?.create_security_group().group_name(wanted.text("name"));
    let request = request
        .description(wanted.text("description"))
        .vpc_id(wanted.text("vpc"))
        .tag_specifications(tagged(wanted, "tags", ResourceType::SecurityGroup));
    Ok(with_id(send!(cx, "ec2:CreateSecurityGroup", request)?.group_id()))
}

/// Takes away the rule that AWS gives to every new group.
pub(super) async fn revoke_default(cx: &Resources<'_>, _: &Wanted, outputs: &Properties) -> Made<()> {
    let ec2 = cx.ec2().await?;
    let id = outputs.get("id").and_then(Value::as_str).unwrap_or_default();
    let found = send!(cx, "ec2:DescribeSecurityGroups", ec2.describe_security_groups().group_ids(id))?;
    let permissions = found.security_groups().iter().flat_map(SecurityGroup::ip_permissions_egress);
    let all = permissions.flat_map(defaults).map(|range| permission("-1", None, None, range, None));
    let all: Vec<IpPermission> = all.collect();
    if !all.is_empty() {
        let request = ec2.revoke_security_group_egress().group_id(id).set_ip_permissions(Some(all));
        send!(cx, "ec2:RevokeSecurityGroupEgress", request)?;
    }
    Ok(())
}

fn permission(
    protocol: &str,
    from: Option<i32>,
    to: Option<i32>,
    source: &str,
    description: Option<&str>,
) -> IpPermission {
    let description = description.map(str::to_owned);
    let permission = IpPermission::builder().ip_protocol(protocol).set_from_port(from).set_to_port(to);
    if source.starts_with("sg-") {
        let pair = UserIdGroupPair::builder().group_id(source).set_description(description).build();
        return permission.user_id_group_pairs(pair).build();
    }
    if source.contains(':') {
        let range = Ipv6Range::builder().cidr_ipv6(source).set_description(description).build();
        return permission.ipv6_ranges(range).build();
    }
    permission.ip_ranges(IpRange::builder().cidr_ip(source).set_description(description).build()).build()
}

/// The permissions of a list of rules that a group does not have.
fn missing(wanted: &Wanted, key: &str, have: &BTreeSet<String>) -> Vec<IpPermission> {
    let mut have = have.clone();
    let rules = wanted.inputs.get(key).and_then(Value::as_array).into_iter().flatten();
    let new = rules.filter(|rule| flat(rule).as_str().is_some_and(|line| have.insert(line.to_owned())));
    let description = Some(wanted.text("description"));
    let all = new.map(|rule| {
        let protocol = rule["protocol"].as_str().unwrap_or_default();
        let port = |key: &str| {
            rule[key].as_i64().and_then(|port| i32::try_from(port).ok()).filter(|_| protocol != "-1")
        };
        let source = rule["source"].as_str().unwrap_or_default();
        permission(protocol, port("from"), port("to"), source, description)
    });
    all.collect()
}

/// Adds the rules that a group does not have, all with one call for each direction.
pub(super) async fn authorize(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let ec2 = cx.ec2_once().await?;
    let id = wanted.text("group");
    let found = send!(cx, "ec2:DescribeSecurityGroups", ec2.describe_security_groups().group_ids(id))?;
    let group = found.security_groups().first();
    let have = |permissions: Option<&[IpPermission]>| lines(permissions.unwrap_or_default());
    let ingress = missing(wanted, "ingress", &have(group.map(SecurityGroup::ip_permissions)));
    if !ingress.is_empty() {
        let request = ec2.authorize_security_group_ingress().group_id(id);
        send!(cx, "ec2:AuthorizeSecurityGroupIngress", request.set_ip_permissions(Some(ingress)))?;
    }
    let egress = missing(wanted, "egress", &have(group.map(SecurityGroup::ip_permissions_egress)));
    if !egress.is_empty() {
        let request = ec2.authorize_security_group_egress().group_id(id);
        send!(cx, "ec2:AuthorizeSecurityGroupEgress", request.set_ip_permissions(Some(egress)))?;
    }
    Ok(Properties::new())
}
