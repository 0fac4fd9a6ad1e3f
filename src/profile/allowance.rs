//! What a cloud profile lets an installation use.

use std::sync::Arc;

use super::check::pages;
use super::document::Document;
use super::quantity::Quantity;
use super::types::{
    CLOUD_PROFILE, CloudProfileSpec, MachineType, NAMESPACED_CLOUD_PROFILE, PRIVATE_CLOUD_PROFILE, Region,
    Zone,
};
use crate::catalogue::{Allowance, AllowedRegion, AllowedType, AllowedZone, PLATFORMS};
use crate::finding::{Finding, Kind, shortened};

/// The kinds of profiles that say what may be used, each with where it says so.
const KINDS: &[(&str, &str)] = &[
    (CLOUD_PROFILE, "spec"),
    (PRIVATE_CLOUD_PROFILE, "status.cloudProfile.spec"),
    (NAMESPACED_CLOUD_PROFILE, "status.cloudProfileSpec"),
];

/// The architecture of a type that names none.
const USUAL_ARCHITECTURE: &str = "amd64";

/// What the profile of a YAML or JSON text lets an installation use: a cloud profile by itself, one that inherits by
/// its status.
///
/// # Errors
/// Everything that is wrong with the text, that the profile was not joined with its parent, or that it is for
/// another provider than landfall knows.
pub fn read(text: &str) -> Result<Allowance, Vec<Finding>> {
    let kinds: Vec<&'static str> = KINDS.iter().map(|(kind, _)| *kind).collect();
    let document = Document::read(text, &kinds)?;
    let place = KINDS.iter().find(|(kind, _)| *kind == document.kind);
    let path = place.map_or("spec", |(_, path)| *path);
    if document.kind != CLOUD_PROFILE && document.value(path).is_none() {
        return Err(not_rendered(&document));
    }
    let spec: CloudProfileSpec = document.part(path)?;
    if !PLATFORMS.contains(&spec.provider.as_str()) {
        let field = format!("{path}.type");
        let finding = Finding::not_supported(&pages::PROVIDER, field, &spec.provider, PLATFORMS);
        return Err(document.placed(vec![finding]));
    }
    Ok(allowance(document.name(), spec))
}

fn not_rendered(document: &Document) -> Vec<Finding> {
    let name = shortened(document.name());
    let message =
        format!("the {} `{name}` is not joined with its parent: its status is missing", document.kind);
    let help =
        "name the file that `landfall profile render --parent PARENT --profile PROFILE -o json` prints";
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
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn spec() -> Value {
        json!({
            "type": "aws",
            "regions": [{"name": "r", "zones": [{"name": "ra", "unavailableMachineTypes": ["a"]}]}, {"name": "s"}],
            "machineTypes": [
                {"name": "a", "cpu": "4000m", "memory": "16Gi", "gpu": "1", "architecture": "arm64"},
                {"name": "b", "cpu": 2, "usable": false, "capabilities": {"architecture": ["arm64"]}},
                {"name": "c", "architecture": ""},
            ],
        })
    }

    fn of(kind: &str, spec: &Value, status: &Value) -> Result<Allowance, Vec<&'static str>> {
        let object = json!({
            "apiVersion": "core.gardener.cloud/v1beta1",
            "kind": kind,
            "metadata": {"name": "team"},
            "spec": spec,
            "status": status,
        });
        read(&object.to_string()).map_err(|found| found.iter().map(|finding| finding.page.code).collect())
    }

    #[test]
    fn says_what_may_be_used() -> Result<(), Vec<&'static str>> {
        let allowance = of("CloudProfile", &spec(), &Value::Null)?;
        assert_eq!((allowance.profile.as_str(), allowance.platform.as_str()), ("team", "aws"));
        let regions: Vec<(&str, usize)> =
            allowance.regions.iter().map(|(name, region)| (name.as_str(), region.zones.len())).collect();
        assert_eq!(regions, [("r", 1), ("s", 0)]);
        let types: Vec<_> = allowance
            .machine_types
            .iter()
            .map(|kind| {
                (&*kind.name, kind.usable, kind.vcpus, kind.memory_mib, kind.graphics, &*kind.architecture)
            })
            .collect();
        let expected = [
            ("a", true, Some(4), Some(16_384), true, "arm64"),
            ("b", false, Some(2), None, false, "arm64"),
            ("c", true, None, None, false, "amd64"),
        ];
        assert_eq!(types, expected);
        Ok(())
    }

    #[test]
    fn of_profiles_that_inherit_the_status_counts() {
        let none = json!({"parent": "p"});
        let rendered = json!({"cloudProfile": {"spec": spec()}});
        let platform =
            |found: Result<Allowance, Vec<&'static str>>| found.map(|allowance| allowance.platform);
        assert_eq!(platform(of("PrivateCloudProfile", &none, &rendered)), Ok("aws".to_owned()));
        let rendered = json!({"cloudProfileSpec": spec()});
        assert_eq!(platform(of("NamespacedCloudProfile", &none, &rendered)), Ok("aws".to_owned()));
        for kind in ["PrivateCloudProfile", "NamespacedCloudProfile"] {
            assert_eq!(platform(of(kind, &none, &json!({}))), Err(vec!["LF1455"]));
        }
        assert_eq!(platform(of("CloudProfile", &json!({"type": "moon"}), &Value::Null)), Err(vec!["LF1456"]));
        assert_eq!(platform(of("Other", &spec(), &Value::Null)), Err(vec!["LF1450"]));
    }
}
