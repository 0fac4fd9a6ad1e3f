//! Rows of the tables, each with an object that it fits, and input that is unusual but legal.

use std::collections::BTreeSet;

use serde_json::{Map, json};

use super::difference::created;
use super::*;
use crate::desired::{Hints, Mode, Policy};
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

/// The mark for deletion raises the generation; what the operator said before is of the creation.
#[test]
fn only_what_is_said_of_a_deletion_is_why_it_does_not_succeed() {
    let going = |observed: i64, reason: &str, severity: &str| {
        let ready = json!({
            "type": "Ready", "status": "False", "reason": reason, "severity": severity, "message": "it is said",
            "observedGeneration": observed,
        });
        let change = json!({
            "metadata": { "generation": 2, "deletionTimestamp": "1970-01-01T00:00:00Z" },
            "status": { "conditions": [ready] },
        });
        let action = removed(&change, |_| {})?;
        Some((action.what.name(), action.message))
    };
    let expect = |what: &'static str, message: &str| Some((what, message.to_owned()));
    assert_eq!(going(1, "AuthorizationFailed", "Error"), expect("wait", "delete in progress"));
    assert_eq!(
        going(2, "AuthorizationFailed", "Error"),
        expect("terminal-error", "delete failed: it is said")
    );
    assert_eq!(going(2, "ScopeLocked", "Warning"), expect("wait", "delete in progress: it is said"));
    assert_eq!(going(2, "Deleting", "Info"), expect("wait", "delete in progress"));
}

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
    let mut told = Vec::new();
    let mut decided = |verb: &str, code: Option<u16>, wanted: &str| {
        let action = match verb {
            "create" => creation(code),
            "update" => update(code),
            _ => deletion(code),
        };
        let (what, message) = action.unwrap_or_default();
        assert_eq!(what, wanted, "{verb} {code:?}: {message}");
        let code = code.map(|code| code.to_string());
        if what.ends_with("error") {
            let named = [verb, code.as_deref().unwrap_or_default()];
            assert!(named.iter().all(|name| message.contains(name)), "{named:?}: {message}");
        }
        told.push((format!("{verb}, {}", code.as_deref().unwrap_or("no answer")), message));
    };
    for code in [400, 403, 404, 422] {
        decided("create", Some(code), "terminal-error");
    }
    for code in [400, 403, 422] {
        decided("update", Some(code), "terminal-error");
    }
    for code in [401, 429, 500] {
        for verb in ["create", "update", "delete"] {
            decided(verb, Some(code), "transient-error");
        }
    }
    for verb in ["create", "update", "delete"] {
        decided(verb, None, "transient-error");
    }
    decided("create", Some(409), "wait");
    decided("update", Some(404), "wait");
    decided("update", Some(409), "wait");
    decided("delete", Some(409), "wait");
    decided("delete", Some(404), "none");
    landfall_testing::assert_sentences("aso-refused-calls", told);
}

#[test]
fn each_row_of_an_object_that_stands() {
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
    let not_ready = |reason| says("manage", ("False", reason));
    let rows: [(&str, &str, Value, Within, &str); 13] = [
        ("on its way out", network, and(says("manage", READY), &going), as_usual, "wait"),
        ("without a status", network, json!({}), as_usual, "wait"),
        ("without conditions", network, json!({ "status": { "conditions": [] } }), as_usual, "wait"),
        ("without Ready", network, others, as_usual, "wait"),
        ("behind others", network, says("skip", NOT_FOUND), depending, "wait"),
        ("managed before", role, says("skip", READY), as_usual, "patch"),
        ("handed over", balancer, and(says("skip", READY), &handed_over), as_usual, "none"),
        ("newer", network, and(says("manage", READY), &newer), as_usual, "wait"),
        ("without owner", network, not_ready("WaitingForOwner"), as_usual, "wait"),
        ("without reference", network, not_ready("ReferenceNotFound"), as_usual, "wait"),
        ("without secret", network, not_ready("SecretNotFound"), as_usual, "wait"),
        ("without config map", network, not_ready("ConfigMapNotFound"), as_usual, "wait"),
        ("owned elsewhere", network, not_ready("WaitingForOwner"), elsewhere, "transient-error"),
    ];
    let mut told = Vec::new();
    for (case, kind, change, within, wanted) in rows {
        let action = reconciled(kind, &change, within);
        let (what, message) = shown(action.as_ref()).unwrap_or_default();
        assert_eq!(what, wanted, "{case}: {kind} {change}: {message}");
        told.push((case.to_owned(), message.to_owned()));
    }
    landfall_testing::assert_sentences("aso-objects", told);
}

