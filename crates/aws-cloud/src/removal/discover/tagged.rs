//! What carries a cluster's tags, as Resource Groups Tagging and EC2 say.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_ec2::types::ResourceType;
use aws_sdk_resourcegroupstagging::Client;
use aws_sdk_resourcegroupstagging::types::{ResourceTagMapping, TagFilter};
use futures::join;
use futures::stream::{self, StreamExt};
use landfall_platform::removal::Disposition;

use super::{AT_A_TIME, Part};
use crate::gather::filter;
use crate::removal::AwsRemoval;
use crate::removal::arn::Arn;
use crate::removal::ownership::{Ownership, SHARED};
use crate::session::Lost;

const RESOURCES: &str = "tag:GetResources";
const TAGS: &str = "ec2:DescribeTags";

/// What tags say of something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    /// What becomes of it.
    pub(super) fate: Disposition,
    /// A key of these tags.
    pub(super) key: String,
    /// Whether the service that it belongs to says so, and not only another one.
    pub(super) first_hand: bool,
}

/// What carries a cluster's tags. It need not be there any more.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Claims {
    /// What EC2 has, by sort and id.
    ec2: BTreeMap<String, BTreeMap<String, Claim>>,
    /// What other services have, by ARN.
    others: BTreeMap<String, Claim>,
    /// Whether EC2 could be asked.
    pub(super) heard_of_ec2: bool,
}

impl Claims {
    /// What EC2 has of one sort, by id.
    pub(super) fn of_ec2(&self, sort: &str) -> impl Iterator<Item = (&str, &Claim)> {
        self.ec2.get(sort).into_iter().flatten().map(|(id, claim)| (id.as_str(), claim))
    }

    /// The sorts of things that EC2 has.
    pub(super) fn sorts_of_ec2(&self) -> impl Iterator<Item = &str> {
        self.ec2.keys().map(String::as_str)
    }

    /// What other services have, by ARN.
    pub(super) fn others(&self) -> impl Iterator<Item = (&str, Arn<'_>, &Claim)> {
        self.others.iter().filter_map(|(text, claim)| Some((text.as_str(), Arn::parse(text)?, claim)))
    }

    /// What a service has of some sort, by ARN.
    pub(super) fn of<'s>(
        &'s self,
        service: &'s str,
        sort: &'s str,
    ) -> impl Iterator<Item = (&'s str, Arn<'s>, &'s Claim)> {
        self.others().filter(move |(_, arn, _)| arn.service == service && arn.sort == sort)
    }

    fn put_ec2(&mut self, sort: &str, id: &str, claim: Claim) {
        let known = self.ec2.entry(sort.to_owned()).or_default();
        // What the service itself says counts.
        if claim.first_hand || !known.contains_key(id) {
            known.insert(id.to_owned(), claim);
        }
    }

    fn put(&mut self, text: &str, claim: Claim) {
        match Arn::parse(text) {
            Some(arn) if arn.service == "ec2" => self.put_ec2(arn.sort, arn.id, claim),
            _ => {
                self.others.insert(text.to_owned(), claim);
            }
        }
    }
}

/// What carries the cluster's tags, and what could not be asked.
pub(super) async fn claims(removal: &AwsRemoval<'_>) -> (Claims, Part) {
    let (own, abroad, ec2) =
        join!(Box::pin(in_region(removal)), Box::pin(abroad(removal)), Box::pin(tags_of_ec2(removal)),);
    let (mut claims, mut part) = (Claims { heard_of_ec2: ec2.is_ok(), ..Claims::default() }, Part::default());
    match ec2 {
        Ok(found) => {
            for ((sort, id), claim) in found {
                claims.put_ec2(&sort, &id, claim);
            }
        }
        Err(lost) => part.miss("the tags of EC2", &lost),
    }
    if let Ok(found) = &abroad {
        let near: BTreeSet<&str> =
            own.iter().flatten().filter_map(ResourceTagMapping::resource_arn).collect();
        let far = found.iter().filter_map(ResourceTagMapping::resource_arn).filter(|arn| !near.contains(arn));
        part.known.abroad.extend(far.map(str::to_owned));
    }
    let asked = [("tagged resources of the region", own), ("tagged resources of the global region", abroad)];
    for (what, found) in asked {
        match found {
            Ok(found) => {
                for mapping in &found {
                    put(&mut claims, &removal.ownership, mapping);
                }
            }
            Err(lost) => part.miss(what, &lost),
        }
    }
    (claims, part)
}

fn put(claims: &mut Claims, ownership: &Ownership, mapping: &ResourceTagMapping) {
    let tags = mapping.tags().iter().map(|tag| (tag.key(), tag.value()));
    if let (Some(arn), Some((fate, key))) = (mapping.resource_arn(), ownership.claim(tags)) {
        claims.put(arn, Claim { fate, key: key.to_owned(), first_hand: false });
    }
}

async fn in_region(removal: &AwsRemoval<'_>) -> Result<Vec<ResourceTagMapping>, Lost> {
    let client = removal.session.tagging().await?;
    resources(removal, client).await
}

/// What all regions share is listed in one of them.
async fn abroad(removal: &AwsRemoval<'_>) -> Result<Vec<ResourceTagMapping>, Lost> {
    match removal.tagging_abroad().await {
        Some(Ok(client)) => resources(removal, &client).await,
        Some(Err(unready)) => Err(Lost::Unready(unready)),
        None => Ok(Vec::new()),
    }
}

