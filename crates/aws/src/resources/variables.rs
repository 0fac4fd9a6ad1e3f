//! The variables of the modules, as the graph reads them.

use std::collections::{BTreeMap, BTreeSet};

use landfall_model::plan::Plan;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::values::DUAL_STACK;

/// Which resources a cluster consists of, and what they are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) enum Layout {
    /// Of the installers before 4.16.
    #[serde(rename = "4.14")]
    Older,
    /// That of the Cluster API provider, from 4.16 on.
    #[serde(rename = "4.16")]
    ClusterApi,
}

/// All variables. One that is unknown is an error.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_field_names, clippy::struct_excessive_bools, reason = "the variables of terraform")]
pub(super) struct Variables {
    #[serde(skip)]
    pub(super) cluster_id: String,
    #[serde(skip)]
    pub(super) cluster_domain: String,
    #[serde(skip)]
    pub(super) base_domain: String,
    #[serde(skip)]
    pub(super) machine_v4_cidrs: Vec<String>,
    #[serde(skip)]
    pub(super) machine_v6_cidrs: Vec<String>,

    pub(super) aws_ami: String,
    pub(super) aws_ami_region: String,
    /// Endpoints are those of the session that creates the resources.
    #[serde(default, rename = "custom_endpoints")]
    _endpoints: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) aws_extra_tags: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) aws_bootstrap_instance_type: String,
    pub(super) aws_master_instance_type: String,
    pub(super) aws_master_availability_zones: Vec<String>,
    /// The workers' zones are among those of the subnets.
    #[serde(rename = "aws_worker_availability_zones")]
    _worker_zones: Vec<String>,
    #[serde(default)]
    pub(super) aws_edge_local_zones: BTreeSet<String>,
    #[serde(default)]
    pub(super) aws_edge_parent_zones_index: BTreeMap<String, usize>,
    pub(super) aws_master_root_volume_iops: i64,
    pub(super) aws_master_root_volume_size: i64,
    pub(super) aws_master_root_volume_type: String,
    pub(super) aws_master_root_volume_encrypted: bool,
    pub(super) aws_master_root_volume_kms_key_id: Option<String>,
    pub(super) aws_region: String,
    pub(super) aws_vpc: Option<String>,
    #[serde(default)]
    pub(super) aws_private_subnets: Vec<String>,
    #[serde(default)]
    pub(super) aws_public_subnets: Vec<String>,
    pub(super) aws_internal_zone: Option<String>,
    /// The session assumes this role for the zone that the config names.
    #[serde(rename = "aws_internal_zone_role")]
    _zone_role: Option<String>,
    aws_publish_strategy: String,
    pub(super) aws_ignition_bucket: String,
    /// The user data itself is a secret.
    #[serde(rename = "aws_bootstrap_stub_ignition")]
    _stub: String,
    pub(super) aws_master_iam_role_name: Option<String>,
    pub(super) aws_worker_iam_role_name: Option<String>,
    #[serde(default = "optional")]
    pub(super) aws_master_instance_metadata_authentication: String,
    #[serde(default = "optional")]
    pub(super) aws_bootstrap_instance_metadata_authentication: String,
    pub(super) aws_preserve_bootstrap_ignition: bool,
    #[serde(default)]
    pub(super) aws_master_security_groups: Vec<String>,

    pub(super) aws_layout: Layout,
    #[serde(default)]
    aws_ip_family: String,
    pub(super) aws_private_cidrs: BTreeMap<String, String>,
    pub(super) aws_public_cidrs: BTreeMap<String, String>,
    pub(super) aws_partition_id: String,
    pub(super) aws_ec2_service_principal: String,
    pub(super) aws_api_record_type: String,
    pub(super) aws_dhcp_domain_name: String,
    pub(super) aws_s3_endpoint_service: String,
    /// The session's own client of S3 decides this.
    #[serde(rename = "aws_s3_use_path_style")]
    _path_style: bool,
    pub(super) aws_master_iam_instance_profile: Option<String>,
    pub(super) aws_worker_iam_instance_profile: Option<String>,
    pub(super) aws_master_root_volume_throughput: Option<i32>,
    pub(super) aws_master_amd_sev_snp: Option<String>,
    pub(super) aws_public_ipv4_pool: Option<String>,
    #[serde(default)]
    pub(super) aws_internal_balancer_subnets: Vec<String>,
    pub(super) aws_bootstrap_subnet: Option<String>,
    pub(super) aws_cluster_api_image: Option<String>,
    #[serde(default = "yes")]
    pub(super) aws_load_balancer_security_groups: bool,
    #[serde(default)]
    pub(super) aws_api_addresses: BTreeMap<String, String>,
}

fn yes() -> bool {
    true
}

fn optional() -> String {
    "optional".to_owned()
}

impl Variables {
    /// Whether the resources are those of the Cluster API provider.
    pub(super) fn is_cluster_api(&self) -> bool {
        self.aws_layout == Layout::ClusterApi
    }

    /// Whether the API can also be reached from the internet.
    pub(super) fn is_external(&self) -> bool {
        self.aws_publish_strategy == "External"
    }

    /// Whether the machines have addresses of both families.
    pub(super) fn is_dual_stack(&self) -> bool {
        DUAL_STACK.contains(&self.aws_ip_family.as_str())
    }

    /// Whether load balancers send to the IPv6 addresses of machines.
    pub(super) fn is_ipv6_primary(&self) -> bool {
        self.aws_ip_family == "DualStackIPv6Primary"
    }
}

/// The variables of a plan.
pub(super) fn read(plan: &Plan, platform: &RawValue, own: &RawValue) -> serde_json::Result<Variables> {
    let mut all: Map<String, Value> = serde_json::from_str(platform.get())?;
    all.extend(serde_json::from_str::<Map<String, Value>>(own.get())?);
    let ranges = |is_ipv4: bool| -> Vec<String> {
        let networks = plan.config.networking.iter().flat_map(|networking| &networking.machine_network);
        let those = networks.filter(|network| network.cidr.is_ipv4() == is_ipv4);
        those.filter_map(|network| network.cidr.given()).map(ToString::to_string).collect()
    };
    Ok(Variables {
        cluster_id: plan.identity.infra_id.clone(),
        cluster_domain: plan.cluster.domain.clone(),
        base_domain: plan.cluster.base_domain.clone(),
        machine_v4_cidrs: ranges(true),
        machine_v6_cidrs: ranges(false),
        ..serde_json::from_value(Value::Object(all))?
    })
}
