//! Tests of the controller with a played management cluster.

mod adoption;
mod booted;
mod definition;
mod deletion_policies;
mod held;
mod in_use;
mod inputs;
mod kstatus;
mod losses;
mod moved;
mod operator_gone;
mod pinned;
mod protection;
mod rivals;
mod shards;
mod stages;
mod twins;
mod usable;

use std::sync::atomic::{AtomicU64, Ordering};

use futures::FutureExt as _;
use landfall_engine_aso::desired::Policy;
use landfall_engine_aso::drive::{Api, Failure, Listing, Location, ObjectEvent};
use landfall_engine_aso::keys;
use landfall_engine_aso::kinds::{Kind, foreign};
use landfall_kube::objects::ClusterEvent;
use prometheus_client::registry::Registry;
use serde::Deserialize as _;
use serde_json::{Map, Value};

use super::store::Cluster;
use super::*;
use usable::Usable;

const CONFIG: &str = r#"
apiVersion: v1
baseDomain: example.com
metadata: { name: demo }
platform:
  azure: { region: eastus, baseDomainResourceGroupName: dns-rg }
pullSecret: '{"auths":{"example.com":{"auth":"Y2FuYXJ5OmNhbmFyeQ=="}}}'
"#;

/// A management cluster: objects by plural, namespace and name.
#[derive(Default)]
struct FakeCluster {
    objects: Mutex<BTreeMap<(String, String, String), Value>>,
    version: AtomicU64,
    writes: AtomicU64,
    /// The objects that were deleted, as they were then.
    deletions: Mutex<Vec<Value>>,
    /// The reasons of the events.
    events: Mutex<Vec<&'static str>>,
}

type At = (String, String, String);

impl FakeCluster {
    fn read(&self, at: &At) -> Option<Value> {
        self.objects.lock().ok()?.get(at).cloned()
    }

    /// Writes an object; one that is going and held by nobody is gone.
    fn put(&self, at: At, mut object: Value) -> Value {
        self.writes.fetch_add(1, Ordering::Relaxed);
        let version = self.version.fetch_add(1, Ordering::Relaxed) + 1;
        object["metadata"]["resourceVersion"] = json!(version.to_string());
        let is_held = object.pointer("/metadata/finalizers").and_then(Value::as_array);
        let is_going = object.pointer("/metadata/deletionTimestamp").is_some();
        if let Ok(mut objects) = self.objects.lock() {
            if is_going && is_held.is_none_or(Vec::is_empty) {
                objects.remove(&at);
            } else {
                objects.insert(at, object.clone());
            }
        }
        object
    }

    fn merged(&self, at: &At, patch: &Value) -> Result<Value, Fault> {
        let mut object = self.read(at).ok_or(Fault::NotFound)?;
        let version = patch.pointer("/metadata/resourceVersion").filter(|version| !version.is_null());
        if version.is_some_and(|version| object.pointer("/metadata/resourceVersion") != Some(version)) {
            return Err(Fault::Answer { status: 409, why: String::new() });
        }
        json_patch::merge(&mut object, patch);
        Ok(self.put(at.clone(), object))
    }

    fn deleted(&self, at: &At) -> Option<Value> {
        let mut object = self.read(at)?;
        self.deletions.lock().ok()?.push(object.clone());
        object["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        Some(self.put(at.clone(), object))
    }

    fn all(&self, plural: &str) -> Vec<Value> {
        let objects = self.objects.lock().map(|objects| objects.clone()).unwrap_or_default();
        objects.into_iter().filter(|((kind, ..), _)| kind == plural).map(|(_, object)| object).collect()
    }
}

fn of_place(place: &ObjectRef) -> At {
    (place.kind.plural.to_owned(), place.namespace.clone().unwrap_or_default(), place.name.clone())
}

fn of_location(at: &Location) -> At {
    (at.plural.to_owned(), at.namespace.clone().unwrap_or_default(), at.name.clone())
}

impl Objects for FakeCluster {
    fn get<'a>(&'a self, place: &'a ObjectRef) -> BoxFuture<'a, Result<Option<Value>, Fault>> {
        async move { Ok(self.read(&of_place(place))) }.boxed()
    }

