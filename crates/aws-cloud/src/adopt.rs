//! What the user brought is marked as shared with the cluster before anything is made: whoever destroys the
//! cluster takes the mark away again and leaves the rest (`assets.md`, A.2, C.1 and E.5).
//!
//! Everything is looked at first, so that a repetition writes nothing. Where only the look is refused, the
//! mark is set all the same: it does no harm where it stands already.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_ec2::types::{Subnet, Tag as SubnetTag};
use aws_sdk_iam::types::{InstanceProfile, Role, Tag as IamTag};
use aws_sdk_route53::types::{Tag as ZoneTag, TagResourceType};
use landfall_diagnostics::counted;
use landfall_model::aws::config::MachinePool;
use landfall_model::config::InstallConfig;
use landfall_model::plan::Plan;
use landfall_platform::cloud::{Asked, Verdict};

use super::dns;
use super::fault::{Fault, Sort};
use super::gather::filter;
use super::session::Session;
use landfall_aws::permissions::needed;
use landfall_aws::tags::CLUSTER;

/// Fields that findings point at.
const SUBNETS: &str = "platform.aws.vpc.subnets";
const HOSTED_ZONE: &str = "platform.aws.hostedZone";

/// Values of the tag: of what a cluster uses, and of what it has made.
const SHARED: &str = "shared";
const OWNED: &str = "owned";

/// The most resources that EC2 tags in one call.
const MOST_AT_ONCE: usize = 1000;

const TAG_SUBNETS: &str = "ec2:CreateTags";
const TAG_ZONE: &str = "route53:ChangeTagsForResource";
const TAG_ROLE: &str = "iam:TagRole";
const TAG_PROFILE: &str = "iam:TagInstanceProfile";

/// Marks everything that a plan uses and does not make; what was marked, as sentences.
pub(super) async fn adopt(session: &Session<'_>, plan: &Plan) -> Asked<Vec<String>> {
    let key = format!("{CLUSTER}{}", plan.identity.infra_id);
    let mut marked = Vec::new();
    marked.extend(subnets(session, &key, &subnets_of(plan)).await?);
    marked.extend(zone(session, &key).await?);
    // What a release does not tag, its policy does not allow.
    let allowed = needed(session.asking.config, session.asking.catalogue, session.asking.release);
    let allowed = |action: &str| allowed.iter().any(|known| known == action);
    if allowed(TAG_ROLE) {
        for (name, field) in named(session.asking.config, "iamRole", |settings| &settings.iam_role) {
            marked.extend(role(session, &key, &name, &field).await?);
        }
    }
    if allowed(TAG_PROFILE) {
        for (name, field) in named(session.asking.config, "iamProfile", |settings| &settings.iam_profile) {
            marked.extend(profile(session, &key, &name, &field).await?);
        }
    }
    Ok(marked)
}

/// The subnets that are there, of all kinds.
fn subnets_of(plan: &Plan) -> BTreeSet<String> {
    let existing = plan.platform.aws.iter().flat_map(|aws| aws.network.existing_subnets());
    existing.cloned().collect()
}

async fn subnets(session: &Session<'_>, key: &str, ids: &BTreeSet<String>) -> Asked<Option<String>> {
    const LOOK: &str = "ec2:DescribeSubnets";
    if ids.is_empty() {
        return Ok(None);
    }
    let what = counted(ids.len(), "subnet");
    let ec2 = session.ec2().await?;
    let request = ec2.describe_subnets().filters(filter("subnet-id", ids.iter().map(String::as_str)));
    let found = session.answer(LOOK, request.into_paginator().items().send().try_collect()).await;
    let found = if_allowed(found, SUBNETS, &what)?;
    let rest = unmarked(key, ids, &found);
    for some in rest.chunks(MOST_AT_ONCE) {
        let tag = SubnetTag::builder().key(key).value(SHARED).build();
        let request = ec2.create_tags().set_resources(Some(some.to_vec())).tags(tag);
        session.answer(TAG_SUBNETS, request.send()).await.map_err(|fault| refused(&fault, SUBNETS, &what))?;
    }
    Ok((!rest.is_empty()).then(|| done(&counted(rest.len(), "subnet"))))
}

