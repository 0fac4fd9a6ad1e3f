//! The settings of Azure that not every release has, and the feature gates that they are behind: one table for rules
//! and planning.

use landfall_model::azure::config::MachinePool;
use landfall_model::config::InstallConfig;
use landfall_model::plan::Introduced;

/// The first release with NAT gateways as they are today.
pub(super) const GATEWAYS: [u64; 2] = [4, 20];

/// The table.
pub(super) const INTRODUCED: &[Introduced] = &[
    Introduced::new(GATEWAYS, None, |config| outbound(config, "NATGatewaySingleZone")),
    Introduced::new([4, 21], None, |config| outbound(config, "NATGatewayMultiZone")),
    // The machine API knows identities by name alone before.
    Introduced::new([4, 19], None, |config| {
        let used = |settings: &MachinePool| settings.identity.is_some();
        let azure = config.platform.azure.as_ref()?;
        if azure.default_machine_platform.as_ref().is_some_and(used) {
            return Some("platform.azure.defaultMachinePlatform.identity".to_owned());
        }
        let mut pools = config.pools();
        let (path, _) = pools.find(|(_, pool)| pool.platform.azure.as_ref().is_some_and(used))?;
        Some(format!("{path}.platform.azure.identity"))
    }),
    Introduced::new([4, 21], None, |config| user_dns(config).filter(|_| !config.feature_set.is_empty())),
    Introduced::new([4, 22], None, |config| user_dns(config).filter(|_| config.feature_set.is_empty())),
    Introduced::new([4, 22], Some("AzureDualStackInstall"), |config| {
        let azure = config.platform.azure.as_ref()?;
        azure.is_dual_stack().then(|| "platform.azure.ipFamily".to_owned())
    }),
];

fn user_dns(config: &InstallConfig) -> Option<String> {
    let used = config.platform.azure.as_ref()?.has_user_dns();
    used.then(|| "platform.azure.userProvisionedDNS".to_owned())
}

fn outbound(config: &InstallConfig, kind: &str) -> Option<String> {
    let azure = config.platform.azure.as_ref()?;
    (azure.outbound_type == kind).then(|| "platform.azure.outboundType".to_owned())
}
