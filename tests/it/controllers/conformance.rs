//! Agreement with what `OpenShift`'s operators do, on a corpus of clusters.
//!
//! The folder comes from `LANDFALL_CONFORMANCE`, by default `testdata/conformance`. Where the operators do
//! what they should not, [`BETTER`] has what is done here instead, case by case with the reason. A case of
//! another folder that is marked so and has no row there may differ.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use landfall_controllers::MapNames;
use landfall_controllers::cloud_config_sync::{CloudConfigSync, Settings};
use landfall_controllers::kube_cloud_config::KubeCloudConfig;
use landfall_controllers::{Controller, Failed, Next, Outcome, Window};
use landfall_kube::kinds::{CLUSTER_OPERATOR, NETWORK};
use landfall_kube::objects::ObjectRef;
use serde_json::{Map, Value, json};

use super::played::{self, Played};

/// Cases in which the operators are not followed: what is expected instead, over what the case says, and why.
const BETTER: &[(&str, &str, &str)] = &[
    (
        "sync-fallback-aws",
        r#"{"write": "create", "error": null, "target": {"data": {"cloud.conf": "[Global]\nZone = eu-west-1a\nVPC = vpc-0a1b2c\n"}},
            "events": ["fallback-warning", "updated"], "reads": ["openshift-config", "openshift-config-managed"]}"#,
        "the old field that names the platform is good enough for its rule",
    ),
    (
        "sync-gcp-key-is-default-missing",
        r#"{"writes": [], "target": null,
            "conditions": {
                "CloudConfigControllerAvailable": {"status": "False", "reason": "SyncingFailed"},
                "CloudConfigControllerDegraded": {"status": "True", "reason": "SyncingFailed"}}}"#,
        "a key that is named and missing is told, whatever its name",
    ),
    ("sync-aws-target-equal", r#"{"writes": []}"#, "nothing is written that is there already"),
];

/// Cases whose mark is about what the operators do on the way; what comes of them is the same.
const SAME: &[(&str, &str)] = &[
    ("sync-immutable-source-create", "the mark that makes it so is not carried over, as everywhere"),
    ("sync-vsphere-gate-unknown", "a gate that is not listed is off, and nothing crashes"),
];

fn cases(file: &str, mode: &str) -> Vec<Value> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/conformance");
    let given = std::env::var_os("LANDFALL_CONFORMANCE").map(PathBuf::from);
    let is_given = given.is_some();
    let path = given.unwrap_or_else(|| PathBuf::from(default)).join(file);
    let text = match std::fs::read_to_string(&path) {
        Err(_) if is_given => {
            eprintln!("left out: {} cannot be read", path.display());
            return Vec::new();
        }
        text => text.unwrap(),
    };
    let cases = text.lines().filter(|line| !line.trim().is_empty());
    let cases = cases.map(|line| serde_json::from_str::<Value>(line).expect("a case is JSON"));
    let cases: Vec<Value> = cases.filter(|case| case["mode"] == mode).collect();
    assert!(is_given || !cases.is_empty(), "no case of {mode}");
    cases
}

fn id(case: &Value) -> &str {
    case["id"].as_str().unwrap()
}

/// What a case expects, made better.
fn expected(case: &Value) -> Value {
    let mut expected = case["expect"].clone();
    if let Some((_, better, _)) = BETTER.iter().find(|(known, ..)| *known == id(case)) {
        json_patch::merge(&mut expected, &serde_json::from_str(better).unwrap());
    }
    // What is prepared is as immutable as its source. What is written is not, as the description's list of quirks
    // recommends: an immutable map could never be brought up to date.
    if let Some(target) = expected.get_mut("target").and_then(Value::as_object_mut) {
        target.remove("immutable");
    }
    expected
}

/// Collects what differs, but for marked cases of other folders that nothing is said of here.
fn judge(case: &Value, found: &Value, wanted: &Value, differing: &mut Vec<String>) {
    let mut known = BETTER.iter().map(|(known, ..)| *known).chain(SAME.iter().map(|(known, _)| *known));
    let accounted = known.any(|known| known == id(case));
    let marked = case.get("quirk").is_some();
    let elsewhere = std::env::var_os("LANDFALL_CONFORMANCE").is_some();
    if marked && !accounted && !elsewhere {
        differing.push(format!("{}: nothing is said of its mark", id(case)));
    }
    if found != wanted && !(marked && !accounted && elsewhere) {
        differing.push(format!("{}:\n  found  {found}\n  wanted {wanted}", id(case)));
    }
}

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().into_iter().flatten();
    list.map(|one| one.as_str().unwrap().to_owned()).collect()
}

