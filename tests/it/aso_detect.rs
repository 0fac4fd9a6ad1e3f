//! What is found out of an operator in a management cluster, on a corpus of clusters.
//!
//! The folder comes from `LANDFALL_CONFORMANCE`, by default `testdata/conformance`.

mod commands;

use std::collections::BTreeMap;
use std::path::PathBuf;

use landfall_engine_aso::detect::{Cluster, Crd, Deployment, Reading, Report, Settings, Wanted, detect};
use landfall_engine_aso::kinds::{KINDS, Kind};
use landfall_model::azure::catalogue::Catalogue;
use landfall_model::catalogue::value::Part as _;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The kinds that every cluster may need, and that the public cluster of the cases has no use for.
const UNUSED: &[&str] = &["NatGateway", "DnsZonesARecord"];

#[derive(Deserialize)]
struct Case {
    id: String,
    title: String,
    cluster: Given,
    wanted: Asked,
    expect: Value,
}

#[derive(Deserialize)]
struct Given {
    crds: Vec<GivenCrd>,
    deployments: Vec<GivenDeployment>,
    settings: Value,
}

#[derive(Deserialize)]
struct GivenCrd {
    name: String,
    #[serde(default)]
    labels: BTreeMap<String, String>,
    #[serde(default)]
    served: Vec<String>,
}

#[derive(Deserialize)]
struct GivenDeployment {
    namespace: String,
    name: String,
    #[serde(default)]
    labels: BTreeMap<String, String>,
    #[serde(default)]
    image: String,
    #[serde(default)]
    available: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asked {
    cloud_name: String,
    namespace: String,
}

fn cases() -> Vec<Case> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/conformance");
    let given = std::env::var_os("LANDFALL_CONFORMANCE").map(PathBuf::from);
    let is_given = given.is_some();
    let path = given.unwrap_or_else(|| PathBuf::from(default)).join("aso-detect.jsonl");
    let text = match std::fs::read_to_string(&path) {
        Err(_) if is_given => {
            eprintln!("left out: {} cannot be read", path.display());
            return Vec::new();
        }
        text => text.unwrap(),
    };
    let cases = text.lines().filter(|line| !line.trim().is_empty());
    cases.map(|line| serde_json::from_str(line).expect("a case is JSON")).collect()
}

/// What reading one Secret comes to; none where there is none.
fn reading(secret: &Value) -> Option<Reading> {
    match secret {
        Value::Null => None,
        Value::Object(data) => {
            let text = |key: &str| data.get(key).and_then(Value::as_str).map(str::to_owned);
            Some(Reading::Read(Settings::of(text)))
        }
        _ => Some(Reading::Refused),
    }
}

/// Whether settings are given for each operator: names of namespaces have small letters, keys of settings
/// none.
fn by_namespace(settings: &Map<String, Value>) -> bool {
    settings.keys().any(|key| key.contains(|c: char| c.is_ascii_lowercase()))
}

fn cluster(given: Given) -> Cluster {
    let of = |namespace: &str| match &given.settings {
        Value::Object(all) if by_namespace(all) => all.get(namespace).and_then(reading),
        one => reading(one),
    };
    let places = given.deployments.iter().map(|deployment| deployment.namespace.clone());
    let settings = places.filter_map(|place| of(&place).map(|reading| (place, reading))).collect();
    let crd = |GivenCrd { name, labels, served }| Crd { name, labels, served, stored: Vec::new() };
    let deployment = |GivenDeployment { namespace, name, labels, image, available }| Deployment {
        namespace,
        name,
        labels,
        image,
        available,
    };
    Cluster {
        settings,
        crds: given.crds.into_iter().map(crd).collect(),
        deployments: given.deployments.into_iter().map(deployment).collect(),
    }
}

/// What differs from the expectation.
fn differences(report: &Report, expect: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut same = |what: &str, found: &str| {
        let wanted = expect[what].as_str();
        if wanted.is_some_and(|wanted| wanted != found) {
            wrong.push(format!("{what} `{found}` instead of `{}`", wanted.unwrap_or_default()));
        }
    };
    same("verdict", report.verdict.name());
    same("version", &report.version.as_ref().map(ToString::to_string).unwrap_or_default());
    same("operatorNamespace", report.operator_namespace.as_deref().unwrap_or_default());
    let errors: Vec<&str> =
        report.findings.iter().filter(|f| f.is_error()).map(|f| f.message.as_str()).collect();
    let message = expect["message"].as_str().unwrap_or_default();
    // What gives the verdict is told first.
    if !errors.first().copied().unwrap_or_default().contains(message) {
        wrong.push(format!("`{message}` is not the first of {errors:?}"));
    }
    if let Some(wanted) = expect["warnings"].as_array() {
        let found: Vec<&str> = report.warnings().collect();
        let told = |wanted: &Value| {
            let wanted = wanted.as_str().expect("a warning is text");
            found.iter().any(|found| found.contains(wanted))
        };
        if found.len() != wanted.len() || !wanted.iter().all(told) {
            wrong.push(format!("warnings {found:?} instead of {wanted:?}"));
        }
    }
    for (name, wanted) in expect["versions"].as_object().into_iter().flatten() {
        let found = report.versions.get(name).copied();
        if found != wanted.as_str() {
            wrong.push(format!("{name} is written as {found:?} instead of {wanted}"));
        }
    }
    wrong
}

#[test]
fn agrees_on_what_an_operator_is_good_for() {
    let catalogue = Catalogue::shipped();
    let kinds: Vec<&'static Kind> =
        KINDS.iter().filter(|kind| kind.core && !UNUSED.contains(&kind.kind)).collect();
    let mut wrong = Vec::new();
    for Case { id, title, cluster: given, wanted: Asked { cloud_name, namespace }, expect } in cases() {
        let wanted = Wanted { cloud: &cloud_name, namespace: &namespace, kinds: &kinds };
        let report = detect(&cluster(given), &wanted, &catalogue);
        let found = differences(&report, &expect);
        wrong.extend(found.into_iter().map(|what| format!("{id} ({title}): {what}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
