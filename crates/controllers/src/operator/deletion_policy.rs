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
use landfall_kube::Fault;
use landfall_kube::kinds::{VALIDATING_ADMISSION_POLICY, VALIDATING_ADMISSION_POLICY_BINDING};
use landfall_kube::objects::{ObjectRef, Objects, Part};
use semver::Version;
use serde_json::{Value, json};

use super::manifests::{NAME, kept, labels};
use crate::admission::holds;
use crate::azure_infrastructure::{AZURE_INFRASTRUCTURE, PLAN, PROTECTION};

/// The kinds of policies and bindings.
pub(super) const POLICY: &str = "ValidatingAdmissionPolicy";
pub(super) const BINDING: &str = "ValidatingAdmissionPolicyBinding";
/// The names of the policies, which are those of their bindings.
pub(super) const NAMES: &[&str] = &[OF_RESOURCE, OF_OBJECTS];
/// The policy for the resource, and that for the objects of its cluster.
const OF_RESOURCE: &str = "landfall-deletion-protection";
const OF_OBJECTS: &str = "landfall-deletion-protection-objects";
/// The label with the version of landfall that a policy is of.
const VERSION: &str = "app.kubernetes.io/version";

/// The policies with their bindings. They are the same for every operator of this version in a cluster.
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
    let mut labels = labels();
    labels[VERSION] = env!("CARGO_PKG_VERSION").into();
    let metadata = json!({ "name": name, "labels": labels, "annotations": kept() });
    let version = VALIDATING_ADMISSION_POLICY.api_version();
    json!({ "apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec })
}

/// Creates the policies, or brings them to what they should be: not every installer can create them. What is right
/// already is not written, nor is what a newer version of landfall wrote: the operators of two versions would take
/// turns. Gives whether the API server has policies at all.
///
/// # Errors
/// One of them cannot be read or written: the reason, as a sentence.
pub(crate) async fn keep(objects: &dyn Objects) -> Result<bool, String> {
    for wanted in policies() {
        let is_policy = wanted["kind"] == POLICY;
        let kind =
            if is_policy { &VALIDATING_ADMISSION_POLICY } else { &VALIDATING_ADMISSION_POLICY_BINDING };
        let place = ObjectRef::in_cluster(kind, wanted["metadata"]["name"].as_str().unwrap_or_default());
        let known = objects.get(&place).await;
        let known = known.map_err(|fault| format!("{place} cannot be read: {}", fault.why()))?;
        let is_kept = |known: &Value| holds(&known["spec"], &wanted["spec"]) || is_newer(known, &wanted);
        if known.as_ref().is_some_and(is_kept) {
            continue;
        }
        let written = if known.is_some() {
            let labels = json!({ VERSION: wanted["metadata"]["labels"][VERSION] });
            let patch = json!({ "metadata": { "labels": labels }, "spec": wanted["spec"] });
            objects.merge(&place, patch, Part::Whole).await
        } else {
            objects.apply(&place, wanted, Part::Whole).await
        };
        match written {
            Ok(_) => tracing::info!(%place, "the deletion policy was written"),
            // The server does not know the kind.
            Err(Fault::NotFound) if known.is_none() => return Ok(false),
            Err(fault) => return Err(format!("{place} cannot be written: {}", fault.why())),
        }
    }
    Ok(true)
}

/// Whether a policy is of a newer version of landfall than another.
fn is_newer(known: &Value, wanted: &Value) -> bool {
    let version = |policy: &Value| {
        policy["metadata"]["labels"][VERSION].as_str().and_then(|text| Version::parse(text).ok())
    };
    version(known) > version(wanted)
}

/// Whether an object has an annotation.
fn annotated(object: &str, key: &str) -> String {
    format!("has({object}.metadata.annotations) && '{key}' in {object}.metadata.annotations")
}

/// Whether the cluster of a resource is protected, as the controller sees it: also where the annotation went with all
/// other notes, as `kubectl replace` does it, and the controller has not put it back yet. The status stays then.
fn is_protected(object: &str) -> String {
    let is_there = annotated(object, PROTECTION);
    let says = |field: &str| format!("(has({object}.status.{field}) && {object}.status.{field})");
    let (added, removed) = (says("deletionProtectionAdded"), says("deletionProtectionRemoved"));
    let labels = format!("{object}.metadata.labels");
    let is_noted = format!("has({labels}) && '{CLUSTER}' in {labels} && {}", annotated(object, PLAN));
    format!(
        "({is_there} ? {object}.metadata.annotations['{PROTECTION}'] != 'false' : \
         has({object}.status) && {added} && !{removed} && !({is_noted}))"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_cluster::FakeCluster;

    fn writes(cluster: &FakeCluster) -> usize {
        cluster.with(|state| state.writes.len())
    }

    #[tokio::test]
    async fn policies_are_created_once_and_put_right() {
        let cluster = FakeCluster::default();
        assert_eq!(keep(&cluster).await, Ok(true));
        let kinds = cluster.with(|state| {
            state.writes.iter().map(|(place, how)| (place.kind.kind, *how)).collect::<Vec<_>>()
        });
        let of = |kind| (kind, "apply");
        assert_eq!(kinds, [of(POLICY), of(BINDING), of(POLICY), of(BINDING)]);
        // The server adds defaults.
        let place = ObjectRef::in_cluster(&VALIDATING_ADMISSION_POLICY, OF_OBJECTS);
        let mut known = cluster.at(&place);
        known["spec"]["matchConstraints"]["matchPolicy"] = json!("Equivalent");
        known["spec"]["matchConstraints"]["resourceRules"][0]["scope"] = json!("*");
        cluster.put(&VALIDATING_ADMISSION_POLICY, known.clone());
        assert_eq!((keep(&cluster).await, writes(&cluster)), (Ok(true), 4));
        // Those of another version of landfall.
        let wanted = known["spec"]["validations"].clone();
        known["spec"]["validations"] = json!([{ "expression": "true" }]);
        cluster.put(&VALIDATING_ADMISSION_POLICY, known);
        assert_eq!((keep(&cluster).await, writes(&cluster)), (Ok(true), 5));
        assert_eq!(cluster.at(&place)["spec"]["validations"], wanted);
        cluster.with(|state| state.objects.remove(&place));
        assert_eq!((keep(&cluster).await, writes(&cluster)), (Ok(true), 6));
    }

    #[tokio::test]
    async fn policies_of_a_newer_version_stay() {
        let cluster = FakeCluster::default();
        assert_eq!(keep(&cluster).await, Ok(true));
        let place = ObjectRef::in_cluster(&VALIDATING_ADMISSION_POLICY, OF_RESOURCE);
        let mut known = cluster.at(&place);
        let wanted = known.clone();
        known["spec"]["validations"] = json!([{ "expression": "true" }]);
        for (version, is_kept) in [("99.0.0", true), ("0.0.1", false), ("odd", false)] {
            known["metadata"]["labels"][VERSION] = version.into();
            cluster.put(&VALIDATING_ADMISSION_POLICY, known.clone());
            assert_eq!(keep(&cluster).await, Ok(true));
            let now = cluster.at(&place);
            let of = |policy: &Value| {
                (policy["metadata"]["labels"][VERSION].clone(), policy["spec"]["validations"].clone())
            };
            assert_eq!(of(&now), of(if is_kept { &known } else { &wanted }), "{version}");
        }
    }

    #[tokio::test]
    async fn an_api_server_without_policies_is_left_alone() {
        let cluster = FakeCluster::default();
        cluster.with(|state| state.unserved.insert(POLICY));
        assert_eq!((keep(&cluster).await, writes(&cluster)), (Ok(false), 0));
        cluster.with(|state| state.is_down = true);
        let why = keep(&cluster).await.err().unwrap_or_default();
        assert!(
            why.starts_with("ValidatingAdmissionPolicy landfall-deletion-protection cannot be read"),
            "{why}"
        );
    }

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
