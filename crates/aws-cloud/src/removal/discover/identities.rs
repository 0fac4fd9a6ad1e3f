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
use crate::removal::kinds;
use crate::removal::named;
use crate::removal::named::Whose;
use crate::session::Lost;

/// What belongs to AWS itself is in these paths.
const RESERVED: &[&str] = &["/aws-reserved/", "/aws-service-role/"];
/// Names of instance profiles are the infrastructure id and one of these; no tag says whose they are.
const PROFILES: &[&str] = &["-master-profile", "-worker-profile", "-bootstrap-profile"];
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
        Err(lost) => missed("roles", &lost),
    }
}

async fn users(look: Look<'_>) -> Part {
    match Box::pin(listed_users(look)).await {
        Ok(listed) => judged(look, &kinds::USER, listed).await,
        Err(lost) => missed("users", &lost),
    }
}

fn missed(what: &str, lost: &Lost) -> Part {
    let mut part = Part::default();
    part.miss(what, lost);
    part
}

async fn listed_roles(look: Look<'_>) -> Result<Vec<Listed>, Lost> {
    const CALL: &str = "iam:ListRoles";
    let session = &look.removal.session;
    let iam = session.iam().await.map_err(Lost::Unready)?;
    let request = iam.list_roles().max_items(PAGE);
    let found = Box::pin(request.into_paginator().items().send().try_collect()).await;
    let found = found.map_err(|error| Lost::Fault(session.fault(CALL, &error)))?;
    let listed = |one: &Role| listed(one.role_name(), one.role_id(), one.arn());
    Ok(found.iter().filter(|one| is_free(one.path())).map(listed).collect())
}

