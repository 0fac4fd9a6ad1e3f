//! Rows of the tables, each with an object that it fits, and input that is unusual but legal.

use serde_json::{Map, json};

use super::difference::created;
use super::*;
use crate::desired::{Hints, Policy};
use crate::kinds;

const ID: &str = "demo-x7k2p";

/// What is different about a run.
type Within = fn(&mut Context);

fn owner() -> Owner {
    Owner {
        api_version: "v1".to_owned(),
        kind: "ConfigMap".to_owned(),
        name: keys::anchor_name(ID),
        namespace: ID.to_owned(),
        uid: "u".to_owned(),
    }
}

fn context(within: impl FnOnce(&mut Context)) -> Context {
    let mut context = Context::new(ID, Timestamp::UNIX_EPOCH);
    within(&mut context);
    context
}

fn desired(kind: &str) -> Option<Desired> {
    let kind = kinds::named(kind)?;
    Some(Desired {
        kind,
        api_version: kind.api_version(),
        name: "a".to_owned(),
        spec: Map::new(),
        hints: Hints::of(kind),
        needs: Vec::new(),
    })
}

/// An object as the engine makes it, and as it is after this merge patch.
fn standing(desired: &Desired, change: &Value) -> Option<Value> {
    let mut object = created(desired, &owner(), &context(|_| {})).ok()?;
    json_patch::merge(&mut object, change);
    Some(object)
}

/// What is decided about an object of the plan that stands.
fn reconciled(kind: &str, change: &Value, within: impl FnOnce(&mut Context)) -> Option<Action> {
    let desired = desired(kind)?;
    let object = standing(&desired, change)?;
    Some(decide(Op::Reconcile(&desired), Some(&object), &owner(), &context(within)))
}

/// What is decided about an object that is to go.
fn removed(change: &Value, within: impl FnOnce(&mut Context)) -> Option<Action> {
    let object = standing(&desired("VirtualNetwork")?, change)?;
    Some(decide(Op::Delete, Some(&object), &owner(), &context(within)))
}

/// The action and its message.
fn shown(action: Option<&Action>) -> Option<(&'static str, &str)> {
    action.map(|action| (action.what.name(), action.message.as_str()))
}

/// The change that makes an object one with this policy, of which the operator says this.
fn says(policy: &str, (status, reason): (&str, &str)) -> Value {
    json!({
        "metadata": { "annotations": { (keys::POLICY): policy } },
        "status": { "conditions": [
            { "type": "Available", "status": "Unknown" },
            { "type": "Ready", "status": status, "reason": reason, "message": "it is said" },
        ]},
    })
}

/// The same with more that is different.
fn and(mut change: Value, more: &Value) -> Value {
    json_patch::merge(&mut change, more);
    change
}

const READY: (&str, &str) = ("True", "Succeeded");
const NOT_FOUND: (&str, &str) = ("False", "AzureResourceNotFound");

#[test]
fn a_call_that_is_refused_for_good_is_not_repeated() {
    let creation = |code: Option<u16>| {
        let context = context(|run| run.api_error = Some(ApiError { verb: Verb::Create, code }));
        let desired = desired("VirtualNetwork")?;
        let Action { what, message, .. } = decide(Op::Reconcile(&desired), None, &owner(), &context);
        Some((what.name(), message))
    };
    let update = |code: Option<u16>| {
        let within = |run: &mut Context| {
            "another".clone_into(&mut run.credential_secret);
            run.api_error = Some(ApiError { verb: Verb::Patch, code });
        };
        let action = reconciled("VirtualNetwork", &says("manage", READY), within)?;
        Some((action.what.name(), action.message))
    };
    let deletion = |code: Option<u16>| {
        let within = |run: &mut Context| run.api_error = Some(ApiError { verb: Verb::Delete, code });
        let action = removed(&says("manage", READY), within)?;
        Some((action.what.name(), action.message))
    };
    let answers = |what: &str, code: u16| format!("failed to {what} resource: the API server answers {code}");
    let silent = |what: &str| format!("failed to {what} resource: the API server does not answer");
    let changed = "object changed meanwhile".to_owned();
    for code in [400, 403, 404, 422] {
        assert_eq!(creation(Some(code)), Some(("terminal-error", answers("create", code))));
    }
    for code in [400, 403, 422] {
        assert_eq!(update(Some(code)), Some(("terminal-error", answers("update", code))));
    }
    for code in [401, 429, 500] {
        assert_eq!(creation(Some(code)), Some(("transient-error", answers("create", code))));
        assert_eq!(update(Some(code)), Some(("transient-error", answers("update", code))));
        assert_eq!(deletion(Some(code)), Some(("transient-error", answers("delete", code))));
    }
    assert_eq!(creation(None), Some(("transient-error", silent("create"))));
    assert_eq!(update(None), Some(("transient-error", silent("update"))));
    assert_eq!(deletion(None), Some(("transient-error", silent("delete"))));
    assert_eq!(creation(Some(409)), Some(("wait", "object appeared meanwhile".to_owned())));
    assert_eq!(update(Some(404)), Some(("wait", changed.clone())));
    assert_eq!(update(Some(409)), Some(("wait", changed.clone())));
    assert_eq!(deletion(Some(409)), Some(("wait", changed)));
    assert_eq!(deletion(Some(404)), Some(("none", "already deleted".to_owned())));
}

