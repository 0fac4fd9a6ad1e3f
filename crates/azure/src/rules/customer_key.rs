//! The user's own key for the storage account: `docs/install-config.md`, section 11.5.

use landfall_diagnostics::{Base, Finding, Findings, Kind, Page, Severity};

use super::super::config::{CustomerManagedKey, Platform};
use super::forms::{self, Part};
use super::shown;

/// Such a key on an Azure Stack Hub.
pub const STACK_KEY: Page = Page {
    code: "LF0519",
    title: "`customerManagedKey` is not for an Azure Stack Hub",
    text: "An Azure Stack Hub encrypts storage with keys of its own, and with no others.",
    severity: Severity::Error,
    fields: &["platform.azure.customerManagedKey", "platform.azure.cloudName"],
    base: Base::AzureStack,
    bad: "\
platform:
  azure:
    region: local
    baseDomainResourceGroupName: dns-rg
    cloudName: AzureStackCloud
    armEndpoint: https://management.local.example.com
    customerManagedKey:
      keyVault:
        resourceGroup: kv-rg
        name: kv-name
        keyName: key1
      userAssignedIdentityKey: identity1
",
    good: "\
platform:
  azure:
    region: local
    baseDomainResourceGroupName: dns-rg
    cloudName: AzureStackCloud
    armEndpoint: https://management.local.example.com
",
};
/// A part of the key's description is missing.
pub const KEY_PARTS: Page = Page {
    code: "LF0520",
    title: "a key of the user's own is described completely",
    text: "The key is found by its name, its key vault and the vault's resource group, and is read by the \
           user-assigned identity. All four must exist before the installation.",
    severity: Severity::Error,
    fields: &[
        "platform.azure.customerManagedKey.keyVault.keyName",
        "platform.azure.customerManagedKey.keyVault.name",
        "platform.azure.customerManagedKey.keyVault.resourceGroup",
        "platform.azure.customerManagedKey.userAssignedIdentityKey",
    ],
    base: Base::Azure,
    bad: "\
platform:
  azure:
    region: eastus
    baseDomainResourceGroupName: dns-rg
    customerManagedKey:
      keyVault:
        resourceGroup: kv-rg
        name: kv-name
        keyName: key1
",
    good: "\
platform:
  azure:
    region: eastus
    baseDomainResourceGroupName: dns-rg
    customerManagedKey:
      keyVault:
        resourceGroup: kv-rg
        name: kv-name
        keyName: key1
      userAssignedIdentityKey: identity1
",
};
/// A part of the key's description cannot be a name in Azure.
pub const KEY_FORMS: Page = Page {
    code: "LF0521",
    title: "what describes a key of the user's own has the form of Azure's names",
    text: "Azure gives no key, vault, resource group or identity a name of another form, so there is \
           nothing that the text could mean. Names are wanted here, not resource ids or URLs.",
    severity: Severity::Error,
    fields: &[
        "platform.azure.customerManagedKey.keyVault.keyName",
        "platform.azure.customerManagedKey.keyVault.name",
        "platform.azure.customerManagedKey.keyVault.resourceGroup",
        "platform.azure.customerManagedKey.userAssignedIdentityKey",
    ],
    base: Base::Azure,
    bad: "\
platform:
  azure:
    region: eastus
    baseDomainResourceGroupName: dns-rg
    customerManagedKey:
      keyVault:
        resourceGroup: kv-rg
        name: https://kv-name.vault.azure.net
        keyName: key1
      userAssignedIdentityKey: identity1
",
    good: "\
platform:
  azure:
    region: eastus
    baseDomainResourceGroupName: dns-rg
    customerManagedKey:
      keyVault:
        resourceGroup: kv-rg
        name: kv-name
        keyName: key1
      userAssignedIdentityKey: identity1
",
};

const FIELD: &str = "platform.azure.customerManagedKey";

pub(super) fn check(azure: &Platform, stack: bool, out: &mut Findings) {
    let Some(key) = &azure.customer_managed_key else {
        return;
    };
    if stack {
        let message = "an Azure Stack Hub takes no key of the user's own";
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
            field: "keyVault.resourceGroup",
            what: "the resource group of the key vault",
            value: &key.key_vault.resource_group,
            fits: forms::is_resource_group,
            form: forms::RESOURCE_GROUP,
        },
        Part {
            field: "userAssignedIdentityKey",
            what: "the user-assigned identity that reads the key",
            value: &key.user_assigned_identity_key,
            fits: forms::is_identity_name,
            form: "3 to 128 letters, digits, dashes and underscores, beginning with a letter or digit",
        },
    ]
}
