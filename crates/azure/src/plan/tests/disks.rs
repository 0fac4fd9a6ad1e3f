//! OS disks that no machine starts from.

use landfall_model::azure::config::{DiskEncryptionSet, DiskSecurityProfile, MachinePool, OsDisk, OsImage};

use super::{answers, found, places, with_settings};

const DISK: &str = "controlPlane.platform.azure.osDisk";

fn of_size(size: i32, publisher: &str) -> Vec<(String, String)> {
    let settings = MachinePool {
        os_disk: OsDisk { disk_size_gb: size, ..OsDisk::default() },
        os_image: OsImage { publisher: publisher.to_owned(), ..OsImage::default() },
        ..MachinePool::default()
    };
    let findings = found(&with_settings(settings), answers());
    places(&findings).into_iter().map(|(code, field)| (code.to_owned(), field.to_owned())).collect()
}

#[test]
fn a_disk_has_a_size_that_a_machine_can_start_from() {
    let told = [("LF0789".to_owned(), format!("{DISK}.diskSizeGB"))];
    for size in [1, 8, 15, 4096, 40_000] {
        assert_eq!(of_size(size, ""), told, "{size}");
    }
    for size in [0, 16, 1024, 4095] {
        assert_eq!(of_size(size, ""), [], "{size}");
    }
    // The size of a marketplace image is unknown.
    assert_eq!(of_size(8, "azureopenshift"), []);
    assert_eq!(of_size(4096, "azureopenshift"), told);
}

#[test]
fn a_disk_has_one_set_of_keys_and_the_one_that_it_takes() {
    let keys = || {
        let [name, resource_group] = ["keys", "keys-rg"].map(str::to_owned);
        Some(DiskEncryptionSet { name, resource_group, ..DiskEncryptionSet::default() })
    };
    let told = |own: bool, secure: bool, kind: &str| {
        let profile = DiskSecurityProfile {
            security_encryption_type: kind.to_owned(),
            disk_encryption_set: secure.then(keys).flatten(),
        };
        let os_disk = OsDisk {
            disk_encryption_set: own.then(keys).flatten(),
            security_profile: Some(profile),
            ..OsDisk::default()
        };
        let findings = found(&with_settings(MachinePool { os_disk, ..MachinePool::default() }), answers());
        places(&findings).first().map(|(code, field)| ((*code).to_owned(), (*field).to_owned()))
    };
    let at = |field: &str| Some(("LF0790".to_owned(), format!("{DISK}.{field}")));
    for (own, secure, kind, expected) in [
        (false, false, "VMGuestStateOnly", None),
        (true, false, "VMGuestStateOnly", None),
        (false, true, "DiskWithVMGuestState", None),
        (false, true, "VMGuestStateOnly", at("securityProfile.diskEncryptionSet")),
        (false, true, "", at("securityProfile.diskEncryptionSet")),
        (true, true, "VMGuestStateOnly", at("securityProfile.diskEncryptionSet")),
        (true, true, "DiskWithVMGuestState", at("diskEncryptionSet")),
    ] {
        assert_eq!(told(own, secure, kind), expected, "{own} {secure} {kind}");
    }
}
