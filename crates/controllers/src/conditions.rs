//! Conditions of a `ClusterOperator` about the controllers.
//!
//! Several write the conditions of one operator. Each reads all of them, changes its own and writes the list
//! back onto the version that it read; where another was faster, it reads again. So nobody's are lost, and a
//! controller that does not run keeps what it said last.

#![allow(clippy::disallowed_methods, reason = "a condition tells when it changed")]

use landfall_kube::objects::{ObjectRef, Objects, Part};
use landfall_kube::{Fault, kinds};
use serde::Deserialize;
use serde_json::{Value, json};

use super::window::Outcome;
use super::{Failed, Next, object_refs};

/// How often an operator is read again that somebody else changed meanwhile.
const TRIES: usize = 8;

/// The version of an operator whose release is unknown.
pub const UNKNOWN: &str = "unknown";

const UNWRITABLE: &str = "condition-unwritable";

/// What one condition says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    /// Its type, as in `EndpointMirrorDegraded`.
    pub(super) kind: String,
    /// Whether it holds.
    pub(super) holds: bool,
    /// Why, in one word.
    pub(super) reason: String,
    /// Why, in sentences.
    pub(super) message: String,
}

/// What is reported of an operator.
#[derive(Clone, Debug)]
pub(super) struct Report {
    /// The operator's name.
    pub(super) operator: &'static str,
    /// Conditions; others of the operator stay.
    pub(super) conditions: Vec<Condition>,
    /// Whether the operator's own conditions are computed from those of its controllers.
    pub(super) summed: bool,
    /// Its release.
    pub(super) version: String,
    /// Objects that concern it; none where those that are named stay.
    pub(super) related: Option<Value>,
}

impl Report {
    /// One condition of landfall's own operator.
    pub(super) fn of_landfall(condition: Condition) -> Self {
        Self {
            operator: object_refs::OPERATOR,
            conditions: vec![condition],
            summed: true,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            related: None,
        }
    }
}

/// One of an operator's own conditions, which sums up all whose type ends like it.
struct Sum {
    kind: &'static str,
    /// Whether it holds where nothing is wrong.
    usual: bool,
}

const SUMS: &[Sum] = &[
    Sum { kind: "Available", usual: true },
    Sum { kind: "Progressing", usual: false },
    Sum { kind: "Degraded", usual: false },
    Sum { kind: "Upgradeable", usual: true },
];

/// Why a condition is as it usually is.
pub(super) const AS_EXPECTED: &str = "AsExpected";

/// A condition as it is.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Standing {
    #[serde(rename = "type")]
    kind: String,
    status: String,
    reason: String,
    message: String,
    #[serde(rename = "lastTransitionTime")]
    since: String,
}

/// Writes what is reported, if it is not there already.
pub(super) async fn report(objects: &dyn Objects, report: &Report) -> Result<(), Failed> {
    let place = ObjectRef::in_cluster(&kinds::CLUSTER_OPERATOR, report.operator);
    let failed = |fault: &Fault| Failed::call(UNWRITABLE, &place, "written", fault);
    let mut tries = 1;
    loop {
        let live = match objects.get(&place).await.map_err(|fault| failed(&fault))? {
            Some(live) => live,
            None => objects
                .apply(&place, json!({ "spec": {} }), Part::Whole)
                .await
                .map_err(|fault| failed(&fault))?,
        };
        let Some(status) = changed(&live, report, &now()) else {
            return Ok(());
        };
        let version = live.pointer("/metadata/resourceVersion").cloned().unwrap_or_default();
        let patch = json!({ "metadata": { "resourceVersion": version }, "status": status });
        match objects.merge(&place, patch, Part::Status).await {
            Ok(_) => return Ok(()),
            Err(Fault::Answer { status: 409, .. } | Fault::NotFound) if tries < TRIES => tries += 1,
            Err(fault) => return Err(failed(&fault)),
        }
    }
}

/// How a run ended of which it was tried to report. Where that failed, the run is repeated.
pub(super) fn ended(outcome: Result<(), Failed>, reported: Result<(), Failed>) -> Result<Next, Failed> {
    let retry = Outcome::of(&outcome).is_retried(reported.is_ok());
    match outcome {
        Ok(()) => reported.map(|()| Next::Settled),
        Err(failed) => Err(Failed { retry, ..failed }),
    }
}

fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// What of the status is to be written; none where it says all of it already.
fn changed(live: &Value, report: &Report, now: &str) -> Option<Value> {
    let before = live.pointer("/status/conditions").and_then(Value::as_array);
    let mut conditions = before.cloned().unwrap_or_default();
    for condition in &report.conditions {
        set(&mut conditions, condition, now);
    }
    if report.summed {
        for condition in sums(&conditions) {
            set(&mut conditions, &condition, now);
        }
    }
    let mut status = json!({ "conditions": conditions, "versions": versions(live, &report.version) });
    if let Some(related) = &report.related {
        status["relatedObjects"] = joined(live.pointer("/status/relatedObjects"), related);
    }
    let stands = live.get("status").unwrap_or(&Value::Null);
    let differs = status.as_object()?.iter().any(|(key, value)| stands.get(key) != Some(value));
    differs.then_some(status)
}

/// The versions that stand there, with ours among them. That of an operator whose release is not known stays: the
/// cluster's upgrades go by it.
fn versions(live: &Value, version: &str) -> Value {
    let stands = live.pointer("/status/versions").and_then(Value::as_array);
    let mut versions = stands.cloned().unwrap_or_default();
    let own = json!({ "name": "operator", "version": version });
    match versions.iter_mut().find(|one| one["name"] == own["name"]) {
        Some(_) if version == UNKNOWN => {}
        Some(known) => known["version"] = own["version"].clone(),
        None => versions.push(own),
    }
    Value::Array(versions)
}

/// The existing conditions, followed by ours that are not among them.
fn joined(stands: Option<&Value>, own: &Value) -> Value {
    let mut all = stands.and_then(Value::as_array).cloned().unwrap_or_default();
    let new: Vec<Value> =
        own.as_array().into_iter().flatten().filter(|one| !all.contains(one)).cloned().collect();
    all.extend(new);
    Value::Array(all)
}

fn word(holds: bool) -> &'static str {
    if holds { "True" } else { "False" }
}

fn standing(condition: &Value) -> Standing {
    Standing::deserialize(condition).unwrap_or_default()
}

fn set(conditions: &mut Vec<Value>, condition: &Condition, now: &str) {
    let Condition { kind, holds, reason, message } = condition;
    let at = conditions.iter().position(|known| standing(known).kind == *kind);
    let known = at.and_then(|at| conditions.get(at)).map(standing).unwrap_or_default();
    let stays = known.status == word(*holds);
    if stays && known.reason == *reason && known.message == *message && !known.since.is_empty() {
        return;
    }
    let since = if stays && !known.since.is_empty() { known.since.as_str() } else { now };
    let said = json!({
        "type": kind,
        "status": word(*holds),
        "reason": reason,
        "message": message,
        "lastTransitionTime": since,
    });
    match at {
        Some(at) => conditions[at] = said,
        None => conditions.push(said),
    }
}