/// The subnets on which the mark is missing.
fn unmarked(key: &str, ids: &BTreeSet<String>, found: &[Subnet]) -> Vec<String> {
    let marked = |subnet: &&Subnet| {
        let tags = subnet.tags().iter().filter_map(|tag| Some((tag.key()?, tag.value()?)));
        is_marked(key, tags)
    };
    let marked: BTreeSet<&str> = found.iter().filter(marked).filter_map(Subnet::subnet_id).collect();
    ids.iter().filter(|id| !marked.contains(id.as_str())).cloned().collect()
}

/// The zone that the config names, as the role that it names if it does.
async fn zone(session: &Session<'_>, key: &str) -> Asked<Option<String>> {
    let id = session.platform.hosted_zone.trim_start_matches("/hostedzone/");
    if id.is_empty() {
        return Ok(None);
    }
    let what = format!("the hosted zone {id}");
    let route53 = session.route53_of_zone().await?;
    let tags = if_allowed(dns::tags(session, &route53, id).await, HOSTED_ZONE, &what)?;
    if is_marked(key, tags.iter().filter_map(|tag| Some((tag.key()?, tag.value()?)))) {
        return Ok(None);
    }
    let tag = ZoneTag::builder().key(key).value(SHARED).build();
    let request = route53.change_tags_for_resource().resource_type(TagResourceType::Hostedzone);
    let answer = session.answer(TAG_ZONE, request.resource_id(id).add_tags(tag).send()).await;
    answer.map_err(|fault| refused(&fault, HOSTED_ZONE, &what))?;
    Ok(Some(done(&what)))
}

async fn role(session: &Session<'_>, key: &str, name: &str, field: &str) -> Asked<Option<String>> {
    const LOOK: &str = "iam:GetRole";
    let what = format!("the role {name}");
    let iam = session.iam().await?;
    let answer = session.answer(LOOK, iam.get_role().role_name(name).send()).await;
    let tags = answer.map(|answer| answer.role().map(Role::tags).unwrap_or_default().to_vec());
    if is_marked(key, if_allowed(tags, field, &what)?.iter().map(|tag| (tag.key(), tag.value()))) {
        return Ok(None);
    }
    let request = iam.tag_role().role_name(name).tags(iam_tag(key)?);
    session.answer(TAG_ROLE, request.send()).await.map_err(|fault| refused(&fault, field, &what))?;
    Ok(Some(done(&what)))
}

async fn profile(session: &Session<'_>, key: &str, name: &str, field: &str) -> Asked<Option<String>> {
    const LOOK: &str = "iam:GetInstanceProfile";
    let what = format!("the instance profile {name}");
    let iam = session.iam().await?;
    let answer = session.answer(LOOK, iam.get_instance_profile().instance_profile_name(name).send()).await;
    let tags = answer
        .map(|answer| answer.instance_profile().map(InstanceProfile::tags).unwrap_or_default().to_vec());
    if is_marked(key, if_allowed(tags, field, &what)?.iter().map(|tag| (tag.key(), tag.value()))) {
        return Ok(None);
    }
    let request = iam.tag_instance_profile().instance_profile_name(name).tags(iam_tag(key)?);
    session.answer(TAG_PROFILE, request.send()).await.map_err(|fault| refused(&fault, field, &what))?;
    Ok(Some(done(&what)))
}

fn iam_tag(key: &str) -> Asked<IamTag> {
    let tag = IamTag::builder().key(key).value(SHARED).build();
    tag.map_err(|error| Verdict::Skipped(error.to_string()))
}

/// What pools name, sorted, each with the field of the first pool that does. `leaf` is the setting's path
/// below the pool's section of the platform.
fn named(config: &InstallConfig, leaf: &str, of: fn(&MachinePool) -> &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (path, pool) in config.pools() {
        let name = pool.platform.aws.as_ref().map(of).unwrap_or_default();
        if !name.is_empty() {
            found.entry(name.to_owned()).or_insert_with(|| format!("{path}.platform.aws.{leaf}"));
        }
    }
    found
}

