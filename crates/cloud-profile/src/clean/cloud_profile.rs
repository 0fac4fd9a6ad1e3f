//! Removes versions from a cloud profile that have expired and that are not in use.
//!
//! Its lists are kept as they were read, since Gardener's profiles may have fields that are unknown here.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::admission::Shoot;
use crate::order::compare_versions;
use crate::released::lifecycle::{Expirable, next_end};
use crate::types::Version;

/// The versions of a cloud profile that profiles and clusters use.
#[derive(Clone, Debug, Default)]
pub struct InUse {
    kubernetes: BTreeSet<String>,
    /// The versions of each image.
    images: BTreeMap<String, BTreeSet<String>>,
}

impl InUse {
    /// Adds the versions and images that a profile names, which is of either kind that inherits.
    pub fn add_profile(&mut self, object: &Value) {
        let texts = |entry: &Value| text(entry, "version").map(str::to_owned);
        self.kubernetes.extend(list(object, "/spec/kubernetes/versions").iter().filter_map(texts));
        for image in list(object, "/spec/machineImages") {
            let Some(name) = text(image, "name") else { continue };
            let versions = self.images.entry(name.to_owned()).or_default();
            versions.extend(list(image, "/versions").iter().filter_map(texts));
        }
    }

    /// Adds the versions that a cluster runs.
    pub fn add_cluster(&mut self, cluster: &Shoot) {
        self.kubernetes.insert(cluster.kubernetes.clone());
        for (name, version) in cluster.workers.iter().filter_map(|worker| worker.image.clone()) {
            self.images.entry(name).or_default().insert(version);
        }
    }

    /// Adds the image that the bastions of a cloud profile start from.
    fn add_bastion(&mut self, spec: &Value) {
        let Some(image) = spec.pointer("/bastion/machineImage") else { return };
        if let Some(name) = text(image, "name") {
            let versions = self.images.entry(name.to_owned()).or_default();
            versions.extend(text(image, "version").map(str::to_owned));
        }
    }
}

/// A cloud profile without what has expired and is not in use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CleanedCloudProfile {
    /// The merge patch of its spec; none if nothing is removed.
    pub patch: Option<Value>,
    /// What is removed, in words such as `Kubernetes 1.28.6`.
    pub removed: Vec<String>,
    /// Whether something has expired and stays, since it is in use.
    pub is_in_use: bool,
    /// When the next version expires, if one does.
    pub next_check: Option<Timestamp>,
}

/// What is left of the spec of a cloud profile at an instant: without the versions of Kubernetes that have expired by
/// their date or their stages, and with `images` without those of machine images. What is in use stays, also by the
/// profile's bastions, as does the newest version of Kubernetes, without which the profile would be invalid. An image
/// without versions goes.
#[must_use]
pub fn clean_cloud_profile(
    spec: &Value,
    now: Timestamp,
    images: bool,
    in_use: &InUse,
) -> CleanedCloudProfile {
    let mut sweep = Sweep { now, cleaned: CleanedCloudProfile::default() };
    let mut in_use = in_use.clone();
    in_use.add_bastion(spec);
    let mut patch = Map::new();
    let versions = list(spec, "/kubernetes/versions");
    let left = sweep.left("Kubernetes", versions, true, |version| in_use.kubernetes.contains(version));
    if left.len() < versions.len() {
        patch.insert("kubernetes".to_owned(), json!({ "versions": left }));
    }
    if images {
        let all = list(spec, "/machineImages");
        let left: Vec<Value> = all.iter().filter_map(|image| sweep.image(image, &in_use)).collect();
        if left != all {
            patch.insert("machineImages".to_owned(), left.into());
        }
    }
    let patch = (!patch.is_empty()).then_some(Value::Object(patch));
    CleanedCloudProfile { patch, ..sweep.cleaned }
}

struct Sweep {
    now: Timestamp,
    cleaned: CleanedCloudProfile,
}

