//! Tests of the controllers, in a cluster that is played.

use ::kube::runtime::watcher::Event;
use landfall_cloud_profile::admission::{FINALIZER, REFERENCED};
use landfall_kube::kinds::{AZURE_INFRASTRUCTURE, GARDENER_PROFILES, LANDFALL_PROFILES, SHOOT};
use landfall_kube::objects::Kind;
use serde_json::from_value;

use super::*;
use crate::fake_cluster::FakeCluster;

mod clean_up;

/// What does not come to pass here.
type Unexpected = Box<dyn std::error::Error>;

struct Stage<S> {
    cluster: Arc<FakeCluster>,
    controller: Inheritance<S>,
}

impl<S: DerivedProfile> Stage<S> {
    /// A cluster with these objects, all of which are known.
    fn new(parents: &[Value], child: Value) -> Result<Self, Unexpected> {
        let cluster = Arc::new(FakeCluster::default());
        let access = access(&cluster);
        let stage = Self { cluster, controller: Inheritance::new(access, true) };
        stage.tell(StoreEvent::Parent(Event::Init));
        for parent in parents {
            stage.cluster.put(&GARDENER_PROFILES.cloud, parent.clone());
            stage.tell(StoreEvent::Parent(Event::InitApply(from_value(parent.clone())?)));
        }
        stage.tell(StoreEvent::Parent(Event::InitDone));
        stage.tell(StoreEvent::Child(Event::Init));
        stage.tell(StoreEvent::Child(Event::InitDone));
        stage.cluster.put(S::kind(&GARDENER_PROFILES), child);
        stage.see()?;
        Ok(stage)
    }

    fn tell(&self, event: StoreEvent<S>) {
        locked(&self.controller.store).take(event);
    }

    /// The watch delivers the child as it is.
    fn see(&self) -> Result<(), Unexpected> {
        self.tell(StoreEvent::Child(Event::Apply(from_value(self.child())?)));
        Ok(())
    }

    fn child(&self) -> Value {
        self.cluster.at(&ObjectRef::in_namespace(S::kind(&GARDENER_PROFILES), "n", "c"))
    }

    async fn run(&self) -> Result<Next, Failed> {
        self.controller.run(&Key { namespace: Some("n".to_owned()), name: "c".to_owned() }).await
    }

    fn writes(&self) -> usize {
        self.cluster.with(|state| state.writes.len())
    }
}

fn access(cluster: &Arc<FakeCluster>) -> Access {
    let kinds = &GARDENER_PROFILES;
    Access { objects: cluster.clone(), events: cluster.clone(), questions: cluster.clone(), kinds }
}

fn parent() -> Value {
    json!({
        "metadata": { "name": "p", "resourceVersion": "1" },
        "spec": { "type": "x", "kubernetes": { "versions": [{ "version": "1.2.3" }] } },
    })
}

fn child(spec: &Value) -> Value {
    json!({
        "metadata": {
            "name": "c", "namespace": "n", "generation": 4, "resourceVersion": "7", "finalizers": [FINALIZER],
        },
        "spec": spec,
    })
}

fn shoot(kind: &str, name: &str) -> Value {
    json!({
        "metadata": { "name": "s", "namespace": "n" },
        "spec": { "cloudProfile": { "kind": kind, "name": name } },
    })
}

#[tokio::test]
async fn a_profile_is_joined_once() -> Result<(), Unexpected> {
    let spec = json!({ "parent": "p", "limits": { "maxNodesTotal": 5 } });
    let stage: Stage<PrivateCloudProfileSpec> = Stage::new(&[parent()], child(&spec))?;
    assert_eq!(stage.run().await, Ok(Next::Settled));
    let status = stage.child()["status"].clone();
    assert_eq!(status["cloudProfile"]["spec"]["type"], "x");
    assert_eq!(status["cloudProfile"]["spec"]["limits"]["maxNodesTotal"], 5);
    assert_eq!(status["observedGeneration"], 4);
    assert_eq!(status["conditions"][0]["reason"], "RenderedCleanly");
    assert!(status["conditions"][0]["lastTransitionTime"].is_string());
    // Neither the event of it nor a further look leads to a further write.
    assert_eq!(stage.run().await, Ok(Next::Settled));
    stage.see()?;
    assert_eq!(stage.run().await, Ok(Next::Settled));
    assert_eq!(stage.writes(), 1);
    Ok(())
}