async fn resources(removal: &AwsRemoval<'_>, client: &Client) -> Result<Vec<ResourceTagMapping>, Lost> {
    let mut calls = Vec::new();
    for filters in queries(&removal.ownership) {
        let request = client.get_resources().set_tag_filters(Some(filters)).resources_per_page(100);
        calls.push(Box::pin(request.into_paginator().items().send().try_collect()));
    }
    let answers: Vec<_> = stream::iter(calls).buffered(AT_A_TIME).collect().await;
    let mut found = Vec::new();
    for answer in answers {
        let answer = answer.map_err(|error| Lost::Fault(removal.session.fault(RESOURCES, &error)))?;
        found.extend(answer);
    }
    Ok(found)
}

/// What is asked for: all tags of an identifier at once, one identifier after the other; then what is shared.
fn queries(ownership: &Ownership) -> Vec<Vec<TagFilter>> {
    let with = |key: &str, value: &str| TagFilter::builder().key(key).values(value).build();
    let mut queries: Vec<Vec<TagFilter>> = Vec::new();
    for tags in ownership.identifiers() {
        queries.push(tags.iter().map(|(key, value)| with(key.as_str(), value.as_str())).collect());
    }
    queries.extend(ownership.shared_keys().map(|key| vec![with(key, SHARED)]));
    queries
}

/// What of EC2 carries the tags, by sort and id. EC2 keeps one list of all tags.
async fn tags_of_ec2(removal: &AwsRemoval<'_>) -> Result<BTreeMap<(String, String), Claim>, Lost> {
    let ec2 = removal.session.ec2().await?;
    let ownership = &removal.ownership;
    let request = ec2.describe_tags().filters(filter("key", ownership.keys()));
    let request = request.filters(filter("value", ownership.values()));
    let found = removal.session.answer(TAGS, request.into_paginator().items().send().try_collect()).await?;
    let mut tags: BTreeMap<(String, String), BTreeSet<(String, String)>> = BTreeMap::new();
    for tag in &found {
        let (sort, id) = (tag.resource_type().map(ResourceType::as_str), tag.resource_id());
        if let (Some(sort), Some(id), Some(key)) = (sort, id, tag.key()) {
            let value = tag.value().unwrap_or_default();
            let of_one = tags.entry((sort.to_owned(), id.to_owned())).or_default();
            of_one.insert((key.to_owned(), value.to_owned()));
        }
    }
    let claimed = tags.into_iter().filter_map(|(what, tags)| {
        let tags = tags.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let (fate, key) = ownership.claim(tags)?;
        Some((what, Claim { fate, key: key.to_owned(), first_hand: true }))
    });
    Ok(claimed.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_platform::removal::Target;

    const KEY: &str = "kubernetes.io/cluster/demo-bcd24";

    fn claim(fate: Disposition, first_hand: bool) -> Claim {
        Claim { fate, key: KEY.to_owned(), first_hand }
    }

    #[test]
    fn what_ec2_says_of_its_own_counts() {
        let mut claims = Claims::default();
        claims.put_ec2("vpc", "vpc-1", claim(Disposition::Released, true));
        claims.put("arn:aws:ec2:us-east-1:1:vpc/vpc-1", claim(Disposition::Removed, false));
        claims.put("arn:aws:ec2:us-east-1:1:vpc/vpc-2", claim(Disposition::Removed, false));
        claims.put("arn:aws:s3:::demo", claim(Disposition::Removed, false));
        let vpcs: Vec<(&str, Disposition)> =
            claims.of_ec2("vpc").map(|(id, claim)| (id, claim.fate)).collect();
        assert_eq!(vpcs, [("vpc-1", Disposition::Released), ("vpc-2", Disposition::Removed)]);
        assert_eq!(claims.of_ec2("subnet").count(), 0);
        assert_eq!(claims.sorts_of_ec2().collect::<Vec<&str>>(), ["vpc"]);
        let buckets: Vec<&str> = claims.of("s3", "").map(|(_, arn, _)| arn.id).collect();
        assert_eq!(buckets, ["demo"]);
    }

    #[test]
    fn each_identifier_is_asked_for_by_itself() {
        let target = Target { infra_id: "demo-bcd24".to_owned(), ..Target::default() };
        let asked = queries(&Ownership::of(&target));
        let asked: Vec<(Option<&str>, &[String])> =
            asked.iter().flatten().map(|filter| (filter.key(), filter.values())).collect();
        let (owned, shared) = (["owned".to_owned()], ["shared".to_owned()]);
        let provider = "sigs.k8s.io/cluster-api-provider-aws/cluster/demo-bcd24";
        let wanted = [
            (Some(KEY), owned.as_slice()),
            (Some(provider), owned.as_slice()),
            (Some(KEY), shared.as_slice()),
        ];
        assert_eq!(asked, wanted);
    }

    #[test]
    fn only_what_is_the_clusters_is_claimed() {
        let target = Target { infra_id: "demo-bcd24".to_owned(), ..Target::default() };
        let ownership = Ownership::of(&target);
        let mapping = |arn: &str, value: &str| {
            let tag = aws_sdk_resourcegroupstagging::types::Tag::builder().key(KEY).value(value).build().ok();
            ResourceTagMapping::builder().resource_arn(arn).set_tags(tag.map(|tag| vec![tag])).build()
        };
        let mut claims = Claims::default();
        for (arn, value) in
            [("arn:aws:s3:::a", "owned"), ("arn:aws:s3:::b", "x"), ("arn:aws:s3:::c", "shared")]
        {
            put(&mut claims, &ownership, &mapping(arn, value));
        }
        let found: Vec<(&str, Disposition)> =
            claims.others().map(|(_, arn, claim)| (arn.id, claim.fate)).collect();
        assert_eq!(found, [("a", Disposition::Removed), ("c", Disposition::Released)]);
    }
}
