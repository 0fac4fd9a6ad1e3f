//! What keeps a profile from being deleted.

use serde_json::{Map, Value};

use super::ProfileKind;
use super::shoots::Shoot;
use crate::types::CLOUD_PROFILE;

/// The finalizer that keeps a profile as long as something refers to it.
pub const FINALIZER: &str = "gardener";
/// The reason of the event that says so.
pub const REFERENCED: &str = "ResourceReferenced";

/// What is to be done about an object that is being deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// The finalizers that it keeps.
    pub finalizers: Vec<String>,
    /// What still refers to it. Unless this is empty, an event says so, and the deletion is to be tried
    /// again.
    pub holders: Vec<String>,
}

/// What is to be done about a profile that is being deleted, given the clusters.
#[must_use]
pub fn profile_deletion(kind: ProfileKind, metadata: &Map<String, Value>, shoots: &[Shoot]) -> Deletion {
    let (namespace, name) = (text(metadata, "namespace"), text(metadata, "name"));
    let users =
        shoots.iter().filter(|shoot| shoot.namespace == namespace && shoot.refers_to(kind.name(), name));
    deletion(metadata, users.map(shown).collect())
}

/// What is to be done about a cloud profile that is being deleted, given the names of the profiles that
/// inherit from it, and the clusters.
#[must_use]
pub fn cloud_profile_deletion(
    metadata: &Map<String, Value>,
    children: &[String],
    shoots: &[Shoot],
) -> Deletion {
    let name = text(metadata, "name");
    let children = children.iter().map(|child| format!("profile `{child}`"));
    let users = shoots.iter().filter(|shoot| shoot.refers_to(CLOUD_PROFILE, name));
    deletion(metadata, children.chain(users.map(shown)).collect())
}

fn shown(shoot: &Shoot) -> String {
    format!("{} `{}/{}`", shoot.kind.name(), shoot.namespace, shoot.name)
}

/// The finalizer goes once nothing holds the object; one without it is none of ours.
fn deletion(metadata: &Map<String, Value>, holders: Vec<String>) -> Deletion {
    let finalizers = metadata.get("finalizers").and_then(Value::as_array).into_iter().flatten();
    let mut finalizers: Vec<String> = finalizers.filter_map(Value::as_str).map(str::to_owned).collect();
    if !finalizers.iter().any(|one| one == FINALIZER) {
        return Deletion { finalizers, holders: Vec::new() };
    }
    if holders.is_empty() {
        finalizers.retain(|one| one != FINALIZER);
    }
    Deletion { finalizers, holders }
}

fn text<'a>(metadata: &'a Map<String, Value>, key: &str) -> &'a str {
    metadata.get(key).and_then(Value::as_str).unwrap_or_default()
}
