//! What one engine makes and the other does not.

use landfall_model::azure::config::{
    BootDiagnostics, DataDisk, Identity as Chosen, ManagedDisk, ManagedDiskSecurityProfile,
    UserAssignedIdentity,
};

use super::*;

/// What an engine's plan of a config is.
fn made_by(engine: Engine, config: &InstallConfig) -> (Option<planned::Plan>, Vec<Finding>) {
    planned_for(engine, catalogue::Catalogue::embedded(), config, facts(), Source::Cloud)
}

fn identities(kind: &str, names: &[&str]) -> Chosen {
    let given = names.iter().map(|name| UserAssignedIdentity {
        name: (*name).to_owned(),
        resource_group: "ids".to_owned(),
        ..UserAssignedIdentity::default()
    });
    let given: Vec<UserAssignedIdentity> = given.collect();
    let user_assigned_identities = Some(given).filter(|given| !given.is_empty());
    Chosen { kind: kind.to_owned(), user_assigned_identities }
}

/// The config with an identity for the control plane and one for the compute machines.
fn with_identities(control_plane: Option<Chosen>, compute: Option<Chosen>) -> InstallConfig {
    let mut config = with_settings(Settings { identity: control_plane, ..Settings::default() });
    if let Some(pool) = config.compute.first_mut() {
        pool.platform.azure = Some(Settings { identity: compute, ..Settings::default() });
    }
    config
}

#[test]
fn what_no_engine_makes_is_left_out() {
    let several = Some(identities("UserAssigned", &["one", "two"]));
    let security_encryption_type = "VMGuestStateOnly".to_owned();
    let profile = ManagedDiskSecurityProfile { security_encryption_type, ..Default::default() };
    let managed = ManagedDisk { security_profile: Some(profile), ..ManagedDisk::default() };
    let disk = DataDisk { managed_disk: Some(managed), ..data_disk("etcd", Some(0)) };
    let disks = Some(vec![disk]);
    let cases = vec![
        (
            with_settings(Settings { data_disks: disks, ..Settings::default() }),
            "controlPlane.platform.azure.dataDisks",
        ),
        (with_identities(None, several), "compute[0].platform.azure.identity"),
    ];
    for (config, field) in cases {
        for engine in [Engine::Terraform, Engine::Aso] {
            let (_, findings) = made_by(engine, &config);
            assert_eq!(places(&findings), [("LF0764", field)], "{engine:?}");
        }
    }
}

#[test]
fn boot_diagnostics_go_where_the_pool_says() {
    let given = |kind: &str| {
        let kind = kind.to_owned();
        let diagnostics =
            BootDiagnostics { kind, storage_account_name: "logs".to_owned(), ..Default::default() };
        with_settings(Settings { boot_diagnostics: Some(diagnostics), ..Settings::default() })
    };
    let account = planned::BootDiagnostics::Account { uri: "https://logs.blob.core.windows.net".to_owned() };
    let cases = [
        ("Disabled", planned::BootDiagnostics::Disabled),
        ("Managed", planned::BootDiagnostics::Managed),
        ("UserManaged", account),
    ];
    for (kind, expected) in cases {
        for engine in [Engine::Terraform, Engine::Aso] {
            let (plan, findings) = made_by(engine, &given(kind));
            assert!(findings.iter().all(|finding| !finding.is_error()), "{findings:?}");
            assert_eq!(plan.and_then(|plan| plan.control_plane.boot_diagnostics), Some(expected.clone()));
        }
    }
}

#[test]
fn machines_have_the_identities_that_their_pool_chooses() {
    let id = |name: &str| {
        let group = "/subscriptions/s/resourceGroups/ids";
        format!("{group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/{name}")
    };
    let of = |control_plane: Option<Chosen>, compute: Option<Chosen>| {
        let (plan, _) = made_by(Engine::Aso, &with_identities(control_plane, compute));
        plan.map(|plan| {
            let compute = plan.compute.into_iter().next().and_then(|pool| pool.identities);
            (plan.identity, plan.control_plane.identities, compute)
        })
    };
    let made = || "demo-bcd24-identity".to_owned();
    let (none, open) = (|| Some(identities("None", &[])), || Some(identities("UserAssigned", &[])));
    let mine = || Some(identities("UserAssigned", &["mine"]));
    assert_eq!(of(None, None), Some((made(), None, None)));
    assert_eq!(of(open(), mine()), Some((made(), None, Some(vec![id("mine")]))));
    assert_eq!(of(none(), open()), Some((made(), Some(Vec::new()), None)));
    assert_eq!(of(none(), mine()), Some((String::new(), Some(Vec::new()), Some(vec![id("mine")]))));
    let both = Some(identities("UserAssigned", &["one", "two"]));
    assert_eq!(of(both, none()), Some((String::new(), Some(vec![id("one"), id("two")]), Some(Vec::new()))));
}

#[test]
fn a_default_that_chooses_leaves_nothing_to_make() {
    let mut config = with_identities(Some(identities("UserAssigned", &[])), None);
    if let Some(platform) = &mut config.platform.azure {
        platform.default_machine_platform =
            Some(Settings { identity: Some(identities("None", &[])), ..Settings::default() });
    }
    let plan = made_by(Engine::Aso, &config).0;
    assert_eq!(plan.map(|plan| plan.identity), Some(String::new()));
}
