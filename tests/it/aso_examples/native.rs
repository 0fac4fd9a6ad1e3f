//! One translation, two engines: what the native engine creates is what Azure Service Operator would be asked for, with
//! every setting of every object.

use std::collections::{BTreeMap, BTreeSet};

use landfall_engine_aso::desired::{Desired, Mode};
use landfall_engine_aso::translate::{Creator, Ignition, Input, translate};
use landfall_install_config::platforms;
use landfall_model::catalogue::Catalogue;
use landfall_model::plan::Plan;
use landfall_platform::native::{Graph, Node};
use serde_json::{Value, json};

use super::{changed, dual_stack, input_of};

const IMAGE: &str = "https://example.blob.core.windows.net/vhd/rhcos.vhd";

/// A plan as it is for a release whose image is known.
fn planned(example: &str, change: impl FnOnce(&mut Value)) -> Plan {
    let mut plan = changed(example, change);
    let image = &mut plan.platform.azure.as_mut().unwrap().image;
    IMAGE.clone_into(&mut image.url);
    "420.94.20260101".clone_into(&mut image.release);
    plan
}

fn graph(plan: &Plan) -> Graph {
    let platform = platforms::named("azure").unwrap();
    let graph = platform.resources(plan, Catalogue::embedded());
    graph.unwrap_or_else(|findings| panic!("{findings:#?}")).unwrap()
}

/// The objects of the operator for the same plan.
fn objects(plan: &Plan) -> Vec<Desired> {
    const POINTER: &str = r#"{"ignition":{}}"#;
    let input = Input {
        machines: true,
        bootstrap: true,
        ignition: Ignition { bootstrap: Some(POINTER), control_plane: Some(POINTER) },
        creator: Creator::Landfall,
        ..input_of(plan)
    };
    translate(&input).unwrap_or_else(|findings| panic!("{findings:#?}")).objects
}

/// Every value with the name that it has, whatever it is in; without references and secrets.
fn leaves(name: &str, value: &Value, into: &mut BTreeMap<(String, String), usize>) {
    match value {
        Value::Object(fields) if fields.keys().any(|key| key.starts_with('$')) => {}
        Value::Object(fields) => fields.iter().for_each(|(name, value)| leaves(name, value, into)),
        Value::Array(all) => all.iter().for_each(|value| leaves(name, value, into)),
        other => *into.entry((name.to_owned(), other.to_string())).or_default() += 1,
    }
}

/// The settings of an object: all but who owns it, what it refers to, and what tells the operator what to do.
fn settings(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(key, _)| {
                ![
                    "azureName",
                    "owner",
                    "operatorSpec",
                    "reference",
                    "customData",
                    "principalIdFromConfig",
                    "roleDefinitionReference",
                    "userAssignedIdentityReference",
                ]
                .contains(&key.as_str())
            })
            .map(|(key, value)| (key.clone(), settings(value)))
            .collect(),
        Value::Array(all) => all.iter().map(settings).collect(),
        other => other.clone(),
    }
}

fn node<'g>(graph: &'g Graph, desired: &Desired) -> Option<&'g Node> {
    let azure = desired.spec.get("azureName").and_then(Value::as_str)?.to_lowercase();
    let of_object = |node: &&Node| node.name.ends_with(&format!("/{}", desired.name));
    graph.resources.iter().filter(of_object).find(|node| {
        node.properties["id"].as_str().is_some_and(|id| id.to_lowercase().ends_with(&format!("/{azure}")))
    })
}

/// Holds of every plan.
fn checked(plan: &Plan) -> Graph {
    let graph = graph(plan);
    let mut known = BTreeSet::new();
    for node in &graph.resources {
        for need in node.needs() {
            assert!(known.contains(need), "{} needs {need} before", node.name);
        }
        assert!(known.insert(node.name.as_str()), "{} is there twice", node.name);
    }
    for desired in objects(plan) {
        if desired.kind.kind == "StorageAccountsBlobService" {
            continue;
        }
        let Some(node) = node(&graph, &desired) else { panic!("{desired:?} has no resource") };
        if desired.hints.mode != Mode::Managed {
            assert!(node.kind.starts_with("given-"), "{}", node.name);
            assert_eq!(node.properties["body"], json!({}));
            continue;
        }
        let (mut wanted, mut made) = (BTreeMap::new(), BTreeMap::new());
        leaves("", &settings(&Value::Object(desired.spec.clone())), &mut wanted);
        leaves("", &node.properties["body"], &mut made);
        for (leaf, count) in wanted {
            // What the status of another object tells is told by its output here.
            let is_told = ["aRecords", "ARecords", "ipv4Address", "cname"].contains(&leaf.0.as_str());
            let made = made.get(&leaf).copied().unwrap_or_default();
            assert!(is_told || made >= count, "{}: {leaf:?} is lost: {}", node.name, node.properties["body"]);
        }
        for (key, value) in &desired.hints.additional_tags {
            let tags = node.properties["body"].to_string();
            let has = desired.kind.tag_carrier.field().is_none()
                || tags.contains(&format!("\"{key}\":\"{value}\""));
            assert!(has, "{} lacks the tag {key}", node.name);
        }
    }
    graph
}

fn names<'g>(graph: &'g Graph, kind: &str) -> Vec<&'g str> {
    graph.resources.iter().filter(|node| node.kind == kind).map(|node| node.name.as_str()).collect()
}

