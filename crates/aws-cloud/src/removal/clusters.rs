//! The clusters of an account, as tags tell.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_resourcegroupstagging::Client;
use aws_sdk_resourcegroupstagging::types::{ResourceTagMapping, TagFilter};
use futures::stream::{self, StreamExt};
use landfall_platform::cloud::{Asked, Verdict, Waiting};
use landfall_platform::removal::{Disposition, FoundCluster, FoundClusters, Kind, Outcome, Resource};

use super::arn::Arn;
use super::discover::AT_A_TIME;
use super::ownership::OWNED;
use super::{AwsRemoval, delete, kinds, pages};
use crate::gather::filter;
use crate::session::Lost;
use landfall_aws::tags::{CLUSTER, PROVIDER, id_of};

const TAGS: &str = "ec2:DescribeTags";
const KEYS: &str = "tag:GetTagKeys";
const RESOURCES: &str = "tag:GetResources";

/// What was seen of each cluster, by infrastructure id.
type Seen = BTreeMap<String, BTreeSet<String>>;

/// A cluster that could not be asked for, and why.
type Missed = (String, Lost);

/// All clusters that made something in the region, and whether one could not be asked for.
pub(super) async fn clusters(removal: &AwsRemoval<'_>) -> Asked<FoundClusters> {
    let (mut seen, missed) = match Box::pin(by_tags(removal)).await {
        // EC2 knows of its own things alone, but may be asked where the other may not.
        Ok((seen, Some(missed))) if seen.is_empty() => {
            (Box::pin(by_ec2(removal)).await.map_err(|_| verdict(&missed.1))?, Some(missed))
        }
        Ok(answer) => answer,
        Err(lost) => (Box::pin(by_ec2(removal)).await.map_err(|_| verdict(&lost))?, None),
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
    Ok(FoundClusters { clusters: found.collect(), missed: missed.as_ref().map(incomplete) })
}

/// What clusters have made, whatever the service, and one that could not be asked for.
async fn by_tags(removal: &AwsRemoval<'_>) -> Result<(Seen, Option<Missed>), Lost> {
    let ids = Box::pin(keys(removal)).await?;
    let client = removal.session.tagging().await?;
    let ask = |id: String| -> Waiting<'_, Result<BTreeSet<String>, Lost>> {
        Box::pin(async move { resources(removal, client, &id).await })
    };
    Ok(Box::pin(of_each(ids, ask)).await)
}

/// What is seen of each of the clusters, and one of which it is not known. Calls that fail were repeated already.
async fn of_each<A>(ids: BTreeSet<String>, ask: impl Fn(String) -> A) -> (Seen, Option<Missed>)
where
    A: Future<Output = Result<BTreeSet<String>, Lost>>,
{
    let mut calls = Vec::with_capacity(ids.len());
    for id in &ids {
        calls.push(ask(id.clone()));
    }
    let answers: Vec<_> = stream::iter(calls).buffered(AT_A_TIME).collect().await;
    let (mut seen, mut missed) = (Seen::new(), Vec::new());
    for (id, answer) in ids.into_iter().zip(answers) {
        match answer {
            // A key may be of a cluster that is long gone.
            Ok(found) if found.is_empty() => {}
            Ok(found) => drop(seen.insert(id, found)),
            Err(lost) => missed.push((id, lost)),
        }
    }
    // A refusal is not over the next time.
    let refused = missed.iter().position(|(_, lost)| !may_pass(lost)).unwrap_or_default();
    (seen, missed.into_iter().nth(refused))
}

fn may_pass(lost: &Lost) -> bool {
    matches!(lost, Lost::Fault(fault) if fault.may_pass())
}

/// What is to be said of a search that one cluster is missing from.
fn incomplete((id, lost): &Missed) -> Verdict {
    match verdict(lost) {
        Verdict::Found(_) => {
            Verdict::Found(Box::new(pages::unseen(&format!("the resources of cluster {id}"), lost)))
        }
        other => other,
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
    let ec2 = removal.session.ec2().await?;
    let any = [CLUSTER, PROVIDER].map(|beginning| format!("{beginning}*"));
    let request = ec2.describe_tags().filters(filter("key", any.iter().map(String::as_str)));
    let request = request.filters(filter("value", [OWNED]));
    let found = removal.session.answer(TAGS, request.into_paginator().items().send().try_collect()).await?;
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
    let client = removal.session.tagging().await?;
    let request = client.get_tag_keys();
    let found = removal.session.answer(KEYS, request.into_paginator().items().send().try_collect()).await?;
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
    let found =
        removal.session.answer(RESOURCES, request.into_paginator().items().send().try_collect()).await?;
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
    use crate::fault::{Fault, Sort};

    fn fault(sort: Sort) -> Lost {
        Lost::Fault(Fault {
            call: RESOURCES.to_owned(),
            sort,
            code: Some("AccessDeniedException".to_owned()),
            message: String::new(),
            request_id: None,
            status: Some(400),
        })
    }

    /// A search for three clusters, of which one is gone and two fail.
    async fn search(sorts: [Sort; 2]) -> (Vec<String>, Option<Verdict>) {
        let ask = |id: String| async move {
            match id.as_str() {
                "one-bcd24" => Ok(BTreeSet::from(["vpc-1".to_owned()])),
                "two-bcd24" => Err(fault(sorts[0])),
                "three-bcd24" => Err(fault(sorts[1])),
                _ => Ok(BTreeSet::new()),
            }
        };
        let ids = ["one-bcd24", "two-bcd24", "three-bcd24", "gone-bcd24"].map(str::to_owned);
        let (seen, missed) = of_each(BTreeSet::from(ids), ask).await;
        (seen.into_keys().collect(), missed.as_ref().map(incomplete))
    }

    #[tokio::test]
    async fn a_cluster_that_cannot_be_asked_for_is_not_left_out_silently() {
        for sorts in [[Sort::Denied, Sort::Throttled], [Sort::Throttled, Sort::Denied]] {
            let (seen, missed) = search(sorts).await;
            assert_eq!(seen, ["one-bcd24"]);
            let said = match missed {
                Some(Verdict::Found(finding)) => finding.message,
                other => format!("{other:?}"),
            };
            let is_told = said.starts_with("the resources of cluster t") && said.contains("cannot be read");
            assert!(is_told, "{said}");
        }
        let (seen, missed) = search([Sort::Throttled; 2]).await;
        assert!(seen.len() == 1 && matches!(missed, Some(Verdict::Unanswered(_))));
    }

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
