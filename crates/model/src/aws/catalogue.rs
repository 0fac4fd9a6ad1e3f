//! What landfall knows of AWS: partitions, regions, zones, endpoints, instance types, permissions, quotas.
//!
//! A region that no partition lists still belongs to the partition whose pattern its name fits; what such
//! a region has no entry for is computed from its partition. Zones and offerings are a snapshot of what
//! the cloud answered, for work without it.

mod allowed;
mod faults;
mod services;

use std::collections::BTreeMap;

use regex_lite::Regex;
use serde_json::Value;

use crate::catalogue::value::{Allowance, Fault, Image, Listing, Part, Release, Role, shipped};
use crate::config::value::model;

const PARTITIONS: &str = include_str!("data/partitions.json");
const INSTANCE_TYPES: &str = include_str!("data/instance-types.json");
const PERMISSIONS: &str = include_str!("data/permissions.json");
const DEFAULTS: &str = include_str!("data/defaults.json");

/// The partition whose pattern is tried first, and which a region that fits no pattern is taken to be in.
pub const FIRST_PARTITION: &str = "aws";
/// What holds where a partition says nothing.
const DEFAULT_PRINCIPAL: &str = "ec2.amazonaws.com";
const DEFAULT_ENDPOINT_SERVICE: &str = "com.amazonaws";
const RECORD_TYPES: &[&str] = &["A", "CNAME"];

