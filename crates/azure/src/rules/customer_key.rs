//! The user's own key for the storage account: `docs/install-config.md`, section 11.5.

use landfall_diagnostics::{Code, Finding, Findings, Kind};

use super::super::config::{CustomerManagedKey, Platform};
use super::forms::{self, Part};
use super::shown;

/// Such a key on an Azure Stack Hub.
pub const STACK_KEY: Code = Code::new("LF0519");
/// A part of the key's description is missing.
pub const KEY_PARTS: Code = Code::new("LF0520");
/// A part of the key's description cannot be a name in Azure.
pub const KEY_FORMS: Code = Code::new("LF0521");

const FIELD: &str = "platform.azure.customerManagedKey";

pub(super) fn check(azure: &Platform, stack: bool, out: &mut Findings) {
    let Some(key) = &azure.customer_managed_key else {
        return;
    };
    if stack {
        let message = "Azure Stack Hub does not support customer-managed keys";
        let finding = Finding::error(&STACK_KEY, Kind::Invalid, FIELD, message);
        out.push(finding.help("remove `customerManagedKey`"));
        return;
    }
    for part in parts(key) {
        let what = part.what;
        let finding = if part.value.is_empty() {
            Finding::error(&KEY_PARTS, Kind::Required, FIELD, format!("{what} is missing"))
                .help(format!("add `{}`", part.field))
        } else if (part.fits)(part.value) {
            continue;
        } else {
            let message = format!("{} cannot be {what}", shown(part.value));
            Finding::error(&KEY_FORMS, Kind::Invalid, FIELD, message).help(format!("write {}", part.form))
        };
        out.push(finding.at(format!("{FIELD}.{}", part.field)));
    }
}

fn parts(key: &CustomerManagedKey) -> [Part<'_>; 4] {
    [
        Part {
            field: "keyVault.keyName",
            what: "the name of the key",
            value: &key.key_vault.key_name,
            fits: forms::is_key_name,
            form: "1 to 127 letters, digits and dashes",
        },
        Part {
            field: "keyVault.name",
            what: "the name of the key vault",
            value: &key.key_vault.name,
            fits: forms::is_vault_name,
            form: "3 to 24 letters, digits and single dashes, beginning with a letter and ending with a \
                   letter or digit",
        },
        Part {
            what: "the resource group of the key vault",
            ..Part::group("keyVault.resourceGroup", &key.key_vault.resource_group)
        },
        Part {
            what: "the user-assigned identity that reads the key",
            ..Part::identity("userAssignedIdentityKey", &key.user_assigned_identity_key)
        },
    ]
}
