//! Joins a private profile with its parent.
//!
//! Where both say something about the same thing, the parent is preferred and a conflict noted; only dates
//! are the private profile's.

use std::sync::Arc;

use super::meaning::Meaning;
use super::order::{Entry, places, settle};
use super::types::{
    CloudProfileSpec, Conflict, MachineImage, MachineImageVersion, PrivateCloudProfileSpec, Region, Version,
};

/// The reason of a conflict: the parent says something else.
pub const DIFFERS: &str = "differs";
/// The reason of a conflict: the parent has no such entry.
pub const NOT_IN_PARENT: &str = "not-in-parent";

/// A private profile joined with its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    /// What clusters may use.
    pub spec: CloudProfileSpec,
    /// Where the private profile says something else than its parent.
    pub conflicts: Vec<Conflict>,
}

/// Joins a private profile with its parent.
#[must_use]
pub fn render(parent: &CloudProfileSpec, private: &PrivateCloudProfileSpec) -> Rendered {
    let mut spec = parent.clone();
    let mut conflicts = Conflicts(Vec::new());
    if let Some(kubernetes) = &private.kubernetes {
        let own = spec.kubernetes.as_mut().map(|own| own.versions.as_mut_slice());
        date_versions(own.unwrap_or_default(), &kubernetes.versions, &mut conflicts);
    }
    join(&mut spec.machine_images, &private.machine_images, |own, entry| {
        join_image(Arc::make_mut(own), entry, &mut conflicts);
    });
    join(&mut spec.machine_types, &private.machine_types, |own, entry| {
        conflicts.unless(own.same(entry), || format!("spec.machineTypes[{}]", entry.name));
    });
    join(&mut spec.volume_types, &private.volume_types, |own, entry| {
        conflicts.unless(own.same(entry), || format!("spec.volumeTypes[{}]", entry.name));
    });
    join(&mut spec.regions, &private.regions, |own, entry| {
        join_region(Arc::make_mut(own), entry, &mut conflicts);
    });
    append_bundle(&mut spec.ca_bundle, private.ca_bundle.as_deref().unwrap_or_default());
    if let Some(most) = private.limits.as_ref().and_then(|limits| limits.max_nodes_total) {
        let own = *spec.limits.get_or_insert_default().max_nodes_total.get_or_insert(most);
        conflicts.unless(own == most, || "spec.limits.maxNodesTotal".to_owned());
    }
    Rendered { spec, conflicts: conflicts.0 }
}

/// The conflicts found so far.
struct Conflicts(Vec<Conflict>);

impl Conflicts {
    /// Notes that the parent says something else at `path`, unless that is `fine`.
    fn unless(&mut self, fine: bool, path: impl FnOnce() -> String) {
        if !fine {
            self.push(path(), DIFFERS, "the parent says something else, which stays");
        }
    }

    fn push(&mut self, path: String, reason: &str, message: &str) {
        self.0.push(Conflict { path, reason: reason.to_owned(), message: message.to_owned() });
    }
}

/// Adds the entries that are new to a list where they belong, and has the others joined with its own.
fn join<T: Entry + Clone>(list: &mut Vec<T>, entries: &[T], mut known: impl FnMut(&mut T, &T)) {
    let inherited = list.len();
    for (entry, at) in entries.iter().zip(places(list, entries)) {
        match list.get_mut(at) {
            Some(own) => known(own, entry),
            None => list.push(entry.clone()),
        }
    }
    settle(list, inherited);
}

/// Gives the versions that the parent has the dates of the private profile.
fn date_versions(own: &mut [Version], entries: &[Version], conflicts: &mut Conflicts) {
    for (entry, at) in entries.iter().zip(places(own, entries)) {
        let path = || format!("spec.kubernetes.versions[{}]", entry.version);
        let Some(own) = own.get_mut(at) else {
            conflicts.push(path(), NOT_IN_PARENT, "the parent has no such version, and it is left out");
            continue;
        };
        take_date(&mut own.expiration_date, entry.expiration_date.as_ref());
        conflicts.unless(agrees(&own.classification, &entry.classification), || path() + ".classification");
        conflicts.unless(agrees(&own.lifecycle, &entry.lifecycle), || path() + ".lifecycle");
    }
}

fn join_image(own: &mut MachineImage, entry: &MachineImage, conflicts: &mut Conflicts) {
    let path = || format!("spec.machineImages[{}]", entry.name);
    let strategy = take(&mut own.update_strategy, &entry.update_strategy);
    conflicts.unless(strategy, || path() + ".updateStrategy");
    join(&mut own.versions, &entry.versions, |own, entry| {
        take_date(&mut own.expiration_date, entry.expiration_date.as_ref());
        conflicts
            .unless(image_version_agrees(own, entry), || format!("{}.versions[{}]", path(), entry.version));
    });
}

/// Whether a version of an image says nothing, but for its date, that the parent does not.
fn image_version_agrees(own: &MachineImageVersion, entry: &MachineImageVersion) -> bool {
    agrees(&own.classification, &entry.classification)
        && agrees(&own.lifecycle, &entry.lifecycle)
        && agrees(&own.cri, &entry.cri)
        && agrees(&own.architectures, &entry.architectures)
        && agrees(&own.kubelet_version_constraint, &entry.kubelet_version_constraint)
        && agrees(&own.in_place_updates, &entry.in_place_updates)
        && agrees(&own.capability_flavors, &entry.capability_flavors)
}

fn join_region(own: &mut Region, entry: &Region, conflicts: &mut Conflicts) {
    let path = || format!("spec.regions[{}]", entry.name);
    join(&mut own.zones, &entry.zones, |own, entry| {
        conflicts.unless(own.same(entry), || format!("{}.zones[{}]", path(), entry.name));
    });
    let labels = take(&mut own.labels, &entry.labels);
    conflicts.unless(labels, || path() + ".labels");
    let restrictions = take(&mut own.access_restrictions, &entry.access_restrictions);
    conflicts.unless(restrictions, || path() + ".accessRestrictions");
}

/// Whether nothing is given, or what the parent has.
fn agrees<T: Meaning + Default>(own: &T, given: &T) -> bool {
    given.is_blank() || given.same(own)
}

/// Takes what is given where the parent has nothing; whether they agree then.
fn take<T: Meaning + Default + Clone>(own: &mut T, given: &T) -> bool {
    if own.is_blank() && !given.is_blank() {
        own.clone_from(given);
    }
    agrees(own, given)
}

fn take_date(own: &mut Option<String>, given: Option<&String>) {
    if let Some(date) = given.filter(|date| !date.is_empty()) {
        *own = Some(date.clone());
    }
}

/// Puts further certificates after those of the parent, on a line of their own.
pub(super) fn append_bundle(own: &mut Option<String>, more: &str) {
    if more.is_empty() {
        return;
    }
    let bundle = own.get_or_insert_default();
    if !bundle.is_empty() && !bundle.ends_with('\n') {
        bundle.push('\n');
    }
    bundle.push_str(more);
}

#[cfg(test)]
mod tests;
