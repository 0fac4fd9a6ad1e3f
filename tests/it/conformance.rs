//! Agreement with the OpenShift installer on a corpus of install configs.
//!
//! The folder comes from `LANDFALL_CONFORMANCE`, by default `testdata/conformance`. Cases in which landfall
//! is better on purpose are listed with their reason in `deviations.yaml` of that folder; nothing else may
//! deviate, and the list stays under 2 % of the cases.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;

use landfall_install_config::verdict::{Outcome, Strictness, judge};
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Case {
    id: String,
    input: String,
    outcome: String,
    #[serde(default)]
    errors: Vec<Fault>,
    #[serde(default)]
    defaulted: Value,
}

#[derive(Deserialize)]
struct Fault {
    #[serde(rename = "type")]
    kind: String,
    field: String,
}

fn folder() -> PathBuf {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/conformance");
    std::env::var_os("LANDFALL_CONFORMANCE").map_or_else(|| PathBuf::from(default), PathBuf::from)
}

fn cases() -> Vec<Case> {
    let folder = folder();
    let packed = folder.join("install-config.jsonl.gz");
    let mut text = String::new();
    if packed.exists() {
        let file = std::fs::File::open(&packed).expect("the corpus can be opened");
        flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("the corpus is gzip");
    } else {
        let plain = folder.join("install-config.jsonl");
        text = std::fs::read_to_string(&plain).unwrap_or_else(|e| panic!("{}: {e}", plain.display()));
    }
    let cases = text.lines().filter(|line| !line.trim().is_empty());
    cases.map(|line| serde_json::from_str(line).expect("a case is JSON")).collect()
}

fn deviations() -> BTreeMap<String, String> {
    let file = folder().join("deviations.yaml");
    match std::fs::read_to_string(file) {
        Ok(text) => serde_yaml::from_str(&text).expect("deviations are a map from case to reason"),
        Err(_) => BTreeMap::new(),
    }
}

/// Drops what says nothing, as chapter 1 of the corpus' description has it.
fn prune(value: Value, key: &str, path: &str) -> Option<Value> {
    const KEPT_ZEROS: &[&str] = &["replicas", "lun", "throughput"];
    let pruned = match value {
        Value::Object(map) => {
            let below: serde_json::Map<String, Value> = map
                .into_iter()
                .filter_map(|(k, v)| {
                    // An explicit null network is printed as this text by the OpenShift installer.
                    let v = if k == "cidr" && v.is_null() { Value::from("<nil>") } else { v };
                    let pruned = prune(v, &k, &format!("{path}.{k}"))?;
                    Some((k, pruned))
                })
                .collect();
            let kept = [".platform.none", ".platform.external"].contains(&path);
            return (!below.is_empty() || kept || key.is_empty()).then_some(Value::Object(below));
        }
        Value::Array(list) => {
            let items: Vec<Value> = list
                .into_iter()
                .map(|item| {
                    let is_missing = key == "serviceNetwork" && item.is_null();
                    let item = if is_missing { Value::from("<nil>") } else { item };
                    let empty = match &item {
                        Value::Object(_) => Value::Object(serde_json::Map::new()),
                        _ => item.clone(),
                    };
                    prune(item, "", "[]").unwrap_or(empty)
                })
                .collect();
            return (!items.is_empty()).then_some(Value::Array(items));
        }
        other => other,
    };
    let nothing = match &pruned {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Bool(value) => !value && key != "allowSharedKeyAccess",
        Value::Number(number) => number.as_f64() == Some(0.0) && !KEPT_ZEROS.contains(&key),
        Value::Array(_) | Value::Object(_) => false,
    };
    (!nothing || key.is_empty()).then_some(pruned)
}

/// What differs; none when landfall agrees.
fn difference(case: &Case) -> Option<String> {
    let verdict = judge(case.input.as_bytes(), Strictness::default());
    if verdict.outcome.name() != case.outcome {
        let found: Vec<String> = verdict
            .findings
            .iter()
            .map(|f| format!("{} {} {}: {}", f.code.as_str(), f.kind.name(), f.field, f.message))
            .collect();
        return Some(format!("outcome {} instead of {}: {found:?}", verdict.outcome.name(), case.outcome));
    }
    match verdict.outcome {
        Outcome::Unparseable => None,
        Outcome::Rejected => {
            let mut found: Vec<(String, String)> = verdict
                .findings
                .iter()
                .filter(|f| f.is_error())
                .map(|f| (f.kind.name().to_owned(), f.field.clone()))
                .collect();
            let mut wanted: Vec<(String, String)> =
                case.errors.iter().map(|e| (e.kind.clone(), e.field.clone())).collect();
            found.sort();
            wanted.sort();
            let missing: Vec<_> = wanted.iter().filter(|w| !found.contains(w)).collect();
            let extra: Vec<_> = found.iter().filter(|f| !wanted.contains(f)).collect();
            (found != wanted).then(|| {
                format!("missing {missing:?}, extra {extra:?} ({} for {})", found.len(), wanted.len())
            })
        }
        Outcome::Accepted => {
            let config = verdict.config.expect("an accepted file has a config");
            let found = prune(config.to_value(true), "", "").unwrap_or_default();
            (found != case.defaulted)
                .then(|| format!("completed to {found}\ninstead of   {}", case.defaulted))
        }
    }
}

#[test]
fn agrees_with_the_openshift_installer() {
    let cases = cases();
    assert!(!cases.is_empty(), "the corpus is empty");
    let deviations = deviations();
    let differing: Vec<(String, String)> =
        cases.par_iter().filter_map(|case| difference(case).map(|what| (case.id.clone(), what))).collect();
    let unexplained: Vec<String> = differing
        .iter()
        .filter(|(id, _)| !deviations.contains_key(id))
        .map(|(id, what)| format!("{id}: {what}"))
        .collect();
    let stale: Vec<&String> =
        deviations.keys().filter(|id| !differing.iter().any(|(d, _)| d == *id)).collect();
    assert!(
        unexplained.is_empty(),
        "{} of {} cases differ:\n{}",
        unexplained.len(),
        cases.len(),
        unexplained.join("\n")
    );
    assert!(stale.is_empty(), "these cases agree and need no reason: {stale:?}");
    assert!(deviations.len() * 50 < cases.len(), "{} deviations are too many", deviations.len());
}

/// The inputs of the cases that landfall accepts.
pub fn accepted_inputs() -> Vec<String> {
    let accepted =
        |case: &Case| judge(case.input.as_bytes(), Strictness::default()).outcome == Outcome::Accepted;
    cases().into_iter().filter(accepted).map(|case| case.input).collect()
}
