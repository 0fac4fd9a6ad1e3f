//! Capabilities of machine types and of image versions, beside those that a cloud profile defines. One that defines
//! none is not looked at.

use landfall_diagnostics::shortened;

use super::{Refusal, Why};
use crate::released::{ARCHITECTURE, architectures};
use crate::types::{Capabilities, MachineImageVersion, MachineType};

/// The capabilities of a machine type at `at`: one architecture at most, which is the given one.
pub(super) fn check_machine(
    at: &str,
    machine: &MachineType,
    defined: &Capabilities,
    refusals: &mut Vec<Refusal>,
) {
    if defined.is_empty() {
        return;
    }
    let field = format!("{at}.capabilities");
    match (named(&machine.capabilities), machine.architecture.as_deref().unwrap_or_default()) {
        ([_, _, ..], _) => {
            let message = "a machine type has one architecture";
            refusals.push(Refusal::new(format!("{field}.{ARCHITECTURE}"), Why::Invalid, message));
        }
        ([one], given) if !given.is_empty() && given != one => {
            let (given, one) = (shortened(given), shortened(one));
            let message = format!("`{given}` differs from the architecture of the capabilities, `{one}`");
            refusals.push(Refusal::new(format!("{at}.architecture"), Why::Invalid, message));
        }
        _ => {}
    }
    check_values(&field, &machine.capabilities, defined, refusals);
}

/// The flavors and architectures of an image version at `at`: each flavor has one architecture, which can only be left
/// out if there is a single one.
pub(super) fn check_version(
    at: &str,
    version: &MachineImageVersion,
    defined: &Capabilities,
    refusals: &mut Vec<Refusal>,
) {
    if defined.is_empty() {
        return;
    }
    let (known, flavors) = (named(defined), &version.capability_flavors);
    let field = format!("{at}.capabilityFlavors");
    if known.len() > 1 && flavors.is_empty() {
        let message = "a flavor must be given: the cloud profile defines several architectures";
        refusals.push(Refusal::new(field, Why::Required, message));
        return;
    }
    for (i, flavor) in flavors.iter().enumerate() {
        let field = format!("{field}[{i}]");
        let (why, message) = match named(flavor) {
            [] if known.len() > 1 => {
                (Some(Why::Required), "must be given: the cloud profile defines several architectures")
            }
            [_, _, ..] => (Some(Why::Invalid), "a flavor has one architecture"),
            _ => (None, ""),
        };
        refusals.extend(why.map(|why| Refusal::new(format!("{field}.{ARCHITECTURE}"), why, message)));
        check_values(&field, flavor, defined, refusals);
    }
    let mut covered = architectures(flavors, &[]);
    if covered.is_empty() && known.len() == 1 {
        covered = known.to_vec();
    }
    let field = format!("{at}.architectures");
    if version.architectures.iter().any(|one| !covered.contains(one)) {
        let message = format!("the architectures of the flavors are others: {}", covered.join(", "));
        refusals.push(Refusal::new(&field, Why::Invalid, message));
    }
    check_listed(&field, &version.architectures, known, refusals);
}

/// The architectures among capabilities.
fn named(capabilities: &Capabilities) -> &[String] {
    capabilities.get(ARCHITECTURE).map(Vec::as_slice).unwrap_or_default()
}

/// Refuses capabilities and values at `at` that are not defined.
fn check_values(at: &str, given: &Capabilities, defined: &Capabilities, refusals: &mut Vec<Refusal>) {
    for (name, values) in given {
        if let Some(known) = defined.get(name) {
            check_listed(&format!("{at}.{name}"), values, known, refusals);
        } else {
            let message = format!("the cloud profile defines no capability `{}`", shortened(name));
            refusals.push(Refusal::new(at, Why::NotSupported, message));
        }
    }
}

/// Refuses values of a list that are not known.
fn check_listed(at: &str, values: &[String], known: &[String], refusals: &mut Vec<Refusal>) {
    for (i, value) in values.iter().enumerate().filter(|(_, value)| !known.contains(value)) {
        let message =
            format!("the cloud profile does not define `{}`: {}", shortened(value), known.join(", "));
        refusals.push(Refusal::new(format!("{at}[{i}]"), Why::NotSupported, message));
    }
}
