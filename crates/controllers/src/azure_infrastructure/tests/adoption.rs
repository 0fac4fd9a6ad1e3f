//! A cluster that exists in Azure: what adoption would do, its adoption, and the way back.

use std::collections::BTreeSet;

use super::*;

const ID: &str = "demo-x7k2p";
fn adopting(policy: &str) -> Stage {
    Stage::new(&json!({ "infraID": ID, "adoptPolicy": policy }))
}

/// What Azure has otherwise than its object says; none where it does not have the resource.
type Azure<'a> = &'a dyn Fn(&Kind) -> Option<Value>;

const EVERYTHING: Azure<'static> = &|_| Some(json!({}));

/// Rounds in which the operator reads what Azure has.
async fn rounds(stage: &Stage, count: usize, azure: Azure<'_>) {
    for _ in 0..count {
        let outcome = stage.controller.run(&key()).await;
        assert!(outcome.is_ok(), "{outcome:?}");
        for kind in KINDS {
            for mut object in stage.played.all(kind.plural) {
                let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
                let status = if let Some(otherwise) = azure(kind) {
                    let mut status = object["spec"].clone();
                    let ready = json!({ "type": "Ready", "status": "True", "reason": "Succeeded" });
                    let tags = json!({ (keys::ownership_tag(ID)): keys::OWNED });
                    let said = json!({ "conditions": [ready], "tags": tags, "metadata": tags });
                    json_patch::merge(&mut status, &said);
                    json_patch::merge(&mut status, &otherwise);
                    status
                } else {
                    json!({ "conditions": [{
                        "type": "Ready", "status": "False", "severity": "Warning",
                        "reason": "AzureResourceNotFound", "message": "not there",
                    }]})
                };
                if object.get("status") != Some(&status) {
                    object["status"] = status;
                    let stands = stage.played.put((kind.plural.to_owned(), "here".to_owned(), name), object);
                    drop(stage.controller.driver.store.note(ObjectEvent::Is(kind.kind, stands)));
                }
            }
        }
        tokio::time::advance(PACE).await;
    }
}

fn policy(object: &Value) -> String {
    object["metadata"]["annotations"][keys::POLICY].as_str().unwrap_or_default().to_owned()
}

/// The policies of all objects, but for those that the operator only reads whatever the plan says.
fn policies(stage: &Stage) -> BTreeSet<String> {
    let kinds = KINDS.iter().filter(|kind| kind.adopt_policy != Policy::Skip);
    let objects = kinds.flat_map(|kind| stage.played.all(kind.plural));
    // The group of the user's zone.
    let own = objects.filter(|object| object["metadata"]["annotations"].get(keys::MODE).is_none());
    own.map(|object| policy(&object)).collect()
}

fn only(policy: &str) -> BTreeSet<String> {
    [policy.to_owned()].into()
}

fn ask(stage: &Stage, policy: &str, generation: u8) {
    stage.change(&json!({ "spec": { "adoptPolicy": policy }, "metadata": { "generation": generation } }));
}

fn is_protected(stage: &Stage) -> bool {
    stage.resource()["metadata"]["annotations"].get(anchor::PROTECTION).is_some()
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_says_what_adoption_would_do_and_changes_nothing() {
    let stage = adopting("skip");
    let azure: Azure<'_> = &|kind| match kind.kind {
        name if name.starts_with("StorageAccount") => None,
        "VirtualNetwork" => Some(json!({ "location": "westus" })),
        _ => EVERYTHING(kind),
    };
    rounds(&stage, 8, azure).await;
    let status = stage.resource()["status"].clone();
    assert_eq!(stage.condition("Ready"), "False DryRun", "{status:#}");
    assert_eq!(stage.condition("Progressing"), "False DryRun", "{status:#}");
    // The account with its blob service and container.
    assert_eq!((&status["dryRun"]["toChange"], &status["dryRun"]["toCreate"]), (&json!(1), &json!(3)));
    assert_eq!((&status["dryRun"]["foreign"], &status["dryRun"]["toRemove"]), (&json!(0), &json!(0)));
    assert!(status["dryRun"]["toAdopt"].as_i64().is_some_and(|count| count > 10), "{status:#}");
    let told = |kind: &str| {
        let all = status["resources"].as_array().cloned().unwrap_or_default();
        all.iter().find(|one| one["kind"] == kind).map(|one| one["message"].clone()).unwrap_or_default()
    };
    assert_eq!(told("VirtualNetwork"), "would be adopted and changed: location");
    assert_eq!(told("StorageAccount"), "would be created: it is not in Azure");
    assert_eq!(policies(&stage), only("skip"));
    assert!(!is_protected(&stage));
    // It rests, and its end leaves Azure as it was.
    let before = stage.played.writes.load(Ordering::Relaxed);
    rounds(&stage, 3, azure).await;
    assert_eq!(stage.played.writes.load(Ordering::Relaxed), before);
    ends(&stage, "skip").await;
}

