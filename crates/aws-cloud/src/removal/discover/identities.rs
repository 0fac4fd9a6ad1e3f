//! Roles, users, instance profiles and policies.
//!
//! No list of IAM tells tags, so each role and user is asked for by itself. Whoever was seen not to be the
//! cluster's is not asked for again, but for those whose names begin like the cluster's.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

use aws_sdk_iam::types::{InstanceProfile, Policy, PolicyScopeType, Role, Tag, User};
use futures::join;
use futures::stream::{self, StreamExt};
use landfall_platform::removal::{Disposition, Kind};

use super::{AT_A_TIME, Look, NAMED, Part, is_denied, is_missing};
use crate::removal::graph::Node;
use crate::removal::named::Whose;
use crate::removal::ownership::Ownership;
use crate::removal::{kinds, named};
use crate::session::{Lost, Session};

/// What belongs to AWS itself is in these paths.
const RESERVED: &[&str] = &["/aws-reserved/", "/aws-service-role/"];
/// So much of the infrastructure id stands at the beginning of every name that is made for the cluster.
const BEGINNING: usize = 12;
/// The most entries of a page.
const PAGE: i32 = 1000;

/// A role or a user of a list.
struct Listed {
    name: String,
    id: String,
    arn: String,
}

/// All of them.
pub(super) async fn identities(look: Look<'_>) -> Part {
    let (roles, users, profiles, policies) = join!(
        Box::pin(roles(look)),
        Box::pin(users(look)),
        Box::pin(listed_profiles(look)),
        Box::pin(policies(look)),
    );
    let mut part = roles;
    part.take(users);
    part.take(policies);
    match profiles {
        Ok(listed) => {
            let own = Box::pin(of_profiles(look, &part.nodes, listed)).await;
            part.take(own);
        }
        Err(lost) => part.miss("instance profiles", &lost),
    }
    part
}

async fn roles(look: Look<'_>) -> Part {
    match Box::pin(listed_roles(look)).await {
        Ok(listed) => judged(look, &kinds::ROLE, listed).await,
        Err(lost) => Part::missed("roles", &lost),
    }
}

async fn users(look: Look<'_>) -> Part {
    match Box::pin(listed_users(look)).await {
        Ok(listed) => judged(look, &kinds::USER, listed).await,
        Err(lost) => Part::missed("users", &lost),
    }
}

async fn listed_roles(look: Look<'_>) -> Result<Vec<Listed>, Lost> {
    const CALL: &str = "iam:ListRoles";
    let session = &look.removal.session;
    let iam = session.iam().await?;
    let request = iam.list_roles().max_items(PAGE);
    let found = session.answer(CALL, request.into_paginator().items().send().try_collect()).await?;
    let listed = |one: &Role| listed(one.role_name(), one.role_id(), one.arn());
    Ok(found.iter().filter(|one| is_free(one.path())).map(listed).collect())
}

async fn listed_users(look: Look<'_>) -> Result<Vec<Listed>, Lost> {
    const CALL: &str = "iam:ListUsers";
    let session = &look.removal.session;
    let iam = session.iam().await?;
    let request = iam.list_users().max_items(PAGE);
    let found = session.answer(CALL, request.into_paginator().items().send().try_collect()).await?;
    let listed = |one: &User| listed(one.user_name(), one.user_id(), one.arn());
    Ok(found.iter().filter(|one| is_free(one.path())).map(listed).collect())
}

fn listed(name: &str, id: &str, arn: &str) -> Listed {
    Listed { name: name.to_owned(), id: id.to_owned(), arn: arn.to_owned() }
}

fn is_free(path: &str) -> bool {
    !RESERVED.iter().any(|reserved| path.starts_with(reserved))
}

/// Whether a name begins as those do that are made for a cluster.
fn begins_like(name: &str, infra_id: &str) -> bool {
    let beginning: String = infra_id.chars().take(BEGINNING).collect();
    !beginning.is_empty() && name.starts_with(&beginning)
}

