//! Compute machines that Cluster API manages (`assets.md`, B.9).

use std::collections::BTreeMap;

use landfall_model::aws::planned::Pool;
use landfall_model::plan::spread;
use landfall_render::ClusterApiSet;
use serde_json::{Value, json};

use super::Rendering;

impl Rendering<'_> {
    pub(super) fn cluster_api_sets(&self, pool: &Pool) -> Vec<ClusterApiSet> {
        let replicas = spread(pool.replicas, pool.zones.len());
        let set = |(zone, replicas): (&String, u32)| ClusterApiSet {
            name: format!("{}-{}-{zone}", self.id, pool.name),
            replicas,
            template_kind: "AWSMachineTemplate",
            machine: self.machine(pool, zone),
        };
        pool.zones.iter().zip(replicas).map(set).collect()
    }

    /// `spec` of a machine of Cluster API's provider.
    fn machine(&self, pool: &Pool, zone: &str) -> Value {
        let tags: BTreeMap<String, String> = self.tags().into_iter().collect();
        let tokens = if pool.metadata_authentication == "Required" { "required" } else { "optional" };
        let mut machine = json!({
            "additionalSecurityGroups": self.security_groups(pool, "worker"),
            "additionalTags": tags,
            "ami": self.ami(pool),
            "cloudInit": {},
            "iamInstanceProfile": self.instance_profile(pool, "worker"),
            // The machine config server gives them their config.
            "ignition": { "storageType": "UnencryptedUserData", "version": "3.2" },
            "instanceMetadataOptions": { "httpEndpoint": "enabled", "httpTokens": tokens },
            "instanceType": pool.types.get(zone).unwrap_or(&pool.instance_type),
            "publicIP": false,
            "rootVolume": root_volume(pool),
            "sshKeyName": "",
            "subnet": self.subnet(zone),
            "uncompressedUserData": true,
        });
        if !pool.confidential_compute.is_empty() {
            machine["cpuOptions"] = json!({ "confidentialCompute": pool.confidential_compute });
        }
        if self.platform.ip_family == "DualStackIPv6Primary" {
            machine["assignPrimaryIPv6"] = "enabled".into();
        }
        machine
    }
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
