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
