//! Whether the user's own key for the storage account can be used, as far as the resource manager sees it.

use futures::join;
use landfall_model::azure::config::CustomerManagedKey;
use landfall_platform::cloud::{Answer, Check, check};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{findings, identities, not_proven};
use crate::cloud::api_versions::Api;
use crate::cloud::described::Described;
use crate::cloud::fault::Sort;
use crate::cloud::gather::resource;
use crate::cloud::session::Session;

/// The field of the key.
const FIELD: &str = "platform.azure.customerManagedKey";

/// Provider and type of key vaults.
const KIND: &str = "Microsoft.KeyVault/vaults";

/// What the resource manager says of a key vault.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Properties {
    enable_purge_protection: bool,
}

/// What is there of what a key needs.
#[derive(Debug, Default)]
struct Found {
    vault: Option<Described<Properties>>,
    key: bool,
    identity: bool,
}

/// A check of the key that the config names.
pub(super) fn checks<'s>(session: &'s Session<'_>) -> Vec<Check<'s>> {
    let key = session.platform.customer_managed_key.iter();
    let key = key.filter(|key| !key.key_vault.name.is_empty() && !key.key_vault.key_name.is_empty());
    let one = |key: &'s CustomerManagedKey| {
        let id = format!("azure.key.{}", key.key_vault.key_name);
        check(id, FIELD, usable(session, key))
    };
    key.map(one).collect()
}

async fn usable(session: &Session<'_>, wanted: &CustomerManagedKey) -> Result<Answer, Answer> {
    let arm = session.arm().await?;
    let subscription = session.subscription().await?;
    let vault = &wanted.key_vault;
    let path = resource::resource(&subscription, &vault.resource_group, KIND, &vault.name);
    let key = format!("{path}/keys/{}", resource::segment(&vault.key_name));
    let identity = wanted.user_assigned_identity_key.as_str();
    let identity = resource::resource(&subscription, &vault.resource_group, identities::KIND, identity);
    let (vault, key, identity) = join!(
        Box::pin(arm.find::<Described<Properties>>(Api::KEY_VAULTS, &path, &[])),
        Box::pin(arm.find::<IgnoredAny>(Api::KEY_VAULTS, &key, &[])),
        Box::pin(arm.find::<IgnoredAny>(Api::IDENTITIES, &identity, &[])),
    );
    let vault = vault.map_err(|fault| fault.answer(FIELD))?;
    let key = key.map_err(|fault| match fault.sort {
        Sort::Denied => not_proven(&fault),
        _ => fault.answer(FIELD),
    })?;
    let identity = identity.map_err(|fault| fault.answer(FIELD))?;
    let found = Found { vault, key: key.is_some(), identity: identity.is_some() };
    Ok(judged(&found, wanted).with("vault", path))
}

fn judged(found: &Found, wanted: &CustomerManagedKey) -> Answer {
    let vault = &wanted.key_vault;
    let (name, key, group) = (vault.name.as_str(), vault.key_name.as_str(), vault.resource_group.as_str());
    let identity = wanted.user_assigned_identity_key.as_str();
    let answer = match &found.vault {
        None => Answer::found(findings::vault_missing(FIELD, name, group)),
        Some(_) if !found.key => Answer::found(findings::key_missing(FIELD, key, name)),
        Some(_) if !found.identity => Answer::found(findings::key_identity_missing(FIELD, identity, group)),
        Some(vault) if !vault.properties.enable_purge_protection => {
            Answer::found(findings::vault_unprotected(FIELD, name))
        }
        Some(_) => Answer::passed(format!("the key {key} of the key vault {name} exists")),
    };
    answer.with("key", key).with("identity", identity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::described::of_text;
    use landfall_model::azure::config::KeyVault;
    use landfall_platform::cloud::Verdict;

    fn code(vault: Option<&str>, key: bool, identity: bool) -> &'static str {
        let wanted = CustomerManagedKey {
            key_vault: KeyVault {
                resource_group: "g".to_owned(),
                name: "vault".to_owned(),
                key_name: "key".to_owned(),
            },
            user_assigned_identity_key: "reader".to_owned(),
        };
        let vault = vault.and_then(of_text);
        match judged(&Found { vault, key, identity }, &wanted).verdict {
            Verdict::Found(finding) => finding.code.as_str(),
            _ => "",
        }
    }

    #[test]
    fn vault_key_and_identity_must_be_there() {
        let vault = Some(r#"{"properties": {"enablePurgeProtection": true, "sku": {"name": "standard"}}}"#);
        assert_eq!(code(None, true, true), "LF1132");
        assert_eq!(code(vault, false, true), "LF1132");
        assert_eq!(code(vault, true, false), "LF1132");
        assert_eq!(code(vault, true, true), "");
    }

    #[test]
    fn storage_accounts_take_keys_only_from_protected_vaults() {
        assert_eq!(code(Some(r#"{"properties": {"enablePurgeProtection": null}}"#), true, true), "LF1133");
    }
}
