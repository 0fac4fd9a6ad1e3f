//! The instance types that matter for a config, and where the region offers them.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_ec2::types::{
    InstanceType as TypeName, InstanceTypeHypervisor, InstanceTypeInfo, InstanceTypeOffering, LocationType,
    MemoryInfo, NetworkInfo, ProcessorInfo, VCpuInfo,
};
use futures::future::join_all;
use landfall_diagnostics::nearest;
use landfall_model::aws::catalogue::family;
use landfall_model::aws::facts::{IPV6, InstanceType, NITRO, SEV_SNP};
use landfall_model::catalogue::{Catalogue, Role};
use landfall_model::config::{InstallConfig, MachinePool};
use landfall_model::plan::replicas;
use landfall_platform::cloud::{Asked, Asking};

use super::{REGION, filter};
use crate::fault::Sort;
use crate::session::Session;
use landfall_aws::type_names::proposed;
use landfall_aws::{EDGE, offline};

/// The architectures of machines, as EC2 and as an install config name them.
const ARCHITECTURES: &[(&str, &str)] = &[("x86_64", "amd64"), ("arm64", "arm64")];

/// The most values that one call takes.
const MOST_VALUES: usize = 100;

/// The most types that are kept so that an answer can name some, and the most sizes of each series of them.
const MOST_NAMED: usize = 40;
const MOST_SIZES: usize = 2;

/// Zones that offer a type, by type.
type Offerings = BTreeMap<String, BTreeSet<String>>;

/// The candidates for pools without a type and the types that the config names, as far as the region offers
/// them. Where that leaves a question open, some more of the region's types, so that an answer can name them.
pub(super) async fn instance_types(session: &Session<'_>) -> Asked<BTreeMap<String, InstanceType>> {
    let Asking { config, catalogue, release, .. } = session.asking;
    let wanted = wanted(config, catalogue, release);
    let mut offered = if wanted.is_empty() { Offerings::new() } else { offerings(session, &wanted).await? };
    let open = left_open(config, catalogue, release, &offered);
    if !open.is_empty() {
        let all = offerings(session, &BTreeSet::new()).await?;
        offered.extend(worth_naming(all, &open));
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

/// A question that what is offered leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Open {
    /// The config names this type, and the region does not offer it.
    Named(String),
    /// A pool without a type has no candidate among these that all of its zones offer.
    Usual(Vec<String>, Vec<String>),
}

fn left_open(config: &InstallConfig, catalogue: &Catalogue, release: &str, offered: &Offerings) -> Vec<Open> {
    let missing = named(config).into_iter().filter(|name| !offered.contains_key(name));
    let mut open: Vec<Open> = missing.map(Open::Named).collect();
    let rule = catalogue.instance_type_rule(release);
    for (path, pool) in config.pools() {
        let machines = if path == "controlPlane" { Role::ControlPlane } else { Role::Compute };
        let single = machines == Role::ControlPlane && replicas(pool) == 1;
        let typed = pool.platform.aws.as_ref().is_some_and(|settings| !settings.instance_type.is_empty());
        let candidates = catalogue.aws.candidates(rule, &pool.architecture, machines, single);
        for zones in zones_of_a_type(pool) {
            let covering = |name: &String| offered.get(name).is_some_and(|known| are_within(&zones, known));
            if !typed && !candidates.iter().any(covering) {
                open.push(Open::Usual(candidates.to_vec(), zones));
            }
        }
    }
    open
}

/// The zones that the pool names, in groups that get a type each: local zones have one of their own. A group
/// without zones is one of any.
fn zones_of_a_type(pool: &MachinePool) -> Vec<Vec<String>> {
    let named = pool.platform.aws.as_ref().map(|settings| settings.zones.clone()).unwrap_or_default();
    if pool.name == EDGE && !named.is_empty() {
        return named.into_iter().map(|zone| vec![zone]).collect();
    }
    vec![named]
}

fn are_within(zones: &[String], known: &BTreeSet<String>) -> bool {
    zones.iter().all(|zone| known.contains(zone))
}

/// The types among all of a region that an answer to the questions may name.
fn worth_naming(all: Offerings, open: &[Open]) -> Offerings {
    let mut kept: BTreeSet<String> = BTreeSet::new();
    for question in open {
        let names = match question {
            Open::Named(name) => akin(&all, name),
            Open::Usual(candidates, zones) => {
                let sought: Vec<&str> = candidates.iter().map(String::as_str).collect();
                let there = all.iter().filter(|(_, known)| are_within(zones, known));
                let names = proposed(there.map(|(name, _)| name.as_str()), &sought, MOST_SIZES);
                names.into_iter().take(MOST_NAMED).collect()
            }
        };
        kept.extend(names.into_iter().map(str::to_owned));
    }
    all.into_iter().filter(|(name, _)| kept.contains(name)).collect()
}

/// Types of the family of one that is not offered, or of any where there are none, and the one whose name is
/// nearest.
fn akin<'a>(all: &'a Offerings, name: &str) -> Vec<&'a str> {
    let names = || all.keys().map(String::as_str);
    let mut kin: Vec<&str> = names().filter(|known| family(known) == family(name)).collect();
    if kin.is_empty() {
        kin = names().collect();
    }
    let near = nearest(name, names());
    proposed(kin, &[name], MOST_SIZES).into_iter().take(MOST_NAMED).chain(near).collect()
}