#[test]
fn each_row_of_an_object_that_stands() {
    let said = "resource is not Ready: it is said";
    let newer = json!({ "metadata": { "generation": 2 }, "status": { "conditions": [
        { "type": "Ready", "status": "True", "reason": "Succeeded", "observedGeneration": 1 },
    ]}});
    let handed_over = json!({ "metadata": { "annotations": { (keys::HANDOVER): "manage" } } });
    let going = json!({ "metadata": { "deletionTimestamp": "1970-01-01T00:00:00Z" } });
    let others = json!({ "status": { "conditions": [{ "type": "Available", "status": "True" }] } });
    let as_usual: Within = |_| {};
    let depending: Within = |run| run.dependencies_ready = false;
    let elsewhere: Within = |run| run.reference_in_plan = false;
    let (network, balancer, role) = ("VirtualNetwork", "LoadBalancer", "RoleAssignment");
    let unknown = ("wait", "ready status unknown");
    let rows: [(&str, Value, Within, (&str, &str)); 13] = [
        (network, and(says("manage", READY), &going), as_usual, ("wait", "object is being deleted")),
        (network, json!({}), as_usual, unknown),
        (network, json!({ "status": { "conditions": [] } }), as_usual, unknown),
        (network, others, as_usual, unknown),
        (network, says("skip", NOT_FOUND), depending, ("wait", "waiting for dependencies")),
        (role, says("skip", READY), as_usual, ("patch", "adopting: managed by this cluster before")),
        (balancer, and(says("skip", READY), &handed_over), as_usual, ("none", "handed over to the cluster")),
        (
            network,
            and(says("manage", READY), &newer),
            as_usual,
            ("wait", "waiting for generation 2 to be reconciled"),
        ),
        (network, says("manage", ("False", "WaitingForOwner")), as_usual, ("wait", said)),
        (network, says("manage", ("False", "ReferenceNotFound")), as_usual, ("wait", said)),
        (network, says("manage", ("False", "SecretNotFound")), as_usual, ("wait", said)),
        (network, says("manage", ("False", "ConfigMapNotFound")), as_usual, ("wait", said)),
        (network, says("manage", ("False", "WaitingForOwner")), elsewhere, ("transient-error", said)),
    ];
    for (kind, change, within, wanted) in rows {
        let action = reconciled(kind, &change, within);
        assert_eq!(shown(action.as_ref()), Some(wanted), "{kind} {change}");
    }
}

#[test]
fn each_row_of_an_object_that_goes() {
    let unread: Within = |run| run.api_error = Some(ApiError { verb: Verb::Get, code: None });
    let failing: Within = |run| run.api_error = Some(ApiError { verb: Verb::Get, code: Some(503) });
    let absent: Within = |run| run.api_error = Some(ApiError { verb: Verb::Get, code: Some(404) });
    for within in [unread, failing] {
        let wanted = ("transient-error", "failed to get existing resource");
        let action = removed(&says("manage", READY), within);
        assert_eq!(shown(action.as_ref()), Some(wanted));
        let action = decide(Op::Prune, None, &owner(), &context(within));
        assert_eq!(shown(Some(&action)), Some(wanted));
    }
    let action = decide(Op::Delete, None, &owner(), &context(absent));
    assert_eq!(shown(Some(&action)), Some(("none", "already deleted")));

    let going = |reason: &str| {
        let ready = json!([{
            "type": "Ready", "status": "False", "severity": "Error", "reason": reason, "message": "locked",
        }]);
        let metadata = json!({ "deletionTimestamp": "1970-01-01T00:00:00Z" });
        removed(&json!({ "metadata": metadata, "status": { "conditions": ready } }), |_| {})
    };
    assert_eq!(shown(going("Deleting").as_ref()), Some(("wait", "delete in progress")));
    assert_eq!(shown(going("Locked").as_ref()), Some(("terminal-error", "delete failed: locked")));
}

/// What is said of an object that is only read and was found in Azure with these tags.
fn said_of(kind: &str, adopt_policy: Policy, tags: &Value) -> Option<String> {
    let mut desired = desired(kind)?;
    desired.hints.adopt_policy = adopt_policy;
    let adopted = json!({
        "metadata": { "annotations": { (keys::ADOPTED_AT): "1970-01-01T00:00:00Z" } },
        "status": { "tags": tags },
    });
    let object = standing(&desired, &and(says("skip", READY), &adopted))?;
    let action = decide(Op::Reconcile(&desired), Some(&object), &owner(), &context(|_| {}));
    (action.what == What::Leave).then_some(action.message)
}