model! {
    /// What is known of AWS.
    pub struct Catalogue {
        /// Partitions by id, such as `aws` or `aws-us-gov`.
        pub partitions: BTreeMap<String, Partition>,
        /// Services that an installation calls, by their names in `serviceEndpoints`.
        pub required_services: Vec<String>,
        /// Further names that `serviceEndpoints` takes.
        pub optional_services: Vec<String>,
        /// What people and SDKs also call services, in lower case, and their names in `serviceEndpoints`.
        pub service_aliases: BTreeMap<String, String>,
        /// Services by name, and what the Terraform provider calls their endpoints.
        pub terraform_endpoint_keys: BTreeMap<String, String>,
        /// Instance types by name.
        pub instance_types: BTreeMap<String, InstanceType>,
        /// Rules by which instance types are chosen, by name; a release names its rule.
        pub default_instance_types: BTreeMap<String, InstanceTypeRule>,
        /// Volumes that machines start from, by role: `master`, `worker`, `edge`, `bootstrap`.
        pub root_volumes: BTreeMap<String, RootVolume>,
        /// The least that machines must have, by role: `master`, `worker`.
        pub minimums: BTreeMap<String, Minimums>,
        /// Permissions that an installation needs, by set, then by group; a release names its set.
        pub permissions: BTreeMap<String, BTreeMap<String, Vec<String>>>,
        /// Regions in which the OpenShift installer asks for quotas. landfall asks in every region, but in a
        /// secret partition only in these.
        pub quota_regions: Vec<String>,
        /// Quotas that an installation uses up, by name.
        pub quotas: BTreeMap<String, Quota>,
        /// Feature gates of OpenShift that regions are behind, by the beginning of the regions' names.
        pub region_gates: BTreeMap<String, String>,
    }

    /// A partition: regions that share accounts, DNS suffix and global services.
    pub struct Partition {
        /// Domain of the partition's endpoints.
        #[schemars(extend("examples" = ["amazonaws.com"]))]
        pub dns_suffix: String,
        /// Regular expression of the names of its regions, including those that are not listed.
        #[schemars(extend("examples" = ["^us-gov-\\w+-\\d+$"]))]
        pub region_pattern: String,
        /// Service that the roles of machines trust; `ec2.` and the DNS suffix unless given.
        #[schemars(extend("examples" = ["ec2.amazonaws.com"]))]
        pub ec2_service_principal: String,
        /// Region in which objects of global services are listed, such as roles and hosted zones.
        pub global_region: Option<String>,
        /// Region that images can be copied from to regions without an image.
        pub image_copy_from: Option<String>,
        /// Type of the API's DNS records: `A` for an alias of the load balancer, or `CNAME`.
        #[schemars(extend("enum" = RECORD_TYPES, "default" = "A"))]
        pub api_record_type: String,
        /// Beginning of the names of endpoint services, before the region.
        #[serde(rename = "s3EndpointServicePrefix")]
        #[schemars(extend("default" = DEFAULT_ENDPOINT_SERVICE))]
        pub s3_endpoint_service_prefix: String,
        /// Whether the partition is cut off from the public: own trust roots, and no check of permissions to delete.
        pub secret: bool,
        /// Whether a prompt offers the partition's regions.
        pub prompt: bool,
        /// Services that an installation calls there, where they are not `requiredServices` of AWS.
        pub required_services: Vec<String>,
        /// Endpoints of services that all regions share.
        pub global_endpoints: BTreeMap<String, Endpoint>,
        /// Regions by name.
        pub regions: BTreeMap<String, Region>,
    }

    /// A region.
    pub struct Region {
        /// Name for people.
        #[schemars(extend("examples" = ["US East (N. Virginia)"]))]
        pub name: String,
        /// Whether the SDK lists the region; one that it does not know may need endpoints.
        pub listed: bool,
        /// Whether an install config must name the image, as none is published and none can be copied.
        pub image_required: bool,
        /// Availability zones that new accounts get.
        pub zones: Vec<String>,
        /// Domain of the machines' own names; `<region>.compute.internal` unless given.
        pub internal_domain: Option<String>,
        /// Type of the API's DNS records, where it is not the partition's.
        #[schemars(extend("enum" = RECORD_TYPES))]
        pub api_record_type: Option<String>,
        /// Hosted zone that aliases of network load balancers point into.
        #[serde(rename = "nlbHostedZoneID")]
        pub nlb_hosted_zone_id: Option<String>,
        /// Whether AWS refuses security groups on network load balancers there.
        pub nlb_without_security_groups: bool,
        /// Endpoints of services that are not at `https://<service>.<region>.<dnsSuffix>`.
        pub endpoints: BTreeMap<String, Endpoint>,
        /// Endpoints that an install config gets which names none.
        pub default_endpoints: Vec<ServiceEndpoint>,
        /// Zones that offer an instance type, by type; nothing is known of types that are not there.
        pub offerings: BTreeMap<String, Vec<String>>,
    }

    /// Where a service is called.
    pub struct Endpoint {
        /// URL without a path.
        pub url: String,
        /// Region that requests are signed for; the region itself unless given.
        pub signing_region: String,
    }

    /// An endpoint of an install config.
    pub struct ServiceEndpoint {
        /// Service, by its name in `serviceEndpoints`.
        pub name: String,
        /// URL without a path.
        pub url: String,
    }

    /// An instance type.
    pub struct InstanceType {
        /// Number of virtual processors.
        pub vcpus: u32,
        /// Memory in MiB.
        pub memory_mib: u32,
        /// Architecture: `amd64` or `arm64`.
        pub architecture: String,
    }

    /// How instance types are chosen where an install config leaves it open.
    pub struct InstanceTypeRule {
        /// Candidates by architecture: `amd64`, `arm64`.
        pub architectures: BTreeMap<String, Candidates>,
        /// Zones that are never taken unasked.
        pub skipped_zones: Vec<String>,
    }

    /// Instance types to choose from; the first that all zones offer is taken.
    pub struct Candidates {
        /// Types of the control plane, and of all without a separate list.
        pub control_plane: Vec<String>,
        /// Types of a control plane of one machine.
        pub single_replica: Vec<String>,
        /// Types of compute machines.
        pub compute: Vec<String>,
        /// Types of the bootstrap machine.
        pub bootstrap: Vec<String>,
    }

    /// A volume that machines start from.
    pub struct RootVolume {
        /// Type of the volume.
        #[serde(rename = "type")]
        pub kind: String,
        /// Size in GiB.
        pub size_gib: u32,
        /// Operations a second; none unless the type asks for them.
        pub iops: u32,
    }

    /// The least that machines must have.
    pub struct Minimums {
        /// Number of virtual processors.
        pub vcpus: u32,
        /// Memory in MiB.
        pub memory_mib: u32,
    }

    /// A quota of an account.
    pub struct Quota {
        /// What it limits, in the words of people.
        #[schemars(extend("examples" = ["elastic IP addresses"]))]
        pub name: String,
        /// Service that it belongs to.
        pub service: String,
        /// Its code.
        pub code: String,
        /// Number that an installation creates, unless it is counted in virtual processors.
        pub count: u32,
        /// Whether that much is used in every zone.
        pub per_zone: bool,
        /// Whether it is used for a new network only.
        pub new_network: bool,
        /// Families of instance types whose virtual processors are counted.
        pub families: Vec<String>,
    }
}

impl Partition {
    /// Whether the partition's pattern says that a region is one of its own.
    #[must_use]
    pub fn fits(&self, region: &str) -> bool {
        let pattern = Some(self.region_pattern.as_str()).filter(|pattern| !pattern.is_empty());
        pattern.and_then(|pattern| Regex::new(pattern).ok()).is_some_and(|pattern| pattern.is_match(region))
    }
}