    fn apply<'a>(
        &'a self,
        place: &'a ObjectRef,
        object: Value,
        _: Part,
    ) -> BoxFuture<'a, Result<Value, Fault>> {
        async move {
            let mut stands = self.read(&of_place(place)).unwrap_or_else(|| json!({ "metadata": {} }));
            json_patch::merge(&mut stands, &object);
            stands["kind"] = json!(place.kind.kind);
            Ok(self.put(of_place(place), stands))
        }
        .boxed()
    }

    fn merge<'a>(
        &'a self,
        place: &'a ObjectRef,
        patch: Value,
        _: Part,
    ) -> BoxFuture<'a, Result<Value, Fault>> {
        async move { self.merged(&of_place(place), &patch) }.boxed()
    }

    fn set_status<'a>(&'a self, place: &'a ObjectRef, status: Value) -> BoxFuture<'a, Result<(), Fault>> {
        async move {
            let mut object = self.read(&of_place(place)).ok_or(Fault::NotFound)?;
            object["status"] = status;
            self.put(of_place(place), object);
            Ok(())
        }
        .boxed()
    }

    fn delete<'a>(&'a self, place: &'a ObjectRef) -> BoxFuture<'a, Result<bool, Fault>> {
        async move { Ok(self.deleted(&of_place(place)).is_some()) }.boxed()
    }
}

impl Api for FakeCluster {
    fn get<'a>(&'a self, at: &'a Location) -> BoxFuture<'a, Result<Option<Value>, Failure>> {
        async move { Ok(self.read(&of_location(at))) }.boxed()
    }

    fn create<'a>(&'a self, at: &'a Location, object: &'a Value) -> BoxFuture<'a, Result<Value, Failure>> {
        async move {
            if self.read(&of_location(at)).is_some() {
                return Err(Fault::Answer { status: 409, why: String::new() }.into());
            }
            Ok(self.put(of_location(at), object.clone()))
        }
        .boxed()
    }

    fn merge<'a>(&'a self, at: &'a Location, patch: &'a Value) -> BoxFuture<'a, Result<Value, Failure>> {
        async move { self.merged(&of_location(at), patch).map_err(Failure::from) }.boxed()
    }

    fn delete<'a>(&'a self, at: &'a Location, _: &'a Value) -> BoxFuture<'a, Result<Option<Value>, Failure>> {
        async move {
            let left = self.deleted(&of_location(at));
            Ok(left.and_then(|_| self.read(&of_location(at))))
        }
        .boxed()
    }
}

impl Listing for FakeCluster {
    fn list<'a>(&'a self, kind: &'static Kind, _: &'a str) -> BoxFuture<'a, Result<Vec<Value>, Failure>> {
        async { Ok(self.all(kind.plural)) }.boxed()
    }

    fn other_kinds(&self) -> BoxFuture<'_, Result<Vec<&'static Kind>, Failure>> {
        async { Ok(vec![foreign("keyvault.azure.com", "v1api20230701", "Vault", "vaults")]) }.boxed()
    }
}

impl Events for FakeCluster {
    fn report(&self, event: ClusterEvent) -> BoxFuture<'_, ()> {
        if let Ok(mut events) = self.events.lock() {
            events.push(event.reason);
        }
        async {}.boxed()
    }
}

struct Stage {
    played: Arc<FakeCluster>,
    controller: AzureInfrastructure,
}

fn key() -> Key {
    Key { namespace: Some("here".to_owned()), name: "demo".to_owned() }
}

fn at(plural: &str, name: &str) -> At {
    (plural.to_owned(), "here".to_owned(), name.to_owned())
}