/// Those of a list that are the cluster's.
async fn judged(look: Look<'_>, kind: &'static Kind, listed: Vec<Listed>) -> Part {
    let infra_id = look.removal.target.infra_id.as_str();
    let mut wanted = Vec::new();
    {
        let foreign = look.removal.foreign.lock().unwrap_or_else(PoisonError::into_inner);
        wanted.extend(
            listed.into_iter().filter(|one| begins_like(&one.name, infra_id) || !foreign.contains(&one.id)),
        );
    }
    wanted.sort_by_key(|one| !begins_like(&one.name, infra_id));
    let mut calls = Vec::new();
    for one in &wanted {
        calls.push(Box::pin(whose(look, kind, one)));
    }
    let answers: Vec<_> = stream::iter(calls).buffered(AT_A_TIME).collect().await;
    let (mut part, mut foreign, mut lost) = (Part::default(), BTreeSet::new(), Vec::new());
    for (one, answer) in wanted.into_iter().zip(answers) {
        match answer {
            Ok(Whose::Cluster(fate)) => {
                let mut node = Node::new(kind, &one.arn, one.arn.clone(), fate);
                node.name = one.name;
                part.nodes.push(node);
            }
            Ok(Whose::Unproven) => part.doubt(look, &one.arn, &format!("{} {}", kind.name, one.name), NAMED),
            Ok(Whose::Other) => {
                foreign.insert(one.id);
            }
            Err(why) if is_missing(&why) => {}
            // Nobody is meant to look at all roles of an account.
            Err(why) if is_denied(&why) && !begins_like(&one.name, infra_id) => {
                foreign.insert(one.id);
            }
            Err(why) => lost.push((one.name, why)),
        }
    }
    look.removal.foreign.lock().unwrap_or_else(PoisonError::into_inner).extend(foreign);
    let count = lost.len();
    if let Some((name, why)) = lost.into_iter().next() {
        let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        part.miss(&format!("the {} {name}{more}", kind.name), &why);
    }
    part
}

/// Whose a role or a user is. Users are made by operators, with their tags.
async fn whose(look: Look<'_>, kind: &'static Kind, one: &Listed) -> Result<Whose, Lost> {
    let tags = Box::pin(tags_of(&look.removal.session, kind, &one.arn)).await?;
    let ends = if *kind == kinds::ROLE { named::ROLES } else { &[] };
    Ok(by_name(look, &one.name, ends, &tags))
}

/// The tags of a thing of IAM. Reading the thing is allowed more often than listing its tags.
pub(in crate::removal) async fn tags_of(
    session: &Session<'_>,
    kind: &Kind,
    arn: &str,
) -> Result<Vec<Tag>, Lost> {
    let name = arn.rsplit(['/', ':']).next().unwrap_or(arn);
    let iam = session.iam().await?;
    if *kind == kinds::ROLE {
        let answer = session.answer("iam:GetRole", iam.get_role().role_name(name).send()).await?;
        return Ok(answer.role().map(Role::tags).unwrap_or_default().to_vec());
    }
    if *kind == kinds::USER {
        let answer = session.answer("iam:GetUser", iam.get_user().user_name(name).send()).await?;
        return Ok(answer.user().map(User::tags).unwrap_or_default().to_vec());
    }
    if *kind == kinds::POLICY {
        let answer = session.answer("iam:GetPolicy", iam.get_policy().policy_arn(arn).send()).await?;
        return Ok(answer.policy().map(Policy::tags).unwrap_or_default().to_vec());
    }
    let request = iam.get_instance_profile().instance_profile_name(name);
    let answer = session.answer("iam:GetInstanceProfile", request.send()).await?;
    Ok(answer.instance_profile().map(InstanceProfile::tags).unwrap_or_default().to_vec())
}

/// Whose something is by its tags, or else by its name.
fn by_name(look: Look<'_>, name: &str, ends: &[&str], tags: &[Tag]) -> Whose {
    let tags = tags.iter().map(|tag| (tag.key(), tag.value()));
    named::whose(&look.removal.ownership, &look.removal.target.infra_id, name, ends, tags)
}

async fn listed_profiles(look: Look<'_>) -> Result<Vec<InstanceProfile>, Lost> {
    const CALL: &str = "iam:ListInstanceProfiles";
    let session = &look.removal.session;
    let iam = session.iam().await?;
    let request = iam.list_instance_profiles().max_items(PAGE);
    Ok(session.answer(CALL, request.into_paginator().items().send().try_collect()).await?)
}