#[tokio::test]
async fn what_others_write_into_the_result_goes() -> Result<(), Unexpected> {
    let mut strange = child(&json!({ "parent": "p" }));
    strange["status"] = json!({
        "cloudProfile": { "spec": { "caBundle": "x", "type": "y" } },
        "conflicts": [{ "path": "a", "reason": "b", "message": "c" }],
    });
    let stage: Stage<PrivateCloudProfileSpec> = Stage::new(&[parent()], strange)?;
    assert_eq!(stage.run().await, Ok(Next::Settled));
    let status = stage.child()["status"].clone();
    assert_eq!(status["cloudProfile"]["spec"], parent()["spec"]);
    assert_eq!(status.get("conflicts"), None);
    stage.see()?;
    assert_eq!(stage.run().await, Ok(Next::Settled));
    assert_eq!(stage.writes(), 1);
    Ok(())
}

#[tokio::test]
async fn without_a_parent_the_last_result_stays() -> Result<(), Unexpected> {
    let stage: Stage<PrivateCloudProfileSpec> = Stage::new(&[parent()], child(&json!({ "parent": "p" })))?;
    stage.run().await.map_err(|failed| failed.note)?;
    stage.tell(StoreEvent::Parent(Event::Delete(from_value(parent())?)));
    assert_eq!(stage.run().await, Ok(Next::Settled));
    let status = stage.child()["status"].clone();
    assert_eq!(status["cloudProfile"]["spec"]["type"], "x");
    assert_eq!(status["conditions"][0]["reason"], "ParentNotFound");
    assert_eq!(stage.writes(), 2);
    Ok(())
}

#[tokio::test]
async fn a_profile_without_a_parent_is_seen_although_it_is_not_joined() -> Result<(), Unexpected> {
    let mut unseen = child(&json!({ "parent": "p" }));
    unseen["status"] = json!({ "observedGeneration": UNSEEN });
    let stage: Stage<PrivateCloudProfileSpec> = Stage::new(&[], unseen)?;
    assert_eq!(stage.run().await, Ok(Next::Settled));
    let status = stage.child()["status"].clone();
    assert_eq!(status.get("observedGeneration"), None, "{status}");
    assert_eq!(status["conditions"][1]["type"], "Stalled");
    stage.see()?;
    assert_eq!(stage.run().await, Ok(Next::Settled));
    assert_eq!(stage.writes(), 1);
    Ok(())
}

#[tokio::test]
async fn a_missing_parent_of_the_kind_without_conditions_is_an_event() -> Result<(), Unexpected> {
    let spec = json!({ "parent": { "kind": "CloudProfile", "name": "p" } });
    let stage: Stage<NamespacedCloudProfileSpec> = Stage::new(&[], child(&spec))?;
    assert_eq!(stage.run().await, Ok(Next::Settled));
    let told = stage.cluster.with(|state| std::mem::take(&mut state.told));
    let told: Vec<_> = told.iter().map(|told| (told.event_type, told.reason)).collect();
    assert_eq!(told, [(EventType::Warning, "ParentNotFound")]);
    stage.tell(StoreEvent::Parent(Event::Apply(from_value(parent())?)));
    assert_eq!(stage.run().await, Ok(Next::Settled));
    assert!(stage.cluster.with(|state| state.told.is_empty()));
    Ok(())
}

#[tokio::test]
async fn a_parent_that_cannot_be_read_is_reported_and_the_last_result_stays() -> Result<(), Unexpected> {
    let stage: Stage<PrivateCloudProfileSpec> = Stage::new(&[parent()], child(&json!({ "parent": "p" })))?;
    stage.run().await.map_err(|failed| failed.note)?;
    let mut odd = parent();
    odd["spec"]["machineTypes"] = json!([{ "name": "m", "cpu": { "a": 1 } }]);
    stage.tell(StoreEvent::Parent(Event::Apply(from_value(odd)?)));
    assert!(stage.run().await.is_err());
    let status = stage.child()["status"].clone();
    assert_eq!(status["cloudProfile"]["spec"]["type"], "x");
    assert_eq!(status["conditions"][0]["status"], "False");
    assert_eq!(status["conditions"][0]["reason"], "ParentUnreadable");
    stage.see()?;
    assert!(stage.run().await.is_err());
    assert_eq!(stage.writes(), 2);
    Ok(())
}

