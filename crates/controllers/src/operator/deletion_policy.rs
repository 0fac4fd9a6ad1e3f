//! Admission policies by which the API server itself refuses what would remove a protected cluster.
//!
//! The controller keeps a protected resource by its finalizer. That does not help against a deletion in the foreground,
//! in which Kubernetes deletes the dependents first, or against that of a namespace: both delete the objects of Azure
//! Service Operator, and the operator their resources in Azure. The policies are evaluated by the API server without a
//! webhook, from Kubernetes 1.30. See
//! <https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/>.

use std::collections::BTreeMap;

use landfall_engine_aso::keys::{CLUSTER, DELETE_FOR_MOVE};
use landfall_engine_aso::kinds::KINDS;
use serde_json::{Value, json};

use super::manifests::{NAME, labels};
use crate::azure_infrastructure::{AZURE_INFRASTRUCTURE, PROTECTION};

/// Group, version and kinds of policies and bindings.
const GROUP: &str = "admissionregistration.k8s.io/v1";
pub(super) const POLICY: &str = "ValidatingAdmissionPolicy";
pub(super) const BINDING: &str = "ValidatingAdmissionPolicyBinding";
/// The policy for the resource, and that for the objects of its cluster.
const OF_RESOURCE: &str = "landfall-deletion-protection";
const OF_OBJECTS: &str = "landfall-deletion-protection-objects";

/// The policies with their bindings. They are the same for every operator in a cluster.
pub(super) fn policies() -> Vec<Value> {
    let own = [rule(AZURE_INFRASTRUCTURE.group, &[AZURE_INFRASTRUCTURE.plural])];
    let mut by_group: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for kind in KINDS {
        by_group.entry(kind.group).or_default().push(kind.plural);
    }
    let objects: Vec<Value> = by_group.iter().map(|(group, plurals)| rule(group, plurals)).collect();
    let moves = annotated("oldObject", DELETE_FOR_MOVE);
    let is_free = format!("!({}) || ({moves})", is_protected("oldObject"));
    let message = format!("the cluster is protected: first remove the annotation {PROTECTION}");
    let resource = json!({
        "failurePolicy": "Fail",
        "matchConstraints": { "resourceRules": own },
        "validations": [{ "expression": is_free, "message": message, "reason": "Forbidden" }],
    });
    // Anybody may call an account so: this is against mistakes, not against those who may create accounts.
    let account = "request.userInfo.username";
    let is_operator =
        format!("{account}.startsWith('system:serviceaccount:') && {account}.endsWith(':{NAME}')");
    // The label moves with the resource, and the status does not.
    let id = format!("oldObject.metadata.labels['{CLUSTER}']");
    let is_own = format!(
        "(has(params.metadata.labels) && '{CLUSTER}' in params.metadata.labels && \
         params.metadata.labels['{CLUSTER}'] == {id}) || \
         (has(params.status) && has(params.status.infraID) && params.status.infraID == {id})"
    );
    let is_free = format!("!({}) || !({is_own}) || ({is_operator}) || ({moves})", is_protected("params"));
    let message = format!(
        "its cluster is protected: first remove the annotation {PROTECTION} of the {}",
        AZURE_INFRASTRUCTURE.kind
    );
    let of_cluster = json!({ "matchExpressions": [{ "key": CLUSTER, "operator": "Exists" }] });
    let objects = json!({
        "failurePolicy": "Fail",
        "paramKind": { "apiVersion": AZURE_INFRASTRUCTURE.api_version(), "kind": AZURE_INFRASTRUCTURE.kind },
        "matchConstraints": { "resourceRules": objects, "objectSelector": of_cluster },
        "validations": [{ "expression": is_free, "message": message, "reason": "Forbidden" }],
    });
    // All resources of the kind in the namespace of an object are looked at.
    let every = json!({ "selector": {}, "parameterNotFoundAction": "Allow" });
    vec![
        object(POLICY, OF_RESOURCE, &resource),
        object(BINDING, OF_RESOURCE, &json!({ "policyName": OF_RESOURCE, "validationActions": ["Deny"] })),
        object(POLICY, OF_OBJECTS, &objects),
        object(
            BINDING,
            OF_OBJECTS,
            &json!({ "policyName": OF_OBJECTS, "paramRef": every, "validationActions": ["Deny"] }),
        ),
    ]
}

fn rule(group: &str, plurals: &[&str]) -> Value {
    json!({ "apiGroups": [group], "apiVersions": ["*"], "operations": ["DELETE"], "resources": plurals })
}

fn object(kind: &str, name: &str, spec: &Value) -> Value {
    let metadata = json!({ "name": name, "labels": labels() });
    json!({ "apiVersion": GROUP, "kind": kind, "metadata": metadata, "spec": spec })
}

/// Whether an object has an annotation.
fn annotated(object: &str, key: &str) -> String {
    format!("has({object}.metadata.annotations) && '{key}' in {object}.metadata.annotations")
}

/// Whether the cluster of a resource is protected, as the controller sees it.
fn is_protected(object: &str) -> String {
    let is_there = annotated(object, PROTECTION);
    format!("{is_there} && {object}.metadata.annotations['{PROTECTION}'] != 'false'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_protected() {
        let all = policies();
        let kinds: Vec<&str> = all.iter().filter_map(|object| object["kind"].as_str()).collect();
        assert_eq!(kinds, [POLICY, BINDING, POLICY, BINDING]);
        let rules = all.iter().filter_map(|object| object.pointer("/spec/matchConstraints/resourceRules"));
        let resources: Vec<&str> = rules
            .flat_map(|rules| rules.as_array().into_iter().flatten())
            .flat_map(|rule| rule["resources"].as_array().into_iter().flatten())
            .filter_map(Value::as_str)
            .collect();
        assert_eq!(resources.len(), KINDS.len() + 1);
        for binding in all.iter().filter(|object| object["kind"] == BINDING) {
            assert_eq!(binding["spec"]["policyName"], binding["metadata"]["name"]);
        }
    }
}
