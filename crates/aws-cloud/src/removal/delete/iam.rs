//! Instance profiles, roles and policies.

use aws_sdk_iam::types::{AttachedPolicy, InstanceProfile, PolicyVersion, Role as Listed};
use landfall_platform::removal::{Outcome, Resource};

use super::answers::{self, Meaning};
use super::{Stop, bare, if_allowed, settled};
use crate::removal::known::Role;
use crate::removal::{AwsRemoval, kinds, known};

/// Removes an instance profile, a role or a policy.
pub(super) async fn remove(removal: &AwsRemoval<'_>, thing: &Resource) -> Result<Outcome, Stop> {
    if *thing.kind == kinds::INSTANCE_PROFILE {
        Box::pin(profile(removal, bare(&thing.id))).await
    } else if *thing.kind == kinds::ROLE {
        Box::pin(role(removal, bare(&thing.id))).await
    } else {
        Box::pin(policy(removal, &thing.id)).await
    }
}

/// Removes an instance profile, once no role is in it.
async fn profile(removal: &AwsRemoval<'_>, name: &str) -> Result<Outcome, Stop> {
    let known = known::with(&removal.known, |known| known.profiles.remove(name));
    let roles = match known {
        Some(roles) => roles,
        None => roles_of(removal, name).await?,
    };
    for role in &roles {
        leave(removal, name, role).await?;
    }
    let iam = removal.session.iam().await?;
    ask!(removal, "iam:DeleteInstanceProfile", iam.delete_instance_profile().instance_profile_name(name))?;
    Ok(Outcome::Gone)
}

/// The roles of an instance profile.
async fn roles_of(removal: &AwsRemoval<'_>, profile: &str) -> Result<Vec<String>, Stop> {
    let iam = removal.session.iam().await?;
    let request = iam.get_instance_profile().instance_profile_name(profile);
    let answer = ask!(removal, "iam:GetInstanceProfile", request)?;
    let roles = answer.instance_profile().map(InstanceProfile::roles).unwrap_or_default();
    Ok(roles.iter().map(Listed::role_name).map(str::to_owned).collect())
}

/// Takes a role out of an instance profile.
async fn leave(removal: &AwsRemoval<'_>, profile: &str, role: &str) -> Result<(), Stop> {
    let iam = removal.session.iam().await?;
    let request = iam.remove_role_from_instance_profile().instance_profile_name(profile).role_name(role);
    Ok(settled(ask!(removal, "iam:RemoveRoleFromInstanceProfile", request))?)
}

/// Removes a role, with its own policies, and out of all instance profiles.
async fn role(removal: &AwsRemoval<'_>, name: &str) -> Result<Outcome, Stop> {
    let known = known::with(&removal.known, |known| known.roles.remove(name));
    let role = match known {
        Some(role) => role,
        None => Box::pin(described(removal, name)).await?,
    };
    let iam = removal.session.iam().await?;
    for policy in &role.inline {
        let request = iam.delete_role_policy().role_name(name).policy_name(policy);
        settled(ask!(removal, "iam:DeleteRolePolicy", request))?;
    }
    for policy in &role.attached {
        let request = iam.detach_role_policy().role_name(name).policy_arn(policy);
        settled(ask!(removal, "iam:DetachRolePolicy", request))?;
    }
    for profile in &role.profiles {
        leave(removal, profile, name).await?;
    }
    ask!(removal, "iam:DeleteRole", iam.delete_role().role_name(name))?;
    Ok(Outcome::Gone)
}

/// What holds a role.
async fn described(removal: &AwsRemoval<'_>, name: &str) -> Result<Role, Stop> {
    let iam = removal.session.iam().await?;
    let inline = list!(removal, "iam:ListRolePolicies", iam.list_role_policies().role_name(name))?;
    let request = iam.list_attached_role_policies().role_name(name);
    let attached = if_allowed(list!(removal, "iam:ListAttachedRolePolicies", request))?;
    let request = iam.list_instance_profiles_for_role().role_name(name);
    let profiles = if_allowed(list!(removal, "iam:ListInstanceProfilesForRole", request))?;
    let profiles = profiles.iter().map(InstanceProfile::instance_profile_name);
    Ok(Role {
        inline,
        attached: attached.iter().filter_map(AttachedPolicy::policy_arn).map(str::to_owned).collect(),
        profiles: profiles.map(str::to_owned).collect(),
    })
}

/// Removes a policy of the account. Its older versions go first, if it has any; where something that stays
/// has the policy, that is told.
async fn policy(removal: &AwsRemoval<'_>, arn: &str) -> Result<Outcome, Stop> {
    const CALL: &str = "iam:DeletePolicy";
    let iam = removal.session.iam().await?;
    match ask!(removal, CALL, iam.delete_policy().policy_arn(arn)) {
        Ok(_) => return Ok(Outcome::Gone),
        Err(fault) if answers::meaning(&fault) != Meaning::Held => return Err(fault.into()),
        Err(_) => {}
    }
    let versions = list!(removal, "iam:ListPolicyVersions", iam.list_policy_versions().policy_arn(arn))?;
    let older: Vec<&PolicyVersion> =
        versions.iter().filter(|version| !version.is_default_version()).collect();
    for version in older {
        let request = iam.delete_policy_version().policy_arn(arn);
        let request = request.version_id(version.version_id().unwrap_or_default());
        settled(ask!(removal, "iam:DeletePolicyVersion", request))?;
    }
    ask!(removal, CALL, iam.delete_policy().policy_arn(arn))?;
    Ok(Outcome::Gone)
}
