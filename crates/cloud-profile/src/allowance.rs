//! What a cloud profile lets an installation use.

use std::sync::Arc;

use landfall_diagnostics::{Finding, Kind, Severity, shortened};
use landfall_model::catalogue::{Allowance, AllowedRegion, AllowedType, AllowedZone, PLATFORMS};
use serde_json::Value;

use super::check::cloud_profile::refusals;
use super::check::members::strays;
use super::check::{pages, refused};
use super::document::Document;
use super::quantity::Quantity;
use super::status::RENDERED;
use super::types::{
    CLOUD_PROFILE, CloudProfileSpec, Condition, MachineType, NAMESPACED_CLOUD_PROFILE, PRIVATE_CLOUD_PROFILE,
    Region, Zone,
};

/// The kinds of profiles that say what may be used, each with where it says so.
const KINDS: &[(&str, &str)] = &[
    (CLOUD_PROFILE, "spec"),
    (PRIVATE_CLOUD_PROFILE, "status.cloudProfile.spec"),
    (NAMESPACED_CLOUD_PROFILE, "status.cloudProfileSpec"),
];

/// The members of a specification that say what an installation may use.
const RESTRICTING: &[&str] = &["regions", "machineTypes"];

/// What prints a profile joined with its parent.
const RENDER: &str = "landfall profile render --parent PARENT --profile PROFILE -o json";

/// The architecture of a type that names none.
const USUAL_ARCHITECTURE: &str = "amd64";

/// What the profile of a YAML or JSON text lets an installation use: a cloud profile by itself, one that inherits by
/// its status.
///
/// # Errors
/// Everything that is wrong with the text, or with what it says of regions and machine types, that the profile was
/// not joined with its parent, or that it is for another provider than landfall knows.
pub fn read(text: &str) -> Result<Allowance, Vec<Finding>> {
    let (document, path) = opened(text)?;
    if document.kind != CLOUD_PROFILE && document.value(path).is_none() {
        return Err(not_rendered(&document));
    }
    let spec: CloudProfileSpec = document.part(path)?;
    let mut faults = doubtful(&document, path);
    faults.extend(unknown(&document, path).into_iter().filter(Finding::is_error));
    if !PLATFORMS.contains(&spec.provider.as_str()) {
        let field = format!("{path}.type");
        faults.push(Finding::not_supported(&pages::PROVIDER, field, &spec.provider, PLATFORMS));
    }
    if faults.is_empty() { Ok(allowance(document.name(), spec)) } else { Err(document.placed(faults)) }
}

/// What is worth knowing of a profile that [`read`] takes: members that nobody knows, and that it may have changed
/// since it was joined with its parent.
#[must_use]
pub fn warnings(text: &str) -> Vec<Finding> {
    let Ok((document, path)) = opened(text) else {
        return Vec::new();
    };
    let mut found = unknown(&document, path);
    found.retain(|finding| !finding.is_error());
    found.extend(stale(&document));
    document.placed(found)
}

/// The profile of a text, and where it says what may be used.
fn opened(text: &str) -> Result<(Document, &'static str), Vec<Finding>> {
    let kinds: Vec<&'static str> = KINDS.iter().map(|(kind, _)| *kind).collect();
    let document = Document::read(text, &kinds)?;
    let path = KINDS.iter().find(|(kind, _)| *kind == document.kind).map_or("spec", |(_, path)| *path);
    Ok((document, path))
}

/// What admission would refuse of the regions and machine types, if a private profile said the same of them.
fn doubtful(document: &Document, path: &str) -> Vec<Finding> {
    let found = refusals(document, path, RESTRICTING, "any").into_iter();
    found.map(|refusal| refused(&pages::ENTRY, refusal)).collect()
}

