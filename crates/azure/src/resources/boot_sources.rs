//! What the machines of Azure Service Operator start from: the operator has no kinds for images and blobs.

use std::collections::BTreeSet;

use landfall_diagnostics::{Finding, Kind};
use landfall_model::azure::catalogue::Catalogue;
use landfall_model::plan::Plan;
use landfall_platform::native::{BootSources, Node, Properties};
use landfall_platform::pages::NOT_NATIVE_SETTING;
use serde_json::json;

use super::image::IMAGE_CONTAINER;
use super::kinds::given;
use super::{BOOTSTRAP, READER_ROLE, built, is_image_unknown};

/// Kinds that have no objects.
const KINDS: &[&str] = &["blob", "image-copy", "image-definition", "image-gallery", "image-version"];
/// Says of a resource that Azure Service Operator creates it.
pub(crate) const OF_OPERATOR: &str = "ofOperator";
/// Resources without objects whose kinds have some.
const NAMES: &[&str] = &[IMAGE_CONTAINER, READER_ROLE];

/// The boot sources of a plan; none for a plan of another platform.
pub(crate) fn boot_sources(plan: &Plan, catalogue: &Catalogue) -> Result<Option<BootSources>, Vec<Finding>> {
    let Some(azure) = plan.platform.azure.as_deref() else { return Ok(None) };
    if is_image_unknown(azure) {
        let message = "landfall needs the version of the machines' image, which the plan does not name";
        return Err(vec![
            Finding::error(&NOT_NATIVE_SETTING, Kind::NotSupported, "", message)
                .help("upload image and ignition config yourself, and use --aso-ignition-pointer"),
        ]);
    }
    let mut graph = built(plan, azure, catalogue)?;
    let all = std::mem::take(&mut graph.resources);
    let machine = all.iter().find(|node| node.kind == "virtual-machine" && node.stage == BOOTSTRAP).cloned();
    let Some(machine) = machine else { return Ok(None) };
    let is_source = |node: &Node| KINDS.contains(&node.kind) || NAMES.contains(&node.name.as_str());
    let needed: BTreeSet<&str> = all.iter().filter(|node| is_source(node)).flat_map(Node::needs).collect();
    graph.outputs.clear();
    graph.resources = all
        .iter()
        .filter_map(|node| {
            let mut node = if is_source(node) { node.clone() } else { looked_at(node, &needed)? };
            node.stage = BOOTSTRAP;
            Some(node)
        })
        .collect();
    let names: BTreeSet<String> = graph.resources.iter().map(|node| node.name.clone()).collect();
    for node in &mut graph.resources {
        node.after.retain(|name| names.contains(name));
    }
    Ok(Some(BootSources { graph, stage: BOOTSTRAP, machine: of_ignition(machine) }))
}

/// A resource that a boot source needs and somebody else creates.
fn looked_at(node: &Node, needed: &BTreeSet<&str>) -> Option<Node> {
    let kind = given(node.kind).filter(|_| needed.contains(node.name.as_str()))?;
    let is_of_operator = kind != node.kind;
    let mut node = Node { kind, after: Vec::new(), ..node.clone() };
    node.properties.insert("body".to_owned(), json!({}));
    if is_of_operator {
        node.properties.insert(OF_OPERATOR.to_owned(), true.into());
    }
    Some(node)
}

/// A machine, as far as its ignition config goes.
fn of_ignition(mut machine: Node) -> Node {
    let config =
        machine.properties.get("body").and_then(|body| body.pointer("/properties/osProfile/customData"));
    let body = json!({ "properties": { "osProfile": { "customData": config } } });
    let source = machine.properties.remove("ignition").unwrap_or_default();
    machine.properties = Properties::from_iter([("body".to_owned(), body), ("ignition".to_owned(), source)]);
    machine.after.clear();
    machine
}
