//! Machines on AWS: `assets.md`, B.9.

use std::collections::BTreeMap;

use landfall_model::aws::planned::{Hosts, Network, Pool};
use landfall_model::plan::{Since, in_turn, spread};
use landfall_render::{MachineAssets, MachineSet};
use serde_json::{Value, json};

use super::Rendering;
use crate::ignition::copied_image;
use crate::plan::own_groups;

const EDGE_ROLE: &str = "node-role.kubernetes.io/edge";

/// Every machine of the cluster.
pub(super) fn machines(rendering: &Rendering<'_>) -> MachineAssets {
    let pool = &rendering.aws.control_plane;
    let zones: Vec<&str> = in_turn(&pool.zones, pool.replicas).collect();
    let control_plane: Vec<Value> =
        zones.iter().map(|zone| rendering.provider(pool, "master", Some(zone))).collect();
    let pools =
        |cluster_api| rendering.aws.compute.iter().filter(move |pool| pool.cluster_api == cluster_api);
    MachineAssets {
        template: rendering.provider(pool, "master", None),
        failure_domains: Some(rendering.failure_domains(pool)),
        sets: pools(false).flat_map(|pool| rendering.sets(pool)).collect(),
        cluster_api_sets: pools(true).flat_map(|pool| rendering.cluster_api_sets(pool)).collect(),
        control_plane,
    }
}

impl Rendering<'_> {
    fn sets(&self, pool: &Pool) -> Vec<MachineSet> {
        let replicas = spread(pool.replicas, pool.zones.len());
        let sets = pool.zones.iter().zip(replicas);
        sets.map(|(zone, replicas)| self.set(pool, zone, replicas)).collect()
    }

    fn set(&self, pool: &Pool, zone: &str, replicas: u32) -> MachineSet {
        let taints = edge_taint(pool, zone).into_iter().collect();
        MachineSet {
            name: format!("{}-{}-{zone}", self.id, pool.name),
            role: if pool.name == "edge" && self.plan.has(Since::Today) { "edge" } else { "worker" },
            replicas,
            labelled: false,
            provider: self.provider(pool, "worker", Some(zone)),
            node_labels: edge_labels(pool, zone),
            taints,
        }
    }

    /// `spec.providerSpec.value` of a machine in `zone`; without one, of a machine of any zone.
    fn provider(&self, pool: &Pool, role: &str, zone: Option<&str>) -> Value {
        let mut placement = json!({ "region": self.aws.region });
        if let Some(zone) = zone {
            placement["availabilityZone"] = zone.into();
        }
        if let Some(host) = host(pool, zone) {
            placement["tenancy"] = "host".into();
            placement["host"] = host;
        }
        let mut value = json!({
            "ami": self.ami(pool),
            "apiVersion": "machine.openshift.io/v1beta1",
            "blockDevices": [{ "ebs": block_device(pool) }],
            "credentialsSecret": { "name": "aws-cloud-credentials" },
            "deviceIndex": 0,
            "iamInstanceProfile": { "id": self.instance_profile(pool, role) },
            "instanceType": zone.and_then(|zone| pool.types.get(zone)).unwrap_or(&pool.instance_type),
            "kind": "AWSMachineProviderConfig",
            "metadata": { "creationTimestamp": null },
            "metadataServiceOptions": metadata_options(pool),
            "placement": placement,
            "securityGroups": self.security_groups(pool, role),
            "subnet": zone.map_or_else(|| json!({}), |zone| self.subnet(zone)),
            "tags": self.tags().iter().map(|(name, value)| json!({ "name": name, "value": value })).collect::<Vec<Value>>(),
            "userDataSecret": { "name": format!("{role}-user-data") },
        });
        if self.plan.has(Since::Today) {
            value["capacityReservationId"] = "".into();
        }
        if !pool.confidential_compute.is_empty() {
            value["cpuOptions"] = json!({ "confidentialCompute": pool.confidential_compute });
        }
        if role == "master" {
            value["loadBalancers"] = self.load_balancers();
        }
        if zone.is_some_and(|zone| self.is_public(zone)) {
            value["publicIp"] = true.into();
        }
        value
    }

    pub(super) fn ami(&self, pool: &Pool) -> Value {
        if let Some(id) = &pool.image {
            return json!({ "id": id });
        }
        let image = &self.aws.image;
        if image.region == self.aws.region {
            return json!({ "id": image.id });
        }
        // A copied image has its id only once terraform has made it.
        json!({ "filters": [{ "name": "tag:Name", "values": [copied_image(self.plan, self.aws)] }] })
    }

    pub(super) fn instance_profile(&self, pool: &Pool, role: &str) -> String {
        match pool.iam_profile.as_str() {
            "" => format!("{}-{role}-profile", self.id),
            own => own.to_owned(),
        }
    }

    fn load_balancers(&self) -> Value {
        let mut list = vec![json!({ "name": format!("{}-int", self.id), "type": "network" })];
        if self.plan.cluster.external_api {
            list.push(json!({ "name": format!("{}-ext", self.id), "type": "network" }));
        }
        list.into()
    }

    pub(super) fn security_groups(&self, pool: &Pool, role: &str) -> Value {
        let groups = own_groups(self.plan.has(Since::ClusterApi), role == "master");
        let own = groups.iter().map(|group| {
            json!({ "filters": [{ "name": "tag:Name", "values": [format!("{}-{group}", self.id)] }] })
        });
        let mut given = pool.security_groups.clone();
        given.sort();
        own.chain(given.iter().map(|id| json!({ "id": id }))).collect()
    }

    pub(super) fn subnet(&self, zone: &str) -> Value {
        self.subnet_id(zone)
            .map_or_else(|| json!({ "filters": self.subnet_filters(zone) }), |id| json!({ "id": id }))
    }

    fn subnet_id(&self, zone: &str) -> Option<&str> {
        match &self.aws.network {
            Network::New { .. } => None,
            Network::Existing { private, edge, .. } => {
                let ordinary = private.get(zone).map(String::as_str);
                ordinary.or_else(|| edge.get(zone).map(|subnet| subnet.id.as_str()))
            }
        }
    }

    /// Whether machines in a zone get a public address: those in a public subnet of a local zone.
    pub(super) fn is_public(&self, zone: &str) -> bool {
        match &self.aws.network {
            Network::New { .. } => false,
            Network::Existing { edge, .. } => edge.get(zone).is_some_and(|subnet| subnet.public),
        }
    }

    fn subnet_filters(&self, zone: &str) -> Value {
        let name = if self.plan.has(Since::ClusterApi) { "subnet-private" } else { "private" };
        json!([{ "name": "tag:Name", "values": [format!("{}-{name}-{zone}", self.id)] }])
    }

    fn failure_domains(&self, pool: &Pool) -> Value {
        let domain = |zone: &String| {
            let subnet = match self.subnet_id(zone) {
                Some(id) => json!({ "id": id, "type": "ID" }),
                None => json!({ "filters": self.subnet_filters(zone), "type": "Filters" }),
            };
            json!({ "placement": { "availabilityZone": zone }, "subnet": subnet })
        };
        json!({ "aws": pool.zones.iter().map(domain).collect::<Vec<Value>>(), "platform": "AWS" })
    }
}

