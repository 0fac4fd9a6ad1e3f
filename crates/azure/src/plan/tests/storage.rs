//! The storage account: a key of the user's, and an account without access keys.

use landfall_model::azure::config::{CustomerManagedKey, Identity as Chosen, KeyVault, UserAssignedIdentity};

use super::*;

fn keyed(platform: &mut Platform) {
    let key_vault =
        KeyVault { resource_group: "kv".to_owned(), name: "vault".to_owned(), key_name: "disk".to_owned() };
    let user_assigned_identity_key = "reader".to_owned();
    platform.customer_managed_key = Some(CustomerManagedKey { key_vault, user_assigned_identity_key });
}

/// The findings about a storage account without access keys.
fn without_keys(
    engine: Engine,
    release: &str,
    change: impl FnOnce(&mut InstallConfig),
) -> (Option<planned::Storage>, Vec<String>) {
    let mut config = with_platform(|platform| platform.allow_shared_key_access = Some(false));
    change(&mut config);
    let (plan, findings) =
        planned_of(release, engine, catalogue::Catalogue::embedded(), &config, facts(), Source::Cloud);
    let told = findings.iter().filter(|finding| finding.code.as_str() == "LF0783");
    (plan.map(|plan| plan.storage), told.map(|finding| finding.message.clone()).collect())
}

/// Identities for the machines of the control plane.
fn identified(subscriptions: &[&str]) -> impl FnOnce(&mut InstallConfig) {
    let given = subscriptions.iter().map(|subscription| UserAssignedIdentity {
        name: "mine".to_owned(),
        resource_group: "ids".to_owned(),
        subscription: (*subscription).to_owned(),
    });
    let given: Vec<UserAssignedIdentity> = given.collect();
    let kind = if given.is_empty() { "None" } else { "UserAssigned" }.to_owned();
    let identity = Some(Chosen { kind, user_assigned_identities: Some(given) });
    move |config| {
        if let Some(pool) = &mut config.control_plane {
            pool.platform.azure = Some(Settings { identity, ..Settings::default() });
        }
    }
}

#[test]
fn a_key_is_known_by_its_address() {
    let config = with_platform(keyed);
    for engine in [Engine::Terraform, Engine::Aso] {
        let catalogue = catalogue::Catalogue::embedded();
        let (plan, findings) = planned_for(engine, catalogue, &config, facts(), Source::Cloud);
        assert!(findings.iter().all(|finding| !finding.is_error()), "{findings:?}");
        let key = plan.and_then(|plan| plan.storage.encryption);
        let identity = "/subscriptions/s/resourceGroups/kv/providers/\
                        Microsoft.ManagedIdentity/userAssignedIdentities/reader";
        let expected = planned::StorageKey {
            address: "https://vault.vault.azure.net/keys/disk".to_owned(),
            identity: identity.to_owned(),
        };
        assert_eq!(key, Some(expected));
    }
    let mut catalogue = catalogue::Catalogue::embedded().clone();
    for cloud in catalogue.azure.clouds.values_mut() {
        cloud.key_vault_dns_suffix.clear();
    }
    let (_, findings) = planned_with(&catalogue, &config, facts(), Source::Cloud);
    assert_eq!(places(&findings), [("LF0782", "platform.azure.customerManagedKey")]);
}

#[test]
fn an_account_without_keys_is_read_as_an_identity() {
    let without_access_keys = planned::Storage { without_access_keys: true, ..planned::Storage::default() };
    for engine in [Engine::Terraform, Engine::Native] {
        let made = without_keys(engine, "4.19", |_| {});
        assert_eq!(made, (Some(without_access_keys.clone()), Vec::new()));
    }
    let given = without_keys(Engine::Terraform, "4.19", identified(&[""]));
    assert_eq!(given, (Some(without_access_keys.clone()), Vec::new()));
    // The user uploads the config for Azure Service Operator.
    assert_eq!(without_keys(Engine::Aso, "4.14", identified(&[])), (Some(without_access_keys), Vec::new()));
}

#[test]
fn a_bootstrap_machine_that_could_not_read_its_config_is_told() {
    let told = |release: &str, change: Box<dyn FnOnce(&mut InstallConfig)>| {
        let (plan, told) = without_keys(Engine::Terraform, release, change);
        assert_eq!(plan, None);
        told
    };
    assert_eq!(without_keys(Engine::Native, "4.14", |_| {}).1, told("4.14", Box::new(|_| {})));
    assert!(told("4.14", Box::new(|_| {})).concat().contains("Ignition of 4.14"));
    assert!(told("4.19", Box::new(identified(&[]))).concat().contains("no identity"));
    assert!(told("4.19", Box::new(identified(&["other"]))).concat().contains("another subscription"));
    assert!(told("4.19", Box::new(identified(&["", ""]))).concat().contains("several identities"));
    let government = |config: &mut InstallConfig| {
        if let Some(platform) = &mut config.platform.azure {
            values::US_GOVERNMENT.clone_into(&mut platform.cloud_name);
        }
    };
    assert!(told("4.19", Box::new(government)).concat().contains("core.windows.net"));
}
