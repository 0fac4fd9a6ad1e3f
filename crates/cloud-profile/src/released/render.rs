//! A profile of the released kind, joined with its parent.

use std::sync::Arc;

use super::capabilities::{self, machine_in_form};
use super::images::lay_images;
use super::lifecycle::prolong;
use crate::order::{Entry, places};
use crate::render::append_bundle;
use crate::types::{CloudProfileSpec, MachineType, NamespacedCloudProfileSpec, Version};

/// What clusters that refer to the profile may use: the parent's offer with the profile's entries in place of
/// those of the same name, and new ones at the end.
#[must_use]
pub fn render(parent: &CloudProfileSpec, profile: &NamespacedCloudProfileSpec) -> CloudProfileSpec {
    let mut rendered = parent.clone();
    let defined = capabilities::values(parent);
    if let Some((own, entries)) = rendered.kubernetes.as_mut().zip(profile.kubernetes.as_ref()) {
        lay_dates(&mut own.versions, &entries.versions);
    }
    lay_images(&mut rendered.machine_images, &profile.machine_images, &defined);
    let in_form = |entry: &Arc<MachineType>| Arc::new(machine_in_form(entry, &defined));
    let machines = profile.machine_types.iter().map(in_form).collect();
    lay(&mut rendered.machine_types, machines, |machine, entry| *machine = entry);
    lay(&mut rendered.volume_types, profile.volume_types.clone(), |volume, entry| *volume = entry);
    append_bundle(&mut rendered.ca_bundle, profile.ca_bundle.as_deref().unwrap_or_default());
    let most = profile.limits.as_ref().and_then(|limits| limits.max_nodes_total);
    if let Some(most) = most.filter(|most| *most > 0) {
        rendered.limits.get_or_insert_default().max_nodes_total = Some(most);
    }
    capabilities::fill_in(&mut rendered, &defined);
    rendered
}

/// Gives versions of the parent the dates of a profile's entries; those that the parent lacks say nothing.
fn lay_dates(versions: &mut [Version], entries: &[Version]) {
    for (at, entry) in places(versions, entries).into_iter().zip(entries) {
        if let Some(version) = versions.get_mut(at) {
            prolong(&mut version.expiration_date, &mut version.lifecycle, entry.expiration_date.as_ref());
        }
    }
}

/// Lays entries over those with the same key, and puts new ones at the end.
pub(super) fn lay<T: Entry>(list: &mut Vec<T>, entries: Vec<T>, mut over: impl FnMut(&mut T, T)) {
    for (at, entry) in places(list, &entries).into_iter().zip(entries) {
        match list.get_mut(at) {
            Some(known) => over(known, entry),
            None => list.push(entry),
        }
    }
}
