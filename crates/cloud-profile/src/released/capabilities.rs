//! Capabilities and architectures: entries in one form become the other, whichever the parent has.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::types::{Capabilities, CloudProfileSpec, MachineImageVersion, MachineType};

/// The capability that the older fields tell.
pub(crate) const ARCHITECTURE: &str = "architecture";
/// What machines are where nothing is said of them.
const USUAL: &str = "amd64";

/// The capabilities that a cloud profile defines, with their values.
pub(crate) fn values(profile: &CloudProfileSpec) -> Capabilities {
    let defined = profile.machine_capabilities.as_ref().and_then(Value::as_array).into_iter().flatten();
    let texts = |values: &Value| -> Vec<String> {
        let values = values.as_array().into_iter().flatten();
        values.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    defined
        .filter_map(|one| Some((one.get("name")?.as_str()?.to_owned(), one.get("values").map(texts)?)))
        .collect()
}

/// An image version of a profile in the form that its parent uses.
pub(super) fn version_in_form(version: &MachineImageVersion, defined: &Capabilities) -> MachineImageVersion {
    let mut version = version.clone();
    if defined.is_empty() {
        let named = of_flavors(&version.capability_flavors);
        if !named.is_empty() {
            version.architectures = named;
        }
        version.capability_flavors.clear();
    } else if version.capability_flavors.is_empty() {
        let flavor = |one: &String| only_architecture(one.clone());
        version.capability_flavors = version.architectures.iter().map(flavor).collect();
    }
    version
}

/// A machine type of a profile in the form that its parent uses.
pub(super) fn machine_in_form(machine: &MachineType, defined: &Capabilities) -> MachineType {
    let mut machine = machine.clone();
    if defined.is_empty() {
        if let Some(named) = of_machine(&machine) {
            machine.architecture = Some(named);
        }
        machine.capabilities.clear();
    } else if machine.capabilities.is_empty() {
        let only: &str = match defined.get(ARCHITECTURE).map(Vec::as_slice) {
            Some([only]) => only,
            _ => USUAL,
        };
        let named = machine.architecture.clone().unwrap_or_else(|| only.to_owned());
        machine.capabilities = only_architecture(named);
    }
    machine
}

/// Fills in the architectures that a joined profile leaves open.
pub(super) fn fill_in(profile: &mut CloudProfileSpec, defined: &Capabilities) {
    for machine in profile.machine_types.iter_mut().filter(|machine| machine.architecture.is_none()) {
        let named = of_machine(machine).or_else(|| Some(USUAL.to_owned()));
        Arc::make_mut(machine).architecture = named;
    }
    let is_open = |version: &MachineImageVersion| version.architectures.is_empty();
    let images = profile.machine_images.iter_mut().filter(|image| image.versions.iter().any(is_open));
    let versions = images.flat_map(|image| &mut Arc::make_mut(image).versions);
    for version in versions.filter(|version| is_open(version)) {
        let named = of_flavors(&version.capability_flavors);
        let named =
            if named.is_empty() { defined.get(ARCHITECTURE).cloned().unwrap_or_default() } else { named };
        version.architectures = if named.is_empty() { vec![USUAL.to_owned()] } else { named };
    }
}

fn only_architecture(named: String) -> Capabilities {
    BTreeMap::from([(ARCHITECTURE.to_owned(), vec![named])])
}

fn of_machine(machine: &MachineType) -> Option<String> {
    machine.capabilities.get(ARCHITECTURE)?.first().cloned()
}

/// The architectures that flavors name, each once, in the order of the flavors.
fn of_flavors(flavors: &[Capabilities]) -> Vec<String> {
    let mut named = Vec::new();
    for one in flavors.iter().filter_map(|flavor| flavor.get(ARCHITECTURE)).flatten() {
        if !named.contains(one) {
            named.push(one.clone());
        }
    }
    named
}
