//! What AWS adds to the files of a cluster: `assets.md`, chapters B, C and E.

mod cluster_api;
mod machines;
mod metadata;
mod tfvars;

use std::collections::BTreeMap;

use landfall_model::aws::config::Platform;
use landfall_model::plan::{Plan, Since};
use landfall_render::{CloudCredentials, Extras, PlatformAssets, Unset};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{EDGE, credentials, planned};
use crate::tags::{CLUSTER, PROVIDER};

/// Tag that says whose a resource is.
fn owner_tag(infra_id: &str) -> String {
    format!("{CLUSTER}{infra_id}")
}

/// Tag of the Cluster API provider that says whose a resource is.
fn provider_tag(infra_id: &str) -> String {
    format!("{PROVIDER}{infra_id}")
}

/// What rendering looks at.
struct Rendering<'a> {
    plan: &'a Plan,
    aws: &'a planned::Plan,
    platform: &'a Platform,
    id: &'a str,
}

/// What AWS adds; none for a plan of another platform.
pub(super) fn assets(plan: &Plan, extras: &Extras<'_>) -> Option<PlatformAssets> {
    let aws = plan.platform.aws.as_deref()?;
    let platform = plan.config.platform.aws.as_ref()?;
    let rendering = Rendering { plan, aws, platform, id: &plan.identity.infra_id };
    Some(PlatformAssets {
        type_name: "AWS",
        infrastructure_spec: json!({ "aws": rendering.infrastructure_spec() }),
        infrastructure_status: json!({ "aws": rendering.infrastructure_status() }),
        cloud_config: Some(rendering.cloud_config()),
        public_zone: aws.public_zone.as_ref().map(|id| json!({ "id": id })),
        private_zone: (!platform.has_user_dns()).then(|| rendering.private_zone()),
        dns_platform: rendering.dns_platform(),
        ingress_platform: rendering.ingress_platform(),
        ingress_parameters: rendering.ingress_parameters(),
        no_proxy: vec![rendering.internal_names()],
        var_partition: false,
        data_devices: Vec::new(),
        own_boot_images: rendering.has_own_boot_images(),
        csi_driver: rendering.csi_driver(),
        pod_network_mtu: rendering.pod_network_mtu(),
        cloud_credentials: rendering.cloud_credentials(extras),
        credentials_reader: ("aws-creds-secret-reader", SECRET),
        machines: machines::machines(&rendering),
        metadata: metadata::metadata(&rendering),
        tfvars: tfvars::platform(&rendering),
        own_tfvars: tfvars::own(&rendering),
    })
}

/// The variables of the modules, those of the platform and our own; none for a plan of another platform.
pub(super) fn variables(plan: &Plan) -> Option<(Box<RawValue>, Box<RawValue>)> {
    let aws = plan.platform.aws.as_deref()?;
    let platform = plan.config.platform.aws.as_ref()?;
    let rendering = Rendering { plan, aws, platform, id: &plan.identity.infra_id };
    Some((tfvars::platform(&rendering), tfvars::own(&rendering)))
}

/// How unset fields stand in the cluster's copy of the install config.
pub(super) fn unset(plan: &Plan) -> Unset {
    Unset {
        top: json!({}),
        platform: match &plan.config.platform.aws {
            Some(platform) if plan.has(Since::Today) => upconverted(platform),
            _ => json!({}),
        },
        pool: json!({
            "type": "",
            "metadataService": {},
            "rootVolume": { "iops": 0, "size": 0, "type": "" },
        }),
        within_pool: json!({}),
    }
}

/// The platform's section in the form of today, where an older form was given.
fn upconverted(platform: &Platform) -> Value {
    let subnets: Vec<Value> = platform.vpc.subnets.iter().map(|subnet| json!({ "id": subnet.id })).collect();
    let vpc = if subnets.is_empty() { json!({}) } else { json!({ "subnets": subnets }) };
    let mut section = json!({ "vpc": vpc });
    if !platform.ami_id.is_empty() {
        section["defaultMachinePlatform"] = json!({ "amiID": platform.ami_id });
    }
    if platform.preserve_bootstrap_ignition {
        section["bestEffortDeleteIgnition"] = true.into();
    }
    section
}

/// The secret with the cloud credentials.
const SECRET: &str = "aws-creds";

