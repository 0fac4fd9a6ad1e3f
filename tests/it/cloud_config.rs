//! Agreement with the operators of OpenShift on the configuration of cloud providers, of the library and of
//! the command line.
//!
//! The folder comes from `LANDFALL_CONFORMANCE`, by default `testdata/conformance`. Where the operators do
//! something that is not to be followed, the case has a `quirk`, and [`better::BETTER`] says what is expected
//! in its place.

mod better;
mod command;

use std::path::PathBuf;

use landfall_cloud_config::managed::managed;
use landfall_cloud_config::target::{Gate, prepare, rule, transform};
use landfall_cloud_config::{Entries, Fault, Infrastructure, Network, bootstrap};
use serde::Deserialize;
use serde_json::{Value, json};

use better::Better;

/// One case of either file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    id: String,
    mode: String,
    #[serde(default)]
    quirk: Option<String>,
    #[serde(default)]
    infrastructure: Infrastructure,
    #[serde(default)]
    cloud_config: Option<Entries>,
    #[serde(default)]
    infrastructure_file: Option<String>,
    #[serde(default)]
    cloud_config_file: Option<String>,
    #[serde(default)]
    source: String,
    #[serde(default)]
    gate: String,
    #[serde(default)]
    source_map: Option<Entries>,
    #[serde(default)]
    key: String,
    #[serde(default)]
    network: Network,
    #[serde(default)]
    format: String,
    expect: Value,
    /// The whole case, from which files are made.
    #[serde(skip)]
    whole: Value,
}

/// The folder of the cases, and whether it is landfall's own.
fn folder() -> (PathBuf, bool) {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/conformance");
    let given = std::env::var_os("LANDFALL_CONFORMANCE").map(PathBuf::from);
    (given.clone().unwrap_or_else(|| PathBuf::from(own)), given.is_none())
}

/// The cases of these modes.
fn cases(file: &str, modes: &[&str]) -> Vec<Case> {
    let path = folder().0.join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut cases = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let whole: Value = serde_json::from_str(line).expect("a case is JSON");
        if whole["mode"].as_str().is_some_and(|mode| modes.contains(&mode)) {
            let mut case = Case::deserialize(&whole).unwrap_or_else(|e| panic!("{}: {e}", whole["id"]));
            case.whole = whole;
            cases.push(case);
        }
    }
    assert!(!cases.is_empty(), "{file} has no case of {modes:?}");
    cases
}

fn all() -> Vec<Case> {
    let mut cases = cases("kube-cloud-config.jsonl", &["transform", "bootstrap"]);
    cases.extend(self::cases("ccm-cloud-config.jsonl", &["aws-transform", "prepare", "transform"]));
    cases
}

impl Case {
    /// Whether it is of the second controller's transformation, which shares its mode's name with the first's.
    fn is_target(&self) -> bool {
        self.mode == "transform" && !self.format.is_empty()
    }

    /// What the library answers, in the form of `expect`.
    fn answer(&self) -> Value {
        match self.mode.as_str() {
            "transform" if self.is_target() => {
                let text = transform(&self.infrastructure, &self.network, &self.source, Gate::Off);
                self.text(text)
            }
            "transform" => {
                let user = self.cloud_config.clone().unwrap_or_default();
                said(managed(&self.infrastructure, &user).map(|entries| {
                    let write = if entries.is_empty() { "delete" } else { "apply" };
                    let mut answer = json!(entries);
                    answer["write"] = json!(write);
                    answer
                }))
            }
            "bootstrap" => {
                let infrastructure = self.infrastructure_file.as_deref().unwrap_or_default();
                said(
                    bootstrap::stitch(infrastructure, self.cloud_config_file.as_deref())
                        .map(|text| json!({ "manifest": yaml(&text) })),
                )
            }
            "aws-transform" => self.text(self.on_aws(&self.source)),
            "prepare" => said(prepare(self.source_map.as_ref(), &self.key).map(|entries| json!(entries))),
            mode => panic!("{}: there is no mode {mode}", self.id),
        }
    }

    fn on_aws(&self, text: &str) -> Result<String, Fault> {
        let gate = match self.gate.as_str() {
            "on" => Gate::On,
            "off" => Gate::Off,
            _ => Gate::Unknown,
        };
        transform(&platform("AWS"), &Network::default(), text, gate)
    }

    /// A text in the form in which it is compared.
    fn text(&self, text: Result<String, Fault>) -> Value {
        said(text.map(|text| json!({ "output": self.value(&text) })))
    }

