//! Capabilities and architectures: entries in one form become the other, whichever the parent has.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::equivalence::Meaning;
use crate::types::{
    Capabilities, CloudProfileSpec, MachineImageVersion, MachineType, NamespacedCloudProfileSpec,
};

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

/// A profile in the form that its parent uses.
pub(crate) fn in_form(
    profile: &NamespacedCloudProfileSpec,
    defined: &Capabilities,
) -> NamespacedCloudProfileSpec {
    let mut profile = profile.clone();
    for image in &mut profile.machine_images {
        for version in &mut Arc::make_mut(image).versions {
            version_in_form(version, defined);
        }
    }
    for machine in &mut profile.machine_types {
        machine_in_form(Arc::make_mut(machine), defined);
    }
    profile
}

fn version_in_form(version: &mut MachineImageVersion, defined: &Capabilities) {
    if defined.is_empty() {
        if version.architectures.is_empty() {
            version.architectures = architectures(&version.capability_flavors, &[]);
        }
        version.capability_flavors.clear();
    } else if version.capability_flavors.is_empty() {
        let flavor = |one: &String| only_architecture(one.clone());
        version.capability_flavors = version.architectures.iter().map(flavor).collect();
    }
}

fn machine_in_form(machine: &mut MachineType, defined: &Capabilities) {
    let given = machine.architecture.clone().filter(|given| !given.is_empty());
    if defined.is_empty() {
        let named = machine.capabilities.get(ARCHITECTURE).and_then(|values| values.first());
        machine.architecture = given.or_else(|| named.cloned());
        machine.capabilities.clear();
    } else if machine.capabilities.is_empty() {
        let named = match default_architectures(defined) {
            [only] => only.clone(),
            _ => given.unwrap_or_else(|| USUAL.to_owned()),
        };
        machine.capabilities = only_architecture(named);
    }
}

/// Fills in the architectures that a joined profile leaves open.
pub(super) fn fill_in(profile: &mut CloudProfileSpec, defined: &Capabilities) {
    let default = default_architectures(defined);
    for machine in profile.machine_types.iter_mut().filter(|machine| machine.architecture.is_blank()) {
        let named = machine.capabilities.get(ARCHITECTURE).map_or(default, Vec::as_slice);
        let named = only(named).to_owned();
        Arc::make_mut(machine).architecture = Some(named);
    }
    let is_open = |version: &MachineImageVersion| version.architectures.is_empty();
    let images = profile.machine_images.iter_mut().filter(|image| image.versions.iter().any(is_open));
    let versions = images.flat_map(|image| &mut Arc::make_mut(image).versions);
    for version in versions.filter(|version| is_open(version)) {
        let named = architectures(&version.capability_flavors, default);
        version.architectures = if named.is_empty() { vec![USUAL.to_owned()] } else { named };
    }
}

fn only_architecture(named: String) -> Capabilities {
    BTreeMap::from([(ARCHITECTURE.to_owned(), vec![named])])
}

/// The architectures of what does not restrict them.
fn default_architectures(defined: &Capabilities) -> &[String] {
    defined.get(ARCHITECTURE).map(Vec::as_slice).unwrap_or_default()
}

/// The only one of these architectures, or the usual one.
fn only(architectures: &[String]) -> &str {
    match architectures {
        [only] => only,
        _ => USUAL,
    }
}

/// The architectures of flavors, each once, in the order of the flavors. A flavor that names none has the default
/// ones, and so has a version without flavors.
pub(crate) fn architectures(flavors: &[Capabilities], default: &[String]) -> Vec<String> {
    if flavors.is_empty() {
        return default.to_vec();
    }
    let mut named = Vec::new();
    for one in flavors.iter().flat_map(|flavor| flavor.get(ARCHITECTURE).map_or(default, Vec::as_slice)) {
        if !named.contains(one) {
            named.push(one.clone());
        }
    }
    named
}
