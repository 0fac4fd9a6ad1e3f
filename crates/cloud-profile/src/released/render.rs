//! A profile of the released kind, joined with its parent.

use super::capabilities;
use super::images::lay_images;
use super::lifecycle::prolong;
use crate::order::{Entry, places};
use crate::render::append_bundle;
use crate::types::{CloudProfileSpec, NamespacedCloudProfileSpec, Version};

/// What clusters that refer to the profile may use: the parent's offer with the profile's entries in place of
/// those of the same name, and new ones at the end.
#[must_use]
pub fn render(parent: &CloudProfileSpec, profile: &NamespacedCloudProfileSpec) -> CloudProfileSpec {
    let mut rendered = parent.clone();
    let defined = capabilities::values(parent);
    let profile = capabilities::in_form(profile, &defined);
    if let Some((own, entries)) = rendered.kubernetes.as_mut().zip(profile.kubernetes.as_ref()) {
        lay_dates(&mut own.versions, &entries.versions);
    }
    lay_images(&mut rendered.machine_images, profile.machine_images);
    lay(&mut rendered.machine_types, profile.machine_types, |machine, entry| *machine = entry);
    lay(&mut rendered.volume_types, profile.volume_types, |volume, entry| *volume = entry);
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn rendered(parent: Value, profile: Value) -> serde_json::Result<Value> {
        let (parent, profile) = (serde_json::from_value(parent)?, serde_json::from_value(profile)?);
        serde_json::to_value(render(&parent, &profile))
    }

    fn capabilities(architectures: &Value) -> Value {
        json!([{ "name": "architecture", "values": architectures }, { "name": "c", "values": ["s"] }])
    }

    #[test]
    fn given_architectures_are_preferred_to_capabilities() -> serde_json::Result<()> {
        let flavors = json!([{ "architecture": ["arm64"] }]);
        let version = json!({ "version": "1", "architectures": ["amd64"], "capabilityFlavors": flavors });
        let profile = json!({
            "machineImages": [{ "name": "i", "versions": [version] }],
            "machineTypes": [{ "name": "m", "architecture": "amd64", "capabilities": flavors[0] }],
        });
        let found = rendered(json!({}), profile)?;
        let version = json!({ "version": "1", "architectures": ["amd64"] });
        assert_eq!(found["machineImages"], json!([{ "name": "i", "versions": [version] }]));
        assert_eq!(found["machineTypes"], json!([{ "name": "m", "architecture": "amd64" }]));
        Ok(())
    }

    #[test]
    fn missing_architectures_are_those_that_the_parent_defines() -> serde_json::Result<()> {
        let machine = |values: Value, machine: Value| {
            let parent = json!({ "machineCapabilities": capabilities(&values), "machineTypes": [machine] });
            rendered(parent, json!({})).map(|found| found["machineTypes"][0]["architecture"].clone())
        };
        let plain = json!({ "name": "m" });
        assert_eq!(machine(json!(["arm64"]), plain.clone())?, "arm64");
        assert_eq!(machine(json!(["arm64", "s390x"]), plain)?, "amd64");
        let own = json!({ "name": "m", "capabilities": { "architecture": ["arm64"] } });
        assert_eq!(machine(json!(["amd64", "arm64"]), own)?, "arm64");
        let flavors = |flavors: Value| {
            let parent = json!({ "machineCapabilities": capabilities(&json!(["amd64", "arm64"])) });
            let image =
                json!({ "name": "i", "versions": [{ "version": "1", "capabilityFlavors": flavors }] });
            rendered(parent, json!({ "machineImages": [image] }))
                .map(|found| found["machineImages"][0]["versions"][0]["architectures"].clone())
        };
        assert_eq!(
            flavors(json!([{ "architecture": ["amd64"] }, { "c": ["s"] }]))?,
            json!(["amd64", "arm64"])
        );
        assert_eq!(flavors(json!([{ "architecture": ["arm64"] }]))?, json!(["arm64"]));
        Ok(())
    }

    #[test]
    fn an_entry_that_gives_empty_fields_beside_its_date_does_not_replace_a_version() -> serde_json::Result<()>
    {
        let version =
            json!({ "version": "1", "cri": [{ "name": "containerd" }], "architectures": ["arm64"] });
        let date = "2024-06-06T01:02:03Z";
        let entry = json!({
            "version": "1", "expirationDate": date, "classification": "", "kubeletVersionConstraint": "",
        });
        let image = |version: &Value| json!({ "machineImages": [{ "name": "i", "versions": [version] }] });
        let mut expected = version.clone();
        expected["expirationDate"] = date.into();
        let found = rendered(image(&version), image(&entry))?;
        assert_eq!(found["machineImages"][0]["versions"][0], expected);
        Ok(())
    }
}
