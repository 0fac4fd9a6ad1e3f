//! Microsoft Graph: the applications of the directory, kept below `/graph/v1.0` of what the cloud holds.

use serde_json::{Value, json};

use super::answer::Answer;
use super::call::Call;
use super::tree::Tree;

/// Where applications are kept.
pub const APPLICATIONS: &str = "/graph/v1.0/applications";
/// Where service principals are kept.
pub const PRINCIPALS: &str = "/graph/v1.0/serviceprincipals";

/// What a caller is told who is known, or not.
pub fn answer(tree: &mut Tree, call: &Call, known: bool) -> Answer {
    if !known {
        return Answer::error(401, "InvalidAuthenticationToken", "Access token validation failure.");
    }
    match (call.method.as_str(), call.segments().len()) {
        ("GET", 3) => listed(tree, call),
        ("GET", 4) => tree.get(&call.path).map_or_else(|| missing(call), |found| Answer::json(200, found)),
        ("DELETE", 4) => delete(tree, call),
        _ => Answer::error(405, "Request_BadRequest", "Specified HTTP method is not allowed."),
    }
}

fn listed(tree: &Tree, call: &Call) -> Answer {
    let filter = call.asks("$filter");
    let wanted = filter.split('\'').nth(1).unwrap_or_default();
    let fits = |entry: &Value| {
        if filter.starts_with("startswith(displayName,") {
            entry["displayName"].as_str().is_some_and(|name| name.starts_with(wanted))
        } else {
            filter.starts_with("appId eq ") && entry["appId"] == wanted
        }
    };
    let found: Vec<Value> = tree.below(&call.path, 1).into_iter().filter(fits).collect();
    Answer::json(200, &json!({ "@odata.context": "https://graph.moon.example/", "value": found }))
}

/// With an application goes its principal.
fn delete(tree: &mut Tree, call: &Call) -> Answer {
    let Some(found) = tree.get(&call.path).cloned() else {
        return missing(call);
    };
    tree.take(&call.path);
    for principal in tree.below(PRINCIPALS, 1) {
        if principal["appId"] == found["appId"] {
            tree.take(&format!("{PRINCIPALS}/{}", principal["id"].as_str().unwrap_or_default()));
        }
    }
    Answer::new(204, "text/plain", "")
}

fn missing(call: &Call) -> Answer {
    let name = call.segments().last().copied().unwrap_or_default().to_owned();
    let message =
        format!("Resource '{name}' does not exist or one of its queried references is not present.");
    Answer::error(404, "Request_ResourceNotFound", &message)
}