impl Stage {
    /// A controller that knows of no object yet, and a resource with its config and credentials.
    fn new(spec: &Value) -> Self {
        let played = Arc::new(FakeCluster::default());
        let encoded =
            |text: &str| json!(base64::Engine::encode(&base64::engine::general_purpose::STANDARD, text));
        let secret = |name: &str, texts: &[(&str, &str)]| {
            let data: Map<String, Value> =
                texts.iter().map(|(key, text)| ((*key).to_owned(), encoded(text))).collect();
            played.put(at("secrets", name), json!({ "kind": "Secret", "metadata": {}, "data": data }));
        };
        secret("config", &[(CONFIG_KEY, CONFIG)]);
        let credentials = [
            ("AZURE_SUBSCRIPTION_ID", "11111111-2222-3333-4444-555555555555"),
            ("AZURE_TENANT_ID", "99999999-8888-7777-6666-555555555555"),
            ("AZURE_CLIENT_ID", "22222222-2222-3333-4444-555555555555"),
            ("AZURE_CLIENT_SECRET", "canary"),
        ];
        secret("azure", &credentials);
        let mut resource = json!({
            "metadata": { "uid": "u", "generation": 1 },
            "spec": {
                "installConfigRef": { "name": "config" },
                "credentialsSecretRef": { "name": "azure" },
            },
        });
        json_patch::merge(&mut resource, &json!({ "spec": spec }));
        played.put(at("azureinfrastructures", "demo"), resource);
        let numbers = Numbers::registered(&mut Registry::default());
        let store = Arc::new(Store::new(numbers.clone()));
        let rollout = Arc::new(Rollout::new(0, numbers.clone()));
        let driver = Driver {
            api: played.clone(),
            listing: played.clone(),
            events: played.clone(),
            store,
            numbers,
            wrote: Arc::new(|| {}),
            identity: "one".to_owned(),
        };
        let operator = Arc::new(Operator::new(Box::new(Usable)));
        let controller = AzureInfrastructure {
            namespace: None,
            labels: None,
            profiles: &landfall_kube::kinds::LANDFALL_PROFILES,
            objects: played.clone(),
            driver,
            operator,
            claims: Arc::default(),
            claimant: String::new(),
            rollout,
            keeps_policies: true,
            boots: None,
            memories: Mutex::default(),
        };
        for kind in KINDS {
            controller.driver.store.note(ObjectEvent::All(kind.kind, Vec::new()));
        }
        controller.claims.note(watcher::Event::InitDone);
        Self { played, controller }
    }

    fn resource(&self) -> Value {
        self.played.read(&at("azureinfrastructures", "demo")).unwrap_or_default()
    }

    fn condition(&self, kind: &str) -> String {
        let resource = self.resource();
        let all =
            resource.pointer("/status/conditions").and_then(Value::as_array).cloned().unwrap_or_default();
        let found = all.iter().find(|condition| condition["type"] == kind);
        found.map(|one| format!("{} {}", one["status"], one["reason"]).replace('"', "")).unwrap_or_default()
    }

    /// What a condition says.
    fn told(&self, kind: &str) -> String {
        let resource = self.resource();
        let all = resource.pointer("/status/conditions").and_then(Value::as_array);
        let found = all.and_then(|all| all.iter().find(|condition| condition["type"] == kind));
        found.and_then(|one| one["message"].as_str()).unwrap_or_default().to_owned()
    }

    fn change(&self, patch: &Value) {
        assert!(self.played.merged(&at("azureinfrastructures", "demo"), patch).is_ok());
    }

