//! Terraform variables of AWS: `assets.md`, C.4 and C.5.

use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;

use landfall_model::aws::planned::{Network, Pool, SubnetRoles};
use landfall_model::plan::{Since, in_turn};
use landfall_render::bootstrap_stub;
use serde::Serialize;
use serde_json::value::RawValue;

use super::Rendering;
use crate::EDGE;
use crate::ignition::{image_in_templates, keeps_ignition};

/// The variables, in the order and with the names of the OpenShift installer.
#[derive(Serialize)]
struct Variables<'a> {
    aws_ami: &'a str,
    aws_ami_region: &'a str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    custom_endpoints: BTreeMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    aws_extra_tags: BTreeMap<String, String>,
    aws_bootstrap_instance_type: &'a str,
    aws_master_instance_type: &'a str,
    aws_master_availability_zones: Vec<&'a str>,
    aws_worker_availability_zones: BTreeSet<&'a str>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    aws_edge_local_zones: BTreeSet<&'a str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    aws_edge_parent_zones_index: BTreeMap<&'a str, usize>,
    aws_master_root_volume_iops: i64,
    aws_master_root_volume_size: i64,
    aws_master_root_volume_type: &'a str,
    aws_master_root_volume_encrypted: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    aws_master_root_volume_kms_key_id: &'a str,
    aws_region: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    aws_vpc: &'a str,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    aws_private_subnets: BTreeSet<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    aws_public_subnets: Option<BTreeSet<&'a str>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    aws_internal_zone: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    aws_internal_zone_role: &'a str,
    aws_publish_strategy: &'a str,
    aws_ignition_bucket: String,
    aws_bootstrap_stub_ignition: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    aws_master_iam_role_name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    aws_worker_iam_role_name: &'a str,
    #[serde(skip_serializing_if = "String::is_empty")]
    aws_master_instance_metadata_authentication: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    aws_bootstrap_instance_metadata_authentication: String,
    aws_preserve_bootstrap_ignition: bool,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    aws_master_security_groups: &'a [String],
}

/// Variables of our own modules: what is decided here, and what comes from the catalogue, so that no module asks
/// for a release or a region.
#[derive(Serialize)]
#[allow(clippy::struct_field_names, reason = "the names of terraform variables")]
struct Own<'a> {
    aws_layout: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    aws_ip_family: &'a str,
    aws_private_cidrs: BTreeMap<&'a str, &'a str>,
    aws_public_cidrs: BTreeMap<&'a str, &'a str>,
    aws_partition_id: &'a str,
    aws_ec2_service_principal: &'a str,
    aws_api_record_type: &'a str,
    aws_dhcp_domain_name: &'a str,
    aws_s3_endpoint_service: &'a str,
    aws_s3_use_path_style: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    aws_master_iam_instance_profile: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    aws_worker_iam_instance_profile: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    aws_master_root_volume_throughput: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    aws_master_amd_sev_snp: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    aws_public_ipv4_pool: &'a str,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    aws_internal_balancer_subnets: BTreeSet<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    aws_bootstrap_subnet: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    aws_cluster_api_image: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    aws_load_balancer_security_groups: Option<bool>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    aws_api_addresses: &'a BTreeMap<String, Ipv4Addr>,
}

