//! What a profile of the released kind may say of versions and images that its parent has, and must say of
//! its own.

use jiff::Timestamp;

use super::versions::{check_runtimes, check_supported, not_in_parent, without_date};
use super::{Refusal, Why, capabilities};
use crate::equivalence::Meaning;
use crate::instant::instant;
use crate::order::{Entry, places};
use crate::released::capability_values;
use crate::released::lifecycle::{Expirable, listed};
use crate::types::{
    Capabilities, CloudProfileSpec, MachineImage, MachineImageVersion, NamespacedCloudProfileSpec,
};

/// The existing profile.
pub(super) struct Old {
    /// Its spec, in the form of the parent.
    pub(super) spec: NamespacedCloudProfileSpec,
    /// What was rendered of it.
    pub(super) shown: CloudProfileSpec,
}

/// The spec, in the form of its parent, beside it. A fault of a version of Kubernetes ends the check.
pub(super) fn check(
    parent: &CloudProfileSpec,
    spec: &NamespacedCloudProfileSpec,
    old: Option<&Old>,
    now: Timestamp,
    refusals: &mut Vec<Refusal>,
) {
    if let Some(refusal) = kubernetes_fault(parent, spec, old, now) {
        refusals.push(refusal);
        return;
    }
    let defined = capability_values(parent);
    let images = &spec.machine_images;
    for (i, (at, image)) in places(&parent.machine_images, images).into_iter().zip(images).enumerate() {
        let field = format!("spec.machineImages[{i}]");
        match parent.machine_images.get(at) {
            Some(offered) => {
                let known = KnownImage {
                    offered: &offered.versions,
                    old: old.and_then(|old| named(&old.spec.machine_images, &image.name)).map(AsRef::as_ref),
                    shown: old.map(|old| {
                        let shown = named(&old.shown.machine_images, &image.name);
                        shown.map(|shown| shown.versions.as_slice()).unwrap_or_default()
                    }),
                    defined: &defined,
                    now,
                };
                known.check(&field, image, refusals);
            }
            None => check_own_image(&field, image, &defined, now, refusals),
        }
    }
}

fn named<'a, T: Entry>(list: &'a [T], key: &str) -> Option<&'a T> {
    list.iter().find(|entry| entry.key() == key)
}

/// The first version of Kubernetes that cannot be as it is said.
fn kubernetes_fault(
    parent: &CloudProfileSpec,
    spec: &NamespacedCloudProfileSpec,
    old: Option<&Old>,
    now: Timestamp,
) -> Option<Refusal> {
    let versions = listed(spec.kubernetes.as_ref());
    let offered = listed(parent.kubernetes.as_ref());
    let shown = old.map(|old| listed(old.shown.kubernetes.as_ref()));
    places(offered, versions).into_iter().zip(versions).enumerate().find_map(|(i, (at, version))| {
        let field = format!("spec.kubernetes.versions[{i}]");
        if at >= offered.len() {
            return Some(not_in_parent(field, &version.version));
        }
        if version.expiration_date.is_none() {
            return Some(without_date(&field));
        }
        is_newly_past(version, named(shown?, &version.version), now).then(|| in_past(&field))
    })
}

/// An image of a profile that its parent has, too.
struct KnownImage<'a> {
    /// The versions that the parent has.
    offered: &'a [MachineImageVersion],
    /// The image as the profile that stands names it.
    old: Option<&'a MachineImage>,
    /// What was rendered of its versions, if the profile is there already.
    shown: Option<&'a [MachineImageVersion]>,
    /// The capabilities that the parent defines.
    defined: &'a Capabilities,
    now: Timestamp,
}

impl KnownImage<'_> {
    fn check(&self, field: &str, image: &MachineImage, refusals: &mut Vec<Refusal>) {
        if self.old.is_some_and(|old| !old.update_strategy.same(&image.update_strategy)) {
            let message = "the parent has this image by now, so that its strategy cannot be changed here";
            refusals.push(Refusal::new(format!("{field}.updateStrategy"), Why::Forbidden, message));
        }
        let versions = &image.versions;
        for (i, (at, version)) in places(self.offered, versions).into_iter().zip(versions).enumerate() {
            let field = format!("{field}.versions[{i}]");
            if at < self.offered.len() {
                self.check_version(&field, version, refusals);
            } else {
                capabilities::check_version(&field, version, self.defined, refusals);
            }
        }
    }

    /// A version that the parent has can only be given another date, unless it was the profile's before.
    fn check_version(&self, field: &str, version: &MachineImageVersion, refusals: &mut Vec<Refusal>) {
        match self.old.and_then(|old| named(&old.versions, &version.version)) {
            Some(old) => {
                let redated =
                    MachineImageVersion { expiration_date: version.expiration_date.clone(), ..old.clone() };
                if !redated.same(version) {
                    let message = "the parent has this version by now, so that only its date can be changed";
                    refusals.push(Refusal::new(field, Why::Forbidden, message));
                }
            }
            None => check_override(field, version, refusals),
        }
        if let Some(shown) = self.shown
            && is_newly_past(version, named(shown, &version.version), self.now)
        {
            refusals.push(in_past(field));
        }
    }
}

/// A version of the parent that is named for the first time: a date and nothing else.
fn check_override(field: &str, version: &MachineImageVersion, refusals: &mut Vec<Refusal>) {
    let given = [
        ("classification", !version.classification.is_blank()),
        ("cri", !version.cri.is_empty()),
        ("architectures", !version.architectures.is_empty()),
        ("capabilityFlavors", !version.capability_flavors.is_empty()),
        ("kubeletVersionConstraint", !version.kubelet_version_constraint.is_blank()),
        ("inPlaceUpdates", version.in_place_updates.is_some()),
    ];
    for (name, _) in given.into_iter().filter(|(_, given)| *given) {
        let message = "a version that the parent has can only be given another date";
        refusals.push(Refusal::new(format!("{field}.{name}"), Why::Forbidden, message));
    }
    if version.expiration_date.is_none() {
        refusals.push(without_date(field));
    }
}

/// An image that the parent lacks must be whole.
fn check_own_image(
    field: &str,
    image: &MachineImage,
    defined: &Capabilities,
    now: Timestamp,
    refusals: &mut Vec<Refusal>,
) {
    let field = format!("{field}.versions");
    let required = |field: String| {
        Refusal::new(field, Why::Required, "an image that the parent does not have must have this")
    };
    for (i, version) in image.versions.iter().enumerate() {
        let field = format!("{field}[{i}]");
        check_runtimes(&field, &image.name, version, refusals);
        if version.architectures.is_empty() && defined.is_empty() {
            refusals.push(required(format!("{field}.architectures")));
        }
        capabilities::check_version(&field, version, defined, refusals);
    }
    check_supported(&field, &image.versions, now, refusals);
    if image.versions.is_empty() {
        refusals.push(required(field));
    }
}

/// Whether a version is expired by a date that was not rendered before.
fn is_newly_past<T: Expirable>(version: &T, shown: Option<&T>, now: Timestamp) -> bool {
    let date = |version: &T| version.date().and_then(instant);
    version.is_expired(now) && shown.is_none_or(|shown| date(shown) != date(version))
}

fn in_past(version: &str) -> Refusal {
    let message = "the date has passed; a version can only be given one that is still to come";
    Refusal::new(format!("{version}.expirationDate"), Why::InPast, message)
}
