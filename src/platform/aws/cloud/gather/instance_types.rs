//! The instance types that matter for a config, and where the region offers them.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_ec2::types::{
    InstanceType as TypeName, InstanceTypeInfo, InstanceTypeOffering, LocationType, MemoryInfo,
    ProcessorInfo, VCpuInfo,
};
use futures::future::join_all;

use super::{Asked, REGION, filter, refused};
use crate::catalogue::{Catalogue, Role};
use crate::config::InstallConfig;
use crate::plan::replicas;
use crate::platform::aws::cloud::fault::Sort;
use crate::platform::aws::cloud::session::Session;
use crate::platform::aws::facts::InstanceType;
use crate::platform::aws::offline;
use crate::platform::cloud::Asking;

/// The architectures of machines, as EC2 and as an install config name them.
const ARCHITECTURES: &[(&str, &str)] = &[("x86_64", "amd64"), ("arm64", "arm64")];

/// The most values that one call takes.
const MOST_VALUES: usize = 100;

/// Zones that offer a type, by type.
type Offerings = BTreeMap<String, BTreeSet<String>>;

/// The candidates for pools without a type and the types that the config names, as far as the region offers
/// them. Where that leaves a question open, all types of the region, so that an answer can name some.
pub(super) async fn instance_types(session: &Session<'_>) -> Asked<BTreeMap<String, InstanceType>> {
    let Asking { config, catalogue, release, .. } = session.asking;
    let wanted = wanted(config, catalogue, release);
    let mut offered = offerings(session, &wanted).await?;
    if !wanted.is_empty() && leaves_open(config, catalogue, release, &offered) {
        offered = offerings(session, &BTreeSet::new()).await?;
    }
    let names: Vec<String> = offered.keys().cloned().collect();
    let sizes = described(session, &names).await?;
    let mut types: BTreeMap<String, InstanceType> = offered
        .into_iter()
        .map(|(name, zones)| {
            (name, InstanceType { zones: zones.into_iter().collect(), ..InstanceType::default() })
        })
        .collect();
    for info in &sizes {
        let name = info.instance_type().map(TypeName::as_str).unwrap_or_default();
        if let Some(known) = types.get_mut(name) {
            fill(known, info);
        }
    }
    Ok(types)
}

/// The names of the types to ask for.
fn wanted(config: &InstallConfig, catalogue: &Catalogue, release: &str) -> BTreeSet<String> {
    let mut names = offline::candidates(config, catalogue, release);
    names.extend(named(config));
    let existing = config.platform.aws.as_ref().is_some_and(|platform| !platform.vpc.subnets.is_empty());
    if existing {
        // Subnets in local zones bring a pool of machines of this architecture with them.
        let rule = catalogue.instance_type_rule(release);
        let candidates = catalogue.aws.candidates(rule, "amd64", Role::Compute, false);
        names.extend(candidates.iter().cloned());
    }
    names
}

/// The types that the config names, in pools or for all of them.
fn named(config: &InstallConfig) -> BTreeSet<String> {
    let default = config.platform.aws.as_ref().and_then(|aws| aws.default_machine_platform.as_ref());
    let default = default.map(|settings| settings.instance_type.clone()).filter(|name| !name.is_empty());
    offline::named_types(config).chain(default).collect()
}

/// Whether a type that the config names is not offered, or a pool without a type has no candidate left.
fn leaves_open(config: &InstallConfig, catalogue: &Catalogue, release: &str, offered: &Offerings) -> bool {
    if named(config).iter().any(|name| !offered.contains_key(name)) {
        return true;
    }
    let rule = catalogue.instance_type_rule(release);
    config.pools().any(|(path, pool)| {
        let machines = if path == "controlPlane" { Role::ControlPlane } else { Role::Compute };
        let single = machines == Role::ControlPlane && replicas(pool) == 1;
        let typed = pool.platform.aws.as_ref().is_some_and(|settings| !settings.instance_type.is_empty());
        let candidates = catalogue.aws.candidates(rule, &pool.architecture, machines, single);
        !typed && !candidates.iter().any(|name| offered.contains_key(name))
    })
}

/// Where types are offered; all types of the region when `names` is empty.
async fn offerings(session: &Session<'_>, names: &BTreeSet<String>) -> Asked<Offerings> {
    const CALL: &str = "ec2:DescribeInstanceTypeOfferings";
    let ec2 = session.ec2().await?;
    let mut request = ec2.describe_instance_type_offerings().location_type(LocationType::AvailabilityZone);
    if !names.is_empty() {
        request = request.filters(filter("instance-type", names.iter().map(String::as_str)));
    }
    let found = request.into_paginator().items().send().try_collect().await;
    let found = found.map_err(|error| refused(&session.fault(CALL, &error), REGION))?;
    Ok(by_type(&found))
}

fn by_type(found: &[InstanceTypeOffering]) -> Offerings {
    let mut offerings = Offerings::new();
    for offering in found {
        if let (Some(name), Some(zone)) = (offering.instance_type(), offering.location()) {
            offerings.entry(name.as_str().to_owned()).or_default().insert(zone.to_owned());
        }
    }
    offerings
}

/// What EC2 says of instance types, without those that it does not know. Nothing where the account may not
/// ask for it: sizes are known from the catalogue as well.
pub(in crate::platform::aws::cloud) async fn described(
    session: &Session<'_>,
    names: &[String],
) -> Asked<Vec<InstanceTypeInfo>> {
    let mut calls = Vec::new();
    for names in names.chunks(MOST_VALUES) {
        calls.push(described_at_once(session, names));
    }
    let mut all = Vec::new();
    for found in join_all(calls).await {
        all.extend(found?);
    }
    Ok(all)
}

