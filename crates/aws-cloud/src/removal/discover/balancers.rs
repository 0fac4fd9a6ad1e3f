//! Load balancers and target groups: those with the cluster's tag, and those in a VPC of its own. Workloads
//! make them, and Kubernetes tags them.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_elasticloadbalancing::types::{
    LoadBalancerDescription as Classic, TagDescription as ClassicTags,
};
use aws_sdk_elasticloadbalancingv2::types::{
    AvailabilityZone, LoadBalancer, LoadBalancerAddress, TagDescription, TargetGroup,
};
use futures::join;
use futures::stream::{self, StreamExt};
use landfall_platform::cloud::Waiting;
use landfall_platform::removal::{Disposition, Kind};

use super::ec2::Vpcs;
use super::{AT_A_TIME, Look, NAMED, Part, is_denied, is_missing};
use crate::removal::arn::Arn;
use crate::removal::dns::plain;
use crate::removal::graph::Node;
use crate::removal::named::Whose;
use crate::removal::{kinds, named};
use crate::session::Lost;

const SERVICE: &str = "elasticloadbalancing";
/// The sorts in ARNs.
const LOAD_BALANCER: &str = "loadbalancer";
const TARGET_GROUP: &str = "targetgroup";
const LISTENER: &str = "listener";
const LISTENER_RULE: &str = "listener-rule";

/// The sorts that are looked at here.
pub(super) const SORTS: &[&str] = &[LOAD_BALANCER, TARGET_GROUP, LISTENER, LISTENER_RULE];

const BALANCERS: &str = "elasticloadbalancing:DescribeLoadBalancers";
const GROUPS: &str = "elasticloadbalancing:DescribeTargetGroups";
const TAGS: &str = "elasticloadbalancing:DescribeTags";

/// The most things whose tags are asked for in one call.
const MOST_AT_ONCE: usize = 20;

/// The tags of a thing, with its name or ARN.
type Tagged = (String, Vec<(String, String)>);
/// The tags of things, by name or ARN.
type Tags = BTreeMap<String, Vec<(String, String)>>;

/// All load balancers, and what belongs to them.
pub(super) async fn balancers(look: Look<'_>, vpcs: &Vpcs) -> Part {
    let claimed = look.claims.others().any(|(_, arn, _)| arn.service == SERVICE);
    let expected = claimed || !vpcs.used.is_empty() || !vpcs.owned.is_empty();
    let (classic, newer, groups) = join!(
        Box::pin(classic(look, vpcs)),
        Box::pin(newer(look, vpcs)),
        Box::pin(target_groups(look, vpcs)),
    );
    let mut part = Part::default();
    // Who may not look need not, where nothing speaks for any.
    let miss = |part: &mut Part, what: &str, lost: Lost| {
        if expected || !is_denied(&lost) {
            part.miss(what, &lost);
        }
    };
    match newer {
        Ok((found, all)) => {
            part.take(found);
            part.nodes.extend(listeners(look, &all));
        }
        Err(lost) => miss(&mut part, "load balancers", lost),
    }
    match classic {
        Ok(nodes) => part.nodes.extend(nodes),
        Err(lost) => miss(&mut part, "classic load balancers", lost),
    }
    match groups {
        Ok(found) => part.take(found),
        Err(lost) => miss(&mut part, "target groups", lost),
    }
    part
}

/// Whose a load balancer or a target group is by its tags, its VPC or its name, and whether no tag says so.
/// Nothing is said of what has gone before its tags were told.
fn whose(
    look: Look<'_>,
    vpcs: &Vpcs,
    one: &Described<'_>,
    tags: Option<&Vec<(String, String)>>,
) -> (Whose, bool) {
    if let Some((fate, swept)) = fate(look, vpcs, tags, one.vpc) {
        return (Whose::Cluster(fate), swept);
    }
    let Some(tags) = tags else { return (Whose::Other, false) };
    let removal = look.removal;
    let pairs = tags.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    (named::whose(&removal.ownership, &removal.target.infra_id, one.name, one.ends, pairs), true)
}

/// What of a load balancer or a target group says whose it is.
struct Described<'d> {
    name: &'d str,
    ends: &'static [&'static str],
    vpc: Option<&'d str>,
}

/// Whether its name is derived from the cluster's.
fn is_named(look: Look<'_>, name: Option<&str>, ends: &[&str]) -> bool {
    name.is_some_and(|name| named::is_made_for(&look.removal.target.infra_id, name, ends))
}

/// Whether something can be the cluster's: by its place, or by what tags say of it.
fn may_be_own(look: Look<'_>, vpcs: &Vpcs, sort: &str, id: &str, vpc: Option<&str>) -> bool {
    let inside = vpc.is_some_and(|vpc| vpcs.used.contains(vpc) || vpcs.owned.contains(vpc));
    inside || look.claims.of(SERVICE, sort).any(|(_, arn, _)| arn.id == id)
}

