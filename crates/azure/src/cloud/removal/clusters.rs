//! The clusters of a subscription, by the tags of what they own.

use std::collections::BTreeMap;

use futures::join;
use landfall_platform::cloud::{Asked, Verdict};
use landfall_platform::removal::{FoundCluster, FoundClusters};

use super::holdings::Holding;
use super::names::owners;
use super::{AzureRemoval, unseen};
use crate::cloud::api_versions::Api;
use crate::cloud::fault::Fault;
use crate::cloud::gather::resource;

/// What was seen of a cluster.
#[derive(Debug, Default)]
struct Seen {
    /// As the first tag writes it.
    infra_id: String,
    /// Where its group is; empty where none was seen.
    group: String,
    /// How many of its resources are where.
    locations: BTreeMap<String, usize>,
    things: usize,
}

/// All clusters that own something that the caller can see.
pub(super) async fn clusters(removal: &AzureRemoval<'_>) -> Asked<FoundClusters> {
    let session = removal.session();
    let ask = removal.ask(&session).await?;
    let subscription = resource::subscription(&ask.subscription);
    let (groups, resources) = (format!("{subscription}/resourcegroups"), format!("{subscription}/resources"));
    let (groups, resources) = join!(
        Box::pin(ask.arm.list::<Holding>(Api::RESOURCE_GROUPS, &groups, &[])),
        Box::pin(ask.arm.list::<Holding>(Api::RESOURCES, &resources, &[])),
    );
    let told = |what: &str, fault: Fault| Verdict::Found(Box::new(unseen(what, &fault)));
    let groups = groups.map_err(|fault| told("the resource groups of the subscription", fault))?;
    let resources = resources.map_err(|fault| told("the resources of the subscription", fault))?;
    Ok(of(&groups, &resources).into())
}

fn of(groups: &[Holding], resources: &[Holding]) -> Vec<FoundCluster> {
    let mut all: BTreeMap<String, Seen> = BTreeMap::new();
    let groups = groups.iter().map(|group| (group, true));
    for (found, is_group) in groups.chain(resources.iter().map(|found| (found, false))) {
        for id in owners(&found.tags) {
            let seen = all.entry(id.to_ascii_lowercase()).or_default();
            if seen.infra_id.is_empty() {
                id.clone_into(&mut seen.infra_id);
            }
            seen.things += 1;
            if is_group && seen.group.is_empty() {
                seen.group.clone_from(&found.location);
            } else if !found.location.is_empty() && !found.location.eq_ignore_ascii_case("global") {
                *seen.locations.entry(found.location.clone()).or_default() += 1;
            }
        }
    }
    let found = all.into_values().map(|seen| {
        let most = seen.locations.into_iter().max_by_key(|(_, count)| *count).map(|(name, _)| name);
        let region = if seen.group.is_empty() { most.unwrap_or_default() } else { seen.group };
        FoundCluster { infra_id: seen.infra_id, region, things: seen.things }
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(location: &str, id: &str) -> Holding {
        let tags = [(format!("kubernetes.io_cluster.{id}"), "owned".to_owned())];
        Holding { location: location.to_owned(), tags: BTreeMap::from(tags), ..Holding::default() }
    }

    #[test]
    fn clusters_are_found_by_what_they_own() {
        let mut used = owned("westus", "other-x1y2z");
        used.tags.insert("kubernetes.io_cluster.demo-bcd24".to_owned(), "shared".to_owned());
        let groups = [owned("eastus", "demo-bcd24"), Holding::default()];
        let resources = [owned("global", "Demo-bcd24"), owned("global", "other-x1y2z"), used];
        let found = of(&groups, &resources);
        let told: Vec<(&str, &str, usize)> =
            found.iter().map(|one| (one.infra_id.as_str(), one.region.as_str(), one.things)).collect();
        assert_eq!(told, [("demo-bcd24", "eastus", 2), ("other-x1y2z", "westus", 2)]);
    }
}