impl Candidates {
    fn of(&self, role: Role, single_replica: bool) -> &[String] {
        let single_replica = single_replica && !self.single_replica.is_empty();
        let control_plane: &[String] =
            if single_replica { &self.single_replica } else { &self.control_plane };
        let (own, like) = match role {
            Role::ControlPlane => (control_plane, control_plane),
            Role::Bootstrap => (self.bootstrap.as_slice(), control_plane),
            Role::Compute | Role::Edge => (self.compute.as_slice(), self.control_plane.as_slice()),
        };
        if own.is_empty() { like } else { own }
    }
}

impl Catalogue {
    /// The partition of a region: the one that lists it, else the one whose pattern it fits, `aws` before
    /// all others.
    #[must_use]
    pub fn partition_of(&self, region: &str) -> Option<(&str, &Partition)> {
        let listed = self.partitions.iter().find(|(_, partition)| partition.regions.contains_key(region));
        let first = self.partitions.get_key_value(FIRST_PARTITION);
        let by_pattern =
            || first.into_iter().chain(&self.partitions).find(|(_, partition)| partition.fits(region));
        listed.or_else(by_pattern).map(|(id, partition)| (id.as_str(), partition))
    }

    /// Whether `known` may be proposed to whoever wrote `region`: never a region of another partition, as that is
    /// another contract and another account. Where no partition's pattern fits, both begin with the same part.
    #[must_use]
    pub fn may_mean(&self, region: &str, known: &str) -> bool {
        let region = region.to_ascii_lowercase();
        let partition = |name: &str| self.partition_of(name).map(|(id, _)| id.to_owned());
        let first = |name: &str| name.split('-').next().map(str::to_owned);
        match (partition(known), partition(&region)) {
            (of_known, Some(fitting)) => of_known == Some(fitting),
            (Some(_), None) => first(known) == first(&region),
            (None, None) => true,
        }
    }

    /// What is known of a region itself.
    #[must_use]
    pub fn region(&self, region: &str) -> Option<&Region> {
        self.partitions.values().find_map(|partition| partition.regions.get(region))
    }

    /// Whether the SDK lists a region.
    #[must_use]
    pub fn listed(&self, region: &str) -> bool {
        self.region(region).is_some_and(|region| region.listed)
    }

    /// The services that an installation calls in a region, so that each must have an endpoint.
    #[must_use]
    pub fn required_services(&self, region: &str) -> &[String] {
        let own = self.partition_of(region).map(|(_, partition)| partition.required_services.as_slice());
        own.filter(|own| !own.is_empty()).unwrap_or(&self.required_services)
    }

    /// The endpoint of a service in a region; none where no partition is known.
    #[must_use]
    pub fn endpoint(&self, region: &str, service: &str) -> Option<Endpoint> {
        let (_, partition) = self.partition_of(region)?;
        let own = partition.regions.get(region).and_then(|region| region.endpoints.get(service));
        let mut endpoint =
            own.or_else(|| partition.global_endpoints.get(service)).cloned().unwrap_or_default();
        if endpoint.url.is_empty() {
            if partition.dns_suffix.is_empty() {
                return None;
            }
            endpoint.url = format!("https://{service}.{region}.{}", partition.dns_suffix);
        }
        if endpoint.signing_region.is_empty() {
            region.clone_into(&mut endpoint.signing_region);
        }
        Some(endpoint)
    }

    /// The zones that new accounts get in a region; empty where they are not known.
    #[must_use]
    pub fn zones(&self, region: &str) -> &[String] {
        self.region(region).map(|region| region.zones.as_slice()).unwrap_or_default()
    }

    /// The zones of a region that offer an instance type; none where it is not known.
    #[must_use]
    pub fn offered_zones(&self, region: &str, instance_type: &str) -> Option<&[String]> {
        self.region(region)?.offerings.get(instance_type).map(Vec::as_slice)
    }

    /// The domain of the machines' own names in a region.
    #[must_use]
    pub fn internal_domain(&self, region: &str) -> String {
        let own = self.region(region).and_then(|region| region.internal_domain.clone());
        own.unwrap_or_else(|| format!("{region}.compute.internal"))
    }

    /// The type of the API's DNS records in a region: `A` or `CNAME`.
    #[must_use]
    pub fn api_record_type(&self, region: &str) -> &str {
        let own = self.region(region).and_then(|region| region.api_record_type.as_deref());
        let partition = || self.partition_of(region).map(|(_, partition)| partition.api_record_type.as_str());
        own.or_else(partition).filter(|kind| !kind.is_empty()).unwrap_or("A")
    }

