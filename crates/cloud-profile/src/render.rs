//! Joins a private profile with its parent.
//!
//! Where both say something about the same thing, the parent is preferred and a conflict noted; only dates
//! are the private profile's.

use std::sync::Arc;

use super::equivalence::Meaning;
use super::order::{Entry, places, settle};
use super::released::lifecycle::prolong;
use super::types::{
    CloudProfileSpec, Conflict, LifecycleStage, MachineImage, MachineImageVersion, MachineType,
    PrivateCloudProfileSpec, Region, Version, VolumeType, Zone,
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
        let path = || format!("spec.machineTypes[{}]", entry.name);
        conflicts.unless(own.same(entry), path, || machine_type_fields(own, entry));
    });
    join(&mut spec.volume_types, &private.volume_types, |own, entry| {
        let path = || format!("spec.volumeTypes[{}]", entry.name);
        conflicts.unless(own.same(entry), path, || volume_type_fields(own, entry));
    });
    join(&mut spec.regions, &private.regions, |own, entry| {
        join_region(Arc::make_mut(own), entry, &mut conflicts);
    });
    append_bundle(&mut spec.ca_bundle, private.ca_bundle.as_deref().unwrap_or_default());
    if let Some(most) = private.limits.as_ref().and_then(|limits| limits.max_nodes_total) {
        let own = *spec.limits.get_or_insert_default().max_nodes_total.get_or_insert(most);
        conflicts.unless_field(own == most, || "spec.limits".to_owned(), "maxNodesTotal");
    }
    Rendered { spec, conflicts: conflicts.0 }
}

/// The conflicts found so far.
struct Conflicts(Vec<Conflict>);

impl Conflicts {
    /// Notes that the parent says something else of `fields` of the entry at `path`, unless all is `fine`.
    fn unless(
        &mut self,
        fine: bool,
        path: impl FnOnce() -> String,
        fields: impl FnOnce() -> Vec<&'static str>,
    ) {
        if !fine {
            let fields = fields();
            let named: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
            let message = format!("the parent has another value for {}, which is kept", named.join(", "));
            self.0.push(Conflict { path: path(), reason: DIFFERS.to_owned(), message, fields });
        }
    }

    /// The same of one field below `path`, which is a conflict of its own.
    fn unless_field(&mut self, fine: bool, path: impl FnOnce() -> String, field: &'static str) {
        self.unless(fine, || format!("{}.{field}", path()), || vec![field]);
    }

    /// Notes that the parent has no entry such as the one at `path`.
    fn lacking(&mut self, path: String) {
        let message = "the parent does not have this version; it is left out".to_owned();
        self.0.push(Conflict { path, reason: NOT_IN_PARENT.to_owned(), message, fields: Vec::new() });
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
            conflicts.lacking(path());
            continue;
        };
        conflicts.unless_field(agrees(&own.classification, &entry.classification), path, "classification");
        conflicts.unless_field(agrees(&own.lifecycle, &entry.lifecycle), path, "lifecycle");
        // Only now, since the date may change the stages that are compared.
        take_date(&mut own.expiration_date, &mut own.lifecycle, entry.expiration_date.as_ref());
    }
}

fn join_image(own: &mut MachineImage, entry: &MachineImage, conflicts: &mut Conflicts) {
    let path = || format!("spec.machineImages[{}]", entry.name);
    let strategy = take(&mut own.update_strategy, &entry.update_strategy);
    conflicts.unless_field(strategy, path, "updateStrategy");
    join(&mut own.versions, &entry.versions, |own, entry| {
        let fields = image_version_fields(own, entry);
        take_date(&mut own.expiration_date, &mut own.lifecycle, entry.expiration_date.as_ref());
        let path = || format!("{}.versions[{}]", path(), entry.version);
        conflicts.unless(fields.is_empty(), path, || fields);
    });
}

/// What of a version of an image, but for its date, the parent says otherwise.
fn image_version_fields(own: &MachineImageVersion, entry: &MachineImageVersion) -> Vec<&'static str> {
    differing([
        ("classification", agrees(&own.classification, &entry.classification)),
        ("lifecycle", agrees(&own.lifecycle, &entry.lifecycle)),
        ("cri", agrees(&own.cri, &entry.cri)),
        ("architectures", agrees(&own.architectures, &entry.architectures)),
        (
            "kubeletVersionConstraint",
            agrees(&own.kubelet_version_constraint, &entry.kubelet_version_constraint),
        ),
        ("inPlaceUpdates", agrees(&own.in_place_updates, &entry.in_place_updates)),
        ("capabilityFlavors", agrees(&own.capability_flavors, &entry.capability_flavors)),
    ])
}

/// What of a machine type the parent says otherwise.
fn machine_type_fields(own: &MachineType, entry: &MachineType) -> Vec<&'static str> {
    let manager = own.machine_controller_manager.same(&entry.machine_controller_manager);
    differing([
        ("cpu", own.cpu.same(&entry.cpu)),
        ("gpu", own.gpu.same(&entry.gpu)),
        ("memory", own.memory.same(&entry.memory)),
        ("storage", own.storage.same(&entry.storage)),
        ("usable", own.usable.unwrap_or(true) == entry.usable.unwrap_or(true)),
        ("architecture", own.architecture.same(&entry.architecture)),
        ("capabilities", own.capabilities.same(&entry.capabilities)),
        ("machineControllerManager", manager),
    ])
}

/// What of a volume type the parent says otherwise.
fn volume_type_fields(own: &VolumeType, entry: &VolumeType) -> Vec<&'static str> {
    differing([
        ("class", own.class == entry.class),
        ("usable", own.usable.unwrap_or(true) == entry.usable.unwrap_or(true)),
        ("minSize", own.min_size.same(&entry.min_size)),
    ])
}

/// What of a zone the parent says otherwise.
fn zone_fields(own: &Zone, entry: &Zone) -> Vec<&'static str> {
    differing([
        ("unavailableMachineTypes", own.unavailable_machine_types == entry.unavailable_machine_types),
        ("unavailableVolumeTypes", own.unavailable_volume_types == entry.unavailable_volume_types),
    ])
}

/// The names of the fields that are not the same.
fn differing<const N: usize>(fields: [(&'static str, bool); N]) -> Vec<&'static str> {
    fields.into_iter().filter(|(_, same)| !same).map(|(name, _)| name).collect()
}

fn join_region(own: &mut Region, entry: &Region, conflicts: &mut Conflicts) {
    let path = || format!("spec.regions[{}]", entry.name);
    join(&mut own.zones, &entry.zones, |own, entry| {
        let path = || format!("{}.zones[{}]", path(), entry.name);
        conflicts.unless(own.same(entry), path, || zone_fields(own, entry));
    });
    // A label without a value is a label.
    if own.labels.is_empty() {
        own.labels.clone_from(&entry.labels);
    }
    let labels = entry.labels.is_empty() || own.labels == entry.labels;
    conflicts.unless_field(labels, path, "labels");
    let restrictions = take(&mut own.access_restrictions, &entry.access_restrictions);
    conflicts.unless_field(restrictions, path, "accessRestrictions");
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

/// Has a version expire on the date that is given: by its own date, or by its stages where it has them.
fn take_date(own: &mut Option<String>, stages: &mut Vec<LifecycleStage>, given: Option<&String>) {
    prolong(own, stages, given.filter(|date| !date.is_empty()));
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