    /// The operator does what is asked of it at once, and the watches tell.
    fn operate(&self) {
        let tell = |news: ObjectEvent| drop(self.controller.driver.store.note(news));
        for kind in KINDS {
            for mut object in self.played.all(kind.plural) {
                let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
                if object.pointer("/metadata/deletionTimestamp").is_some() {
                    continue;
                }
                let skips = object["metadata"]["annotations"][keys::POLICY] == Policy::Skip.name();
                let is_adopted = object["metadata"]["annotations"].get(keys::ADOPTED_AT).is_some();
                let paused = object["metadata"]["annotations"].get(keys::PRE_PAUSE).is_some();
                // Azure makes it together with the account.
                let is_azures = kind.kind == "StorageAccountsBlobService";
                let condition = if skips && !is_adopted && !paused && !is_azures {
                    json!({ "type": "Ready", "status": "False", "severity": "Warning",
                            "reason": "AzureResourceNotFound", "message": "not there" })
                } else {
                    json!({ "type": "Ready", "status": "True", "reason": "Succeeded" })
                };
                // Azure has a machine that it was asked to create.
                let is_in_azure = kind.kind == "VirtualMachine" && condition["status"] == "True";
                let id = is_in_azure.then_some("/subscriptions/s/x");
                let status = json!({ "conditions": [condition], "id": id });
                if object.get("status") != Some(&status) {
                    object["status"] = status;
                    let stands = self.played.put((kind.plural.to_owned(), "here".to_owned(), name), object);
                    tell(ObjectEvent::Is(kind.kind, stands));
                }
            }
        }
    }

    async fn rounds(&self, count: usize) {
        for _ in 0..count {
            let outcome = self.controller.run(&key()).await;
            assert!(outcome.is_ok(), "{outcome:?}");
            self.operate();
            // Numbers are reported again only after a while.
            tokio::time::advance(PACE).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_cluster_is_made_and_then_left_in_peace() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    stage.rounds(12).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
    assert_eq!(stage.condition("Progressing"), "False Done");
    assert_eq!(stage.resource()["status"]["infraID"], "demo-x7k2p");
    assert_eq!(stage.resource()["metadata"]["finalizers"], json!([keys::CLEANUP]));
    let copy = stage.played.read(&at("secrets", "demo-x7k2p-aso-secret")).unwrap_or_default();
    assert_eq!(copy["data"]["AZURE_CLIENT_SECRET"], json!("Y2FuYXJ5"));
    assert!(!stage.resource().to_string().contains("canary"));
    stage.rounds(1).await;
    let before = stage.played.writes.load(Ordering::Relaxed);
    stage.rounds(5).await;
    assert_eq!(stage.played.writes.load(Ordering::Relaxed), before);
}

#[tokio::test(start_paused = true)]
async fn a_field_that_cannot_be_read_is_named_and_nothing_is_made() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p", "apiInternalIP": "foo" }));
    assert!(stage.controller.run(&key()).await.is_err());
    assert_eq!(stage.condition("Validated"), "False ResourceUnreadable");
    assert!(stage.told("Validated").starts_with("spec.apiInternalIP: "), "{}", stage.told("Validated"));
    assert_eq!(stage.condition("Progressing"), "False Failed");
    assert!(stage.played.all("resourcegroups").is_empty());
    stage.change(&json!({ "spec": { "apiInternalIP": null }, "metadata": { "generation": 2 } }));
    stage.rounds(12).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
}

#[tokio::test(start_paused = true)]
async fn what_is_tried_again_says_so() {
    let stage = Stage::new(&json!({ "installConfigRef": { "name": "nowhere" } }));
    assert!(stage.controller.run(&key()).await.is_err());
    assert_eq!(stage.condition("Progressing"), "True Retrying");
}

#[tokio::test(start_paused = true)]
async fn an_id_that_was_made_once_stays() {
    let stage = Stage::new(&json!({}));
    stage.rounds(1).await;
    let label = |resource: &Value| resource["metadata"]["labels"][keys::CLUSTER].clone();
    let id = label(&stage.resource());
    assert!(id.as_str().is_some_and(|id| id.starts_with("demo-")), "{id}");
    stage.change(&json!({ "status": null }));
    stage.rounds(2).await;
    assert_eq!((label(&stage.resource()), stage.resource()["status"]["infraID"].clone()), (id.clone(), id));
    stage.change(&json!({ "spec": { "infraID": "other" }, "metadata": { "generation": 2 } }));
    assert!(stage.controller.run(&key()).await.is_err());
    assert_eq!(stage.condition("Validated"), "False InfraIdChanged");
}

#[tokio::test(start_paused = true)]
async fn a_resource_goes_when_all_that_it_made_is_gone() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    stage.rounds(12).await;
    let held = stage.played.read(&at("secrets", "azure")).unwrap_or_default();
    assert_eq!(held["metadata"]["finalizers"], json!(["aso.landfall.dev/cleanup-demo-x7k2p"]));
    // What is Ready is protected, and once the protection was taken away, it does not come back.
    let protection = |stage: &Stage| stage.resource()["metadata"]["annotations"][anchor::PROTECTION].clone();
    assert_eq!(protection(&stage), "true");
    stage.change(&json!({ "metadata": { "deletionTimestamp": "2026-01-01T00:00:00Z" } }));
    stage.rounds(3).await;
    assert_eq!(stage.condition("Progressing"), "False DeletionProtected");
    let told = stage.told("Progressing");
    assert!(told.ends_with(&format!("remove the annotation {} as well", anchor::PROTECTION)), "{told}");
    assert!(!stage.played.all("virtualnetworks").is_empty());
    stage.change(&json!({ "metadata": { "annotations": { (anchor::PROTECTION): null } } }));
    stage.rounds(1).await;
    assert_eq!(protection(&stage), Value::Null);
    for _ in 0..12 {
        if stage.resource().is_null() {
            break;
        }
        stage.rounds(1).await;
    }
    assert!(stage.resource().is_null(), "{:#}", stage.resource());
    assert!(KINDS.iter().all(|kind| stage.played.all(kind.plural).is_empty()));
    assert_eq!(stage.played.read(&at("secrets", "demo-x7k2p-aso-secret")), None);
    let free = stage.played.read(&at("secrets", "azure")).unwrap_or_default();
    assert_eq!(free["metadata"]["finalizers"], json!([]));
}

