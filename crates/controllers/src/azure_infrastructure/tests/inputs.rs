//! What the status says of the inputs of a cluster: install config and credentials.

use super::*;

#[tokio::test(start_paused = true)]
async fn all_missing_inputs_are_named_at_once_and_each_until_it_is_there() {
    let spec = json!({
        "infraID": "demo-x7k2p",
        "installConfigRef": { "name": "new-config" },
        "factsRef": { "name": "new-facts" },
        "credentialsSecretRef": { "name": "new-azure" },
    });
    let stage = Stage::new(&spec);
    let secret = |name: &str| stage.played.read(&at("secrets", name)).unwrap_or_default();
    let (config, credentials) = (secret("config"), secret("azure"));
    assert!(stage.controller.run(&key()).await.is_err());
    let missing = [stage.condition("Validated"), stage.condition("CredentialsReady")];
    assert_eq!(missing, ["False InputMissing", "False InputMissing"]);
    let told = stage.told("Ready");
    assert!(["new-config", "new-facts", "new-azure"].iter().all(|name| told.contains(name)), "{told}");

    stage.change(&json!({ "spec": { "factsRef": null }, "metadata": { "generation": 2 } }));
    stage.played.put(at("secrets", "new-config"), config);
    assert!(stage.controller.run(&key()).await.is_err());
    assert_eq!(stage.condition("Validated"), "False CredentialsRequired");
    assert_eq!(stage.condition("CredentialsReady"), "False InputMissing");

    stage.played.put(at("secrets", "new-azure"), credentials);
    stage
        .change(&json!({ "spec": { "factsRef": { "name": "new-facts" } }, "metadata": { "generation": 3 } }));
    assert!(stage.controller.run(&key()).await.is_err());
    // Nothing is wrong with them any more, as far as that is known.
    assert_eq!(
        [stage.condition("Validated"), stage.condition("CredentialsReady")],
        ["False InputMissing", ""]
    );
    stage.change(&json!({ "spec": { "factsRef": null }, "metadata": { "generation": 4 } }));
    stage.rounds(1).await;
    let accepted = [stage.condition("Validated"), stage.condition("CredentialsReady")];
    assert_eq!(accepted, ["True Accepted", "True Available"]);
}

#[tokio::test(start_paused = true)]
async fn all_missing_keys_of_the_credentials_are_named_at_once() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    let keys = ["AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET"];
    let none: Map<String, Value> = keys.iter().map(|key| ((*key).to_owned(), Value::Null)).collect();
    assert!(stage.played.merged(&at("secrets", "azure"), &json!({ "data": none })).is_ok());
    assert!(stage.controller.run(&key()).await.is_err());
    assert_eq!(stage.condition("CredentialsReady"), "False CredentialsUnusable");
    let told = stage.told("CredentialsReady");
    assert!(keys.iter().all(|key| told.contains(key)), "{told}");
}

#[tokio::test(start_paused = true)]
async fn a_deleted_secret_with_the_credentials_is_named() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    stage.rounds(12).await;
    assert_eq!(stage.told("CredentialsReady"), "");
    assert!(stage.played.deleted(&at("secrets", "azure")).is_some());
    stage.rounds(2).await;
    let conditions = [stage.condition("CredentialsReady"), stage.condition("Ready")];
    assert_eq!(conditions, ["True Available", "True Done"]);
    let told = stage.told("CredentialsReady");
    assert!(told.contains("azure was deleted") && told.contains("credentialsSecretRef"), "{told}");
}

/// All that exists but the resource itself and the user's credentials.
fn created(stage: &Stage) -> BTreeMap<At, Value> {
    let mut objects = stage.played.objects.lock().map(|objects| objects.clone()).unwrap_or_default();
    objects.remove(&at("azureinfrastructures", "demo"));
    objects.remove(&at("secrets", "azure"));
    objects
}

/// Runs once, and is refused.
async fn refused(stage: &Stage, field: &str) {
    let before = created(stage);
    assert!(stage.controller.run(&key()).await.is_err());
    let conditions = [stage.condition("Validated"), stage.condition("Stalled")];
    assert_eq!(conditions, ["False SubscriptionChanged", "True SubscriptionChanged"]);
    let told = stage.told("Validated");
    assert!(told.starts_with(field) && told.contains("`11111111-"), "{told}");
    assert!(created(stage) == before, "something was written");
}

#[tokio::test(start_paused = true)]
async fn another_subscription_is_refused_once_the_cluster_was_planned() {
    const OTHER: &str = "33333333-2222-3333-4444-555555555555";
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    // Nothing was created yet.
    stage.change(&json!({ "metadata": { "annotations": { (anchor::SUBSCRIPTION): OTHER } } }));
    stage.rounds(12).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
    let noted = |stage: &Stage| stage.resource()["metadata"]["annotations"][anchor::SUBSCRIPTION].clone();
    let own = noted(&stage);

    stage.change(&json!({ "spec": { "subscriptionID": OTHER }, "metadata": { "generation": 2 } }));
    refused(&stage, "spec.subscriptionID: ").await;
    stage.change(&json!({ "spec": { "subscriptionID": null }, "metadata": { "generation": 3 } }));
    let credentials = stage.played.read(&at("secrets", "azure")).unwrap_or_default();
    let encoded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, OTHER);
    let patch = json!({ "data": { "AZURE_SUBSCRIPTION_ID": encoded } });
    assert!(stage.played.merged(&at("secrets", "azure"), &patch).is_ok());
    refused(&stage, "AZURE_SUBSCRIPTION_ID ").await;
    assert_eq!(noted(&stage), own);
    // A note that was removed is not needed.
    stage.change(&json!({ "metadata": { "annotations": { (anchor::SUBSCRIPTION): null } } }));
    refused(&stage, "AZURE_SUBSCRIPTION_ID ").await;
    // Nor one that says what the new credentials say.
    stage.change(&json!({ "metadata": { "annotations": { (anchor::SUBSCRIPTION): OTHER } } }));
    refused(&stage, "AZURE_SUBSCRIPTION_ID ").await;

    stage.played.put(at("secrets", "azure"), credentials);
    stage.rounds(3).await;
    assert_eq!((stage.condition("Ready"), noted(&stage)), ("True Done".into(), own));
}

#[tokio::test(start_paused = true)]
async fn a_cluster_is_removed_with_the_credentials_of_its_subscription() {
    let stage = Stage::new(&json!({ "infraID": "demo-x7k2p" }));
    stage.rounds(12).await;
    let copy = |stage: &Stage| stage.played.read(&at("secrets", "demo-x7k2p-aso-secret")).unwrap_or_default();
    let before = copy(&stage);
    let metadata = json!({
        "annotations": { (anchor::PROTECTION): null },
        "deletionTimestamp": "2026-01-01T00:00:00Z",
    });
    stage.change(&json!({ "spec": { "subscriptionID": "other" }, "metadata": metadata }));
    stage.rounds(1).await;
    assert_eq!(copy(&stage), before);
    for _ in 0..12 {
        if stage.resource().is_null() {
            break;
        }
        stage.rounds(1).await;
    }
    assert!(stage.resource().is_null(), "{:#}", stage.resource());
}
