//! The plan: what one install config, the facts and the catalogue come to, with nothing left to decide.
//!
//! A [`Plan`] is a value. Planning is pure: the same input gives the same plan on every machine. The part
//! of a platform is a leaf type of that platform's folder (`planned`), made by that platform's `plan`.

mod engine;
mod identity;
pub mod ignition_pages;
mod introduced;
pub mod outline;
pub mod pages;

pub use engine::Engine;
pub use identity::{ALPHABET, Identity, RANDOM, cluster_id_of, infra_id_prefix, is_infra_id, is_infra_id_of};
pub use introduced::{Introduced, check_introduced};

use std::net::Ipv4Addr;

use ipnet::Ipv4Net;
use serde::Serialize;

use crate::catalogue::Catalogue;
use crate::config::{InstallConfig, MachinePool};
use crate::facts::Facts;
use crate::sections::supported;

/// What planning starts from.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// The config after upconversion, defaults and judgement.
    pub config: &'a InstallConfig,
    /// The config as given, with older forms of neutral fields brought up to date.
    pub given: &'a InstallConfig,
    /// What is known of the cloud.
    pub facts: &'a Facts,
    /// What is known of all clouds.
    pub catalogue: &'a Catalogue,
    /// The OpenShift release, such as `4.19`.
    pub release: &'a str,
    /// The ids of the cluster.
    pub identity: &'a Identity,
    /// Whether the cluster's infrastructure may stand already, so that what is found of it in the cloud is
    /// its own.
    pub installed: bool,
    /// Names of DNS records that earlier runs from this directory created, in lower case.
    pub own_records: &'a [String],
    /// What makes the infrastructure.
    pub engine: Engine,
}

impl Case<'_> {
    /// Those of the records in a zone that neither earlier runs from this directory created nor the cluster itself,
    /// each a name and a type.
    #[must_use]
    pub fn foreign_records(&self, records: &[String]) -> Vec<String> {
        let is_own = |record: &&String| {
            let name = record.split(' ').next().unwrap_or_default().trim_end_matches('.').to_lowercase();
            let mut own = self.own_records.iter();
            // The cluster creates the wildcard beside the names of its API.
            own.any(|own| {
                *own == name || name.strip_prefix(APPS) == own.split_once('.').map(|(_, domain)| domain)
            })
        };
        records.iter().filter(|record| !is_own(record)).cloned().collect()
    }
}

/// How the name begins of the record that the ingress operator of a cluster creates.
const APPS: &str = "*.apps.";

/// What a cluster is to be.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Version of the format: 1.
    pub version: u32,
    /// The OpenShift release, such as `4.19`.
    pub release: String,
    /// The operating system stream of its machines, such as `rhel-9`, where the machine config operator is told it;
    /// else empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub os_image_stream: String,
    /// The ids of the cluster.
    pub identity: Identity,
    /// What belongs to no platform.
    pub cluster: Cluster,
    /// What belongs to the platform.
    pub platform: Platforms,
    /// The completed config that was planned. Secrets in it are never shown.
    pub config: InstallConfig,
    /// The config as given, for the copy that the cluster keeps.
    #[serde(skip)]
    pub given: InstallConfig,
}

/// A machine type that fits a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeOffer {
    /// Name of the type.
    pub name: String,
    /// Zones that offer it and in which it may be used; empty where the region has no zones.
    pub zones: Vec<String>,
}

/// A release whose files or resources have another form than those before it (`docs/assets.md`, B.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// 4.16: names, tags, subnets and rules on AWS as the Cluster API provider makes them.
    ClusterApi,
    /// 4.19: the manifests, machines and `metadata.json` of today.
    Today,
    /// 4.22: the `Infrastructure` object names the IP family.
    IpFamily,
    /// 4.22: the machine config operator updates the images of machine sets on Azure.
    AzureBootImages,
    /// 4.23: `OSImageStream` has version 1.
    OsImageStream,
    /// 5.0: Cluster API gives nodes taints.
    MachineTaints,
}

impl Since {
    const fn version(self) -> [u64; 2] {
        match self {
            Self::ClusterApi => [4, 16],
            Self::Today => [4, 19],
            Self::IpFamily | Self::AzureBootImages => [4, 22],
            Self::OsImageStream => [4, 23],
            Self::MachineTaints => [5, 0],
        }
    }
}

impl Plan {
    /// The addresses by which the first machines find the API, and which the cluster answers for its own names, where
    /// the user provides the DNS records; empty where the cloud's DNS has them.
    #[must_use]
    pub fn api_addresses(&self) -> Vec<Ipv4Addr> {
        let aws = self.platform.aws.iter().flat_map(|aws| aws.api_addresses.values());
        let azure = self.platform.azure.iter().filter_map(|azure| azure.load_balancers.api_address.as_ref());
        aws.chain(azure).copied().collect()
    }

    /// The name of the machine config server, and the address by which machines find it, where the user provides the DNS
    /// records.
    #[must_use]
    pub fn api_server(&self) -> Option<(String, String)> {
        let address = self.api_addresses().first()?.to_string();
        Some((format!("api-int.{}", self.cluster.domain), address))
    }

