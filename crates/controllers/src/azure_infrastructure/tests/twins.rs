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