/// Members that nobody knows: errors where a restriction may be meant, else warnings.
fn unknown(document: &Document, path: &str) -> Vec<Finding> {
    let nothing = Value::Null;
    let mut found = strays::<CloudProfileSpec>(path, document.value(path).unwrap_or(&nothing));
    // Fractions are for the API of a cluster to refuse.
    found.retain(|finding| finding.kind == Kind::Unknown);
    let restricting: Vec<String> = RESTRICTING.iter().map(|member| format!("{path}.{member}[")).collect();
    for finding in &mut found {
        if restricting.iter().any(|start| finding.field.starts_with(start)) {
            finding.severity = Severity::Error;
        }
    }
    found
}

/// Warnings that the status of a profile is older than the profile or its parent.
fn stale(document: &Document) -> Vec<Finding> {
    if document.kind == CLOUD_PROFILE {
        return Vec::new();
    }
    let mut found = Vec::new();
    let number = |path: &str| document.value(path).and_then(Value::as_i64);
    if let (Some(generation), Some(joined)) =
        (number("metadata.generation"), number("status.observedGeneration"))
        && (0..generation).contains(&joined)
    {
        let message = format!(
            "the profile was changed after it was merged with its parent: its generation is {generation}, \
             and its status is for {joined}"
        );
        found.push((message, "status.observedGeneration"));
    }
    let failed = |condition: &&Condition| condition.kind == RENDERED && condition.status == "False";
    let conditions: Vec<Condition> = document.part("status.conditions").unwrap_or_default();
    if let Some(condition) = conditions.iter().find(failed) {
        let message = format!(
            "the profile could not be merged with its parent ({}): its status may be out of date",
            shortened(&condition.reason)
        );
        found.push((message, "status.conditions"));
    }
    let help = format!("use the merged profile from a cluster, or the output of `{RENDER}`");
    let warning = |(message, field): (String, &str)| {
        Finding::warning(&pages::NOT_RENDERED, Kind::Invalid, field, message).help(help.clone())
    };
    found.into_iter().map(warning).collect()
}

fn not_rendered(document: &Document) -> Vec<Finding> {
    let name = shortened(document.name());
    let message =
        format!("the {} `{name}` is not merged with its parent: its status is missing", document.kind);
    let help = format!("use the output of `{RENDER}`");
    let finding = Finding::error(&pages::NOT_RENDERED, Kind::Required, "status", message).at("kind");
    document.placed(vec![finding.help(help)])
}

fn allowance(profile: &str, spec: CloudProfileSpec) -> Allowance {
    let regions = spec.regions.into_iter().map(|region| {
        let Region { name, zones, .. } = Arc::unwrap_or_clone(region);
        let zones = zones.into_iter().map(zone).collect();
        (name, AllowedRegion { zones, added: false })
    });
    Allowance {
        profile: profile.to_owned(),
        platform: spec.provider,
        regions: regions.collect(),
        machine_types: spec.machine_types.iter().map(|kind| machine_type(kind)).collect(),
    }
}

fn zone(zone: Zone) -> AllowedZone {
    AllowedZone { name: zone.name, lacking: zone.unavailable_machine_types }
}

fn machine_type(kind: &MachineType) -> AllowedType {
    let capability = || kind.capabilities.get("architecture").and_then(|values| values.first());
    let given = kind.architecture.as_ref().filter(|given| !given.is_empty());
    let architecture = given.or_else(capability);
    AllowedType {
        name: kind.name.clone(),
        usable: kind.usable.unwrap_or(true),
        vcpus: kind.cpu.as_ref().and_then(|cpu| whole(cpu, 1)),
        memory_mib: kind.memory.as_ref().and_then(|memory| whole(memory, 1 << 20)),
        graphics: kind.gpu.as_ref().and_then(Quantity::billionths).is_some_and(|number| number > 0),
        architecture: architecture.map_or_else(|| USUAL_ARCHITECTURE.to_owned(), Clone::clone),
    }
}

/// How many whole units a quantity holds.
fn whole(quantity: &Quantity, unit: i128) -> Option<u32> {
    u32::try_from(quantity.billionths()? / (1_000_000_000 * unit)).ok()
}

#[cfg(test)]
mod tests;
