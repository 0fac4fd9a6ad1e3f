//! Names that resources cannot have.

use landfall_model::azure::config::{
    BootDiagnostics, DiskEncryptionSet, DiskSecurityProfile, Identity as Given, OsDisk, OsImage, Subnet,
    UserAssignedIdentity,
};

use super::*;

/// What planning says of names where the cloud was not asked.
fn faults(config: &InstallConfig) -> Vec<(String, String)> {
    let (_, findings) = planned_from(config, facts(), Source::Catalogue);
    let of_names = findings.into_iter().filter(|finding| finding.code.as_str() == "LF0795");
    of_names.map(|finding| (finding.field, finding.message)).collect()
}

#[test]
fn names_are_those_that_azure_gives() {
    let text = str::to_owned;
    let identity = |name: &str, subscription: &str| Given {
        kind: text("UserAssigned"),
        user_assigned_identities: Some(vec![UserAssignedIdentity {
            name: text(name),
            subscription: text(subscription),
            resource_group: text("ids-rg"),
        }]),
    };
    let pool = |identity: Given| Settings { identity: Some(identity), ..Settings::default() };
    assert_eq!(faults(&with_settings(pool(identity("masters", "")))), []);
    assert!(is_said("LF0795", &with_settings(pool(identity("a/b", ""))), facts(), Source::Catalogue));
    let found = faults(&with_settings(pool(identity("a/b", "production"))));
    let at = "controlPlane.platform.azure.identity.userAssignedIdentities[0]";
    assert_eq!(
        found,
        [
            (format!("{at}.subscription"), text("`production` cannot be the id of a subscription")),
            (format!("{at}.name"), text("`a/b` cannot be the name of a user-assigned identity")),
        ]
    );
    let set =
        DiskEncryptionSet { name: text("a b"), resource_group: text("rg."), ..DiskEncryptionSet::default() };
    let profile = DiskSecurityProfile { disk_encryption_set: Some(set), ..DiskSecurityProfile::default() };
    let found = faults(&with_settings(Settings {
        os_disk: OsDisk { security_profile: Some(profile), ..OsDisk::default() },
        os_image: OsImage { publisher: text("red hat"), version: text("1/2"), ..OsImage::default() },
        boot_diagnostics: Some(BootDiagnostics {
            storage_account_name: text("Corp"),
            ..BootDiagnostics::default()
        }),
        ..Settings::default()
    }));
    let fields: Vec<&str> =
        found.iter().filter_map(|(field, _)| field.strip_prefix("controlPlane.platform.azure.")).collect();
    assert_eq!(
        fields,
        [
            "osImage.publisher",
            "osImage.version",
            "bootDiagnostics.storageAccountName",
            "osDisk.securityProfile.diskEncryptionSet.resourceGroup",
            "osDisk.securityProfile.diskEncryptionSet.name",
        ]
    );
}

/// Azure has no resource without a name or group. A subscription that is missing is the cluster's own.
#[test]
fn resource_ids_are_whole() {
    let identity = Given {
        kind: "UserAssigned".to_owned(),
        user_assigned_identities: Some(vec![UserAssignedIdentity::default()]),
    };
    let profile = DiskSecurityProfile {
        disk_encryption_set: Some(DiskEncryptionSet::default()),
        ..DiskSecurityProfile::default()
    };
    let found = faults(&with_settings(Settings {
        identity: Some(identity),
        os_disk: OsDisk { security_profile: Some(profile), ..OsDisk::default() },
        ..Settings::default()
    }));
    let told: Vec<&str> = found.iter().map(|(_, message)| message.as_str()).collect();
    assert_eq!(
        told,
        [
            "the name of a resource group is missing",
            "the name of a disk encryption set is missing",
            "the name of a resource group is missing",
            "the name of a user-assigned identity is missing",
        ]
    );
}

/// A name that two fields have is told once.
#[test]
fn groups_and_networks_have_names_as_well() {
    let config = with_platform(|platform| {
        platform.resource_group_name = "a/b".to_owned();
        platform.base_domain_resource_group_name = "a/b".to_owned();
        platform.virtual_network = "-".to_owned();
        platform.subnets = vec![Subnet { name: "a subnet".to_owned(), role: "node".to_owned() }];
    });
    let fields: Vec<String> = faults(&config).into_iter().map(|(field, _)| field).collect();
    assert_eq!(
        fields,
        [
            "platform.azure.resourceGroupName",
            "platform.azure.virtualNetwork",
            "platform.azure.subnets[0].name"
        ]
    );
}

/// The id of a set without a subscription names the cluster's own.
#[test]
fn keys_are_in_the_clusters_own_subscription_unless_they_name_another() {
    let set = DiskEncryptionSet {
        name: "keys".to_owned(),
        resource_group: "keys-rg".to_owned(),
        ..DiskEncryptionSet::default()
    };
    let mut config = with_settings(Settings {
        os_disk: OsDisk { disk_encryption_set: Some(set.clone()), ..OsDisk::default() },
        ..Settings::default()
    });
    let id = |config: &InstallConfig| {
        let (plan, findings) = planned(config, answers());
        assert!(plan.is_some(), "{findings:?}");
        plan.map(|plan| plan.control_plane.disk.encryption_set).unwrap_or_default()
    };
    assert!(id(&config).starts_with("/subscriptions/s/resourceGroups/keys-rg/"), "{}", id(&config));
    if let Some(settings) = config.control_plane.as_mut().and_then(|pool| pool.platform.azure.as_mut()) {
        settings.os_disk.disk_encryption_set =
            Some(DiskEncryptionSet { subscription_id: "other".to_owned(), ..set });
    }
    assert!(id(&config).starts_with("/subscriptions/other/"), "{}", id(&config));
}