/// What becomes of something, and whether only its place says so. Nothing becomes of what has gone before its
/// tags were told.
fn fate(
    look: Look<'_>,
    vpcs: &Vpcs,
    tags: Option<&Vec<(String, String)>>,
    vpc: Option<&str>,
) -> Option<(Disposition, bool)> {
    let ownership = &look.removal.ownership;
    let tags = tags?;
    let pairs = || tags.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    if let Some(fate) = ownership.fate(pairs()) {
        return Some((fate, false));
    }
    let inside = vpc.is_some_and(|vpc| vpcs.owned.contains(vpc));
    (inside && !ownership.is_of_another(pairs())).then_some((Disposition::Removed, true))
}

async fn classic(look: Look<'_>, vpcs: &Vpcs) -> Result<Vec<Node>, Lost> {
    let session = &look.removal.session;
    let client = session.elb().await?;
    let request = client.describe_load_balancers();
    let found = session.answer(BALANCERS, request.into_paginator().items().send().try_collect()).await?;
    let may_be = |one: &&Classic| {
        one.load_balancer_name().is_some_and(|name| may_be_own(look, vpcs, LOAD_BALANCER, name, one.vpc_id()))
    };
    let found: Vec<&Classic> = found.iter().filter(may_be).collect();
    let names: Vec<String> =
        found.iter().filter_map(|one| one.load_balancer_name()).map(str::to_owned).collect();
    let tags = Box::pin(tags_of_classic(look, &names)).await?;
    let node = |one: &&Classic| {
        let name = one.load_balancer_name()?;
        let (fate, swept) = fate(look, vpcs, tags.get(name), one.vpc_id())?;
        let id = look.home.classic_load_balancer(name);
        let mut node = Node::new(&kinds::CLASSIC_LOAD_BALANCER, &id, id.clone(), fate);
        node.aliases = vec![format!("ELB {name}")];
        node.aliases.extend(one.dns_name().map(plain));
        name.clone_into(&mut node.name);
        node.mentions = one.security_groups().iter().chain(one.subnets()).cloned().collect();
        Some(inside(Node { swept, ..node }, one.vpc_id()))
    };
    Ok(found.iter().filter_map(node).collect())
}

/// Load balancers of the newer generation, and the ARNs of all that there are.
async fn newer(look: Look<'_>, vpcs: &Vpcs) -> Result<(Part, BTreeSet<String>), Lost> {
    let session = &look.removal.session;
    let client = session.elbv2().await?;
    let request = client.describe_load_balancers();
    let found = session.answer(BALANCERS, request.into_paginator().items().send().try_collect()).await?;
    let all: BTreeSet<String> =
        found.iter().filter_map(LoadBalancer::load_balancer_arn).map(str::to_owned).collect();
    let may_be = |one: &&LoadBalancer| {
        let id = one.load_balancer_arn().and_then(Arn::parse);
        is_named(look, one.load_balancer_name(), named::BALANCERS)
            || id.is_some_and(|arn| may_be_own(look, vpcs, LOAD_BALANCER, arn.id, one.vpc_id()))
    };
    let found: Vec<&LoadBalancer> = found.iter().filter(may_be).collect();
    let arns: Vec<String> =
        found.iter().filter_map(|one| one.load_balancer_arn()).map(str::to_owned).collect();
    let tags = Box::pin(tags_of(look, &arns)).await?;
    let mut part = Part::default();
    for one in found {
        let (Some(arn), name) = (one.load_balancer_arn(), one.load_balancer_name().unwrap_or_default())
        else {
            continue;
        };
        let described = Described { name, ends: named::BALANCERS, vpc: one.vpc_id() };
        let (whose, swept) = whose(look, vpcs, &described, tags.get(arn));
        if whose == Whose::Unproven {
            part.doubt(look, arn, &format!("load balancer {name}"), NAMED);
        }
        let Some(fate) = whose.fate() else { continue };
        let mut node = with_name(&kinds::LOAD_BALANCER, arn, fate, one.load_balancer_name());
        node.aliases = Arn::parse(arn).map(|arn| format!("ELB {}", arn.id)).into_iter().collect();
        node.aliases.extend(one.dns_name().map(plain));
        node.mentions = one.security_groups().to_vec();
        for zone in one.availability_zones() {
            node.mentions.extend(places(zone));
        }
        part.nodes.push(inside(Node { swept, ..node }, one.vpc_id()));
    }
    Ok((part, all))
}

