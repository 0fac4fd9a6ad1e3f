//! Two resources that ask for the same infrastructure ID.

use ::kube::api::{ObjectMeta, PartialObjectMetaExt as _};

use super::*;

const TWIN: &str = "twin";
const PLURAL: &str = "azureinfrastructures";

fn twin() -> Key {
    Key { name: TWIN.to_owned(), ..key() }
}

/// A cluster that stands, and another resource with the spec of the first and this metadata.
async fn stage(infra_id: &str, metadata: &Value) -> Stage {
    let stage = Stage::new(&json!({ "infraID": infra_id }));
    stage.rounds(13).await;
    assert_eq!(stage.condition("Ready"), "True Done");
    let mut second = json!({
        "metadata": {
            "name": TWIN,
            "namespace": "here",
            "uid": "v",
            "generation": 1,
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "spec": stage.resource()["spec"].clone(),
    });
    json_patch::merge(&mut second, &json!({ "metadata": metadata }));
    let stored = stage.played.put(at(PLURAL, TWIN), second);
    let metadata: ObjectMeta = serde_json::from_value(stored["metadata"].clone()).unwrap_or_default();
    assert_eq!(
        stage.controller.claims.note(watcher::Event::Apply(metadata.into_response_partial())),
        [twin()]
    );
    stage
}

/// All that stands but the second resource.
fn others(stage: &Stage) -> BTreeMap<At, Value> {
    let mut objects = stage.played.objects.lock().map(|objects| objects.clone()).unwrap_or_default();
    objects.remove(&at(PLURAL, TWIN));
    objects
}

fn second(stage: &Stage) -> Value {
    stage.played.read(&at(PLURAL, TWIN)).unwrap_or_default()
}

/// Works on the second resource, which is refused.
async fn refused(stage: &Stage) {
    let failed = stage.controller.run(&twin()).await.err();
    let failed = failed.map(|failed| (failed.retry, failed.reason, failed.note));
    let id = stage.resource()["status"]["infraID"].as_str().unwrap_or_default().to_owned();
    let note = failed.as_ref().map(|(.., note)| note.clone()).unwrap_or_default();
    assert!(note.starts_with(&format!("spec.infraID: `{id}` ")) && note.ends_with(" demo"), "{note}");
    assert_eq!(failed.map(|(retry, reason, _)| (retry, reason)), Some((false, "infra-id-taken")));
    let conditions = second(stage)["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let validated = conditions.iter().find(|one| one["type"] == "Validated");
    let told = validated.map(|one| [&one["status"], &one["reason"], &one["message"]].map(Value::clone));
    assert_eq!(told, Some(["False", "InfraIdTaken", note.as_str()].map(Value::from)));
}

#[tokio::test(start_paused = true)]
async fn the_second_is_refused_and_touches_nothing() {
    let stage = stage("demo-x7k2p", &json!({})).await;
    let before = others(&stage);
    refused(&stage).await;
    let metadata = second(&stage)["metadata"].clone();
    assert!(metadata.get("labels").is_none() && metadata.get("finalizers").is_none(), "{metadata}");
    let going = json!({ "metadata": { "deletionTimestamp": "2026-01-01T00:00:00Z" } });
    assert!(stage.played.merged(&at(PLURAL, TWIN), &going).is_ok());
    assert!(stage.controller.run(&twin()).await.is_ok());
    assert!(second(&stage).is_null());
    stage.rounds(3).await;
    assert_eq!(others(&stage), before);
}

#[tokio::test(start_paused = true)]
async fn a_cluster_of_the_same_name_does_not_stand_on_the_dns_of_the_other() {
    let stage = stage("demo-x7k2p", &json!({})).await;
    let before = stage.played.all("privatednszones");
    let other = json!({ "spec": { "infraID": "demo-b2c3d" } });
    assert!(stage.played.merged(&at(PLURAL, TWIN), &other).is_ok());
    let mut last = None;
    for _ in 0..20 {
        last = stage.controller.run(&twin()).await.err().map(|failed| (failed.reason, failed.note));
        stage.rounds(1).await;
    }
    let (reason, note) = last.unwrap_or_default();
    assert_eq!(reason, "cluster-name-taken", "{note}");
    assert!(note.contains("belongs to cluster `demo-x7k2p`"), "{note}");
    assert_eq!(stage.played.all("privatednszones"), before);
}

#[tokio::test(start_paused = true)]
async fn a_copy_with_all_its_marks_touches_nothing() {
    // Objects of a resource with this name count as the cluster's, whoever drives it.
    let marks = json!({ "labels": { (keys::CLUSTER): "demo" }, "finalizers": [keys::CLEANUP] });
    let stage = stage("demo", &marks).await;
    let before = others(&stage);
    refused(&stage).await;
    let change = |patch: Value| assert!(stage.played.merged(&at(PLURAL, TWIN), &patch).is_ok());
    change(json!({ "spec": { "paused": true } }));
    refused(&stage).await;
    change(json!({ "spec": { "paused": false } }));
    change(json!({ "metadata": { "deletionTimestamp": "2026-01-01T00:00:00Z" } }));
    assert!(stage.controller.run(&twin()).await.is_ok());
    assert!(second(&stage).is_null());
    stage.rounds(3).await;
    assert_eq!(others(&stage), before);
}

#[tokio::test(start_paused = true)]
async fn an_id_of_another_namespace_is_refused_until_it_is_free() {
    let mut stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    let claims = Claims::of(Some("here".to_owned()));
    let metadata = |namespace: &str, name: &str, more: Value| {
        let mut metadata = json!({ "name": name, "namespace": namespace });
        json_patch::merge(&mut metadata, &more);
        serde_json::from_value::<ObjectMeta>(metadata).unwrap_or_default().into_response_partial()
    };
    claims.note(watcher::Event::InitDone);
    stage.controller.claims = Arc::new(claims);
    assert!(matches!(stage.controller.run(&key()).await, Ok(Next::Again(_))), "the others are not known yet");
    assert!(stage.resource()["status"].is_null());
    let marks = json!({ "labels": { (keys::CLUSTER): "demo-x7k2p" } });
    let other = || metadata("there", "theirs", marks.clone());
    stage.controller.claims.note_others(Some(watcher::Event::InitApply(other())));
    stage.controller.claims.note_others(Some(watcher::Event::InitDone));
    let failed = stage.controller.run(&key()).await.err().map(|failed| (failed.reason, failed.note));
    let note =
        "spec.infraID: `demo-x7k2p` belongs to a cluster in another namespace, in the same subscription";
    assert_eq!(failed, Some(("infra-id-taken", note.to_owned())));
    assert!(stage.played.all("resourcegroups").is_empty());
    // It goes, and the ID is free.
    assert_eq!(stage.controller.claims.note_others(Some(watcher::Event::Delete(other()))), [key()]);
    stage.rounds(13).await;
    assert_eq!(stage.condition("Ready"), "True Done");
}

#[tokio::test(start_paused = true)]
async fn of_two_operators_that_take_an_id_at_once_one_has_it_before_anything_is_created() {
    let mut stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    let claims = Arc::new(Claims::of(Some("here".to_owned())));
    claims.note(watcher::Event::InitDone);
    claims.note_others(Some(watcher::Event::InitDone));
    stage.controller.claims = Arc::clone(&claims);
    let seen_later = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let metadata = json!({
            "name": "theirs", "namespace": "there", "labels": { (keys::CLUSTER): "demo-x7k2p" },
            "creationTimestamp": "2000-01-01T00:00:00Z",
        });
        let metadata: ObjectMeta = serde_json::from_value(metadata).unwrap_or_default();
        claims.note(watcher::Event::Apply(own_metadata(&stage)));
        claims.note_others(Some(watcher::Event::Apply(metadata.into_response_partial())));
    };
    let own = key();
    let (failed, ()) = tokio::join!(stage.controller.run(&own), seen_later);
    assert_eq!(failed.err().map(|failed| failed.reason), Some("infra-id-taken"));
    assert!(stage.played.all("resourcegroups").is_empty());
}

#[tokio::test(start_paused = true)]
async fn other_namespaces_are_looked_at_only_where_ids_are_to_be_unique() {
    for unique_infra_ids in [false, true] {
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let noted = Arc::clone(&asked);
        let server = axum::Router::new().fallback(move |request: axum::extract::Request| {
            if let Ok(mut noted) = noted.lock() {
                noted.push(request.uri().path().to_owned());
            }
            futures::future::pending::<String>()
        });
        let (client, played) = (Client::new(server, "default"), Arc::new(FakeCluster::default()));
        let controller = AzureInfrastructure::new(Tools {
            namespace: Some("team".to_owned()),
            unique_infra_ids,
            labels: None,
            profiles: &landfall_kube::kinds::LANDFALL_PROFILES,
            objects: played.clone(),
            events: played,
            client: client.clone(),
            numbers: Numbers::registered(&mut Registry::default()),
            wrote: Arc::new(|| {}),
            identity: "one".to_owned(),
            claimant: String::new(),
            rollout_limit: 0,
            keeps_policies: true,
            boots: None,
        });
        let mut keys = controller.triggers(&client);
        // The key of the policies is all that comes.
        let mut policies = Vec::new();
        while let Ok(Some(key)) = tokio::time::timeout(Duration::from_secs(2), keys.next()).await {
            policies.push(key.namespace);
        }
        assert_eq!(policies, vec![None; usize::from(unique_infra_ids)]);
        let paths = asked.lock().map(|asked| asked.clone()).unwrap_or_default();
        let own = "/apis/aso.landfall.dev/v1alpha1/namespaces/team/azureinfrastructures";
        let all = "/apis/aso.landfall.dev/v1alpha1/azureinfrastructures";
        assert!(paths.iter().any(|path| path == own), "{paths:?}");
        assert_eq!(paths.iter().any(|path| path == all), unique_infra_ids, "{paths:?}");
        controller.claims.note(watcher::Event::InitDone);
        assert_eq!(controller.claims.is_complete(), !unique_infra_ids);
    }
}

/// The metadata of the first resource, as its watch tells it.
fn own_metadata(stage: &Stage) -> Metadata {
    let mut metadata = stage.resource()["metadata"].clone();
    let more = json!({ "name": "demo", "namespace": "here", "creationTimestamp": "2026-01-01T00:00:00Z" });
    json_patch::merge(&mut metadata, &more);
    serde_json::from_value::<ObjectMeta>(metadata).unwrap_or_default().into_response_partial()
}