/// What tells the nodes of a local zone from others; nothing in an ordinary zone.
pub(super) fn edge_labels(pool: &Pool, zone: &str) -> BTreeMap<String, String> {
    let Some(local) = pool.local_zones.get(zone) else { return BTreeMap::new() };
    let facts =
        [("zone-type", &local.kind), ("zone-group", &local.group), ("parent-zone-name", &local.parent)];
    let own = facts.map(|(key, value)| (format!("machine.openshift.io/{key}"), value.clone()));
    own.into_iter().chain([(EDGE_ROLE.to_owned(), String::new())]).collect()
}

/// What keeps ordinary workloads off the nodes of a local zone.
pub(super) fn edge_taint(pool: &Pool, zone: &str) -> Option<Value> {
    pool.local_zones.contains_key(zone).then(|| json!({ "effect": "NoSchedule", "key": EDGE_ROLE }))
}

/// The dedicated host of a machine in `zone`; none on shared hardware.
fn host(pool: &Pool, zone: Option<&str>) -> Option<Value> {
    match pool.hosts.as_ref()? {
        Hosts::AnyAvailable => Some(json!({ "affinity": "AnyAvailable" })),
        Hosts::ByZone(hosts) => {
            let id = hosts.get(zone?)?;
            Some(json!({ "affinity": "DedicatedHost", "dedicatedHost": { "id": id } }))
        }
    }
}

fn block_device(pool: &Pool) -> Value {
    let volume = &pool.volume;
    let mut value = json!({
        "encrypted": true,
        "iops": volume.iops,
        "kmsKey": { "arn": volume.kms_key },
        "volumeSize": volume.size,
        "volumeType": volume.kind,
    });
    if let Some(throughput) = volume.throughput {
        value["throughputMib"] = throughput.into();
    }
    value
}

fn metadata_options(pool: &Pool) -> Value {
    match pool.metadata_authentication.as_str() {
        "" => json!({}),
        authentication => json!({ "authentication": authentication }),
    }
}
