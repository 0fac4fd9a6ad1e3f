//! Which things still carry the cluster's tags, as EC2 and Resource Groups Tagging list them, and which region
//! is asked for that: what all regions share is listed in one of them.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_resourcegroupstagging::Client;
use aws_sdk_resourcegroupstagging::types::ResourceTagMapping;
use landfall_platform::cloud::Unready;
use landfall_platform::removal::{Disposition, Resource};

use super::{Stop, bare};
use crate::gather::filter;
use crate::removal::arn::Arn;
use crate::removal::{AwsRemoval, MOST_VALUES, known};

/// The most things that a call of Resource Groups Tagging looks at.
const MOST_AT_ONCE: usize = 100;

/// Whether EC2 lists a thing's tags.
pub(super) fn is_of_ec2(thing: &Resource) -> bool {
    Arn::parse(&thing.id).is_some_and(|arn| arn.service == "ec2")
}

/// Those of some things of one kind and one fate that carry the tags which say so, by their ids.
pub(super) async fn carried(
    removal: &AwsRemoval<'_>,
    things: &[&Resource],
) -> Result<BTreeSet<String>, Stop> {
    match things.first() {
        Some(first) if is_of_ec2(first) => Box::pin(of_ec2(removal, first.fate, things)).await,
        Some(first) => Box::pin(of_any_service(removal, first.fate, things)).await,
        None => Ok(BTreeSet::new()),
    }
}

async fn of_ec2(
    removal: &AwsRemoval<'_>,
    fate: Disposition,
    things: &[&Resource],
) -> Result<BTreeSet<String>, Stop> {
    let (ec2, ownership) = (removal.session.ec2().await?, &removal.ownership);
    let mut tags: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for some in things.chunks(MOST_VALUES) {
        let ids: Vec<&str> = some.iter().map(|thing| bare(&thing.id)).collect();
        let request = ec2.describe_tags().filters(filter("resource-id", ids));
        let request = request.filters(filter("key", ownership.keys()));
        let request = request.filters(filter("value", ownership.values()));
        for tag in list!(removal, "ec2:DescribeTags", request)? {
            if let (Some(id), Some(key)) = (tag.resource_id, tag.key) {
                tags.entry(id).or_default().push((key, tag.value.unwrap_or_default()));
            }
        }
    }
    let pairs = |tags: &[(String, String)]| {
        ownership.fate(tags.iter().map(|(key, value)| (key.as_str(), value.as_str())))
    };
    Ok(tags.into_iter().filter(|(_, tags)| pairs(tags) == Some(fate)).map(|(id, _)| id).collect())
}

async fn of_any_service(
    removal: &AwsRemoval<'_>,
    fate: Disposition,
    things: &[&Resource],
) -> Result<BTreeSet<String>, Stop> {
    let mut carrying = BTreeSet::new();
    for (client, lot) in Box::pin(by_region(removal, things)).await {
        let client = client?;
        for some in lot.chunks(MOST_AT_ONCE) {
            let arns: Vec<String> = some.iter().map(|thing| thing.id.clone()).collect();
            let request = client.get_resources().set_resource_arn_list(Some(arns));
            let found = list!(removal, "tag:GetResources", request)?;
            let is_carrying = |found: &&ResourceTagMapping| {
                let tags = found.tags().iter().map(|tag| (tag.key(), tag.value()));
                removal.ownership.fate(tags) == Some(fate)
            };
            let found = found.iter().filter(is_carrying).filter_map(ResourceTagMapping::resource_arn);
            carrying.extend(found.map(str::to_owned));
        }
    }
    Ok(carrying)
}

/// The keys of the tags by which things of other services than EC2 count as the cluster's, by their ids.
pub(super) async fn marks(
    removal: &AwsRemoval<'_>,
    client: &Client,
    things: &[&Resource],
) -> Result<BTreeMap<String, Vec<String>>, Stop> {
    let mut marks = BTreeMap::new();
    for some in things.chunks(MOST_AT_ONCE) {
        let arns: Vec<String> = some.iter().map(|thing| thing.id.clone()).collect();
        let request = client.get_resources().set_resource_arn_list(Some(arns));
        for found in list!(removal, "tag:GetResources", request)? {
            let tags = found.tags().iter().map(|tag| (tag.key(), tag.value()));
            let keys = removal.ownership.marks(tags);
            marks.extend(found.resource_arn().map(|arn| (arn.to_owned(), keys)));
        }
    }
    Ok(marks)
}

/// Things by the region that lists them, each with its client of Resource Groups Tagging.
pub(super) async fn by_region<'t>(
    removal: &AwsRemoval<'_>,
    things: &[&'t Resource],
) -> Vec<(Result<Client, Unready>, Vec<&'t Resource>)> {
    let abroad = known::with(&removal.known, |known| known.abroad.clone());
    let (far, near): (Vec<&Resource>, Vec<&Resource>) =
        things.iter().copied().partition(|thing| abroad.contains(&thing.id));
    let mut batches = Vec::new();
    if !near.is_empty() {
        batches.push((removal.session.tagging().await.cloned(), near));
    }
    if !far.is_empty() {
        let client = match removal.tagging_abroad().await {
            Some(client) => client,
            None => removal.session.tagging().await.cloned(),
        };
        batches.push((client, far));
    }
    batches
}
