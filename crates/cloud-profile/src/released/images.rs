//! Machine images of a profile, laid over those of its parent.

use std::sync::Arc;

use super::lifecycle::prolong;
use super::render::lay;
use crate::equivalence::Meaning;
use crate::types::{MachineImage, MachineImageVersion};

/// Lays the images of a profile over those of its parent; new ones are added at the end.
pub(super) fn lay_images(images: &mut Vec<Arc<MachineImage>>, entries: Vec<Arc<MachineImage>>) {
    lay(images, entries, |image, entry| {
        let (image, entry) = (Arc::make_mut(image), Arc::unwrap_or_clone(entry));
        if entry.update_strategy.as_ref().is_some_and(|strategy| !strategy.is_empty()) {
            image.update_strategy = entry.update_strategy;
        }
        lay(&mut image.versions, entry.versions, |version, entry| {
            if is_whole(&entry) { *version = entry } else { adjust(version, entry) }
        });
    });
}

/// Whether an entry takes the place of the parent's: it says more of the version than how long it lives.
fn is_whole(entry: &MachineImageVersion) -> bool {
    !entry.architectures.is_empty()
        || !entry.capability_flavors.is_empty()
        || !entry.cri.is_empty()
        || !entry.kubelet_version_constraint.is_blank()
        || !entry.classification.is_blank()
}

/// Gives the parent's version the life that an entry says, and whether it can be updated in place.
fn adjust(version: &mut MachineImageVersion, entry: MachineImageVersion) {
    if entry.lifecycle.is_empty() {
        prolong(&mut version.expiration_date, &mut version.lifecycle, entry.expiration_date.as_ref());
    } else {
        version.expiration_date = None;
        version.classification = None;
        version.lifecycle = entry.lifecycle;
    }
    if entry.in_place_updates.is_some() {
        version.in_place_updates = entry.in_place_updates;
    }
}
