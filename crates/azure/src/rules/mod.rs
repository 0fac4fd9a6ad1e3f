//! The rules of Azure's fields: `docs/install-config.md`, section 11. One small file for each subject.

pub(crate) mod boot_diagnostics;
mod clouds;
pub(super) mod confidential;
mod customer_key;
mod data_disks;
mod disks;
pub(super) mod forms;
pub(super) mod gates;
pub(super) mod ipv6;
mod machines;
pub(super) mod names;
mod network;
mod outbound;
mod platform;
mod security;
mod tags;

use landfall_diagnostics::{Code, Finding, Findings, Kind, shortened};
use landfall_model::config::DiskSetup;
use landfall_rules::Case;

use super::config::MachinePool;

/// The key under `platform`.
pub const NAME: &str = "azure";

/// Judges the platform's own section, active or not.
pub fn check_platform(case: &Case<'_>, out: &mut Findings) {
    let config = case.config;
    let Some(azure) = &config.platform.azure else {
        return;
    };
    let active = case.active.is_some_and(|active| active.name == NAME);
    platform::check(azure, &config.publish, out);
    let catalogue = &case.catalogue.azure;
    let stack = catalogue.is_stack(&azure.cloud_name);
    clouds::check(azure, catalogue, out);
    // The older fields are only brought up to date on the active platform.
    network::check(azure, active, out);
    outbound::check(case, azure, out);
    customer_key::check(azure, stack, out);
    tags::check(azure, catalogue, out);
    ipv6::check(azure, config, out);
    if let Some(settings) = &azure.default_machine_platform {
        let path = "platform.azure.defaultMachinePlatform".to_owned();
        check_settings(&Settings { azure: settings, name: "", path, stack, disk_setup: &[] }, out);
    }
}

/// Judges the section of every machine pool.
pub fn check_pools(case: &Case<'_>, out: &mut Findings) {
    let Some(azure) = &case.config.platform.azure else {
        return;
    };
    let stack = case.catalogue.azure.is_stack(&azure.cloud_name);
    for (path, pool) in case.config.pools() {
        if let Some(settings) = &pool.platform.azure {
            let path = format!("{path}.platform.azure");
            let (name, disk_setup) = (pool.name.as_str(), pool.disk_setup.as_slice());
            check_settings(&Settings { azure: settings, name, path, stack, disk_setup }, out);
        }
    }
}

/// Settings of machines, and what they are judged by.
struct Settings<'a> {
    /// The settings.
    azure: &'a MachinePool,
    /// Name of the pool; empty for the default machine platform.
    name: &'a str,
    /// Field path of the settings.
    path: String,
    /// Whether the cloud is an Azure Stack Hub.
    stack: bool,
    /// What the pool's extra disks are for.
    disk_setup: &'a [DiskSetup],
}

impl Settings<'_> {
    /// The path of a field of the settings.
    fn path(&self, field: &str) -> String {
        format!("{}.{field}", self.path)
    }

    /// An error at a field.
    fn error(&self, code: &'static Code, kind: Kind, field: &str, message: impl Into<String>) -> Finding {
        Finding::error(code, kind, self.path(field), message)
    }

    /// An error at a field which the OpenShift installer reports under a `defaultMachinePlatform` that
    /// it puts into the path of every pool (section 14).
    fn inserted(&self, code: &'static Code, kind: Kind, field: &str, message: impl Into<String>) -> Finding {
        self.error(code, kind, &format!("defaultMachinePlatform.{field}"), message).at(self.path(field))
    }

    /// What of a confidential machine's disk is encrypted; empty if nothing is said.
    fn encryption_type(&self) -> &str {
        let profile = self.azure.os_disk.security_profile.as_ref();
        profile.map_or("", |profile| profile.security_encryption_type.as_str())
    }
}

fn check_settings(settings: &Settings<'_>, out: &mut Findings) {
    disks::check(settings, out);
    security::check(settings, out);
    boot_diagnostics::check(settings, out);
    data_disks::check(settings, out);
    machines::check(settings, out);
}

/// A value for a message, in quotes; words for an empty one.
fn shown(value: &str) -> String {
    match value {
        "" => "the empty string".to_owned(),
        value => format!("`{}`", shortened(value)),
    }
}
