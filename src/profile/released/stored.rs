//! What is kept of a profile that is written.

use std::sync::Arc;

use jiff::Timestamp;

use super::lifecycle::{Expirable, listed};
use crate::profile::types::NamespacedCloudProfileSpec;

/// The profile as it is kept: without versions that are expired, but for those that the stored profile names
/// already. An image that says nothing then goes, too; `kubernetes` stays.
#[must_use]
pub fn stored(
    old: Option<&NamespacedCloudProfileSpec>,
    new: &NamespacedCloudProfileSpec,
    now: Timestamp,
) -> NamespacedCloudProfileSpec {
    let mut stored = new.clone();
    if let Some(kubernetes) = &mut stored.kubernetes {
        drop_expired(&mut kubernetes.versions, listed(old.and_then(|old| old.kubernetes.as_ref())), now);
    }
    for image in &mut stored.machine_images {
        let old = old.and_then(|old| old.machine_images.iter().find(|old| old.name == image.name));
        let old = old.map(|old| old.versions.as_slice()).unwrap_or_default();
        drop_expired(&mut Arc::make_mut(image).versions, old, now);
    }
    stored.machine_images.retain(|image| {
        let strategy = image.update_strategy.as_deref().unwrap_or_default();
        !image.versions.is_empty() || !strategy.is_empty()
    });
    stored
}

/// Drops expired versions that are not among the old ones.
fn drop_expired<T: Expirable>(versions: &mut Vec<T>, old: &[T], now: Timestamp) {
    versions.retain(|version| {
        !version.is_expired(now) || old.iter().any(|old| old.version() == version.version())
    });
}
