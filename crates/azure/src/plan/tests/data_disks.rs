//! Data disks that Azure creates, and those that it does not.

use landfall_model::azure::config::{DataDisk, DiskEncryptionSetId, ManagedDisk};
use landfall_model::config::{DiskSetup, Etcd};

use super::*;

/// What planning makes of the control plane's data disks.
fn of(disks: Vec<DataDisk>) -> (Option<Vec<planned::DataDisk>>, Vec<Finding>) {
    let config = with_settings(Settings { data_disks: Some(disks), ..Settings::default() });
    let (plan, findings) = planned(&config, facts());
    (plan.map(|plan| plan.control_plane.data_disks), findings)
}

#[test]
fn each_disk_has_a_number() {
    let set = "/subscriptions/00000000-0000-0000-0000-000000000021/resourceGroups/keys-rg/providers/\
               Microsoft.Compute/diskEncryptionSets/keys";
    let managed = ManagedDisk {
        storage_account_type: "Premium_LRS".to_owned(),
        disk_encryption_set: Some(DiskEncryptionSetId { id: set.to_owned() }),
        ..ManagedDisk::default()
    };
    let first = DataDisk { managed_disk: Some(managed), ..data_disk("etcd", None) };
    let (disks, findings) = of(vec![first, data_disk("swap", Some(0)), data_disk("logs", None)]);
    assert!(findings.iter().all(|finding| !finding.is_error()), "{findings:?}");
    let disks = disks.unwrap_or_default();
    let luns: Vec<i32> = disks.iter().map(|disk| disk.lun).collect();
    assert_eq!(luns, [1, 0, 2]);
    let first = disks.first().map(|disk| (disk.kind.as_str(), disk.encryption_set.as_str()));
    assert_eq!(first, Some(("Premium_LRS", set)));
}

#[test]
fn what_is_set_up_is_there() {
    let setup = |disk: &str| {
        let etcd = Some(Etcd { platform_disk_id: disk.to_owned() });
        vec![DiskSetup { kind: "etcd".to_owned(), etcd, ..DiskSetup::default() }]
    };
    let mut config =
        with_settings(Settings { data_disks: Some(vec![data_disk("etcd", None)]), ..Settings::default() });
    for (disk, codes) in [("etcd", Vec::new()), ("other", vec![("LF0784", "controlPlane.diskSetup")])] {
        if let Some(pool) = &mut config.control_plane {
            pool.disk_setup = setup(disk);
        }
        assert_eq!(places(&planned(&config, facts()).1), codes);
    }
}

#[test]
fn a_disk_that_azure_refuses_is_told_before() {
    let typed = |kind: &str, caching: &str| {
        let managed = ManagedDisk { storage_account_type: kind.to_owned(), ..ManagedDisk::default() };
        DataDisk {
            managed_disk: Some(managed),
            caching_type: caching.to_owned(),
            ..data_disk("etcd", Some(0))
        }
    };
    let cases = [
        (vec![DataDisk { disk_size_gb: 0, ..data_disk("etcd", Some(0)) }], "[0].diskSizeGB"),
        (vec![data_disk("", Some(0))], "[0].nameSuffix"),
        (vec![data_disk("a suffix", Some(0))], "[0].nameSuffix"),
        (vec![data_disk("a", Some(0)), data_disk("A", Some(1))], "[1].nameSuffix"),
        (vec![data_disk("a", Some(0)), data_disk("b", Some(0))], "[1].lun"),
        (vec![data_disk("a", Some(64))], "[0].lun"),
        (vec![DataDisk { caching_type: "Write".to_owned(), ..data_disk("a", Some(0)) }], "[0].cachingType"),
        (vec![typed("PremiumV2_LRS", "ReadOnly")], "[0].cachingType"),
        (vec![typed("UltraSSD_LRS", "None")], "[0].managedDisk.storageAccountType"),
        (vec![typed("Fast", "")], "[0].managedDisk.storageAccountType"),
    ];
    for (disks, at) in cases {
        let (plan, findings) = of(disks);
        assert!(plan.is_none());
        let at = format!("controlPlane.platform.azure.dataDisks{at}");
        assert_eq!(places(&findings), [("LF0784", at.as_str())]);
    }
}
