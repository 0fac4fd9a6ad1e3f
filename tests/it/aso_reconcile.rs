//! What is decided about objects of Azure Service Operator.
//!
//! The folder of the cases comes from `LANDFALL_CONFORMANCE`, by default `testdata/conformance`.

mod random;

use std::path::PathBuf;

use landfall_engine_aso::core::{
    Action, ApiError, Context, Object, Op, Owner, Stage, Verb, What, decide, goes_as_a_whole,
};
use landfall_engine_aso::desired::{Desired, Hints, Mode, Policy};
use landfall_engine_aso::keys;
use landfall_engine_aso::kinds;
use landfall_engine_aso::kinds::{TagCarrier, WasManaged};
use serde::Deserialize;
use serde_json::{Value, json};

const INFRA_ID: &str = "demo-x7k2p";
const NOW: &str = "2026-01-01T00:10:00Z";

#[derive(Deserialize)]
struct Case {
    id: String,
    op: String,
    #[serde(default)]
    existing: Value,
    #[serde(default)]
    desired: Value,
    owner: Value,
    #[serde(default)]
    context: Value,
    expect: Expect,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    action: String,
    policy: Option<String>,
    message: Option<String>,
    object: Option<Value>,
    patch: Option<Value>,
}

fn cases() -> Vec<Case> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/conformance");
    let given = std::env::var_os("LANDFALL_CONFORMANCE").map(PathBuf::from);
    let elsewhere = given.is_some();
    let file = given.unwrap_or_else(|| PathBuf::from(default)).join("aso-reconcile.jsonl");
    let text = match std::fs::read_to_string(&file) {
        Err(_) if elsewhere => {
            eprintln!("left out: {} cannot be read", file.display());
            return Vec::new();
        }
        text => text.unwrap(),
    };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    let items = value.as_array().unwrap().iter();
    items.map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned)).collect()
}

fn mode(name: &str) -> Mode {
    let all = [Mode::Managed, Mode::Byo, Mode::Claimable];
    all.into_iter().find(|mode| mode.name() == name).unwrap()
}

fn hints(given: &Value) -> Hints {
    let mut hints = Hints::default();
    for (key, value) in given.as_object().into_iter().flatten() {
        match key.as_str() {
            "mode" => hints.mode = mode(&text(value)),
            "adoptPolicy" => hints.adopt_policy = Policy::of(value.as_str()),
            "tags" => {
                hints.tags = match text(value).as_str() {
                    "spec.tags" => TagCarrier::Tags,
                    "spec.metadata" => TagCarrier::Metadata,
                    "none" => TagCarrier::None,
                    other => panic!("carrier {other}"),
                }
            }
            "wasManaged" => {
                hints.was_managed = match text(value).as_str() {
                    "tags" => WasManaged::Tags,
                    "parent" => WasManaged::Parent,
                    "always" => WasManaged::Always,
                    "never" => WasManaged::Never,
                    other => panic!("was managed {other}"),
                }
            }
            "additionalTags" => hints.additional_tags = serde_json::from_value(value.clone()).unwrap(),
            "patches" => hints.patches = texts(value),
            "handover" => hints.handover = value.as_bool().unwrap(),
            "lateBound" => hints.late_bound = texts(value),
            other => panic!("hint {other}"),
        }
    }
    hints
}

fn desired(given: &Value) -> Option<Desired> {
    let spec = given.get("spec")?.as_object()?.clone();
    let api_version = text(&given["apiVersion"]);
    let group = api_version.split('/').next().unwrap();
    let kind = kinds::find(group, &text(&given["kind"])).unwrap();
    let name = text(&given["metadata"]["name"]);
    Some(Desired { kind, api_version, name, spec, hints: hints(&given["engine"]), needs: Vec::new() })
}

fn owner(given: &Value) -> Owner {
    Owner {
        api_version: text(&given["apiVersion"]),
        kind: text(&given["kind"]),
        name: text(&given["name"]),
        namespace: text(&given["namespace"]),
        uid: text(&given["uid"]),
    }
}

fn context(given: &Value) -> Context {
    let infra_id = given.get("infraID").map_or_else(|| INFRA_ID.to_owned(), text);
    let mut context = Context::new(&infra_id, NOW.parse().unwrap());
    for (key, value) in given.as_object().into_iter().flatten() {
        let holds = value.as_bool().unwrap_or_default();
        match key.as_str() {
            "infraID" => {}
            "credentialSecret" => context.credential_secret = text(value),
            "dependenciesReady" => context.dependencies_ready = holds,
            "parentManaged" => context.parent_managed = holds,
            "paused" => context.paused = holds,
            "referenceInPlan" => context.reference_in_plan = holds,
            "dependentsGone" => context.dependents_gone = holds,
            "resourceGroupFastPath" => context.resource_group_fast_path = holds,
            "moving" => context.moving = holds,
            "now" => context.now = text(value).parse().unwrap(),
            "stage" => {
                context.stage = match text(value).as_str() {
                    "install" => Stage::Install,
                    "bootstrap" => Stage::Bootstrap,
                    "handover" => Stage::Handover,
                    other => panic!("stage {other}"),
                }
            }
            "apiError" => context.api_error = (!value.is_null()).then(|| api_error(value)),
            other => panic!("context {other}"),
        }
    }
    context
}

