//! The infrastructure of a cluster as a graph of resources, and what a cloud does for one of them.
//!
//! The graph is pure data: what [`crate::Platform::resources`] gives is what `--plan` shows and what the engine
//! creates. An [`Api`] finds and creates single resources; the order, repetition and waiting are the engine's.

use std::collections::{BTreeMap, BTreeSet};

use landfall_diagnostics::Finding;
use landfall_diagnostics::secret::Secret;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::cloud::Waiting;

/// The key of a reference to an output of another resource.
const OUTPUT: &str = "$output";
/// The key of a reference to a secret.
const SECRET: &str = "$secret";

/// What the kinds of resources begin with that are the user's and only looked at.
pub const GIVEN: &str = "given-";

/// Properties or outputs of a resource.
pub type Properties = Map<String, Value>;

/// A resource that a cluster needs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Node {
    /// Its name in the graph: kind and name, such as `subnet/private-us-east-1a`.
    pub name: String,
    /// Its kind, such as `subnet`.
    pub kind: &'static str,
    /// The stage that creates it.
    pub stage: &'static str,
    /// What it is to be. References to outputs of other resources and to secrets are objects with one key.
    pub properties: Properties,
    /// Resources that must exist first, although no property refers to them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
}

/// The resources of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Graph {
    /// The resources. Those that another one needs come before it.
    pub resources: Vec<Node>,
    /// What each stage gives to whoever comes after it, with references.
    pub outputs: BTreeMap<&'static str, Value>,
    /// What kinds are called for people, as in the summary of a plan: lines such as `nat-gateway: NAT gateway`.
    #[serde(skip)]
    pub titles: &'static str,
}

impl Graph {
    /// What a kind is called for people.
    #[must_use]
    pub fn title(&self, kind: &'static str) -> &'static str {
        let title = |line: &'static str| line.strip_prefix(kind)?.strip_prefix(": ");
        self.titles.lines().find_map(title).unwrap_or(kind)
    }
}

/// What the machines of a cluster start from, where another program creates everything else.
#[derive(Clone, Debug, PartialEq)]
pub struct BootSources {
    /// The machines' image and the bootstrap machine's ignition config. What they need of the rest is in the graph as
    /// the user's own resources are: it is only looked at. All of it has one stage.
    pub graph: Graph,
    /// That stage.
    pub stage: &'static str,
    /// The bootstrap machine, which is not in the graph, as [`Api::ignition`] takes it.
    pub machine: Node,
}

/// A reference to an output of another resource.
#[must_use]
pub fn output(node: &str, output: &str) -> Value {
    json!({ OUTPUT: format!("{node}#{output}") })
}

/// A reference to a secret, so that no secret is in the graph.
#[must_use]
pub fn secret(name: &str) -> Value {
    json!({ SECRET: name })
}

/// The name of the secret that a value refers to.
#[must_use]
pub fn secret_name(value: &Value) -> Option<&str> {
    value.get(SECRET)?.as_str()
}

fn reference(value: &Value) -> Option<(&str, &str)> {
    value.get(OUTPUT)?.as_str()?.split_once('#')
}

/// The names of the resources whose outputs a value refers to.
#[must_use]
pub fn needs(value: &Value) -> BTreeSet<&str> {
    let mut needs = BTreeSet::new();
    collect(value, &mut needs);
    needs
}

fn collect<'v>(value: &'v Value, into: &mut BTreeSet<&'v str>) {
    if let Some((node, _)) = reference(value) {
        into.insert(node);
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, into)),
        Value::Object(items) => items.values().for_each(|item| collect(item, into)),
        _ => {}
    }
}