    fn value(&self, text: &str) -> Value {
        match self.format.as_str() {
            "json" => full(serde_json::from_str(text).unwrap_or_else(|e| panic!("{}: {e}", self.id))),
            "yaml" => yaml(text),
            _ => json!(text),
        }
    }

    /// What is expected: the operators' answer, or a better one.
    fn expected(&self) -> Value {
        let mut expected = match better::of(&self.id) {
            Some(Better::Instead(expected)) => serde_json::from_str(expected).expect("a table of JSON"),
            Some(Better::Fault(name)) => json!({ "error": name }),
            Some(Better::Same) | None => self.expect.clone(),
        };
        let Some(members) = expected.as_object_mut() else { panic!("{}: expects nothing", self.id) };
        // These are looked at on their own.
        members.remove("managedLookup");
        members.remove("stable");
        members.retain(|_, value| value.as_object().is_none_or(|entries| !entries.is_empty()));
        if let Some(output) = members.get_mut("output")
            && let Some(text) = output.as_str().map(str::to_owned)
        {
            *output = self.value(&text);
        }
        // A manifest always says what it is.
        if let Some(manifest) = members.get_mut("manifest") {
            manifest["apiVersion"] = json!("v1");
            manifest["kind"] = json!("ConfigMap");
        }
        expected
    }
}

/// A cluster of which nothing but the platform is known.
fn platform(name: &str) -> Infrastructure {
    serde_json::from_value(json!({ "status": { "platformStatus": { "type": name } } })).unwrap()
}

fn said(answer: Result<Value, Fault>) -> Value {
    answer.unwrap_or_else(|fault| json!({ "error": fault.name() }))
}

fn yaml(text: &str) -> Value {
    serde_yaml::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// The members of an object that say something.
fn full(mut value: Value) -> Value {
    if let Some(members) = value.as_object_mut() {
        members.retain(|_, value| ![json!(null), json!(0), json!(false), json!("")].contains(value));
    }
    value
}

#[test]
fn agrees_with_the_operators_of_openshift() {
    let (_, own) = folder();
    let mut differing = Vec::new();
    for case in all() {
        let (found, expected) = (case.answer(), case.expected());
        if found == expected {
            continue;
        }
        if !own && case.quirk.is_some() && better::of(&case.id).is_none() {
            eprintln!("left out: {}, which shows what is not to be followed", case.id);
            continue;
        }
        differing.push(format!("{}: {found}\ninstead of {expected}", case.id));
    }
    assert!(differing.is_empty(), "{} cases differ:\n{}", differing.len(), differing.join("\n"));
}

#[test]
fn every_quirk_is_accounted_for() {
    if !folder().1 {
        return;
    }
    let cases = all();
    let quirks: Vec<&str> = cases.iter().filter(|c| c.quirk.is_some()).map(|c| c.id.as_str()).collect();
    let forgotten: Vec<&&str> = quirks.iter().filter(|id| better::of(id).is_none()).collect();
    assert!(forgotten.is_empty(), "nothing is said of {forgotten:?}");
    let stale: Vec<&str> =
        better::BETTER.iter().map(|(id, ..)| *id).filter(|id| !quirks.contains(id)).collect();
    assert!(stale.is_empty(), "these cases are no quirks: {stale:?}");
    assert!(better::BETTER.iter().all(|(_, _, why)| !why.is_empty()));
    for case in cases.iter().filter(|case| matches!(better::of(&case.id), Some(Better::Instead(_)))) {
        assert_ne!(case.answer(), case.expect, "{} is not better", case.id);
    }
}

#[test]
fn a_second_pass_changes_nothing() {
    for case in cases("ccm-cloud-config.jsonl", &["aws-transform"]) {
        // Also where the operator's own result is not what it reads back.
        if let Ok(text) = case.on_aws(&case.source) {
            assert_eq!(case.on_aws(&text), Ok(text), "{}", case.id);
        }
    }
    // OpenStack's older settings are gone after the first, and the other texts are passed on.
    let structured = |case: &Case| case.format != "text";
    for case in cases("ccm-cloud-config.jsonl", &["transform"]).into_iter().filter(structured) {
        let pass = |text: &str| transform(&case.infrastructure, &case.network, text, Gate::Off);
        if let Ok(text) = pass(&case.source) {
            assert_eq!(pass(&text), Ok(text), "{}", case.id);
        }
    }
}

#[test]
fn the_managed_map_comes_first_where_there_is_one() {
    for case in cases("ccm-cloud-config.jsonl", &["transform"]) {
        if let Some(first) = case.expect["managedLookup"].as_bool() {
            let rule = rule(case.infrastructure.platform().0);
            assert_eq!(rule.map(|rule| rule.managed_first), Some(first), "{}", case.id);
        }
    }
}