    /// The service that the roles of machines trust in a region.
    #[must_use]
    pub fn ec2_service_principal(&self, region: &str) -> String {
        let partition = self.partition_of(region).map(|(_, partition)| partition);
        match partition {
            Some(partition) if !partition.ec2_service_principal.is_empty() => {
                partition.ec2_service_principal.clone()
            }
            Some(partition) if !partition.dns_suffix.is_empty() => format!("ec2.{}", partition.dns_suffix),
            _ => DEFAULT_PRINCIPAL.to_owned(),
        }
    }

    /// The name of the endpoint service through which a network of a region reaches S3.
    #[must_use]
    pub fn s3_endpoint_service(&self, region: &str) -> String {
        let own =
            self.partition_of(region).map(|(_, partition)| partition.s3_endpoint_service_prefix.as_str());
        let prefix = own.filter(|prefix| !prefix.is_empty()).unwrap_or(DEFAULT_ENDPOINT_SERVICE);
        format!("{prefix}.{region}.s3")
    }

    /// The instance types to choose from by a rule, in their order.
    #[must_use]
    pub fn candidates(
        &self,
        rule: &str,
        architecture: &str,
        machines: Role,
        single_replica: bool,
    ) -> &[String] {
        let types = self.default_instance_types.get(rule);
        let candidates = types.and_then(|types| types.architectures.get(architecture));
        candidates.map(|candidates| candidates.of(machines, single_replica)).unwrap_or_default()
    }

    /// The zones that a rule never takes unasked.
    #[must_use]
    pub fn skipped_zones(&self, rule: &str) -> &[String] {
        self.default_instance_types.get(rule).map(|rule| rule.skipped_zones.as_slice()).unwrap_or_default()
    }

    /// The least that machines of a role must have.
    #[must_use]
    pub fn minimums(&self, role: Role) -> Option<&Minimums> {
        role.entry(&self.minimums)
    }

    /// The volume that machines of a role start from.
    #[must_use]
    pub fn root_volume(&self, role: Role) -> Option<&RootVolume> {
        role.entry(&self.root_volumes)
    }

    /// The actions of a group in a set of permissions; empty where the set has no such group.
    #[must_use]
    pub fn permissions(&self, set: &str, group: &str) -> &[String] {
        self.permissions.get(set).and_then(|set| set.get(group)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether it is worth asking for quotas in a region: not where it is cut off from the public, unless it
    /// is known to have the service.
    #[must_use]
    pub fn has_quotas(&self, region: &str) -> bool {
        let secret = self.partition_of(region).is_some_and(|(_, partition)| partition.secret);
        !secret || self.quota_regions.iter().any(|known| known == region)
    }

    /// The quota, with its name, that the virtual processors of an instance type count towards.
    #[must_use]
    pub fn vcpu_quota(&self, instance_type: &str) -> Option<(&str, &Quota)> {
        let family = family(instance_type);
        let mut quotas = self.quotas.iter();
        let (name, quota) = quotas.find(|(_, quota)| quota.families.iter().any(|known| known == family))?;
        Some((name.as_str(), quota))
    }
}

/// The family of an instance type: its letters before the first digit, as `m` of `m6i.xlarge`.
#[must_use]
pub fn family(instance_type: &str) -> &str {
    let end = instance_type.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(instance_type.len());
    &instance_type[..end]
}

impl Part for Catalogue {
    fn shipped() -> Self {
        Self {
            partitions: shipped(PARTITIONS),
            instance_types: shipped(INSTANCE_TYPES),
            permissions: shipped(PERMISSIONS),
            ..shipped(DEFAULTS)
        }
    }

    fn listings(&self) -> Vec<Listing<'_>> {
        let mut all: Vec<Listing<'_>> = Vec::new();
        for partition in self.partitions.values() {
            all.extend(partition.regions.iter().map(|(id, region)| Listing {
                id: id.as_str(),
                name: region.name.as_str(),
                listed: region.listed,
                offered: partition.prompt && region.listed,
            }));
        }
        all.sort_by_key(|listing| listing.id);
        all
    }

    fn image_in(architecture: &Value) -> Option<Image> {
        let regions = architecture.pointer("/images/aws/regions")?.as_object()?;
        let text = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
        let image = Image {
            release: regions.values().find_map(|entry| text(entry, "release")).unwrap_or_default(),
            regions: regions
                .iter()
                .filter_map(|(id, entry)| Some((id.clone(), text(entry, "image")?)))
                .collect(),
            ..Image::default()
        };
        (!image.regions.is_empty()).then_some(image)
    }

    fn allow(&mut self, allowance: &Allowance) {
        self.take_in(allowance);
    }

    fn faults(&self, releases: &BTreeMap<String, Release>) -> Vec<Fault> {
        self.contradictions(releases)
    }
}

#[cfg(test)]
mod tests;
