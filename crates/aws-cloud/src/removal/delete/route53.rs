//! Hosted zones and their records.
//!
//! Records of a public zone that mirror those of the cluster's own are things like any other, and go before
//! the zone does: where they cannot go, the zone stays, so that nobody forgets them.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use aws_sdk_route53::Client;
use aws_sdk_route53::types::{ResourceRecordSet, TagResourceType};
use aws_smithy_types::error::operation::BuildError;
use landfall_platform::removal::{Outcome, Resource};

use super::Stop;
use super::batches::{self, Outcomes};
use super::route53_changes::{batches, deletion, is_same};
use crate::dns::{self, LIST};
use crate::fault::{Fault, Sort};
use crate::removal::dns::{Balancers, is_below};
use crate::removal::known::Record;
use crate::removal::{AwsRemoval, known};

const CHANGE: &str = "route53:ChangeResourceRecordSets";

/// A record that is to go.
type Due<'t> = (&'t Resource, Record);

/// Deletes records, those of one zone with as few calls as can be.
pub(super) async fn records(removal: &AwsRemoval<'_>, things: &[&Resource]) -> Vec<Outcome> {
    let mut outcomes = Outcomes::new();
    let mut zones: BTreeMap<(String, bool), Vec<Due<'_>>> = BTreeMap::new();
    for thing in things {
        let record = known::with(&removal.known, |known| known.records.get(&thing.id).cloned());
        let Some(record) = record else {
            // The last look at everything has not found it, or found it to be another's by now.
            outcomes.insert(thing.id.as_str(), Outcome::Gone);
            continue;
        };
        let zone = (record.zone.clone(), record.by_zone_role);
        zones.entry(zone).or_default().push((*thing, record));
    }
    for ((zone, by_zone_role), due) in zones {
        let client = match removal.session.route53_by(by_zone_role).await.map_err(Stop::from) {
            Ok(client) => client,
            Err(stop) => {
                for (thing, _) in &due {
                    outcomes.insert(thing.id.as_str(), stop.outcome(thing));
                }
                continue;
            }
        };
        for batch in batches(due, |(_, record)| &record.set) {
            Box::pin(of_zone(removal, &client, &zone, batch, &mut outcomes)).await;
        }
    }
    batches::in_order(things, outcomes)
}

/// Deletes records of one zone with one call. Where Route 53 refuses them together, each is deleted by
/// itself.
async fn of_zone<'t>(
    removal: &AwsRemoval<'_>,
    client: &Client,
    zone: &str,
    batch: Vec<Due<'t>>,
    outcomes: &mut Outcomes<'t>,
) {
    if batch.len() > 1 {
        let sets: Vec<&ResourceRecordSet> = batch.iter().map(|(_, record)| &record.set).collect();
        match Box::pin(delete(removal, client, zone, &sets)).await {
            Ok(()) => {
                outcomes.extend(batch.iter().map(|(thing, _)| (thing.id.as_str(), Outcome::Gone)));
                return;
            }
            Err(Stop::Fault(fault)) if is_refused(&fault) => {}
            Err(stop) => {
                outcomes.extend(batch.iter().map(|(thing, _)| (thing.id.as_str(), stop.outcome(thing))));
                return;
            }
        }
    }
    for (thing, record) in batch {
        let outcome = match Box::pin(single(removal, client, zone, &record.set)).await {
            Ok(()) => Outcome::Gone,
            Err(stop) => stop.outcome(thing),
        };
        outcomes.insert(thing.id.as_str(), outcome);
    }
}

/// Whether Route 53 did not take the changes as they are: something in them is not there, or has other
/// values.
fn is_refused(fault: &Fault) -> bool {
    let unread = fault.sort == Sort::NotUnderstood && fault.status == Some(400);
    fault.is("InvalidChangeBatch") || unread
}

async fn delete(
    removal: &AwsRemoval<'_>,
    client: &Client,
    zone: &str,
    sets: &[&ResourceRecordSet],
) -> Result<(), Stop> {
    let unmade = |error: BuildError| Stop::Known(Outcome::Failed { why: error.to_string() });
    let changes = deletion(sets).map_err(unmade)?;
    let request = client.change_resource_record_sets().hosted_zone_id(zone).change_batch(changes);
    ask!(removal, CHANGE, request)?;
    Ok(())
}

