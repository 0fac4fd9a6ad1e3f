//! Lists: what is in them, which of it somebody asks for, and how it comes in parts.

use serde_json::{Value, json};

use super::answer::Answer;
use super::call::Call;
use super::tree::Tree;

/// How many entries of a list come at a time.
const PAGE: usize = 4;

const LOCKS: &str = "/providers/microsoft.authorization/locks";

/// The roles that everybody finds, by their ids.
const ROLES: [(&str, &str); 2] = [
    ("b24988ac-6180-42a0-ab88-20f7382dd24c", "Contributor"),
    ("2a2b9908-6ea1-4ae2-8e65-a410df84e7d1", "Storage Blob Data Reader"),
];

/// What is there without anybody having created it: definitions of roles, and settings of a storage account's services.
pub fn of_itself(tree: &Tree, call: &Call) -> Option<Value> {
    let segments = call.segments();
    match segments.as_slice() {
        [.., "microsoft.authorization", "roledefinitions"] => {
            let filter = call.asks("$filter");
            let named = |name: &str| filter.is_empty() || filter.contains(&format!("'{name}'"));
            let found = ROLES.iter().filter(|(_, name)| named(name)).map(|(id, name)| role(call, id, name));
            Some(json!({ "value": found.collect::<Vec<Value>>() }))
        }
        [.., "microsoft.authorization", "roledefinitions", id] => {
            ROLES.iter().find(|(known, _)| known == id).map(|(id, name)| role(call, id, name))
        }
        [.., service @ ("blobservices" | "fileservices"), "default"] => {
            let account = call.path.rsplitn(3, '/').nth(2)?;
            tree.get(account)?;
            let settings = json!({
                "cors": { "corsRules": [] },
                "deleteRetentionPolicy": { "enabled": false },
                "shareDeleteRetentionPolicy": { "enabled": true, "days": 7 },
            });
            let kind = format!("Microsoft.Storage/storageAccounts/{service}");
            Some(json!({ "id": call.id(), "name": "default", "type": kind, "properties": settings }))
        }
        _ => None,
    }
}

fn role(call: &Call, id: &str, name: &str) -> Value {
    let subscription = call.segments().get(1).copied().unwrap_or_default().to_owned();
    let path =
        format!("/subscriptions/{subscription}/providers/Microsoft.Authorization/roleDefinitions/{id}");
    json!({
        "id": path,
        "name": id,
        "type": "Microsoft.Authorization/roleDefinitions",
        "properties": { "roleName": name, "type": "BuiltInRole", "permissions": [], "assignableScopes": ["/"] },
    })
}

/// What lies below a path that leads to nothing itself; none where nothing can.
pub fn listed(tree: &Tree, call: &Call) -> Option<Vec<Value>> {
    let segments = call.segments();
    let scope = |end: &str| call.path.strip_suffix(end).unwrap_or_default().to_owned();
    match segments.as_slice() {
        ["subscriptions"] => Some(tree.below("/subscriptions", 1)),
        ["subscriptions", _, "resourcegroups" | "providers"] => Some(tree.below(&call.path, 1)),
        ["subscriptions", _, "providers", "microsoft.network", "dnszones"] => {
            Some(tree.of_type("microsoft.network/dnszones"))
        }
        ["subscriptions", _, "resources"] => Some(tree.resources_of_all(&scope("/resources"))),
        [.., "resources"] => Some(tree.resources(&scope("/resources"))),
        [.., "microsoft.authorization", "locks"] => Some(tree.locks(&scope(LOCKS))),
        ["subscriptions", _, "providers", "microsoft.authorization", "roleassignments"] => {
            Some(tree.with("/providers/microsoft.authorization/roleassignments/"))
        }
        [.., "microsoft.authorization", "denyassignments"] => {
            Some(tree.denials(&scope("/providers/microsoft.authorization/denyassignments")))
        }
        [.., "privatednszones", _, "all"] => {
            let zone = call.path.rsplit_once('/').map_or("", |(zone, _)| zone);
            let links = "Microsoft.Network/privateDnsZones/virtualNetworkLinks";
            Some(tree.below(zone, 2).into_iter().filter(|found| found["type"] != links).collect())
        }
        // Roles that are given for the subscription count everywhere in it.
        ["subscriptions", id, .., "microsoft.authorization", "permissions"] => {
            let around = format!("/subscriptions/{id}/providers/microsoft.authorization/permissions");
            tree.get(&around).and_then(|document| document["value"].as_array().cloned())
        }
        [.., "dnszones", _, "all" | "recordsets"] => {
            let zone = call.path.rsplit_once('/').map_or("", |(zone, _)| zone);
            Some(tree.below(zone, 2))
        }
        _ => {
            let after = segments.iter().rposition(|part| *part == "providers")? + 2;
            let types = segments.len().saturating_sub(after);
            (types % 2 == 1).then(|| tree.below(&call.path, 1))
        }
    }
}

/// The entries of a list that somebody asks for.
pub fn selected(call: &Call, all: &[Value]) -> Vec<Value> {
    let wanted = call.asks("$filter").strip_prefix("location eq '").and_then(|rest| rest.strip_suffix('\''));
    let here = |entry: &&Value| match (wanted, entry["locations"].as_array()) {
        (Some(wanted), Some(locations)) => {
            locations.iter().any(|own| own.as_str().is_some_and(|own| own.eq_ignore_ascii_case(wanted)))
        }
        _ => true,
    };
    all.iter().filter(here).cloned().collect()
}

/// The entries with the tag, or of the principal, that somebody asks for. By their tag they come without tags.
pub fn tagged(call: &Call, all: Vec<Value>) -> Vec<Value> {
    let filter = call.asks("$filter");
    let quoted: Vec<&str> = filter.split('\'').skip(1).step_by(2).collect();
    match quoted.as_slice() {
        [principal] if filter.starts_with("principalId eq ") => {
            all.into_iter().filter(|entry| entry["properties"]["principalId"] == *principal).collect()
        }
        [key, value] if filter.starts_with("tagName eq ") => {
            let has = |entry: &Value| entry["tags"][*key] == *value;
            let mut found: Vec<Value> = all.into_iter().filter(has).collect();
            for entry in &mut found {
                entry["tags"] = Value::Null;
            }
            found
        }
        _ => all,
    }
}

/// A part of a list, and where the next one is.
pub fn page(call: &Call, all: &[Value]) -> Answer {
    let from: usize = call.asks("$skiptoken").parse().unwrap_or(0);
    let from = from.min(all.len());
    let to = (from + PAGE).min(all.len());
    let mut body = json!({ "value": &all[from..to] });
    if to < all.len() {
        body["nextLink"] = json!(call.again("$skiptoken", &to.to_string()));
    } else if from > 0 {
        body["nextLink"] = Value::Null;
    }
    Answer::json(200, &body)
}
