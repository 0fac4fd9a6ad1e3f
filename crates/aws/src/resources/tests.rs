use std::collections::BTreeMap;

use landfall_platform::native::Graph;
use serde_json::{Value, json};

use super::names::NODE_ACTIONS;
use super::network::Network;
use super::titles::TITLES;
use super::variables::Variables;
use super::{Builder, CLUSTER_STAGE, refusal};

#[test]
fn a_variable_that_the_graph_does_not_know_is_refused() {
    let read = serde_json::from_value::<Variables>(json!({ "aws_newer_setting": true }));
    let why = read.map(|_| ()).map_err(|error| error.to_string());
    assert!(why.is_err_and(|why| why.contains("unknown field `aws_newer_setting`")));
}

#[test]
fn the_actions_of_nodes_are_read() {
    assert_eq!(NODE_ACTIONS.keys().collect::<Vec<_>>(), ["master", "worker"]);
    assert!(NODE_ACTIONS.values().all(|actions| !actions.is_empty() && actions.is_sorted()));
}

#[test]
fn a_refusal_names_the_engine_that_can() {
    let finding = refusal("platform.aws", "no".to_owned());
    assert_eq!(finding.code.as_str(), "LF1421");
    assert!(finding.help.is_some_and(|help| help.contains("--engine terraform")));
}

/// The variables of a cluster; `more` are further ones.
fn variables(more: &[(&str, Value)]) -> serde_json::Result<Variables> {
    let mut all = json!({
        "aws_ami": "ami-0a", "aws_ami_region": "us-east-1", "aws_region": "us-east-1",
        "aws_master_instance_type": "m6i.xlarge", "aws_master_availability_zones": ["us-east-1a"],
        "aws_worker_availability_zones": ["us-east-1a"], "aws_master_root_volume_iops": 0,
        "aws_master_root_volume_size": 120, "aws_master_root_volume_type": "gp3",
        "aws_master_root_volume_encrypted": true, "aws_publish_strategy": "External",
        "aws_ignition_bucket": "demo-bootstrap", "aws_bootstrap_stub_ignition": "{}",
        "aws_preserve_bootstrap_ignition": false, "aws_layout": "4.16", "aws_private_cidrs": {},
        "aws_public_cidrs": {}, "aws_partition_id": "aws", "aws_ec2_service_principal": "ec2.amazonaws.com",
        "aws_api_record_type": "A", "aws_dhcp_domain_name": "ec2.internal",
        "aws_s3_endpoint_service": "com.amazonaws.us-east-1.s3", "aws_s3_use_path_style": false,
    });
    for (name, value) in more {
        all[*name] = value.clone();
    }
    serde_json::from_value(all)
}

/// The records of a cluster, each with the records that it waits for; `more` are further variables.
fn records(more: &[(&str, Value)]) -> serde_json::Result<BTreeMap<String, Vec<String>>> {
    let vars = variables(more)?;
    let graph = Graph { titles: TITLES, ..Graph::default() };
    let mut builder = Builder { vars: &vars, graph, stage: CLUSTER_STAGE };
    let network = Network {
        vpc: json!("vpc-1"),
        gateway: Vec::new(),
        private: Vec::new(),
        public: Vec::new(),
        private_of_zone: BTreeMap::new(),
        public_of_zone: BTreeMap::new(),
        given_range: None,
        ipv6: None,
    };
    builder.dns(&network, Some("Z1"));
    let records = builder.graph.resources.iter().filter(|node| node.kind == "record");
    let waits = records.map(|node| {
        let needs = node.needs().into_iter().filter(|name| name.starts_with("record/"));
        (node.name.clone(), needs.map(str::to_owned).collect())
    });
    Ok(waits.collect())
}

/// All that is created, by name; `more` are further variables.
fn created(more: &[(&str, Value)]) -> serde_json::Result<BTreeMap<String, Value>> {
    let cidrs = |third: u8| json!({ "us-east-1a": format!("10.0.{third}.0/24"), "us-east-1b": format!("10.0.{}.0/24", third + 1) });
    let of_network = [("aws_private_cidrs", cidrs(0)), ("aws_public_cidrs", cidrs(8))];
    let vars = variables(&[&of_network, more].concat())?;
    let mut builder =
        Builder { vars: &vars, graph: Graph { titles: TITLES, ..Graph::default() }, stage: CLUSTER_STAGE };
    let network = builder.network();
    builder.cluster(&network, None);
    builder.bootstrap(&network);
    let nodes = builder.graph.resources.into_iter();
    Ok(nodes.map(|node| (node.name, Value::Object(node.properties))).collect())
}

#[test]
fn the_bootstrap_machine_is_like_those_of_the_control_plane() -> serde_json::Result<()> {
    let more = [
        ("aws_master_availability_zones", json!(["us-east-1b"])),
        ("aws_master_security_groups", json!(["sg-1"])),
        ("aws_master_root_volume_kms_key_id", json!("arn:aws:kms:us-east-1:123456789012:key/k")),
    ];
    for (layout, zone, groups) in [("4.14", "us-east-1a", 2), ("4.16", "us-east-1b", 5)] {
        let all = created(&[&more[..], &[("aws_layout", json!(layout))]].concat())?;
        let (machine, master) = (&all["instance/bootstrap"], &all["instance/master-0"]);
        assert_eq!(machine["subnet"], super::id(&format!("subnet/public-{zone}")), "{layout}");
        assert_eq!(machine["groups"].as_array().map(Vec::len), Some(groups), "{layout}");
        assert_eq!(machine["volume"]["key"], master["volume"]["key"]);
        assert!(machine["volume"]["key"].is_string());
    }
    let given = [("aws_vpc", json!("vpc-1")), ("aws_public_subnets", json!(["subnet-1", "subnet-2"]))];
    let all = created(&[&more[..], &given].concat())?;
    let near = landfall_platform::native::output("given-subnets/public", "us-east-1b");
    assert_eq!(all["instance/bootstrap"]["subnet"], near);
    Ok(())
}

#[test]
fn some_regions_have_load_balancers_without_security_groups() -> serde_json::Result<()> {
    for (has, groups) in [(true, 1), (false, 0)] {
        let all = created(&[("aws_load_balancer_security_groups", json!(has))])?;
        let found = all["load-balancer/int"]["securityGroups"].as_array().map_or(0, Vec::len);
        assert_eq!(found, groups);
    }
    Ok(())
}

/// A run that is killed in between leaves no public record without the private one by which destroy knows it.
#[test]
fn a_public_record_waits_for_its_private_one() -> serde_json::Result<()> {
    let shown = |records: &BTreeMap<String, Vec<String>>| {
        let shown = records.iter().map(|(name, needs)| format!("{name}: {}", needs.join(" ")));
        shown.collect::<Vec<String>>()
    };
    let own = ["record/private-api: ", "record/private-api-int: "];
    let public = "record/public-api: record/private-api";
    assert_eq!(shown(&records(&[])?), [own[0], own[1], public]);
    assert_eq!(shown(&records(&[("aws_internal_zone", json!("Z2"))])?), [own[0], own[1], public]);
    assert_eq!(shown(&records(&[("aws_publish_strategy", json!("Internal"))])?), own);
    let dual = records(&[("aws_ip_family", json!("DualStackIPv4Primary"))])?;
    let public = dual.get("record/public-api-ipv6").map(Vec::as_slice);
    assert_eq!(public, Some(["record/private-api-ipv6".to_owned()].as_slice()));
    // Records that the user provides are none of the cluster's.
    assert!(records(&[("aws_api_addresses", json!({ "us-east-1a": "10.0.0.5" }))])?.is_empty());
    Ok(())
}
