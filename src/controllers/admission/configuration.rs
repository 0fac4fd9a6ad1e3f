//! What the API server is told about the judge.

use serde_json::{Value, json};

use super::Address;
use crate::kube::kinds;
use crate::kube::objects::Kind;

/// The name of the configuration.
pub const NAME: &str = "landfall-cloud-profiles";

/// After how many seconds without an answer nothing is written.
const PATIENCE: u8 = 10;

/// The configuration by which the API server asks the judge at an address; `bundle` holds the authorities to
/// be trusted, in Base64.
#[must_use]
pub fn configuration(address: &Address, namespace: &str, bundle: Option<&str>) -> Value {
    let profiles: [&Kind; 2] = [&kinds::PRIVATE_CLOUD_PROFILE, &kinds::NAMESPACED_CLOUD_PROFILE];
    let webhook = |name: &str, asked: &[&Kind], operations: &[&str]| {
        let kind = &kinds::CLOUD_PROFILE;
        json!({
            "name": format!("{name}.landfall.{}", kind.group),
            "clientConfig": address.client(namespace, bundle),
            "rules": [{
                "apiGroups": [kind.group],
                "apiVersions": [kind.version],
                "resources": asked.iter().map(|kind| kind.plural).collect::<Vec<_>>(),
                "operations": operations,
                "scope": "*",
            }],
            "admissionReviewVersions": ["v1"],
            "failurePolicy": "Fail",
            "matchPolicy": "Equivalent",
            "sideEffects": "None",
            "timeoutSeconds": PATIENCE,
        })
    };
    let kind = &kinds::VALIDATING_WEBHOOK_CONFIGURATION;
    json!({
        "apiVersion": kind.api_version(),
        "kind": kind.kind,
        "metadata": { "name": NAME },
        "webhooks": [
            webhook("profiles", &profiles, &["CREATE", "UPDATE"]),
            webhook("parents", &[&kinds::CLOUD_PROFILE], &["UPDATE"]),
            webhook("clusters", &[&kinds::SHOOT], &["UPDATE"]),
        ],
    })
}
