//! Whether machines can write their boot diagnostics into the storage accounts that the config names.

use landfall_diagnostics::{Finding, Kind, shortened};
use landfall_model::azure::config::{BootDiagnostics, MachinePool};
use landfall_platform::cloud::{Answer, Asking, Check, check};
use serde_json::Value;

use super::settings::{Setting, distinct};
use crate::cloud::api_versions::Api;
use crate::cloud::gather::{plain, resource};
use crate::cloud::session::Session;
use crate::rules::boot_diagnostics::{BOOT_ACCOUNT, USER_MANAGED};

const KIND: &str = "Microsoft.Storage/storageAccounts";
const SKUS: &[&str] = &["Standard_GRS", "Standard_LRS", "Standard_RAGRS"];

/// One check for each account that pools name.
pub(super) fn checks<'s>(session: &'s Session<'_>) -> Vec<Check<'s>> {
    let Asking { config, given, .. } = session.asking;
    let found = distinct(config, given, "bootDiagnostics.storageAccountName", accounts);
    let one = |setting: Setting<BootDiagnostics>| {
        let id = format!("azure.boot-diagnostics.{}", setting.pool);
        check(id, setting.field.clone(), usable(session, setting))
    };
    found.into_iter().map(one).collect()
}

fn accounts(settings: &MachinePool) -> Vec<BootDiagnostics> {
    settings.boot_diagnostics.iter().filter(|own| own.kind == USER_MANAGED).cloned().collect()
}

async fn usable(session: &Session<'_>, setting: Setting<BootDiagnostics>) -> Result<Answer, Answer> {
    let Setting { value: BootDiagnostics { resource_group, storage_account_name: name, .. }, field, .. } =
        setting;
    let arm = session.arm().await?;
    let path = resource::resource(&session.subscription().await?, &resource_group, KIND, &name);
    let found = arm.find::<Value>(Api::STORAGE_ACCOUNTS, &path, &[]).await;
    let found = found.map_err(|fault| fault.answer(&field))?;
    Ok(judged(found.as_ref(), &name, &session.platform.region, &field).with("account", path))
}

/// Whether an account can be used. A property that the cloud leaves out is not a fault.
fn judged(found: Option<&Value>, name: &str, region: &str, field: &str) -> Answer {
    let id = shortened(name);
    let of = |at: &str| found.and_then(|found| found.pointer(at)?.as_str()).unwrap_or_default();
    let (location, sku) = (of("/location"), of("/sku/name"));
    let message = if found.is_none() {
        format!("there is no storage account `{id}` in the resource group for boot diagnostics")
    } else if !location.is_empty() && plain(location) != plain(region) {
        format!("the storage account `{id}` is in {}, and the cluster in {region}", shortened(location))
    } else if !sku.is_empty() && !SKUS.contains(&sku) {
        format!("the storage account `{id}` is {}; supported are {}", shortened(sku), SKUS.join(", "))
    } else {
        return Answer::passed(format!("the storage account {name} can have boot diagnostics"));
    };
    let finding = Finding::error(&BOOT_ACCOUNT, Kind::Invalid, field, message);
    Answer::found(
        finding
            .help("use a standard account in the cluster's location; `az storage account list` lists them"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_platform::cloud::Verdict;
    use landfall_testing::assert_names;

    fn told(found: Option<&str>) -> String {
        let account: Option<Value> = found.map(|text| serde_json::from_str(text).unwrap_or_default());
        match judged(account.as_ref(), "diagnostics", "usgovvirginia", "x").verdict {
            Verdict::Found(finding) => format!("{} {}", finding.code.as_str(), finding.message),
            _ => String::new(),
        }
    }

    #[test]
    fn the_account_for_boot_diagnostics_is_a_standard_one_of_the_location() {
        assert_names(&told(None), &["LF0547", "`diagnostics`"]);
        let fits = r#"{"location": "USGov Virginia", "sku": {"name": "Standard_LRS"}}"#;
        assert_eq!(told(Some(fits)), "");
        assert_eq!(told(Some(r#"{"location": null, "sku": null}"#)), "");
        let elsewhere = fits.replace("Virginia", "Texas");
        assert_names(&told(Some(&elsewhere)), &["LF0547", "USGov Texas", "usgovvirginia"]);
        let premium = fits.replace("Standard_LRS", "Premium_LRS");
        assert_names(&told(Some(&premium)), &["LF0547", "Premium_LRS", "Standard_GRS"]);
    }

    #[test]
    fn only_accounts_of_the_user_are_asked_for() {
        let of = |kind: &str| MachinePool {
            boot_diagnostics: Some(BootDiagnostics { kind: kind.to_owned(), ..BootDiagnostics::default() }),
            ..MachinePool::default()
        };
        assert_eq!(accounts(&of("UserManaged")).len(), 1);
        assert!(accounts(&of("Managed")).is_empty() && accounts(&MachinePool::default()).is_empty());
    }
}
