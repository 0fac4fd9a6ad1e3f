//! Plays the operator: reads objects, changes a table that stands for Azure, and says what came of it. It
//! plays the garbage collector of Kubernetes too, which no API server brings.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::Duration;

use hyper::Request;
use jiff::Timestamp;
use kube::Client;
use landfall_kube::{Access, Fault};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::crds::text;
use super::follow::{Key, follow, key_of};
use super::identity::{CLIENT, Owner, PRINCIPAL, STORAGE_KEY, at, id, owner, references, status, tags};
use super::schema;
use super::table::{Azure, Resource, Trouble};

const FINALIZER: &str = "serviceoperator.azure.com/finalizer";
const POLICY: &str = "/metadata/annotations/serviceoperator.azure.com~1reconcile-policy";
const CREDENTIAL: &str = "/metadata/annotations/serviceoperator.azure.com~1credential-from";
/// Between two looks at an object that is not done.
const TICK: Duration = Duration::from_millis(40);
/// How long an answer of the server may take on a busy machine.
const PATIENT: Duration = Duration::from_mins(1);

/// A playing operator, which ends with this value.
pub struct Actor {
    orders: Option<UnboundedSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Actor {
    /// Plays the operator of a server whose definitions are made. With `own`, objects of this kind own others
    /// too.
    pub fn play(kubeconfig: &Path, azure: &Azure, own: &[Value]) -> Self {
        let (orders, received) = unbounded_channel();
        let kubeconfig = kubeconfig.to_owned();
        let azure = azure.clone();
        let owners = [&[core("ConfigMap"), core("Secret")][..], own].concat();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let access = Access::read(&kubeconfig, &|_: &str| None).unwrap();
                let client = access.client(PATIENT).unwrap();
                let watching = access.watching_client(PATIENT).unwrap();
                Operator::new(client, azure, owners).run(&watching, received).await;
            });
        });
        Self { orders: Some(orders), thread: Some(thread) }
    }

    /// Looks at all objects again, as the operator does once in its period.
    pub fn look_again(&self) {
        self.orders.as_ref().unwrap().send(()).unwrap();
    }
}

impl Drop for Actor {
    fn drop(&mut self) {
        drop(self.orders.take());
        if let Some(thread) = self.thread.take() {
            let played = thread.join();
            assert!(played.is_ok() || std::thread::panicking(), "the operator's actor failed");
        }
    }
}

/// The description of a kind of Kubernetes' own, as far as it is needed here.
fn core(kind: &str) -> Value {
    json!({ "group": "", "version": "v1", "kind": kind, "plural": format!("{}s", kind.to_lowercase()) })
}

struct Operator {
    client: Client,
    azure: Azure,
    /// The operator's kinds by name.
    kinds: BTreeMap<String, Value>,
    /// Kinds whose objects only own others, by name.
    owners: BTreeMap<String, Value>,
    objects: BTreeMap<Key, Value>,
    /// What is to be looked at.
    due: BTreeSet<Key>,
    /// How often it was said of a generation of an object that it is worked on.
    runs: BTreeMap<(Key, i64), u32>,
}

/// What came of a look.
#[derive(PartialEq)]
enum Look {
    Done,
    Again,
}

impl Operator {
    fn new(client: Client, azure: Azure, owners: Vec<Value>) -> Self {
        let named = |kinds: Vec<Value>| kinds.into_iter().map(|kind| (text(&kind, "kind").to_owned(), kind));
        Self {
            client,
            azure,
            kinds: named(schema::kinds()).collect(),
            owners: named(owners).collect(),
            objects: BTreeMap::new(),
            due: BTreeSet::new(),
            runs: BTreeMap::new(),
        }
    }

    async fn run(mut self, watching: &Client, mut orders: UnboundedReceiver<()>) {
        let (tell, mut news) = unbounded_channel();
        for kind in self.kinds.values().chain(self.owners.values()) {
            tokio::spawn(follow(watching.clone(), kind.clone(), tell.clone()));
        }
        loop {
            tokio::select! {
                order = orders.recv() => {
                    if order.is_none() {
                        return;
                    }
                    let looked_at = self.objects.keys().filter(|key| self.kinds.contains_key(&key.0));
                    self.due.extend(looked_at.cloned());
                }
                Some(event) = news.recv() => {
                    self.hear(event).await;
                    // One look for all that is known by now.
                    while let Ok(event) = news.try_recv() {
                        self.hear(event).await;
                    }
                }
                () = tokio::time::sleep(TICK), if !self.due.is_empty() => {}
            }
            for key in std::mem::take(&mut self.due) {
                if self.look(&key).await == Look::Again {
                    self.due.insert(key);
                }
            }
        }
    }

