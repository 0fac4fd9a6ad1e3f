//! Objects in every state that comes about, and in some that should not.

use landfall_engine_aso::core::{Context, INFRASTRUCTURE, Object, Op, Stage, What, decide};
use landfall_engine_aso::desired::{Desired, Hints, Mode, Policy};
use landfall_engine_aso::keys;
use landfall_engine_aso::kinds::{TagCarrier, WasManaged};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{INFRA_ID, anchor, network, plain, send};

/// Stands in specs and patches, and must be in no message.
const MARK: &str = "not-for-everybody";

fn some_of<T: Clone + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    proptest::sample::select(all)
}

fn annotations() -> impl Strategy<Value = Value> {
    let values = |all: &'static [&'static str]| proptest::option::of(some_of(all));
    (
        values(&["manage", "skip", "skip", "detach-on-delete", "Skip"]),
        values(&["", "manage", "skip"]),
        values(&["manage"]),
        values(&["2026-01-01T00:08:00Z", "x"]),
        values(&["{}", r#"{"old":"1"}"#]),
        values(&["byo"]),
    )
        .prop_map(|(policy, paused, handed_over, adopted, tags, mode)| {
            let all = [
                (keys::POLICY, policy),
                (keys::PRE_PAUSE, paused),
                (keys::HANDOVER, handed_over),
                (keys::ADOPTED_AT, adopted),
                (keys::LAST_APPLIED_TAGS, tags),
                (keys::MODE, mode),
            ];
            let there = all.into_iter().filter_map(|(key, value)| Some((key.to_owned(), json!(value?))));
            Value::Object(there.collect())
        })
}

fn references() -> impl Strategy<Value = Value> {
    let anchor = anchor().reference();
    let mut older = anchor.clone();
    older["uid"] = json!("u0");
    let operators = json!({"apiVersion": "g/v1", "kind": "ResourceGroup", "name": "rg", "uid": "u9"});
    let controllers = json!({
        "apiVersion": format!("{}/v1alpha1", keys::P), "kind": INFRASTRUCTURE, "name": INFRA_ID, "uid": "u2",
        "controller": true,
    });
    prop_oneof![
        Just(json!([anchor])),
        Just(json!([])),
        Just(Value::Null),
        Just(json!([operators, older])),
        Just(json!([controllers])),
    ]
}

fn leaf() -> impl Strategy<Value = Value> {
    let map = json!({"c": MARK, "d": null});
    prop_oneof![
        Just(Value::Null),
        Just(json!(MARK)),
        Just(json!([{"c": 1}, null])),
        Just(map),
        Just(json!({}))
    ]
}

fn tags() -> impl Strategy<Value = Value> {
    const TAGS: &[(&str, &str)] =
        &[("old", "1"), ("Team", "b"), ("other", "2"), ("Kubernetes.io_cluster.demo-x7k2p", "owned")];
    proptest::sample::subsequence(TAGS, 0..=TAGS.len()).prop_map(|tags| {
        tags.into_iter().map(|(key, value)| (key.to_owned(), json!(value))).collect::<Value>()
    })
}

fn existing() -> impl Strategy<Value = Value> {
    const READY: &[(&str, &str, &str)] = &[
        ("True", "Succeeded", ""),
        ("True", "Succeeded", ""),
        ("False", "AzureResourceNotFound", "Warning"),
        ("False", "Reconciling", "Info"),
        ("False", "Failed", "Error"),
    ];
    (annotations(), references(), tags(), tags(), leaf(), leaf(), some_of(READY)).prop_map(
        |(annotations, references, tags, status_tags, a, b, (status, reason, severity))| {
            json!({
                "apiVersion": "network.azure.com/v1api20240301",
                "kind": "VirtualNetwork",
                "metadata": {
                    "name": "net",
                    "generation": 1,
                    "labels": {(keys::CLUSTER): INFRA_ID},
                    "annotations": annotations,
                    "ownerReferences": references,
                },
                "spec": {"a": a, "b": b, "tags": tags},
                "status": {
                    "tags": status_tags,
                    "conditions": [{
                        "type": "Ready", "status": status, "reason": reason, "severity": severity,
                        "message": "it is said", "observedGeneration": 1,
                    }],
                },
            })
        },
    )
}

fn wanted() -> impl Strategy<Value = Desired> {
    const PATCHES: &[&str] = &[
        r#"{"spec":{"a":{"c":"not-for-everybody"}}}"#,
        r#"{"spec":{"b":null}}"#,
        r#"{"spec":{"tags":{"other":"9","old":null}}}"#,
        r#"{"metadata":{"labels":{"team":"x"}}}"#,
        r#"{"spec":{"owner":"not-for-everybody"}}"#,
    ];
    const MODES: &[Mode] = &[Mode::Managed, Mode::Managed, Mode::Byo, Mode::Claimable];
    const POLICIES: &[Policy] = &[Policy::Manage, Policy::DetachOnDelete, Policy::Skip];
    const CARRIERS: &[TagCarrier] = &[TagCarrier::Tags, TagCarrier::Metadata, TagCarrier::None];
    const BEFORE: &[WasManaged] = &[
        WasManaged::Tags,
        WasManaged::TagsIfShown,
        WasManaged::Parent,
        WasManaged::Always,
        WasManaged::Never,
    ];
    const USERS: &[(&str, &str)] = &[("team", "a"), ("old", "2"), ("new", "3")];
    let patches = proptest::sample::subsequence(PATCHES, 0..=2);
    let user = proptest::sample::subsequence(USERS, 0..=3);
    let hints = (some_of(MODES), some_of(POLICIES), some_of(CARRIERS), some_of(BEFORE), user, patches);
    (leaf(), proptest::option::of(leaf()), any::<bool>(), hints).prop_map(|(a, b, handover, hints)| {
        let (mode, adopt_policy, tags, was_managed, user, patches) = hints;
        let mut spec = json!({"a": a});
        if let Some(b) = b {
            spec["b"] = b;
        }
        let additional_tags =
            user.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        let patches = patches.into_iter().map(str::to_owned).collect();
        let late_bound = Vec::new();
        network(
            spec,
            Hints { mode, adopt_policy, tags, was_managed, additional_tags, patches, handover, late_bound },
        )
    })
}

proptest! {
    #[test]
    fn what_was_patched_needs_no_update(
        before in existing(), desired in wanted(), over in any::<bool>(), parent_managed in any::<bool>(),
    ) {
        let stage = if over { Stage::Handover } else { Stage::Install };
        let context = Context { stage, parent_managed, ..plain() };
        let mut object = before.clone();
        let mut sent = Vec::new();
        loop {
            let action = decide(Op::Reconcile(&desired), Some(&object), &anchor(), &context);
            prop_assert!(!format!("{action:?}").contains(MARK), "{action:?}");
            let What::Patch(patch) = &action.what else { break };
            // A policy may take more than one step, such as from a pause to a handover. All else takes one.
            prop_assert!(sent.is_empty() || !action.message.starts_with("updating"), "{sent:?}, {action:?} {patch}");
            json_patch::merge(&mut object, patch);
            sent.push(action);
            prop_assert!(sent.len() <= 4, "{sent:?}");
        }
        if desired.hints.mode == Mode::Byo {
            prop_assert_eq!(&object["spec"], &before["spec"]);
        }
    }

    #[test]
    fn what_is_to_go_goes_after_at_most_one_patch(before in existing()) {
        let mut object = before;
        let mut action = decide(Op::Delete, Some(&object), &anchor(), &plain());
        if matches!(action.what, What::Patch(_)) {
            send(&action, &mut object);
            action = decide(Op::Delete, Some(&object), &anchor(), &plain());
        }
        prop_assert_eq!(&action.what, &What::Delete);
        if Object(&object).annotation(keys::MODE).is_some() {
            prop_assert_eq!(Object(&object).policy(), Policy::Skip);
        }
    }

    #[test]
    fn what_is_paused_stays_so(before in existing()) {
        let mut object = before;
        let action = decide(Op::Pause, Some(&object), &anchor(), &plain());
        if matches!(action.what, What::Patch(_)) {
            send(&action, &mut object);
        }
        prop_assert!(Object(&object).is_paused());
        prop_assert_eq!(decide(Op::Pause, Some(&object), &anchor(), &plain()).what, What::None);
    }
}
