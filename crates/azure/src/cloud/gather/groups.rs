//! The existing resource group that the config names for the cluster.

use std::collections::BTreeMap;

use futures::join;
use landfall_model::azure::facts::ResourceGroup;
use landfall_platform::cloud::Asked;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{refused, resource};
use crate::cloud::api_versions::Api;
use crate::cloud::described::Described;
use crate::cloud::session::Session;

/// The field of the group.
const FIELD: &str = "platform.azure.resourceGroupName";

/// How many resources are kept by name: enough to see whose they are.
const MOST_NAMES: usize = 2;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Group {
    name: String,
    location: String,
    tags: BTreeMap<String, String>,
}

/// The group that the config names; none where it names none, or one that is not there.
pub(super) async fn resource_group(session: &Session<'_>) -> Asked<Option<ResourceGroup>> {
    let name = session.platform.resource_group_name.as_str();
    if name.is_empty() {
        return Ok(None);
    }
    let arm = session.arm().await?;
    let subscription = session.subscription().await?;
    let path = resource::group(&subscription, name);
    let resources = format!("{path}/resources");
    let (found, resources) = join!(
        Box::pin(arm.find::<Group>(Api::RESOURCE_GROUPS, &path, &[])),
        Box::pin(arm.list::<Described<IgnoredAny>>(Api::RESOURCES, &resources, &[])),
    );
    let found = found.map_err(|fault| refused(&fault, FIELD))?;
    let Some(described) = found else {
        return Ok(None);
    };
    let resources = resources.map_err(|fault| refused(&fault, FIELD))?;
    Ok(Some(group_of(described, resources)))
}

fn group_of(described: Group, resources: Vec<Described<IgnoredAny>>) -> ResourceGroup {
    ResourceGroup {
        name: described.name,
        location: described.location,
        tags: described.tags,
        resources: i64::try_from(resources.len()).unwrap_or(i64::MAX),
        first: resources.into_iter().take(MOST_NAMES).map(|resource| resource.name).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::described::of_text;

    #[test]
    fn a_group_is_known_with_what_is_in_it() {
        let text = r#"{"id": "/subscriptions/s/resourceGroups/rg", "name": "rg", "location": "eastus",
            "tags": {"kubernetes.io_cluster.demo-abcde": "owned"}}"#;
        let described: Group = of_text(text).unwrap_or_default();
        let resources = r#"[{"name": "disk"}, {"name": "nic"}, {"name": "nsg"}]"#;
        let resources: Vec<Described<IgnoredAny>> = of_text(resources).unwrap_or_default();
        let group = group_of(described, resources);
        assert_eq!((group.name.as_str(), group.location.as_str(), group.resources), ("rg", "eastus", 3));
        assert_eq!(group.first, ["disk", "nic"]);
        assert!(group.tags.contains_key("kubernetes.io_cluster.demo-abcde"));
    }

    #[test]
    fn a_group_without_tags_is_none_the_worse() {
        let described: Option<Group> = of_text(r#"{"name": "rg", "tags": null}"#);
        let group = described.map(|described| group_of(described, Vec::new()));
        assert_eq!(group.map(|group| (group.tags.len(), group.resources)), Some((0, 0)));
    }
}
