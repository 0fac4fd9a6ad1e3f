//! What the platform adds to the files of a cluster.

use landfall_model::plan::Plan;
use landfall_model::toy::planned::Pool;
use landfall_render::{MachineAssets, MachineSet, PlatformAssets, raw};
use serde_json::{Value, json};

use crate::{NAME, REGION};

pub(super) fn assets(plan: &Plan) -> Option<PlatformAssets> {
    let toy = plan.platform.toy.as_deref()?;
    let id = &plan.identity.infra_id;
    let provider = |pool: &Pool| json!({ "kind": "ToyMachineProviderConfig", "type": pool.machine_type, "zone": toy.zone });
    let set = |pool: &Pool| MachineSet {
        name: format!("{id}-{}-{}", pool.name, toy.zone),
        role: "worker",
        replicas: pool.replicas,
        labelled: false,
        provider: provider(pool),
        node_labels: std::collections::BTreeMap::new(),
        taints: Vec::new(),
    };
    let control_plane: Vec<Value> =
        (0..toy.control_plane.replicas).map(|_| provider(&toy.control_plane)).collect();
    Some(PlatformAssets {
        type_name: "External",
        infrastructure_spec: json!({}),
        infrastructure_status: json!({}),
        cloud_config: None,
        public_zone: None,
        private_zone: None,
        dns_platform: json!({ "type": "" }),
        ingress_platform: json!({ "type": "" }),
        ingress_parameters: None,
        no_proxy: Vec::new(),
        var_partition: false,
        data_devices: Vec::new(),
        own_boot_images: false,
        csi_driver: None,
        pod_network_mtu: None,
        cloud_credentials: None,
        credentials_reader: ("toy-creds-secret-reader", "toy-credentials"),
        machines: MachineAssets {
            cluster_api_sets: Vec::new(),
            template: provider(&toy.control_plane),
            failure_domains: None,
            sets: toy.compute.iter().map(set).collect(),
            control_plane,
        },
        metadata: raw(&json!({ REGION: toy.region })),
        tfvars: raw(&json!({ format!("{NAME}_region"): toy.region })),
        own_tfvars: raw(&json!({})),
    })
}
