//! What the cluster shares loses the cluster's tag and stays (`assets.md`, E.5).
//!
//! Each service takes the tag off its own things where it can: Resource Groups Tagging needs an ARN,
//! permissions of its own, and for what all regions share another region.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_ec2::types::Tag;
use aws_sdk_resourcegroupstagging::operation::untag_resources::UntagResourcesOutput;
use aws_sdk_resourcegroupstagging::types::ErrorCode;
use landfall_platform::removal::{Kind, Outcome, Resource};

use super::batches::{self, Outcomes};
use super::tags::{self, is_of_ec2};
use super::{Stop, answers, bare, route53};
use crate::fault::Fault;
use crate::removal::discover::identities::tags_of;
use crate::removal::ownership::SHARED;
use crate::removal::{AwsRemoval, kinds};

/// The most things that a call of Resource Groups Tagging untags.
const MOST_TO_UNTAG: usize = 20;

/// Releases things of one kind.
pub(super) async fn release(removal: &AwsRemoval<'_>, things: &[&Resource]) -> Vec<Outcome> {
    let Some(first) = things.first() else {
        return Vec::new();
    };
    // EC2 takes a call that names no tags to be about all of them.
    if removal.ownership.shared_keys().next().is_none() {
        let why = "it is not known which tag is the cluster's".to_owned();
        return vec![Outcome::Failed { why }; things.len()];
    }
    if is_of_ec2(first) {
        return Box::pin(of_ec2(removal, things)).await;
    }
    if !goes_alone(first.kind) {
        return Box::pin(of_any_service(removal, things)).await;
    }
    let mut outcomes = Vec::with_capacity(things.len());
    for thing in things {
        outcomes.push(Box::pin(alone(removal, thing)).await.unwrap_or_else(|stop| stop.outcome(thing)));
    }
    outcomes
}

/// Whether things of a kind lose the tag one by one, by a call of their service.
fn goes_alone(kind: &Kind) -> bool {
    let alone = [
        &kinds::ROLE,
        &kinds::USER,
        &kinds::INSTANCE_PROFILE,
        &kinds::POLICY,
        &kinds::HOSTED_ZONE,
        &kinds::RECORD,
    ];
    alone.contains(&kind)
}

/// Whether tags say that the cluster shares this.
pub(super) fn carries<'t>(
    removal: &AwsRemoval<'_>,
    tags: impl IntoIterator<Item = (&'t str, &'t str)>,
) -> bool {
    let keys: BTreeSet<&str> = removal.ownership.shared_keys().collect();
    tags.into_iter().any(|(key, value)| keys.contains(key) && value == SHARED)
}

/// Takes the tags off things of EC2. They go only where they still have their values, so that what somebody has
/// given to the cluster since stays its own.
async fn of_ec2(removal: &AwsRemoval<'_>, things: &[&Resource]) -> Vec<Outcome> {
    const CALL: &str = "ec2:DeleteTags";
    let ec2 = ready!(removal.session.ec2(), things);
    let tag = |(key, value): (&str, &str)| Tag::builder().key(key).value(value).build();
    let tags: Vec<Tag> = removal.ownership.all_marks().map(tag).collect();
    let delete = |ids: Vec<String>| ec2.delete_tags().set_resources(Some(ids)).set_tags(Some(tags.clone()));
    together!(things, |ids| ask!(removal, CALL, delete(ids)), |_answer, thing| Outcome::Gone)
}

/// Takes the tag off a thing of IAM or Route 53.
async fn alone(removal: &AwsRemoval<'_>, thing: &Resource) -> Result<Outcome, Stop> {
    let name = bare(&thing.id);
    if *thing.kind == kinds::RECORD {
        return Ok(Outcome::Refused(Box::new(super::pages::unknown(thing))));
    }
    if *thing.kind == kinds::HOSTED_ZONE {
        return Box::pin(route53::release(removal, name)).await;
    }
    let tags = Box::pin(tags_of(&removal.session, thing.kind, &thing.id)).await?;
    let keys = removal.ownership.marks(tags.iter().map(|tag| (tag.key(), tag.value())));
    if keys.is_empty() {
        return Ok(Outcome::Gone);
    }
    let keys = Some(keys);
    let iam = removal.session.iam().await?;
    if *thing.kind == kinds::ROLE {
        ask!(removal, "iam:UntagRole", iam.untag_role().role_name(name).set_tag_keys(keys))?;
    } else if *thing.kind == kinds::USER {
        ask!(removal, "iam:UntagUser", iam.untag_user().user_name(name).set_tag_keys(keys))?;
    } else if *thing.kind == kinds::POLICY {
        let request = iam.untag_policy().policy_arn(&thing.id).set_tag_keys(keys);
        ask!(removal, "iam:UntagPolicy", request)?;
    } else {
        let request = iam.untag_instance_profile().instance_profile_name(name).set_tag_keys(keys);
        ask!(removal, "iam:UntagInstanceProfile", request)?;
    }
    Ok(Outcome::Gone)
}