/// Whether one of the tags says that the cluster uses this. What it has made it uses as well.
fn is_marked<'t>(key: &str, tags: impl IntoIterator<Item = (&'t str, &'t str)>) -> bool {
    tags.into_iter().any(|(name, value)| name == key && [SHARED, OWNED].contains(&value))
}

/// A call that failed, as what is to be said at `field`. Unlike what only asks, nothing can go on without it.
/// What a look gives. Who may not look sees nothing, and marks all.
fn if_allowed<T: Default>(answer: Result<T, Fault>, field: &str, what: &str) -> Asked<T> {
    match answer {
        Err(fault) if fault.sort == Sort::Denied => Ok(T::default()),
        answer => answer.map_err(|fault| refused(&fault, field, what)),
    }
}

fn refused(fault: &Fault, field: &str, what: &str) -> Verdict {
    let mut finding = fault.finding(field);
    finding.message = format!("{what} cannot be tagged as {SHARED} with the cluster: {}", finding.message);
    Verdict::Found(Box::new(finding))
}

fn done(what: &str) -> String {
    format!("{what} tagged as {SHARED}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_model::config::MachinePool as Pool;

    const KEY: &str = "kubernetes.io/cluster/demo-bcd24";

    fn subnet(id: &str, key: &str, value: &str) -> Subnet {
        let other = SubnetTag::builder().key("Name").value(SHARED).build();
        let tag = SubnetTag::builder().key(key).value(value).build();
        Subnet::builder().subnet_id(id).tags(other).tags(tag).build()
    }

    #[test]
    fn only_what_lacks_the_mark_is_tagged() {
        let ids: BTreeSet<String> = (1..=6).map(|n| format!("subnet-{n}")).collect();
        let found = [
            subnet("subnet-1", KEY, "shared"),
            subnet("subnet-2", KEY, "owned"),
            subnet("subnet-3", KEY, ""),
            subnet("subnet-4", "kubernetes.io/cluster/demo-bcd25", "shared"),
            Subnet::builder().subnet_id("subnet-5").build(),
        ];
        assert_eq!(unmarked(KEY, &ids, &found), ["subnet-3", "subnet-4", "subnet-5", "subnet-6"]);
        assert!(unmarked(KEY, &BTreeSet::new(), &found).is_empty());
    }

    #[test]
    fn a_name_is_found_once_and_at_the_first_pool() {
        let pool = |role: &str| {
            let mut pool = Pool { name: "any".to_owned(), ..Pool::default() };
            pool.platform.aws = Some(MachinePool { iam_role: role.to_owned(), ..MachinePool::default() });
            pool
        };
        let config = InstallConfig {
            control_plane: Some(pool("one")),
            compute: vec![pool(""), pool("two"), pool("one"), Pool::default()],
            ..InstallConfig::default()
        };
        let found: Vec<(String, String)> =
            named(&config, "iamRole", |settings| &settings.iam_role).into_iter().collect();
        let at = |name: &str, field: &str| (name.to_owned(), field.to_owned());
        let expected =
            [at("one", "controlPlane.platform.aws.iamRole"), at("two", "compute[1].platform.aws.iamRole")];
        assert_eq!(found, expected);
        assert!(named(&config, "iamProfile", |settings| &settings.iam_profile).is_empty());
    }

    #[test]
    fn a_refusal_says_what_was_to_be_done_and_where() {
        let fault = Fault {
            call: TAG_SUBNETS.to_owned(),
            sort: Sort::Throttled,
            code: Some("RequestLimitExceeded".to_owned()),
            message: String::new(),
            request_id: None,
            status: Some(503),
        };
        let Verdict::Found(finding) = refused(&fault, SUBNETS, &counted(1, "subnet")) else {
            unreachable!("a refusal is an error");
        };
        assert_eq!(finding.field, SUBNETS);
        assert!(finding.message.starts_with("1 subnet "), "{}", finding.message);
        assert!(finding.message.contains("ec2:CreateTags"), "{}", finding.message);
        assert!(finding.help.is_some());
    }

    #[test]
    fn what_was_done_is_told() {
        assert!(done(&counted(1, "subnet")).starts_with("1 subnet "));
        assert!(done(&counted(3, "subnet")).starts_with("3 subnets "));
    }
}