fn api_error(given: &Value) -> ApiError {
    let verb = match text(&given["verb"]).as_str() {
        "get" => Verb::Get,
        "create" => Verb::Create,
        "patch" => Verb::Patch,
        "delete" => Verb::Delete,
        other => panic!("verb {other}"),
    };
    // What is no status stands for a call that nobody answered.
    let code = given["code"].as_u64().and_then(|code| u16::try_from(code).ok()).filter(|code| *code > 0);
    ApiError { verb, code }
}

fn action(case: &Case, existing: &Value) -> Action {
    let desired = desired(&case.desired);
    let op = match case.op.as_str() {
        "reconcile" => Op::Reconcile(desired.as_ref().unwrap()),
        "delete" => Op::Delete,
        "prune" => Op::Prune,
        "pause" => Op::Pause,
        other => panic!("op {other}"),
    };
    let existing = (!existing.is_null()).then_some(existing);
    decide(op, existing, &owner(&case.owner), &context(&case.context))
}

fn difference(case: &Case, found: &Action) -> Option<String> {
    let expect = &case.expect;
    let (object, patch) = match &found.what {
        What::Create(object) => (Some(object), None),
        What::Patch(patch) => (None, Some(patch)),
        _ => (None, None),
    };
    let agrees = found.what.name() == expect.action
        && found.policy == expect.policy
        && expect.message.as_ref().is_none_or(|message| found.message.contains(message))
        && (expect.object.is_none() || object == expect.object.as_ref())
        && (expect.patch.is_none() || patch == expect.patch.as_ref());
    let sent = object.or(patch).unwrap_or(&Value::Null);
    (!agrees).then(|| {
        let (policy, message) = (&expect.policy, &expect.message);
        let wanted = expect.object.as_ref().or(expect.patch.as_ref()).unwrap_or(&Value::Null);
        format!(
            "{}: {found:?} {sent}\n  wanted {} ({policy:?}): {message:?} {wanted}",
            case.id, expect.action
        )
    })
}

fn assert_none(differing: &[String], all: usize) {
    assert!(differing.is_empty(), "{} of {all} cases differ:\n{}", differing.len(), differing.join("\n"));
}

#[test]
fn decided_as_specified() {
    let cases = cases();
    let differing: Vec<String> =
        cases.iter().filter_map(|case| difference(case, &action(case, &case.existing))).collect();
    assert_none(&differing, cases.len());
}

/// An upgrade of the operator hands the same object out in another spelling of its version.
#[test]
fn the_version_that_an_object_is_read_at_does_not_matter() {
    let cases = cases();
    let mut differing = Vec::new();
    for case in cases.iter().filter(|case| !case.existing.is_null()) {
        let read = text(&case.existing["apiVersion"]);
        let (group, version) = read.split_once('/').unwrap();
        let kind = kinds::find(group, &text(&case.existing["kind"])).unwrap();
        let other = kind.versions.iter().find(|known| **known != version).unwrap();
        let mut existing = case.existing.clone();
        existing["apiVersion"] = json!(format!("{group}/{other}"));
        let (before, after) = (action(case, &case.existing), action(case, &existing));
        if before != after {
            differing.push(format!("{}: {before:?} turns into {after:?}", case.id));
        }
    }
    assert_none(&differing, cases.len());
}

fn anchor() -> Owner {
    Owner {
        api_version: "v1".to_owned(),
        kind: "ConfigMap".to_owned(),
        name: keys::anchor_name(INFRA_ID),
        namespace: INFRA_ID.to_owned(),
        uid: "u1".to_owned(),
    }
}

/// A virtual network of the plan.
fn network(spec: Value, hints: Hints) -> Desired {
    let kind = kinds::named("VirtualNetwork").unwrap();
    let Value::Object(spec) = spec else { panic!("a spec is an object") };
    Desired { kind, api_version: kind.api_version(), name: "net".to_owned(), spec, hints, needs: Vec::new() }
}

/// An object of the cluster's own with this policy, about which the operator says this.
fn object(policy: &str, (status, reason): (&str, &str)) -> Value {
    json!({
        "apiVersion": "network.azure.com/v1api20240301",
        "kind": "VirtualNetwork",
        "metadata": {
            "name": "net",
            "namespace": INFRA_ID,
            "generation": 1,
            "ownerReferences": [anchor().reference()],
            "labels": {(keys::CLUSTER): INFRA_ID},
            "annotations": {
                (keys::POLICY): policy,
                (keys::CREDENTIAL_FROM): keys::credential_name(INFRA_ID),
            },
        },
        "spec": {"location": "eastus"},
        "status": {"conditions": [
            {"type": "Ready", "status": status, "reason": reason, "message": "it is said", "observedGeneration": 1},
        ]},
    })
}