    /// The machine types that fit the control plane, whose type the bootstrap machine has as well.
    #[must_use]
    pub fn control_plane_offers(&self) -> &[TypeOffer] {
        let aws = self.platform.aws.as_ref().map(|aws| &aws.control_plane.offers);
        aws.or_else(|| self.platform.azure.as_ref().map(|azure| &azure.control_plane.offers))
            .map_or(&[], Vec::as_slice)
    }

    /// The host that machines get their Ignition config from.
    #[must_use]
    pub fn machine_config_host(&self) -> String {
        let name = || format!("api-int.{}", self.cluster.domain);
        self.api_addresses().first().map_or_else(name, ToString::to_string)
    }

    /// Whether the plan's release has the form that came with `since`.
    #[must_use]
    pub fn has(&self, since: Since) -> bool {
        is_from(&self.release, since)
    }
}

/// Whether a release has the form that came with `since`. A release name without a version counts as the newest.
#[must_use]
pub fn is_from(release: &str, since: Since) -> bool {
    crate::catalogue::version(release).is_none_or(|version| version.as_slice() >= since.version().as_slice())
}

/// The last address of an IPv4 subnet that clouds give to somebody: the very last one is reserved. None for what is no
/// IPv4 network.
#[must_use]
pub fn last_address(cidr: &str) -> Option<Ipv4Addr> {
    let net: Ipv4Net = cidr.parse().ok()?;
    u32::from(net.broadcast()).checked_sub(1).map(Ipv4Addr::from)
}

/// The sizes of RSA keys that landfall creates, in bits.
pub const RSA_SIZES: &[i32] = &[2048, 3072, 4096, 8192];

/// What of a plan belongs to no platform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cluster {
    /// Name of the cluster.
    pub name: String,
    /// Base domain without a final dot.
    pub base_domain: String,
    /// Domain of the cluster: name and base domain.
    pub domain: String,
    /// Whether the Kubernetes API can be reached from outside the network.
    pub external_api: bool,
    /// Whether the applications can be reached from outside the network.
    pub external_ingress: bool,
    /// Number of control plane machines.
    pub control_plane_replicas: u32,
    /// Number of compute machines of all pools.
    pub compute_replicas: u32,
    /// Processor architecture of the control plane: `amd64` or `arm64`.
    pub architecture: String,
}

impl Cluster {
    /// What a completed config says of the cluster.
    #[must_use]
    pub fn of(config: &InstallConfig) -> Self {
        let base_domain = config.base_domain.trim_end_matches('.').to_owned();
        let strategy = config.operator_publishing_strategy.clone().unwrap_or_default();
        let external = |part: &str| match config.publish.as_str() {
            "Internal" => false,
            "Mixed" => part != "Internal",
            _ => true,
        };
        let control_plane = config.control_plane.clone().unwrap_or_default();
        Self {
            name: config.metadata.name.clone(),
            domain: format!("{}.{base_domain}", config.metadata.name),
            base_domain,
            external_api: external(&strategy.apiserver),
            external_ingress: external(&strategy.ingress),
            control_plane_replicas: replicas(&control_plane),
            compute_replicas: config.compute.iter().map(replicas).sum(),
            architecture: control_plane.architecture,
        }
    }
}

/// The number of machines of a pool. A completed pool has one, and rules refuse a negative one.
#[must_use]
pub fn replicas(pool: &MachinePool) -> u32 {
    pool.replicas.and_then(|n| u32::try_from(n).ok()).unwrap_or(0)
}

macro_rules! platforms {
    (pools: [$($pool:ident),*], plain: [$($plain:ident),*]) => {
        /// The part of a plan that belongs to the platform: exactly one is there.
        #[derive(Clone, Debug, Default, PartialEq, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub struct Platforms {
            $(#[doc = concat!("The plan of platform ", stringify!($pool), ".")]
            #[serde(skip_serializing_if = "Option::is_none")]
            pub $pool: Option<Box<crate::$pool::planned::Plan>>,)*
        }
    };
}

supported! { platforms }

/// One stage of terraform: a module with a state of its own (`assets.md`, C.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Name, and folder below `terraform/`.
    pub name: &'static str,
    /// Whether it is destroyed once the cluster stands on its own.
    pub only_for_bootstrap: bool,
}

/// The zone of each of `replicas` machines: the zones in turn (`assets.md`, B.9).
pub fn in_turn(zones: &[String], replicas: u32) -> impl Iterator<Item = &str> {
    let count = usize::try_from(replicas).unwrap_or(0);
    zones.iter().map(String::as_str).cycle().take(count)
}

/// How many machines each of `zones` zones gets: the first ones get what does not divide evenly
/// (`assets.md`, B.9).
#[must_use]
pub fn spread(replicas: u32, zones: usize) -> Vec<u32> {
    let count = u32::try_from(zones).unwrap_or(u32::MAX);
    (0..count).map(|i| replicas / count + u32::from(i < replicas % count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_machines_over_zones() {
        assert_eq!(spread(7, 3), [3, 2, 2]);
        assert_eq!(spread(1, 3), [1, 0, 0]);
        assert_eq!(spread(0, 2), [0, 0]);
        assert!(spread(3, 0).is_empty());
    }
}
