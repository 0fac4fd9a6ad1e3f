//! Confidential and trusted start of machines: `docs/install-config.md`, section 11.8, security.

use landfall_diagnostics::{Base, Findings, Kind, Page, Severity};

use super::super::config::SecuritySettings;
use super::confidential::{self, CONFIDENTIAL};
use super::{Settings, shown};

/// Encryption without the settings that go with it.
pub const SECURITY_SETTINGS: Page = Page {
    code: "LF0541",
    title: "`osDisk.securityProfile` goes with `settings`",
    text: "The security profile of a disk is part of a confidential machine, which `settings` with \
           `securityType: ConfidentialVM` asks for.",
    severity: Severity::Error,
    fields: &[
        "<pool>.platform.azure.settings",
        "<pool>.platform.azure.osDisk.securityProfile",
        "platform.azure.defaultMachinePlatform.settings",
        "platform.azure.defaultMachinePlatform.osDisk.securityProfile",
    ],
    base: Base::Azure,
    bad: "\
controlPlane:
  platform:
    azure:
      type: Standard_DC8as_v5
      osDisk:
        securityProfile:
          securityEncryptionType: VMGuestStateOnly
",
    good: "\
controlPlane:
  platform:
    azure:
      type: Standard_DC8as_v5
      osDisk:
        securityProfile:
          securityEncryptionType: VMGuestStateOnly
      settings:
        securityType: ConfidentialVM
        confidentialVM:
          uefiSettings: {}
",
};
/// Such settings on an Azure Stack Hub.
pub const STACK_SECURITY: Page = Page {
    code: "LF0542",
    title: "`settings` are not for an Azure Stack Hub",
    text: "An Azure Stack Hub has neither confidential machines nor trusted launch.",
    severity: Severity::Error,
    fields: &[
        "<pool>.platform.azure.settings",
        "platform.azure.defaultMachinePlatform.settings",
        "platform.azure.cloudName",
    ],
    base: Base::AzureStack,
    bad: "\
controlPlane:
  platform:
    azure:
      settings:
        securityType: TrustedLaunch
        trustedLaunch:
          uefiSettings: {}
",
    good: "\
controlPlane:
  platform:
    azure: {}
",
};
/// Trusted launch without its settings.
pub const TRUSTED_LAUNCH: Page = Page {
    code: "LF0543",
    title: "a machine with trusted launch has `trustedLaunch`",
    text: "The map must be there, even if it is empty. What it leaves out is Azure's default.",
    severity: Severity::Error,
    fields: &[
        "<pool>.platform.azure.settings.trustedLaunch",
        "platform.azure.defaultMachinePlatform.settings.trustedLaunch",
    ],
    base: Base::Azure,
    bad: "\
controlPlane:
  platform:
    azure:
      settings:
        securityType: TrustedLaunch
",
    good: "\
controlPlane:
  platform:
    azure:
      settings:
        securityType: TrustedLaunch
        trustedLaunch:
          uefiSettings:
            secureBoot: Enabled
            virtualizedTrustedPlatformModule: Enabled
",
};
/// Settings of a security type that is not asked for.
pub const SECURITY_TYPE: Page = Page {
    code: "LF0544",
    title: "`securityType` names what the other security settings belong to",
    text: "An encryption type belongs to `ConfidentialVM`, and secure boot or a virtual TPM under \
           `trustedLaunch` to `TrustedLaunch`. Without that security type they would do nothing.",
    severity: Severity::Error,
    fields: &[
        "<pool>.platform.azure.settings.securityType",
        "platform.azure.defaultMachinePlatform.settings.securityType",
    ],
    base: Base::Azure,
    bad: "\
controlPlane:
  platform:
    azure:
      settings:
        trustedLaunch:
          uefiSettings:
            secureBoot: Enabled
",
    good: "\
controlPlane:
  platform:
    azure:
      settings:
        securityType: TrustedLaunch
        trustedLaunch:
          uefiSettings:
            secureBoot: Enabled
",
};

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
        let message = "an Azure Stack Hub has neither confidential machines nor trusted launch";
        out.push(
            settings
                .inserted(&STACK_SECURITY, Kind::Invalid, TYPE, message)
                .help("remove `settings` and `osDisk.securityProfile`"),
        );
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
    out.push(
        settings
            .inserted(&SECURITY_TYPE, Kind::Invalid, TYPE, message)
            .related("this needs it", settings.path(cause))
            .help(format!("write `securityType: {wanted}`")),
    );
}

/// Whether something of a trusted launch is switched on.
fn launches_trusted(security: &SecuritySettings) -> bool {
    let uefi = security.trusted_launch.as_ref().and_then(|launch| launch.uefi_settings.as_ref());
    uefi.is_some_and(|uefi| {
        let switches = [&uefi.secure_boot, &uefi.virtualized_trusted_platform_module];
        switches.into_iter().any(|switch| switch.as_deref() == Some("Enabled"))
    })
}
