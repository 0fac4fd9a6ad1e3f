//! Who owns an object: the anchor of its cluster, or somebody else.

use serde_json::{Value, json};

use super::Object;
use crate::keys;

/// The kind of the anchor where a controller drives the cluster; its group is [`keys::P`].
pub const INFRASTRUCTURE: &str = "AzureInfrastructure";

/// The anchor: the object that owns all objects of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Its group and version.
    pub api_version: String,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its namespace, in which all objects live.
    pub namespace: String,
    /// Its present uid.
    pub uid: String,
}

fn group(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

fn text<'a>(reference: &'a Value, field: &str) -> &'a str {
    reference.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn is_controller(reference: &Value) -> bool {
    reference.get("controller").and_then(Value::as_bool).unwrap_or_default()
}

impl Owner {
    /// The owner reference to it.
    #[must_use]
    pub fn reference(&self) -> Value {
        json!({
            "apiVersion": self.api_version,
            "kind": self.kind,
            "name": self.name,
            "uid": self.uid,
            "controller": true,
            "blockOwnerDeletion": true,
        })
    }

    /// Whether an object belongs to this cluster. Version and uid of an owner do not count, so that upgrades
    /// and moves keep what they own; a controller that is none of the cluster's always wins over its label.
    #[must_use]
    pub fn owns(&self, object: Object<'_>, infra_id: &str) -> bool {
        let anchor = keys::anchor_name(infra_id);
        let owners = [
            (group(&self.api_version), self.kind.as_str(), self.name.as_str()),
            ("", "ConfigMap", anchor.as_str()),
            (keys::P, INFRASTRUCTURE, infra_id),
        ];
        let mut controllers = object.owner_references().filter(|one| is_controller(one)).peekable();
        if controllers.peek().is_none() {
            return object.label(keys::CLUSTER) == Some(infra_id);
        }
        controllers.all(|one| {
            owners.contains(&(group(text(one, "apiVersion")), text(one, "kind"), text(one, "name")))
        })
    }

    /// The owner references as they are to be, unless they are: one controller, which is this owner, and all
    /// references of others.
    pub(super) fn references(&self, object: Object<'_>) -> Option<Vec<Value>> {
        let controllers: Vec<&Value> = object.owner_references().filter(|one| is_controller(one)).collect();
        if let [only] = controllers[..] {
            let fields = ["apiVersion", "kind", "name", "uid"].map(|field| text(only, field));
            if fields == [&self.api_version, &self.kind, &self.name, &self.uid].map(String::as_str) {
                return None;
            }
        }
        let others = object.owner_references();
        let others = others.filter(|one| !is_controller(one) && text(one, "uid") != self.uid).cloned();
        Some(std::iter::once(self.reference()).chain(others).collect())
    }
}
