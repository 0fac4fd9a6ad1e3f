//! Platform `external`: a partner's components integrate the cluster.

pub mod config;

use super::Platform;
use crate::config::InstallConfig;
use crate::finding::{Finding, Findings, Page};
use crate::rules::{Case, Gated, Traits};

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

    fn defaults(&self, _: &mut InstallConfig, _: &crate::catalogue::Catalogue) {}

    fn traits(&self, config: &InstallConfig, _: &crate::catalogue::Catalogue) -> Traits {
        let own = config.platform.external.as_ref().map(|p| p.cloud_controller_manager.as_str());
        let mut traits = super::none::without_cloud(self.name());
        traits.needs_cloud_controller = own == Some("External");
        traits.families.ranks = [2, 3, 1];
        traits
    }

    fn check_platform(&self, _: &Case<'_>, _: &mut Findings) {}

    fn check_pools(&self, _: &Case<'_>, _: &mut Findings) {}

    fn gated(&self, _: &InstallConfig) -> Vec<Gated> {
        Vec::new()
    }

    fn pages(&self) -> Vec<&'static Page> {
        Vec::new()
    }
}