fn body<'g>(graph: &'g Graph, name: &str) -> &'g Value {
    let node = graph.resources.iter().find(|node| node.name == name);
    &node.unwrap_or_else(|| panic!("there is no {name}")).properties["body"]
}

#[test]
fn every_setting_of_every_object_is_in_a_body() {
    for example in ["public", "byo-private"] {
        checked(&planned(example, |_| {}));
    }
    checked(&planned("public", |config| config["publish"] = json!("Internal")));
    checked(&planned("public", |config| {
        config["platform"]["azure"]["outboundType"] = json!("NATGatewaySingleZone");
        config["platform"]["azure"]["userTags"] = json!({ "team": "moon" });
    }));
    checked(&planned("public", |config| {
        config["controlPlane"]["platform"]["azure"]["encryptionAtHost"] = json!(true);
    }));
    checked(&planned("public", |config| {
        config["platform"]["azure"]["customerManagedKey"] = json!({
            "keyVault": { "resourceGroup": "vault-rg", "name": "vault1", "keyName": "key1" },
            "userAssignedIdentityKey": "reader",
        });
    }));
    checked(&planned("public", dual_stack));
    checked(&planned("public", |config| {
        dual_stack(config);
        config["publish"] = json!("Internal");
    }));
}

#[test]
fn references_are_ids_and_parts_have_properties() {
    let plan = planned("public", |_| {});
    let graph = graph(&plan);
    let id = plan.identity.infra_id.as_str();
    let balancer = body(&graph, &format!("load-balancer/{id}"));
    let front = &balancer["properties"]["frontendIPConfigurations"][0];
    let address = front["properties"]["publicIPAddress"]["id"].as_str().unwrap();
    assert!(address.ends_with(&format!("/Microsoft.Network/publicIPAddresses/{id}-pip-v4")), "{front}");
    let rule = &balancer["properties"]["loadBalancingRules"][0];
    assert_eq!(rule["properties"]["frontendPort"], 6443, "{rule}");
    assert!(rule["properties"]["probe"]["id"].as_str().unwrap().contains("/probes/"), "{rule}");
    let machine = body(&graph, &format!("virtual-machine/{id}-master-0"));
    let card = &machine["properties"]["networkProfile"]["networkInterfaces"][0];
    assert_eq!(card["properties"]["primary"], true, "{card}");
    assert!(card["id"].as_str().unwrap().ends_with(&format!("/{id}-master-0-nic")), "{card}");
    let identities = machine["identity"]["userAssignedIdentities"].as_object().unwrap();
    assert!(identities.keys().all(|key| key.ends_with(&format!("/{id}-identity"))), "{identities:?}");
    assert_eq!(machine["properties"]["osProfile"]["customData"], json!({ "$secret": "ignition_master" }));
    assert!(machine["zones"].is_array() && machine["properties"]["zones"].is_null(), "{machine}");
    let roles = names(&graph, "role-assignment");
    let principal = &body(&graph, roles[0])["properties"]["principalId"];
    assert_eq!(*principal, json!({ "$output": format!("identity/{id}-identity#principalId") }));
}

#[test]
fn what_the_operator_has_no_kind_for_is_created_as_well() {
    let graph = graph(&planned("byo-private", |_| {}));
    for (kind, count) in [
        ("image-copy", 1),
        ("image-gallery", 1),
        ("image-definition", 2),
        ("image-version", 2),
        ("blob", 1),
        // One in the group of the cluster, one in that of the network.
        ("role-assignment", 2),
        ("given-virtual-network", 1),
        ("given-subnet", 2),
    ] {
        assert_eq!(names(&graph, kind).len(), count, "{kind}");
    }
    let machines = graph.resources.iter().filter(|node| node.kind == "virtual-machine");
    for machine in machines {
        let versions = machine.after.iter().filter(|name| name.starts_with("image-version/"));
        assert_eq!(versions.count(), 2, "{machine:?}");
    }
    assert!(!graph.outputs["bootstrap"]["bootstrap_ip"].is_null(), "{:?}", graph.outputs);
}

#[test]
fn what_the_operator_cannot_create_landfall_does() {
    let plan = planned("public", |config| {
        config["sshKey"] = json!("");
        config["controlPlane"]["platform"]["azure"]["ultraSSDCapability"] = json!("Enabled");
    });
    let graph = graph(&plan);
    let id = plan.identity.infra_id.as_str();
    let machine = |name: &str| body(&graph, &format!("virtual-machine/{id}-{name}"))["properties"].clone();
    let properties = machine("bootstrap");
    // It is in no zone, and outside of one Azure refuses it.
    assert!(properties["additionalCapabilities"].is_null());
    assert_eq!(machine("master-0")["additionalCapabilities"], json!({ "ultraSSDEnabled": true }));
    let profile = &properties["osProfile"];
    assert_eq!(profile["linuxConfiguration"]["disablePasswordAuthentication"], false, "{profile}");
    assert!(profile["adminPassword"].is_string(), "{profile}");
}

#[test]
fn what_landfall_cannot_create_is_refused() {
    let mut plan = planned("public", |_| {});
    plan.platform.azure.as_mut().unwrap().image.release.clear();
    let platform = platforms::named("azure").unwrap();
    let refused = platform.resources(&plan, Catalogue::embedded()).err().unwrap_or_default();
    let codes: Vec<&str> = refused.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(codes, ["LF1421"]);
}
