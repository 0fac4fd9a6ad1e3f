//! What other regions have of a cluster, for a look that found only what all regions share.
//!
//! Tags say it: each enabled region is asked for what the cluster owns there. Its private zone and its bucket know
//! a region as well, where one cannot be asked.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_ec2::types::Region;
use aws_sdk_resourcegroupstagging::Client;
use aws_sdk_resourcegroupstagging::types::TagFilter;
use futures::join;
use futures::stream::{self, StreamExt};
use landfall_platform::removal::{Disposition, Elsewhere, FoundElsewhere, Resource};

use super::arn::Arn;
use super::discover::AT_A_TIME;
use super::{AwsRemoval, kinds, pages, tagging_in};
use crate::gather::filter;
use crate::session::Lost;

const REGIONS: &str = "ec2:DescribeRegions";
const RESOURCES: &str = "tag:GetResources";
const TAGS: &str = "ec2:DescribeTags";

/// The region of a bucket that names none, and what S3 calls one in Ireland.
const FIRST_REGION: &str = "us-east-1";
const IRELAND: (&str, &str) = ("EU", "eu-west-1");

/// Whether a resource lies in a region: its ARN names it.
pub(super) fn is_in(region: &str, thing: &Resource) -> bool {
    region_of(&thing.id) == Some(region)
}

/// The region that an ARN names; none where all regions share the resource.
fn region_of(id: &str) -> Option<&str> {
    Arn::parse(id)?;
    id.split(':').nth(3).filter(|region| !region.is_empty())
}

/// What other regions have of the cluster.
pub(super) async fn elsewhere(removal: &AwsRemoval<'_>, found: &[Resource]) -> Elsewhere {
    let here = removal.session.region();
    let mut out = Elsewhere { here: named(here), ..Elsewhere::default() };
    let (enabled, hints) = join!(Box::pin(enabled(removal)), Box::pin(hints(removal, found)));
    let mut regions: BTreeSet<String> = hints.keys().cloned().collect();
    match enabled {
        Ok(enabled) => regions.extend(enabled),
        Err(lost) => {
            out.unseen.push(pages::unseen("the list of regions", &lost));
            regions.extend(listed(removal));
        }
    }
    regions.remove(here);
    let mut calls = Vec::with_capacity(regions.len());
    for region in &regions {
        calls.push(Box::pin(owned_in(removal, region)));
    }
    let answers: Vec<Result<usize, Lost>> = stream::iter(calls).buffered(AT_A_TIME).collect().await;
    for (region, answer) in regions.iter().zip(answers) {
        let hint = hints.get(region).map(|hints| hints.join(", "));
        let counted = match answer {
            Ok(0) => continue,
            Ok(count) => Some(if count == 1 {
                "1 resource has its tag".to_owned()
            } else {
                format!("{count} resources have its tag")
            }),
            Err(lost) => {
                if hint.is_none() {
                    out.unseen.push(pages::unseen(&named(region), &lost));
                }
                None
            }
        };
        if counted.is_some() || hint.is_some() {
            let evidence: Vec<String> = counted.into_iter().chain(hint).collect();
            out.found.push(FoundElsewhere {
                place: named(region),
                evidence: evidence.join(", "),
                help: format!("use the region {region}: --region {region}, or `aws.region` in metadata.json"),
            });
        }
    }
    out.confirmed = hints.contains_key(here) && hints.len() == 1;
    out
}

fn named(region: &str) -> String {
    format!("region {region}")
}

/// The regions that the account has enabled.
async fn enabled(removal: &AwsRemoval<'_>) -> Result<Vec<String>, Lost> {
    let session = &removal.session;
    let ec2 = session.ec2().await?;
    let answer = session.answer(REGIONS, ec2.describe_regions().send()).await?;
    Ok(answer.regions().iter().filter_map(Region::region_name).map(str::to_owned).collect())
}

/// The regions that the catalogue has in the partition.
fn listed(removal: &AwsRemoval<'_>) -> Vec<String> {
    let partition = removal.session.asking.catalogue.aws.partition_of(removal.session.region());
    partition.into_iter().flat_map(|(_, partition)| partition.regions.keys().cloned()).collect()
}

/// How many resources of a region the cluster owns. Where the list of all services cannot be asked for, that of
/// EC2 has the network and the machines.
async fn owned_in(removal: &AwsRemoval<'_>, region: &str) -> Result<usize, Lost> {
    let client = Box::pin(tagging_in(&removal.session, region)).await;
    let tagged = match client {
        Ok(client) => Box::pin(by_tagging(removal, &client, region)).await,
        Err(unready) => Err(Lost::Unready(unready)),
    };
    match tagged {
        Ok(count) => Ok(count),
        Err(lost) => Box::pin(by_ec2(removal, region)).await.map_err(|_| lost),
    }
}

