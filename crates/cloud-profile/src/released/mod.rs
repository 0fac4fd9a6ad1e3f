//! Profiles of the released kind, `NamespacedCloudProfile`: what is filled in, stored and rendered of them.
//!
//! Where the released program does what helps nobody, this one does not follow: bundles are joined with a
//! line feed between them, an entry without a date leaves the parent's, the life of a version is prolonged
//! where the parent gives it in stages, and architectures stand in the order of the input.

mod capabilities;
mod images;
pub(super) mod lifecycle;
mod render;
mod stored;

pub(super) use capabilities::{ARCHITECTURE, architectures, in_form, values as capability_values};
pub use render::render;
pub use stored::{amendments, stored};

use std::sync::Arc;

use super::types::NamespacedCloudProfileSpec;

/// The profile with what it leaves open filled in: machine and volume types are usable.
#[must_use]
pub fn default(profile: &NamespacedCloudProfileSpec) -> NamespacedCloudProfileSpec {
    let mut profile = profile.clone();
    for machine in &mut profile.machine_types {
        Arc::make_mut(machine).usable.get_or_insert(true);
    }
    for volume in &mut profile.volume_types {
        Arc::make_mut(volume).usable.get_or_insert(true);
    }
    profile
}