#[tokio::test(start_paused = true)]
async fn credentials_of_another_cloud_are_refused() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    let host = "aHR0cHM6Ly9sb2dpbi5taWNyb3NvZnRvbmxpbmUudXMv";
    let patch = json!({ "data": { "AZURE_AUTHORITY_HOST": host } });
    assert!(stage.played.merged(&at("secrets", "azure"), &patch).is_ok());
    assert!(stage.controller.run(&key()).await.is_err());
    assert_eq!(stage.condition("CredentialsReady"), "False CredentialsUnusable");
    assert!(stage.played.all("resourcegroups").is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_secret_of_somebody_else_is_not_written() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    let place = at("secrets", "demo-x7k2p-aso-secret");
    let theirs = json!({ "kind": "Secret", "metadata": {}, "data": { "mine": "YQ==" } });
    stage.played.put(place.clone(), theirs.clone());
    assert!(stage.controller.run(&key()).await.is_err());
    assert_eq!(stage.condition("CredentialsReady"), "False CredentialsUnwritable");
    let there = stage.played.read(&place).unwrap_or_default();
    assert_eq!(there["data"], theirs["data"]);
}

#[test]
fn changes_of_objects_lead_to_their_resource() {
    let stage = Stage::new(&json!({}));
    let cluster = Cluster { namespace: "here".to_owned(), infra_id: "demo-x7k2p".to_owned() };
    stage.controller.driver.store.belongs(&cluster, &key());
    let object = json!({ "metadata": {
        "name": "a", "namespace": "here", "labels": { (keys::CLUSTER): "demo-x7k2p" },
    }});
    assert_eq!(stage.controller.driver.store.note(ObjectEvent::Is("RouteTable", object)), [key()]);
}