/// The instance profiles that are the cluster's by tag, by name, or as they hold nothing but a role of its
/// own. The list has no tags, so those that can be the cluster's are asked for theirs.
async fn of_profiles(look: Look<'_>, nodes: &[Node], listed: Vec<InstanceProfile>) -> Part {
    let removed = nodes.iter().filter(|node| *node.kind == kinds::ROLE && node.fate == Disposition::Removed);
    let roles: BTreeSet<&str> = removed.map(|node| node.key.as_str()).collect();
    let claimed: BTreeSet<&str> = look.claims.of("iam", "instance-profile").map(|(arn, ..)| arn).collect();
    let mut part = Part::default();
    for profile in listed {
        let name = profile.instance_profile_name();
        let is_named = named::is_made_for(&look.removal.target.infra_id, name, named::PROFILES);
        let holds_own_roles = holds_only(&profile, &roles);
        let tags = if is_named || holds_own_roles || claimed.contains(profile.arn()) {
            match Box::pin(tags_of(&look.removal.session, &kinds::INSTANCE_PROFILE, profile.arn())).await {
                Ok(tags) => tags,
                Err(lost) if is_missing(&lost) => continue,
                Err(lost) => {
                    part.miss(&format!("the instance profile {name}"), &lost);
                    continue;
                }
            }
        } else {
            Vec::new()
        };
        let whose = whose_profile(
            &look.removal.ownership,
            &look.removal.target.infra_id,
            name,
            &tags,
            holds_own_roles,
        );
        if whose == Whose::Unproven {
            part.doubt(look, profile.arn(), &format!("instance profile {name}"), NAMED);
        }
        let Some(fate) = whose.fate() else { continue };
        let mut node = Node::new(&kinds::INSTANCE_PROFILE, profile.arn(), profile.arn().to_owned(), fate);
        name.clone_into(&mut node.name);
        node.mentions = profile.roles().iter().map(|role| role.arn().to_owned()).collect();
        let names = profile.roles().iter().map(|role| role.role_name().to_owned()).collect();
        part.known.profiles.insert(node.name.clone(), names);
        part.nodes.push(node);
    }
    part
}

/// Whose an instance profile is by its tags, or else by its name. Where these do not prove it, the roles do that it
/// holds, unless a tag is another cluster's.
fn whose_profile(
    ownership: &Ownership,
    infra_id: &str,
    name: &str,
    tags: &[Tag],
    holds_own_roles: bool,
) -> Whose {
    let tags = || tags.iter().map(|tag| (tag.key(), tag.value()));
    match named::whose(ownership, infra_id, name, named::PROFILES, tags()) {
        Whose::Unproven | Whose::Other if holds_own_roles && ownership.others(tags()).is_empty() => {
            Whose::Cluster(Disposition::Removed)
        }
        whose => whose,
    }
}

/// Whether an instance profile holds some of these roles, and no others.
fn holds_only(profile: &InstanceProfile, roles: &BTreeSet<&str>) -> bool {
    let held = profile.roles();
    !held.is_empty() && held.iter().all(|role| roles.contains(role.arn()))
}

/// The policies with the cluster's tag: those that tags name, and those whose names begin like the cluster's.
async fn policies(look: Look<'_>) -> Part {
    let mut part = Part::default();
    let mut wanted: BTreeMap<String, Option<Disposition>> = BTreeMap::new();
    match Box::pin(listed_policies(look)).await {
        Ok(listed) => wanted.extend(listed.into_iter().map(|arn| (arn, None))),
        // An installation needs no right to list policies: it creates none, and tags name those of operators.
        Err(lost) if is_denied(&lost) => {}
        Err(lost) => part.miss("policies", &lost),
    }
    let claimed = look.claims.of("iam", "policy");
    wanted.extend(claimed.map(|(arn, _, claim)| (arn.to_owned(), Some(claim.fate))));
    for (arn, claimed) in wanted {
        let arn = arn.as_str();
        let fate = match Box::pin(tagged_policy(look, arn)).await {
            Ok(Whose::Unproven) => {
                part.doubt(look, arn, &format!("policy {arn}"), NAMED);
                None
            }
            Ok(whose) => whose.fate(),
            Err(lost) if is_missing(&lost) => None,
            Err(lost) if is_denied(&lost) => claimed,
            Err(lost) => {
                part.miss(&format!("the policy {arn}"), &lost);
                None
            }
        };
        if let Some(fate) = fate {
            let mut node = Node::new(&kinds::POLICY, arn, arn.to_owned(), fate);
            arn.rsplit('/').next().unwrap_or_default().clone_into(&mut node.name);
            part.nodes.push(node);
        }
    }
    part
}

