//! Boot diagnostics of machines: `docs/install-config.md`, section 11.8.

use landfall_diagnostics::{Base, Finding, Findings, Kind, Page, Severity};

use super::super::config::BootDiagnostics;
use super::super::values;
use super::{Settings, shown};

/// The kind of diagnostics is missing or not known.
pub const BOOT_TYPE: Page = Page {
    code: "LF0545",
    title: "`bootDiagnostics` say who owns the storage account",
    text: "`Managed` leaves the account to Azure, `UserManaged` names one of yours, and `Disabled` writes \
           none.",
    severity: Severity::Error,
    fields: &[
        "<pool>.platform.azure.bootDiagnostics.type",
        "platform.azure.defaultMachinePlatform.bootDiagnostics.type",
    ],
    base: Base::Azure,
    bad: "\
controlPlane:
  platform:
    azure:
      bootDiagnostics:
        type: managed
",
    good: "\
controlPlane:
  platform:
    azure:
      bootDiagnostics:
        type: Managed
",
};
/// Diagnostics in Azure's own account on an Azure Stack Hub.
pub const STACK_BOOT_MANAGED: Page = Page {
    code: "LF0546",
    title: "on an Azure Stack Hub boot diagnostics are not `Managed`",
    text: "An Azure Stack Hub has no storage account of its own for them. Name one of yours, or write none.",
    severity: Severity::Error,
    fields: &[
        "<pool>.platform.azure.bootDiagnostics.type",
        "platform.azure.defaultMachinePlatform.bootDiagnostics.type",
        "platform.azure.cloudName",
    ],
    base: Base::AzureStack,
    bad: "\
controlPlane:
  platform:
    azure:
      bootDiagnostics:
        type: Managed
",
    good: "\
controlPlane:
  platform:
    azure:
      bootDiagnostics:
        type: UserManaged
        resourceGroup: diagnostics-rg
        storageAccountName: diagnostics
",
};
/// The user's account is missing, or is not wanted.
pub const BOOT_ACCOUNT: Page = Page {
    code: "LF0547",
    title: "a storage account for boot diagnostics is named with `UserManaged`, and only then",
    text: "The account must exist, so both its name and its resource group are needed. With the other \
           types it would not be used.",
    severity: Severity::Error,
    fields: &[
        "<pool>.platform.azure.bootDiagnostics.resourceGroup",
        "<pool>.platform.azure.bootDiagnostics.storageAccountName",
        "platform.azure.defaultMachinePlatform.bootDiagnostics.resourceGroup",
        "platform.azure.defaultMachinePlatform.bootDiagnostics.storageAccountName",
    ],
    base: Base::Azure,
    bad: "\
controlPlane:
  platform:
    azure:
      bootDiagnostics:
        type: UserManaged
        storageAccountName: diagnostics
",
    good: "\
controlPlane:
  platform:
    azure:
      bootDiagnostics:
        type: UserManaged
        resourceGroup: diagnostics-rg
        storageAccountName: diagnostics
",
};

const TYPE: &str = "bootDiagnostics.type";
const USER_MANAGED: &str = "UserManaged";

pub(super) fn check(settings: &Settings<'_>, out: &mut Findings) {
    let Some(diagnostics) = &settings.azure.boot_diagnostics else {
        return;
    };
    let kind = diagnostics.kind.as_str();
    if !values::BOOT_DIAGNOSTICS.contains(&kind) {
        let field = settings.path(TYPE);
        out.push(Finding::not_supported(&BOOT_TYPE, field, kind, values::BOOT_DIAGNOSTICS));
    }
    if kind == "Managed" && settings.stack {
        let reported = settings.path("bootDiagnostics.StorageAccountURI");
        let message = "an Azure Stack Hub has no storage account of its own for boot diagnostics";
        out.push(
            Finding::error(&STACK_BOOT_MANAGED, Kind::Invalid, reported, message)
                .at(settings.path(TYPE))
                .help("write `type: UserManaged` with an account of yours, or `type: Disabled`"),
        );
    }
    check_account(settings, diagnostics, out);
}

fn check_account(settings: &Settings<'_>, diagnostics: &BootDiagnostics, out: &mut Findings) {
    let kind = shown(&diagnostics.kind);
    let wanted = diagnostics.kind == USER_MANAGED;
    let parts = [
        ("ResourceGroup", "resourceGroup", &diagnostics.resource_group),
        ("StorageAccountName", "storageAccountName", &diagnostics.storage_account_name),
    ];
    for (reported, field, _) in parts.into_iter().filter(|(_, _, value)| value.is_empty() == wanted) {
        let (message, help) = if wanted {
            (format!("`{USER_MANAGED}` needs `{field}`, which is missing"), format!("add `{field}`"))
        } else {
            let message = format!("`{field}` goes with the type `{USER_MANAGED}`, and the type is {kind}");
            (message, format!("remove `{field}`, or write `type: {USER_MANAGED}`"))
        };
        let reported = settings.path(&format!("bootDiagnostics.{reported}"));
        out.push(
            Finding::error(&BOOT_ACCOUNT, Kind::Invalid, reported, message)
                .at(settings.path(&format!("bootDiagnostics.{field}")))
                .help(help),
        );
    }
}
