//! Whether a cloud profile may be changed while profiles of the released kind and clusters build on it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Refusal;
use super::shoots::{Shoot, Worker};
use super::usage::{above, in_use, most_nodes, versions_of};
use crate::order::Entry;
use crate::released::lifecycle::listed;
use crate::released::{ARCHITECTURE, capability_values};
use crate::types::{
    CLOUD_PROFILE, Capabilities, CloudProfileSpec, MachineImage, NAMESPACED_CLOUD_PROFILE,
    NamespacedCloudProfile,
};

/// The change of a cloud profile, and what is there beside it.
#[derive(Clone, Copy, Debug)]
pub struct ParentUpdate<'a> {
    /// The name of the cloud profile.
    pub name: &'a str,
    /// Its spec before.
    pub old: &'a CloudProfileSpec,
    /// Its spec to come.
    pub new: &'a CloudProfileSpec,
    /// Profiles of the released kind; those of other parents do not count.
    pub profiles: &'a [&'a NamespacedCloudProfile],
    /// Clusters; those that refer to other profiles do not count.
    pub shoots: &'a [Shoot],
}

/// What stands against the change of a cloud profile.
#[must_use]
pub fn parent_update(update: &ParentUpdate<'_>) -> Vec<Refusal> {
    let family = Family::of(update);
    [
        in_use("spec.kubernetes.versions", family.kubernetes(update)),
        in_use("spec.machineImages", family.images(update)),
        in_use("spec.machineTypes", family.machine_types(update)),
        in_use("spec.volumeTypes", family.volume_types(update)),
        in_use("spec.regions", family.regions(update)),
        in_use("spec.machineCapabilities", family.capabilities(update)),
        in_use("spec.limits.maxNodesTotal", family.limits(update)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Whether it can matter to a change of a cloud profile who builds on it: something goes, an image comes, or
/// a limit changes.
#[must_use]
pub fn matters(old: &CloudProfileSpec, new: &CloudProfileSpec) -> bool {
    let (images, new_images) = (&old.machine_images, &new.machine_images);
    let (values, new_values) = (capability_values(old), capability_values(new));
    !removed(listed(old.kubernetes.as_ref()), listed(new.kubernetes.as_ref())).is_empty()
        || !removed(new_images, images).is_empty()
        || !removed(images, new_images).is_empty()
        || !image_versions(images).is_subset(&image_versions(new_images))
        || !removed(&old.machine_types, &new.machine_types).is_empty()
        || !removed(&old.volume_types, &new.volume_types).is_empty()
        || !removed(&old.regions, &new.regions).is_empty()
        || changed_limit(old, new).is_some()
        || each_value(&values).any(|(name, value)| !has_value(&new_values, name, value))
}

/// What builds on a cloud profile.
struct Family<'a> {
    /// The profiles that inherit from it and stay.
    children: Vec<&'a NamespacedCloudProfile>,
    /// The clusters that refer to it or to a profile that inherits from it, with that profile.
    shoots: Vec<(&'a Shoot, Option<&'a NamespacedCloudProfile>)>,
}

impl<'a> Family<'a> {
    fn of(update: &ParentUpdate<'a>) -> Self {
        let is_child = |profile: &&NamespacedCloudProfile| {
            profile.spec.parent.name == update.name && !profile.metadata.contains_key("deletionTimestamp")
        };
        let children: Vec<&NamespacedCloudProfile> =
            update.profiles.iter().copied().filter(is_child).collect();
        let named: BTreeMap<(&str, &str), &NamespacedCloudProfile> =
            children.iter().map(|child| ((child.namespace(), child.name()), *child)).collect();
        let of_family = |shoot: &'a Shoot| {
            let reference = shoot.profile.as_ref()?;
            if reference.is_to(CLOUD_PROFILE, update.name) {
                return Some((shoot, None));
            }
            let child = named.get(&(shoot.namespace.as_str(), reference.name.as_str()))?;
            (reference.kind == NAMESPACED_CLOUD_PROFILE).then_some((shoot, Some(*child)))
        };
        let shoots = update.shoots.iter().filter_map(of_family).collect();
        Self { children, shoots }
    }

    fn kubernetes(&self, update: &ParentUpdate<'_>) -> BTreeSet<String> {
        let offered = listed(update.old.kubernetes.as_ref());
        let mut uses = BTreeSet::new();
        for version in removed(offered, listed(update.new.kubernetes.as_ref())) {
            let names =
                |child: &NamespacedCloudProfile| has_key(listed(child.spec.kubernetes.as_ref()), version);
            self.note(&mut uses, &format!("`{version}`"), names, |shoot| shoot.kubernetes == version);
        }
        uses
    }

    /// Images and versions that go, and images that come under a name that a profile has given to its own.
    fn images(&self, update: &ParentUpdate<'_>) -> BTreeSet<String> {
        let (old, new) = (&update.old.machine_images, &update.new.machine_images);
        let mut uses = BTreeSet::new();
        for name in removed(old, new).into_iter().chain(removed(new, old)) {
            let names = |child: &NamespacedCloudProfile| has_key(&child.spec.machine_images, name);
            self.note(&mut uses, &format!("`{name}`"), names, |_| false);
        }
        for &(name, version) in image_versions(old).difference(&image_versions(new)) {
            let names = |child: &NamespacedCloudProfile| {
                let mut named = child.spec.machine_images.iter().flat_map(|image| versions_of(image));
                named.any(|named| named == (name, version))
            };
            let runs = |shoot: &Shoot| shoot.runs_image(name, version);
            self.note(&mut uses, &format!("`{name}` `{version}`"), names, runs);
        }
        uses
    }

    fn machine_types(&self, update: &ParentUpdate<'_>) -> BTreeSet<String> {
        let removed = removed(&update.old.machine_types, &update.new.machine_types);
        let has = |child: &NamespacedCloudProfile, name: &str| has_key(&child.spec.machine_types, name);
        self.types(&removed, has, |worker| worker.machine_type.as_deref())
    }

    fn volume_types(&self, update: &ParentUpdate<'_>) -> BTreeSet<String> {
        let removed = removed(&update.old.volume_types, &update.new.volume_types);
        let has = |child: &NamespacedCloudProfile, name: &str| has_key(&child.spec.volume_types, name);
        self.types(&removed, has, |worker| worker.volume_type.as_deref())
    }

    /// Regions that go although clusters run in them. Profiles of the released kind have none.
    fn regions(&self, update: &ParentUpdate<'_>) -> BTreeSet<String> {
        let removed = removed(&update.old.regions, &update.new.regions);
        let used = self.shoots.iter().filter(|(shoot, _)| removed.contains(shoot.region.as_str()));
        used.map(|(shoot, _)| format!("`{}` by {}", shoot.region, shoot.shown())).collect()
    }

    /// Types that go although workers use them, but for clusters whose profile has the type itself.
    fn types(
        &self,
        removed: &BTreeSet<&str>,
        has: impl Fn(&NamespacedCloudProfile, &str) -> bool,
        used: impl Fn(&Worker) -> Option<&str>,
    ) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for (shoot, child) in &self.shoots {
            for name in shoot.workers.iter().filter_map(&used).filter(|name| removed.contains(name)) {
                if child.is_none_or(|child| !has(child, name)) {
                    found.insert(format!("`{name}` by {}", shoot.shown()));
                }
            }
        }
        found
    }

    /// Values of capabilities that go, unless no profile uses another capability than the architecture.
    fn capabilities(&self, update: &ParentUpdate<'_>) -> BTreeSet<String> {
        let (old, new) = (capability_values(update.old), capability_values(update.new));
        let mut uses = BTreeSet::new();
        let mut all_are_architectures = true;
        for child in &self.children {
            let flavors = child.spec.machine_images.iter().flat_map(|image| &image.versions);
            let flavors = flavors.flat_map(|version| &version.capability_flavors);
            let machines = child.spec.machine_types.iter().map(|machine| &machine.capabilities);
            for (name, value) in flavors.chain(machines).flat_map(each_value) {
                all_are_architectures &= name == ARCHITECTURE;
                if has_value(&old, name, value) && !has_value(&new, name, value) {
                    uses.insert(format!("`{name}` `{value}` by profile `{}`", child.name()));
                }
            }
        }
        if all_are_architectures { BTreeSet::new() } else { uses }
    }

    /// Clusters that would exceed a changed limit, even if their profile sets another one.
    fn limits(&self, update: &ParentUpdate<'_>) -> BTreeSet<String> {
        let shoots = self.shoots.iter().map(|(shoot, _)| *shoot);
        changed_limit(update.old, update.new).map(|most| above(most, shoots)).unwrap_or_default()
    }

    /// Notes the profiles and the clusters that use something.
    fn note(
        &self,
        uses: &mut BTreeSet<String>,
        what: &str,
        is_named: impl Fn(&NamespacedCloudProfile) -> bool,
        is_run: impl Fn(&Shoot) -> bool,
    ) {
        let children = self.children.iter().filter(|child| is_named(child));
        uses.extend(children.map(|child| format!("{what} by profile `{}`", child.name())));
        let shoots = self.shoots.iter().filter(|(shoot, _)| is_run(shoot));
        uses.extend(shoots.map(|(shoot, _)| format!("{what} by {}", shoot.shown())));
    }
}