impl Sweep {
    /// What is left of an image; none if no version is.
    fn image(&mut self, image: &Value, in_use: &InUse) -> Option<Value> {
        let versions = list(image, "/versions");
        let name = text(image, "name").unwrap_or_default();
        let used = in_use.images.get(name);
        // A profile may add versions to an image only as long as there is one.
        let left = self
            .left(name, versions, used.is_some(), |version| used.is_some_and(|used| used.contains(version)));
        if left.len() == versions.len() {
            return Some(image.clone());
        }
        let mut image = image.clone();
        let is_left = !left.is_empty();
        if let Some(versions) = image.get_mut("versions") {
            *versions = left.into();
        }
        is_left.then_some(image)
    }

    /// The versions of `of` that stay; those that cannot be read are among them.
    fn left(
        &mut self,
        of: &str,
        versions: &[Value],
        keeps_newest: bool,
        is_used: impl Fn(&str) -> bool,
    ) -> Vec<Value> {
        let read = |version: &Value| Version::deserialize(version).ok();
        let all = versions.iter().filter_map(read).map(|version| version.version);
        let newest = all.max_by(|one, other| compare_versions(one, other)).filter(|_| keeps_newest);
        let mut left = Vec::new();
        for value in versions {
            if read(value).is_none_or(|version| self.keeps(of, &version, newest.as_deref(), &is_used)) {
                left.push(value.clone());
            }
        }
        left
    }

    fn keeps(
        &mut self,
        of: &str,
        version: &Version,
        newest: Option<&str>,
        is_used: impl Fn(&str) -> bool,
    ) -> bool {
        if !version.is_expired(self.now) {
            let next = &mut self.cleaned.next_check;
            *next = [*next, next_end(version, self.now)].into_iter().flatten().min();
            return true;
        }
        if is_used(&version.version) {
            self.cleaned.is_in_use = true;
            return true;
        }
        if newest == Some(version.version.as_str()) {
            return true;
        }
        self.cleaned.removed.push(format!("{of} {}", version.version));
        false
    }
}