/// Deletes the resource. All objects go, and Azure keeps their resources.
async fn ends(stage: &Stage, wanted: &str) {
    stage.change(&json!({ "metadata": { "deletionTimestamp": "2026-01-01T00:00:00Z" } }));
    for _ in 0..40 {
        if stage.resource().is_null() {
            break;
        }
        rounds(stage, 1, EVERYTHING).await;
    }
    assert!(stage.resource().is_null(), "{:#}", stage.resource()["status"]);
    assert!(KINDS.iter().all(|kind| stage.played.all(kind.plural).is_empty()));
    let deletions = stage.played.deletions.lock().map(|all| all.clone()).unwrap_or_default();
    let kept = deletions.iter().filter(|object| policy(object) == wanted).count();
    assert!(kept > 10, "{kept}");
    assert!(deletions.iter().all(|object| policy(object) != "manage"));
}

#[tokio::test(start_paused = true)]
async fn a_cluster_is_adopted_and_managed_and_let_go() {
    let stage = adopting("skip");
    rounds(&stage, 8, EVERYTHING).await;
    ask(&stage, "detach-on-delete", 2);
    for _ in 0..12 {
        rounds(&stage, 1, EVERYTHING).await;
        // Subnets, rules and containers follow their parents.
        assert_eq!(stage.resource()["status"]["counts"]["foreign"].as_i64().unwrap_or_default(), 0);
    }
    assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
    assert_eq!(stage.resource()["status"].get("dryRun"), None);
    assert_eq!(policies(&stage), only("detach-on-delete"));
    assert!(!is_protected(&stage));
    ask(&stage, "manage", 3);
    rounds(&stage, 4, EVERYTHING).await;
    assert_eq!(policies(&stage), only("manage"));
    assert!(is_protected(&stage));
    // A policy that its owner gave to one object stays.
    let network = at("virtualnetworks", "demo-x7k2p-vnet");
    let theirs = json!({ "metadata": { "annotations": { (keys::POLICY): "detach-on-delete" } } });
    let object = stage.played.merged(&network, &theirs).unwrap_or_default();
    drop(stage.controller.driver.store.note(ObjectEvent::Is("VirtualNetwork", object)));
    rounds(&stage, 4, EVERYTHING).await;
    assert_eq!(policies(&stage).len(), 2);
    ask(&stage, "detach-on-delete", 4);
    rounds(&stage, 4, EVERYTHING).await;
    assert_eq!(policies(&stage), only("detach-on-delete"));
    stage.change(&json!({ "metadata": { "annotations": { (anchor::PROTECTION): null } } }));
    ends(&stage, "detach-on-delete").await;
}

#[tokio::test(start_paused = true)]
async fn a_deletion_begins_after_the_policy_of_all() {
    let stage = adopting("manage");
    rounds(&stage, 16, EVERYTHING).await;
    assert_eq!(policies(&stage), only("manage"));
    ask(&stage, "detach-on-delete", 2);
    stage.change(&json!({ "metadata": { "annotations": { (anchor::PROTECTION): null } } }));
    ends(&stage, "detach-on-delete").await;
}

#[tokio::test(start_paused = true)]
async fn an_installed_cluster_keeps_what_it_edits_itself() {
    let stage = Stage::new(&json!({ "infraID": ID, "stage": "handover" }));
    let seen =
        |stage: &Stage| policy(&stage.played.all("loadbalancers").first().cloned().unwrap_or_default());
    for _ in 0..16 {
        rounds(&stage, 1, EVERYTHING).await;
        assert!(["", "skip"].contains(&seen(&stage).as_str()), "{}", seen(&stage));
    }
    assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
    let balancer = stage.played.all("loadbalancers").first().cloned().unwrap_or_default();
    assert_eq!(balancer["metadata"]["annotations"][keys::HANDOVER], "manage");
    assert_eq!(policy(&stage.played.all("resourcegroups").first().cloned().unwrap_or_default()), "manage");
}

/// What the status says of an object that is not as planned.
fn told(stage: &Stage, kind: &str) -> String {
    let all = stage.resource()["status"]["resources"].as_array().cloned().unwrap_or_default();
    let found = all.iter().find(|one| one["kind"] == kind);
    found.and_then(|one| one["message"].as_str()).unwrap_or_default().to_owned()
}

