//! Whether the managed identities that the config names for machines are there.

use landfall_model::azure::config::{MachinePool, UserAssignedIdentity};
use landfall_platform::cloud::{Answer, Asking, Check, check};
use serde::de::IgnoredAny;

use super::findings;
use super::settings::{Setting, distinct};
use crate::cloud::api_versions::Api;
use crate::cloud::gather::resource;
use crate::cloud::session::Session;

/// Provider and type of identities.
pub(super) const KIND: &str = "Microsoft.ManagedIdentity/userAssignedIdentities";

/// One check for each identity that pools name.
pub(super) fn checks<'s>(session: &'s Session<'_>) -> Vec<Check<'s>> {
    let Asking { config, given, .. } = session.asking;
    let found = distinct(config, given, "identity.userAssignedIdentities", identities);
    let one = |setting: Setting<UserAssignedIdentity>| {
        let id = format!("azure.identity.{}", setting.pool);
        let field = setting.field.clone();
        check(id, field, there(session, setting))
    };
    found.into_iter().map(one).collect()
}

fn identities(settings: &MachinePool) -> Vec<UserAssignedIdentity> {
    let identities = settings.identity.iter().flat_map(|identity| &identity.user_assigned_identities);
    identities.flatten().filter(|identity| !identity.name.is_empty()).cloned().collect()
}

async fn there(session: &Session<'_>, setting: Setting<UserAssignedIdentity>) -> Result<Answer, Answer> {
    let Setting { value: identity, field, .. } = setting;
    let UserAssignedIdentity { name, subscription, resource_group } = identity;
    let arm = session.arm().await?;
    let own = session.subscription().await?;
    let subscription = if subscription.is_empty() { own } else { subscription };
    let path = resource::resource(&subscription, &resource_group, KIND, &name);
    let found = arm.find::<IgnoredAny>(Api::IDENTITIES, &path, &[]).await;
    let found = found.map_err(|fault| fault.answer(&field))?;
    let answer = match found {
        Some(_) => Answer::passed(format!("the managed identity {name} exists")),
        None => Answer::found(findings::identity_missing(&field, &name, &resource_group)),
    };
    Ok(answer.with("identity", path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_model::azure::config::Identity;

    #[test]
    fn the_identities_of_a_pool_are_known() {
        let named = |name: &str| UserAssignedIdentity {
            name: name.to_owned(),
            resource_group: "g".to_owned(),
            ..UserAssignedIdentity::default()
        };
        let settings = |identities| MachinePool {
            identity: Some(Identity {
                kind: "UserAssigned".to_owned(),
                user_assigned_identities: identities,
            }),
            ..MachinePool::default()
        };
        assert_eq!(identities(&settings(Some(vec![named("one"), named("")]))), [named("one")]);
        assert!(identities(&settings(None)).is_empty());
        assert!(identities(&MachinePool::default()).is_empty());
    }

    #[test]
    fn an_identity_that_is_not_there_is_named() {
        let finding = findings::identity_missing("x", "one", "g");
        assert_eq!(finding.code.as_str(), "LF1138");
        assert!(finding.message.contains("`one`") && finding.message.contains("`g`"));
    }
}