/// Deletes a record as it was found. Where its values are others by now, it may be another's: only the next
/// look at everything tells.
async fn single(
    removal: &AwsRemoval<'_>,
    client: &Client,
    zone: &str,
    set: &ResourceRecordSet,
) -> Result<(), Stop> {
    let fault = match Box::pin(delete(removal, client, zone, &[set])).await {
        Err(Stop::Fault(fault)) if is_refused(&fault) => fault,
        done => return done,
    };
    match Box::pin(listed(removal, client, zone, set)).await? {
        None => Ok(()),
        Some(same) if same == *set => Err(fault.into()),
        Some(_) => {
            let why = "its values have changed since it was found".to_owned();
            Err(Stop::Known(Outcome::Held { why }))
        }
    }
}

/// A record as it is now; none where it is not there.
async fn listed(
    removal: &AwsRemoval<'_>,
    client: &Client,
    zone: &str,
    set: &ResourceRecordSet,
) -> Result<Option<ResourceRecordSet>, Stop> {
    let request = client
        .list_resource_record_sets()
        .hosted_zone_id(zone)
        .start_record_name(set.name())
        .start_record_type(set.r#type().clone())
        .set_start_record_identifier(set.set_identifier().map(str::to_owned))
        .max_items(1);
    let page = ask!(removal, LIST, request)?;
    Ok(page.resource_record_sets().iter().find(|found| is_same(found, set)).cloned())
}

/// Whether a record is still there as it was found.
pub(super) async fn is_listed(removal: &AwsRemoval<'_>, thing: &Resource) -> Result<bool, Stop> {
    let record = known::with(&removal.known, |known| known.records.get(&thing.id).cloned());
    let Some(record) = record else {
        return Ok(false);
    };
    let client = removal.session.route53_by(record.by_zone_role).await?;
    let found = Box::pin(listed(removal, &client, &record.zone, &record.set)).await?;
    Ok(found.is_some_and(|found| found == record.set))
}

/// Deletes a hosted zone. Records in it are things of their own: one that came later is found by a later look,
/// with the public record that mirrors it, and must not go before that one.
pub(super) async fn zone(removal: &AwsRemoval<'_>, id: &str) -> Result<Outcome, Stop> {
    let client = removal.session.route53().await?;
    ask!(removal, "route53:DeleteHostedZone", client.delete_hosted_zone().id(id))?;
    Ok(Outcome::Gone)
}

/// Releases a hosted zone that the cluster shares: it loses the cluster's tags once no record of the cluster is
/// in it, as nobody would look there any more.
pub(super) async fn release(removal: &AwsRemoval<'_>, id: &str) -> Result<Outcome, Stop> {
    const CALL: &str = "route53:ChangeTagsForResource";
    let client = removal.session.route53_by(true).await?;
    let domain = removal.cluster_domain();
    if !domain.is_empty() {
        let listed = dns::records(&removal.session, &client, id, None, |_| false).await?;
        let found = removal.found.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let balancers = Balancers { infra_id: &removal.target.infra_id, found: &found };
        let is_own = |set: &&ResourceRecordSet| {
            is_below(set.name(), domain) && (removal.is_sure_of_domain() || balancers.are_led_to(set))
        };
        let left = listed.iter().filter(is_own).count();
        if left > 0 {
            let why = format!("the zone still has {left} records of the cluster");
            return Ok(Outcome::Held { why });
        }
    }
    let tags = dns::tags(&removal.session, &client, id).await?;
    let keys = removal.ownership.marks(tags.iter().filter_map(|tag| Some((tag.key()?, tag.value()?))));
    if keys.is_empty() {
        return Ok(Outcome::Gone);
    }
    let request = client.change_tags_for_resource().resource_type(TagResourceType::Hostedzone);
    ask!(removal, CALL, request.resource_id(id).set_remove_tag_keys(Some(keys)))?;
    Ok(Outcome::Gone)
}

/// Whether a hosted zone that the cluster shares still carries one of its tags.
pub(super) async fn is_tagged(removal: &AwsRemoval<'_>, id: &str) -> Result<bool, Stop> {
    let client = removal.session.route53_by(true).await?;
    let tags = dns::tags(&removal.session, &client, id).await?;
    Ok(super::untag::carries(removal, tags.iter().filter_map(|tag| Some((tag.key()?, tag.value()?)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_that_are_not_taken_are_looked_at_one_by_one() {
        let fault = |sort: Sort, code: Option<&str>, status: u16| Fault {
            call: CHANGE.to_owned(),
            sort,
            code: code.map(str::to_owned),
            message: String::new(),
            request_id: None,
            status: Some(status),
        };
        assert!(is_refused(&fault(Sort::Service, Some("InvalidChangeBatch"), 400)));
        assert!(is_refused(&fault(Sort::NotUnderstood, None, 400)));
        assert!(!is_refused(&fault(Sort::NotUnderstood, None, 503)));
        assert!(!is_refused(&fault(Sort::Denied, Some("AccessDenied"), 403)));
    }
}
