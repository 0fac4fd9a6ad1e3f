//! The settings of AWS that not every release has, and the feature gates that they are behind: one table for rules and
//! planning.

use landfall_model::aws::config::MachinePool as Settings;
use landfall_model::aws::config::Platform;
use landfall_model::config::InstallConfig;
use landfall_model::plan::Introduced;

/// Before any release of the catalogue: planning refuses the setting whatever the release.
const ALWAYS: [u64; 2] = [4, 0];

/// The table.
pub(super) const INTRODUCED: &[Introduced] = &[
    Introduced {
        since: [4, 19],
        gate: None,
        used: |config| {
            let i = platform(config)?.vpc.subnets.iter().position(|subnet| !subnet.roles.is_empty())?;
            Some(format!("platform.aws.vpc.subnets[{i}].roles"))
        },
    },
    Introduced {
        since: ALWAYS,
        gate: Some("AWSClusterHostedDNSInstall"),
        used: |config| {
            let used = platform(config)?.user_provisioned_dns == "Enabled";
            used.then(|| "platform.aws.userProvisionedDNS".to_owned())
        },
    },
    Introduced {
        since: ALWAYS,
        gate: Some("AWSDualStackInstall"),
        used: |config| platform(config)?.is_dual_stack().then(|| "platform.aws.ipFamily".to_owned()),
    },
    Introduced {
        since: [4, 22],
        gate: Some("AWSDedicatedHosts"),
        used: |config| {
            let placed = |settings: &Settings| settings.host_placement.is_some();
            let mut pools = config.compute.iter().map(|pool| pool.platform.aws.as_ref());
            let i = pools.position(|settings| settings.is_some_and(placed))?;
            Some(format!("compute[{i}].platform.aws.hostPlacement"))
        },
    },
];

fn platform(config: &InstallConfig) -> Option<&Platform> {
    config.platform.aws.as_ref()
}