    async fn hear(&mut self, (key, object): (Key, Option<Value>)) {
        if let Some(object) = object {
            if self.kinds.contains_key(&key.0) {
                self.due.insert(key.clone());
            }
            self.objects.insert(key, object);
        } else if let Some(gone) = self.objects.remove(&key) {
            self.due.remove(&key);
            self.collect(at(&gone, "/metadata/uid")).await;
        }
    }

    /// Deletes what this owner owned and nobody else does.
    async fn collect(&self, gone: &str) {
        let living: BTreeSet<&str> = self.objects.values().map(|one| at(one, "/metadata/uid")).collect();
        let left_alone = |object: &&Value| {
            let owners: Vec<&str> = references_to_owners(object).iter().map(|one| at(one, "/uid")).collect();
            owners.contains(&gone) && owners.iter().all(|owner| !living.contains(owner))
        };
        for object in self.objects.values().filter(left_alone) {
            let _ = self.call("DELETE", &self.path_of(object), &Value::Null).await;
        }
    }

    fn path_of(&self, object: &Value) -> String {
        let name = at(object, "/kind");
        let kind = self.kinds.get(name).or_else(|| self.owners.get(name)).unwrap();
        let base = match text(kind, "group") {
            "" => "/api/v1".to_owned(),
            group => format!("/apis/{group}/{}", text(kind, "version")),
        };
        let [namespace, name] = ["/metadata/namespace", "/metadata/name"].map(|place| at(object, place));
        format!("{base}/namespaces/{namespace}/{}/{name}", text(kind, "plural"))
    }

    async fn call(&self, method: &str, path: &str, body: &Value) -> Result<Value, Fault> {
        let kind = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
        let request = Request::builder().method(method).uri(path).header("content-type", kind);
        let request = request.body(body.to_string().into_bytes()).unwrap();
        self.client.request::<Value>(request).await.map_err(|error| Fault::of(&error))
    }

    /// The id of the resource of an object; none while an owner of it is no object.
    fn id(&self, key: &Key) -> Option<String> {
        let object = self.objects.get(key)?;
        let kind = &self.kinds[&key.0];
        let within = match owner(kind, object) {
            Owner::Nobody => String::new(),
            Owner::Resource(id) => id.to_owned(),
            Owner::Object(of_kind, name) => self.id(&(of_kind.to_owned(), key.1.clone(), name.to_owned()))?,
        };
        Some(id(&within, kind, object))
    }

    /// One look at one object.
    async fn look(&mut self, key: &Key) -> Look {
        let Some(object) = self.objects.get(key).cloned() else { return Look::Done };
        if object["metadata"].get("deletionTimestamp").is_some() {
            return self.remove(key, &object).await;
        }
        let Some(object) = self.claim(key, object).await else { return Look::Again };
        let Some(id) = self.id(key) else {
            return self.says(&object, "WaitingForOwner", "the owner is no object").await;
        };
        if self.lacks_credential(&object).await {
            return self.says(&object, "SecretNotFound", "the Secret with the credential is not there").await;
        }
        if at(&object, POLICY) != "skip" && !self.stands_as_asked(key, &object, &id) {
            let trouble = self.azure.table().trouble(&key.0, &key.2);
            match trouble {
                Some(Trouble::Refused { reason, message }) => {
                    self.condition(&object, Map::new(), &not_ready("Error", reason, &message)).await;
                    return Look::Done;
                }
                Some(Trouble::Throttled(_)) => {
                    return self.says(&object, "TooManyRequests", "Azure asks for patience").await;
                }
                None => {}
            }
            if let Some((reason, message)) = self.misses(key, &object) {
                return self.says(&object, reason, &message).await;
            }
            if self.works(key, &object) {
                let at_work =
                    not_ready("Info", "Reconciling", "The resource is in the process of being reconciled");
                self.condition(&object, Map::new(), &at_work).await;
                return Look::Again;
            }
            let kind = &self.kinds[&key.0];
            let resource = Resource { tags: tags(kind, &object), spec: object["spec"].clone() };
            let mut azure = self.azure.table();
            if key.0 == "StorageAccount" {
                // Azure makes it with the account.
                let service = format!("{id}/storageaccountsblobservices/default");
                azure.resources.entry(service).or_default();
            }
            azure.puts.push(id.clone());
            azure.resources.insert(id.clone(), resource);
        }
        self.show(key, &object, &id).await
    }

