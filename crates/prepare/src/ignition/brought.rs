//! What the bootstrap machine brings along, against the manifests of the cluster.

use std::collections::{BTreeMap, BTreeSet};

use landfall_diagnostics::Finding;
use landfall_install_config::platforms;
use landfall_model::plan::{Plan, ignition_pages as pages};
use serde_json::Value;

use super::files::{BOOTSTRAP, Files};

/// Where the spec of a machine lies, by the kind of its manifest.
const MACHINES: [(&str, &str); 3] = [
    ("Machine", "/spec"),
    ("ControlPlaneMachineSet", "/spec/template/machines_v1beta1_machine_openshift_io/spec"),
    ("MachineSet", "/spec/template/spec"),
];

fn read(manifest: &[u8]) -> Option<Value> {
    serde_saphyr::from_str(std::str::from_utf8(manifest).ok()?).ok()
}

/// The provider spec of the machine that a manifest describes.
fn machine(manifest: &[u8]) -> Option<Value> {
    let value = read(manifest)?;
    let kind = value["kind"].as_str()?;
    let (_, spec) = MACHINES.into_iter().find(|(known, _)| *known == kind)?;
    Some(value.pointer(spec)?.pointer("/providerSpec/value")?.clone())
}

/// The texts with the infrastructure id in what a machine names, by the part that names them: names of what is
/// made for the cluster. What the user brought has other names, which the plan does not decide.
fn names(machine: &Value, references: &[&'static str], id: &str) -> BTreeSet<(&'static str, String)> {
    fn texts(value: &Value, out: &mut Vec<String>) {
        match value {
            Value::String(text) => out.push(text.clone()),
            Value::Array(list) => list.iter().for_each(|item| texts(item, out)),
            Value::Object(map) => map.values().for_each(|item| texts(item, out)),
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    for reference in references {
        let mut all = Vec::new();
        texts(machine.pointer(reference).unwrap_or(&Value::Null), &mut all);
        found.extend(all.into_iter().filter(|text| text.contains(id)).map(|text| (*reference, text)));
    }
    found
}

/// Whether machines that the bootstrap machine brings along look for infrastructure under other names than
/// those that the plan makes.
pub(super) fn machines(
    brought: &Files,
    manifests: &BTreeMap<String, Vec<u8>>,
    plan: &Plan,
) -> Option<Finding> {
    let platform = plan.config.platform.present().first().and_then(|name| platforms::named(name))?;
    let references = platform.machine_references();
    let id = plan.identity.infra_id.as_str();
    let planned = manifests.values().filter_map(|bytes| machine(bytes));
    let planned: BTreeSet<_> = planned.flat_map(|machine| names(&machine, references, id)).collect();
    let brought = brought.manifests.expose().iter().filter_map(|(path, bytes)| Some((path, machine(bytes)?)));
    let unknown = brought.flat_map(|(path, machine)| {
        let names = names(&machine, references, id).into_iter();
        names.map(move |(reference, name)| (reference, name, path.as_str()))
    });
    let unknown: BTreeSet<(&str, String, &str)> =
        unknown.filter(|(reference, name, _)| !planned.contains(&(*reference, name.clone()))).collect();
    let (reference, name, path) = unknown.first()?;
    let known: BTreeSet<&str> =
        planned.iter().filter(|(other, _)| other == reference).map(|(_, name)| name.as_str()).collect();
    let known: Vec<&str> = known.into_iter().collect();
    let field = reference.trim_start_matches('/').replace('/', ".");
    Some(pages::other_machines(BOOTSTRAP, path, &field, name, &known, &plan.release))
}

/// The manifests that the program was given and the bootstrap machine does not bring along as they are.
pub(super) fn left_out(brought: &Files, manifests: &BTreeMap<String, Vec<u8>>, log: &str) -> Option<Finding> {
    let there = brought.manifests.expose();
    let same = |path: &String, bytes: &[u8]| {
        there
            .get(path)
            .is_some_and(|found| found == bytes || (read(found).is_some() && read(found) == read(bytes)))
    };
    let lost = manifests.iter().filter(|(path, bytes)| !same(path, bytes));
    let lost: Vec<&str> = lost.map(|(path, _)| path.as_str()).collect();
    (!lost.is_empty()).then(|| pages::left_out(BOOTSTRAP, &lost, log))
}
