//! What has no document of its own, but is a part of another one's: subnets, rules, addresses of interfaces.

use serde_json::{Value, json};

use super::tree::Tree;

/// Kinds with parts, and the names of these; the ids of parts are made of them.
pub const PARTS: &[(&str, &[&str])] = &[
    ("microsoft.network/virtualnetworks", &["subnets"]),
    ("microsoft.network/networksecuritygroups", &["securityRules"]),
    ("microsoft.network/networkinterfaces", &["ipConfigurations"]),
    (
        "microsoft.network/loadbalancers",
        &["frontendIPConfigurations", "backendAddressPools", "probes", "loadBalancingRules", "outboundRules"],
    ),
];

/// A path of a part: the whole, the name of the list, and the name in it.
fn split<'p>(tree: &Tree, path: &'p str) -> Option<(&'p str, &'static str, &'p str)> {
    let (above, name) = path.rsplit_once('/')?;
    let (whole, list) = above.rsplit_once('/')?;
    let lower = whole.to_lowercase();
    let (_, lists) = PARTS.iter().find(|(kind, _)| {
        lower.rsplit_once('/').is_some_and(|(before, _)| before.ends_with(&format!("/providers/{kind}")))
    })?;
    let list = lists.iter().find(|known| known.eq_ignore_ascii_case(list))?;
    // Some tests set parts down by themselves.
    (tree.get(path).is_none() && tree.get(whole).is_some()).then_some((whole, *list, name))
}

fn is_named(part: &Value, name: &str) -> bool {
    part["name"].as_str().is_some_and(|own| own.eq_ignore_ascii_case(name))
}

/// What is at a path, be it a part.
pub fn get<'t>(tree: &'t Tree, path: &str) -> Option<&'t Value> {
    if let Some(document) = tree.get(path) {
        return Some(document);
    }
    let (whole, list, name) = split(tree, path)?;
    tree.get(whole)?["properties"][list].as_array()?.iter().find(|part| is_named(part, name))
}

/// The parts that a path lists, where it is a list of parts.
pub fn listed(tree: &Tree, path: &str) -> Option<Vec<Value>> {
    let below = format!("{path}/-");
    let (whole, list, _) = split(tree, &below)?;
    Some(tree.get(whole)?["properties"][list].as_array().cloned().unwrap_or_default())
}

/// Sets something down, be it a part.
pub fn put(tree: &mut Tree, path: &str, document: Value) {
    let Some((whole, list, name)) = split(tree, path) else {
        return tree.put(path, document);
    };
    let parts = &mut tree.at(whole)["properties"][list];
    if !parts.is_array() {
        *parts = json!([]);
    }
    let parts = parts.as_array_mut().unwrap();
    match parts.iter_mut().find(|part| is_named(part, name)) {
        Some(part) => *part = document,
        None => parts.push(document),
    }
}

/// Takes something away, be it a part.
pub fn take(tree: &mut Tree, path: &str) {
    let Some((whole, list, name)) = split(tree, path) else {
        return tree.take(path);
    };
    if let Some(parts) = tree.at(whole)["properties"][list].as_array_mut() {
        parts.retain(|part| !is_named(part, name));
    }
}
