//! Confidential machines: `docs/install-config.md`, section 11.8, security.

use landfall_diagnostics::{Code, Finding, Findings, Kind};

use super::super::config::{SecuritySettings, UefiSettings};
use super::super::values;
use super::{Settings, shown};

/// What is encrypted is missing or not known.
pub const CONFIDENTIAL_ENCRYPTION: Code = Code::new("LF0537");
/// The firmware settings are missing.
pub const CONFIDENTIAL_SETTINGS: Code = Code::new("LF0538");
/// No virtual TPM.
pub const CONFIDENTIAL_TPM: Code = Code::new("LF0539");
/// An encrypted disk that is not confidential.
pub const CONFIDENTIAL_DISK: Code = Code::new("LF0540");

/// The settings' value of `securityType` for confidential machines.
pub const CONFIDENTIAL: &str = "ConfidentialVM";
const ENCRYPTION: &str = "osDisk.securityProfile.securityEncryptionType";
const LAUNCH: &str = "settings.confidentialVM";
const UEFI: &str = "settings.confidentialVM.uefiSettings";
/// The value of `securityEncryptionType` that encrypts the whole disk.
pub const WHOLE_DISK: &str = "DiskWithVMGuestState";

/// Judges machines whose security type is [`CONFIDENTIAL`]: the first fault only.
pub(super) fn check(settings: &Settings<'_>, security: &SecuritySettings, out: &mut Findings) {
    let encryption = settings.encryption_type();
    if encryption.is_empty() {
        let message = "a confidential VM needs `securityEncryptionType`, which is missing";
        let finding = settings.inserted(&CONFIDENTIAL_ENCRYPTION, Kind::Required, ENCRYPTION, message);
        out.push(finding.help("add `securityEncryptionType: VMGuestStateOnly` to `osDisk.securityProfile`"));
    } else if !values::ENCRYPTION_TYPES.contains(&encryption) {
        let reported = settings.path(&format!("defaultMachinePlatform.{ENCRYPTION}"));
        let accepted = values::ENCRYPTION_TYPES;
        let finding = Finding::not_supported(&CONFIDENTIAL_ENCRYPTION, reported, encryption, accepted);
        out.push(finding.at(settings.path(ENCRYPTION)));
    } else if let Some(launch) = &security.confidential_vm {
        if let Some(uefi) = &launch.uefi_settings {
            check_uefi(settings, uefi, encryption == WHOLE_DISK, out);
        } else {
            out.push(missing(settings, UEFI));
        }
    } else {
        out.push(missing(settings, LAUNCH));
    }
}

fn missing(settings: &Settings<'_>, field: &str) -> Finding {
    let message = format!("a confidential VM needs `{field}`, which is missing");
    settings
        .inserted(&CONFIDENTIAL_SETTINGS, Kind::Required, field, message)
        .help("write `confidentialVM: {uefiSettings: {}}` in `settings`, or more in the inner map")
}

fn check_uefi(settings: &Settings<'_>, uefi: &UefiSettings, whole_disk: bool, out: &mut Findings) {
    if let Some(tpm) = other_than_enabled(uefi.virtualized_trusted_platform_module.as_deref()) {
        let field = format!("{UEFI}.virtualizedTrustedPlatformModule");
        let message = format!("a confidential VM needs its virtual TPM, and the value is {}", shown(tpm));
        let finding = settings.inserted(&CONFIDENTIAL_TPM, Kind::Invalid, &field, message);
        out.push(finding.help("write `virtualizedTrustedPlatformModule: Enabled`, or remove it"));
    } else if whole_disk && settings.azure.encryption_at_host {
        let message = format!("the host cannot encrypt a disk with `{WHOLE_DISK}`");
        let finding = settings.inserted(&CONFIDENTIAL_DISK, Kind::Invalid, "encryptionAtHost", message);
        let finding = finding.related("the machine encrypts the disk", settings.path(ENCRYPTION));
        out.push(finding.help("remove `encryptionAtHost`"));
    } else if whole_disk && let Some(boot) = other_than_enabled(uefi.secure_boot.as_deref()) {
        let message =
            format!("a disk with `{WHOLE_DISK}` needs secure boot, and the value is {}", shown(boot));
        out.push(
            settings
                .inserted(&CONFIDENTIAL_DISK, Kind::Invalid, &format!("{UEFI}.secureBoot"), message)
                .help("write `secureBoot: Enabled`, or remove it"),
        );
    }
}

/// A switch that is given and not on.
fn other_than_enabled(switch: Option<&str>) -> Option<&str> {
    switch.filter(|value| *value != "Enabled")
}