#[tokio::test(start_paused = true)]
async fn a_resource_of_another_name_is_looked_for_before_it_is_adopted() {
    let stage = adopting("skip");
    rounds(&stage, 8, &|kind| if kind.kind == "StorageAccount" { None } else { EVERYTHING(kind) }).await;
    assert!(told(&stage, "StorageAccount").starts_with("would be created"));
    let patch = json!({ "spec": { "azureName": "clusterk4d9x" } }).to_string();
    let patches = json!([{ "kind": "StorageAccount", "name": "demox7k2psa", "patch": patch }]);
    stage.change(&json!({ "spec": { "patches": patches }, "metadata": { "generation": 2 } }));
    rounds(&stage, 8, EVERYTHING).await;
    let account = stage.played.all("storageaccounts").first().cloned().unwrap_or_default();
    assert_eq!((&account["spec"]["azureName"], policy(&account).as_str()), (&json!("clusterk4d9x"), "skip"));
    assert_eq!(stage.resource()["status"]["dryRun"]["toCreate"], 0, "{:#}", stage.resource()["status"]);
    let deletions = stage.played.deletions.lock().map(|all| all.clone()).unwrap_or_default();
    assert!(deletions.iter().all(|object| policy(object) == "skip") && !deletions.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_of_a_managed_cluster_keeps_what_left_the_plan() {
    let stage = Stage::new(&json!({ "infraID": ID, "adoptPolicy": "manage" }));
    rounds(&stage, 16, EVERYTHING).await;
    // A status that was lost says nothing of what was applied, and a pause remembers another policy.
    stage.change(&json!({ "spec": { "paused": true }, "metadata": { "generation": 2 } }));
    rounds(&stage, 4, EVERYTHING).await;
    let private = CONFIG.replace("platform:", "publish: Internal\nplatform:");
    let encoded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, private);
    let data = json!({ "data": { (CONFIG_KEY): encoded } });
    assert!(stage.played.merged(&at("secrets", "config"), &data).is_ok());
    let spec = json!({ "paused": false, "adoptPolicy": "skip" });
    stage.change(&json!({ "spec": spec, "status": null, "metadata": { "generation": 3 } }));
    let kinds = |stage: &Stage| KINDS.iter().map(|kind| stage.played.all(kind.plural).len()).sum::<usize>();
    let before = kinds(&stage);
    for _ in 0..8 {
        rounds(&stage, 1, EVERYTHING).await;
        assert_eq!(policies(&stage), only("skip"));
    }
    assert_eq!(kinds(&stage), before);
    assert_eq!(stage.condition("Ready"), "False DryRun", "{:#}", stage.resource()["status"]);
    let removed = stage.resource()["status"]["dryRun"]["toRemove"].as_i64();
    assert!(removed > Some(0), "{:#}", stage.resource()["status"]);
    assert_eq!(told(&stage, "DnsZonesCNAMERecord"), "would be removed: it is not in the plan");
}

#[tokio::test(start_paused = true)]
async fn what_belongs_to_somebody_else_is_named_and_outlives_the_cluster() {
    const GROUPS: &str = "networksecuritygroups";
    let stage = adopting("manage");
    let shared = json!({ "tags": { (keys::ownership_tag(ID)): "shared" } });
    let azure: Azure<'_> = &|kind| {
        if kind.kind == "NetworkSecurityGroup" { Some(shared.clone()) } else { EVERYTHING(kind) }
    };
    rounds(&stage, 16, azure).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
    let told = |stage: &Stage| stage.told("Ready");
    assert!(told(&stage).contains("NetworkSecurityGroup/demo-x7k2p-nsg"), "{}", told(&stage));
    let counts = stage.resource()["status"]["counts"].clone();
    // The rules of the group are as much somebody else's.
    assert!(counts["foreign"].as_i64() > Some(1) && counts["done"] == counts["total"], "{counts}");

    // Its resource group does not go while it is in there.
    let metadata = json!({
        "annotations": { (anchor::PROTECTION): null },
        "deletionTimestamp": "2026-01-01T00:00:00Z",
    });
    stage.change(&json!({ "metadata": metadata }));
    rounds(&stage, 6, azure).await;
    assert_eq!(stage.condition("Ready"), "False UserResourcesRemain");
    assert!(told(&stage).contains("NetworkSecurityGroup/demo-x7k2p-nsg"), "{}", told(&stage));
    assert!(!stage.played.all("resourcegroups").is_empty() && !stage.played.all(GROUPS).is_empty());
    stage.change(&json!({ "metadata": { "annotations": { (keys::DELETE_WITH_CLUSTER): "true" } } }));
    for _ in 0..12 {
        if stage.resource().is_null() {
            break;
        }
        rounds(&stage, 1, azure).await;
    }
    assert!(stage.resource().is_null(), "{:#}", stage.resource()["status"]);
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_cannot_be_read_keeps_everything() {
    let stage = Stage::new(&json!({ "infraID": ID }));
    rounds(&stage, 16, EVERYTHING).await;
    ask(&stage, "detach", 2);
    stage.change(&json!({ "metadata": { "annotations": { (anchor::PROTECTION): null } } }));
    ends(&stage, "detach-on-delete").await;
}
