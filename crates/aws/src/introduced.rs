//! The settings of AWS that not every release has, and the feature gates that they are behind: one table for rules and
//! planning.

use landfall_model::aws::config::{MachinePool as Settings, Platform};
use landfall_model::config::{InstallConfig, MachinePool};
use landfall_model::plan::Introduced;

use crate::permissions::is_wavelength;

/// The table.
pub(super) const INTRODUCED: &[Introduced] = &[
    Introduced::new([4, 19], None, |config| {
        let i = platform(config)?.vpc.subnets.iter().position(|subnet| !subnet.roles.is_empty())?;
        Some(format!("platform.aws.vpc.subnets[{i}].roles"))
    }),
    // With a carrier gateway in the cluster's own VPC.
    Introduced::new([4, 15], None, |config| {
        let (vpc, pools) = (&platform(config)?.vpc, &config.compute);
        let named = |pool: &MachinePool| {
            pool.platform.aws.as_ref()?.zones.iter().position(|zone| is_wavelength(zone))
        };
        let (i, j) = pools.iter().enumerate().find_map(|(i, pool)| Some((i, named(pool)?)))?;
        vpc.subnets.is_empty().then(|| format!("compute[{i}].platform.aws.zones[{j}]"))
    }),
    Introduced::new([4, 16], None, |config| {
        let used = !platform(config)?.public_ipv4_pool.is_empty();
        used.then(|| "platform.aws.publicIpv4Pool".to_owned())
    }),
    Introduced::new([4, 17], None, |config| {
        of_pool(config, "iamProfile", |settings| !settings.iam_profile.is_empty())
    }),
    // The Infrastructure object refuses them before.
    Introduced::new([4, 18], None, |config| {
        let has_space = |text: &str| text.contains(char::is_whitespace);
        let mut tags = platform(config)?.user_tags.iter();
        let (key, _) = tags.find(|(key, value)| has_space(key) || has_space(value))?;
        Some(format!("platform.aws.userTags[{key}]"))
    }),
    Introduced::new([4, 21], None, |config| {
        of_pool(config, "rootVolume.throughput", |settings| settings.root_volume.throughput.is_some())
    }),
    Introduced::new([4, 21], None, |config| {
        of_pool(config, "cpuOptions", |settings| settings.cpu_options.is_some())
    }),
    Introduced::new([4, 20], Some("AWSClusterHostedDNSInstall"), |config| {
        let used = platform(config)?.user_provisioned_dns == "Enabled";
        used.then(|| "platform.aws.userProvisionedDNS".to_owned())
    }),
    Introduced::new([4, 22], Some("AWSDualStackInstall"), |config| {
        platform(config)?.is_dual_stack().then(|| "platform.aws.ipFamily".to_owned())
    }),
    // Rules refuse it everywhere else.
    Introduced::new([4, 22], Some("AWSDedicatedHosts"), |config| {
        let placed = |settings: &Settings| settings.host_placement.is_some();
        let mut pools = config.compute.iter().map(|pool| pool.platform.aws.as_ref());
        let i = pools.position(|settings| settings.is_some_and(placed))?;
        Some(format!("compute[{i}].platform.aws.hostPlacement"))
    }),
];

/// The field of the first machine settings that have it: those of all pools, or of one.
fn of_pool(config: &InstallConfig, field: &str, has: fn(&Settings) -> bool) -> Option<String> {
    if platform(config)?.default_machine_platform.as_ref().is_some_and(has) {
        return Some(format!("platform.aws.defaultMachinePlatform.{field}"));
    }
    let mut pools = config.pools();
    let (path, _) = pools.find(|(_, pool)| pool.platform.aws.as_ref().is_some_and(has))?;
    Some(format!("{path}.platform.aws.{field}"))
}

fn platform(config: &InstallConfig) -> Option<&Platform> {
    config.platform.aws.as_ref()
}
