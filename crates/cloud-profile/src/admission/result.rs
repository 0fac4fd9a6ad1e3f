//! What comes of a profile of the released kind and its parent must be a cloud profile that clusters can use.

use std::collections::BTreeMap;

use landfall_diagnostics::shortened;

use super::{Refusal, Why, machines};
use crate::order::compare_versions;
use crate::released::lifecycle::{EXPIRED, Expirable, listed};
use crate::types::{CloudProfileSpec, MachineImage, Version};

/// The class in which there is one version of each minor version.
const SUPPORTED: &str = "supported";

/// The joined profile at this field. Its architectures are filled in, so that none is missing.
pub(super) fn check(at: &str, spec: &CloudProfileSpec, refusals: &mut Vec<Refusal>) {
    check_offer(at, spec, refusals);
    machines::check_machine_types(at, &spec.machine_types, refusals);
    machines::check_volume_types(at, &spec.volume_types, refusals);
}

/// The versions of Kubernetes and of images alone.
pub(super) fn check_offer(at: &str, spec: &CloudProfileSpec, refusals: &mut Vec<Refusal>) {
    check_kubernetes(&format!("{at}.kubernetes.versions"), listed(spec.kubernetes.as_ref()), refusals);
    for (i, image) in spec.machine_images.iter().enumerate() {
        check_image(&format!("{at}.machineImages[{i}]"), image, refusals);
    }
}

fn check_kubernetes(field: &str, versions: &[Version], refusals: &mut Vec<Refusal>) {
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
    check_supported(field, versions, refusals);
}

fn check_image(at: &str, image: &MachineImage, refusals: &mut Vec<Refusal>) {
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
        if version.cri.is_empty() {
            let (name, version) = (shortened(&image.name), shortened(&version.version));
            let message = format!("the version `{version}` of the image `{name}` needs a container runtime");
            refusals.push(Refusal::new(format!("{field}[{i}].cri"), Why::Required, message));
        }
    }
    check_supported(&field, &image.versions, refusals);
}

/// Of each minor version one version at most is classified as supported.
fn check_supported<T: Expirable>(field: &str, versions: &[T], refusals: &mut Vec<Refusal>) {
    let mut minors: BTreeMap<[&str; 2], Vec<usize>> = BTreeMap::new();
    for (i, version) in versions.iter().enumerate() {
        if version.classification() == Some(SUPPORTED) {
            minors.entry(minor(version.version())).or_default().push(i);
        }
    }
    for ([major, minor], places) in minors.into_iter().filter(|(_, places)| places.len() > 1) {
        let message = format!("several versions of {major}.{minor} are classified as supported");
        let refusal =
            |i| Refusal::new(format!("{field}[{i}].classification"), Why::Forbidden, message.clone());
        refusals.extend(places.into_iter().map(refusal));
    }
}

/// The first two numbers of a version.
fn minor(version: &str) -> [&str; 2] {
    let mut numbers = version.split(['.', '-', '+']);
    [numbers.next().unwrap_or_default(), numbers.next().unwrap_or("0")]
}
