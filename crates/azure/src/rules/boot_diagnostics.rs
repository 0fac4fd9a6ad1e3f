//! Boot diagnostics of machines: `docs/install-config.md`, section 11.8.

use landfall_diagnostics::{Code, Finding, Findings, Kind};

use super::super::config::BootDiagnostics;
use super::super::values;
use super::{Settings, shown};

/// The kind of diagnostics is missing or not known.
pub const BOOT_TYPE: Code = Code::new("LF0545");
/// Diagnostics in Azure's own account on an Azure Stack Hub.
pub const STACK_BOOT_MANAGED: Code = Code::new("LF0546");
/// The user's account is missing, or is not wanted.
pub const BOOT_ACCOUNT: Code = Code::new("LF0547");

const TYPE: &str = "bootDiagnostics.type";
/// The type of diagnostics in the user's account.
pub const USER_MANAGED: &str = "UserManaged";

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
        let message = "Azure Stack Hub has no managed storage account for boot diagnostics";
        let finding = Finding::error(&STACK_BOOT_MANAGED, Kind::Invalid, reported, message);
        let finding = finding.at(settings.path(TYPE));
        out.push(finding.help("write `type: UserManaged` with your own account, or `type: Disabled`"));
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
            let message = format!("`{field}` needs the type `{USER_MANAGED}`, and the type is {kind}");
            (message, format!("remove `{field}`, or write `type: {USER_MANAGED}`"))
        };
        let reported = settings.path(&format!("bootDiagnostics.{reported}"));
        let finding = Finding::error(&BOOT_ACCOUNT, Kind::Invalid, reported, message);
        out.push(finding.at(settings.path(&format!("bootDiagnostics.{field}"))).help(help));
    }
}