/// A value with the outputs in place of the references to them; none while one of them is not known.
#[must_use]
pub fn resolve(value: &Value, outputs: &BTreeMap<String, Properties>) -> Option<Value> {
    if let Some((node, output)) = reference(value) {
        return outputs.get(node)?.get(output).cloned();
    }
    Some(match value {
        Value::Array(items) => {
            Value::Array(items.iter().map(|item| resolve(item, outputs)).collect::<Option<_>>()?)
        }
        Value::Object(items) => {
            let resolved = items.iter().map(|(key, item)| Some((key.clone(), resolve(item, outputs)?)));
            Value::Object(resolved.collect::<Option<_>>()?)
        }
        other => other.clone(),
    })
}

fn texts(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        _ if reference(value).is_some() || secret_name(value).is_some() => {}
        Value::String(text) => {
            into.insert(text.clone());
        }
        Value::Array(items) => items.iter().for_each(|item| texts(item, into)),
        Value::Object(items) => items.values().for_each(|item| texts(item, into)),
        _ => {}
    }
}

impl Node {
    /// The texts of the properties that refer to no other resource.
    #[must_use]
    pub fn given(&self) -> BTreeSet<String> {
        let mut given = BTreeSet::new();
        self.properties.values().for_each(|value| texts(value, &mut given));
        given
    }

    /// The names of the resources that must exist first.
    #[must_use]
    pub fn needs(&self) -> BTreeSet<&str> {
        let mut needs: BTreeSet<&str> = self.after.iter().map(String::as_str).collect();
        self.properties.values().for_each(|value| collect(value, &mut needs));
        needs
    }
}

/// A resource whose inputs are known.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Its name in the graph.
    pub name: String,
    /// Its kind.
    pub kind: &'static str,
    /// What it is to be, with all references to outputs resolved.
    pub inputs: Properties,
    /// The same for every attempt at creating this one resource, for clouds that recognise a repeated call by it.
    pub token: String,
    /// Its outputs as an earlier run noted them.
    pub noted: Option<Properties>,
    /// Whether an earlier run may have created it without noting it.
    pub begun: bool,
    /// The texts of its inputs that the plan has, in contrast to outputs of other resources.
    pub given: BTreeSet<String>,
}

impl Wanted {
    /// A text of the inputs; empty where there is none.
    #[must_use]
    pub fn text(&self, key: &str) -> &str {
        self.inputs.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// A list of texts of the inputs.
    #[must_use]
    pub fn texts(&self, key: &str) -> Vec<String> {
        let items = self.inputs.get(key).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

/// How far a resource is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It can be used.
    Ready,
    /// It is on its way, as the cloud names that.
    Pending(String),
    /// It will not become ready, for this reason.
    Broken(String),
}

/// A resource that exists.
#[derive(Clone, Debug, PartialEq)]
pub struct Existing {
    /// Its outputs, such as its id.
    pub outputs: Properties,
    /// Properties that are not as they are to be: property, what it is, what is wanted.
    pub differences: Vec<(String, Value, Value)>,
    /// How far it is.
    pub state: State,
    /// Whether its tags say that it is the cluster's; none where it has no tags, or they are not known.
    pub is_own: Option<bool>,
}

/// Why a call did not succeed.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The cloud limits how often it is called.
    Throttled(Box<Finding>),
    /// No answer came, or the cloud failed: whether the call had an effect is not known.
    Unknown(Box<Finding>),
    /// The cloud does not see yet what was created just before.
    NotYet(Box<Finding>),
    /// The cloud refuses the call.
    Refused(Box<Finding>),
}

/// How resources of a kind are dealt with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each says something else")]
pub struct Traits {
    /// Resources that need this one have to wait until it is ready.
    pub blocks: bool,
    /// Something is to be done after the creating call.
    pub completes: bool,
    /// It takes a while to become ready.
    pub waits: bool,
    /// It is the user's, and only looked at.
    pub is_given: bool,
    /// The creating call is put again for one that failed, and repairs it.
    pub repeats: bool,
    /// [`Api::remove`] removes it, not the platform's own removal.
    pub removes: bool,
    /// An installed cluster replaces it itself, as the machines of its control plane.
    pub is_handed_over: bool,
    /// It is known by its inputs alone, as the route of a table: any engine that creates it creates the same, and can
    /// find it afterwards.
    pub is_link: bool,
    /// A look does not show whether what comes after the creating call was done.
    pub completes_unseen: bool,
}

/// What a cloud does for the resources of one cluster. Futures do nothing by themselves.
pub trait Api: Send + Sync {
    /// The resource, if it exists. The answer may come from a list that is as old as this run, unless it is to be
    /// `fresh`: then nothing is used that was read before the call, unless it was not ready a second before.
    fn find<'s>(&'s self, wanted: &'s Wanted, fresh: bool) -> Waiting<'s, Result<Option<Existing>, Failure>>;

