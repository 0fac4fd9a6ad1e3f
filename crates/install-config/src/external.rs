//! Platform `external`: a partner's components integrate the cluster.

use landfall_model::catalogue::Catalogue;
use landfall_model::config::InstallConfig;
use landfall_platform::Platform;
use landfall_rules::Traits;

/// Platform `external`.
pub struct External;

/// The platform, for the list of platforms.
pub const PLATFORM: External = External;

impl Platform for External {
    fn name(&self) -> &'static str {
        "external"
    }

    fn traits(&self, config: &InstallConfig, _: &Catalogue) -> Traits {
        let own = config.platform.external.as_ref().map(|p| p.cloud_controller_manager.as_str());
        let mut traits = super::none::without_cloud(self.name());
        traits.needs_cloud_controller = own == Some("External");
        traits.families.ranks = [2, 3, 1];
        traits
    }
}
