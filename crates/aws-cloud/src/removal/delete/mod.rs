//! How each sort of thing goes, and how to see that it is gone.
//!
//! A file for each service. What an error of AWS means for the thing is a table in `answers`; `batches` has what
//! to do where one call for many things failed as a whole. Every call is safe to repeat: what is not there
//! any more is gone.

/// Puts a request; a call that failed is a fault.
macro_rules! ask {
    ($removal:expr, $call:expr, $request:expr) => {
        $removal.session.answer($call, $request.send()).await
    };
}

/// Puts a request for a list, to its end; a call that failed is a fault.
macro_rules! list {
    ($removal:expr, $call:expr, $request:expr) => {
        $removal.session.answer($call, $request.into_paginator().items().send().try_collect()).await
    };
}

/// Puts a request for many things, given their ids: all of them together, and fewer where that fails as a
/// whole. What an answer says of a thing becomes its outcome; the outcomes are in the order of the things.
macro_rules! together {
    ($things:expr, |$ids:ident| $asked:expr, |$answer:ident, $thing:ident| $outcome:expr) => {{
        let mut outcomes = super::batches::Outcomes::new();
        let mut waiting = vec![$things.to_vec()];
        while let Some(lot) = waiting.pop() {
            let $ids: Vec<String> = lot.iter().map(|thing| super::bare(&thing.id).to_owned()).collect();
            match $asked {
                Ok($answer) => {
                    outcomes.extend(lot.iter().map(|$thing| ($thing.id.as_str(), $outcome)));
                }
                Err(fault) => waiting.extend(super::batches::blame(&fault, lot, &mut outcomes)),
            }
        }
        super::batches::in_order($things, outcomes)
    }};
}

/// A client; where there is none, that is what comes of all things.
macro_rules! ready {
    ($client:expr, $things:expr) => {
        match $client.await {
            Ok(client) => client,
            Err(unready) => return super::Stop::from(unready).outcomes($things),
        }
    };
}

mod answers;
mod balancers;
mod batches;
mod ec2_groups;
mod ec2_instances;
mod ec2_network;
mod ec2_storage;
mod iam;
mod iam_users;
mod look;
mod look_ec2;
mod others;
mod pages;
mod route53;
mod route53_changes;
mod s3;
mod tags;
mod untag;

use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::ErrorMetadata;
use futures::future::join_all;
use landfall_platform::cloud::Unready;
use landfall_platform::removal::{Disposition, Outcome, Resource};

use super::discover::ec2::{Ask, with_any};
use super::known::{self, Known};
use super::{AwsRemoval, kinds};
use crate::fault::Fault;
use crate::session::Lost;

pub(super) use look::look;

/// Why a thing is not gone yet.
#[derive(Debug)]
enum Stop {
    /// Nobody was asked.
    Unready(Unready),
    /// A call failed.
    Fault(Fault),
    /// It is already known what comes of it.
    Known(Outcome),
}

