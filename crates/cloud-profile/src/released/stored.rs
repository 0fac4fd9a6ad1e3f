//! What is kept of a profile that is written.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::default;
use super::lifecycle::{Expirable, listed};
use crate::types::{MachineImage, NamespacedCloudProfileSpec};

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
        kubernetes.versions = left(&kubernetes.versions, &versions_stay(old, new, now));
    }
    let images = new.machine_images.iter().zip(images_stay(old, new, now));
    let images = images.filter_map(|(image, stays)| {
        let stays = stays?;
        let mut image = Arc::clone(image);
        if stays.contains(&false) {
            let image = Arc::make_mut(&mut image);
            image.versions = left(&image.versions, &stays);
        }
        Some(image)
    });
    stored.machine_images = images.collect();
    stored
}

/// What makes of an object that is written the one that is kept, with what it leaves open filled in: the
/// operations of a JSON patch (RFC 6902). None where the spec is the one that stands, or cannot be read.
#[must_use]
pub fn amendments(old: Option<&Value>, object: &Value, now: Timestamp) -> Vec<Value> {
    let spec = |object: &Value| NamespacedCloudProfileSpec::deserialize(object.get("spec")?).ok();
    let Some(new) = spec(object) else { return Vec::new() };
    if old.is_some_and(|old| old.get("spec") == object.get("spec")) {
        return Vec::new();
    }
    let old = old.and_then(spec);
    let old = old.as_ref();
    let mut operations = Vec::new();
    let stays = versions_stay(old, &new, now);
    let path = "/spec/kubernetes/versions";
    if stays.contains(&false)
        && let Some(Value::Array(versions)) = object.pointer(path)
    {
        operations.push(json!({ "op": "replace", "path": path, "value": left(versions, &stays) }));
    }
    let stays = images_stay(old, &new, now);
    let path = "/spec/machineImages";
    if stays.iter().any(|stays| stays.as_ref().is_none_or(|stays| stays.contains(&false)))
        && let Some(Value::Array(images)) = object.pointer(path)
    {
        let images = images.iter().zip(&stays);
        let images: Vec<Value> = images
            .filter_map(|(image, stays)| {
                let stays = stays.as_ref()?;
                let mut image = image.clone();
                if let Some(Value::Array(versions)) = image.get_mut("versions") {
                    *versions = left(versions.as_slice(), stays);
                }
                Some(image)
            })
            .collect();
        operations.push(json!({ "op": "replace", "path": path, "value": images }));
    }
    let filled = default(&new);
    for ((at, sent), (_, usable)) in usable(&new).zip(usable(&filled)) {
        if sent != usable && object.pointer(&at).is_some_and(Value::is_object) {
            operations.push(json!({ "op": "add", "path": format!("{at}/usable"), "value": usable }));
        }
    }
    operations
}

/// Which versions of Kubernetes stay.
fn versions_stay(
    old: Option<&NamespacedCloudProfileSpec>,
    new: &NamespacedCloudProfileSpec,
    now: Timestamp,
) -> Vec<bool> {
    stay(listed(new.kubernetes.as_ref()), listed(old.and_then(|old| old.kubernetes.as_ref())), now)
}

/// Which versions stay of each image; none for an image that goes as well.
fn images_stay(
    old: Option<&NamespacedCloudProfileSpec>,
    new: &NamespacedCloudProfileSpec,
    now: Timestamp,
) -> Vec<Option<Vec<bool>>> {
    let of_image = |image: &Arc<MachineImage>| {
        let old = old.and_then(|old| old.machine_images.iter().find(|old| old.name == image.name));
        let old = old.map(|old| old.versions.as_slice()).unwrap_or_default();
        let stays = stay(&image.versions, old, now);
        let has_strategy = image.update_strategy.as_ref().is_some_and(|strategy| !strategy.is_empty());
        (has_strategy || stays.contains(&true)).then_some(stays)
    };
    new.machine_images.iter().map(of_image).collect()
}

/// Which versions are not expired, or are among the old ones.
fn stay<T: Expirable>(versions: &[T], old: &[T], now: Timestamp) -> Vec<bool> {
    let old: BTreeSet<&str> = old.iter().map(Expirable::version).collect();
    let stays = |version: &T| !version.is_expired(now) || old.contains(version.version());
    versions.iter().map(stays).collect()
}

/// The entries that stay.
fn left<T: Clone>(entries: &[T], stays: &[bool]) -> Vec<T> {
    entries.iter().zip(stays).filter(|(_, stays)| **stays).map(|(entry, _)| entry.clone()).collect()
}

