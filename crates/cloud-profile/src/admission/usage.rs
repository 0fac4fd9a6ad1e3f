//! What the clusters that use a profile still need of it.

use std::collections::BTreeSet;

use jiff::Timestamp;
use landfall_diagnostics::few;
use serde::Deserialize;
use serde_json::Value;

use super::shoots::Shoot;
use super::{ProfileKind, Refusal, Request, Why, loss};
use crate::released::lifecycle::{Expirable, listed};
use crate::released::stored;
use crate::types::{CloudProfileSpec, Limits, MachineImage, NamespacedCloudProfileSpec};

/// What stands against a change of a profile that clusters use: they would lose versions that they run, or
/// come to stand above a limit; of a private profile, anything that they use. Of `shoots` those count that refer to
/// the profile.
#[must_use]
pub fn usage(request: &Request<'_>, shoots: &[Shoot]) -> Vec<Refusal> {
    if request.kind == ProfileKind::Private {
        return loss::losses(request, shoots);
    }
    let spec = |object: &Value| NamespacedCloudProfileSpec::deserialize(object.get("spec")?).ok();
    let (ProfileKind::Released, Some(old), Some(new), Some(parent)) =
        (request.kind, request.old.and_then(spec), spec(request.object), request.parent)
    else {
        return Vec::new();
    };
    let text = |path: &str| request.object.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let (namespace, name) = (text("/metadata/namespace"), text("/metadata/name"));
    let is_user = |shoot: &&Shoot| shoot.namespace == namespace && shoot.refers_to(request.kind.name(), name);
    let shoots: Vec<&Shoot> = shoots.iter().filter(is_user).collect();
    let change = Change { parent, new: stored(Some(&old), &new, request.now), old, now: request.now };
    [
        in_use("spec.kubernetes.versions", change.kubernetes(&shoots)),
        in_use("spec.machineImages", change.images(&shoots)),
        in_use("spec.limits.maxNodesTotal", change.limits(&shoots)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

struct Change<'a> {
    parent: &'a CloudProfileSpec,
    old: NamespacedCloudProfileSpec,
    new: NamespacedCloudProfileSpec,
    now: Timestamp,
}

impl Change<'_> {
    /// Versions that are prolonged no longer, although their time at the parent has passed.
    fn kubernetes(&self, shoots: &[&Shoot]) -> BTreeSet<String> {
        let (old, new) = (listed(self.old.kubernetes.as_ref()), listed(self.new.kubernetes.as_ref()));
        let mut uses = BTreeSet::new();
        for removed in old.iter().filter(|old| new.iter().all(|new| new.version != old.version)) {
            let offered = listed(self.parent.kubernetes.as_ref());
            let offered = offered.iter().find(|offered| offered.version == removed.version);
            if offered.is_some_and(|offered| offered.is_expired(self.now)) {
                let holders = shoots.iter().filter(|shoot| shoot.kubernetes == removed.version);
                uses.extend(holders.map(|shoot| format!("`{}` by {}", removed.version, shoot.shown())));
            }
        }
        uses
    }

    /// Image versions that go, although the parent lacks them or their time there has passed.
    fn images(&self, shoots: &[&Shoot]) -> BTreeSet<String> {
        let kept: BTreeSet<(&str, &str)> =
            self.new.machine_images.iter().flat_map(|image| versions_of(image)).collect();
        let mut uses = BTreeSet::new();
        for (image, version) in self.old.machine_images.iter().flat_map(|image| versions_of(image)) {
            let offered = self.parent.machine_images.iter().filter(|offered| offered.name == image);
            let offered = offered.flat_map(|offered| &offered.versions).find(|one| one.version == version);
            let is_offered = offered.is_some_and(|offered| !offered.is_expired(self.now));
            if !is_offered && !kept.contains(&(image, version)) {
                let holders = shoots.iter().filter(|shoot| shoot.runs_image(image, version));
                uses.extend(holders.map(|shoot| format!("`{image}` `{version}` by {}", shoot.shown())));
            }
        }
        uses
    }

    /// Clusters that would stand above a changed limit: the parent's, where the profile gives none any more.
    fn limits(&self, shoots: &[&Shoot]) -> BTreeSet<String> {
        let new = most_nodes(self.new.limits.as_ref());
        let is_changed = most_nodes(self.old.limits.as_ref()) != new;
        match new.or_else(|| most_nodes(self.parent.limits.as_ref())) {
            Some(most) if is_changed => above(most, shoots.iter().copied()),
            _ => BTreeSet::new(),
        }
    }
}

/// The most nodes that a cluster may have; zero limits nothing.
pub(super) fn most_nodes(limits: Option<&Limits>) -> Option<i64> {
    limits?.max_nodes_total.filter(|most| *most > 0)
}

/// The clusters that need more nodes than a limit allows.
pub(super) fn above<'a>(most: i64, shoots: impl Iterator<Item = &'a Shoot>) -> BTreeSet<String> {
    let above = shoots.filter(|shoot| shoot.minimum() > most);
    above.map(|shoot| format!("{} nodes by {}", shoot.minimum(), shoot.shown())).collect()
}

