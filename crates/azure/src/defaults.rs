//! Older forms of Azure's fields, and what the file leaves open: `docs/install-config.md`, sections 5
//! and 6.

use landfall_model::config::defaults::fill;
use landfall_model::config::{InstallConfig, Zero};

use super::catalogue::Catalogue;
use super::config::{MachinePool, Subnet};

/// Appends the subnets of the two older fields to the list. The older fields stay as they are.
pub(super) fn upconvert(config: &mut InstallConfig) {
    let Some(azure) = &mut config.platform.azure else {
        return;
    };
    let older = [(&azure.control_plane_subnet, "control-plane"), (&azure.compute_subnet, "node")];
    let subnets: Vec<Subnet> = older
        .into_iter()
        .filter(|(name, _)| !name.is_empty())
        .map(|(name, role)| Subnet { name: name.clone(), role: role.to_owned() })
        .collect();
    azure.subnets.extend(subnets);
}

/// Fills the platform's fields, and those of every pool from the default machine platform.
pub(super) fn defaults(config: &mut InstallConfig, catalogue: &Catalogue) {
    let Some(azure) = &mut config.platform.azure else {
        return;
    };
    if catalogue.is_stack(&azure.cloud_name) {
        fill(&mut config.credentials_mode, "Manual");
    }
    fill(&mut azure.cloud_name, &catalogue.default_cloud);
    fill(&mut azure.outbound_type, "Loadbalancer");
    fill(&mut azure.ip_family, "IPv4");
    let Some(default) = &azure.default_machine_platform else {
        return;
    };
    let pools = config.control_plane.iter_mut().chain(&mut config.arbiter).chain(&mut config.compute);
    for pool in pools {
        inherit(pool.platform.azure.get_or_insert_default(), default);
    }
}

/// Takes from the default what the pool does not say itself. An empty list of data disks says something,
/// and `encryptionAtHost: false` does not.
fn inherit(pool: &mut MachinePool, default: &MachinePool) {
    take(&mut pool.zones, &default.zones);
    take(&mut pool.vm_size, &default.vm_size);
    take(&mut pool.encryption_at_host, &default.encryption_at_host);
    take(&mut pool.os_disk.disk_size_gb, &default.os_disk.disk_size_gb);
    take(&mut pool.os_disk.disk_type, &default.os_disk.disk_type);
    take(&mut pool.os_disk.disk_encryption_set, &default.os_disk.disk_encryption_set);
    take(&mut pool.os_disk.security_profile, &default.os_disk.security_profile);
    take(&mut pool.ultra_ssd_capability, &default.ultra_ssd_capability);
    take(&mut pool.vm_networking_type, &default.vm_networking_type);
    take(&mut pool.boot_diagnostics, &default.boot_diagnostics);
    take(&mut pool.os_image, &default.os_image);
    take(&mut pool.settings, &default.settings);
    take(&mut pool.identity, &default.identity);
    take(&mut pool.data_disks, &default.data_disks);
}

fn take<T: Zero + Clone>(own: &mut T, default: &T) {
    if own.is_zero() {
        own.clone_from(default);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_model::azure::config::{DataDisk, OsDisk, OsImage};

    #[test]
    fn a_pool_keeps_what_it_says_itself() {
        let default = MachinePool {
            vm_size: "Standard_D8s_v5".to_owned(),
            encryption_at_host: true,
            os_disk: OsDisk { disk_size_gb: 256, disk_type: "Premium_LRS".to_owned(), ..OsDisk::default() },
            os_image: OsImage { publisher: "p".to_owned(), offer: "o".to_owned(), ..OsImage::default() },
            data_disks: Some(vec![DataDisk::default()]),
            ..MachinePool::default()
        };
        let mut pool = MachinePool {
            os_disk: OsDisk { disk_size_gb: 512, ..OsDisk::default() },
            os_image: OsImage { publisher: "q".to_owned(), ..OsImage::default() },
            data_disks: Some(Vec::new()),
            ..MachinePool::default()
        };
        inherit(&mut pool, &default);
        assert_eq!(pool.vm_size, "Standard_D8s_v5");
        assert!(pool.encryption_at_host);
        assert_eq!(pool.os_disk.disk_size_gb, 512);
        assert_eq!(pool.os_disk.disk_type, "Premium_LRS");
        assert_eq!(pool.os_image.offer, "");
        assert_eq!(pool.data_disks, Some(Vec::new()));
    }
}