/// Where types are offered; all types of the region where `names` is empty.
async fn offerings(session: &Session<'_>, names: &BTreeSet<String>) -> Asked<Offerings> {
    const CALL: &str = "ec2:DescribeInstanceTypeOfferings";
    let ec2 = session.ec2().await?;
    let mut request = ec2.describe_instance_type_offerings().location_type(LocationType::AvailabilityZone);
    if !names.is_empty() {
        request = request.filters(filter("instance-type", names.iter().map(String::as_str)));
    }
    let found = session.asked(CALL, REGION, request.into_paginator().items().send().try_collect()).await?;
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
pub(crate) async fn described(session: &Session<'_>, names: &[String]) -> Asked<Vec<InstanceTypeInfo>> {
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
    match session.answer(CALL, request.into_paginator().items().send().try_collect()).await {
        Err(fault) if matches!(fault.sort, Sort::Denied) => Ok(Vec::new()),
        found => found.map_err(|fault| fault.verdict(REGION)),
    }
}

/// Adds size and architectures.
fn fill(known: &mut InstanceType, info: &InstanceTypeInfo) {
    known.vcpus = info.v_cpu_info().and_then(VCpuInfo::default_v_cpus).unwrap_or_default();
    known.memory_mib = info.memory_info().and_then(MemoryInfo::size_in_mib).unwrap_or_default();
    let supported = info.processor_info().map(ProcessorInfo::supported_architectures).unwrap_or_default();
    let own = |name: &str| ARCHITECTURES.iter().find(|(theirs, _)| *theirs == name).map(|(_, own)| *own);
    known.architectures = supported.iter().filter_map(|name| own(name.as_str())).map(str::to_owned).collect();
    // Machines without a hypervisor are on the Nitro system as well.
    let nitro = info.bare_metal() == Some(true) || info.hypervisor() == Some(&InstanceTypeHypervisor::Nitro);
    let features = info.processor_info().map(ProcessorInfo::supported_features).unwrap_or_default();
    let has = [
        (IPV6, info.network_info().and_then(NetworkInfo::ipv6_supported) == Some(true)),
        (NITRO, nitro),
        (SEV_SNP, features.iter().any(|feature| feature.as_str() == SEV_SNP)),
    ];
    known.features = has.into_iter().filter(|(_, has)| *has).map(|(name, _)| name.to_owned()).collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_ec2::types::{ArchitectureType, SupportedAdditionalProcessorFeature};
    use landfall_model::aws::config;
    use landfall_model::aws::config::{Platform, Subnet};

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
        let open = |config: &InstallConfig, names: &[&str]| {
            !left_open(config, catalogue, RELEASE, &offered(names)).is_empty()
        };
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
    fn a_candidate_is_offered_in_all_zones_of_its_pool() {
        let catalogue = Catalogue::embedded();
        let in_zones = |name: &str, zones: &[&str]| {
            let mut pool = pool("amd64", "");
            pool.name = name.to_owned();
            if let Some(settings) = &mut pool.platform.aws {
                settings.zones = zones.iter().map(|zone| (*zone).to_owned()).collect();
            }
            of(pool.clone(), pool)
        };
        let open = |config: &InstallConfig| left_open(config, catalogue, RELEASE, &offered(&["m5.xlarge"]));
        assert!(open(&in_zones("worker", &["a"])).is_empty());
        assert_eq!(open(&in_zones("worker", &["a", "b"])).len(), 2);
        // Of local zones, each has a type of its own.
        let local = open(&in_zones(EDGE, &["a", "b"]));
        let zones = |open: &Open| match open {
            Open::Usual(_, zones) => zones.clone(),
            Open::Named(_) => Vec::new(),
        };
        assert_eq!(local.first().map(zones), Some(vec!["b".to_owned()]));
    }

    #[test]
    fn keeps_what_an_answer_may_name() {
        let names = |kept: &Offerings| kept.keys().cloned().collect::<Vec<String>>();
        let all = ["c3.4xlarge", "m4.large", "m7i.large", "m7i.xlarge", "m7i.2xlarge", "t3.xlarge"];
        let kin = worth_naming(offered(&all), &[Open::Named("m9.huge".to_owned())]);
        assert_eq!(names(&kin), ["m4.large", "m7i.2xlarge", "m7i.xlarge"]);
        let near = worth_naming(offered(&all), &[Open::Named("m7i.lrage".to_owned())]);
        assert!(near.contains_key("m7i.large"), "{near:?}");
        let other = worth_naming(offered(&all), &[Open::Named("q9.huge".to_owned())]);
        assert!(other.contains_key("t3.xlarge"), "{other:?}");
        let usual = |zone: &str| Open::Usual(vec!["m6i.xlarge".to_owned()], vec![zone.to_owned()]);
        assert_eq!(worth_naming(offered(&all), &[usual("a")]).len(), 5);
        assert!(worth_naming(offered(&all), &[usual("b")]).is_empty());
        let many: Vec<String> = (1..200).map(|i| format!("m{i}.xlarge")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let newest = worth_naming(offered(&many), &[usual("a")]);
        assert_eq!(newest.len(), MOST_NAMED);
        assert!(newest.contains_key("m199.xlarge") && !newest.contains_key("m1.xlarge"));
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
    fn takes_over_size_architectures_and_features() {
        let info = InstanceTypeInfo::builder()
            .v_cpu_info(VCpuInfo::builder().default_v_cpus(4).build())
            .memory_info(MemoryInfo::builder().size_in_mib(16384).build())
            .processor_info(
                ProcessorInfo::builder()
                    .supported_architectures(ArchitectureType::I386)
                    .supported_architectures(ArchitectureType::X8664)
                    .supported_features(SupportedAdditionalProcessorFeature::AmdSevSnp)
                    .build(),
            )
            .network_info(NetworkInfo::builder().ipv6_supported(true).build())
            .hypervisor(InstanceTypeHypervisor::Xen)
            .build();
        let mut known = InstanceType::default();
        fill(&mut known, &info);
        assert_eq!((known.vcpus, known.memory_mib), (4, 16384));
        assert_eq!(known.architectures, ["amd64"]);
        assert_eq!(known.features, ["ipv6", "amd-sev-snp"]);
        let metal = InstanceTypeInfo::builder().bare_metal(true).build();
        let nitro = InstanceTypeInfo::builder().hypervisor(InstanceTypeHypervisor::Nitro).build();
        for info in [metal, nitro] {
            fill(&mut known, &info);
            assert_eq!(known.features, ["nitro"]);
        }
    }
}
