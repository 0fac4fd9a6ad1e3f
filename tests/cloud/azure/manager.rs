//! The resource manager: which versions of its interface there are, what it holds, and what takes its time.

use std::sync::Mutex;

use serde_json::{Value, json};

use super::answer::Answer;
use super::call::Call;
use super::changes::{Change, in_use};
use super::graph;
use super::tree::Tree;
use super::versions;

/// How many entries of a list come at a time.
const PAGE: usize = 4;

/// How often somebody must ask after a change before it is done.
const POLLS: usize = 2;

/// What follows the path of something in that of its tags.
const TAGS: &str = "/providers/microsoft.resources/tags/default";

const LOCKS: &str = "/providers/microsoft.authorization/locks";

/// A resource manager with what it holds.
pub struct Manager {
    hub: bool,
    tree: Mutex<Tree>,
    changes: Mutex<Vec<Change>>,
}

impl Manager {
    pub fn new(tree: Tree, hub: bool) -> Self {
        Self { hub, tree: Mutex::new(tree), changes: Mutex::default() }
    }

    /// Changes what is there, at once.
    pub fn edit(&self, change: impl FnOnce(&mut Tree)) {
        change(&mut self.tree.lock().unwrap());
    }

    /// What a caller is told who is known, or not.
    pub fn answer(&self, call: &Call, known: bool) -> Answer {
        if !known {
            return stranger(call);
        }
        if let Err(refusal) = versions::check(call, self.hub) {
            return refusal;
        }
        let refusal = self.nowhere(call);
        match (call.method.as_str(), refusal) {
            ("PUT", None) => self.make(call),
            // A group that is not there is made.
            ("PUT", Some(_)) if call.segments().len() == 4 => self.make(call),
            (_, Some(refusal)) => refusal,
            (method @ ("GET" | "PATCH"), None) if call.path.ends_with(TAGS) => self.tags(call, method),
            ("GET", None) => self.read(call),
            ("PATCH", None) if call.segments().len() == 4 => self.change(call),
            ("DELETE", None) => self.delete(call),
            (method, None) => {
                let message = format!("The requested resource does not support http method '{method}'.");
                Answer::error(405, "MethodNotAllowed", &message)
            }
        }
    }

    /// What is said where the subscription or the group is not there.
    fn nowhere(&self, call: &Call) -> Option<Answer> {
        let tree = self.tree.lock().unwrap();
        let segments = call.segments();
        if let ["subscriptions", id, ..] = segments.as_slice()
            && tree.get(&format!("/subscriptions/{id}")).is_none()
        {
            let message = format!("The subscription '{id}' could not be found.");
            return Some(Answer::error(404, "SubscriptionNotFound", &message));
        }
        if let ["subscriptions", id, "resourcegroups", group, ..] = segments.as_slice()
            && tree.get(&format!("/subscriptions/{id}/resourcegroups/{group}")).is_none()
        {
            let message = format!("Resource group '{group}' could not be found.");
            return Some(Answer::error(404, "ResourceGroupNotFound", &message));
        }
        None
    }

    fn read(&self, call: &Call) -> Answer {
        if let [.., kind @ ("operations" | "operationresults"), number] = call.segments().as_slice() {
            return self.progress(call, *kind == "operations", number.parse().unwrap_or(usize::MAX));
        }
        let tree = self.tree.lock().unwrap();
        if let Some(found) = tree.get(&call.path) {
            return match found["value"].as_array() {
                Some(all) => page(call, &selected(call, all)),
                None => Answer::json(200, found),
            };
        }
        match listed(&tree, call) {
            // The lists of images are bare, and come in one piece.
            Some(all) if call.path.contains("/publishers/") => Answer::json(200, &Value::Array(all)),
            Some(all) => page(call, &tagged(call, all)),
            None => missing(call),
        }
    }

