//! Platform `external`: a partner's components integrate the cluster.

use landfall_diagnostics::{Finding, Findings};
use landfall_model::catalogue::Catalogue;
use landfall_model::config::InstallConfig;
use landfall_platform::Platform;
use landfall_rules::{Case, Gated, Traits};

/// Platform `external`.
pub struct External;

/// The platform, for the list of platforms.
pub const PLATFORM: External = External;

impl Platform for External {
    fn name(&self) -> &'static str {
        "external"
    }

    fn upconvert(&self, _: &mut InstallConfig) -> Result<(), Box<Finding>> {
        Ok(())
    }

    fn defaults(&self, _: &mut InstallConfig, _: &landfall_model::catalogue::Catalogue) {}

    fn traits(&self, config: &InstallConfig, _: &landfall_model::catalogue::Catalogue) -> Traits {
        let own = config.platform.external.as_ref().map(|p| p.cloud_controller_manager.as_str());
        let mut traits = super::none::without_cloud(self.name());
        traits.needs_cloud_controller = own == Some("External");
        traits.families.ranks = [2, 3, 1];
        traits
    }

    fn check_platform(&self, _: &Case<'_>, _: &mut Findings) {}

    fn check_pools(&self, _: &Case<'_>, _: &mut Findings) {}

    fn gated(&self, _: &InstallConfig, _: &Catalogue) -> Vec<Gated> {
        Vec::new()
    }
}
