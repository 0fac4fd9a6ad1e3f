//! Every manifest of a kind whose definition is at hand fits it: the CRDs of openshift/api, from
//! `../shared/crds` or the folder that `LANDFALL_CRDS` names. They are data of another project.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use landfall_diagnostics::{Base, Findings};
use landfall_install_config::assets;
use landfall_install_config::verdict::{Outcome, Strictness, judge_keeping};
use landfall_model::catalogue::Catalogue;
use landfall_model::plan::{self, Case, Identity};
use landfall_platform::Offline;
use landfall_render::Tls;
use rayon::prelude::*;
use serde_json::Value;

use crate::clusters;

fn folder() -> PathBuf {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/crds");
    std::env::var_os("LANDFALL_CRDS").map_or_else(own, PathBuf::from)
}

/// Schemas by `apiVersion` and `kind`.
fn schemas(folder: &Path) -> BTreeMap<(String, String), jsonschema::Validator> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "yaml") {
            continue;
        }
        let crd: Value = serde_yaml::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let group = crd["spec"]["group"].as_str().unwrap();
        let kind = crd["spec"]["names"]["kind"].as_str().unwrap();
        for version in crd["spec"]["versions"].as_array().unwrap() {
            let name = format!("{group}/{}", version["name"].as_str().unwrap());
            let mut schema = version["schema"]["openAPIV3Schema"].clone();
            as_json_schema(&mut schema);
            found.insert((name, kind.to_owned()), jsonschema::validator_for(&schema).unwrap());
        }
    }
    found
}

/// What the API server's schemas have of their own, in the words of JSON Schema: `nullable`, fields that
/// are kept although they are not described, and fields that are not described and so not there.
fn as_json_schema(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            let open = map.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(true));
            let described = map.contains_key("properties") && !map.contains_key("additionalProperties");
            if described && !open && map.get("type") == Some(&"object".into()) {
                map.insert("additionalProperties".to_owned(), false.into());
            }
            if map.get("nullable") == Some(&Value::Bool(true))
                && let Some(kind) = map.get("type").and_then(Value::as_str).map(str::to_owned)
            {
                map.insert("type".to_owned(), serde_json::json!([kind, "null"]));
            }
            map.values_mut().for_each(as_json_schema);
        }
        Value::Array(list) => list.iter_mut().for_each(as_json_schema),
        _ => {}
    }
}

/// What the API server takes out before it looks: null where the schema has a default or nothing, and the
/// status, which it does not take from who creates an object.
fn as_created(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(as_created);
        }
        Value::Array(list) => list.iter_mut().for_each(as_created),
        _ => {}
    }
}

