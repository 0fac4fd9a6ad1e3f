//! What carries the cluster's tag and landfall knows no way to remove. It is named, so that nobody pays for
//! it unawares.

use aws_sdk_ec2::types::{Filter, NetworkAcl, SecurityGroupRule};
use landfall_platform::removal::Kind;

use super::{Look, Part, balancers, buckets, ec2, is_denied};
use crate::gather::filter;
use crate::removal::arn::Arn;
use crate::removal::graph::Node;
use crate::removal::{MOST_VALUES, kinds};
use crate::session::Lost;

const NETWORK_ACL: &str = "network-acl";
const GROUP_RULE: &str = "security-group-rule";
const ACLS: &str = "ec2:DescribeNetworkAcls";
const RULES: &str = "ec2:DescribeSecurityGroupRules";

/// All of it.
pub(super) async fn others(look: Look<'_>) -> Part {
    let mut part = Part::default();
    let sorts: Vec<&str> = look.claims.sorts_of_ec2().filter(|sort| !ec2::SORTS.contains(sort)).collect();
    for sort in sorts {
        match sort {
            NETWORK_ACL => take(&mut part, "network ACLs", Box::pin(acls(look)).await),
            GROUP_RULE => take(&mut part, "rules of security groups", Box::pin(rules(look)).await),
            _ => part.nodes.extend(unknown_of_ec2(look, sort)),
        }
    }
    for (text, arn, claim) in look.claims.others().filter(|(_, arn, _)| !is_known(arn)) {
        let mut node = Node::new(kind_of(&arn), text, text.to_owned(), claim.fate);
        arn.name().clone_into(&mut node.name);
        part.nodes.push(node);
    }
    part
}

/// Whether another file looks at such things.
fn is_known(arn: &Arn<'_>) -> bool {
    match arn.service {
        "elasticloadbalancing" => balancers::SORTS.contains(&arn.sort),
        "iam" => ["instance-profile", "policy", "role", "user"].contains(&arn.sort),
        "route53" => arn.sort == "hostedzone",
        service => service == buckets::SERVICE && arn.sort.is_empty(),
    }
}

/// The kind of what no other file looks at.
fn kind_of(arn: &Arn<'_>) -> &'static Kind {
    match (arn.service, arn.sort) {
        ("elasticfilesystem", "file-system") => &kinds::FILE_SYSTEM,
        ("elasticfilesystem", "access-point") => &kinds::ACCESS_POINT,
        _ => &kinds::OTHER,
    }
}

/// Things of EC2 that it names itself, or of which only others know where it cannot be asked.
fn unknown_of_ec2(look: Look<'_>, sort: &str) -> Vec<Node> {
    let named = look.claims.of_ec2(sort).filter(|(_, claim)| claim.first_hand || !look.claims.heard_of_ec2);
    named.map(|(id, claim)| Node::new(&kinds::OTHER, id, look.home.ec2(sort, id), claim.fate)).collect()
}

fn take(part: &mut Part, what: &str, found: Result<Vec<Node>, Lost>) {
    match found {
        Ok(nodes) => part.nodes.extend(nodes),
        // What they belong to is looked at as well.
        Err(lost) if is_denied(&lost) => {}
        Err(lost) => part.miss(what, &lost),
    }
}

/// Filters that together let through all of a sort that tags name.
fn by_id(look: Look<'_>, name: &str, sort: &str) -> Vec<Filter> {
    let ids: Vec<&str> = look.claims.of_ec2(sort).map(|(id, _)| id).collect();
    ids.chunks(MOST_VALUES).map(|some| filter(name, some.iter().copied())).collect()
}

/// Access lists. A VPC's default one goes with it.
async fn acls(look: Look<'_>) -> Result<Vec<Node>, Lost> {
    let session = &look.removal.session;
    let ec2 = session.ec2().await?;
    let mut found = Vec::new();
    for some in by_id(look, "network-acl-id", NETWORK_ACL) {
        let request = ec2.describe_network_acls().filters(some);
        found.extend(session.answer(ACLS, request.into_paginator().items().send().try_collect()).await?);
    }
    let node = |one: &NetworkAcl| {
        let id = one.network_acl_id().filter(|_| one.is_default() != Some(true))?;
        let (_, claim) = look.claims.of_ec2(NETWORK_ACL).find(|(claimed, _)| *claimed == id)?;
        Some(Node::new(&kinds::OTHER, id, look.home.ec2(NETWORK_ACL, id), claim.fate))
    };
    Ok(found.iter().filter_map(node).collect())
}

/// Rules of security groups, which go with their groups.
async fn rules(look: Look<'_>) -> Result<Vec<Node>, Lost> {
    let session = &look.removal.session;
    let ec2 = session.ec2().await?;
    let mut found = Vec::new();
    for some in by_id(look, "security-group-rule-id", GROUP_RULE) {
        let request = ec2.describe_security_group_rules().filters(some);
        found.extend(session.answer(RULES, request.into_paginator().items().send().try_collect()).await?);
    }
    let node = |one: &SecurityGroupRule| {
        let id = one.security_group_rule_id()?;
        let (_, claim) = look.claims.of_ec2(GROUP_RULE).find(|(claimed, _)| *claimed == id)?;
        let mut node = Node::new(&kinds::OTHER, id, look.home.ec2(GROUP_RULE, id), claim.fate);
        node.goes_with = one.group_id().map(str::to_owned);
        Some(node)
    };
    Ok(found.iter().filter_map(node).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_looks_at_is_known() {
        let known = |text: &str| Arn::parse(text).as_ref().map(is_known);
        for text in [
            "arn:aws:elasticloadbalancing:us-east-1:1:loadbalancer/a1",
            "arn:aws:iam::1:policy/demo",
            "arn:aws:route53:::hostedzone/Z1",
            "arn:aws:s3:::demo",
        ] {
            assert_eq!(known(text), Some(true), "{text}");
        }
        for text in [
            "arn:aws:elasticfilesystem:us-east-1:1:file-system/fs-1",
            "arn:aws:iam::1:oidc-provider/demo",
            "arn:aws:route53:::healthcheck/1",
            "arn:aws:s3:us-east-1:1:accesspoint/a",
            "arn:aws:elasticloadbalancing:us-east-1:1:truststore/a",
        ] {
            assert_eq!(known(text), Some(false), "{text}");
        }
    }

    #[test]
    fn what_is_of_efs_is_told_by_its_name() {
        let kind = |text: &str| Arn::parse(text).as_ref().map(|arn| kind_of(arn).name);
        let start = "arn:aws:elasticfilesystem:us-east-1:1:";
        assert_eq!(kind(&format!("{start}file-system/fs-1")), Some("file system"));
        assert_eq!(kind(&format!("{start}access-point/fsap-1")), Some("access point of a file system"));
        assert_eq!(kind("arn:aws:rds:eu-west-1:1:db:demo"), Some(kinds::OTHER.name));
    }
}
