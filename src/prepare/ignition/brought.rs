//! What the bootstrap machine brings along, against the manifests of the cluster.

use std::collections::{BTreeMap, BTreeSet};

use landfall_diagnostics::Finding;
use landfall_install_config::platforms;
use landfall_model::plan::{Plan, ignition_pages as pages};
use serde_json::Value;

use super::files::{BOOTSTRAP, Files};

/// Written by the program itself, with its own version.
const PROGRAMS_OWN: [&str; 1] = ["openshift/openshift-install-manifests.yaml"];

/// Where the spec of a machine lies, by the kind of its manifest, and whether it is of the control plane.
const MACHINES: [(&str, &str, bool); 3] = [
    ("Machine", "/spec", true),
    ("ControlPlaneMachineSet", "/spec/template/machines_v1beta1_machine_openshift_io/spec", true),
    ("MachineSet", "/spec/template/spec", false),
];

/// The machine of a manifest.
struct Machine {
    is_control_plane: bool,
    provider: Value,
}

fn machine(manifest: &[u8]) -> Option<Machine> {
    let text = std::str::from_utf8(manifest).ok()?;
    let value: Value = serde_saphyr::from_str(text).ok()?;
    let kind = value["kind"].as_str()?;
    let (_, spec, is_control_plane) = MACHINES.into_iter().find(|(known, ..)| *known == kind)?;
    let provider = value.pointer(spec)?.pointer("/providerSpec/value")?.clone();
    Some(Machine { is_control_plane, provider })
}

/// Whether machines that the bootstrap machine brings along look for infrastructure under other names than
/// those that the plan makes. Files without machines are of tools that make them otherwise.
pub(super) fn machines(
    brought: &Files,
    manifests: &BTreeMap<String, Vec<u8>>,
    plan: &Plan,
) -> Option<Finding> {
    let platform = plan.config.platform.present().first().and_then(|name| platforms::named(name))?;
    let references = platform.machine_references();
    let known: Vec<Machine> = manifests.values().filter_map(|bytes| machine(bytes)).collect();
    let mut different: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (path, bytes) in brought.manifests.expose() {
        let Some(found) = machine(bytes) else { continue };
        let alike = |other: &&Machine| other.is_control_plane == found.is_control_plane;
        for reference in references {
            let mut planned =
                known.iter().filter(alike).map(|other| other.provider.pointer(reference)).peekable();
            let value = found.provider.pointer(reference);
            if planned.peek().is_some() && planned.all(|other| other != value) {
                different.entry(reference.trim_start_matches('/')).or_default().insert(path);
            }
        }
    }
    let (field, paths) = different.iter().next()?;
    let fields: Vec<&str> = different.keys().copied().collect();
    let path = paths.iter().next()?;
    let values = [brought.manifests.expose().get(*path), first_like(manifests, path)].map(|bytes| {
        let found = bytes.and_then(|bytes| machine(bytes));
        found.and_then(|machine| machine.provider.pointer(&format!("/{field}")).map(Value::to_string))
    });
    let [found, wanted] = values.map(Option::unwrap_or_default);
    Some(pages::other_machines(BOOTSTRAP, path, &fields, &found, &wanted, &plan.release))
}

/// The cluster's manifest at the same path, or one of the same kind of machine.
fn first_like<'m>(manifests: &'m BTreeMap<String, Vec<u8>>, path: &str) -> Option<&'m Vec<u8>> {
    let stem = path.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c.is_ascii_alphabetic());
    manifests.get(path).or_else(|| {
        let mut all = manifests.iter();
        all.find(|(other, _)| !stem.is_empty() && other.starts_with(stem)).map(|(_, bytes)| bytes)
    })
}

/// The manifests that the program was given and the bootstrap machine does not bring along.
pub(super) fn left_out(brought: &Files, manifests: &BTreeMap<String, Vec<u8>>, log: &str) -> Option<Finding> {
    let there = brought.manifests.expose();
    let lost = manifests.keys().map(String::as_str);
    let lost: Vec<&str> =
        lost.filter(|path| !there.contains_key(*path) && !PROGRAMS_OWN.contains(path)).collect();
    (!lost.is_empty()).then(|| pages::left_out(BOOTSTRAP, &lost, log))
}
