//! What a machine pool may say for platforms that landfall does not install on. It is read for its types alone, as the
//! OpenShift installer reads it: `docs/install-config.md`, section 9.1.

use super::value::model;

model! {
    /// Settings of machines on Nutanix.
    pub struct NutanixPool {
        /// Virtual processors.
        pub cpus: i64,
        /// Cores of each processor.
        pub cores_per_socket: i64,
        /// Memory in MiB.
        #[serde(rename = "memoryMiB")]
        pub memory_mib: i64,
        /// The system disk.
        pub os_disk: NutanixDisk,
        /// How the machine boots.
        pub boot_type: String,
        /// The Prism project.
        pub project: Option<NutanixIdentifier>,
        /// Prism categories.
        pub categories: Vec<NutanixCategory>,
        /// GPUs.
        pub gpus: Vec<NutanixGpu>,
        /// Data disks.
        pub data_disks: Vec<NutanixDataDisk>,
        /// Failure domains, by name.
        pub failure_domains: Vec<String>,
    }

    /// The system disk of a machine on Nutanix.
    pub struct NutanixDisk {
        /// Size in GiB.
        #[serde(rename = "diskSizeGiB")]
        pub disk_size_gib: i64,
    }

    /// An object of Prism, by name or by UUID.
    pub struct NutanixIdentifier {
        /// `name` or `uuid`.
        #[serde(rename = "type")]
        pub kind: String,
        /// Its name.
        pub name: String,
        /// Its UUID.
        pub uuid: String,
    }

    /// A category of Prism.
    pub struct NutanixCategory {
        /// Its key.
        pub key: String,
        /// Its value.
        pub value: String,
    }

    /// A GPU, by name or by device.
    pub struct NutanixGpu {
        /// `Name` or `DeviceID`.
        #[serde(rename = "type")]
        pub kind: String,
        /// The device.
        #[serde(rename = "deviceID")]
        pub device_id: i32,
        /// Its name.
        pub name: String,
    }

    /// A data disk.
    pub struct NutanixDataDisk {
        /// Size as a Kubernetes quantity.
        pub disk_size: Option<serde_json::Value>,
        /// The device that the machine sees.
        pub device_properties: Option<NutanixDevice>,
        /// Where the disk lies.
        pub storage_config: Option<NutanixStorage>,
        /// The image that fills it.
        pub data_source_image: Option<NutanixReference>,
    }

    /// The device that a machine sees.
    pub struct NutanixDevice {
        /// `Disk` or `CDRom`.
        pub device_type: String,
        /// The bus.
        pub adapter_type: String,
        /// The index on the bus.
        pub device_index: i32,
    }

    /// Where a disk lies.
    pub struct NutanixStorage {
        /// `Standard` or `Flash`.
        pub disk_mode: String,
        /// The storage container.
        pub storage_container: Option<NutanixReference>,
    }

    /// A storage container or an image.
    pub struct NutanixReference {
        /// Its name in the failure domain.
        pub reference_name: String,
        /// Its UUID.
        pub uuid: String,
        /// Its name.
        pub name: String,
    }

    /// Settings of machines on `PowerVC`.
    pub struct PowervcPool {
        /// The flavor.
        #[serde(rename = "type")]
        pub flavor: String,
        /// The root volume.
        pub root_volume: Option<PowervcVolume>,
        /// Further networks, by id.
        #[serde(rename = "additionalNetworkIDs")]
        pub additional_networks: Vec<String>,
        /// Further security groups, by id.
        #[serde(rename = "additionalSecurityGroupIDs")]
        pub additional_security_groups: Vec<String>,
        /// Policy of the server group.
        pub server_group_policy: String,
        /// Zones of the machines.
        pub zones: Vec<String>,
    }

    /// The root volume of a machine on `PowerVC`.
    pub struct PowervcVolume {
        /// Size in GiB.
        pub size: i64,
        /// Its type, in the older form.
        #[serde(rename = "type")]
        pub kind: String,
        /// Its types.
        pub types: Vec<String>,
        /// Zones of the volumes.
        pub zones: Vec<String>,
    }
}
