//! `platform.toy`.

use crate::config::value::model;

model! {
    /// A cluster on the toy cloud.
    pub struct Platform {
        /// Region of the cluster.
        pub region: String,
        /// Settings of machine pools that have none of their own.
        pub default_machine_platform: Option<MachinePool>,
    }

    /// Machines on the toy cloud.
    pub struct MachinePool {
        /// Machine type.
        #[serde(rename = "type")]
        pub machine_type: String,
    }
}

impl Platform {
    /// The URLs that may hold a password: none.
    #[must_use]
    pub fn secret_urls(&self) -> Vec<(String, &str)> {
        Vec::new()
    }
}