fn plain() -> Context {
    context(&Value::Null)
}

/// Sends a patch.
fn send(action: &Action, object: &mut Value) {
    let What::Patch(patch) = &action.what else { panic!("{action:?} is no patch") };
    json_patch::merge(object, patch);
}

#[test]
fn what_is_the_users_is_never_managed() {
    let hints = Hints { mode: Mode::Byo, ..Hints::default() };
    let desired = network(json!({"location": "westus"}), hints);
    let made = decide(Op::Reconcile(&desired), None, &anchor(), &plain());
    let What::Create(made) = made.what else { panic!("nothing is made") };
    assert_eq!(made["spec"], json!({"location": "westus"}), "no tags");
    assert_eq!(Object(&made).annotation(keys::LAST_APPLIED_TAGS), None);

    // Whoever lets the operator change it: that is taken back before anything else, also on the way out.
    let mut existing = object("manage", ("True", "Succeeded"));
    let back = decide(Op::Reconcile(&desired), Some(&existing), &anchor(), &plain());
    let wanted = json!({"metadata": {"annotations": {(keys::POLICY): "skip", (keys::MODE): "byo"}}});
    assert_eq!(back.what, What::Patch(wanted));
    existing["metadata"]["annotations"][keys::MODE] = json!("byo");
    let back = decide(Op::Delete, Some(&existing), &anchor(), &plain());
    assert_eq!(back.policy.as_deref(), Some("skip"));
    send(&back, &mut existing);
    let gone = decide(Op::Delete, Some(&existing), &anchor(), &plain());
    assert_eq!(gone.what, What::Delete);
    // What goes in Azure too is told otherwise.
    let managed = decide(Op::Delete, Some(&object("manage", ("True", "Succeeded"))), &anchor(), &plain());
    assert_eq!(managed.what, What::Delete);
    assert_ne!(gone.message, managed.message);
}

#[test]
fn what_is_only_read_is_adopted_once() {
    let hints = Hints {
        adopt_policy: Policy::Skip,
        tags: TagCarrier::None,
        was_managed: WasManaged::Never,
        ..Hints::default()
    };
    let desired = network(json!({"location": "eastus"}), hints);
    let mut existing = object("skip", ("False", "AzureResourceNotFound"));
    // What Azure creates itself is waited for.
    let azures = decide(Op::Reconcile(&desired), Some(&existing), &anchor(), &plain());
    assert_eq!((azures.what.name(), azures.policy.as_deref()), ("wait", Some("skip")));
    // Anything else that the plan only reads is adopted once.
    let hints = Hints { was_managed: WasManaged::Tags, ..desired.hints.clone() };
    let desired = Desired { hints, ..desired };
    let adopted = decide(Op::Reconcile(&desired), Some(&existing), &anchor(), &plain());
    assert_eq!(adopted.policy.as_deref(), Some("skip"));
    send(&adopted, &mut existing);
    let again = decide(Op::Reconcile(&desired), Some(&existing), &anchor(), &plain());
    assert_eq!((again.what, again.message.as_str()), (What::Wait, "adopting"));
    let later = Context { now: "2026-01-01T01:00:00Z".parse().unwrap(), ..plain() };
    let again = decide(Op::Reconcile(&desired), Some(&existing), &anchor(), &later);
    assert_eq!(again.what, What::TransientError);
}

#[test]
fn values_that_are_unknown_are_waited_for() {
    const VALUE: &str = "the address of lb";
    let hints = Hints { late_bound: vec![VALUE.to_owned()], ..Hints::default() };
    let desired = network(json!({}), hints);
    let action = decide(Op::Reconcile(&desired), None, &anchor(), &plain());
    assert_eq!(action.what, What::Wait);
    assert!(action.message.ends_with(&format!(" {VALUE}")), "{}", action.message);
    let probed = object("skip", ("False", "AzureResourceNotFound"));
    let action = decide(Op::Reconcile(&desired), Some(&probed), &anchor(), &plain());
    assert_eq!((action.what, action.policy.as_deref()), (What::Wait, Some("skip")));
}

#[test]
fn a_resource_group_takes_all_with_it_only_if_it_goes_itself() {
    let whole = |object: &Value| goes_as_a_whole(Object(object), &anchor(), INFRA_ID);
    assert!(whole(&object("manage", ("True", "Succeeded"))));
    assert!(!whole(&object("skip", ("True", "Succeeded"))));
    assert!(!whole(&object("detach-on-delete", ("True", "Succeeded"))));
    let mut paused = object("manage", ("True", "Succeeded"));
    paused["metadata"]["annotations"][keys::PRE_PAUSE] = json!("manage");
    assert!(!whole(&paused));
    assert!(!whole(&json!({"metadata": {}})));
}