#[test]
#[ignore = "needs definitions"]
fn manifests_fit_the_definitions_of_their_kinds() {
    let folder = folder();
    assert!(folder.is_dir(), "{} is missing: LANDFALL_CRDS names the folder", folder.display());
    let schemas = schemas(&folder);
    let mut checked: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for example in clusters::all() {
        for file in clusters::made(&example).1 {
            if !file.path.starts_with("manifests/") && !file.path.starts_with("openshift/") {
                continue;
            }
            let mut object: Value = serde_yaml::from_slice(&file.bytes).unwrap();
            let text = |key: &str| object[key].as_str().unwrap_or_default().to_owned();
            let kind = (text("apiVersion"), text("kind"));
            let Some(schema) = schemas.get(&kind) else { continue };
            as_created(&mut object);
            // The installer writes this field from 4.19 on; the definitions at hand are older.
            if kind.1 == "Scheduler" {
                object["spec"].as_object_mut().unwrap().remove("profileCustomizations");
            }
            // The definition has this field only where its feature gate is open; the API server of other
            // clusters takes it out. What it says there is what such clusters do anyway.
            if let Some(azure) = object.pointer_mut("/status/platformStatus/azure") {
                let family = azure.as_object_mut().unwrap().remove("ipFamily");
                assert!(family.is_none_or(|family| family == "IPv4"), "{}", example.display());
            }
            // The metadata is the API server's own.
            object.as_object_mut().unwrap().remove("metadata");
            *checked.entry(kind.1).or_default() += 1;
            for fault in schema.iter_errors(&object) {
                wrong.push(format!(
                    "{}/{}: {}: {fault}",
                    example.display(),
                    file.path,
                    fault.instance_path()
                ));
            }
        }
    }
    assert!(checked.len() >= 6, "only these kinds were checked: {checked:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Endpoints that people write, good and bad.
const ENDPOINTS: &[(&str, &str)] = &[
    ("ec2", "https://ec2.example.com"),
    ("s3", "https://s3.example.com:8443"),
    ("sts", "sts.example.com"),
    ("tagging", "HTTPS://tagging.example.com/"),
    ("kms", "https://[fd00::1]:443"),
    ("EC2", "https://ec2.example.com"),
    ("", "https://ec2.example.com"),
    ("my service", "https://ec2.example.com"),
    ("elb", "https://elb.example.com"),
    ("ec2", "https://ec2.example.com:99999"),
    ("ec2", "https://ec2.example.com/#part"),
    ("ec2", "http://ec2.example.com"),
    ("ec2_2", "https://ec2.example.com"),
];

/// The Infrastructure object of a config that is accepted and planned with the catalogue alone.
fn infrastructure(text: &str, tls: &Tls) -> Option<Value> {
    let catalogue = Catalogue::embedded();
    let verdict = judge_keeping(text.as_bytes(), Strictness::default(), catalogue);
    let (config, given) = (verdict.config.filter(|_| verdict.outcome == Outcome::Accepted)?, verdict.given?);
    let release = catalogue.default_release()?;
    let mut out = Findings::default();
    let credentials = BTreeMap::new();
    let offline = Offline { config: &config, catalogue, release, credentials: &credentials };
    let facts = assets::offline_facts(&offline, &mut out);
    let identity = Identity { infra_id: "demo-x7k2p".to_owned(), cluster_id: "u".to_owned() };
    let engine = plan::Engine::default();
    let case = Case {
        config: &config,
        given: &given,
        facts: &facts,
        catalogue,
        release,
        identity: &identity,
        installed: false,
        own_records: &[],
        engine,
    };
    let plan = assets::plan(&case, &mut out)?;
    let extras = clusters::extras(&credentials, tls);
    let path = "manifests/cluster-infrastructure-02-config.yml";
    let file = assets::files(&plan, &extras).into_iter().find(|file| file.path == path)?;
    Some(serde_yaml::from_slice(&file.bytes).unwrap())
}

/// What the API server would refuse is refused when it is planned, so that no cluster fails on it.
#[test]
#[ignore = "needs definitions"]
fn every_infrastructure_that_is_planned_fits_its_definition() {
    let schemas = schemas(&folder());
    let schema = &schemas[&("config.openshift.io/v1".to_owned(), "Infrastructure".to_owned())];
    let tls = clusters::tls();
    let with = |(name, url): &(&str, &str)| {
        let endpoint = format!(
            "    region: us-east-1\n    serviceEndpoints:\n    - name: {name:?}\n      url: {url:?}\n"
        );
        Base::Aws.text().replace("    region: us-east-1\n", &endpoint)
    };
    let texts: Vec<String> =
        crate::conformance::accepted_inputs().into_iter().chain(ENDPOINTS.iter().map(with)).collect();
    let found: Vec<(&String, Value)> =
        texts.par_iter().filter_map(|text| Some((text, infrastructure(text, &tls)?))).collect();
    let mut wrong = Vec::new();
    for (text, mut object) in found.iter().cloned() {
        as_created(&mut object);
        object.as_object_mut().unwrap().remove("metadata");
        let faults =
            schema.iter_errors(&object).map(|fault| (fault.instance_path().to_string(), fault.to_string()));
        wrong.extend(faults.map(|(path, fault)| format!("{path}: {fault}\n{text}")));
    }
    assert!(wrong.is_empty(), "{} wrong: {}", wrong.len(), wrong[0]);
    assert!(found.len() > 500, "only {} of {} were planned", found.len(), texts.len());
}