#[tokio::test]
async fn what_has_expired_is_taken_out() -> Result<(), Unexpected> {
    let old = json!({ "version": "1.2.3", "expirationDate": "2020-01-01T00:00:00Z" });
    let spec = json!({ "parent": "p", "kubernetes": { "versions": [old] } });
    let stage: Stage<PrivateCloudProfileSpec> = Stage::new(&[parent()], child(&spec))?;
    assert_eq!(stage.run().await, Ok(Next::Settled));
    assert_eq!(stage.child()["spec"], json!({ "parent": "p" }));
    let told =
        stage.cluster.with(|state| state.told.iter().map(|told| told.note.clone()).collect::<Vec<_>>());
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told.iter().all(|note| note.contains("Kubernetes 1.2.3")), "{told:?}");
    // What is not to come for long is waited for.
    let spec = json!({
        "parent": "p",
        "kubernetes": { "versions": [{ "version": "1.2.3", "expirationDate": "2999-01-01T00:00:00Z" }] },
    });
    let stage: Stage<PrivateCloudProfileSpec> = Stage::new(&[parent()], child(&spec))?;
    assert!(matches!(stage.run().await, Ok(Next::Again(_))));
    assert_eq!(stage.child()["spec"], spec);
    Ok(())
}

#[tokio::test]
async fn nothing_is_taken_out_before_the_parent_is_there() -> Result<(), Unexpected> {
    let old = json!({ "version": "1.2.3", "expirationDate": "2020-01-01T00:00:00Z" });
    let spec = json!({ "parent": "p", "kubernetes": { "versions": [old] } });
    let stage: Stage<PrivateCloudProfileSpec> = Stage::new(&[], child(&spec))?;
    assert_eq!(stage.run().await, Ok(Next::Settled));
    assert_eq!(stage.child()["status"]["conditions"][0]["reason"], "ParentNotFound");
    assert_eq!((stage.child()["spec"].clone(), stage.writes()), (spec, 1));
    stage.tell(StoreEvent::Parent(Event::Apply(from_value(parent())?)));
    assert_eq!(stage.run().await, Ok(Next::Settled));
    assert_eq!(stage.child()["spec"], json!({ "parent": "p" }));
    Ok(())
}

/// A cluster that answers with this to whoever would change more than a status.
struct Closed {
    cluster: Arc<FakeCluster>,
    fault: Fault,
}

impl Objects for Closed {
    fn get<'a>(&'a self, place: &'a ObjectRef) -> BoxFuture<'a, Result<Option<Value>, Fault>> {
        self.cluster.get(place)
    }

    fn apply<'a>(
        &'a self,
        place: &'a ObjectRef,
        object: Value,
        part: Part,
    ) -> BoxFuture<'a, Result<Value, Fault>> {
        self.cluster.apply(place, object, part)
    }

    fn merge<'a>(&'a self, _: &'a ObjectRef, _: Value, _: Part) -> BoxFuture<'a, Result<Value, Fault>> {
        let fault = self.fault.clone();
        Box::pin(async move { Err(fault) })
    }

    fn set_status<'a>(&'a self, place: &'a ObjectRef, status: Value) -> BoxFuture<'a, Result<(), Fault>> {
        self.cluster.set_status(place, status)
    }

    fn delete<'a>(&'a self, place: &'a ObjectRef) -> BoxFuture<'a, Result<bool, Fault>> {
        self.cluster.delete(place)
    }
}

