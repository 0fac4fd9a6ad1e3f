//! Confidential and trusted start of machines: `docs/install-config.md`, section 11.8, security.

use landfall_diagnostics::{Code, Findings, Kind};

use super::super::config::SecuritySettings;
use super::confidential::{self, CONFIDENTIAL};
use super::{Settings, shown};

/// Encryption without the settings that go with it.
pub const SECURITY_SETTINGS: Code = Code::new("LF0541");
/// Such settings on an Azure Stack Hub.
pub const STACK_SECURITY: Code = Code::new("LF0542");
/// Trusted launch without its settings.
pub const TRUSTED_LAUNCH: Code = Code::new("LF0543");
/// Settings of a security type that is not asked for.
pub const SECURITY_TYPE: Code = Code::new("LF0544");

const SETTINGS: &str = "settings";
const TYPE: &str = "settings.securityType";
const TRUSTED: &str = "TrustedLaunch";

/// Judges the security of machines: the first fault only.
pub(super) fn check(settings: &Settings<'_>, out: &mut Findings) {
    let Some(security) = &settings.azure.settings else {
        // The OpenShift installer crashes on a profile that says nothing; it is refused as any other.
        if settings.azure.os_disk.security_profile.is_some() {
            let message = "`osDisk.securityProfile` needs `settings`, which are missing";
            out.push(
                settings
                    .inserted(&SECURITY_SETTINGS, Kind::Required, SETTINGS, message)
                    .related("this needs them", settings.path("osDisk.securityProfile"))
                    .help("add `settings` with `securityType: ConfidentialVM`, or remove the profile"),
            );
        }
        return;
    };
    if settings.stack {
        let message = "Azure Stack Hub supports neither confidential VMs nor trusted launch";
        let finding = settings.inserted(&STACK_SECURITY, Kind::Invalid, TYPE, message);
        out.push(finding.help("remove `settings` and `osDisk.securityProfile`"));
    } else if security.security_type == CONFIDENTIAL {
        confidential::check(settings, security, out);
    } else if security.security_type == TRUSTED {
        if security.trusted_launch.is_none() {
            let message = "a machine with trusted launch needs `trustedLaunch`, which is missing";
            out.push(
                settings
                    .inserted(&TRUSTED_LAUNCH, Kind::Required, "settings.trustedLaunch", message)
                    .help("add `trustedLaunch: {uefiSettings: {}}` to `settings`"),
            );
        }
    } else {
        check_other(settings, security, out);
    }
}

/// Judges settings whose security type is neither of the two.
fn check_other(settings: &Settings<'_>, security: &SecuritySettings, out: &mut Findings) {
    let given = match security.security_type.as_str() {
        "" => "which is missing".to_owned(),
        value => format!("not {}", shown(value)),
    };
    let wanted = if !settings.encryption_type().is_empty() {
        (CONFIDENTIAL, "osDisk.securityProfile.securityEncryptionType")
    } else if launches_trusted(security) {
        (TRUSTED, "settings.trustedLaunch.uefiSettings")
    } else {
        return;
    };
    let (wanted, cause) = wanted;
    let message = format!("`{cause}` needs `securityType: {wanted}`, {given}");
    let finding = settings.inserted(&SECURITY_TYPE, Kind::Invalid, TYPE, message);
    let finding = finding.related("this needs it", settings.path(cause));
    out.push(finding.help(format!("write `securityType: {wanted}`")));
}

/// Whether something of a trusted launch is switched on.
fn launches_trusted(security: &SecuritySettings) -> bool {
    let uefi = security.trusted_launch.as_ref().and_then(|launch| launch.uefi_settings.as_ref());
    uefi.is_some_and(|uefi| {
        let switches = [&uefi.secure_boot, &uefi.virtualized_trusted_platform_module];
        switches.into_iter().any(|switch| switch.as_deref() == Some("Enabled"))
    })
}
