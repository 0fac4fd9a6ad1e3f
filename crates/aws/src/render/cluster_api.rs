//! Compute machines that Cluster API manages (`assets.md`, B.9).

use std::collections::BTreeMap;

use landfall_model::aws::planned::{Hosts, Pool};
use landfall_model::plan::spread;
use landfall_render::ClusterApiSet;
use serde_json::{Value, json};

use super::Rendering;
use super::machines::{edge_labels, edge_taint};
use crate::ignition::copied_image;

impl Rendering<'_> {
    pub(super) fn cluster_api_sets(&self, pool: &Pool) -> Vec<ClusterApiSet> {
        let replicas = spread(pool.replicas, pool.zones.len());
        let set = |(zone, replicas): (&String, u32)| ClusterApiSet {
            name: format!("{}-{}-{zone}", self.id, pool.name),
            replicas,
            template_kind: "AWSMachineTemplate",
            machine: self.machine(pool, zone),
            node_labels: edge_labels(pool, zone),
            taints: edge_taint(pool, zone).map(propagated).into_iter().collect(),
        };
        pool.zones.iter().zip(replicas).map(set).collect()
    }

    /// The id of the image, or what stands for it until the image is copied.
    fn image_in_template(&self, pool: &Pool) -> String {
        let image = &self.aws.image;
        let given = pool.image.clone();
        let published = || (image.region == self.aws.region).then(|| image.id.clone());
        given.or_else(published).unwrap_or_else(|| copied_image(self.plan, self.aws))
    }

    /// `spec` of a machine of Cluster API's provider.
    fn machine(&self, pool: &Pool, zone: &str) -> Value {
        let tags: BTreeMap<String, String> = self.tags().into_iter().collect();
        let tokens = if pool.metadata_authentication == "Required" { "required" } else { "optional" };
        let mut machine = json!({
            "additionalSecurityGroups": self.security_groups(pool, "worker"),
            "additionalTags": tags,
            "ami": { "id": self.image_in_template(pool) },
            "cloudInit": {},
            "iamInstanceProfile": self.instance_profile(pool, "worker"),
            // The machine config server gives them their config.
            "ignition": { "storageType": "UnencryptedUserData", "version": "3.2" },
            "instanceMetadataOptions": { "httpEndpoint": "enabled", "httpTokens": tokens },
            "instanceType": pool.types.get(zone).unwrap_or(&pool.instance_type),
            "publicIP": self.is_public(zone),
            "rootVolume": root_volume(pool),
            "sshKeyName": "",
            "subnet": self.subnet(zone),
            "uncompressedUserData": true,
        });
        if !pool.confidential_compute.is_empty() {
            machine["cpuOptions"] = json!({ "confidentialCompute": pool.confidential_compute });
        }
        match &pool.hosts {
            Some(Hosts::AnyAvailable) => {
                machine["tenancy"] = "host".into();
                machine["hostAffinity"] = "default".into();
            }
            Some(Hosts::ByZone(hosts)) => {
                if let Some(host) = hosts.get(zone) {
                    machine["tenancy"] = "host".into();
                    machine["hostAffinity"] = "host".into();
                    machine["hostID"] = host.as_str().into();
                }
            }
            None => {}
        }
        // Subnets of local zones have IPv4 addresses alone.
        if self.platform.is_dual_stack() && !pool.local_zones.contains_key(zone) {
            let is_primary = self.platform.ip_family == "DualStackIPv6Primary";
            machine["assignPrimaryIPv6"] = if is_primary { "enabled" } else { "disabled" }.into();
            machine["instanceMetadataOptions"]["httpProtocolIpv6"] = "enabled".into();
            // Host names after addresses have no AAAA records.
            machine["privateDnsName"] = json!({
                "enableResourceNameDnsAAAARecord": true,
                "enableResourceNameDnsARecord": true,
                "hostnameType": "resource-name",
            });
        }
        machine
    }
}

/// A taint that stays on the node.
fn propagated(mut taint: Value) -> Value {
    taint["propagation"] = "Always".into();
    taint
}

fn root_volume(pool: &Pool) -> Value {
    let volume = &pool.volume;
    let mut value = json!({ "encrypted": true, "size": volume.size, "type": volume.kind });
    if volume.iops != 0 {
        value["iops"] = volume.iops.into();
    }
    if let Some(throughput) = volume.throughput {
        value["throughput"] = throughput.into();
    }
    if !volume.kms_key.is_empty() {
        value["encryptionKey"] = volume.kms_key.as_str().into();
    }
    value
}