async fn listed_users(look: Look<'_>) -> Result<Vec<Listed>, Lost> {
    const CALL: &str = "iam:ListUsers";
    let session = &look.removal.session;
    let iam = session.iam().await.map_err(Lost::Unready)?;
    let request = iam.list_users().max_items(PAGE);
    let found = Box::pin(request.into_paginator().items().send().try_collect()).await;
    let found = found.map_err(|error| Lost::Fault(session.fault(CALL, &error)))?;
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
        calls.push(Box::pin(fate(look, kind, &one.name)));
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
            Ok(Whose::Unproven) => part.doubt(look, &format!("{} {}", kind.name, one.name), NAMED),
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
async fn fate(look: Look<'_>, kind: &'static Kind, name: &str) -> Result<Whose, Lost> {
    let session = &look.removal.session;
    let iam = session.iam().await.map_err(Lost::Unready)?;
    if *kind == kinds::ROLE {
        let answer = Box::pin(iam.get_role().role_name(name).send()).await;
        let answer = answer.map_err(|error| Lost::Fault(session.fault("iam:GetRole", &error)))?;
        let tags = answer.role().map(Role::tags).unwrap_or_default();
        return Ok(by_name(look, name, named::ROLES, tags));
    }
    let answer = Box::pin(iam.get_user().user_name(name).send()).await;
    let answer = answer.map_err(|error| Lost::Fault(session.fault("iam:GetUser", &error)))?;
    Ok(by_name(look, name, &[], answer.user().map(User::tags).unwrap_or_default()))
}

/// Whose something is by its tags, or else by its name.
fn by_name(look: Look<'_>, name: &str, ends: &[&str], tags: &[Tag]) -> Whose {
    let tags = tags.iter().map(|tag| (tag.key(), tag.value()));
    named::whose(&look.removal.ownership, &look.removal.target.infra_id, name, ends, tags)
}

fn by_tags(look: Look<'_>, tags: &[Tag]) -> Option<Disposition> {
    look.removal.ownership.fate(tags.iter().map(|tag| (tag.key(), tag.value())))
}

async fn listed_profiles(look: Look<'_>) -> Result<Vec<InstanceProfile>, Lost> {
    const CALL: &str = "iam:ListInstanceProfiles";
    let session = &look.removal.session;
    let iam = session.iam().await.map_err(Lost::Unready)?;
    let request = iam.list_instance_profiles().max_items(PAGE);
    let found = Box::pin(request.into_paginator().items().send().try_collect()).await;
    found.map_err(|error| Lost::Fault(session.fault(CALL, &error)))
}

/// The instance profiles that are the cluster's by tag, by name, or as they hold nothing but a role of its
/// own.
async fn of_profiles(look: Look<'_>, nodes: &[Node], listed: Vec<InstanceProfile>) -> Part {
    let removed = nodes.iter().filter(|node| *node.kind == kinds::ROLE && node.fate == Disposition::Removed);
    let roles: BTreeSet<&str> = removed.map(|node| node.key.as_str()).collect();
    let claimed: BTreeSet<&str> = look.claims.of("iam", "instance-profile").map(|(arn, ..)| arn).collect();
    let mut part = Part::default();
    for profile in listed {
        let own = is_own_profile(&profile, &look.removal.target.infra_id, &roles);
        let fate = if claimed.contains(profile.arn()) {
            match Box::pin(tagged_profile(look, profile.instance_profile_name())).await {
                Ok(fate) => fate,
                Err(lost) if is_missing(&lost) => continue,
                Err(lost) => {
                    part.miss(&format!("the instance profile {}", profile.instance_profile_name()), &lost);
                    continue;
                }
            }
        } else {
            None
        };
        let Some(fate) = fate.or(own.then_some(Disposition::Removed)) else {
            continue;
        };
        let mut node = Node::new(&kinds::INSTANCE_PROFILE, profile.arn(), profile.arn().to_owned(), fate);
        profile.instance_profile_name().clone_into(&mut node.name);
        node.mentions = profile.roles().iter().map(|role| role.arn().to_owned()).collect();
        let names = profile.roles().iter().map(|role| role.role_name().to_owned()).collect();
        part.known.profiles.insert(node.name.clone(), names);
        part.nodes.push(node);
    }
    part
}

/// Whether an instance profile is the cluster's without a tag.
fn is_own_profile(profile: &InstanceProfile, infra_id: &str, roles: &BTreeSet<&str>) -> bool {
    let rest = profile.instance_profile_name().strip_prefix(infra_id).filter(|_| !infra_id.is_empty());
    let held = profile.roles();
    rest.is_some_and(|rest| PROFILES.contains(&rest))
        || (!held.is_empty() && held.iter().all(|role| roles.contains(role.arn())))
}

async fn tagged_profile(look: Look<'_>, name: &str) -> Result<Option<Disposition>, Lost> {
    const CALL: &str = "iam:GetInstanceProfile";
    let session = &look.removal.session;
    let iam = session.iam().await.map_err(Lost::Unready)?;
    let answer = Box::pin(iam.get_instance_profile().instance_profile_name(name).send()).await;
    let answer = answer.map_err(|error| Lost::Fault(session.fault(CALL, &error)))?;
    Ok(by_tags(look, answer.instance_profile().map(InstanceProfile::tags).unwrap_or_default()))
}

/// The policies with the cluster's tag: those that tags name, and those whose names begin like the cluster's.
async fn policies(look: Look<'_>) -> Part {
    let mut part = Part::default();
    let mut wanted: BTreeMap<String, Option<Disposition>> = BTreeMap::new();
    match Box::pin(listed_policies(look)).await {
        Ok(listed) => wanted.extend(listed.into_iter().map(|arn| (arn, None))),
        // An installation needs no right to list policies.
        Err(lost) if is_denied(&lost) => {}
        Err(lost) => part.miss("policies", &lost),
    }
    let claimed = look.claims.of("iam", "policy");
    wanted.extend(claimed.map(|(arn, _, claim)| (arn.to_owned(), Some(claim.fate))));
    for (arn, claimed) in wanted {
        let arn = arn.as_str();
        let fate = match Box::pin(tagged_policy(look, arn)).await {
            Ok(Whose::Unproven) => {
                part.doubt(look, &format!("policy {arn}"), NAMED);
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
    let iam = session.iam().await.map_err(Lost::Unready)?;
    let request = iam.list_policies().scope(PolicyScopeType::Local).max_items(PAGE);
    let found = Box::pin(request.into_paginator().items().send().try_collect()).await;
    let found = found.map_err(|error| Lost::Fault(session.fault(CALL, &error)))?;
    let infra_id = &look.removal.target.infra_id;
    let own = found.iter().filter(|one| one.policy_name().is_some_and(|name| begins_like(name, infra_id)));
    Ok(own.filter_map(Policy::arn).map(str::to_owned).collect())
}

async fn tagged_policy(look: Look<'_>, arn: &str) -> Result<Whose, Lost> {
    const CALL: &str = "iam:GetPolicy";
    let session = &look.removal.session;
    let iam = session.iam().await.map_err(Lost::Unready)?;
    let answer = Box::pin(iam.get_policy().policy_arn(arn).send()).await;
    let answer = answer.map_err(|error| Lost::Fault(session.fault(CALL, &error)))?;
    let tags = answer.policy().map(Policy::tags).unwrap_or_default();
    Ok(by_name(look, arn.rsplit('/').next().unwrap_or_default(), named::POLICIES, tags))
}

#[cfg(test)]
mod tests {
    use aws_smithy_types::DateTime;

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
        let own = |name: &str, roles: &[&str]| {
            let known = BTreeSet::from(["arn:own"]);
            profile(name, roles).map(|profile| is_own_profile(&profile, "demo-bcd24", &known))
        };
        assert_eq!(own("demo-bcd24-master-profile", &[]), Some(true));
        assert_eq!(own("demo-bcd24-other-profile", &[]), Some(false));
        assert_eq!(own("any", &["arn:own"]), Some(true));
        assert_eq!(own("any", &["arn:own", "arn:other"]), Some(false));
        assert_eq!(own("my-demo-bcd24-master-profile", &[]), Some(false));
        let nameless = profile("-master-profile", &[]);
        assert_eq!(nameless.map(|profile| is_own_profile(&profile, "", &BTreeSet::new())), Some(false));
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
