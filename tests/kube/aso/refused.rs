//! What is refused before anything is written: no operator, one that cannot be used, a cloud that it does not
//! serve.

use serde_json::{Value, json};

use super::management::{Management, OPERATOR};
use super::site::{Site, config};
use super::stands::PUBLIC;
use super::table::Azure;
use super::until::until;

/// Fails unless the cluster is refused with these words and nothing is written: not into the management
/// cluster, and not into the cluster directory, which another engine may take then.
#[track_caller]
fn refused(management: &Management, words: &[&str]) {
    let site = Site::new(PUBLIC, &config("public", |_| {}));
    let namespace = format!("/api/v1/namespaces/{PUBLIC}");
    site.create(&management.server.kubeconfig()).ends(4).said(words);
    assert_eq!(management.get(&namespace), None, "{words:?}");
    for file in ["metadata.json", "facts.json"] {
        assert!(!site.path().join(file).exists(), "{file} after {words:?}");
    }
    let kept = std::fs::read_dir(site.path().join(".landfall")).unwrap();
    let kept: Vec<_> = kept.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(kept, ["landfall.log"], "{words:?}");
}

#[test]
#[ignore = "needs an API server"]
fn a_management_cluster_that_cannot_do_it_is_refused_and_left_as_it_is() {
    let management = Management::bare(&Azure::empty());
    refused(&management, &["LF15"]);

    management.define();
    // The kinds are there, and nobody serves them.
    refused(&management, &["no", "azureserviceoperator-controller-manager"]);

    management.deploy(&json!({ "AZURE_TARGET_NAMESPACES": "elsewhere, nowhere" }));
    refused(&management, &[PUBLIC, "namespace"]);

    let settings = format!("/api/v1/namespaces/{OPERATOR}/secrets/aso-controller-settings");
    let government = json!({ "stringData": {
        "AZURE_TARGET_NAMESPACES": "",
        "AZURE_AUTHORITY_HOST": "https://login.microsoftonline.us/",
        "AZURE_RESOURCE_MANAGER_ENDPOINT": "https://management.usgovcloudapi.net",
        "AZURE_RESOURCE_MANAGER_AUDIENCE": "https://management.core.usgovcloudapi.net/",
    }});
    management.server.change(&settings, &government);
    refused(&management, &["AzureUSGovernmentCloud", "AzurePublicCloud"]);

    let public = json!({ "data": {
        "AZURE_AUTHORITY_HOST": null,
        "AZURE_RESOURCE_MANAGER_ENDPOINT": null,
        "AZURE_RESOURCE_MANAGER_AUDIENCE": null,
    }});
    management.server.change(&settings, &public);
    management.replicas(0);
    refused(&management, &["LF1522", OPERATOR]);
    management.replicas(1);

    let definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/natgateways.network.azure.com";
    let routes = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/routetables.network.azure.com";
    for path in [definition, routes] {
        management.server.call("DELETE", path, &Value::Null).unwrap();
        until("the definition is gone", || management.get(path).is_none().then_some(()));
    }
    refused(&management, &["missing CRDs", "routetables.network.azure.com"]);
}