/// The cluster of a case.
fn cluster(case: &Value) -> Arc<Played> {
    let played = Played::new();
    if case["infrastructure"].is_object() {
        played.put(played::infrastructure(), case["infrastructure"].clone());
    }
    if let Some(network) = case.get("network").filter(|network| network.is_object()) {
        played.put(ObjectRef::in_cluster(&NETWORK, "cluster"), network.clone());
    }
    for map in case["configMaps"].as_array().into_iter().flatten() {
        let text = |key: &str| map["metadata"][key].as_str().unwrap().to_owned();
        played.put(played::map(&text("namespace"), &text("name")), map.clone());
    }
    if let Some(operator) = case.get("clusterOperator").filter(|operator| operator.is_object()) {
        let place = ObjectRef::in_cluster(&CLUSTER_OPERATOR, "cloud-controller-manager");
        played.put(place, operator.clone());
    }
    if case["noGateAccess"] != true {
        played::gates(&played, &strings(&case["enabledGates"]), &strings(&case["disabledGates"]));
    }
    if case["gateError"].is_string() {
        played.fail_get("FeatureGate");
    }
    for what in case["failGet"].as_object().into_iter().flat_map(Map::keys) {
        played.fail_get(what);
    }
    for what in case["failWrite"].as_object().into_iter().flat_map(Map::keys) {
        played.fail_write(what);
    }
    played
}

/// What of a map the cases tell; null where there is none.
fn shown(object: Option<Value>) -> Value {
    let Some(object) = object else { return Value::Null };
    let metadata = &object["metadata"];
    let parts = [
        ("data", &object["data"]),
        ("binaryData", &object["binaryData"]),
        ("immutable", &object["immutable"]),
        ("labels", &metadata["labels"]),
        ("annotations", &metadata["annotations"]),
    ];
    let there = parts.into_iter().filter(|(_, value)| !value.is_null());
    Value::Object(there.map(|(name, value)| (name.to_owned(), value.clone())).collect())
}

/// The same map, its configuration as the value that it stands for: how a text is laid out counts only where
/// it is neither JSON nor YAML.
fn meant(map: &Value, platform: &str) -> Value {
    let mut map = map.clone();
    let Some(text) = map.pointer("/data/cloud.conf").and_then(Value::as_str) else {
        return map;
    };
    let value = match platform {
        "Azure" => serde_json::from_str::<Map<String, Value>>(text).ok().map(|members| {
            let empty = |value: &Value| {
                value.is_null() || *value == json!(0) || *value == json!(false) || *value == json!("")
            };
            Value::Object(members.into_iter().filter(|(_, value)| !empty(value)).collect())
        }),
        "VSphere" => serde_yaml::from_str::<Value>(text).ok(),
        _ => None,
    };
    if let Some(value) = value {
        map["data"]["cloud.conf"] = value;
    }
    map
}

fn of_maps(writes: Vec<String>) -> Vec<String> {
    writes.into_iter().filter(|write| write.contains(" ConfigMap ")).collect()
}