/// Where each machine and volume type is, and whether it says that it is usable.
fn usable(spec: &NamespacedCloudProfileSpec) -> impl Iterator<Item = (String, Option<bool>)> {
    let machines = spec.machine_types.iter().map(|machine| machine.usable).enumerate();
    let machines = machines.map(|(i, usable)| (format!("/spec/machineTypes/{i}"), usable));
    let volumes = spec.volume_types.iter().map(|volume| volume.usable).enumerate();
    machines.chain(volumes.map(|(i, usable)| (format!("/spec/volumeTypes/{i}"), usable)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instant::instant;

    type Unexpected = Box<dyn std::error::Error>;

    /// The spec that is kept where `old` stands.
    fn amended(old: Option<&Value>, spec: &Value) -> Result<Value, Unexpected> {
        let now = instant("2024-01-01T00:00:00Z").ok_or("no time")?;
        let mut object = json!({ "metadata": { "name": "p" }, "spec": spec });
        let old = old.map(|spec| json!({ "metadata": { "name": "p" }, "spec": spec }));
        let typed = |spec: &Value| NamespacedCloudProfileSpec::deserialize(spec);
        let old_typed = old.as_ref().map(|old| typed(&old["spec"])).transpose()?;
        let expected = stored(old_typed.as_ref(), &typed(spec)?, now);
        let operations = amendments(old.as_ref(), &object, now);
        if !operations.is_empty() {
            let patch: json_patch::Patch = serde_json::from_value(operations.into())?;
            json_patch::patch(&mut object, &patch)?;
            assert_eq!(typed(&object["spec"])?, default(&expected));
            assert!(amendments(old.as_ref(), &object, now).is_empty(), "a second patch: {object}");
        }
        Ok(object["spec"].take())
    }

    fn past(version: &str) -> Value {
        json!({ "version": version, "expirationDate": "2023-01-01T00:00:00Z" })
    }

    #[test]
    fn what_has_expired_is_cut_out_and_all_else_stays() -> Result<(), Unexpected> {
        let with = |kubernetes: Value, images: Value| {
            json!({
                "kubernetes": { "versions": kubernetes, "unknown": 1 },
                "machineImages": images,
                "unknown": { "a": [1] },
                "providerConfig": { "b": null },
            })
        };
        let later = json!({ "version": "1.2.3", "expirationDate": "2025-01-01T00:00:00Z", "unknown": [1] });
        let sent = with(
            json!([past("1.2.2"), later, past("1.2.4")]),
            json!([
                { "name": "a", "versions": [past("1"), later], "unknown": 2 },
                { "name": "b", "versions": [past("1")] },
                { "name": "c", "versions": [past("1")], "updateStrategy": "minor" },
                { "name": "d", "versions": [later] },
            ]),
        );
        let kept = json!([
            { "name": "a", "versions": [later], "unknown": 2 },
            { "name": "c", "versions": [], "updateStrategy": "minor" },
            { "name": "d", "versions": [later] },
        ]);
        assert_eq!(amended(None, &sent)?, with(json!([later]), kept));
        // What stood before stays.
        let old = with(json!([past("1.2.4")]), json!([{ "name": "b", "versions": [past("1")] }]));
        let kept = json!([
            { "name": "a", "versions": [later], "unknown": 2 },
            { "name": "b", "versions": [past("1")] },
            { "name": "c", "versions": [], "updateStrategy": "minor" },
            { "name": "d", "versions": [later] },
        ]);
        assert_eq!(amended(Some(&old), &sent)?, with(json!([later, past("1.2.4")]), kept));
        Ok(())
    }

    #[test]
    fn what_is_left_open_is_filled_in() -> Result<(), Unexpected> {
        let sent = json!({
            "machineTypes": [{ "name": "a", "usable": false }, { "name": "b", "unknown": {} }],
            "volumeTypes": [{ "name": "c" }],
        });
        let filled = json!({
            "machineTypes": [
                { "name": "a", "usable": false }, { "name": "b", "unknown": {}, "usable": true },
            ],
            "volumeTypes": [{ "name": "c", "usable": true }],
        });
        assert_eq!(amended(None, &sent)?, filled);
        assert_eq!(amended(Some(&json!({})), &sent)?, filled);
        // A change of something else leaves a spec alone that is older than this.
        assert_eq!(amended(Some(&sent), &sent)?, sent);
        Ok(())
    }

    #[test]
    fn what_cannot_be_read_is_left_to_the_judge() {
        let now = Timestamp::UNIX_EPOCH;
        for spec in [json!({ "machineTypes": 1 }), json!({ "machineTypes": [["a"]] }), Value::Null] {
            let found = amendments(None, &json!({ "spec": spec }), now);
            assert!(found.is_empty(), "{found:?}");
        }
    }
}
