//! The registration of the webhook with the API server.

use landfall_kube::kinds;
use landfall_kube::objects::Kind;
use serde_json::{Value, json};

use super::{AMENDMENT, Address, PATH};

/// The name of both configurations.
pub const NAME: &str = "landfall-cloud-profiles";

/// After how many seconds without an answer nothing is written.
const PATIENCE: u8 = 10;

/// The configurations by which the API server asks at an address, first how an object is to be amended, then
/// whether it may be written; `bundle` holds the authorities to be trusted, in Base64.
#[must_use]
pub fn configurations(
    address: &Address,
    namespace: &str,
    bundle: Option<&str>,
) -> [(&'static Kind, Value); 2] {
    let webhook = |name: &str, path: &str, asked: &[&Kind], operations: &[&str]| {
        let kind = &kinds::CLOUD_PROFILE;
        json!({
            "name": format!("{name}.landfall.{}", kind.group),
            "clientConfig": address.client(path, namespace, bundle),
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
    let writes = ["CREATE", "UPDATE"];
    let (private, released) = (&kinds::PRIVATE_CLOUD_PROFILE, &kinds::NAMESPACED_CLOUD_PROFILE);
    let mut amending = webhook("amendments", AMENDMENT, &[released], &writes);
    amending["reinvocationPolicy"] = json!("IfNeeded");
    let judging = [
        webhook("profiles", PATH, &[private, released], &writes),
        webhook("parents", PATH, &[&kinds::CLOUD_PROFILE], &writes),
        webhook("clusters", PATH, &[&kinds::SHOOT], &["UPDATE"]),
    ];
    [
        configuration(&kinds::MUTATING_WEBHOOK_CONFIGURATION, &[amending]),
        configuration(&kinds::VALIDATING_WEBHOOK_CONFIGURATION, &judging),
    ]
}

fn configuration(kind: &'static Kind, webhooks: &[Value]) -> (&'static Kind, Value) {
    let object = json!({
        "apiVersion": kind.api_version(),
        "kind": kind.kind,
        "metadata": { "name": NAME },
        "webhooks": webhooks,
    });
    (kind, object)
}
