//! Types of machines and of volumes.

use std::collections::BTreeSet;
use std::sync::Arc;

use landfall_diagnostics::shortened;

use super::{Refusal, Why, capabilities, names, versions};
use crate::quantity::Quantity;
use crate::types::{Capabilities, MachineType, Storage, VolumeType};

/// Types of machines below `at`, each once, with capabilities among the `defined` ones if there are any.
pub(super) fn check_machine_types(
    at: &str,
    types: &[Arc<MachineType>],
    defined: &Capabilities,
    refusals: &mut Vec<Refusal>,
) {
    let mut seen = BTreeSet::new();
    for (i, machine) in types.iter().enumerate() {
        let at = format!("{at}.machineTypes[{i}]");
        check_name(&at, &machine.name, &mut seen, refusals);
        check_quantity(&at, "cpu", machine.cpu.as_ref(), refusals);
        check_quantity(&at, "gpu", machine.gpu.as_ref(), refusals);
        check_quantity(&at, "memory", machine.memory.as_ref(), refusals);
        if let Some(storage) = &machine.storage {
            check_storage(&format!("{at}.storage"), storage, refusals);
        }
        if let Some(architecture) = &machine.architecture {
            versions::check_architecture(format!("{at}.architecture"), architecture, refusals);
        }
        capabilities::check_machine(&at, machine, defined, refusals);
    }
}

/// Types of volumes below `at`, each once.
pub(super) fn check_volume_types(at: &str, types: &[Arc<VolumeType>], refusals: &mut Vec<Refusal>) {
    let mut seen = BTreeSet::new();
    for (i, volume) in types.iter().enumerate() {
        let at = format!("{at}.volumeTypes[{i}]");
        check_name(&at, &volume.name, &mut seen, refusals);
        names::check(&format!("{at}.class"), &volume.class, refusals);
        check_quantity(&at, "minSize", volume.min_size.as_ref(), refusals);
    }
}

/// A name that none of the `seen` ones is.
fn check_name<'a>(at: &str, name: &'a str, seen: &mut BTreeSet<&'a str>, refusals: &mut Vec<Refusal>) {
    let field = format!("{at}.name");
    names::check(&field, name, refusals);
    if !name.is_empty() && !seen.insert(name) {
        refusals.push(Refusal::new(field, Why::Duplicate, format!("`{}` is listed twice", shortened(name))));
    }
}

/// The size of a disk is fixed or has a least value.
fn check_storage(at: &str, storage: &Storage, refusals: &mut Vec<Refusal>) {
    match (&storage.size, &storage.min_size) {
        (None, None) => {
            let message = "neither `size` nor `minSize` is given; one of them is needed";
            refusals.push(Refusal::new(at, Why::Invalid, message));
        }
        (Some(_), Some(_)) => {
            let message = "`size` and `minSize` are both given; only one of them can be";
            refusals.push(Refusal::new(at, Why::Invalid, message));
        }
        (size, least) => {
            check_quantity(at, "size", size.as_ref(), refusals);
            check_quantity(at, "minSize", least.as_ref(), refusals);
        }
    }
}

fn check_quantity(at: &str, name: &str, quantity: Option<&Quantity>, refusals: &mut Vec<Refusal>) {
    let Some(quantity) = quantity else { return };
    let text = shortened(quantity.as_str());
    let message = match quantity.billionths() {
        Some(0..) => return,
        Some(_) => format!("`{text}` is less than 0"),
        None => format!("`{text}` is not a quantity such as 8Gi or 500m"),
    };
    refusals.push(Refusal::new(format!("{at}.{name}"), Why::Invalid, message));
}
