//! Platform `none`: machines and networks are the user's own.

use landfall_model::catalogue::Catalogue;
use landfall_model::config::InstallConfig;
use landfall_platform::Platform;
use landfall_rules::{Dual, Families, Ipv6, Traits};

/// Platform `none`.
pub struct None;

/// The platform, for the list of platforms.
pub const PLATFORM: None = None;

/// What platforms without a cloud have in common: any address families, arbiters and fencing, and no
/// cloud credentials.
pub(super) fn without_cloud(name: &'static str) -> Traits {
    Traits {
        name,
        exclusive: false,
        name_begins_with_letter: false,
        reserved_name: |_| Option::None,
        publish: &["External"],
        credentials_modes: &[],
        without_cloud_credential: false,
        without_cloud_controller: true,
        needs_cloud_controller: false,
        mtu: false,
        families: Families {
            dual: Dual::Free,
            ipv6: Ipv6::Free,
            ipv4: true,
            ipv4_machines: false,
            first: |_, _| Option::None,
            ranks: [1, 2, 0],
        },
        arbiter: true,
        fencing: true,
        compute_names: &["worker"],
        architectures: Option::None,
        mixed_architectures: false,
        cluster_api: |_| false,
    }
}

impl Platform for None {
    fn name(&self) -> &'static str {
        "none"
    }

    fn traits(&self, _: &InstallConfig, _: &Catalogue) -> Traits {
        Traits { without_cloud_credential: true, ..without_cloud(self.name()) }
    }
}