/// The platform's variables.
pub(super) fn platform(rendering: &Rendering<'_>) -> Box<RawValue> {
    let (aws, platform) = (rendering.aws, rendering.platform);
    let master = &aws.control_plane;
    let local = LocalZones::of(rendering);
    let bucket = format!("{}-bootstrap", rendering.id);
    let authentication = master.metadata_authentication.to_ascii_lowercase();
    let subnets = Subnets::of(&aws.network);
    landfall_render::raw(&Variables {
        aws_ami: master.image.as_ref().unwrap_or(&aws.image.id),
        aws_ami_region: if master.image.is_some() { &aws.region } else { &aws.image.region },
        custom_endpoints: aws.endpoints.iter().map(|(name, url)| (name.as_str(), url.as_str())).collect(),
        aws_extra_tags: rendering.tags().into_iter().collect(),
        aws_bootstrap_instance_type: &master.instance_type,
        aws_master_instance_type: &master.instance_type,
        aws_master_availability_zones: in_turn(&master.zones, master.replicas).collect(),
        aws_worker_availability_zones: ordinary_zones(&aws.compute),
        aws_edge_local_zones: local.names,
        aws_edge_parent_zones_index: local.parents,
        aws_master_root_volume_iops: master.volume.iops,
        aws_master_root_volume_size: master.volume.size,
        aws_master_root_volume_type: &master.volume.kind,
        aws_master_root_volume_encrypted: true,
        aws_master_root_volume_kms_key_id: &master.volume.kms_key,
        aws_region: &aws.region,
        aws_vpc: subnets.vpc,
        aws_private_subnets: subnets.private,
        aws_public_subnets: subnets.public,
        aws_internal_zone: &platform.hosted_zone,
        aws_internal_zone_role: &platform.hosted_zone_role,
        aws_publish_strategy: &rendering.plan.config.publish,
        aws_bootstrap_stub_ignition: stub(rendering, &bucket),
        aws_ignition_bucket: bucket,
        aws_master_iam_role_name: &master.iam_role,
        aws_worker_iam_role_name: worker_role(&aws.compute),
        aws_master_instance_metadata_authentication: authentication.clone(),
        aws_bootstrap_instance_metadata_authentication: authentication,
        aws_preserve_bootstrap_ignition: keeps_ignition(rendering.plan),
        aws_master_security_groups: &master.security_groups,
    })
}

/// The variables that only our modules have.
pub(super) fn own(rendering: &Rendering<'_>) -> Box<RawValue> {
    let (traits, master) = (&rendering.aws.traits, &rendering.aws.control_plane);
    let cidrs = |public: bool| match &rendering.aws.network {
        Network::New { subnets, .. } => {
            let those = subnets.iter().filter(|subnet| subnet.public == public);
            those.map(|subnet| (subnet.zone.as_str(), subnet.cidr.as_str())).collect()
        }
        Network::Existing { .. } => BTreeMap::new(),
    };
    let roles = rendering.aws.network.subnet_roles();
    landfall_render::raw(&Own {
        aws_layout: if rendering.plan.has(Since::ClusterApi) { "4.16" } else { "4.14" },
        aws_ip_family: if rendering.platform.is_dual_stack() { &rendering.platform.ip_family } else { "" },
        aws_private_cidrs: cidrs(false),
        aws_public_cidrs: cidrs(true),
        aws_partition_id: &rendering.aws.partition,
        aws_ec2_service_principal: &traits.ec2_service_principal,
        aws_api_record_type: &traits.api_record_type,
        aws_dhcp_domain_name: &traits.internal_domain,
        aws_s3_endpoint_service: &traits.s3_endpoint_service,
        // An endpoint of the user's own need not have a name for every bucket.
        aws_s3_use_path_style: rendering.aws.endpoints.iter().any(|(name, _)| name == "s3"),
        aws_master_iam_instance_profile: &master.iam_profile,
        aws_worker_iam_instance_profile: worker_profile(&rendering.aws.compute),
        aws_master_root_volume_throughput: master.volume.throughput,
        aws_master_amd_sev_snp: amd_sev_snp(&master.confidential_compute),
        aws_public_ipv4_pool: &rendering.aws.public_ipv4_pool,
        aws_internal_balancer_subnets: roles.map_or_else(BTreeSet::new, |roles| {
            roles.internal_balancer.values().map(String::as_str).collect()
        }),
        aws_bootstrap_subnet: roles.and_then(|roles| bootstrap_subnet(roles, master)).unwrap_or_default(),
        aws_api_addresses: &rendering.aws.api_addresses,
        aws_cluster_api_image: image_in_templates(rendering.plan, rendering.aws),
        aws_load_balancer_security_groups: traits.nlb_without_security_groups.then_some(false),
    })
}

