//! From an object of Azure Service Operator to the id and body of its resource.
//!
//! The operator's kinds mirror Azure's types: what Azure has below `properties` is flat there, and references name
//! objects. Here both are put back.

use std::collections::BTreeMap;

use landfall_azure_objects::desired::Desired;
use landfall_azure_objects::names::{group_id, resource_id};
use landfall_platform::native::output;
use serde_json::{Map, Value, json};

use super::kinds::type_of;

/// What a resource has beside its properties.
const OUTSIDE: &[&str] = &["identity", "kind", "location", "plan", "sku", "tags", "zones"];
/// What the elements of such lists have beside their properties.
const OUTSIDE_PART: &[&str] = &["id", "name", "zones"];
/// Lists whose elements have properties.
const PARTS: &[&str] = &[
    "backendAddressPools",
    "frontendIPConfigurations",
    "ipConfigurations",
    "loadBalancingRules",
    "networkInterfaces",
    "outboundRules",
    "probes",
];
/// Fields that tell the operator what to do.
const OF_OPERATOR: &[&str] = &["azureName", "operatorSpec", "owner"];

/// The ids of resources and the names of their nodes, by kind and name of their objects.
#[derive(Debug, Default)]
pub(super) struct Known(BTreeMap<(String, String), (String, String)>);

impl Known {
    /// Notes the id of the resource of an object, and its node.
    pub(super) fn add(&mut self, object: &Desired, id: &str, node: &str) {
        let key = (object.kind.kind.to_owned(), object.name.clone());
        self.0.insert(key, (id.to_owned(), node.to_owned()));
    }

    fn get(&self, kind: &str, name: &str) -> Option<&(String, String)> {
        self.0.get(&(kind.to_owned(), name.to_owned()))
    }

    /// The node of an object, if it has one.
    pub(super) fn node(&self, kind: &str, name: &str) -> Option<&str> {
        self.get(kind, name).map(|(_, node)| node.as_str()).filter(|node| !node.is_empty())
    }

    /// The id that a reference names; empty where its object is not known.
    fn id(&self, reference: &Value) -> String {
        let text = |key: &str| reference.get(key).and_then(Value::as_str);
        if let Some(id) = text("armId") {
            return id.to_owned();
        }
        let (kind, name) = (text("kind").unwrap_or_default(), text("name").unwrap_or_default());
        self.get(kind, name).map(|(id, _)| id.clone()).unwrap_or_default()
    }

    /// The id of an object's owner: one that it names, or that it needs by this name.
    fn owner(&self, object: &Desired) -> String {
        let owner = object.spec.get("owner").cloned().unwrap_or_default();
        let id = self.id(&owner);
        if !id.is_empty() {
            return id;
        }
        let name = owner.get("name").and_then(Value::as_str).unwrap_or_default();
        let need = object.needs.iter().find(|need| need.name == name);
        let known = need.and_then(|need| self.get(need.kind, &need.name));
        known.map(|(id, _)| id.clone()).unwrap_or_default()
    }
}

fn text<'o>(object: &'o Desired, key: &str) -> &'o str {
    object.spec.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The id of the resource of an object.
pub(super) fn id(object: &Desired, subscription: &str, known: &Known) -> String {
    let name = text(object, "azureName");
    let Some(of) = type_of(object.kind) else {
        return format!("{}/blobServices/default", known.owner(object));
    };
    if of.segment.is_empty() {
        return group_id(subscription, name);
    }
    let owner = known.owner(object);
    if of.segment.starts_with("Microsoft.") {
        let group = owner.rsplit('/').next().unwrap_or_default();
        return resource_id(subscription, group, &format!("{}/{name}", of.segment));
    }
    format!("{owner}/{}/{name}", of.segment)
}

/// The body with which the resource of an object is created.
pub(super) fn body(object: &Desired, known: &Known) -> Value {
    let mut spec = object.spec.clone();
    if let Some(field) = object.kind.tag_carrier.field() {
        let tags = spec.entry(field).or_insert_with(|| json!({}));
        for (key, value) in &object.hints.additional_tags {
            tags[key.as_str()] = value.as_str().into();
        }
    }
    let (mut body, mut properties) = (Map::new(), Map::new());
    for (key, value) in spec {
        match key.as_str() {
            key if OF_OPERATOR.contains(&key) => {}
            "principalIdFromConfig" => {
                let identity = object.needs.iter().find(|need| need.kind == "UserAssignedIdentity");
                let node = identity.and_then(|need| known.node(need.kind, &need.name));
                if let Some(node) = node {
                    properties.insert("principalId".to_owned(), output(node, "principalId"));
                }
            }
            "roleDefinitionReference" => {
                properties.insert("roleDefinitionId".to_owned(), known.id(&value).into());
            }
            key if OUTSIDE.contains(&key) => {
                let (key, value) = field(key, &value, known);
                body.insert(key, value);
            }
            key => {
                let (key, value) = field(key, &value, known);
                properties.insert(key, value);
            }
        }
    }
    if !properties.is_empty() {
        body.insert("properties".to_owned(), properties.into());
    }
    body.into()
}

/// A field as the resource manager has it.
fn field(key: &str, value: &Value, known: &Known) -> (String, Value) {
    match (key, value) {
        ("userAssignedIdentities", Value::Array(all)) => {
            let ids = all.iter().filter_map(|one| one.get("reference"));
            let ids = ids.map(|reference| (known.id(reference), json!({})));
            (key.to_owned(), ids.collect::<Map<String, Value>>().into())
        }
        ("userAssignedIdentityReference", reference) => {
            ("userAssignedIdentity".to_owned(), known.id(reference).into())
        }
        (key, Value::Array(all)) if PARTS.contains(&key) => {
            (key.to_owned(), all.iter().map(|one| part(one, known)).collect())
        }
        _ => (key.to_owned(), converted(value, known)),
    }
}

fn converted(value: &Value, known: &Known) -> Value {
    match value {
        Value::Array(all) => all.iter().map(|one| converted(one, known)).collect(),
        Value::Object(fields) => {
            let mut made = Map::new();
            for (key, value) in fields {
                if key == "reference" {
                    made.insert("id".to_owned(), known.id(value).into());
                } else {
                    let (key, value) = field(key, value, known);
                    made.insert(key, value);
                }
            }
            made.into()
        }
        other => other.clone(),
    }
}

/// An element of a list whose elements have properties.
fn part(value: &Value, known: &Known) -> Value {
    let Value::Object(fields) = converted(value, known) else { return value.clone() };
    let (mut made, mut properties) = (Map::new(), Map::new());
    for (key, value) in fields {
        let into = if OUTSIDE_PART.contains(&key.as_str()) { &mut made } else { &mut properties };
        into.insert(key, value);
    }
    if !properties.is_empty() {
        made.insert("properties".to_owned(), properties.into());
    }
    made.into()
}
