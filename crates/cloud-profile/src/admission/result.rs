//! What comes of a profile of the released kind and its parent must be a cloud profile that clusters can use.

use jiff::Timestamp;
use landfall_diagnostics::shortened;

use super::{Refusal, Why, capabilities, machines, versions};
use crate::order::compare_versions;
use crate::released::capability_values;
use crate::released::lifecycle::{EXPIRED, Expirable, listed};
use crate::types::{Capabilities, CloudProfileSpec, MachineImage, Version};

/// The joined profile at this field. Its architectures are filled in, so that none is missing.
pub(super) fn check(at: &str, spec: &CloudProfileSpec, now: Timestamp, refusals: &mut Vec<Refusal>) {
    let defined = capability_values(spec);
    check_kubernetes(&format!("{at}.kubernetes.versions"), listed(spec.kubernetes.as_ref()), now, refusals);
    for (i, image) in spec.machine_images.iter().enumerate() {
        check_image(&format!("{at}.machineImages[{i}]"), image, &defined, now, refusals);
    }
    machines::check_machine_types(at, &spec.machine_types, &defined, refusals);
    machines::check_volume_types(at, &spec.volume_types, refusals);
}

fn check_kubernetes(field: &str, versions: &[Version], now: Timestamp, refusals: &mut Vec<Refusal>) {
    let newest = versions.iter().max_by(|one, other| compare_versions(&one.version, &other.version));
    let Some(newest) = newest else {
        refusals.push(Refusal::new(field, Why::Required, "there is no version of Kubernetes"));
        refusals.push(Refusal::new(
            field,
            Why::Invalid,
            "the newest version of Kubernetes cannot be determined",
        ));
        return;
    };
    let ends = newest.stages().last().is_some_and(|stage| stage.classification == EXPIRED);
    for (name, is_said) in [("expirationDate", newest.date().is_some()), ("lifecycle", ends)] {
        if is_said {
            let message = format!("`{}`, the newest version of Kubernetes, must not expire", newest.version);
            refusals.push(Refusal::new(format!("{field}[].{name}"), Why::Invalid, message));
        }
    }
    versions::check_supported(field, versions, now, refusals);
}

fn check_image(
    at: &str,
    image: &MachineImage,
    defined: &Capabilities,
    now: Timestamp,
    refusals: &mut Vec<Refusal>,
) {
    if image.update_strategy.as_deref().is_none_or(str::is_empty) {
        let message = format!("the image `{}` needs an update strategy", shortened(&image.name));
        refusals.push(Refusal::new(format!("{at}.updateStrategy"), Why::Required, message));
    }
    let field = format!("{at}.versions");
    if image.versions.is_empty() {
        let message = format!("the image `{}` needs a version", shortened(&image.name));
        refusals.push(Refusal::new(&field, Why::Required, message));
    }
    for (i, version) in image.versions.iter().enumerate() {
        let field = format!("{field}[{i}]");
        versions::check_runtimes(&field, &image.name, version, refusals);
        capabilities::check_version(&field, version, defined, refusals);
    }
    versions::check_supported(&field, &image.versions, now, refusals);
}