/// The subnet of the bootstrap machine among those with roles, if possible in the zone of the first control plane
/// machine: other zones may not offer its type.
fn bootstrap_subnet<'a>(roles: &'a SubnetRoles, master: &Pool) -> Option<&'a str> {
    let near = master.zones.first().and_then(|zone| roles.bootstrap.get(zone));
    near.or_else(|| roles.bootstrap.values().next()).map(String::as_str)
}

/// The distinct zones of the compute pools that are no local zones.
fn ordinary_zones(compute: &[Pool]) -> BTreeSet<&str> {
    let zones = compute.iter().filter(|pool| pool.name != EDGE).flat_map(|pool| &pool.zones);
    zones.map(String::as_str).collect()
}

/// The role of the machines in ordinary zones.
fn worker_role(compute: &[Pool]) -> &str {
    let ordinary = compute.iter().find(|pool| pool.name != EDGE);
    ordinary.map_or("", |pool| pool.iam_role.as_str())
}

/// The instance profile of the compute machines; empty where one of their pools names none.
fn worker_profile(compute: &[Pool]) -> &str {
    let all_given = compute.iter().all(|pool| !pool.iam_profile.is_empty());
    compute.first().filter(|_| all_given).map_or("", |pool| pool.iam_profile.as_str())
}

/// Confidential computing as EC2 names it.
fn amd_sev_snp(confidential: &str) -> Option<&'static str> {
    match confidential {
        "" => None,
        "Disabled" => Some("disabled"),
        _ => Some("enabled"),
    }
}

/// The bootstrap machine's own ignition config: where the real one is. The address carries no signature,
/// as a signed one in a file would give the cluster's keys to whoever reads the file.
fn stub(rendering: &Rendering<'_>, bucket: &str) -> String {
    bootstrap_stub(&rendering.plan.config, &format!("s3://{bucket}/bootstrap.ign"))
}

/// Local zones of a new network.
struct LocalZones<'a> {
    names: BTreeSet<&'a str>,
    /// The place of each one's parent among all ordinary zones with subnets; 0 if it is not there.
    parents: BTreeMap<&'a str, usize>,
}

impl<'a> LocalZones<'a> {
    fn of(rendering: &Rendering<'a>) -> Self {
        let aws = rendering.aws;
        let mut found = Self { names: BTreeSet::new(), parents: BTreeMap::new() };
        let Network::New { subnets, .. } = &aws.network else { return found };
        // A zone without subnets has no route table.
        let is_local = |zone: &str| aws.compute.iter().any(|pool| pool.local_zones.contains_key(zone));
        let zones = subnets.iter().map(|subnet| subnet.zone.as_str());
        let all: BTreeSet<&str> = zones.filter(|zone| !is_local(zone)).collect();
        for pool in &aws.compute {
            for zone in &pool.zones {
                let Some(local) = pool.local_zones.get(zone) else { continue };
                found.names.insert(zone);
                let index = all.iter().position(|name| *name == local.parent).unwrap_or(0);
                found.parents.insert(zone, index);
            }
        }
        found
    }
}

/// Ids of existing subnets.
struct Subnets<'a> {
    vpc: &'a str,
    private: BTreeSet<&'a str>,
    public: Option<BTreeSet<&'a str>>,
}

impl<'a> Subnets<'a> {
    fn of(network: &'a Network) -> Self {
        match network {
            Network::New { .. } => Self { vpc: "", private: BTreeSet::new(), public: None },
            Network::Existing { vpc, private, public, .. } => Self {
                vpc,
                private: private.values().map(String::as_str).collect(),
                public: Some(public.values().map(String::as_str).collect()),
            },
        }
    }
}