    fn make(&self, call: &Call) -> Answer {
        let Ok(Value::Object(given)) = serde_json::from_str::<Value>(&call.body) else {
            return Answer::error(400, "InvalidRequestContent", "The request content was invalid.");
        };
        if let Some(refusal) = self.locked(call, &["ReadOnly"]) {
            return refusal;
        }
        let name = call.segments().last().copied().unwrap_or_default().to_owned();
        let mut document = Value::Object(given);
        document["id"] = json!(call.path);
        document["name"] = json!(name);
        document["properties"]["provisioningState"] = json!("Succeeded");
        if call.segments().len() == 4 {
            self.tree.lock().unwrap().put(&call.path, document.clone());
            return Answer::json(201, &document);
        }
        let mut begun = document.clone();
        begun["properties"]["provisioningState"] = json!("Updating");
        self.tree.lock().unwrap().put(&call.path, begun.clone());
        let number = self.begin(call, Some(document));
        let answer = Answer::json(201, &begun);
        answer
            .header("azure-asyncoperation", &operation(call, "operations", number))
            .header("retry-after", "0")
    }

    /// Puts parts of a group's document in place of what there was, as they are.
    fn change(&self, call: &Call) -> Answer {
        let Ok(Value::Object(given)) = serde_json::from_str::<Value>(&call.body) else {
            return Answer::error(400, "InvalidRequestContent", "The request content was invalid.");
        };
        if let Some(refusal) = self.locked(call, &["ReadOnly"]) {
            return refusal;
        }
        let mut tree = self.tree.lock().unwrap();
        let document = tree.at(&call.path);
        for (name, value) in given {
            document[&name] = value;
        }
        Answer::json(200, document)
    }

    /// The tags of something; what is asked for of them is taken off.
    fn tags(&self, call: &Call, method: &str) -> Answer {
        let path = call.path.strip_suffix(TAGS).unwrap_or_default().to_owned();
        let given: Value = serde_json::from_str(&call.body).unwrap_or_default();
        if method == "PATCH"
            && let Some(refusal) = self.locked(call, &["ReadOnly"])
        {
            return refusal;
        }
        let mut tree = self.tree.lock().unwrap();
        if tree.get(&path).is_none() {
            return missing(call);
        }
        let document = tree.at(&path);
        if method == "PATCH" && given["operation"] != "Delete" {
            return Answer::error(400, "InvalidTagsOperation", "The operation is not one of these tests.");
        }
        if let (Some(own), Some(named)) =
            (document["tags"].as_object_mut(), given["properties"]["tags"].as_object())
        {
            own.retain(|key, value| named.get(key) != Some(&*value));
        }
        let tags = if document["tags"].is_object() { document["tags"].clone() } else { json!({}) };
        let body = json!({
            "id": call.path,
            "name": "default",
            "type": "Microsoft.Resources/tags",
            "properties": { "tags": tags },
        });
        Answer::json(200, &body)
    }

    /// What is said where something is kept from everybody, or used elsewhere.
    fn kept(&self, call: &Call) -> Option<Answer> {
        let tree = self.tree.lock().unwrap();
        if let Some(denial) = tree.denials(&call.path).first() {
            let message = format!(
                "The client 'lander' has permission to perform the action, but its access is denied because of \
                 the deny assignment with name '{}' and Id '{}' at scope '{}'.",
                denial["properties"]["denyAssignmentName"].as_str().unwrap_or_default(),
                denial["name"].as_str().unwrap_or_default(),
                call.path
            );
            return Some(Answer::error(403, "DenyAssignmentAuthorizationFailed", &message));
        }
        tree.user_of(&call.path).map(|user| in_use(&call.path, user))
    }

    /// What the directory tells, or does.
    pub fn directory(&self, call: &Call, known: bool) -> Answer {
        graph::answer(&mut self.tree.lock().unwrap(), call, known)
    }

    fn delete(&self, call: &Call) -> Answer {
        if let Some(refusal) = self.locked(call, &["ReadOnly", "CanNotDelete"]).or_else(|| self.kept(call)) {
            return refusal;
        }
        if self.tree.lock().unwrap().get(&call.path).is_none() {
            return Answer::new(204, "text/plain", "");
        }
        // What is small goes at once.
        if ["/dnszones/", "/microsoft.authorization/"].iter().any(|part| call.path.contains(part)) {
            self.tree.lock().unwrap().take(&call.path);
            return Answer::json(200, &json!({}));
        }
        let number = self.begin(call, None);
        let answer = Answer::new(202, "text/plain", "").header("retry-after", "0");
        let answer = answer.header("location", &operation(call, "operationresults", number));
        if call.segments().len() == 4 {
            return answer;
        }
        answer.header("azure-asyncoperation", &operation(call, "operations", number))
    }