/// Takes the tag off things of other services.
async fn of_any_service(removal: &AwsRemoval<'_>, things: &[&Resource]) -> Vec<Outcome> {
    const CALL: &str = "tag:UntagResources";
    let mut outcomes = Outcomes::new();
    for (client, lot) in Box::pin(tags::by_region(removal, things)).await {
        let client = match client {
            Ok(client) => client,
            Err(unready) => {
                let stop = Stop::from(unready);
                outcomes.extend(lot.iter().map(|thing| (thing.id.as_str(), stop.outcome(thing))));
                continue;
            }
        };
        let marks = match Box::pin(tags::marks(removal, &client, &lot)).await {
            Ok(marks) => marks,
            Err(stop) => {
                outcomes.extend(lot.iter().map(|thing| (thing.id.as_str(), stop.outcome(thing))));
                continue;
            }
        };
        let mut by_marks: BTreeMap<Vec<String>, Vec<&Resource>> = BTreeMap::new();
        for thing in lot {
            match marks.get(&thing.id).filter(|marks| !marks.is_empty()) {
                Some(marks) => by_marks.entry(marks.clone()).or_default().push(thing),
                // Somebody else took them off.
                None => drop(outcomes.insert(thing.id.as_str(), Outcome::Gone)),
            }
        }
        for (marks, lot) in &by_marks {
            for some in lot.chunks(MOST_TO_UNTAG) {
                let arns: Vec<String> = some.iter().map(|thing| thing.id.clone()).collect();
                let request = client.untag_resources().set_resource_arn_list(Some(arns));
                let asked = ask!(removal, CALL, request.set_tag_keys(Some(marks.clone())));
                for thing in some {
                    let fault = match &asked {
                        Ok(answer) => {
                            failure(removal, answer, thing).map(|fault| answers::outcome(&fault, thing))
                        }
                        Err(fault) => Some(answers::outcome(fault, thing)),
                    };
                    outcomes.insert(thing.id.as_str(), fault.unwrap_or(Outcome::Gone));
                }
            }
        }
    }
    batches::in_order(things, outcomes)
}

/// What an answer says of a thing that did not lose the tag.
fn failure(removal: &AwsRemoval<'_>, answer: &UntagResourcesOutput, thing: &Resource) -> Option<Fault> {
    let failed = answer.failed_resources_map()?.get(&thing.id)?;
    let code = failed.error_code().map(ErrorCode::as_str).unwrap_or_default();
    Some(removal.said("tag:UntagResources", code, failed.error_message().unwrap_or_default()))
}

/// Which of the things of one kind still carry the tag, by their ids.
pub(super) async fn tagged(removal: &AwsRemoval<'_>, things: &[&Resource]) -> Result<BTreeSet<String>, Stop> {
    let Some(first) = things.first() else {
        return Ok(BTreeSet::new());
    };
    if is_of_ec2(first) || !goes_alone(first.kind) {
        return Box::pin(tags::carried(removal, things)).await;
    }
    let mut tagged = BTreeSet::new();
    for thing in things {
        if Box::pin(is_tagged(removal, thing)).await? {
            tagged.insert(thing.id.clone());
        }
    }
    Ok(tagged)
}

/// Whether a thing of IAM or Route 53 still carries the tag.
async fn is_tagged(removal: &AwsRemoval<'_>, thing: &Resource) -> Result<bool, Stop> {
    if *thing.kind == kinds::RECORD {
        return Ok(true);
    }
    if *thing.kind == kinds::HOSTED_ZONE {
        return still(Box::pin(route53::is_tagged(removal, bare(&thing.id))).await);
    }
    let asked = Box::pin(tags_of(&removal.session, thing.kind, &thing.id)).await.map_err(Stop::from);
    still(asked.map(|tags| carries(removal, tags.iter().map(|tag| (tag.key(), tag.value())))))
}

/// What is not there carries nothing.
fn still(asked: Result<bool, Stop>) -> Result<bool, Stop> {
    match asked {
        Err(Stop::Fault(fault)) if answers::meaning(&fault) == answers::Meaning::Gone => Ok(false),
        asked => asked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_platform::removal::Disposition;

    #[test]
    fn things_of_ec2_lose_their_tags_together() {
        let thing = |id: &str| Resource {
            id: id.to_owned(),
            kind: &kinds::SUBNET,
            name: String::new(),
            fate: Disposition::Released,
            after: Vec::new(),
        };
        assert!(is_of_ec2(&thing("arn:aws:ec2:us-east-1:123456789012:subnet/subnet-1")));
        assert!(!is_of_ec2(&thing("arn:aws:route53:::hostedzone/Z1")));
        assert!(goes_alone(&kinds::ROLE));
        assert!(!goes_alone(&kinds::LOAD_BALANCER));
    }
}