    /// Says what there is in Azure.
    async fn show(&mut self, key: &Key, object: &Value, id: &str) -> Look {
        let seen = {
            let azure = self.azure.table();
            azure.resources.get(id).map(|resource| status(&self.kinds[&key.0], object, id, resource, &azure))
        };
        let Some(seen) = seen else {
            return self.says(object, "AzureResourceNotFound", "The resource was not found").await;
        };
        self.export(object).await;
        let ready = json!({ "type": "Ready", "status": "True", "reason": "Succeeded" });
        self.condition(object, seen, &ready).await;
        Look::Done
    }

    /// Makes an object the operator's, as far as its finalizer and its owner go. None where that fails.
    async fn claim(&mut self, key: &Key, object: Value) -> Option<Value> {
        let owner = match owner(&self.kinds[&key.0], &object) {
            Owner::Object(kind, name) => self.objects.get(&(kind.to_owned(), key.1.clone(), name.to_owned())),
            Owner::Nobody | Owner::Resource(_) => None,
        };
        let mut owners = references_to_owners(&object).to_vec();
        if let Some(owner) = owner
            && owners.iter().all(|one| at(one, "/uid") != at(owner, "/metadata/uid"))
        {
            owners.push(reference_to(owner));
        }
        let mut finalizers = object["metadata"]["finalizers"].as_array().cloned().unwrap_or_default();
        if !finalizers.iter().any(|one| one == FINALIZER) {
            finalizers.push(FINALIZER.into());
        } else if owners.len() == references_to_owners(&object).len() {
            return Some(object);
        }
        let patch = json!({ "metadata": {
            "resourceVersion": object["metadata"]["resourceVersion"],
            "finalizers": finalizers,
            "ownerReferences": owners,
            "annotations": { "serviceoperator.azure.com/operator-namespace": "azureserviceoperator-system" },
        }});
        let claimed = self.call("PATCH", &self.path_of(&object), &patch).await.ok()?;
        self.objects.insert(key.clone(), claimed.clone());
        Some(claimed)
    }

    /// Deletes the resource of an object that is to go, if the operator may, and lets the object go.
    async fn remove(&mut self, key: &Key, object: &Value) -> Look {
        let finalizers = object["metadata"]["finalizers"].as_array().cloned().unwrap_or_default();
        if !finalizers.iter().any(|one| one == FINALIZER) {
            return Look::Done;
        }
        let manages = !["skip", "detach-on-delete"].contains(&at(object, POLICY));
        let id = self.id(key).filter(|id| manages && self.azure.table().resources.contains_key(id));
        if let Some(id) = id {
            let trouble = self.azure.table().trouble(&key.0, &key.2);
            if let Some(Trouble::Refused { reason, message }) = trouble {
                self.condition(object, Map::new(), &not_ready("Error", reason, &message)).await;
                return Look::Done;
            }
            if self.works(key, object) {
                let deleting = not_ready("Info", "Deleting", "The resource is being deleted");
                self.condition(object, Map::new(), &deleting).await;
                return Look::Again;
            }
            self.azure.table().delete(&id);
        }
        let left: Vec<Value> = finalizers.into_iter().filter(|one| one != FINALIZER).collect();
        let patch = json!({ "metadata": {
            "resourceVersion": object["metadata"]["resourceVersion"], "finalizers": left,
        }});
        match self.call("PATCH", &self.path_of(object), &patch).await {
            Ok(_) | Err(Fault::NotFound) => Look::Done,
            Err(_) => Look::Again,
        }
    }

    /// Whether Azure holds what the object asks for.
    fn stands_as_asked(&self, key: &Key, object: &Value, id: &str) -> bool {
        let azure = self.azure.table();
        let Some(found) = azure.resources.get(id) else { return false };
        found.spec == object["spec"] && found.tags == tags(&self.kinds[&key.0], object)
    }

    /// Whether the work on a generation of an object takes longer.
    fn works(&mut self, key: &Key, object: &Value) -> bool {
        let generation = object["metadata"]["generation"].as_i64().unwrap_or_default();
        let runs = self.runs.entry((key.clone(), generation)).or_default();
        let longer = *runs < self.azure.table().runs;
        *runs = if longer { *runs + 1 } else { 0 };
        longer
    }

