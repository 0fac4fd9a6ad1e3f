//! Machine pools: `docs/install-config.md`, section 4.3.

use landfall_diagnostics::secret::{Secret, SecretUrl};

use super::value::model;
use crate::sections::PoolSections;

model! {
    /// A set of machines with the same settings.
    pub struct MachinePool {
        /// Name of the pool: `master`, `worker`, `edge` or `arbiter`, as its place demands.
        #[schemars(extend("examples" = ["worker"]))]
        pub name: String,
        /// How many machines. 3 unless given; 0 for `edge` and `arbiter`.
        pub replicas: Option<i64>,
        /// Settings of the pool for the platform in use.
        pub platform: PoolSections,
        /// Whether the machines run two threads a core.
        #[schemars(extend("enum" = ["Enabled", "Disabled"], "default" = "Enabled"))]
        pub hyperthreading: String,
        /// Processor architecture of the machines.
        #[schemars(extend("enum" = ["amd64", "arm64", "ppc64le", "s390x"], "default" = "amd64"))]
        pub architecture: String,
        /// How the machines of a two-node control plane can be switched off.
        pub fencing: Option<Fencing>,
        /// Extra disks and what they are for.
        pub disk_setup: Vec<DiskSetup>,
        /// Which API manages the machines.
        #[schemars(extend("examples" = ["MachineAPI", "ClusterAPI"]))]
        pub management: String,
    }

    /// How the machines of a two-node control plane can be switched off.
    pub struct Fencing {
        /// One entry for each machine.
        pub credentials: Vec<FencingCredential>,
    }

    /// Access to the management controller of one machine.
    pub struct FencingCredential {
        /// Name of the machine; this or `macAddress` is needed.
        pub host_name: String,
        /// MAC address of the machine; this or `hostName` is needed.
        pub mac_address: String,
        /// User of the management controller.
        #[schemars(extend("x-required" = "with fencing"))]
        pub username: String,
        /// Password of the management controller.
        #[schemars(extend("x-required" = "with fencing"))]
        pub password: Secret<String>,
        /// Redfish URL of the management controller.
        #[schemars(extend("x-required" = "with fencing", "examples" = ["redfish+https://192.0.2.1:8000/redfish/v1/Systems/1"]))]
        pub address: SecretUrl,
        /// Whether the management controller's certificate is checked.
        #[schemars(extend("enum" = ["Enabled", "Disabled"]))]
        pub certificate_verification: String,
    }

    /// An extra disk and what it is for.
    pub struct DiskSetup {
        /// What the disk is for.
        #[serde(rename = "type")]
        #[schemars(extend("examples" = ["etcd", "swap", "user-defined"]))]
        pub kind: String,
        /// The disk of etcd.
        pub etcd: Option<Etcd>,
        /// The disk for swapping.
        pub swap: Option<Swap>,
        /// A disk with a mount path of the user.
        pub user_defined: Option<UserDefined>,
    }

    /// The disk of etcd.
    pub struct Etcd {
        /// Name of the disk on the platform.
        #[serde(rename = "platformDiskID")]
        pub platform_disk_id: String,
    }

    /// The disk for swapping.
    pub struct Swap {
        /// Name of the disk on the platform.
        #[serde(rename = "platformDiskID")]
        pub platform_disk_id: String,
    }

    /// A disk with a mount path of the user.
    pub struct UserDefined {
        /// Name of the disk on the platform, at most 12 bytes.
        #[serde(rename = "platformDiskID")]
        pub platform_disk_id: String,
        /// Where the disk is mounted.
        pub mount_path: String,
    }
}

impl DiskSetup {
    /// The disk that it is about; none without the section of its type.
    #[must_use]
    pub fn disk(&self) -> Option<&str> {
        match self.kind.as_str() {
            "etcd" => self.etcd.as_ref().map(|etcd| etcd.platform_disk_id.as_str()),
            "swap" => self.swap.as_ref().map(|swap| swap.platform_disk_id.as_str()),
            "user-defined" => self.user_defined.as_ref().map(|disk| disk.platform_disk_id.as_str()),
            _ => None,
        }
    }
}
