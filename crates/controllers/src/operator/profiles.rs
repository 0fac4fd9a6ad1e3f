//! What people need beside the operator: roles for those who work with profiles and clusters, and the way to the judge
//! of profiles.

use landfall_kube::kinds::ProfileKinds;
use serde_json::{Value, json};

use super::registry::Registered;
use crate::admission::{self, Address};
use crate::azure_infrastructure::AZURE_INFRASTRUCTURE;

/// The port on which the judge answers unless another is wished.
pub const WEBHOOK_PORT: u16 = 9443;
/// The service under which the judge is asked unless another is wished.
pub const WEBHOOK_SERVICE: &str = "landfall-operator-webhook";
/// The name of its port.
pub(super) const WEBHOOK: &str = "webhook";

/// Whether the judge is among the controllers.
pub(super) fn are_judged(controllers: &[&Registered]) -> bool {
    controllers.iter().any(|controller| controller.name == admission::CONTROLLER)
}

/// The service of the webhook, and its registration with the API server. The operator adds the trust bundle.
pub(super) fn judge(kinds: &ProfileKinds, namespace: &str, labels: &Value) -> [Value; 3] {
    let service = json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": { "name": WEBHOOK_SERVICE, "namespace": namespace, "labels": labels },
        "spec": {
            "selector": labels,
            "ports": [{ "name": WEBHOOK, "port": 443, "targetPort": WEBHOOK }],
        },
    });
    let address = Address::Service(WEBHOOK_SERVICE.to_owned());
    let [(_, amending), (_, judging)] = admission::configurations(kinds, &address, namespace, None);
    [service, amending, judging]
}

/// The roles of those who work with profiles: members of a project, viewers of a project, and those who look
/// after the landscape: they change cloud profiles, and may also keep versions beyond their time. The first two are
/// added up by their labels, and read cloud profiles where they are bound in the whole cluster.
pub(super) fn roles(kinds: &ProfileKinds) -> [Value; 3] {
    let read: &[&str] = &["get", "list", "watch"];
    let write: &[&str] = &["create", "update", "patch", "delete"];
    let guarded: &[&str] = &[
        "modify-spec-kubernetes",
        "modify-spec-machineImages",
        "modify-spec-machineimages",
        "modify-spec-providerconfig",
    ];
    [
        role(kinds, "project-member", Some(("project-member", "edit")), &[read, write].concat(), read),
        role(kinds, "project-viewer", Some(("project-viewer", "view")), read, read),
        role(kinds, "landscape-operator", None, &[read, write, guarded].concat(), &[read, write].concat()),
    ]
}

/// The roles of those who ask for clusters: who may edit, and who may view, as parts of the usual roles of a namespace.
pub(super) fn infrastructure_roles() -> [Value; 2] {
    let role = |name: &str, verbs: &[&str]| {
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": {
                "name": format!("landfall-infrastructure-{name}"),
                "labels": { (format!("rbac.authorization.k8s.io/aggregate-to-{name}")): "true" },
            },
            "rules": [
                { "apiGroups": [AZURE_INFRASTRUCTURE.group], "resources": [AZURE_INFRASTRUCTURE.plural], "verbs": verbs },
                {
                    "apiGroups": [AZURE_INFRASTRUCTURE.group],
                    "resources": [format!("{}/status", AZURE_INFRASTRUCTURE.plural)],
                    "verbs": ["get"],
                },
            ],
        })
    };
    [
        role("edit", &["get", "list", "watch", "create", "update", "patch", "delete"]),
        role("view", &["get", "list", "watch"]),
    ]
}

/// A role, a part of a role of Gardener's or else of a usual role of a namespace: what it may do with profiles that
/// inherit, and with cloud profiles.
fn role(
    kinds: &ProfileKinds,
    of: &str,
    aggregated: Option<(&str, &str)>,
    verbs: &[&str],
    cloud_verbs: &[&str],
) -> Value {
    let mut metadata = json!({ "name": format!("landfall-cloud-profiles-{of}") });
    if let Some((gardeners, usual)) = aggregated {
        let label = if kinds.are_gardeners() {
            format!("rbac.gardener.cloud/aggregate-to-{gardeners}")
        } else {
            format!("rbac.authorization.k8s.io/aggregate-to-{usual}")
        };
        metadata["labels"] = json!({ label: "true" });
    }
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": metadata,
        "rules": [
            {
                "apiGroups": [kinds.private.group],
                "resources": [kinds.private.plural, kinds.namespaced.plural],
                "verbs": verbs,
            },
            { "apiGroups": [kinds.cloud.group], "resources": [kinds.cloud.plural], "verbs": cloud_verbs },
        ],
    })
}
