//! Uses of Azure's fields that are behind a feature gate: `docs/install-config.md`, section 13.

use landfall_model::config::InstallConfig;
use landfall_rules::Gated;

use super::super::config::MachinePool;

/// The uses in a config whose active platform is Azure.
pub fn gated(config: &InstallConfig) -> Vec<Gated> {
    let Some(azure) = &config.platform.azure else {
        return Vec::new();
    };
    let default = azure.default_machine_platform.as_ref();
    let control_plane = config.control_plane.as_ref().and_then(|pool| pool.platform.azure.as_ref());
    let with_disks = |settings: Option<&MachinePool>| settings.is_some_and(has_data_disks);
    let compute = config.compute.iter().position(|pool| with_disks(pool.platform.azure.as_ref()));
    let mut found: Vec<Gated> = Vec::new();
    let mut used = |gate: &'static str, field: &str, at: String| {
        found.push(Gated { gate: gate.into(), field: field.to_owned(), at });
    };
    if control_plane.is_some_and(has_identities) {
        let at = "controlPlane.platform.azure.identity.userAssignedIdentities".to_owned();
        used("MachineAPIMigration", "controlPlane.azure.identity.userAssignedIdentities", at);
    }
    if default.is_some_and(has_identities) {
        let field = "platform.azure.defaultMachinePlatform.identity.userAssignedIdentities";
        used("MachineAPIMigration", field, field.to_owned());
    }
    if with_disks(default) {
        let field = "platform.azure.defaultMachinePlatform.dataDisks";
        used("AzureMultiDisk", field, field.to_owned());
    }
    if with_disks(control_plane) {
        let at = "controlPlane.platform.azure.dataDisks".to_owned();
        used("AzureMultiDisk", "controlPlane.azure.dataDisks", at);
    }
    if let Some(i) = compute {
        used("AzureMultiDisk", "compute.azure.dataDisks", format!("compute[{i}].platform.azure.dataDisks"));
    }
    if azure.is_dual_stack() {
        let field = "platform.azure.ipFamily";
        used("AzureDualStackInstall", field, field.to_owned());
    }
    found
}

fn has_data_disks(settings: &MachinePool) -> bool {
    settings.data_disks.as_ref().is_some_and(|disks| !disks.is_empty())
}

/// Whether machines have more than one identity, which is what the gate is for.
fn has_identities(settings: &MachinePool) -> bool {
    let identities =
        settings.identity.as_ref().and_then(|identity| identity.user_assigned_identities.as_ref());
    identities.is_some_and(|identities| identities.len() > 1)
}
