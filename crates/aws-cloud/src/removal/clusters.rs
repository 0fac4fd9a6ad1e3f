//! The clusters of an account, as tags tell.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_resourcegroupstagging::Client;
use aws_sdk_resourcegroupstagging::types::{ResourceTagMapping, TagFilter};
use futures::stream::{self, StreamExt};
use landfall_platform::cloud::{Asked, Verdict};
use landfall_platform::removal::{Disposition, FoundCluster, Kind, Outcome, Resource};

use super::arn::Arn;
use super::discover::AT_A_TIME;
use super::ownership::OWNED;
use super::{AwsRemoval, delete, kinds};
use crate::gather::filter;
use crate::session::Lost;
use landfall_aws::tags::{CLUSTER, PROVIDER, id_of};

const TAGS: &str = "ec2:DescribeTags";
const KEYS: &str = "tag:GetTagKeys";
const RESOURCES: &str = "tag:GetResources";

/// What was seen of each cluster, by infrastructure id.
type Seen = BTreeMap<String, BTreeSet<String>>;

/// All clusters that made something in the region.
pub(super) async fn clusters(removal: &AwsRemoval<'_>) -> Asked<Vec<FoundCluster>> {
    let mut seen = match Box::pin(by_tags(removal)).await {
        Ok(seen) => seen,
        // EC2 knows of its own things alone, but may be asked where the other may not.
        Err(lost) => Box::pin(by_ec2(removal)).await.map_err(|_| verdict(&lost))?,
    };
    let gone = only_listed(removal, &seen).await;
    for things in seen.values_mut() {
        things.retain(|thing| !gone.contains(thing));
    }
    let region = removal.session.region();
    let found = seen
        .into_iter()
        .filter(|(_, things)| !things.is_empty())
        .map(|(infra_id, things)| FoundCluster { infra_id, region: region.to_owned(), things: things.len() });
    Ok(found.collect())
}

/// What clusters have made, whatever the service.
async fn by_tags(removal: &AwsRemoval<'_>) -> Result<Seen, Lost> {
    let ids = Box::pin(keys(removal)).await?;
    let client = removal.session.tagging().await.map_err(Lost::Unready)?;
    let calls: Vec<_> = ids.iter().map(|id| Box::pin(resources(removal, client, id))).collect();
    let answers: Vec<_> = stream::iter(calls).buffered(AT_A_TIME).collect().await;
    let (mut seen, mut missed) = (Seen::new(), None);
    for (id, answer) in ids.into_iter().zip(answers) {
        match answer {
            // A key may be of a cluster that is long gone.
            Ok(found) if found.is_empty() => {}
            Ok(found) => drop(seen.insert(id, found)),
            Err(lost) => missed = Some(lost),
        }
    }
    match missed {
        // That there is none cannot be said where nobody may look.
        Some(lost) if seen.is_empty() => Err(lost),
        _ => Ok(seen),
    }
}

/// What EC2 goes on to list, with its tags, for a while after its end.
const LISTED_LONGER: &[(&str, &Kind)] =
    &[("i-", &kinds::INSTANCE), ("nat-", &kinds::NAT_GATEWAY), ("vpce-", &kinds::VPC_ENDPOINT)];

/// What of the things that were seen is gone.
async fn only_listed(removal: &AwsRemoval<'_>, seen: &Seen) -> BTreeSet<String> {
    let mut gone = BTreeSet::new();
    for (beginning, kind) in LISTED_LONGER {
        let named = seen.values().flatten().filter(|id| id.starts_with(beginning));
        let things: Vec<Resource> = named
            .map(|id| Resource {
                id: id.clone(),
                kind,
                name: String::new(),
                fate: Disposition::Removed,
                after: Vec::new(),
            })
            .collect();
        if things.is_empty() {
            continue;
        }
        let all: Vec<&Resource> = things.iter().collect();
        let outcomes = Box::pin(delete::look(removal, &all)).await;
        let over = all.iter().zip(outcomes).filter(|(_, outcome)| matches!(outcome, Outcome::Gone));
        gone.extend(over.map(|(thing, _)| thing.id.clone()));
    }
    gone
}