async fn described_at_once(session: &Session<'_>, names: &[String]) -> Asked<Vec<InstanceTypeInfo>> {
    const CALL: &str = "ec2:DescribeInstanceTypes";
    let ec2 = session.ec2().await?;
    let filter = filter("instance-type", names.iter().map(String::as_str));
    let request = ec2.describe_instance_types().filters(filter);
    let found = request.into_paginator().items().send().try_collect().await;
    found.or_else(|error| {
        let fault = session.fault(CALL, &error);
        if matches!(fault.sort, Sort::Denied) { Ok(Vec::new()) } else { Err(refused(&fault, REGION)) }
    })
}

/// Adds size and architectures.
fn fill(known: &mut InstanceType, info: &InstanceTypeInfo) {
    known.vcpus = info.v_cpu_info().and_then(VCpuInfo::default_v_cpus).unwrap_or_default();
    known.memory_mib = info.memory_info().and_then(MemoryInfo::size_in_mib).unwrap_or_default();
    let supported = info.processor_info().map(ProcessorInfo::supported_architectures).unwrap_or_default();
    let own = |name: &str| ARCHITECTURES.iter().find(|(theirs, _)| *theirs == name).map(|(_, own)| *own);
    known.architectures = supported.iter().filter_map(|name| own(name.as_str())).map(str::to_owned).collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::MachinePool;
    use crate::platform::aws::config::{self, Platform, Subnet};
    use aws_sdk_ec2::types::ArchitectureType;

    const RELEASE: &str = "4.14";

    fn pool(architecture: &str, instance_type: &str) -> MachinePool {
        let mut pool = MachinePool {
            architecture: architecture.to_owned(),
            replicas: Some(3),
            ..MachinePool::default()
        };
        pool.platform.aws = Some(config::MachinePool {
            instance_type: instance_type.to_owned(),
            ..config::MachinePool::default()
        });
        pool
    }

    fn of(control_plane: MachinePool, compute: MachinePool) -> InstallConfig {
        let mut config = InstallConfig {
            control_plane: Some(control_plane),
            compute: vec![compute],
            ..InstallConfig::default()
        };
        config.platform.aws = Some(Platform::default());
        config
    }

    fn offered(names: &[&str]) -> Offerings {
        names.iter().map(|name| ((*name).to_owned(), BTreeSet::from(["a".to_owned()]))).collect()
    }

    #[test]
    fn asks_for_candidates_and_for_what_is_named() {
        let catalogue = Catalogue::embedded();
        let mut config = of(pool("amd64", "m7i.xlarge"), pool("arm64", ""));
        let names = wanted(&config, catalogue, RELEASE);
        for name in ["m6i.xlarge", "m6i.2xlarge", "m7i.xlarge", "m6g.xlarge"] {
            assert!(names.contains(name), "{name} {names:?}");
        }
        config = of(pool("arm64", ""), pool("arm64", ""));
        assert!(!wanted(&config, catalogue, RELEASE).contains("m6i.xlarge"));
        if let Some(platform) = &mut config.platform.aws {
            platform.vpc.subnets = vec![Subnet { id: "subnet-1".to_owned(), ..Subnet::default() }];
        }
        assert!(wanted(&config, catalogue, RELEASE).contains("m6i.xlarge"));
    }

    #[test]
    fn asks_for_everything_only_where_something_is_left_open() {
        let catalogue = Catalogue::embedded();
        let open =
            |config: &InstallConfig, names: &[&str]| leaves_open(config, catalogue, RELEASE, &offered(names));
        let usual = of(pool("amd64", ""), pool("amd64", ""));
        assert!(!open(&usual, &["m5.xlarge"]));
        assert!(open(&usual, &[]));
        let mixed = of(pool("amd64", ""), pool("arm64", ""));
        assert!(open(&mixed, &["m5.xlarge"]));
        assert!(!open(&mixed, &["m5.xlarge", "m6g.xlarge"]));
        let typed = of(pool("amd64", "m7i.xlarge"), pool("amd64", ""));
        assert!(open(&typed, &["m6i.xlarge"]));
        assert!(!open(&typed, &["m7i.xlarge", "m6i.xlarge"]));
    }

    #[test]
    fn collects_the_zones_of_each_type() {
        let offering = |name: &str, zone: &str| {
            InstanceTypeOffering::builder().instance_type(name.into()).location(zone).build()
        };
        let found = [offering("m5.large", "b"), offering("m5.large", "a"), offering("m9.huge", "a")];
        let zones: Vec<(String, usize)> =
            by_type(&found).into_iter().map(|(name, zones)| (name, zones.len())).collect();
        assert_eq!(zones, [("m5.large".to_owned(), 2), ("m9.huge".to_owned(), 1)]);
    }

    #[test]
    fn takes_over_size_and_architectures() {
        let info = InstanceTypeInfo::builder()
            .v_cpu_info(VCpuInfo::builder().default_v_cpus(4).build())
            .memory_info(MemoryInfo::builder().size_in_mib(16384).build())
            .processor_info(
                ProcessorInfo::builder()
                    .supported_architectures(ArchitectureType::I386)
                    .supported_architectures(ArchitectureType::X8664)
                    .build(),
            )
            .build();
        let mut known = InstanceType::default();
        fill(&mut known, &info);
        assert_eq!((known.vcpus, known.memory_mib), (4, 16384));
        assert_eq!(known.architectures, ["amd64"]);
    }
}
