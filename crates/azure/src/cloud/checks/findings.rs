//! The findings of the checks of Azure.

use landfall_diagnostics::{Finding, Kind, Severity, few, shortened};

use super::images::Wish;
use super::locks::{DNS_GROUP, Held};
use super::pages::{
    DISK_SET, DISK_SET_KIND, IDENTITY, IMAGE, IMAGE_FIT, IMAGE_PLAN, IMAGE_TERMS, KEY, LOCKED, NOT_REMOVABLE,
    PERMISSIONS, PROVIDERS, QUOTA, QUOTA_TIGHT, REGISTERING, ROLES, VAULT,
};
use super::quotas::Account;

/// The most names in a sentence.
const MOST: usize = 5;

pub(super) fn disk_set_missing(field: &str, name: &str, group: &str) -> Finding {
    let (name, group) = (shortened(name), shortened(group));
    let message = format!("there is no disk encryption set `{name}` in the resource group `{group}`");
    Finding::error(&DISK_SET, Kind::Invalid, field, message)
        .help("check the subscription, the group and the name; `az disk-encryption-set list` lists them")
}

pub(super) fn disk_set_elsewhere(field: &str, name: &str, found: &str, wanted: &str) -> Finding {
    let (name, found, wanted) = (shortened(name), shortened(found), shortened(wanted));
    let message = format!("the disk encryption set `{name}` is in {found}, the disks are in {wanted}");
    Finding::error(&DISK_SET, Kind::Invalid, field, message).help("use a set in the cluster's location")
}

pub(super) fn disk_set_of_another_kind(field: &str, name: &str, confidential: bool) -> Finding {
    let name = shortened(name);
    let (message, help) = if confidential {
        (
            format!("the disk encryption set `{name}` is not for confidential VMs"),
            "use a set of the encryption type ConfidentialVmEncryptedWithCustomerKey",
        )
    } else {
        (
            format!("the disk encryption set `{name}` is for confidential VMs only"),
            "use a set of the encryption type EncryptionAtRestWithCustomerKey",
        )
    };
    Finding::error(&DISK_SET_KIND, Kind::Invalid, field, message).help(help)
}

pub(super) fn vault_missing(field: &str, name: &str, group: &str) -> Finding {
    let (name, group) = (shortened(name), shortened(group));
    let message = format!("there is no key vault `{name}` in the resource group `{group}`");
    Finding::error(&KEY, Kind::Invalid, field, message)
        .help("check the group and the name; `az keyvault list` lists the vaults")
}

pub(super) fn key_missing(field: &str, key: &str, vault: &str) -> Finding {
    let (key, vault) = (shortened(key), shortened(vault));
    let message = format!("there is no key `{key}` in the key vault `{vault}`");
    Finding::error(&KEY, Kind::Invalid, field, message).help("use a key of this vault, or create one")
}

pub(super) fn key_identity_missing(field: &str, name: &str, group: &str) -> Finding {
    let (name, group) = (shortened(name), shortened(group));
    let message = format!("there is no managed identity `{name}` in the resource group `{group}`");
    Finding::error(&KEY, Kind::Invalid, field, message)
        .help("use an identity of the vault's group that may read the key")
}

pub(super) fn vault_unprotected(field: &str, name: &str) -> Finding {
    let name = shortened(name);
    let message = format!("the key vault `{name}` has no purge protection");
    Finding::error(&VAULT, Kind::Invalid, field, message).help(format!(
        "turn it on: az keyvault update --name {name} --enable-purge-protection true; it cannot be turned off"
    ))
}

pub(super) fn image_missing(wish: &Wish) -> Finding {
    let message = format!("there is no image {} in {}", shortened(&wish.urn()), shortened(&wish.region));
    Finding::error(&IMAGE, Kind::Invalid, wish.field.as_str(), message).help(format!(
        "use an image that `az vm image list --all --publisher {} --location {}` shows",
        shortened(&wish.image.publisher),
        shortened(&wish.region)
    ))
}

pub(super) fn image_of_another(wish: &Wish, architecture: &str) -> Finding {
    let message = format!(
        "the image {} is for {}, the machines are {}",
        shortened(&wish.urn()),
        shortened(architecture),
        shortened(&wish.architecture)
    );
    Finding::error(&IMAGE_FIT, Kind::Invalid, wish.field.as_str(), message)
        .help("use an image of the pool's architecture")
}

pub(super) fn image_generation(wish: &Wish, generation: &str, possible: &str) -> Finding {
    let message = format!(
        "the image {} is for generation {}, and machines of the size {} are {}",
        shortened(&wish.urn()),
        shortened(generation),
        shortened(&wish.size),
        shortened(possible)
    );
    Finding::error(&IMAGE_FIT, Kind::Invalid, wish.field.as_str(), message)
        .help("use an image of the other generation, or another size in `type`")
}

pub(super) fn image_not_protected(wish: &Wish) -> Finding {
    let message = format!(
        "the image {} is for generation V1, which has neither confidential VMs nor trusted launch",
        shortened(&wish.urn())
    );
    Finding::error(&IMAGE_FIT, Kind::Invalid, wish.field.as_str(), message)
        .help("use an image of generation V2, or remove `settings`")
}

pub(super) fn image_terms(wish: &Wish) -> Finding {
    let urn = shortened(&wish.urn());
    let message = format!("the terms of {urn} are not accepted in this subscription");
    Finding::error(&IMAGE_TERMS, Kind::Forbidden, wish.field.as_str(), message)
        .help(format!("accept them: az vm image terms accept --urn {urn}"))
}