#[tokio::test]
async fn the_managed_map_is_kept_as_openshift_does() {
    let mut differing = Vec::new();
    for case in cases("kube-cloud-config.jsonl", "sync") {
        let played = cluster(&case);
        let controller = KubeCloudConfig::new(played.clone(), played.clone(), MapNames::default());
        let outcome = controller.reconcile(&played::key()).await;
        let mut expected = expected(&case);
        let writes = of_maps(played.writes());
        let written: Vec<&str> = writes.iter().filter_map(|write| write.split(' ').next()).collect();
        let reads: Vec<String> =
            played.reads("ConfigMap").into_iter().filter_map(|place| place.namespace).collect();
        let told = played.told();
        let tag = |reason: &&'static str| -> Option<&'static str> {
            match *reason {
                "InfrastructureMissing" => Some("infrastructure-missing-warning"),
                "PlatformFallback" => Some("fallback-warning"),
                "CloudConfigCreated" | "CloudConfigUpdated" => Some("updated"),
                "CloudConfigDeleted" => Some("deleted"),
                // The operators keep a refusal to their log, and say nothing of a key that is not there.
                "CloudConfigRefused" | "CloudConfigKeyMissing" => None,
                other => Some(other),
            }
        };
        let mut events: Vec<&str> = told.iter().filter_map(tag).collect();
        events.sort_unstable();
        let target = played.object(&played::map("openshift-config-managed", "kube-cloud-config"));
        let found = json!({
            "write": if written.is_empty() { "none".to_owned() } else { written.join(", ") },
            "error": outcome.as_ref().err().map(|failed| failed.reason),
            "target": shown(target),
            "events": events,
            "reads": reads,
        });
        let mut tags = strings(&expected["events"]);
        tags.sort_unstable();
        expected["events"] = json!(tags);
        let error = expected.get("error").cloned().unwrap_or_default();
        expected["error"] = error;
        judge(&case, &found, &expected, &mut differing);
        if told.contains(&"CloudConfigRefused") != outcome.is_err_and(|failed| !failed.retry) {
            differing.push(format!("{}: what is refused and what is told differ", id(&case)));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

fn settings() -> Settings {
    Settings { release_version: "5.0.0".to_owned(), ..Settings::default() }
}

fn is_retried(outcome: &Result<Next, Failed>) -> bool {
    outcome.as_ref().is_err_and(|failed| failed.retry)
}

#[tokio::test]
async fn the_target_is_kept_as_openshift_does() {
    let mut differing = Vec::new();
    for case in cases("ccm-cloud-config.jsonl", "reconcile") {
        let played = cluster(&case);
        let controller = CloudConfigSync::new(played.clone(), played.clone(), settings());
        let outcome = controller.reconcile(&played::key()).await;
        let expected = expected(&case);
        let platform = case.pointer("/infrastructure/status/platformStatus/type");
        let platform = platform.and_then(Value::as_str).unwrap_or_default();
        let target = played.object(&played::map("openshift-cloud-controller-manager", "cloud-conf"));
        let managed = played.object(&played::map("openshift-config-managed", "kube-cloud-config"));
        let operator = ObjectRef::in_cluster(&CLUSTER_OPERATOR, "cloud-controller-manager");
        let operator = played.object(&operator).unwrap_or_default();
        let conditions = operator.pointer("/status/conditions").and_then(Value::as_array);
        let conditions = conditions.map(|all| {
            let one = |condition: &Value| {
                let kind = condition["type"].as_str().unwrap().to_owned();
                (kind, json!({ "status": condition["status"], "reason": condition["reason"] }))
            };
            Value::Object(all.iter().map(one).collect())
        });
        let mut found = json!({
            "retry": is_retried(&outcome),
            "writes": of_maps(played.writes()),
            "target": meant(&shown(target), platform),
            "managed": meant(&shown(managed), platform),
            "conditions": conditions,
            "versions": operator.pointer("/status/versions"),
            "relatedObjects": operator.pointer("/status/relatedObjects"),
        });
        if expected.get("error").is_some() {
            found["error"] = json!(outcome.as_ref().err().map(|failed| failed.reason));
        }
        let mut wanted = expected.clone();
        for map in ["target", "managed"] {
            wanted[map] = meant(&expected[map], platform);
        }
        for part in ["versions", "relatedObjects"] {
            wanted[part] = expected.get(part).cloned().unwrap_or_default();
        }
        judge(&case, &found, &wanted, &mut differing);
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn errors_count_once_they_have_lasted_as_openshift_has_it() {
    let mut differing = Vec::new();
    for case in cases("ccm-cloud-config.jsonl", "window") {
        let stale = case["staleAfterSeconds"].as_f64().unwrap_or_default();
        let mut window = Window::new(Duration::from_secs_f64(stale));
        let step = |step: &Value| {
            let outcome = match step["outcome"].as_str().unwrap() {
                "success" => Outcome::Done,
                "terminal" => Outcome::Terminal,
                "transient" => Outcome::Transient,
                other => panic!("{}: no outcome is called {other}", id(&case)),
            };
            let at = Duration::from_secs_f64(step["atSeconds"].as_f64().unwrap());
            let degraded = window.note(outcome, at);
            let reported = !(degraded && step["setConditionFails"] == true);
            json!({ "retry": outcome.is_retried(reported), "setDegraded": degraded })
        };
        let found: Vec<Value> = case["steps"].as_array().unwrap().iter().map(step).collect();
        judge(&case, &json!({ "steps": found }), &expected(&case), &mut differing);
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}
