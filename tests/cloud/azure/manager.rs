//! The resource manager: which versions of its interface there are, what it holds, and what takes its time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::answer::Answer;
use super::blobs;
use super::call::Call;
use super::changes::Change;
use super::graph;
use super::lists::{listed, of_itself, page, selected, tagged};
use super::parts;
use super::references::{dangling, in_use, user_of, with_subnets};
use super::shape;
use super::tree::Tree;
use super::versions;
use crate::front::Asked;

/// How often somebody must ask after a change before it is done, unless a test says otherwise.
const POLLS: usize = 2;

/// What follows the path of something in that of its tags.
const TAGS: &str = "/providers/microsoft.resources/tags/default";

/// What is there at once, without a change that takes its time.
const AT_ONCE: &[&str] = &[
    "microsoft.managedidentity/userassignedidentities",
    "microsoft.authorization/roleassignments",
    "microsoft.storage/storageaccounts/blobservices/containers",
    "microsoft.network/privatednszones/a",
    "microsoft.network/privatednszones/aaaa",
    "microsoft.network/dnszones/a",
    "microsoft.network/dnszones/cname",
];

/// A change that is accepted and then fails.
struct Failure {
    /// A part of the path, in lower case.
    path: &'static str,
    left: usize,
    answer: Answer,
}

/// A resource manager with what it holds.
pub struct Manager {
    hub: bool,
    tree: Mutex<Tree>,
    changes: Mutex<Vec<Change>>,
    failures: Mutex<Vec<Failure>>,
    /// How often somebody must ask after a change before it is done.
    pub polls: AtomicUsize,
    /// What follows the name of an account in the address of its blobs.
    pub blob_suffix: String,
}

impl Manager {
    pub fn new(tree: Tree, hub: bool) -> Self {
        Self {
            hub,
            tree: Mutex::new(tree),
            changes: Mutex::default(),
            failures: Mutex::default(),
            polls: AtomicUsize::new(POLLS),
            blob_suffix: "blob.core.windows.net".to_owned(),
        }
    }

    /// Lets the next creations at paths with such a part be accepted and then fail, as where there is no capacity.
    pub fn fail(&self, times: usize, path: &'static str, code: &str, message: &str) {
        let answer = Answer::error(409, code, message);
        self.failures.lock().unwrap().push(Failure { path, left: times, answer });
    }

    /// How a creation fails, if it does.
    fn failure(&self, path: &str) -> Option<Answer> {
        let mut failures = self.failures.lock().unwrap();
        let failure = failures.iter_mut().find(|failure| failure.left > 0 && path.contains(failure.path))?;
        failure.left -= 1;
        Some(failure.answer.clone())
    }

