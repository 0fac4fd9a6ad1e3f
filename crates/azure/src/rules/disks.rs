//! The disk that machines start from: `docs/install-config.md`, section 11.8.

use landfall_diagnostics::{Code, Finding, Findings, Kind};

use super::super::config::DiskEncryptionSet;
use super::super::values;
use super::forms::Part;
use super::{Settings, shown};

/// A size below zero.
pub const DISK_SIZE: Code = Code::new("LF0531");
/// A size that an Azure Stack Hub does not have.
pub const STACK_DISK_SIZE: Code = Code::new("LF0532");
/// A type that the pool cannot have.
pub const DISK_TYPE: Code = Code::new("LF0533");
/// Encryption by the host on an Azure Stack Hub.
pub const STACK_HOST_ENCRYPTION: Code = Code::new("LF0534");
/// A disk encryption set on an Azure Stack Hub.
pub const STACK_ENCRYPTION_SET: Code = Code::new("LF0535");
/// A disk encryption set that cannot be one.
pub const ENCRYPTION_SET: Code = Code::new("LF0536");

/// The sizes of disks that an Azure Stack Hub has, in GB.
const STACK_SIZES: std::ops::RangeInclusive<i32> = 128..=1023;
/// The field of the disk encryption set.
const SET: &str = "osDisk.diskEncryptionSet";

pub(super) fn check(settings: &Settings<'_>, out: &mut Findings) {
    check_size(settings, out);
    let disk_type = settings.azure.os_disk.disk_type.as_str();
    let accepted: &[&str] = if settings.name.is_empty() || settings.name == "master" {
        &["Premium_LRS", "StandardSSD_LRS"]
    } else {
        values::DISK_TYPES
    };
    if !disk_type.is_empty() && !accepted.contains(&disk_type) {
        let finding = Finding::not_supported(&DISK_TYPE, settings.path("diskType"), disk_type, accepted);
        out.push(finding.at(settings.path("osDisk.diskType")));
    }
    if settings.azure.encryption_at_host && settings.stack {
        let message = "Azure Stack Hub does not support encryption at host";
        let finding = settings.inserted(&STACK_HOST_ENCRYPTION, Kind::Invalid, "encryptionAtHost", message);
        out.push(finding.help("remove `encryptionAtHost`"));
    }
    if let Some(set) = &settings.azure.os_disk.disk_encryption_set {
        check_encryption_set(settings, set, out);
    }
}

fn check_size(settings: &Settings<'_>, out: &mut Findings) {
    let size = settings.azure.os_disk.disk_size_gb;
    let (page, message, help) = if size < 0 {
        (&DISK_SIZE, format!("invalid disk size: {size} GB"), "write the size in GB, such as 1024")
    } else if settings.stack && size != 0 && !STACK_SIZES.contains(&size) {
        let message = format!("Azure Stack Hub supports disks of 128 to 1023 GB, not of {size} GB");
        (&STACK_DISK_SIZE, message, "write a size from 128 to 1023")
    } else {
        return;
    };
    let finding = Finding::error(page, Kind::Invalid, settings.path("diskSizeGB"), message);
    out.push(finding.at(settings.path("osDisk.diskSizeGB")).help(help));
}

/// Judges a disk encryption set: the first fault only.
fn check_encryption_set(settings: &Settings<'_>, set: &DiskEncryptionSet, out: &mut Findings) {
    if settings.stack {
        let message = "Azure Stack Hub does not support disk encryption sets";
        let reported = settings.path("defaultMachinePlatform.osDisk.diskEncryptionSet.diskEncryptionSet");
        let finding = Finding::error(&STACK_ENCRYPTION_SET, Kind::Invalid, reported, message);
        out.push(finding.at(settings.path(SET)).help("remove `diskEncryptionSet`"));
        return;
    }
    if let Some((reported, part)) = parts(set).iter().find(|(_, part)| !(part.fits)(part.value)) {
        let message = format!("{} cannot be {}", shown(part.value), part.what);
        let reported = settings.path(&format!("defaultMachinePlatform.{SET}.{reported}"));
        let finding = Finding::error(&ENCRYPTION_SET, Kind::Invalid, reported, message);
        let finding = finding.at(settings.path(&format!("{SET}.{}", part.field)));
        out.push(finding.help(format!("write {}", part.form)));
    }
}

/// The parts of a disk encryption set, each with the name that is reported.
fn parts(set: &DiskEncryptionSet) -> [(&'static str, Part<'_>); 3] {
    [
        ("subscriptionID", Part::subscription("subscriptionId", &set.subscription_id)),
        ("resourceGroup", Part::group("resourceGroup", &set.resource_group)),
        ("diskEncryptionSetName", Part::encryption_set("name", &set.name)),
    ]
}