fn list<'a>(value: &'a Value, path: &str) -> &'a [Value] {
    value.pointer(path).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instant::instant;

    const PAST: &str = "2020-01-01T00:00:00Z";
    const NOW: &str = "2024-06-06T01:02:03Z";
    const SOON: &str = "2024-06-07T00:00:00Z";

    fn spec() -> Value {
        let old = |version: &str| json!({ "version": version, "expirationDate": PAST, "unknown": true });
        let ended =
            json!([{ "classification": "supported" }, { "classification": "expired", "startTime": PAST }]);
        let ending =
            json!([{ "classification": "supported" }, { "classification": "expired", "startTime": SOON }]);
        json!({
            "type": "x",
            "kubernetes": { "versions": [
                { "version": "1.30.0" },
                { "version": "1.29.0", "expirationDate": "2024-06-08T00:00:00Z", "unknown": true },
                { "version": "1.28.0", "lifecycle": ending },
                { "version": "1.27.0", "lifecycle": ended },
                old("1.26.0"),
                { "version": 7, "expirationDate": PAST },
            ] },
            "machineImages": [
                { "name": "a", "unknown": true, "versions": [{ "version": "2" }, old("1")] },
                { "name": "b", "updateStrategy": "minor", "versions": [old("2"), old("1")] },
                { "name": "c", "versions": [] },
            ],
        })
    }

    fn cleaned(spec: &Value, images: bool, in_use: &InUse) -> Option<(Value, CleanedCloudProfile)> {
        let cleaned = clean_cloud_profile(spec, instant(NOW)?, images, in_use);
        let mut left = spec.clone();
        for (name, value) in cleaned.patch.iter().filter_map(Value::as_object).flatten() {
            left[name] = value.clone();
        }
        Some((left, cleaned))
    }

    #[test]
    fn what_has_expired_and_is_not_in_use_goes() {
        let mut wanted = spec();
        if let Some(versions) = wanted["kubernetes"]["versions"].as_array_mut() {
            versions.retain(|one| one["version"] != "1.27.0" && one["version"] != "1.26.0");
        }
        let removed = |images: &[&str]| {
            let all = ["Kubernetes 1.27.0", "Kubernetes 1.26.0"].iter().chain(images);
            all.map(|&one| one.to_owned()).collect::<Vec<_>>()
        };
        let left = cleaned(&spec(), false, &InUse::default());
        let kept = left.as_ref().map(|(left, cleaned)| (left, cleaned.removed.clone()));
        assert_eq!(kept, Some((&wanted, removed(&[]))));
        let next = left.and_then(|(_, cleaned)| Some((cleaned.next_check?.to_string(), cleaned.is_in_use)));
        assert_eq!(next, Some((SOON.to_owned(), false)), "the end of the stages comes first");
        // With images, too.
        wanted["machineImages"] = json!([
            { "name": "a", "unknown": true, "versions": [{ "version": "2" }] },
            { "name": "c", "versions": [] },
        ]);
        let left = cleaned(&spec(), true, &InUse::default()).map(|(left, cleaned)| (left, cleaned.removed));
        assert_eq!(left, Some((wanted.clone(), removed(&["a 1", "b 2", "b 1"]))));
        // And then there is nothing left to do.
        let again = cleaned(&wanted, true, &InUse::default()).map(|(_, cleaned)| cleaned.patch);
        assert_eq!(again, Some(None));
    }

    #[test]
    fn what_profiles_and_clusters_use_stays() {
        let mut in_use = InUse::default();
        in_use.add_profile(&json!({ "spec": {
            "kubernetes": { "versions": [{ "version": "1.27.0" }] },
            "machineImages": [{ "name": "b", "versions": [{ "version": "1" }] }],
        } }));
        in_use.add_cluster(&Shoot::of(&json!({ "spec": {
            "kubernetes": { "version": "1.26.0" },
            "provider": { "workers": [{ "machine": { "image": { "name": "a", "version": "1" } } }] },
        } })));
        let left = cleaned(&spec(), true, &in_use);
        // The newest version of an image that a profile names stays as well.
        assert_eq!(
            left.map(|(left, cleaned)| (left, cleaned.patch, cleaned.is_in_use)),
            Some((spec(), None, true))
        );
        // So does what bastions start from.
        let mut with_bastion = spec();
        with_bastion["bastion"] = json!({ "machineImage": { "name": "b", "version": "1" } });
        let left = cleaned(&with_bastion, true, &InUse::default());
        let left = left.map(|(left, _)| left["machineImages"][1].clone());
        assert_eq!(left, Some(spec()["machineImages"][1].clone()));
        // Only an image's name may be used.
        let mut in_use = InUse::default();
        in_use.add_profile(&json!({ "spec": { "machineImages": [{ "name": "b" }] } }));
        let left =
            cleaned(&spec(), true, &in_use).map(|(left, _)| left["machineImages"][1]["versions"].clone());
        assert_eq!(left, Some(json!([spec()["machineImages"][1]["versions"][0]])));
    }

    #[test]
    fn the_newest_version_of_kubernetes_stays() {
        let old = |version: &str| json!({ "version": version, "expirationDate": PAST });
        let spec = json!({ "kubernetes": { "versions": [old("1.9.0"), old("1.10.0")] } });
        let left = cleaned(&spec, true, &InUse::default()).map(|(left, _)| left);
        assert_eq!(left, Some(json!({ "kubernetes": { "versions": [old("1.10.0")] } })));
        for odd in [json!(null), json!({ "kubernetes": 7, "machineImages": [7, { "versions": 7 }] })] {
            assert_eq!(cleaned(&odd, true, &InUse::default()).map(|(_, cleaned)| cleaned.patch), Some(None));
        }
    }
}