#[test]
fn only_what_is_somebody_elses_is_told_as_such() {
    let (none, own) = (json!({}), json!({ (keys::ownership_tag(ID)): "owned" }));
    assert_eq!(said_of("StorageAccount", Policy::Manage, &none).as_deref(), Some(FOREIGN));
    assert_eq!(said_of("StorageAccount", Policy::Manage, &Value::Null).as_deref(), Some(FOREIGN));
    // Azure makes it together with the account: it has no tag, and is yet nobody else's.
    let azures = said_of("StorageAccountsBlobService", Policy::Skip, &none);
    assert!(azures.is_some_and(|said| said.contains(FOREIGN) && said != FOREIGN));
    // The plan wants it to be read and no more.
    let read = said_of("StorageAccount", Policy::Skip, &own);
    assert_eq!(read.as_deref(), Some("exists in Azure and is not changed"));
    assert_eq!(said_of("StorageAccount", Policy::Skip, &none).as_deref(), Some(FOREIGN));
}

#[test]
fn what_machines_are_made_of_may_be_shown_without_tags() {
    let decided = |kind: &str, tags: &Value| {
        let shown_so = json!({ "status": { "tags": tags } });
        reconciled(kind, &and(says("skip", READY), &shown_so), |_| {}).map(|action| action.what.name())
    };
    for kind in ["Disk", "NetworkInterface", "VirtualMachine"] {
        assert_eq!(decided(kind, &Value::Null), Some("patch"), "{kind}");
        assert_eq!(decided(kind, &json!({ (keys::ownership_tag(ID)): "owned" })), Some("patch"), "{kind}");
        assert_eq!(decided(kind, &json!({})), Some("leave"), "{kind}");
        assert_eq!(decided(kind, &json!({ "team": "a" })), Some("leave"), "{kind}");
    }
}

#[test]
fn a_policy_that_is_not_known_manages_and_stays() {
    for policy in ["", "Skip", "SKIP", "Detach-On-Delete", "read-only"] {
        let action = reconciled("VirtualNetwork", &says(policy, READY), |_| {});
        assert_eq!(shown(action.as_ref()), Some(("none", "ready")), "{policy}");
        assert_eq!(action.and_then(|action| action.policy).as_deref(), Some(policy));
        let action = removed(&says(policy, READY), |_| {});
        assert_eq!(shown(action.as_ref()), Some(("delete", "deleting")), "{policy}");
    }
}

#[test]
fn every_controller_of_an_object_must_be_the_clusters() {
    let own = owner().reference();
    let controller = json!({
        "apiVersion": format!("{}/v1", keys::P), "kind": INFRASTRUCTURE, "name": ID, "uid": "v",
        "controller": true,
    });
    let others = json!({
        "apiVersion": "g/v1", "kind": "ConfigMap", "name": keys::anchor_name(ID), "uid": "w",
        "controller": true,
    });
    let operators = json!({ "apiVersion": "g/v1", "kind": "ResourceGroup", "name": "rg", "uid": "x" });
    let decided = |references: Value| {
        let mut change = says("manage", READY);
        change["metadata"]["ownerReferences"] = references;
        change["metadata"]["labels"] = Value::Null;
        reconciled("VirtualNetwork", &change, |_| {}).map(|action| action.what)
    };
    let labelled = json!({ "metadata": { "labels": { (keys::CLUSTER): ID } } });
    assert_eq!(decided(json!([operators, own])), Some(What::Patch(labelled)));
    assert_eq!(decided(json!([own, others])), Some(What::Leave));
    assert_eq!(decided(json!([others])), Some(What::Leave));
    // Nothing says whose it is.
    assert_eq!(decided(json!([operators])), Some(What::Leave));
    assert_eq!(decided(Value::Null), Some(What::Leave));
    let one = json!({ "metadata": {
        "labels": { (keys::CLUSTER): ID }, "ownerReferences": [owner().reference(), operators],
    }});
    assert_eq!(decided(json!([own, controller, operators])), Some(What::Patch(one)));
}

#[test]
fn a_record_of_tags_matters_only_where_tags_are_written() {
    let broken = json!({ "metadata": { "annotations": { (keys::LAST_APPLIED_TAGS): "" } } });
    let decided = |policy: &str| {
        reconciled("VirtualNetwork", &and(says(policy, READY), &broken), |_| {})
            .map(|action| action.what.name())
    };
    assert_eq!(decided("manage"), Some("terminal-error"));
    assert_eq!(decided("skip"), Some("leave"));
}