/// The subnet and the addresses that a load balancer has in a zone.
fn places(zone: &AvailabilityZone) -> Vec<String> {
    let addresses = zone.load_balancer_addresses().iter().filter_map(LoadBalancerAddress::allocation_id);
    zone.subnet_id().into_iter().chain(addresses).map(str::to_owned).collect()
}

async fn target_groups(look: Look<'_>, vpcs: &Vpcs) -> Result<Part, Lost> {
    let session = &look.removal.session;
    let client = session.elbv2().await?;
    let request = client.describe_target_groups();
    let found = session.answer(GROUPS, request.into_paginator().items().send().try_collect()).await?;
    let may_be = |one: &&TargetGroup| {
        let id = one.target_group_arn().and_then(Arn::parse);
        is_named(look, one.target_group_name(), named::TARGET_GROUPS)
            || id.is_some_and(|arn| may_be_own(look, vpcs, TARGET_GROUP, arn.id, one.vpc_id()))
    };
    let found: Vec<&TargetGroup> = found.iter().filter(may_be).collect();
    let arns: Vec<String> =
        found.iter().filter_map(|one| one.target_group_arn()).map(str::to_owned).collect();
    let tags = Box::pin(tags_of(look, &arns)).await?;
    let mut part = Part::default();
    for one in found {
        let (Some(arn), name) = (one.target_group_arn(), one.target_group_name().unwrap_or_default()) else {
            continue;
        };
        let described = Described { name, ends: named::TARGET_GROUPS, vpc: one.vpc_id() };
        let (whose, swept) = whose(look, vpcs, &described, tags.get(arn));
        if whose == Whose::Unproven {
            part.doubt(look, arn, &format!("target group {name}"), NAMED);
        }
        let Some(fate) = whose.fate() else { continue };
        let mut node = with_name(&kinds::TARGET_GROUP, arn, fate, one.target_group_name());
        node.mentions = one.load_balancer_arns().to_vec();
        node.swept = swept;
        part.nodes.push(node);
    }
    Ok(part)
}

fn with_name(kind: &'static Kind, arn: &str, fate: Disposition, name: Option<&str>) -> Node {
    let mut node = Node::new(kind, arn, arn.to_owned(), fate);
    name.unwrap_or_default().clone_into(&mut node.name);
    node
}

fn inside(mut node: Node, vpc: Option<&str>) -> Node {
    node.vpc = vpc.map(str::to_owned);
    node.mentions.extend(node.vpc.clone());
    node
}

/// Tags, asked for with as few calls as can be. Where one of the things has gone meanwhile, the call fails for
/// the others as well, and each is asked for by itself.
async fn tags_of_all<A>(names: &[String], ask: impl Fn(Vec<String>) -> A) -> Result<Tags, Lost>
where
    A: Future<Output = Result<Vec<Tagged>, Lost>>,
{
    let (mut tags, mut wanted) = (Tags::new(), names.to_vec());
    for most in [MOST_AT_ONCE, 1] {
        let lots: Vec<Vec<String>> = wanted.chunks(most).map(<[String]>::to_vec).collect();
        let mut calls = Vec::with_capacity(lots.len());
        for lot in &lots {
            calls.push(ask(lot.clone()));
        }
        let answers: Vec<_> = stream::iter(calls).buffered(AT_A_TIME).collect().await;
        wanted = Vec::new();
        for (lot, answer) in lots.into_iter().zip(answers) {
            match answer {
                Ok(found) => tags.extend(found),
                Err(lost) if is_missing(&lost) => wanted.extend(lot),
                Err(lost) => return Err(lost),
            }
        }
    }
    Ok(tags)
}

async fn tags_of_classic(look: Look<'_>, names: &[String]) -> Result<Tags, Lost> {
    let session = &look.removal.session;
    let client = session.elb().await?;
    let ask = |some: Vec<String>| -> Waiting<'_, Result<Vec<Tagged>, Lost>> {
        let request = client.describe_tags().set_load_balancer_names(Some(some));
        Box::pin(async move {
            let answer = session.answer(TAGS, request.send()).await?;
            Ok(answer.tag_descriptions().iter().filter_map(pairs_of_classic).collect())
        })
    };
    Box::pin(tags_of_all(names, ask)).await
}

fn pairs_of_classic(description: &ClassicTags) -> Option<Tagged> {
    let tags = description.tags().iter();
    let tags = tags.map(|tag| (tag.key().to_owned(), tag.value().unwrap_or_default().to_owned()));
    Some((description.load_balancer_name()?.to_owned(), tags.collect()))
}