#[tokio::test]
async fn it_is_reported_where_what_has_expired_cannot_be_taken_out() -> Result<(), Unexpected> {
    let old = json!({ "version": "1.2.3", "expirationDate": "2020-01-01T00:00:00Z" });
    let spec = json!({ "parent": "p", "kubernetes": { "versions": [old] } });
    let answer = |status| Fault::Answer { status, why: "spec.machineImages[0] is wrong".to_owned() };
    let faults = [
        (answer(422), true, true),
        (Fault::Forbidden("no verb".to_owned()), true, true),
        (answer(409), false, false),
        (answer(429), false, true),
        (answer(500), false, true),
        (Fault::late(), false, true),
    ];
    for (fault, is_told, is_fault) in faults {
        let mut stage: Stage<PrivateCloudProfileSpec> = Stage::new(&[parent()], child(&spec))?;
        let cluster = stage.cluster.clone();
        stage.controller.access.objects = Arc::new(Closed { cluster, fault: fault.clone() });
        let ended = stage.run().await.map_err(|failed| (failed.retry, failed.reason));
        // A newer version of the profile is none.
        assert_eq!(ended, if is_fault { Err((true, "profile-unwritable")) } else { Ok(Next::Again(AGAIN)) });
        // It is not offered all the same.
        let rendered = stage.child()["status"]["cloudProfile"]["spec"]["kubernetes"].clone();
        assert_eq!(rendered, parent()["spec"]["kubernetes"]);
        let told = stage.cluster.with(|state| std::mem::take(&mut state.told));
        let reasons: Vec<&str> = told.iter().map(|told| told.reason).collect();
        assert_eq!(reasons, if is_told { vec![CLEAN_UP_REFUSED] } else { Vec::new() }, "{fault:?}");
        for told in told {
            assert!(
                told.event_type == EventType::Warning && told.note.contains(&fault.why()),
                "{}",
                told.note
            );
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_profile_gets_a_finalizer_first() -> Result<(), Unexpected> {
    let mut bare = child(&json!({ "parent": "p" }));
    bare["metadata"]["finalizers"] = json!(["other"]);
    let stage: Stage<PrivateCloudProfileSpec> = Stage::new(&[parent()], bare)?;
    assert_eq!(stage.run().await, Ok(Next::Settled));
    assert_eq!(stage.child()["metadata"]["finalizers"], json!(["other", FINALIZER]));
    assert_eq!(stage.child()["status"], Value::Null);
    stage.see()?;
    assert_eq!(stage.run().await, Ok(Next::Settled));
    assert!(stage.child()["status"].is_object());
    Ok(())
}

#[tokio::test]
async fn a_profile_that_is_newer_than_the_watch_told_is_looked_at_again() -> Result<(), Unexpected> {
    let (mut bare, mut leaving) = (child(&json!({ "parent": "p" })), child(&json!({ "parent": "p" })));
    bare["metadata"]["finalizers"] = json!([]);
    leaving["metadata"]["deletionTimestamp"] = json!("2024-01-01T00:00:00Z");
    for (told, finalizers) in [(bare, json!([FINALIZER])), (leaving, json!([]))] {
        let mut newer = told.clone();
        newer["metadata"]["resourceVersion"] = json!("8");
        let stage: Stage<PrivateCloudProfileSpec> = Stage::new(&[parent()], told)?;
        stage.cluster.put(&GARDENER_PROFILES.private, newer);
        assert_eq!(stage.run().await, Ok(Next::Again(AGAIN)));
        assert_eq!(stage.writes(), 0);
        stage.see()?;
        assert_eq!(stage.run().await, Ok(Next::Settled));
        assert_eq!(stage.child()["metadata"]["finalizers"], finalizers);
    }
    Ok(())
}

#[tokio::test]
async fn a_profile_stays_while_a_cluster_refers_to_it() -> Result<(), Unexpected> {
    let mut leaving = child(&json!({ "parent": "p" }));
    leaving["metadata"]["deletionTimestamp"] = json!("2024-01-01T00:00:00Z");
    let stage: Stage<PrivateCloudProfileSpec> = Stage::new(&[parent()], leaving)?;
    stage.cluster.put(&SHOOT, shoot("PrivateCloudProfile", "c"));
    assert!(matches!(stage.run().await, Ok(Next::Again(_))));
    let told = stage.cluster.with(|state| state.told.iter().map(|told| told.reason).collect::<Vec<_>>());
    assert_eq!((told.as_slice(), stage.writes()), ([REFERENCED].as_slice(), 0));
    // A cloud profile of the same name is another.
    stage.cluster.put(&SHOOT, shoot("CloudProfile", "c"));
    assert_eq!(stage.run().await, Ok(Next::Settled));
    assert_eq!(stage.child()["metadata"]["finalizers"], json!([]));
    Ok(())
}

#[tokio::test]
async fn the_released_kind_has_a_spec_in_its_status() -> Result<(), Unexpected> {
    let spec = json!({
        "parent": { "kind": "CloudProfile", "name": "p" },
        "limits": { "maxNodesTotal": 5 },
        "machineTypes": [{ "name": "m" }, { "name": "n", "usable": false }],
    });
    let stage: Stage<NamespacedCloudProfileSpec> = Stage::new(&[parent()], child(&spec))?;
    assert_eq!(stage.run().await, Ok(Next::Settled));
    assert_eq!(stage.child()["status"]["cloudProfileSpec"]["limits"]["maxNodesTotal"], 5);
    let usable = |i: usize| stage.child()["status"]["cloudProfileSpec"]["machineTypes"][i]["usable"].clone();
    assert_eq!([usable(0), usable(1)], [json!(true), json!(false)]);
    assert_eq!(stage.child()["status"]["observedGeneration"], 4);
    stage.tell(StoreEvent::Parent(Event::Delete(from_value(parent())?)));
    assert_eq!(stage.run().await, Ok(Next::Settled));
    assert_eq!(stage.writes(), 1);
    Ok(())
}

#[tokio::test]
async fn a_cloud_profile_stays_while_a_profile_or_a_cluster_refers_to_it() {
    let cluster = Arc::new(FakeCluster::default());
    let controller = parents(access(&cluster), Expiry::default());
    let key = Key { namespace: None, name: "p".to_owned() };
    let place = ObjectRef::in_cluster(&GARDENER_PROFILES.cloud, "p");
    cluster.put(&GARDENER_PROFILES.cloud, parent());
    assert_eq!(controller.reconcile(&key).await, Ok(Next::Settled));
    assert_eq!(cluster.at(&place)["metadata"]["finalizers"], json!([FINALIZER]));
    let mut leaving = cluster.at(&place);
    leaving["metadata"]["deletionTimestamp"] = json!("2024-01-01T00:00:00Z");
    cluster.put(&GARDENER_PROFILES.cloud, leaving);
    let holders: [(&'static Kind, Value); 3] = [
        (&GARDENER_PROFILES.private, child(&json!({ "parent": "p" }))),
        (&GARDENER_PROFILES.namespaced, child(&json!({ "parent": { "name": "p" } }))),
        (&SHOOT, shoot("CloudProfile", "p")),
    ];
    for (kind, holder) in holders {
        cluster.put(kind, holder);
        assert!(matches!(controller.reconcile(&key).await, Ok(Next::Again(_))), "{}", kind.kind);
        cluster.with(|state| state.objects.retain(|place, _| place.kind != kind));
    }
    assert_eq!(controller.reconcile(&key).await, Ok(Next::Settled));
    assert_eq!(cluster.at(&place)["metadata"]["finalizers"], json!([]));
}

/// Landfall's own profiles.
#[tokio::test]
async fn a_profile_stays_while_an_infrastructure_refers_to_it() {
    let cluster = Arc::new(FakeCluster::default());
    let controller = parents(Access { kinds: &LANDFALL_PROFILES, ..access(&cluster) }, Expiry::default());
    let key = Key { namespace: None, name: "p".to_owned() };
    let place = ObjectRef::in_cluster(&LANDFALL_PROFILES.cloud, "p");
    let mut leaving = parent();
    leaving["metadata"]["finalizers"] = json!([FINALIZER]);
    leaving["metadata"]["deletionTimestamp"] = json!("2024-01-01T00:00:00Z");
    let infrastructure = |reference: &Value| {
        json!({
            "metadata": { "name": "demo", "namespace": "n" },
            "spec": { "cloudProfileRef": reference },
        })
    };
    // Without a kind it is a private profile.
    for (reference, stays) in [
        (json!({ "kind": "CloudProfile", "name": "p" }), true),
        (json!({ "kind": "CloudProfile", "name": "other" }), false),
        (json!({ "name": "p" }), false),
        (Value::Null, false),
    ] {
        cluster.put(&LANDFALL_PROFILES.cloud, leaving.clone());
        cluster.put(&AZURE_INFRASTRUCTURE, infrastructure(&reference));
        // A cluster of Gardener's refers to Gardener's profiles.
        cluster.put(&SHOOT, shoot("CloudProfile", "p"));
        let next = controller.reconcile(&key).await;
        assert_eq!(matches!(next, Ok(Next::Again(_))), stays, "{reference}: {next:?}");
        assert_eq!(cluster.at(&place)["metadata"]["finalizers"] == json!([FINALIZER]), stays, "{reference}");
    }
}

/// An infrastructure may refer to Gardener's profiles as well.
#[tokio::test]
async fn a_profile_of_gardeners_stays_while_an_infrastructure_refers_to_it() -> Result<(), Unexpected> {
    let mut leaving = child(&json!({ "parent": "p" }));
    leaving["metadata"]["deletionTimestamp"] = json!("2024-01-01T00:00:00Z");
    let stage: Stage<PrivateCloudProfileSpec> = Stage::new(&[parent()], leaving)?;
    stage.cluster.put(
        &AZURE_INFRASTRUCTURE,
        json!({
            "metadata": { "name": "demo", "namespace": "n" },
            "spec": { "cloudProfileRef": { "name": "c" } },
        }),
    );
    assert!(matches!(stage.run().await, Ok(Next::Again(_))));
    let note = stage.cluster.with(|state| state.told.pop()).map(|event| event.note).unwrap_or_default();
    assert!(note.contains("AzureInfrastructure `n/demo`"), "{note}");
    stage.cluster.with(|state| state.objects.retain(|place, _| *place.kind != AZURE_INFRASTRUCTURE));
    assert_eq!(stage.run().await, Ok(Next::Settled));
    assert_eq!(stage.child()["metadata"]["finalizers"], json!([]));
    Ok(())
}

#[tokio::test]
async fn a_profile_without_admission_says_so_until_there_is_one() -> Result<(), Unexpected> {
    let mut stage: Stage<PrivateCloudProfileSpec> =
        Stage::new(&[parent()], child(&json!({ "parent": "p" })))?;
    let objects: Arc<dyn Objects> = stage.cluster.clone();
    stage.controller.protection =
        Some(Arc::new(Protection::new(Arc::clone(&objects), GARDENER_PROFILES.private.group)));
    let told = |stage: &Stage<PrivateCloudProfileSpec>| {
        let conditions = stage.child()["status"]["conditions"].as_array().cloned().unwrap_or_default();
        let of = |one: &Value| (one["type"].clone(), one["status"].clone(), one["reason"].clone());
        conditions.iter().map(of).collect::<Vec<_>>()
    };
    let rendered = (json!("Rendered"), json!("True"), json!("RenderedCleanly"));
    let missing = (json!("Protected"), json!("False"), json!("AdmissionMissing"));
    stage.run().await.map_err(|failed| failed.note)?;
    assert_eq!(told(&stage), [rendered.clone(), missing.clone()]);
    // It is dated once, and written once.
    assert!(stage.child()["status"]["conditions"][1]["lastTransitionTime"].is_string());
    stage.see()?;
    stage.run().await.map_err(|failed| failed.note)?;
    assert_eq!(stage.writes(), 1);
    // Where nobody says whether there is one, the condition stays.
    stage.cluster.with(|state| state.is_down = true);
    stage.controller.protection =
        Some(Arc::new(Protection::new(Arc::clone(&objects), GARDENER_PROFILES.private.group)));
    stage.run().await.map_err(|failed| failed.note)?;
    assert_eq!(told(&stage), [rendered.clone(), missing]);
    stage.cluster.with(|state| state.is_down = false);
    stage.controller.protection = None;
    stage.run().await.map_err(|failed| failed.note)?;
    assert_eq!(told(&stage), [rendered]);
    Ok(())
}