    /// Creates the resource; gives its outputs. A resource that a repeated call would create twice is recognised by
    /// its token.
    fn create<'s>(&'s self, wanted: &'s Wanted) -> Waiting<'s, Result<Properties, Failure>>;

    /// Does what comes after the creating call: attributes, attachments and tags of kinds that do not take them with
    /// that call. Safe to repeat.
    fn complete<'s>(
        &'s self,
        _wanted: &'s Wanted,
        _outputs: &'s Properties,
    ) -> Waiting<'s, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }

    /// Changes an existing resource in place where its properties differ from what is wanted; whether it changed
    /// anything. What the cloud cannot change without replacing the resource stays as it is. Safe to repeat.
    fn repair<'s>(
        &'s self,
        _wanted: &'s Wanted,
        _existing: &'s Existing,
    ) -> Waiting<'s, Result<bool, Failure>> {
        Box::pin(async { Ok(false) })
    }

    /// The ignition config that a machine starts with, for another program that creates it; none where the cloud has no
    /// such program. The inputs of the machine are resolved.
    fn ignition<'s>(&'s self, _machine: &'s Wanted) -> Waiting<'s, Result<Option<Secret<String>>, Failure>> {
        Box::pin(async { Ok(None) })
    }

    /// How resources of a kind are dealt with.
    fn traits(&self, kind: &str) -> Traits;

    /// Takes away what a resource with these outputs has put into others that stay; it is not removed itself.
    fn release<'s>(&'s self, _kind: &'s str, _outputs: &'s Properties) -> Waiting<'s, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }

    /// What is known of a resource before it is created, as outputs of which [`Api::remove`] can remove it.
    fn known(&self, _wanted: &Wanted) -> Properties {
        Properties::new()
    }

    /// Removes a resource with these outputs, of a kind whose traits say so, and waits until it is gone. What does
    /// not exist is gone already.
    fn remove<'s>(&'s self, _kind: &'s str, _outputs: &'s Properties) -> Waiting<'s, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }
}

/// Secrets by their names in the graph.
pub type Secrets = BTreeMap<String, Secret<String>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_found_and_resolved() {
        let Value::Object(properties) = json!({
            "vpc": output("vpc/new", "id"),
            "tables": [output("route-table/a", "id"), "rtb-1"],
            "data": secret("ignition"),
        }) else {
            return;
        };
        let node = Node {
            name: "x/y".to_owned(),
            kind: "x",
            stage: "cluster",
            properties,
            after: vec!["z/z".to_owned()],
        };
        assert_eq!(node.needs().into_iter().collect::<Vec<_>>(), ["route-table/a", "vpc/new", "z/z"]);
        assert_eq!(node.given().into_iter().collect::<Vec<_>>(), ["rtb-1"]);
        let mut outputs = BTreeMap::new();
        assert_eq!(resolve(&node.properties["vpc"], &outputs), None);
        outputs.insert("vpc/new".to_owned(), Properties::from_iter([("id".to_owned(), json!("vpc-1"))]));
        assert_eq!(resolve(&node.properties["vpc"], &outputs), Some(json!("vpc-1")));
        assert_eq!(resolve(&node.properties["data"], &outputs), Some(secret("ignition")));
        assert_eq!(secret_name(&node.properties["data"]), Some("ignition"));
    }
}