    /// What is said where a lock of such a level stands in the way.
    fn locked(&self, call: &Call, levels: &[&str]) -> Option<Answer> {
        let locks = self.tree.lock().unwrap().locks(&call.path);
        let holds =
            |lock: &&Value| lock["properties"]["level"].as_str().is_some_and(|own| levels.contains(&own));
        let lock = locks.iter().find(holds)?;
        let message = format!(
            "The scope '{}' cannot perform the operation because following scope(s) are locked: '{}'. Please \
             remove the lock and try again.",
            call.path, lock["id"]
        );
        Some(Answer::error(409, "ScopeLocked", &message))
    }

    fn begin(&self, call: &Call, document: Option<Value>) -> usize {
        let known = self.tree.lock().unwrap().paths();
        let mut changes = self.changes.lock().unwrap();
        changes.push(Change::new(&call.path, document, known, POLLS));
        changes.len() - 1
    }

    /// Ends all changes that are under way.
    pub fn settle(&self) {
        let mut changes = self.changes.lock().unwrap();
        for change in changes.iter_mut() {
            // What was refused, whoever asks after it is told.
            let _ = change.end(&mut self.tree.lock().unwrap());
        }
    }

    /// How far a change is. The last question but one ends it.
    fn progress(&self, call: &Call, status: bool, number: usize) -> Answer {
        let mut changes = self.changes.lock().unwrap();
        let Some(change) = changes.get_mut(number) else {
            return missing(call);
        };
        if change.left > 0 {
            change.left -= 1;
            return if status {
                Answer::json(200, &json!({ "status": "InProgress" })).header("retry-after", "0")
            } else {
                let again =
                    format!("https://{}{}?api-version={}", call.host, call.path, call.asks("api-version"));
                Answer::new(202, "text/plain", "").header("location", &again).header("retry-after", "0")
            };
        }
        match change.end(&mut self.tree.lock().unwrap()) {
            Ok(()) => Answer::json(200, &if status { json!({ "status": "Succeeded" }) } else { json!({}) }),
            Err(refusal) if status => {
                let mut told: Value = serde_json::from_str(&refusal.body).unwrap_or_default();
                told["status"] = json!("Failed");
                Answer::json(200, &told)
            }
            Err(refusal) => refusal,
        }
    }
}

/// What somebody is told who does not say who it is.
fn stranger(call: &Call) -> Answer {
    let (code, message) = if call.authorization.is_empty() {
        ("AuthenticationFailed", "Authentication failed. The 'Authorization' header is missing.")
    } else {
        ("InvalidAuthenticationToken", "The access token is invalid.")
    };
    let challenge = format!(
        "Bearer authorization_uri=\"https://{}/common\", error=\"invalid_token\", \
         error_description=\"{message}\"",
        call.host
    );
    Answer::error(401, code, message).header("www-authenticate", &challenge)
}

/// Where one asks after a change.
fn operation(call: &Call, kind: &str, number: usize) -> String {
    let segments = call.segments();
    let subscription = segments.get(1).copied().unwrap_or_default();
    let provider = segments.iter().rposition(|part| *part == "providers").and_then(|at| segments.get(at + 1));
    let place =
        provider.map(|provider| format!("/providers/{provider}/locations/eastus")).unwrap_or_default();
    let version = call.asks("api-version");
    format!("https://{}/subscriptions/{subscription}{place}/{kind}/{number}?api-version={version}", call.host)
}

/// What lies below a path that leads to nothing itself; none where nothing can.
fn listed(tree: &Tree, call: &Call) -> Option<Vec<Value>> {
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
fn selected(call: &Call, all: &[Value]) -> Vec<Value> {
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
fn tagged(call: &Call, all: Vec<Value>) -> Vec<Value> {
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
fn page(call: &Call, all: &[Value]) -> Answer {
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

/// That something is not there, in the words of who would have it.
fn missing(call: &Call) -> Answer {
    let segments = call.segments();
    let name = segments.last().copied().unwrap_or_default();
    let (code, message) = match segments.as_slice() {
        [.., "dnszones", _, _, _] => ("NotFound", format!("The resource record '{name}' does not exist.")),
        [.., "versions", _] => ("NotFound", "Artifact: VMImage was not found.".to_owned()),
        _ => ("ResourceNotFound", format!("The Resource '{name}' was not found.")),
    };
    Answer::error(404, code, &message)
}