/// The keys of entries that go.
fn removed<'a, T: Entry>(old: &'a [T], new: &[T]) -> BTreeSet<&'a str> {
    let kept: BTreeSet<&str> = new.iter().map(Entry::key).collect();
    old.iter().map(Entry::key).filter(|key| !kept.contains(key)).collect()
}

/// The versions of all images, each with the image's name.
fn image_versions(images: &[Arc<MachineImage>]) -> BTreeSet<(&str, &str)> {
    images.iter().flat_map(|image| versions_of(image)).collect()
}

/// The most nodes that a cluster may have, where that is another number than before.
fn changed_limit(old: &CloudProfileSpec, new: &CloudProfileSpec) -> Option<i64> {
    let most = most_nodes(new.limits.as_ref());
    most.filter(|_| most_nodes(old.limits.as_ref()) != most)
}

fn has_key<T: Entry>(list: &[T], key: &str) -> bool {
    list.iter().any(|entry| entry.key() == key)
}

fn each_value(capabilities: &Capabilities) -> impl Iterator<Item = (&str, &str)> {
    let values = capabilities.iter();
    values.flat_map(|(name, values)| values.iter().map(move |value| (name.as_str(), value.as_str())))
}

fn has_value(capabilities: &Capabilities, name: &str, value: &str) -> bool {
    capabilities.get(name).is_some_and(|values| values.iter().any(|one| one == value))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn child(spec: &Value) -> Value {
        json!({
            "apiVersion": "core.gardener.cloud/v1beta1",
            "kind": NAMESPACED_CLOUD_PROFILE,
            "metadata": { "name": "child", "namespace": "dev" },
            "spec": spec,
        })
    }

    fn fields(old: Value, new: Value, profile: &Value, shoot: &Value) -> serde_json::Result<Vec<String>> {
        fields_with(old, new, child(profile), shoot)
    }

    fn fields_with(old: Value, new: Value, child: Value, shoot: &Value) -> serde_json::Result<Vec<String>> {
        let profile: NamespacedCloudProfile = serde_json::from_value(child)?;
        let (old, new) = (serde_json::from_value(old)?, serde_json::from_value(new)?);
        let shoot = Shoot::of(&json!({ "metadata": { "name": "s", "namespace": "dev" }, "spec": shoot }));
        let update =
            ParentUpdate { name: "parent", old: &old, new: &new, profiles: &[&profile], shoots: &[shoot] };
        let refusals = parent_update(&update);
        assert!(refusals.is_empty() || matters(&old, &new), "{refusals:?}");
        Ok(refusals.into_iter().map(|refusal| refusal.field).collect())
    }

    #[test]
    fn who_builds_on_it_matters_where_something_goes_or_an_image_comes() -> serde_json::Result<()> {
        let old = json!({
            "kubernetes": { "versions": [{ "version": "1.2.3" }] },
            "machineImages": [{ "name": "i", "versions": [{ "version": "1" }] }],
            "machineTypes": [{ "name": "m" }],
            "volumeTypes": [{ "name": "v" }],
            "regions": [{ "name": "r" }],
            "machineCapabilities": [{ "name": "tier", "values": ["a"] }],
            "limits": { "maxNodesTotal": 2 },
        });
        let changed = |member: &str, value: Value| -> serde_json::Result<bool> {
            let mut new = old.clone();
            new[member] = value;
            Ok(matters(&serde_json::from_value(old.clone())?, &serde_json::from_value(new)?))
        };
        let image = |versions: Value| json!([{ "name": "i", "versions": versions }]);
        let grown = [
            ("kubernetes", json!({ "versions": [{ "version": "1.2.4" }, { "version": "1.2.3" }] })),
            ("machineImages", image(json!([{ "version": "2" }, { "version": "1", "cri": [] }]))),
            ("machineTypes", json!([{ "name": "m", "cpu": "2" }, { "name": "n" }])),
            ("volumeTypes", json!([{ "name": "v" }, { "name": "w" }])),
            ("machineCapabilities", json!([{ "name": "tier", "values": ["b", "a"] }])),
            ("limits", Value::Null),
            ("regions", json!([{ "name": "s" }, { "name": "r" }])),
        ];
        for (member, value) in grown {
            assert!(!changed(member, value)?, "{member}");
        }
        let shrunk = [
            ("kubernetes", json!({ "versions": [{ "version": "1.2.4" }] })),
            ("machineImages", Value::Null),
            ("machineImages", image(json!([{ "version": "2" }]))),
            ("machineImages", json!([{ "name": "i", "versions": [{ "version": "1" }] }, { "name": "j" }])),
            ("machineTypes", Value::Null),
            ("volumeTypes", json!([{ "name": "w" }])),
            ("regions", json!([{ "name": "s" }])),
            ("machineCapabilities", json!([{ "name": "tier", "values": ["b"] }])),
            ("limits", json!({ "maxNodesTotal": 3 })),
        ];
        for (member, value) in shrunk {
            assert!(changed(member, value)?, "{member}");
        }
        Ok(())
    }

    #[test]
    fn what_clusters_use_stays() -> serde_json::Result<()> {
        let old = json!({
            "kubernetes": { "versions": [{ "version": "1.2.3" }] },
            "machineImages": [{ "name": "i", "versions": [{ "version": "1" }] }],
            "machineTypes": [{ "name": "m" }],
            "volumeTypes": [{ "name": "v" }],
            "regions": [{ "name": "r" }],
        });
        let new = json!({ "limits": { "maxNodesTotal": 2 } });
        let worker = json!({
            "machine": { "type": "m", "image": { "name": "i", "version": "1" } },
            "volume": { "type": "v" },
            "minimum": 3,
        });
        let shoot = |kind: &str, name: &str| {
            json!({
                "cloudProfile": { "kind": kind, "name": name },
                "kubernetes": { "version": "1.2.3" },
                "region": "r",
                "provider": { "workers": [worker] },
            })
        };
        let plain = json!({ "parent": { "kind": CLOUD_PROFILE, "name": "parent" } });
        let mut whole = vec![
            "spec.kubernetes.versions",
            "spec.machineImages",
            "spec.machineTypes",
            "spec.volumeTypes",
            "spec.regions",
            "spec.limits.maxNodesTotal",
        ];
        let users = [(CLOUD_PROFILE, "parent"), (NAMESPACED_CLOUD_PROFILE, "child")];
        for (kind, name) in users {
            assert_eq!(fields(old.clone(), new.clone(), &plain, &shoot(kind, name))?, whole, "{kind}");
        }
        let other = shoot(CLOUD_PROFILE, "other");
        assert!(fields(old.clone(), new.clone(), &plain, &other)?.is_empty());
        let own = json!({
            "parent": { "kind": CLOUD_PROFILE, "name": "parent" },
            "machineTypes": [{ "name": "m" }],
            "limits": { "maxNodesTotal": 9 },
        });
        whole.retain(|field| *field != "spec.machineTypes");
        let users = shoot(NAMESPACED_CLOUD_PROFILE, "child");
        assert_eq!(fields(old.clone(), new.clone(), &own, &users)?, whole);
        let mut leaving = child(&own);
        leaving["metadata"]["deletionTimestamp"] = "2024-01-01T00:00:00Z".into();
        assert!(fields_with(old, new, leaving, &users)?.is_empty());
        Ok(())
    }

    #[test]
    fn capabilities_that_profiles_use_stay() -> serde_json::Result<()> {
        let defined = |values: &[&str]| {
            json!({ "machineCapabilities": [
                { "name": "architecture", "values": ["amd64"] },
                { "name": "tier", "values": values },
            ] })
        };
        let profile = |capabilities: Value| {
            json!({
                "parent": { "kind": CLOUD_PROFILE, "name": "parent" },
                "machineTypes": [{ "name": "m", "capabilities": capabilities }],
            })
        };
        let refused = |capabilities| {
            let profile = profile(capabilities);
            fields(defined(&["a", "b"]), defined(&["a"]), &profile, &Value::Null)
        };
        assert_eq!(refused(json!({ "tier": ["b"] }))?, ["spec.machineCapabilities"]);
        assert!(refused(json!({ "tier": ["a"] }))?.is_empty());
        assert!(refused(json!({ "architecture": ["amd64"] }))?.is_empty());
        Ok(())
    }
}