async fn tags_of(look: Look<'_>, arns: &[String]) -> Result<Tags, Lost> {
    let session = &look.removal.session;
    let client = session.elbv2().await?;
    let ask = |some: Vec<String>| -> Waiting<'_, Result<Vec<Tagged>, Lost>> {
        let request = client.describe_tags().set_resource_arns(Some(some));
        Box::pin(async move {
            let answer = session.answer(TAGS, request.send()).await?;
            Ok(answer.tag_descriptions().iter().filter_map(pairs).collect())
        })
    };
    Box::pin(tags_of_all(arns, ask)).await
}

fn pairs(description: &TagDescription) -> Option<Tagged> {
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let tags = description.tags().iter().map(|tag| (text(tag.key()), text(tag.value())));
    Some((description.resource_arn()?.to_owned(), tags.collect()))
}

/// Listeners with the cluster's tag and their rules, which go with their load balancers.
fn listeners(look: Look<'_>, balancers: &BTreeSet<String>) -> Vec<Node> {
    let mut nodes = Vec::new();
    for (sort, kind) in [(LISTENER, &kinds::LISTENER), (LISTENER_RULE, &kinds::OTHER)] {
        for (text, arn, claim) in look.claims.of(SERVICE, sort) {
            if let Some(balancer) = balancer_of(text, arn).filter(|arn| balancers.contains(arn)) {
                let mut node = Node::new(kind, text, text.to_owned(), claim.fate);
                node.goes_with = Some(balancer);
                nodes.push(node);
            }
        }
    }
    nodes
}

/// The ARN of the load balancer that a listener or one of its rules belongs to.
fn balancer_of(text: &str, arn: Arn<'_>) -> Option<String> {
    let mut parts = arn.id.split('/');
    let (sort, name, id) = (parts.next()?, parts.next()?, parts.next()?);
    parts.next()?;
    let start = text.strip_suffix(arn.id)?.strip_suffix('/')?.strip_suffix(arn.sort)?;
    Some(format!("{start}{LOAD_BALANCER}/{sort}/{name}/{id}"))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use aws_sdk_elasticloadbalancingv2::types::Tag;

    use super::*;
    use crate::fault::{Fault, Sort};

    fn fault(sort: Sort) -> Lost {
        Lost::Fault(Fault {
            call: TAGS.to_owned(),
            sort,
            code: Some("LoadBalancerNotFound".to_owned()),
            message: String::new(),
            request_id: None,
            status: Some(400),
        })
    }

    #[tokio::test]
    async fn one_that_has_gone_hides_no_other() {
        let names: Vec<String> = (0..45).map(|i| format!("lb-{i}")).collect();
        let calls = AtomicUsize::new(0);
        let ask = |some: Vec<String>| {
            calls.fetch_add(1, Ordering::Relaxed);
            let missing = some.contains(&"lb-21".to_owned());
            let found: Vec<Tagged> = some.into_iter().map(|name| (name, Vec::new())).collect();
            async move { if missing { Err(fault(Sort::NotFound)) } else { Ok(found) } }
        };
        let tags = tags_of_all(&names, ask).await.unwrap_or_default();
        assert_eq!((tags.len(), tags.contains_key("lb-21"), tags.contains_key("lb-22")), (44, false, true));
        // Three lots, and the second one by one.
        assert_eq!(calls.load(Ordering::Relaxed), 23);
        let denied = tags_of_all(&names, |_| async { Err(fault(Sort::Denied)) }).await;
        assert!(denied.is_err());
    }

    #[test]
    fn a_listener_tells_its_load_balancer() {
        let balancer = |text: &str| balancer_of(text, Arn::parse(text)?);
        let start = "arn:aws-cn:elasticloadbalancing:cn-north-1:1:";
        let expected = Some(format!("{start}loadbalancer/net/demo-int/0a"));
        assert_eq!(balancer(&format!("{start}listener/net/demo-int/0a/1b")), expected);
        assert_eq!(balancer(&format!("{start}listener-rule/net/demo-int/0a/1b/2c")), expected);
        assert_eq!(balancer(&format!("{start}listener/net/demo-int/0a")), None);
    }

    #[test]
    fn a_load_balancer_names_its_subnets_and_addresses() {
        let address = LoadBalancerAddress::builder().allocation_id("eipalloc-1").build();
        let zone = AvailabilityZone::builder().subnet_id("subnet-1").load_balancer_addresses(address).build();
        assert_eq!(places(&zone), ["subnet-1", "eipalloc-1"]);
    }

    #[test]
    fn tags_are_kept_by_arn() {
        let tag = Tag::builder().key("a").value("b").build();
        let tags = TagDescription::builder().resource_arn("arn:x").tags(tag);
        let expected = ("arn:x".to_owned(), vec![("a".to_owned(), "b".to_owned())]);
        assert_eq!(pairs(&tags.build()), Some(expected));
        assert_eq!(pairs(&TagDescription::builder().build()), None);
    }
}