    /// What is not there yet though the object names it: a reason, and a sentence.
    fn misses(&self, key: &Key, object: &Value) -> Option<(&'static str, String)> {
        let mut named = Vec::new();
        references(&object["spec"], &mut named);
        let within = match owner(&self.kinds[&key.0], object) {
            Owner::Object(kind, name) => Some((kind.to_owned(), name.to_owned())),
            Owner::Nobody | Owner::Resource(_) => None,
        };
        let is_missing = |(kind, name): &(String, String)| {
            let id = self.id(&(kind.clone(), key.1.clone(), name.clone()));
            id.is_none_or(|id| !self.azure.table().resources.contains_key(&id))
        };
        if within.as_ref().is_some_and(is_missing) {
            return Some(("AzureResourceNotFound", "The parent was not found".to_owned()));
        }
        if let Some((kind, name)) = named.iter().find(|&one| is_missing(one)) {
            return Some(("ReferenceNotFound", format!("{kind} {name} is not there")));
        }
        let map = at(object, "/spec/principalIdFromConfig/name");
        let map_key = ("ConfigMap".to_owned(), key.1.clone(), map.to_owned());
        (!map.is_empty() && !self.objects.contains_key(&map_key))
            .then(|| ("ConfigMapNotFound", format!("the ConfigMap {map} is not there")))
    }

    async fn lacks_credential(&self, object: &Value) -> bool {
        let name = at(object, CREDENTIAL).to_owned();
        let namespace = at(object, "/metadata/namespace").to_owned();
        if self.objects.contains_key(&("Secret".to_owned(), namespace.clone(), name.clone())) {
            return false;
        }
        // The watch may not have told yet.
        let path = format!("/api/v1/namespaces/{namespace}/secrets/{name}");
        self.call("GET", &path, &Value::Null).await.is_err()
    }

    /// Writes down what others want to know of a resource, as its object asks for it.
    async fn export(&self, object: &Value) {
        for (part, kind, field) in [("configMaps", "ConfigMap", "data"), ("secrets", "Secret", "stringData")]
        {
            let Some(wanted) = object["spec"]["operatorSpec"][part].as_object() else { continue };
            let mut texts: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
            for (what, place) in wanted {
                let value = match what.as_str() {
                    "principalId" => PRINCIPAL,
                    "clientId" => CLIENT,
                    "key1" => STORAGE_KEY,
                    _ => "https://example.net/",
                };
                let of_name = texts.entry(at(place, "/name")).or_default();
                of_name.insert(at(place, "/key").to_owned(), value.into());
            }
            let namespace = at(object, "/metadata/namespace");
            for (name, data) in texts {
                if self.objects.contains_key(&(kind.to_owned(), namespace.to_owned(), name.to_owned())) {
                    continue;
                }
                let mut made = json!({
                    "apiVersion": "v1",
                    "kind": kind,
                    "metadata": { "name": name, "ownerReferences": [reference_to(object)] },
                });
                made[field] = data.into();
                let path = format!("/api/v1/namespaces/{namespace}/{}s", kind.to_lowercase());
                let _ = self.call("POST", &path, &made).await;
            }
        }
    }

    /// Says of an object that something is missing, and looks again.
    async fn says(&mut self, object: &Value, reason: &str, message: &str) -> Look {
        self.condition(object, Map::new(), &not_ready("Warning", reason, message)).await;
        Look::Again
    }

    /// Writes the status of an object unless it is so.
    async fn condition(&mut self, object: &Value, mut status: Map<String, Value>, ready: &Value) {
        let mut ready = ready.clone();
        ready["observedGeneration"] = object["metadata"]["generation"].clone();
        let known = &object["status"]["conditions"][0];
        ready["lastTransitionTime"] = if known["status"] == ready["status"] {
            known["lastTransitionTime"].clone()
        } else {
            Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string().into()
        };
        status.insert("conditions".to_owned(), json!([ready]));
        let status = Value::Object(status);
        if object["status"] == status {
            return;
        }
        let mut object = object.clone();
        object["status"] = status;
        let path = format!("{}/status", self.path_of(&object));
        // Where somebody else was faster, the watch tells of it, and the object is looked at again.
        match self.call("PUT", &path, &object).await {
            Ok(written) => {
                self.objects.insert(key_of(&written), written);
            }
            Err(Fault::NotFound | Fault::Answer { status: 409, .. }) => {}
            Err(fault) => panic!("{path}: {fault:?}"),
        }
    }
}

fn not_ready(severity: &str, reason: &str, message: &str) -> Value {
    json!({ "type": "Ready", "status": "False", "severity": severity, "reason": reason, "message": message })
}

/// What names an object as the owner of another one.
fn reference_to(owner: &Value) -> Value {
    json!({
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
    })
}

fn references_to_owners(object: &Value) -> &[Value] {
    object["metadata"]["ownerReferences"].as_array().map(Vec::as_slice).unwrap_or_default()
}