/// The versions of an image, each with the image's name.
pub(super) fn versions_of(image: &MachineImage) -> impl Iterator<Item = (&str, &str)> {
    image.versions.iter().map(move |version| (image.name.as_str(), version.version.as_str()))
}

/// What stands against a change of a field, if anything still uses what would go.
pub(super) fn in_use(field: &str, uses: BTreeSet<String>) -> Option<Refusal> {
    const MOST: usize = 5;
    if uses.is_empty() {
        return None;
    }
    let uses: Vec<String> = uses.into_iter().collect();
    Some(Refusal::new(field, Why::InUse, format!("still in use: {}", few(&uses, MOST))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_clusters_run_cannot_be_taken() -> serde_json::Result<()> {
        let parent: CloudProfileSpec = serde_json::from_value(json!({
            "kubernetes": { "versions": [{ "version": "1.2.3", "expirationDate": "2020-01-01T00:00:00Z" }] },
            "limits": { "maxNodesTotal": 2 },
        }))?;
        let object = |spec: Value| json!({ "metadata": { "name": "p", "namespace": "dev" }, "spec": spec });
        let date = "2030-01-01T00:00:00Z";
        let old = object(json!({
            "kubernetes": { "versions": [{ "version": "1.2.3", "expirationDate": date }] },
            "machineImages": [{ "name": "i", "versions": [{ "version": "1", "expirationDate": date }] }],
            "limits": { "maxNodesTotal": 9 },
        }));
        let new = object(json!({}));
        let shoot = |namespace: &str| {
            Shoot::of(&json!({
                "metadata": { "name": "s", "namespace": namespace },
                "spec": {
                    "cloudProfile": { "kind": "NamespacedCloudProfile", "name": "p" },
                    "kubernetes": { "version": "1.2.3" },
                    "provider": { "workers": [
                        { "machine": { "type": "m", "image": { "name": "i", "version": "1" } }, "minimum": 3 },
                    ] },
                },
            }))
        };
        let fields = |object: &Value, shoot: Shoot| -> Vec<String> {
            let now = Timestamp::UNIX_EPOCH + jiff::SignedDuration::from_hours(24 * 365 * 55);
            let kind = ProfileKind::Released;
            let request = Request { kind, object, old: Some(&old), parent: Some(&parent), now };
            usage(&request, &[shoot]).into_iter().map(|refusal| refusal.field).collect()
        };
        assert_eq!(
            fields(&new, shoot("dev")),
            ["spec.kubernetes.versions", "spec.machineImages", "spec.limits.maxNodesTotal"]
        );
        assert!(fields(&new, shoot("other")).is_empty());
        assert!(fields(&old, shoot("dev")).is_empty());
        Ok(())
    }
}
