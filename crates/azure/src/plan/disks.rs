//! OS disks that Azure makes: section F.6 of `docs/assets.md`.

use std::ops::RangeInclusive;

use landfall_diagnostics::Findings;
use landfall_model::azure::config::MachinePool;

use super::pages;
use crate::rules::confidential::WHOLE_DISK;

/// What an OS disk may have, in GiB.
/// See <https://learn.microsoft.com/azure/virtual-machines/managed-disks-overview#os-disk>.
const MOST: i64 = 4095;
/// The image of the release, in GiB: see <https://github.com/openshift/os/blob/master/image.yaml>.
const IMAGE: i64 = 16;

/// Refuses OS disks that no machine starts from.
pub(super) fn check(path: &str, settings: &MachinePool, out: &mut Findings) {
    let disk = &settings.os_disk;
    let size = i64::from(disk.disk_size_gb);
    // The size of a marketplace image is unknown here.
    let least = if settings.os_image.publisher.is_empty() { IMAGE } else { 1 };
    let possible: RangeInclusive<i64> = least..=MOST;
    if size != 0 && !possible.contains(&size) {
        out.push(pages::disk_size(path, size, &possible));
    }
    let Some(profile) = &disk.security_profile else { return };
    if profile.disk_encryption_set.is_none() {
        return;
    }
    if profile.security_encryption_type != WHOLE_DISK {
        out.push(pages::keys_without_whole_disk(path, WHOLE_DISK));
    } else if disk.disk_encryption_set.is_some() {
        out.push(pages::two_sets_of_keys(path));
    }
}