fn verdict(lost: &Lost) -> Verdict {
    match lost {
        Lost::Unready(unready) => unready.clone().into(),
        Lost::Fault(fault) => fault.verdict(""),
    }
}

/// What of EC2 clusters have made.
async fn by_ec2(removal: &AwsRemoval<'_>) -> Result<Seen, Lost> {
    let ec2 = removal.session.ec2().await.map_err(Lost::Unready)?;
    let any = [CLUSTER, PROVIDER].map(|beginning| format!("{beginning}*"));
    let request = ec2.describe_tags().filters(filter("key", any.iter().map(String::as_str)));
    let request = request.filters(filter("value", [OWNED]));
    let found = Box::pin(request.into_paginator().items().send().try_collect()).await;
    let found = found.map_err(|error| Lost::Fault(removal.session.fault(TAGS, &error)))?;
    let mut seen = Seen::new();
    for tag in found.iter().filter(|tag| tag.value() == Some(OWNED)) {
        if let (Some(id), Some(thing)) = (tag.key().and_then(id_of), tag.resource_id()) {
            seen.entry(id.to_owned()).or_default().insert(thing.to_owned());
        }
    }
    Ok(seen)
}

/// The infrastructure ids in all keys of the region.
async fn keys(removal: &AwsRemoval<'_>) -> Result<BTreeSet<String>, Lost> {
    let client = removal.session.tagging().await.map_err(Lost::Unready)?;
    let request = client.get_tag_keys();
    let found = Box::pin(request.into_paginator().items().send().try_collect()).await;
    let found = found.map_err(|error| Lost::Fault(removal.session.fault(KEYS, &error)))?;
    Ok(found.iter().filter_map(|key| id_of(key)).map(str::to_owned).collect())
}

/// What a cluster has made in the region.
async fn resources(removal: &AwsRemoval<'_>, client: &Client, id: &str) -> Result<BTreeSet<String>, Lost> {
    let mut all = BTreeSet::new();
    for beginning in [CLUSTER, PROVIDER] {
        all.extend(Box::pin(tagged(removal, client, &format!("{beginning}{id}"))).await?);
    }
    Ok(all)
}

/// What has a tag with this key that says who made it.
async fn tagged(removal: &AwsRemoval<'_>, client: &Client, key: &str) -> Result<BTreeSet<String>, Lost> {
    let tag = TagFilter::builder().key(key).values(OWNED).build();
    let request = client.get_resources().tag_filters(tag).resources_per_page(100);
    let found = Box::pin(request.into_paginator().items().send().try_collect()).await;
    let found = found.map_err(|error| Lost::Fault(removal.session.fault(RESOURCES, &error)))?;
    // Not every server that plays AWS keeps to the filter.
    let own = |mapping: &&ResourceTagMapping| {
        mapping.tags().iter().any(|tag| tag.key() == key && tag.value() == OWNED)
    };
    Ok(found.iter().filter(own).filter_map(ResourceTagMapping::resource_arn).map(thing).collect())
}

/// What is counted: EC2 names its own things without an ARN.
fn thing(arn: &str) -> String {
    match Arn::parse(arn) {
        Some(parsed) if parsed.service == "ec2" => parsed.id.to_owned(),
        _ => arn.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_what_follows_in_the_key() {
        assert_eq!(id_of("kubernetes.io/cluster/demo-bcd24"), Some("demo-bcd24"));
        assert_eq!(id_of("sigs.k8s.io/cluster-api-provider-aws/cluster/demo-bcd24"), Some("demo-bcd24"));
        assert_eq!(id_of("sigs.k8s.io/cluster-api-provider-aws/role"), None);
        assert_eq!(id_of("kubernetes.io/cluster/"), None);
        assert_eq!(id_of("Name"), None);
    }

    #[test]
    fn a_thing_is_counted_once_whoever_names_it() {
        assert_eq!(thing("arn:aws:ec2:us-east-1:1:vpc/vpc-1"), "vpc-1");
        assert_eq!(thing("arn:aws:s3:::demo"), "arn:aws:s3:::demo");
    }
}
