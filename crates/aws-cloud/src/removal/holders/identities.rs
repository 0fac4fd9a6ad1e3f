//! What holds roles and policies.

use aws_sdk_iam::types::{InstanceProfile, PolicyGroup, PolicyRole, PolicyUser, Role};
use futures::stream::{self, StreamExt};
use landfall_platform::cloud::Waiting;

use super::{Held, holder, pairs};
use crate::removal::AwsRemoval;

/// The most entries that IAM gives at a time.
const PAGE: i32 = 1000;

/// So many policies are asked about at a time: IAM has no call for several.
const ASKED_AT_ONCE: usize = 8;

/// Instance profiles that hold roles.
pub(super) async fn of_roles(removal: &AwsRemoval<'_>) -> Held {
    let Ok(iam) = removal.session.iam().await else {
        return Held::new();
    };
    let request = iam.list_instance_profiles().max_items(PAGE).into_paginator().items().send();
    let found: Vec<InstanceProfile> = Box::pin(request.try_collect()).await.unwrap_or_default();
    let told = |one: &InstanceProfile| {
        let what = format!("instance profile {}", one.instance_profile_name());
        holder(removal, &what, &[one.arn()], &[])
    };
    pairs(&found, |one| one.roles().iter().map(Role::role_name), told)
}

/// Roles, users and groups that policies are attached to.
pub(super) async fn of_policies(removal: &AwsRemoval<'_>, arns: &[&str]) -> Held {
    let mut each: Vec<Waiting<'_, Held>> = Vec::with_capacity(arns.len());
    for arn in arns {
        each.push(Box::pin(of_policy(removal, arn)));
    }
    stream::iter(each).buffered(ASKED_AT_ONCE).concat().await
}

async fn of_policy(removal: &AwsRemoval<'_>, arn: &str) -> Held {
    let Ok(iam) = removal.session.iam().await else {
        return Held::new();
    };
    let Ok(answer) = Box::pin(iam.list_entities_for_policy().policy_arn(arn).send()).await else {
        return Held::new();
    };
    let roles = answer.policy_roles().iter().filter_map(PolicyRole::role_name).map(|name| ("role", name));
    let users = answer.policy_users().iter().filter_map(PolicyUser::user_name).map(|name| ("user", name));
    let groups =
        answer.policy_groups().iter().filter_map(PolicyGroup::group_name).map(|name| ("group", name));
    let told = |(sort, name): (&str, &str)| holder(removal, &format!("{sort} {name}"), &[], &[]);
    roles.chain(users).chain(groups).map(|held_by| (arn.to_owned(), told(held_by))).collect()
}
