//! The ten resources of a cluster, as a graph and in words.

use landfall_model::plan::outline::{Item, Later, Outline};
use landfall_model::plan::{Plan, in_turn};
use landfall_platform::native::{Graph, Node, output, secret};
use serde_json::{Value, json};

use crate::STAGES;

const CLUSTER: &str = "cluster";
const BOOTSTRAP: &str = "bootstrap";

/// Each kind: its name in the graph, the one for people, and the stage.
const KINDS: &[(&str, &str, &str)] = &[
    ("network", "Network", CLUSTER),
    ("subnet", "Subnet", CLUSTER),
    ("firewall", "Firewall", CLUSTER),
    ("address", "Public address", CLUSTER),
    ("balancer", "Load balancer", CLUSTER),
    ("record", "DNS record", CLUSTER),
    ("machine", "Machine", CLUSTER),
    ("bootstrap-machine", "Machine", BOOTSTRAP),
];

/// The resources of a plan; none for a plan of another platform.
pub(super) fn graph(plan: &Plan) -> Option<Graph> {
    let toy = plan.platform.toy.as_deref()?;
    let id = |node: &str| output(node, "id");
    let mut graph = Graph::default();
    let mut add = |kind: &'static str, name: &str, properties: Value| {
        let stage = KINDS.iter().find(|known| known.0 == kind).map_or(CLUSTER, |known| known.2);
        let Value::Object(mut properties) = properties else { return };
        properties.insert("region".to_owned(), json!(toy.region));
        let name = format!("{kind}/{name}");
        graph.resources.push(Node { name, kind, stage, properties, after: Vec::new() });
    };
    add("network", "cluster", json!({ "cidr": toy.network }));
    add("subnet", "cluster", json!({ "network": id("network/cluster"), "zone": toy.zone }));
    add("firewall", "cluster", json!({ "network": id("network/cluster"), "ports": [6443, 22623] }));
    add("address", "api", json!({}));
    let balancer = json!({ "subnet": id("subnet/cluster"), "address": id("address/api") });
    add("balancer", "api", balancer);
    let record = json!({ "name": format!("api.{}", plan.cluster.domain), "target": id("balancer/api") });
    add("record", "api", record);
    let machine = |machine_type: &str, ignition: &str| {
        json!({
            "subnet": id("subnet/cluster"),
            "firewall": id("firewall/cluster"),
            "balancer": id("balancer/api"),
            "type": machine_type,
            "userData": secret(ignition),
        })
    };
    let pool = &toy.control_plane;
    let zones = [toy.zone.clone()];
    for (index, _) in in_turn(&zones, pool.replicas).enumerate() {
        add("machine", &format!("master-{index}"), machine(&pool.machine_type, "ignition_master"));
    }
    add("bootstrap-machine", BOOTSTRAP, machine(&pool.machine_type, "ignition_bootstrap"));
    let address = json!({ "api_address": id("address/api") });
    graph.outputs.insert(CLUSTER, address);
    Some(graph)
}

/// The same in words.
pub(super) fn outline(plan: &Plan) -> Outline {
    let Some(graph) = graph(plan) else { return Outline::default() };
    let item = |(kind, title, stage): &(&'static str, &'static str, &'static str)| {
        let names: Vec<String> =
            graph.resources.iter().filter(|node| node.kind == *kind).map(|node| node.name.clone()).collect();
        let count = u32::try_from(names.len()).unwrap_or(u32::MAX);
        Item::new(stage, kind, title, count).named(names)
    };
    let compute = plan.platform.toy.iter().flat_map(|toy| &toy.compute);
    let later = compute.map(|pool| Later {
        kind: "Compute machine",
        count: pool.replicas,
        names: Vec::new(),
        detail: pool.machine_type.clone(),
    });
    Outline::new(STAGES, KINDS.iter().map(item).collect(), Vec::new(), later.collect())
}

/// Whether resources of a kind are machines.
pub(super) fn is_machine(kind: &str) -> bool {
    KINDS.iter().any(|known| known.0 == kind && known.1 == "Machine")
}

/// How many machines are created for a plan.
pub(super) fn machines(plan: &Plan) -> usize {
    graph(plan).map_or(0, |graph| graph.resources.iter().filter(|node| is_machine(node.kind)).count())
}