    /// Looks at what is there.
    pub fn look<T>(&self, at: impl FnOnce(&Tree) -> T) -> T {
        at(&self.tree.lock().unwrap())
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
            ("PATCH", None) => self.change(call),
            ("DELETE", None) => self.delete(call),
            ("POST", None) if call.path.ends_with("/listkeys") => self.keys(call),
            ("POST", None) if ["/poweroff", "/deallocate"].iter().any(|end| call.path.ends_with(end)) => {
                Answer::new(200, "text/plain", "")
            }
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
        let mut changes = self.changes.lock().unwrap();
        let mut tree = self.tree.lock().unwrap();
        for change in changes.iter_mut() {
            change.looked_at(&call.path, &mut tree);
        }
        drop(changes);
        if let Some(found) = parts::get(&tree, &call.path) {
            return match found["value"].as_array() {
                Some(all) => page(call, &selected(call, all)),
                None => Answer::json(200, &with_subnets(&tree, &call.path, found)),
            };
        }
        if let Some(found) = of_itself(&tree, call) {
            return Answer::json(200, &found);
        }
        match parts::listed(&tree, &call.path).or_else(|| listed(&tree, call)) {
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
        let mut tree = self.tree.lock().unwrap();
        let id = call.id();
        if let Some(refusal) =
            dangling(&tree, &id, &Value::Object(given.clone())).or_else(|| twice(&tree, call, &given))
        {
            return refusal;
        }
        let is_new = parts::get(&tree, &call.path).is_none();
        let document = shape::completed(&mut tree, &id, Value::Object(given), &self.blob_suffix);
        let status = if is_new { 201 } else { 200 };
        let is_small = AT_ONCE.contains(&shape::kind_of(&call.path).as_str());
        if call.segments().len() == 4 || is_small {
            parts::put(&mut tree, &call.path, document.clone());
            return Answer::json(status, &document);
        }
        let mut begun = document.clone();
        begun["properties"]["provisioningState"] = json!("Updating");
        parts::put(&mut tree, &call.path, begun.clone());
        drop(tree);
        let number = self.begin(call, Some(document));
        // The one that says nothing of what is made but where to ask.
        if call.path.contains("/storageaccounts/") {
            let answer = Answer::new(202, "text/plain", "").header("retry-after", "0");
            return answer.header("location", &operation(call, "operationresults", number));
        }
        let answer = Answer::json(status, &begun);
        answer
            .header("azure-asyncoperation", &operation(call, "operations", number))
            .header("retry-after", "0")
    }

    /// The keys of a storage account.
    fn keys(&self, call: &Call) -> Answer {
        let path = call.path.trim_end_matches("/listkeys");
        if self.tree.lock().unwrap().get(path).is_none() {
            return missing(call);
        }
        let key = shape::account_key(path.rsplit('/').next().unwrap_or_default());
        let keys =
            ["key1", "key2"].map(|name| json!({ "keyName": name, "value": key, "permissions": "FULL" }));
        Answer::json(200, &json!({ "keys": keys }))
    }

    /// Puts parts of a document in place of what there was, as they are.
    fn change(&self, call: &Call) -> Answer {
        let Ok(Value::Object(given)) = serde_json::from_str::<Value>(&call.body) else {
            return Answer::error(400, "InvalidRequestContent", "The request content was invalid.");
        };
        if let Some(refusal) = self.locked(call, &["ReadOnly"]) {
            return refusal;
        }
        let mut tree = self.tree.lock().unwrap();
        if tree.get(&call.path).is_none() {
            return missing(call);
        }
        let document = tree.at(&call.path);
        for (name, value) in given {
            document[&name] = value;
        }
        Answer::json(200, document)
    }

    /// The tags of something; what is asked for of them is added or taken off.
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
        let operation = given["operation"].as_str().unwrap_or_default();
        if method == "PATCH" && !["Delete", "Merge"].contains(&operation) {
            return Answer::error(400, "InvalidTagsOperation", "The operation is not one of these tests.");
        }
        if operation == "Merge" && !document["tags"].is_object() {
            document["tags"] = json!({});
        }
        if let (Some(own), Some(named)) =
            (document["tags"].as_object_mut(), given["properties"]["tags"].as_object())
        {
            match operation {
                "Merge" => own.extend(named.clone()),
                _ => own.retain(|key, value| named.get(key) != Some(&*value)),
            }
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
        user_of(&tree, &call.path).map(|user| in_use(&call.path, &user))
    }

    /// What the blob service of a storage account says; none where the host is not one.
    pub fn blobs(&self, asked: &Asked, call: &Call, proven: bool) -> Option<Answer> {
        blobs::answer(&mut self.tree.lock().unwrap(), asked, call, proven)
    }

    /// What the directory tells, or does.
    pub fn directory(&self, call: &Call, known: bool) -> Answer {
        graph::answer(&mut self.tree.lock().unwrap(), call, known)
    }

    fn delete(&self, call: &Call) -> Answer {
        if let Some(refusal) = self.locked(call, &["ReadOnly", "CanNotDelete"]).or_else(|| self.kept(call)) {
            return refusal;
        }
        if parts::get(&self.tree.lock().unwrap(), &call.path).is_none() {
            return Answer::new(204, "text/plain", "");
        }
        // What is small goes at once.
        if ["/dnszones/", "/microsoft.authorization/", "/containers/"]
            .iter()
            .any(|part| call.path.contains(part))
        {
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
        let refusal = document.as_ref().and_then(|_| self.failure(&call.path));
        changes.push(
            Change::new(&call.path, document, known, self.polls.load(Ordering::Relaxed)).refused(refusal),
        );
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
            Ok(()) if status => Answer::json(200, &json!({ "status": "Succeeded" })),
            // Whoever asks for a result gets what was created, or nothing more of what is gone.
            Ok(()) => match change.made() {
                Some(document) => Answer::json(200, document),
                None => Answer::new(200, "text/plain", ""),
            },
            Err(refusal) if status => {
                let mut told: Value = serde_json::from_str(&refusal.body).unwrap_or_default();
                told["status"] = json!("Failed");
                Answer::json(200, &told)
            }
            Err(refusal) => refusal,
        }
    }
}

/// What is said where somebody has a role there already, by another name.
fn twice(tree: &Tree, call: &Call, given: &serde_json::Map<String, Value>) -> Option<Answer> {
    let (scope, _) = call.path.split_once("/providers/microsoft.authorization/roleassignments/")?;
    let same = |(path, document): (&str, &Value)| {
        path != call.path
            && path.starts_with(&format!("{scope}/providers/microsoft.authorization/roleassignments/"))
            && ["principalId", "roleDefinitionId"]
                .iter()
                .all(|key| document["properties"][*key] == given["properties"][*key])
    };
    let is_known = tree.all().any(same);
    is_known.then(|| Answer::error(409, "RoleAssignmentExists", "The role assignment already exists."))
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