pub(super) fn image_plan(wish: &Wish, planned: bool) -> Finding {
    let urn = shortened(&wish.urn());
    let (message, help) = if planned {
        (format!("{urn} has a purchase plan"), "write `plan: WithPurchasePlan`")
    } else {
        (format!("{urn} has no purchase plan"), "write `plan: NoPurchasePlan`")
    };
    let mut finding =
        Finding::warning(&IMAGE_PLAN, Kind::Invalid, format!("{}.plan", wish.field), message).help(help);
    if wish.strict {
        finding.severity = Severity::Error;
    }
    finding
}

pub(super) fn identity_missing(field: &str, name: &str, group: &str) -> Finding {
    let (name, group) = (shortened(name), shortened(group));
    let message = format!("there is no managed identity `{name}` in the resource group `{group}`");
    Finding::error(&IDENTITY, Kind::Invalid, field, message)
        .help("check the subscription, the group and the name; `az identity list` lists them")
}

pub(super) fn denied(field: &str, missing: &[String], asked: usize) -> Finding {
    let message = format!(
        "the caller is denied {} of {asked} actions that this config needs: {}",
        missing.len(),
        first(missing)
    );
    Finding::error(&PERMISSIONS, Kind::Forbidden, field, message).help(
        "assign the caller a role with these actions on the subscription, such as Contributor; `landfall \
         create permissions-policy` prints a role with all permissions that an installation needs",
    )
}

pub(super) fn roles_denied(field: &str, missing: &[String], _: usize) -> Finding {
    let message = format!("the caller may not assign roles: {} not allowed", first(missing));
    Finding::error(&ROLES, Kind::Forbidden, field, message).help(
        "assign the caller the role `User Access Administrator` or `Role Based Access Control \
         Administrator` in addition to Contributor; `landfall create permissions-policy` prints a role \
         with all permissions that an installation needs",
    )
}

pub(super) fn data_denied(field: &str, missing: &[String], _: usize) -> Finding {
    let message = format!("the caller may not read and write blobs: {} not allowed", first(missing));
    Finding::error(&PERMISSIONS, Kind::Forbidden, field, message).help(
        "assign the caller the role `Storage Blob Data Contributor` as well, which uploads need with \
         `allowSharedKeyAccess: false`",
    )
}

pub(super) fn locked(held: &Held<'_>, more: usize) -> Finding {
    let message = format!("the lock {} prevents creation there{}", on(held), besides(more));
    Finding::error(&LOCKED, Kind::Forbidden, held.field, message)
        .help("remove the lock, or create the cluster elsewhere; `az lock list` lists all locks")
}

pub(super) fn not_removable(held: &Held<'_>, more: usize) -> Finding {
    let (what, before) = if held.field == DNS_GROUP {
        (": the records of the cluster in its DNS zone could not be removed", "the cluster is destroyed")
    } else {
        (", neither the bootstrap machine nor the cluster", "the installation")
    };
    let message = format!("the lock {} prevents deletion there{what}{}", on(held), besides(more));
    Finding::warning(&NOT_REMOVABLE, Kind::Forbidden, held.field, message)
        .help(format!("remove the lock before {before}; `az lock list` lists all locks"))
}

pub(super) fn not_registered(field: &str, missing: &[&str]) -> Finding {
    let message = format!("not registered in this subscription: {}", missing.join(", "));
    let commands: Vec<String> =
        missing.iter().map(|name| format!("az provider register --namespace {name}")).collect();
    Finding::error(&PROVIDERS, Kind::Required, field, message)
        .help(format!("register what is missing: {}", commands.join("; ")))
}

pub(super) fn registering(field: &str, coming: &[&str]) -> Finding {
    let message = format!("still being registered in this subscription: {}", coming.join(", "));
    Finding::warning(&REGISTERING, Kind::Invalid, field, message)
        .help("wait some minutes; `az provider show --namespace NAME` shows the state of a registration")
}

pub(super) fn quota_short(field: &str, account: &Account<'_>) -> Finding {
    Finding::error(&QUOTA, Kind::Forbidden, field, account.sentence()).help(account.help())
}

pub(super) fn quota_tight(field: &str, account: &Account<'_>) -> Finding {
    let message = format!("{}; at most 20 % would remain", account.sentence());
    Finding::warning(&QUOTA_TIGHT, Kind::Forbidden, field, message).help(account.help())
}

/// A lock and what it is on.
fn on(held: &Held<'_>) -> String {
    format!("`{}` on {}", shortened(held.name), held.what)
}

/// How many locks there are besides the first one.
fn besides(more: usize) -> String {
    match more {
        0 => String::new(),
        1 => ", and so does another lock".to_owned(),
        more => format!(", and so do {more} other locks"),
    }
}

/// The first few names, and how many there are besides.
fn first(names: &[String]) -> String {
    few(&names.iter().map(|name| shortened(name)).collect::<Vec<String>>(), MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_testing::assert_names;

    #[test]
    fn missing_rights_are_named_up_to_a_few() {
        let names: Vec<String> = (1..8).map(|i| format!("Microsoft.A/b{i}/write")).collect();
        let finding = denied("platform.azure", &names, 40);
        assert_eq!((finding.code.as_str(), finding.field.as_str()), ("LF1139", "platform.azure"));
        assert_names(&finding.message, &["7 of 40", &names[..5].join(", "), " 2 more"]);
        assert!(!finding.message.contains(&names[5]), "{}", finding.message);
        assert_eq!(roles_denied("platform.azure", &names[..1], 1).code.as_str(), "LF1140");
    }

    #[test]
    fn other_locks_are_counted() {
        assert_eq!(besides(0), "");
        assert!(besides(1).contains("another") && besides(2).contains(" 2 "));
    }
}