impl From<Unready> for Stop {
    fn from(unready: Unready) -> Self {
        Self::Unready(unready)
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Lost> for Stop {
    fn from(lost: Lost) -> Self {
        match lost {
            Lost::Unready(unready) => Self::Unready(unready),
            Lost::Fault(fault) => Self::Fault(fault),
        }
    }
}

impl Stop {
    /// What comes of a thing that was to be removed.
    fn outcome(&self, thing: &Resource) -> Outcome {
        match self {
            Self::Unready(unready) => Outcome::Failed { why: unready.0.clone() },
            Self::Fault(fault) => answers::outcome(fault, thing),
            Self::Known(outcome) => outcome.clone(),
        }
    }

    /// The same for each of several things.
    fn outcomes(&self, things: &[&Resource]) -> Vec<Outcome> {
        things.iter().map(|thing| self.outcome(thing)).collect()
    }
}

/// What a look at the cloud learned of a thing, or else what EC2 describes now.
async fn detail<T: Ask, D>(
    removal: &AwsRemoval<'_>,
    filter: &str,
    id: &str,
    take: fn(&mut Known, &str) -> Option<D>,
) -> Result<D, Stop> {
    if let Some(known) = known::with(&removal.known, |known| take(known, id)) {
        return Ok(known);
    }
    let mut now = Known::default();
    for found in with_any::<T>(&removal.session, filter, &[id]).await? {
        found.learn(&mut now);
    }
    take(&mut now, id).ok_or(Stop::Known(Outcome::Gone))
}

impl AwsRemoval<'_> {
    /// A failure that an answer lists, as if the call had failed with it.
    fn said(&self, call: &str, code: &str, message: &str) -> Fault {
        let code = code.strip_prefix("Client.").unwrap_or(code);
        let said = ErrorMetadata::builder().code(code).message(message).build();
        let error: SdkError<ErrorMetadata, ()> = SdkError::service_error(said, ());
        self.session.fault(call, &error)
    }
}

/// Removes or releases things of one kind and one fate; an outcome for each, in their order.
pub(super) async fn remove(removal: &AwsRemoval<'_>, things: &[&Resource]) -> Vec<Outcome> {
    let Some(first) = things.first() else {
        return Vec::new();
    };
    match first.kind {
        _ if first.fate == Disposition::Released => Box::pin(untag::release(removal, things)).await,
        kind if *kind == kinds::INSTANCE => Box::pin(ec2_instances::terminate(removal, things)).await,
        kind if *kind == kinds::DEDICATED_HOST => Box::pin(ec2_instances::hosts(removal, things)).await,
        kind if *kind == kinds::VPC_ENDPOINT => Box::pin(ec2_network::endpoints(removal, things)).await,
        kind if *kind == kinds::ENDPOINT_SERVICE => Box::pin(ec2_network::services(removal, things)).await,
        kind if *kind == kinds::SECURITY_GROUP => Box::pin(ec2_groups::groups(removal, things)).await,
        kind if *kind == kinds::RECORD => Box::pin(route53::records(removal, things)).await,
        _ => {
            let mut each = Vec::with_capacity(things.len());
            for thing in things {
                each.push(Box::pin(alone(removal, thing)));
            }
            join_all(each).await
        }
    }
}

/// Removes a thing of a kind that goes one by one.
async fn alone(removal: &AwsRemoval<'_>, thing: &Resource) -> Outcome {
    Box::pin(one(removal, thing)).await.unwrap_or_else(|stop| stop.outcome(thing))
}

async fn one(removal: &AwsRemoval<'_>, thing: &Resource) -> Result<Outcome, Stop> {
    let id = bare(&thing.id);
    let kind = thing.kind;
    let gateways = [&kinds::INTERNET_GATEWAY, &kinds::EGRESS_ONLY_GATEWAY, &kinds::CARRIER_GATEWAY];
    let storage = [&kinds::VOLUME, &kinds::SNAPSHOT, &kinds::IMAGE];
    let identities = [&kinds::INSTANCE_PROFILE, &kinds::ROLE, &kinds::POLICY];
    let balancing =
        [&kinds::CLASSIC_LOAD_BALANCER, &kinds::LOAD_BALANCER, &kinds::LISTENER, &kinds::TARGET_GROUP];
    match kind {
        _ if gateways.contains(&kind) => Box::pin(ec2_network::gateway(removal, kind, id)).await,
        _ if storage.contains(&kind) => Box::pin(ec2_storage::remove(removal, kind, id)).await,
        _ if balancing.contains(&kind) => Box::pin(balancers::remove(removal, thing)).await,
        _ if identities.contains(&kind) => Box::pin(iam::remove(removal, thing)).await,
        _ if *kind == kinds::USER => Box::pin(iam_users::user(removal, id)).await,
        _ if *kind == kinds::ROUTE_TABLE => Box::pin(ec2_groups::route_table(removal, id)).await,
        _ if *kind == kinds::PLACEMENT_GROUP => {
            Box::pin(ec2_instances::placement_group(removal, thing, id)).await
        }
        _ if *kind == kinds::HOSTED_ZONE => Box::pin(route53::zone(removal, id)).await,
        _ if *kind == kinds::BUCKET => Box::pin(s3::bucket(removal, thing, id)).await,
        _ if kinds::is_unremovable(kind) => Box::pin(others::remove(removal, thing)).await,
        _ => Box::pin(ec2_network::remove(removal, thing, id)).await,
    }
}

/// The id or name that AWS gives a thing within its service.
fn bare(id: &str) -> &str {
    id.rsplit(['/', ':']).next().unwrap_or(id)
}

/// What a call did, where it does not matter if there was nothing to do.
fn settled<T>(asked: Result<T, Fault>) -> Result<(), Fault> {
    match asked {
        Err(fault) if answers::meaning(&fault) != answers::Meaning::Gone => Err(fault),
        _ => Ok(()),
    }
}

/// A list, or nothing where the caller may not see it: what it might hold is told by the call that it matters
/// for.
fn if_allowed<T>(asked: Result<Vec<T>, Fault>) -> Result<Vec<T>, Fault> {
    match asked {
        Err(fault) if answers::meaning(&fault) == answers::Meaning::Denied => Ok(Vec::new()),
        asked => asked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Sort;

    #[test]
    fn the_id_within_a_service_is_the_last_part() {
        let bare_of = [
            ("arn:aws:ec2:us-east-1:123456789012:vpc/vpc-1", "vpc-1"),
            ("arn:aws-us-gov:iam::123456789012:role/a/path/demo-master-role", "demo-master-role"),
            ("arn:aws:s3:::demo-bootstrap", "demo-bootstrap"),
            ("arn:aws:route53:::hostedzone/Z1", "Z1"),
            ("ec2:subnet/subnet-1", "subnet-1"),
            ("subnet-1", "subnet-1"),
        ];
        for (id, expected) in bare_of {
            assert_eq!(bare(id), expected, "{id}");
        }
    }

    fn fault(sort: Sort, code: &str) -> Fault {
        Fault {
            call: "iam:RemoveRoleFromInstanceProfile".to_owned(),
            sort,
            code: Some(code.to_owned()),
            message: String::new(),
            request_id: None,
            status: Some(400),
        }
    }

    #[test]
    fn a_list_that_may_not_be_seen_holds_nothing_up() {
        assert_eq!(if_allowed(Ok(vec![1])), Ok(vec![1]));
        assert_eq!(if_allowed::<u8>(Err(fault(Sort::Denied, "AccessDenied"))), Ok(Vec::new()));
        assert!(if_allowed::<u8>(Err(fault(Sort::Throttled, "Throttling"))).is_err());
    }

    #[test]
    fn what_is_not_there_need_not_be_undone() {
        assert_eq!(settled(Ok(1)), Ok(()));
        assert_eq!(settled::<()>(Err(fault(Sort::NotFound, "NoSuchEntity"))), Ok(()));
        assert!(settled::<()>(Err(fault(Sort::Service, "DeleteConflict"))).is_err());
    }

    #[test]
    fn without_anybody_to_ask_nothing_is_gone() {
        static KIND: landfall_platform::removal::Kind =
            landfall_platform::removal::Kind { name: "volume", batch: 1, help: "", last: false };
        let thing = Resource {
            id: "vol-1".to_owned(),
            kind: &KIND,
            name: String::new(),
            fate: Disposition::Removed,
            after: Vec::new(),
        };
        let outcomes = Stop::from(Unready("no endpoint".to_owned())).outcomes(&[&thing, &thing]);
        let failed = |outcome: &Outcome| matches!(outcome, Outcome::Failed { why } if why == "no endpoint");
        assert_eq!(outcomes.iter().filter(|outcome| failed(outcome)).count(), 2);
    }
}
