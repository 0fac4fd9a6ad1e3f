//! The resources of an engine that has resources of its own.

use landfall_model::plan::outline::{Item, Outline};
use landfall_platform::native::{GIVEN, Graph, Node};

/// A resource of an engine that has resources of its own.
pub(super) struct Listed {
    /// Name of its stage.
    pub(super) stage: &'static str,
    /// Its kind in the graph.
    pub(super) kind: &'static str,
    /// What the kind is called for people.
    title: &'static str,
    /// Its name in the graph.
    pub(super) name: String,
}

/// The resources of a graph without the user's.
pub(super) fn listed(graph: &Graph) -> Vec<Listed> {
    let own = graph.resources.iter().filter(|node| !node.kind.starts_with(GIVEN));
    let listed = |node: &Node| Listed {
        stage: node.stage,
        kind: node.kind,
        title: graph.title(node.kind),
        name: node.name.clone(),
    };
    own.map(listed).collect()
}

/// A resource's name without its kind.
pub(super) fn short(name: &str) -> &str {
    name.split_once('/').map_or(name, |(_, name)| name)
}

/// The outline of a graph: one item for each kind of a stage. What is the user's, and what the cluster
/// creates later, is that of the plan.
pub(super) fn outline_of(nodes: &[Listed], plan: &Outline) -> Outline {
    let mut items: Vec<Item> = Vec::new();
    for node in nodes {
        let known = items.iter_mut().find(|item| (item.stage, item.resource) == (node.stage, node.kind));
        match known {
            Some(item) => item.count += 1,
            None => items.push(Item::new(node.stage, node.kind, node.title, 1)),
        }
    }
    Outline { items, ..plan.clone() }
}
