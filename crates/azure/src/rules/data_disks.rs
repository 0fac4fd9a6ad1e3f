//! Extra disks of machines, and how they fit what `diskSetup` wants of them: `docs/install-config.md`,
//! section 11.8.

use std::collections::BTreeMap;

use landfall_diagnostics::{Code, Finding, Findings, Kind, counted};
use landfall_model::config::DiskSetup;

use super::super::config::DataDisk;
use super::{Settings, shown};

/// Extra disks for all pools.
pub const DEFAULT_DATA_DISKS: Code = Code::new("LF0548");
/// More setups than disks.
pub const DATA_DISKS_FEWER: Code = Code::new("LF0549");
/// A logical unit number that is missing, out of range or used twice.
pub const DATA_DISK_LUN: Code = Code::new("LF0550");
/// A disk without size.
pub const DATA_DISK_SIZE: Code = Code::new("LF0551");
/// A disk that is not the one its setup means.
pub const DATA_DISK_NAME: Code = Code::new("LF0552");

const FIELD: &str = "dataDisks";

pub(super) fn check(settings: &Settings<'_>, out: &mut Findings) {
    let disks = settings.azure.data_disks.as_deref().unwrap_or_default();
    if disks.is_empty() {
        return;
    }
    if settings.name.is_empty() {
        let message = "`dataDisks` cannot be set for all pools at once";
        out.push(
            settings
                .error(&DEFAULT_DATA_DISKS, Kind::Invalid, FIELD, message)
                .help("move `dataDisks` to `controlPlane.platform.azure` or `compute[0].platform.azure`"),
        );
    }
    let setups = settings.disk_setup;
    if disks.len() < setups.len() {
        let (given, wanted) = (disks.len(), setups.len());
        let message = format!("`diskSetup` has {wanted} entries, and the number of `dataDisks` is {given}");
        let finding = settings.error(&DATA_DISKS_FEWER, Kind::TooLong, FIELD, message);
        out.push(finding.help(format!("add {} to `dataDisks`", counted(wanted - given, "disk"))));
    } else if !setups.is_empty() {
        let mut luns: BTreeMap<i32, usize> = BTreeMap::new();
        for (i, disk) in disks.iter().enumerate() {
            check_lun(settings, i, disk, &mut luns, out);
            check_disk(settings, i, disk, out);
        }
    }
}

/// An error of one disk. The reported path has no position, and the field in another spelling.
fn error(
    settings: &Settings<'_>,
    code: &'static Code,
    kind: Kind,
    (reported, index, field): (&str, usize, &str),
    message: String,
) -> Finding {
    Finding::error(code, kind, settings.path(&format!("{FIELD}.{reported}")), message)
        .at(settings.path(&format!("{FIELD}[{index}].{field}")))
}

fn check_lun(
    settings: &Settings<'_>,
    index: usize,
    disk: &DataDisk,
    luns: &mut BTreeMap<i32, usize>,
    out: &mut Findings,
) {
    let place = ("Lun", index, "lun");
    let name = shown(&disk.name_suffix);
    let help = "give each disk a different `lun` from 0 to 63";
    let Some(lun) = disk.lun else {
        let message = format!("the `lun` of the data disk {name} is missing");
        out.push(error(settings, &DATA_DISK_LUN, Kind::Required, place, message).help(help));
        return;
    };
    if !(0..=63).contains(&lun) {
        let message = format!("the `lun` {lun} of the data disk {name} is not from 0 to 63");
        out.push(error(settings, &DATA_DISK_LUN, Kind::Required, place, message).help(help));
    }
    let first = *luns.entry(lun).or_insert(index);
    if first != index {
        let message = format!("the `lun` {lun} of the data disk {name} is in use");
        let finding = error(settings, &DATA_DISK_LUN, Kind::Invalid, place, message);
        let finding = finding.related("the first use", settings.path(&format!("{FIELD}[{first}].lun")));
        out.push(finding.help(help));
    }
}

fn check_disk(settings: &Settings<'_>, index: usize, disk: &DataDisk, out: &mut Findings) {
    let name = shown(&disk.name_suffix);
    if disk.disk_size_gb <= 0 {
        let place = ("DiskSizeGB", index, "diskSizeGB");
        let message = format!("the size of the data disk {name} is {} GB", disk.disk_size_gb);
        let finding = error(settings, &DATA_DISK_SIZE, Kind::Invalid, place, message);
        out.push(finding.help("write a size greater than 0"));
    }
    let wanted = settings.disk_setup.get(index).and_then(DiskSetup::disk);
    if let Some(wanted) = wanted.filter(|wanted| *wanted != disk.name_suffix) {
        let place = ("NameSuffix", index, "nameSuffix");
        let message =
            format!("the data disk is {name}, and its entry of `diskSetup` is for {}", shown(wanted));
        let finding = error(settings, &DATA_DISK_NAME, Kind::Invalid, place, message);
        out.push(finding.help("write the same text as `nameSuffix` and as `platformDiskID`"));
    }
}