#[test]
fn each_row_of_an_object_that_goes() {
    let unread: Within = |run| run.api_error = Some(ApiError { verb: Verb::Get, code: None });
    let failing: Within = |run| run.api_error = Some(ApiError { verb: Verb::Get, code: Some(503) });
    let absent: Within = |run| run.api_error = Some(ApiError { verb: Verb::Get, code: Some(404) });
    let mut told = BTreeSet::new();
    let mut decided = |case: &str, action: Option<&Action>, wanted: &str| {
        let (what, message) = shown(action).unwrap_or_default();
        assert_eq!(what, wanted, "{case}: {message}");
        told.insert((case.to_owned(), message.to_owned()));
    };
    for within in [unread, failing] {
        let action = removed(&says("manage", READY), within);
        decided("unread", action.as_ref(), "transient-error");
        let action = decide(Op::Prune, None, &owner(), &context(within));
        decided("unread, pruned", Some(&action), "transient-error");
    }
    let action = decide(Op::Delete, None, &owner(), &context(absent));
    decided("absent", Some(&action), "none");

    let going = |reason: &str| {
        let ready = json!([{
            "type": "Ready", "status": "False", "severity": "Error", "reason": reason, "message": "locked",
        }]);
        let metadata = json!({ "deletionTimestamp": "1970-01-01T00:00:00Z" });
        removed(&json!({ "metadata": metadata, "status": { "conditions": ready } }), |_| {})
    };
    decided("going", going("Deleting").as_ref(), "wait");
    let locked = going("Locked");
    decided("locked", locked.as_ref(), "terminal-error");
    assert!(locked.is_some_and(|action| action.message.ends_with(": locked")));
    landfall_testing::assert_sentences("aso-removal", told);
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
    assert!(read.as_ref().is_some_and(|said| !said.contains(FOREIGN)), "{read:?}");
    let read = ("read only".to_owned(), read.unwrap_or_default());
    landfall_testing::assert_sentences("aso-foreign", [("foreign".to_owned(), FOREIGN.to_owned()), read]);
    assert_eq!(said_of("StorageAccount", Policy::Skip, &none).as_deref(), Some(FOREIGN));
}

#[test]
fn what_azure_makes_itself_is_never_adopted() {
    let found = |status: &str, reason: &str| {
        let ready = json!({ "type": "Ready", "status": status, "severity": "Warning", "reason": reason });
        and(says("skip", READY), &json!({ "status": { "conditions": [ready] } }))
    };
    let missing = found("False", "AzureResourceNotFound");
    for ready in [true, false] {
        let action = reconciled("StorageAccountsBlobService", &missing, |context| {
            context.dependencies_ready = ready;
        });
        let action = action.as_ref();
        assert_eq!(action.map(|action| action.what.name()), Some("wait"), "{action:?}");
        assert_eq!(action.and_then(|action| action.policy.as_deref()), Some("skip"));
    }
    let there = reconciled("StorageAccountsBlobService", &found("True", "Succeeded"), |_| {});
    assert_eq!(there.map(|action| action.what.name()), Some("leave"));
    let adopted = reconciled("StorageAccount", &missing, |_| {});
    assert_eq!(adopted.map(|action| action.what.name()), Some("patch"));
}

#[test]
fn what_machines_are_made_of_may_be_shown_without_tags() {
    let decided = |kind: &str, tags: &Value| {
        let shown_so = json!({ "status": { "tags": tags } });
        reconciled(kind, &and(says("skip", READY), &shown_so), |_| {}).map(|action| action.what.name())
    };
    // A machine itself may be somebody else's.
    assert_eq!(decided("VirtualMachine", &Value::Null), Some("leave"));
    for kind in ["Disk", "NetworkInterface"] {
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

#[test]
fn a_new_object_stands_for_what_the_plan_means() {
    for mode in [Mode::Managed, Mode::Claimable, Mode::Byo] {
        let made = desired("ResourceGroup").map(|mut desired| {
            desired.hints.mode = mode;
            desired.hints.patches = vec![json!({ "spec": { "azureName": "another" } }).to_string()];
            desired.spec.insert("azureName".to_owned(), json!("one"));
            let object = standing(&desired, &says("skip", READY)).unwrap_or_default();
            decide(Op::Reconcile(&desired), Some(&object), &owner(), &context(|_| {})).what.name()
        });
        assert!(made.is_some_and(|what| what != "delete"), "{mode:?}");
    }
}
