//! Users, with all that belongs to them.

use aws_sdk_iam::types::{AccessKeyMetadata, AttachedPolicy, SshPublicKeyMetadata};
use landfall_platform::removal::Outcome;

use super::answers::{self, Meaning};
use super::{Stop, if_allowed, settled};
use crate::removal::AwsRemoval;

/// Removes a user. Those that clusters make have keys and policies; what people may have added is looked for
/// only where the user does not go without.
pub(super) async fn user(removal: &AwsRemoval<'_>, name: &str) -> Result<Outcome, Stop> {
    const CALL: &str = "iam:DeleteUser";
    Box::pin(usual(removal, name)).await?;
    let iam = removal.session.iam().await?;
    match ask!(removal, CALL, iam.delete_user().user_name(name)) {
        Ok(_) => return Ok(Outcome::Gone),
        Err(fault) if answers::meaning(&fault) != Meaning::Held => return Err(fault.into()),
        Err(_) => {}
    }
    Box::pin(signing_in(removal, name)).await?;
    Box::pin(unusual(removal, name)).await?;
    ask!(removal, CALL, iam.delete_user().user_name(name))?;
    Ok(Outcome::Gone)
}

/// Removes access keys and policies.
async fn usual(removal: &AwsRemoval<'_>, name: &str) -> Result<(), Stop> {
    let iam = removal.session.iam().await?;
    let inline = list!(removal, "iam:ListUserPolicies", iam.list_user_policies().user_name(name))?;
    for policy in &inline {
        let request = iam.delete_user_policy().user_name(name).policy_name(policy);
        settled(ask!(removal, "iam:DeleteUserPolicy", request))?;
    }
    let request = iam.list_attached_user_policies().user_name(name);
    let attached = if_allowed(list!(removal, "iam:ListAttachedUserPolicies", request))?;
    let attached: Vec<&str> = attached.iter().filter_map(AttachedPolicy::policy_arn).collect();
    for policy in attached {
        let request = iam.detach_user_policy().user_name(name).policy_arn(policy);
        settled(ask!(removal, "iam:DetachUserPolicy", request))?;
    }
    let keys = list!(removal, "iam:ListAccessKeys", iam.list_access_keys().user_name(name))?;
    let keys: Vec<&str> = keys.iter().filter_map(AccessKeyMetadata::access_key_id).collect();
    for key in keys {
        let request = iam.delete_access_key().user_name(name).access_key_id(key);
        settled(ask!(removal, "iam:DeleteAccessKey", request))?;
    }
    Ok(())
}

/// Removes what people sign in with, and memberships in groups.
async fn signing_in(removal: &AwsRemoval<'_>, name: &str) -> Result<(), Stop> {
    let iam = removal.session.iam().await?;
    let groups = list!(removal, "iam:ListGroupsForUser", iam.list_groups_for_user().user_name(name))?;
    for group in &groups {
        let request = iam.remove_user_from_group().user_name(name).group_name(group.group_name());
        settled(ask!(removal, "iam:RemoveUserFromGroup", request))?;
    }
    settled(ask!(removal, "iam:DeleteLoginProfile", iam.delete_login_profile().user_name(name)))?;
    let devices = list!(removal, "iam:ListMFADevices", iam.list_mfa_devices().user_name(name))?;
    for device in &devices {
        let request = iam.deactivate_mfa_device().user_name(name).serial_number(device.serial_number());
        settled(ask!(removal, "iam:DeactivateMFADevice", request))?;
    }
    Ok(())
}

/// Removes certificates, SSH keys and the credentials of single services.
async fn unusual(removal: &AwsRemoval<'_>, name: &str) -> Result<(), Stop> {
    let iam = removal.session.iam().await?;
    let request = iam.list_signing_certificates().user_name(name);
    let certificates = list!(removal, "iam:ListSigningCertificates", request)?;
    for certificate in &certificates {
        let id = certificate.certificate_id();
        let request = iam.delete_signing_certificate().user_name(name).certificate_id(id);
        settled(ask!(removal, "iam:DeleteSigningCertificate", request))?;
    }
    let keys = list!(removal, "iam:ListSSHPublicKeys", iam.list_ssh_public_keys().user_name(name))?;
    let keys: Vec<&str> = keys.iter().map(SshPublicKeyMetadata::ssh_public_key_id).collect();
    for key in keys {
        let request = iam.delete_ssh_public_key().user_name(name).ssh_public_key_id(key);
        settled(ask!(removal, "iam:DeleteSSHPublicKey", request))?;
    }
    let request = iam.list_service_specific_credentials().user_name(name);
    let listed = ask!(removal, "iam:ListServiceSpecificCredentials", request)?;
    for credential in listed.service_specific_credentials() {
        let id = credential.service_specific_credential_id();
        let request =
            iam.delete_service_specific_credential().user_name(name).service_specific_credential_id(id);
        settled(ask!(removal, "iam:DeleteServiceSpecificCredential", request))?;
    }
    Ok(())
}
