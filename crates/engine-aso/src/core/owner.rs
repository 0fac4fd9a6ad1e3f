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
    /// A Secret that is a second owner of every object, if there is one.
    pub guard: Option<Guard>,
}

/// A Secret that outlives a cluster's anchor. While an object has it as an owner as well, the garbage collector does not
/// delete the object when the anchor is deleted in the foreground, as Argo CD prunes: it takes away the anchor's
/// reference, and the label says whose the object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Its name.
    pub name: String,
    /// Its present uid.
    pub uid: String,
}

impl Guard {
    fn reference(&self) -> Value {
        json!({ "apiVersion": "v1", "kind": SECRET, "name": self.name, "uid": self.uid })
    }
}

const SECRET: &str = "Secret";

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
        let guards =
            || object.owner_references().filter(|one| !is_controller(one) && text(one, "kind") == SECRET);
        let is_guarded = self.guard.as_ref().is_none_or(|guard| {
            let mut uids = guards().map(|one| text(one, "uid"));
            uids.next() == Some(guard.uid.as_str()) && uids.next().is_none()
        });
        if let [only] = controllers[..] {
            let fields = ["apiVersion", "kind", "name", "uid"].map(|field| text(only, field));
            let owners = [&self.api_version, &self.kind, &self.name, &self.uid].map(String::as_str);
            if is_guarded && fields == owners {
                return None;
            }
        }
        let stays = |one: &&Value| {
            let is_old_guard = self.guard.is_some() && text(one, "kind") == SECRET;
            !is_controller(one) && text(one, "uid") != self.uid && !is_old_guard
        };
        let others = object.owner_references().filter(stays).cloned();
        let guard = self.guard.as_ref().map(Guard::reference);
        Some(std::iter::once(self.reference()).chain(others).chain(guard).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(guard: Option<&str>) -> Owner {
        let [kind, name, namespace, uid] = [INFRASTRUCTURE, "demo", "fleet", "u"].map(str::to_owned);
        let guard = guard.map(|uid| Guard { name: "azure".to_owned(), uid: uid.to_owned() });
        Owner { api_version: format!("{}/v1alpha1", keys::P), kind, name, namespace, uid, guard }
    }

    /// The uids of the owners as they are to be; none where they are.
    fn uids(owner: &Owner, references: &[Value]) -> Option<Vec<String>> {
        let object = json!({ "metadata": { "ownerReferences": references } });
        let all = owner.references(Object(&object))?;
        Some(all.iter().map(|one| text(one, "uid").to_owned()).collect())
    }

    #[test]
    fn a_secret_is_the_second_owner() {
        let group = json!({ "apiVersion": "resources.azure.com/v1", "kind": "ResourceGroup", "name": "g", "uid": "g" });
        let guarded = owner(Some("s"));
        let all = |references: &[Value]| uids(&guarded, references).unwrap_or_default();
        assert_eq!(all(&[]), ["u", "s"]);
        assert_eq!(all(&[guarded.reference(), group.clone()]), ["u", "g", "s"]);
        let secret = |uid: &str| json!({ "apiVersion": "v1", "kind": "Secret", "name": "azure", "uid": uid });
        assert_eq!(uids(&guarded, &[guarded.reference(), group.clone(), secret("s")]), None);
        // Another Secret takes the place of the one before; what the collector took away comes back.
        assert_eq!(all(&[guarded.reference(), secret("old"), group.clone()]), ["u", "g", "s"]);
        assert_eq!(all(&[group, secret("s")]), ["u", "g", "s"]);
        // Who knows of no Secret leaves it.
        let bare = owner(None);
        assert_eq!(uids(&bare, &[bare.reference(), secret("s")]), None);
        assert_eq!(uids(&bare, &[]), Some(vec!["u".to_owned()]));
    }
}