/// An operator's own conditions, as those of its controllers have it.
fn sums(conditions: &[Value]) -> Vec<Condition> {
    let all: Vec<Standing> = conditions.iter().map(standing).collect();
    let sum = |sum: &Sum| {
        let unusual: Vec<&Standing> = all
            .iter()
            .filter(|one| one.kind != sum.kind && one.kind.ends_with(sum.kind))
            .filter(|one| one.status == word(!sum.usual))
            .collect();
        let message: Vec<String> =
            unusual.iter().map(|one| format!("{}: {}", one.kind, one.message)).collect();
        Condition {
            kind: sum.kind.to_owned(),
            holds: sum.usual == unusual.is_empty(),
            reason: match unusual.as_slice() {
                [] => AS_EXPECTED.to_owned(),
                [one] => format!("{}_{}", one.kind.trim_end_matches(sum.kind), one.reason),
                _ => "SeveralConditions".to_owned(),
            },
            message: message.join("\n"),
        }
    };
    SUMS.iter().map(sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(conditions: Vec<Condition>) -> Report {
        Report { operator: "landfall", conditions, summed: true, version: "1".to_owned(), related: None }
    }

    fn degraded(kind: &str, holds: bool) -> Condition {
        let reason = if holds { "SyncError" } else { AS_EXPECTED };
        Condition { kind: kind.to_owned(), holds, reason: reason.to_owned(), message: String::new() }
    }

    /// Type, status and time of all conditions.
    fn told(status: Option<&Value>) -> Vec<(String, String, String)> {
        let conditions = status.and_then(|status| status.get("conditions")).and_then(Value::as_array);
        let all = conditions.map(|all| all.iter().map(standing).collect::<Vec<_>>()).unwrap_or_default();
        all.into_iter().map(|one| (one.kind, one.status, one.since)).collect()
    }

    fn row(kind: &str, status: &str, since: &str) -> (String, String, String) {
        (kind.to_owned(), status.to_owned(), since.to_owned())
    }

    #[test]
    fn an_operator_is_degraded_while_one_of_its_controllers_is() {
        let first = changed(&json!({}), &report(vec![degraded("ADegraded", true)]), "1");
        assert_eq!(
            told(first.as_ref()),
            [
                row("ADegraded", "True", "1"),
                row("Available", "True", "1"),
                row("Progressing", "False", "1"),
                row("Degraded", "True", "1"),
                row("Upgradeable", "True", "1"),
            ]
        );
        let live = json!({ "status": first });
        let second = changed(&live, &report(vec![degraded("BDegraded", false)]), "2");
        assert!(told(second.as_ref()).contains(&row("ADegraded", "True", "1")));
        assert!(told(second.as_ref()).contains(&row("BDegraded", "False", "2")));
        assert!(told(second.as_ref()).contains(&row("Degraded", "True", "1")));
        let live = json!({ "status": second });
        let third = changed(&live, &report(vec![degraded("ADegraded", false)]), "3");
        assert!(told(third.as_ref()).contains(&row("Degraded", "False", "3")));
    }

    #[test]
    fn what_another_operator_said_of_itself_stays() {
        let theirs = json!({ "group": "", "resource": "namespaces", "name": "theirs" });
        let ours = json!({ "group": "", "resource": "namespaces", "name": "ours" });
        let live = json!({ "status": {
            "versions": [{ "name": "operator", "version": "4.19.3" }, { "name": "aws-ccm", "version": "4.19.3" }],
            "relatedObjects": [theirs],
        }});
        let told = |version: &str| {
            let related = Some(json!([ours, theirs]));
            let report = Report { version: version.to_owned(), related, ..report(Vec::new()) };
            changed(&live, &report, "1").unwrap_or_default()
        };
        let version = |told: &Value, at: usize| told["versions"][at]["version"].clone();
        let unknown = told(UNKNOWN);
        assert_eq!(unknown["versions"], live["status"]["versions"]);
        assert_eq!(unknown["relatedObjects"], json!([theirs, ours]));
        let known = told("4.19.4");
        assert_eq!([version(&known, 0), version(&known, 1)], [json!("4.19.4"), json!("4.19.3")]);
        // A new ClusterOperator says that the release is unknown.
        let first = changed(&json!({}), &Report { version: UNKNOWN.to_owned(), ..report(Vec::new()) }, "1");
        assert_eq!(first.map(|told| version(&told, 0)), Some(json!("unknown")));
    }

    #[test]
    fn what_is_said_already_is_not_written() {
        let said = report(vec![degraded("ADegraded", false)]);
        let live = json!({ "status": changed(&json!({}), &said, "1") });
        assert_eq!(changed(&live, &said, "2"), None);
    }

    #[test]
    fn a_new_message_keeps_the_time_of_the_status() {
        let live = json!({ "status": changed(&json!({}), &report(vec![degraded("ADegraded", true)]), "1") });
        let mut other = degraded("ADegraded", true);
        other.message = "something else".to_owned();
        let status = changed(&live, &report(vec![other]), "2");
        assert!(told(status.as_ref()).contains(&row("ADegraded", "True", "1")));
    }

    #[test]
    fn a_run_that_cannot_be_reported_is_repeated() {
        let terminal = || Err(Failed::terminal("key-missing", ""));
        let unwritable = || Err(Failed::transient(UNWRITABLE, ""));
        assert_eq!(ended(Ok(()), Ok(())), Ok(Next::Settled));
        assert_eq!(ended(terminal(), Ok(())), Err(Failed::terminal("key-missing", "")));
        assert_eq!(ended(terminal(), unwritable()), Err(Failed::transient("key-missing", "")));
        assert_eq!(ended(Ok(()), unwritable()), Err(Failed::transient(UNWRITABLE, "")));
    }
}
