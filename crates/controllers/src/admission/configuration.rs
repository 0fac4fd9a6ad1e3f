//! The registration of the webhook with the API server.

use landfall_kube::kinds::{
    MUTATING_WEBHOOK_CONFIGURATION, ProfileKinds, SHOOT, VALIDATING_WEBHOOK_CONFIGURATION,
};
use landfall_kube::objects::Kind;
use serde_json::{Value, json};

use super::{AMENDMENT, Address, PATH};

/// The name of both configurations.
pub const NAME: &str = "landfall-cloud-profiles";

/// The field with what must hold so that the webhook is asked. Servers before 1.28 drop it, and ask about everything.
pub(super) const CONDITIONS: &str = "matchConditions";
/// After how many seconds without an answer nothing is written.
const PATIENCE: u8 = 10;
/// The same for a cloud profile: all clusters are listed, and the profiles to which they refer are read. It is the most
/// that the API server takes.
const PARENT_PATIENCE: u8 = 30;

/// Whether an update changes the spec. A create has no old object.
const SPEC_CHANGES: &str = "oldObject == null || !has(oldObject.spec) || !has(object.spec) || \
                            object.spec != oldObject.spec";
/// Whether an update of a namespaced profile is of more than finalizers: what else is in its metadata counts until it is
/// deleted.
const SAYS_MORE: &str = "oldObject == null || !has(oldObject.spec) || !has(object.spec) || \
                         object.spec != oldObject.spec || (!has(object.metadata.deletionTimestamp) && (\
                         has(object.metadata.labels) != has(oldObject.metadata.labels) || \
                         has(object.metadata.annotations) != has(oldObject.metadata.annotations) || \
                         has(object.metadata.ownerReferences) != has(oldObject.metadata.ownerReferences) || \
                         (has(object.metadata.labels) && \
                         object.metadata.labels != oldObject.metadata.labels) || \
                         (has(object.metadata.annotations) && \
                         object.metadata.annotations != oldObject.metadata.annotations) || \
                         (has(object.metadata.ownerReferences) && \
                         object.metadata.ownerReferences != oldObject.metadata.ownerReferences)))";
/// Whether a cluster refers to another profile than before.
const REFERENCE_CHANGES: &str = "!has(oldObject.spec) || !has(object.spec) || \
                                 has(object.spec.cloudProfile) != has(oldObject.spec.cloudProfile) || \
                                 has(object.spec.cloudProfileName) != has(oldObject.spec.cloudProfileName) || \
                                 (has(object.spec.cloudProfile) && \
                                 object.spec.cloudProfile != oldObject.spec.cloudProfile) || \
                                 (has(object.spec.cloudProfileName) && \
                                 object.spec.cloudProfileName != oldObject.spec.cloudProfileName)";

/// Whether an infrastructure refers to another profile than before. It may always do without one.
const OWN_REFERENCE_CHANGES: &str = "has(object.spec) && has(object.spec.cloudProfileRef) && \
                                     (!has(oldObject.spec) || !has(oldObject.spec.cloudProfileRef) || \
                                     object.spec.cloudProfileRef != oldObject.spec.cloudProfileRef)";

/// The configurations by which the API server asks at an address, first how an object is to be amended, then
/// whether it may be written, if it is of one of these kinds; `bundle` holds the authorities to be trusted, in Base64.
#[must_use]
pub fn configurations(
    kinds: &ProfileKinds,
    address: &Address,
    namespace: &str,
    bundle: Option<&str>,
) -> [(&'static Kind, Value); 2] {
    let webhook = |name: &str, path: &str, asked: &[&Kind], operations: &[&str], condition: &str| {
        let kind = asked.first().copied().unwrap_or(&kinds.cloud);
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
            // The API server asks only about changes that a rule concerns. It writes the others while the webhook is down.
            (CONDITIONS): [{ "name": "matters", "expression": condition }],
            "matchPolicy": "Equivalent",
            "sideEffects": "None",
            "timeoutSeconds": PATIENCE,
        })
    };
    let writes = ["CREATE", "UPDATE"];
    let (private, released) = (&kinds.private, &kinds.namespaced);
    let mut amending = webhook("amendments", AMENDMENT, &[released], &writes, SPEC_CHANGES);
    amending["reinvocationPolicy"] = json!("IfNeeded");
    let mut parents = webhook("parents", PATH, &[&kinds.cloud], &writes, SPEC_CHANGES);
    parents["timeoutSeconds"] = json!(PARENT_PATIENCE);
    let mut judging = vec![
        webhook("profiles", PATH, &[private], &writes, SPEC_CHANGES),
        webhook("namespaced-profiles", PATH, &[released], &writes, SAYS_MORE),
        parents,
    ];
    let clusters = |&kind: &&Kind| {
        if *kind == SHOOT {
            return webhook("clusters", PATH, &[kind], &["UPDATE"], REFERENCE_CHANGES);
        }
        let mut infrastructures = webhook("clusters", PATH, &[kind], &["UPDATE"], OWN_REFERENCE_CHANGES);
        // The controller holds a plan that its profile does not allow.
        infrastructures["failurePolicy"] = json!("Ignore");
        infrastructures
    };
    judging.extend(kinds.all_users().iter().map(clusters));
    [
        configuration(&MUTATING_WEBHOOK_CONFIGURATION, &[amending]),
        configuration(&VALIDATING_WEBHOOK_CONFIGURATION, &judging),
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
