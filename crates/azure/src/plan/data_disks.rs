//! Disks besides the one that machines start from.
//!
//! The OpenShift installer looks at them only beside `diskSetup`; Azure looks always.

use std::collections::BTreeSet;

use landfall_diagnostics::Findings;
use landfall_model::azure::config::{DataDisk as Given, MachinePool};
use landfall_model::azure::planned::DataDisk;
use landfall_model::config::DiskSetup;

use super::pages;

/// Logical unit numbers of a machine.
const LUNS: std::ops::Range<i32> = 0..64;
/// What a data disk may have, in GiB.
/// See <https://learn.microsoft.com/azure/virtual-machines/disks-types>.
const SIZES: std::ops::RangeInclusive<i32> = 1..=65536;
/// The kinds of caching.
const CACHING: &[&str] = &["", "None", "ReadOnly", "ReadWrite"];
/// Types of disks; these two are not cached.
const UNCACHED: &[&str] = &["UltraSSD_LRS", "PremiumV2_LRS"];
const KINDS: &[&str] =
    &["", "Premium_LRS", "Premium_ZRS", "StandardSSD_LRS", "StandardSSD_ZRS", "Standard_LRS"];
/// The longest name of a disk, and what of it the names of machines take at most.
const NAME: usize = 80;
const MACHINE: usize = 64;

/// The pool's disks, each with a number. What Azure refuses is in `out`.
pub(super) fn choose(
    path: &str,
    settings: &MachinePool,
    setups: &[DiskSetup],
    out: &mut Findings,
) -> Vec<DataDisk> {
    let given = settings.data_disks.as_deref().unwrap_or_default();
    let mut taken: BTreeSet<i32> = given.iter().filter_map(|disk| disk.lun).collect();
    let (mut luns, mut suffixes) = (BTreeSet::new(), BTreeSet::new());
    let mut disks = Vec::new();
    for (i, disk) in given.iter().enumerate() {
        let lun = disk.lun.or_else(|| LUNS.clone().find(|lun| !taken.contains(lun)));
        let lun = lun.unwrap_or(LUNS.end);
        taken.insert(lun);
        let once = luns.insert(lun);
        let fresh = suffixes.insert(disk.name_suffix.to_lowercase());
        for (field, fault, help) in faults(settings, disk, lun, once, fresh) {
            let at = format!("{path}.platform.azure.dataDisks[{i}].{field}");
            out.push(pages::data_disk(&at, &fault, help));
        }
        disks.push(planned(disk, lun));
    }
    for wanted in setups.iter().filter_map(DiskSetup::disk) {
        if !disks.iter().any(|disk| disk.name_suffix == wanted) {
            let fault = format!("`dataDisks` has no disk `{wanted}`");
            out.push(pages::data_disk(&format!("{path}.diskSetup"), &fault, "add it to `dataDisks`"));
        }
    }
    disks
}

fn planned(disk: &Given, lun: i32) -> DataDisk {
    let managed = disk.managed_disk.as_ref();
    let set = managed.and_then(|managed| managed.disk_encryption_set.as_ref());
    DataDisk {
        name_suffix: disk.name_suffix.clone(),
        size_gb: disk.disk_size_gb.into(),
        lun,
        caching: disk.caching_type.clone(),
        kind: managed.map(|managed| managed.storage_account_type.clone()).unwrap_or_default(),
        encryption_set: set.map(|set| set.id.clone()).unwrap_or_default(),
    }
}

/// A field, what is wrong with it, and what to do.
type Fault = (&'static str, String, &'static str);

fn faults(settings: &MachinePool, disk: &Given, lun: i32, once: bool, fresh: bool) -> Vec<Fault> {
    let mut faults = Vec::new();
    let name = disk.name_suffix.as_str();
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let last = name.chars().last();
    if !fresh {
        faults.push(("nameSuffix", format!("two data disks have the suffix `{name}`"), "use another suffix"));
    } else if last.is_none() || name.len() >= NAME - MACHINE || !name.chars().all(fits) || last == Some('.') {
        let help = "write 1 to 15 letters, digits, `-`, `_` and `.`, not ending with `.`";
        faults.push(("nameSuffix", format!("`{name}` cannot end the name of a disk"), help));
    }
    if !SIZES.contains(&disk.disk_size_gb) {
        let fault = format!("invalid data disk size: {} GiB", disk.disk_size_gb);
        faults.push(("diskSizeGB", fault, "write a size from 1 to 65536"));
    }
    if !LUNS.contains(&lun) || !once {
        let fault = format!("the logical unit number {lun} is in use or out of range");
        faults.push(("lun", fault, "give each disk a different `lun` from 0 to 63"));
    }
    let caching = disk.caching_type.as_str();
    if !CACHING.contains(&caching) {
        faults.push((
            "cachingType",
            format!("`{caching}` is not a kind of caching"),
            "write None, ReadOnly or ReadWrite",
        ));
    }
    let Some(managed) = &disk.managed_disk else { return faults };
    let kind = managed.storage_account_type.as_str();
    if UNCACHED.contains(&kind) {
        if !["", "None"].contains(&caching) {
            let fault = format!("Azure does not cache disks of the type {kind}");
            faults.push(("cachingType", fault, "write None"));
        }
        if kind.starts_with("Ultra") && settings.ultra_ssd_capability != "Enabled" {
            let fault = "an ultra disk needs machines that can have one".to_owned();
            faults.push(("managedDisk.storageAccountType", fault, "write `ultraSSDCapability: Enabled`"));
        }
    } else if !KINDS.contains(&kind) {
        let fault = format!("`{kind}` is not a type of disks");
        faults.push(("managedDisk.storageAccountType", fault, "write a type such as Premium_LRS"));
    }
    faults
}