impl Rendering<'_> {
    fn infrastructure_spec(&self) -> Value {
        match self.endpoints(false) {
            Some(list) => json!({ "serviceEndpoints": list }),
            None => json!({}),
        }
    }

    fn infrastructure_status(&self) -> Value {
        let mut status = json!({ "region": self.aws.region });
        if let Some(list) = self.endpoints(true) {
            status["serviceEndpoints"] = list;
        }
        if self.plan.has(Since::Today) {
            status["cloudLoadBalancerConfig"] = landfall_render::load_balancer_config(self.plan);
        }
        if self.plan.has(Since::IpFamily) {
            status["ipFamily"] = self.platform.ip_family.as_str().into();
        }
        if self.platform.propagate_user_tags && !self.platform.user_tags.is_empty() {
            let tags = self.platform.user_tags.iter();
            status["resourceTags"] = tags.map(|(key, value)| json!({ "key": key, "value": value })).collect();
        }
        status
    }

    fn endpoints(&self, sorted: bool) -> Option<Value> {
        let mut list = self.aws.endpoints.clone();
        if sorted {
            list.sort();
        }
        let entries = list.iter().map(|(name, url)| json!({ "name": name, "url": url }));
        (!list.is_empty()).then(|| entries.collect())
    }

    fn cloud_config(&self) -> BTreeMap<String, String> {
        // The key must not be empty, and `[Global]` alone says nothing.
        let families = match self.platform.ip_family.as_str() {
            "DualStackIPv4Primary" => "NodeIPFamilies=ipv4\nNodeIPFamilies=ipv6\n",
            "DualStackIPv6Primary" => "NodeIPFamilies=ipv6\nNodeIPFamilies=ipv4\n",
            _ => "",
        };
        let mut data = BTreeMap::from([("config".to_owned(), format!("[Global]\n{families}"))]);
        let bundle = &self.plan.config.additional_trust_bundle;
        // In place of the system's authorities, for operators and drivers.
        if self.aws.traits.trust_bundle_in_cloud_config && !bundle.is_empty() {
            data.insert("ca-bundle.pem".to_owned(), bundle.clone());
        }
        data
    }

    fn private_zone(&self) -> Value {
        if self.platform.hosted_zone.is_empty() {
            return json!({ "tags": { "Name": format!("{}-int", self.id), owner_tag(self.id): "owned" } });
        }
        json!({ "id": self.platform.hosted_zone })
    }

    fn dns_platform(&self) -> Value {
        match self.platform.hosted_zone_role.as_str() {
            role if role.is_empty() || self.platform.has_user_dns() => json!({ "aws": null, "type": "" }),
            role => json!({ "aws": { "privateZoneIAMRole": role }, "type": "AWS" }),
        }
    }

    fn ingress_platform(&self) -> Value {
        let kind = if self.platform.lb_type.is_empty() { "Classic" } else { &self.platform.lb_type };
        json!({ "aws": { "type": kind }, "type": "AWS" })
    }

    /// The subnets of the default ingress controller's load balancer, where the config gives subnets by role.
    fn ingress_parameters(&self) -> Option<Value> {
        let subnets = json!({ "ids": self.aws.network.subnet_roles()?.ingress });
        let parameters = if self.platform.lb_type == "NLB" {
            json!({ "type": "NLB", "networkLoadBalancer": { "eipAllocations": null, "subnets": subnets } })
        } else {
            let classic = json!({ "connectionIdleTimeout": "0s", "subnets": subnets });
            json!({ "type": "Classic", "classicLoadBalancer": classic })
        };
        Some(json!({ "type": "AWS", "aws": parameters }))
    }

    /// The domain of the machines' own names, as a proxy exception.
    fn internal_names(&self) -> String {
        format!(".{}", self.aws.traits.internal_domain)
    }

    /// Whether the config names an image that machine sets start from, itself or in the default machine platform.
    fn has_own_boot_images(&self) -> bool {
        let mut settings = self.plan.config.compute.iter().filter_map(|pool| pool.platform.aws.as_ref());
        settings.any(|settings| !settings.ami_id.is_empty())
    }

    fn csi_driver(&self) -> Option<(&'static str, Value)> {
        let machines = self.platform.default_machine_platform.as_ref()?;
        let key = Some(&machines.root_volume.kms_key_arn).filter(|key| !key.is_empty())?;
        Some(("ebs.csi.aws.com", json!({ "aws": { "kmsKeyARN": key }, "driverType": "AWS" })))
    }

    /// Machines in local zones reach their region through a path with a smaller MTU.
    fn pod_network_mtu(&self) -> Option<u32> {
        const LOCAL_ZONE_MTU: u32 = 1300;
        const OVN_OVERHEAD: u32 = 100;
        const SDN_OVERHEAD: u32 = 50;
        self.aws.compute.iter().any(|pool| pool.name == EDGE).then(|| {
            let kind = self.plan.config.networking.as_ref().map_or("", |n| n.network_type.as_str());
            LOCAL_ZONE_MTU - if kind == "OpenShiftSDN" { SDN_OVERHEAD } else { OVN_OVERHEAD }
        })
    }

    fn cloud_credentials(&self, extras: &Extras<'_>) -> Option<CloudCredentials> {
        if self.plan.config.credentials_mode == "Manual" {
            return None;
        }
        let value = |name: &str| extras.credentials.get(name).cloned();
        let id = value(credentials::ACCESS_KEY_ID)?;
        let key = value(credentials::SECRET_ACCESS_KEY)?;
        Some((SECRET, vec![("aws_access_key_id", id), ("aws_secret_access_key", key)]))
    }

    /// The tags of machines: the ownership tag first, then the user's by key.
    fn tags(&self) -> Vec<(String, String)> {
        let owner = [(owner_tag(self.id), "owned".to_owned())];
        let user = self.platform.user_tags.iter().map(|(key, value)| (key.clone(), value.clone()));
        owner.into_iter().chain(user).collect()
    }
}
