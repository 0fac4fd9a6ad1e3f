//! The settings of Azure that not every release has, and the feature gates that they are behind: one table for rules
//! and planning.

use landfall_model::config::InstallConfig;
use landfall_model::plan::Introduced;

/// The first release with NAT gateways as they are today.
pub(super) const GATEWAYS: [u64; 2] = [4, 20];

/// The table.
pub(super) const INTRODUCED: &[Introduced] = &[
    Introduced::new(GATEWAYS, None, |config| outbound(config, "NATGatewaySingleZone")),
    Introduced::new([4, 21], None, |config| outbound(config, "NATGatewayMultiZone")),
    Introduced::new([4, 21], None, |config| {
        let azure = config.platform.azure.as_ref()?;
        azure.has_user_dns().then(|| "platform.azure.userProvisionedDNS".to_owned())
    }),
    Introduced::new([4, 22], Some("AzureDualStackInstall"), |config| {
        let azure = config.platform.azure.as_ref()?;
        azure.is_dual_stack().then(|| "platform.azure.ipFamily".to_owned())
    }),
];

fn outbound(config: &InstallConfig, kind: &str) -> Option<String> {
    let azure = config.platform.azure.as_ref()?;
    (azure.outbound_type == kind).then(|| "platform.azure.outboundType".to_owned())
}