/// The account's own policies whose names begin like the cluster's.
async fn listed_policies(look: Look<'_>) -> Result<Vec<String>, Lost> {
    const CALL: &str = "iam:ListPolicies";
    let session = &look.removal.session;
    let iam = session.iam().await?;
    let request = iam.list_policies().scope(PolicyScopeType::Local).max_items(PAGE);
    let found = session.answer(CALL, request.into_paginator().items().send().try_collect()).await?;
    let infra_id = &look.removal.target.infra_id;
    let own = found.iter().filter(|one| one.policy_name().is_some_and(|name| begins_like(name, infra_id)));
    Ok(own.filter_map(Policy::arn).map(str::to_owned).collect())
}

async fn tagged_policy(look: Look<'_>, arn: &str) -> Result<Whose, Lost> {
    let tags = tags_of(&look.removal.session, &kinds::POLICY, arn).await?;
    Ok(by_name(look, arn.rsplit('/').next().unwrap_or_default(), named::POLICIES, &tags))
}

#[cfg(test)]
mod tests {
    use aws_smithy_types::DateTime;
    use landfall_platform::removal::Target;

    use super::*;

    fn role(arn: &str) -> Option<Role> {
        let role = Role::builder().path("/").role_name("r").role_id("R").arn(arn);
        role.create_date(DateTime::from_secs(0)).build().ok()
    }

    fn profile(name: &str, roles: &[&str]) -> Option<InstanceProfile> {
        let roles: Vec<Role> = roles.iter().filter_map(|arn| role(arn)).collect();
        let profile = InstanceProfile::builder().path("/").instance_profile_name(name).arn(name);
        let profile = profile.instance_profile_id("P").create_date(DateTime::from_secs(0));
        profile.set_roles(Some(roles)).build().ok()
    }

    #[test]
    fn a_profile_is_known_by_its_name_or_its_roles() {
        let own = |infra_id: &str, name: &str, roles: &[&str]| {
            let ownership = Ownership::of(&Target { infra_id: infra_id.to_owned(), ..Target::default() });
            let known = BTreeSet::from(["arn:own"]);
            let held = profile(name, roles).is_some_and(|profile| holds_only(&profile, &known));
            whose_profile(&ownership, infra_id, name, &[], held)
        };
        let removed = Whose::Cluster(Disposition::Removed);
        assert_eq!(own("demo-bcd24", "demo-bcd24-master-profile", &[]), removed);
        assert_eq!(own("demo-bcd24", "demo-bcd24-other-profile", &[]), Whose::Other);
        assert_eq!(own("demo-bcd24", "any", &["arn:own"]), removed);
        assert_eq!(own("demo-bcd24", "any", &["arn:own", "arn:other"]), Whose::Other);
        assert_eq!(own("demo-bcd24", "my-demo-bcd24-master-profile", &[]), Whose::Other);
        assert_eq!(own("", "-master-profile", &[]), Whose::Other);
        // An id that somebody chose is not one that only this cluster has.
        assert_eq!(own("demo", "demo-master-profile", &[]), Whose::Unproven);
        assert_eq!(own("demo", "demo-master-profile", &["arn:own"]), removed);
    }

    #[test]
    fn the_tags_of_a_profile_count_before_its_name_and_its_roles() {
        let id = "demo-bcd24";
        let ownership = Ownership::of(&Target { infra_id: id.to_owned(), ..Target::default() });
        let whose = |name: &str, key: &str, value: &str, held: bool| {
            let tag = Tag::builder().key(key).value(value).build();
            let tags: Vec<Tag> = tag.into_iter().collect();
            whose_profile(&ownership, id, name, &tags, held)
        };
        let (name, key) = ("demo-bcd24-master-profile", "kubernetes.io/cluster/demo-bcd24");
        assert_eq!(whose("any", key, "owned", false), Whose::Cluster(Disposition::Removed));
        assert_eq!(whose(name, key, "shared", true), Whose::Cluster(Disposition::Released));
        for held in [false, true] {
            assert_eq!(whose(name, "kubernetes.io/cluster/other-x7k2p", "owned", held), Whose::Other);
        }
        assert_eq!(whose(name, "team", "moon", false), Whose::Unproven);
        assert_eq!(whose(name, "team", "moon", true), Whose::Cluster(Disposition::Removed));
    }

    #[test]
    fn a_name_that_begins_like_the_clusters_is_always_asked_for() {
        assert!(begins_like("averylongnam-openshift-x", "averylongname-bcd24"));
        assert!(!begins_like("other", "averylongname-bcd24"));
        assert!(!begins_like("other", ""));
    }

    #[test]
    fn what_belongs_to_aws_is_left_out() {
        assert!(is_free("/") && is_free("/team/"));
        assert!(!is_free("/aws-service-role/elasticloadbalancing.amazonaws.com/"));
    }
}