async fn by_tagging(removal: &AwsRemoval<'_>, client: &Client, region: &str) -> Result<usize, Lost> {
    let ownership = &removal.ownership;
    let mut owned = BTreeSet::new();
    for tags in ownership.identifiers() {
        let with = |(key, value): (&String, &String)| {
            TagFilter::builder().key(key.as_str()).values(value.as_str()).build()
        };
        let filters: Vec<TagFilter> = tags.iter().map(with).collect();
        let request = client.get_resources().set_tag_filters(Some(filters)).resources_per_page(100);
        let found = request.into_paginator().items().send().try_collect();
        for mapping in removal.session.answer(RESOURCES, found).await? {
            let pairs = mapping.tags().iter().map(|tag| (tag.key(), tag.value()));
            let arn = mapping.resource_arn().filter(|arn| region_of(arn) == Some(region));
            if ownership.fate(pairs) == Some(Disposition::Removed) {
                owned.extend(arn.map(str::to_owned));
            }
        }
    }
    Ok(owned.len())
}

async fn by_ec2(removal: &AwsRemoval<'_>, region: &str) -> Result<usize, Lost> {
    let (session, ownership) = (&removal.session, &removal.ownership);
    let ec2 = session.ec2_in(region).await?;
    let request = ec2.describe_tags().filters(filter("key", ownership.keys()));
    let request = request.filters(filter("value", ownership.values()));
    let found = session.answer(TAGS, request.into_paginator().items().send().try_collect()).await?;
    let mut tags: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for tag in &found {
        if let (Some(id), Some(key)) = (tag.resource_id(), tag.key()) {
            tags.entry(id).or_default().push((key, tag.value().unwrap_or_default()));
        }
    }
    Ok(tags
        .into_values()
        .filter(|tags| ownership.fate(tags.iter().copied()) == Some(Disposition::Removed))
        .count())
}

/// What the cluster's zones and buckets say of where it is, by region. A question that fails is a question less.
async fn hints(removal: &AwsRemoval<'_>, found: &[Resource]) -> BTreeMap<String, Vec<String>> {
    let mut hints: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for thing in found.iter().filter(|thing| thing.fate == Disposition::Removed) {
        let name = Arn::parse(&thing.id).map_or(thing.id.as_str(), |arn| arn.name());
        let told = match thing.kind {
            kind if *kind == kinds::HOSTED_ZONE => Box::pin(of_zone(removal, name)).await,
            kind if *kind == kinds::BUCKET => Box::pin(of_bucket(removal, name)).await,
            _ => Vec::new(),
        };
        for (region, hint) in told {
            hints.entry(region).or_default().push(hint);
        }
    }
    hints
}

/// The regions of the VPCs that a private zone is attached to.
async fn of_zone(removal: &AwsRemoval<'_>, id: &str) -> Vec<(String, String)> {
    let Ok(route53) = removal.session.route53().await else { return Vec::new() };
    let Ok(answer) = Box::pin(route53.get_hosted_zone().id(id).send()).await else { return Vec::new() };
    let told = answer.vpcs().iter().filter_map(|vpc| {
        let region = vpc.vpc_region()?.as_str().to_owned();
        let hint = format!("its hosted zone {id} is attached to {} there", vpc.vpc_id().unwrap_or("a VPC"));
        Some((region, hint))
    });
    told.collect()
}

/// The region of a bucket.
async fn of_bucket(removal: &AwsRemoval<'_>, name: &str) -> Vec<(String, String)> {
    let Ok(s3) = removal.session.s3().await else { return Vec::new() };
    let Ok(answer) = Box::pin(s3.get_bucket_location().bucket(name).send()).await else {
        return Vec::new();
    };
    let region = match answer.location_constraint().map(aws_sdk_s3::types::BucketLocationConstraint::as_str) {
        None | Some("") => FIRST_REGION,
        Some(region) if region == IRELAND.0 => IRELAND.1,
        Some(region) => region,
    };
    vec![(region.to_owned(), format!("its bucket {name} exists"))]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thing(id: &str) -> Resource {
        Resource {
            id: id.to_owned(),
            kind: &kinds::OTHER,
            name: String::new(),
            fate: Disposition::Removed,
            after: Vec::new(),
        }
    }

    #[test]
    fn what_all_regions_share_is_in_none() {
        for id in [
            "arn:aws:iam::123456789012:role/demo-master-role",
            "arn:aws:route53:::hostedzone/Z1",
            "arn:aws:s3:::demo-bootstrap",
            "route53:record/Z1/A/api.demo.example.com",
            "arn:aws:cloudfront::123456789012:distribution/E1",
        ] {
            assert!(!is_in("eu-west-1", &thing(id)), "{id}");
        }
        // An image has no account in its ARN, but a region.
        for id in ["arn:aws:ec2:eu-west-1:123456789012:vpc/vpc-1", "arn:aws:ec2:eu-west-1::image/ami-1"] {
            assert!(is_in("eu-west-1", &thing(id)) && !is_in("us-east-1", &thing(id)), "{id}");
        }
    }
}
