//! What resources say of others: nothing refers to what is not there, and nothing goes that others use.

use serde_json::Value;

use super::answer::Answer;
use super::parts;
use super::tree::{Tree, is_within};

/// Names of what keeps another resource where it is.
const HOLDS: &[&str] = &[
    "natGateway",
    "networkSecurityGroup",
    "routeTable",
    "subnet",
    "publicIPAddress",
    "networkInterfaces",
    "publicIpAddresses",
];

/// The id of a resource elsewhere that uses something at a path, or below it.
pub fn user_of(tree: &Tree, path: &str) -> Option<String> {
    let (own, path) = (path.to_lowercase(), path.to_lowercase());
    let uses = |document: &Value| holds(&document["properties"], &path);
    let found = tree.all().find(|(known, document)| !is_within(known, &own) && uses(document))?;
    Some(found.0.to_owned())
}

/// Whether a document uses what is at a path.
fn holds(value: &Value, path: &str) -> bool {
    match value {
        Value::Object(fields) => fields.iter().any(|(name, value)| {
            let is_meant = HOLDS.contains(&name.as_str()) && ids(value).any(|id| is_within(&id, path));
            is_meant || holds(value, path)
        }),
        Value::Array(all) => all.iter().any(|value| holds(value, path)),
        _ => false,
    }
}

/// The ids of a reference, or of a list of them, in lower case.
fn ids(value: &Value) -> impl Iterator<Item = String> + '_ {
    let all = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    all.iter().filter_map(|one| Some(one["id"].as_str()?.to_lowercase()))
}

/// A document with the subnets that use it, which Azure tells of what subnets have.
pub fn with_subnets(tree: &Tree, path: &str, document: &Value) -> Value {
    const USED: [(&str, &str); 3] = [
        ("/natgateways/", "natGateway"),
        ("/networksecuritygroups/", "networkSecurityGroup"),
        ("/routetables/", "routeTable"),
    ];
    let (above, name) = path.rsplit_once('/').unwrap_or_default();
    let Some((_, field)) =
        USED.iter().find(|(kind, _)| format!("{above}/").ends_with(kind) && !name.is_empty())
    else {
        return document.clone();
    };
    let subnets =
        tree.all().flat_map(|(_, other)| other["properties"]["subnets"].as_array().into_iter().flatten());
    let users = subnets.filter(|subnet| {
        subnet["properties"][*field]["id"].as_str().is_some_and(|id| id.eq_ignore_ascii_case(path))
    });
    let users: Vec<Value> = users.map(|subnet| serde_json::json!({ "id": subnet["id"] })).collect();
    let mut document = document.clone();
    if !users.is_empty() && document["properties"]["subnets"].is_null() {
        document["properties"]["subnets"] = users.into();
    }
    document
}

/// What is said where something refers to what is not there.
pub fn dangling(tree: &Tree, path: &str, document: &Value) -> Option<Answer> {
    let missing = first_missing(tree, &path.to_lowercase(), &document["properties"])?;
    let message = format!(
        "Resource {missing} referenced by resource {path} was not found. Please make sure that the referenced \
         resource exists, and that both resources are in the same region."
    );
    Some(Answer::error(400, "InvalidResourceReference", &message))
}

fn first_missing(tree: &Tree, own: &str, value: &Value) -> Option<String> {
    match value {
        Value::Object(fields) => fields.iter().find_map(|(name, value)| match value.as_str() {
            Some(id) if name == "id" => {
                let lower = id.to_lowercase();
                let is_resource = lower.contains("/providers/") && lower.starts_with("/subscriptions/");
                let is_there = is_within(&lower, own) || parts::get(tree, &lower).is_some();
                (is_resource && !is_there).then(|| id.to_owned())
            }
            _ => first_missing(tree, own, value),
        }),
        Value::Array(all) => all.iter().find_map(|value| first_missing(tree, own, value)),
        _ => None,
    }
}

/// What is said where something is used by something else.
pub fn in_use(path: &str, user: &str) -> Answer {
    if path.to_lowercase().contains("/networkinterfaces/") {
        let message = format!(
            "Network Interface {path} is used by existing resource {user}. In order to delete the network interface, \
             it must be dissociated from the resource."
        );
        return Answer::error(400, "NicInUse", &message);
    }
    let message = format!("{path} cannot be deleted. It is in use by {user}. To delete it, disassociate it.");
    Answer::error(409, "InUseResourceCannotBeDeleted", &message)
}
