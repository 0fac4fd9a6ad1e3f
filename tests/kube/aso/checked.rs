//! What `aso check` says of a management cluster, and that it writes nothing.

use serde_json::{Value, json};

use super::management::{Management, OPERATOR};
use super::site::{Site, config};
use super::stands::PUBLIC;
use super::table::Azure;

/// What a check says as data.
fn said(out: &str) -> Value {
    serde_json::from_str(out.trim()).unwrap()
}

#[test]
#[ignore = "needs an API server"]
fn a_management_cluster_is_looked_at_without_a_trace() {
    let management = Management::bare(&Azure::empty());
    let site = Site::new(PUBLIC, &config("public", |_| {}));
    let kubeconfig = management.server.kubeconfig();
    let check = |more: &[&str]| {
        let arguments = [&["aso", "check", "-o", "json"][..], more].concat();
        site.start(&arguments, Some(&kubeconfig)).end()
    };
    assert_eq!(said(&check(&[]).ends(4).out)["verdict"], "absent");

    management.install(&json!({ "AZURE_TARGET_NAMESPACES": "elsewhere" }));
    let before = management.versions(OPERATOR);
    // Whoever is not named is not looked for.
    let ok = said(&check(&[]).ends(0).out);
    assert_eq!((&ok["verdict"], &ok["operatorNamespace"]), (&json!("ok"), &json!(OPERATOR)));
    assert_eq!(said(&check(&["--infra-id", PUBLIC]).ends(4).out)["verdict"], "conflict");
    let other = said(&check(&["--cloud-name", "AzureUSGovernmentCloud"]).ends(4).out);
    assert_eq!(other["verdict"], "conflict");
    assert_eq!(management.versions(OPERATOR), before);
    assert_eq!(management.get(&format!("/api/v1/namespaces/{PUBLIC}")), None);

    // The operator is somebody else's to upgrade, and 2.30 is too far.
    let far = said(&check(&["--upgrade-to", "v2.30.0"]).ends(4).out);
    let codes: Vec<&str> =
        far["findings"].as_array().unwrap().iter().filter_map(|one| one["code"].as_str()).collect();
    assert_eq!(codes.iter().filter(|code| **code == "LF1528").count(), 2, "{far}");

    // A release without the versions in which objects are stored.
    let crds = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "resourcegroups.resources.azure.com" },
        "spec": { "versions": [{ "name": "v20990101" }] },
    });
    site.write("crds.yaml", &crds);
    let path = site.path().join("crds.yaml");
    let lacking =
        said(&check(&["--upgrade-to", "v2.30.0", "--upgrade-crds", path.to_str().unwrap()]).ends(4).out);
    let stored: Vec<&Value> =
        lacking["findings"].as_array().unwrap().iter().filter(|one| one["code"] == "LF1529").collect();
    // There is no object yet, so that it is advice.
    assert!(!stored.is_empty() && stored.iter().all(|one| one["severity"] == "warning"), "{lacking}");

    // A step that is right is no fault, although the operator is somebody else's.
    let right = said(&check(&["--upgrade-to", "v2.20.0"]).ends(0).out);
    assert!(right["findings"].as_array().unwrap().iter().any(|one| one["code"] == "LF1528"), "{right}");
}
