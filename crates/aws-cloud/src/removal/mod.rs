//! The end of a cluster on AWS: what it owns, in which order that goes, and how (`assets.md`, chapter E).
//!
//! `ownership` tells by tags whose something is. `discover` looks for it in all services, and `graph` puts it
//! in order by a table of `kinds`; `dns` knows a record by where it leads. `delete` removes things, with what
//! `discover` left in `known`; `holders` and `vpc_holders` say what is in the way of something. `elsewhere` asks
//! the other regions.

mod arn;
mod clusters;
mod delete;
mod discover;
mod dns;
mod elsewhere;
mod graph;
mod holders;
mod kinds;
mod known;
mod named;
mod ownership;
mod pages;
mod vpc_holders;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use landfall_platform::cloud::{Asked, Asking, Unready, Verdict, Waiting};
use landfall_platform::removal::{
    Account, Discovered, Elsewhere, FoundClusters, Holder, Outcome, Removal, Resource, Target,
};
use tokio::sync::OnceCell;
use tokio::time::Instant;

use self::arn::{Arn, Home};
use self::known::Known;
use self::ownership::Ownership;
use super::clients::{in_region, settings};
use super::endpoints::{self, Endpoint, Service};
use super::session::{Lost, Session};

/// The most values that a filter of EC2 takes.
const MOST_VALUES: usize = 200;

/// The removal of one cluster.
pub(super) struct AwsRemoval<'a> {
    /// Who asks, and by which clients.
    session: Session<'a>,
    /// The cluster.
    target: &'a Target,
    /// How its things are known.
    ownership: Ownership,
    /// What the last look learned of them.
    known: Mutex<Known>,
    /// What the last look found, by the names that others call it.
    found: Mutex<BTreeSet<String>>,
    /// Ids of what the cluster only uses, as tags said that landfall takes off.
    used: Mutex<BTreeSet<String>>,
    /// Ids of roles and users that are not the cluster's.
    foreign: Mutex<BTreeSet<String>>,
    /// Since when things that nobody here can remove were to go, by their ids.
    unremoved: Mutex<BTreeMap<String, Instant>>,
    abroad: OnceCell<aws_sdk_resourcegroupstagging::Client>,
}

impl<'a> AwsRemoval<'a> {
    /// Begins; nothing is called yet.
    pub(super) fn new(asking: Asking<'a>, target: &'a Target) -> Self {
        Self {
            session: Session::new(asking),
            target,
            ownership: Ownership::of(target),
            known: Mutex::default(),
            found: Mutex::default(),
            used: Mutex::default(),
            foreign: Mutex::default(),
            unremoved: Mutex::default(),
            abroad: OnceCell::new(),
        }
    }
}

impl AwsRemoval<'_> {
    /// The domain that the cluster's records are in, without a final dot; empty where nobody says it.
    fn cluster_domain(&self) -> &str {
        let domain = self.target.platform.get("clusterDomain").and_then(serde_json::Value::as_str);
        domain.unwrap_or_default().trim_matches('.')
    }

    /// Whether that domain is the cluster's by its metadata. Without them somebody has typed it, and a domain
    /// that is too short would have the records of others below it.
    fn is_sure_of_domain(&self) -> bool {
        let rest = self.cluster_domain().strip_prefix(self.target.cluster_name.as_str());
        !self.target.cluster_name.is_empty() && rest.is_some_and(|rest| rest.starts_with('.'))
    }

    /// Whether a role of another account is needed for the hosted zone.
    fn has_zone_role(&self) -> bool {
        !self.session.platform.hosted_zone_role.is_empty()
    }

    /// Whether the endpoint that says who the caller is may answer another time.
    async fn may_answer(&self) -> bool {
        self.session.reached(Service::Sts).await.may_pass()
    }

    /// Where the cluster's things are.
    async fn home(&self) -> Result<Home, Lost> {
        let caller = self.session.identity().await?;
        let region = self.session.region();
        let listed = self.session.asking.catalogue.aws.partition_of(region).map(|(id, _)| id);
        let partition = Arn::parse(&caller.arn).map(|arn| arn.partition).or(listed);
        Ok(Home {
            partition: partition.unwrap_or("aws").to_owned(),
            region: region.to_owned(),
            account: caller.account.clone(),
        })
    }

    /// The client of Resource Groups Tagging in the region where what all regions share is listed; none where
    /// that is the cluster's own region, or where nobody knows it.
    async fn tagging_abroad(&self) -> Option<Result<aws_sdk_resourcegroupstagging::Client, Unready>> {
        let (_, partition) = self.session.asking.catalogue.aws.partition_of(self.session.region())?;
        let region = partition.global_region.as_deref().filter(|region| *region != self.session.region())?;
        let client = self.abroad.get_or_try_init(|| Box::pin(tagging_in(&self.session, region))).await;
        Some(client.cloned())
    }

    /// Whether the cluster only uses what has this id, as an earlier look saw.
    fn is_used(&self, id: &str) -> bool {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).contains(id)
    }

    /// Whether the last look found something that is called this.
    fn has_found(&self, name: &str) -> bool {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).contains(name)
    }
}

/// A client of Resource Groups Tagging in another region. An endpoint that somebody gave for the service
/// counts for all regions (`assets.md`, E.2).
async fn tagging_in(
    session: &Session<'_>,
    region: &str,
) -> Result<aws_sdk_resourcegroupstagging::Client, Unready> {
    session.caller().await?;
    let found = session.found().await.map_err(|finding| Unready(finding.message))?;
    let given = endpoints::custom(session.platform, Service::Tagging.name()).is_some();
    let reached = session.reached(Service::Tagging).await;
    let endpoint = match reached.endpoint(session, Service::Tagging) {
        Ok(own) if own.is_override() => Endpoint { signing_region: region.to_owned(), ..own.clone() },
        Err(why) if given => return Err(why),
        Ok(_) | Err(_) => session.reached_in(Service::Tagging, region).await?,
    };
    let there = in_region(&found.config, region);
    let settings = settings!(aws_sdk_resourcegroupstagging, &there, &endpoint);
    Ok(aws_sdk_resourcegroupstagging::Client::from_conf(settings.build()))
}

impl Removal for AwsRemoval<'_> {
    fn account(&self) -> Waiting<'_, Asked<Account>> {
        Box::pin(async move {
            if let Err(finding) = self.session.found().await {
                return Err(Verdict::Found(finding));
            }
            match self.session.identity().await {
                Ok(caller) => Ok(Account { id: caller.account.clone(), caller: caller.arn.clone() }),
                Err(Lost::Unready(unready)) if self.may_answer().await => Err(unready.into()),
                Err(Lost::Fault(fault)) if fault.may_pass() => Err(Verdict::Skipped(fault.sentence())),
                Err(Lost::Fault(fault)) => Err(fault.verdict("")),
                Err(lost @ Lost::Unready(_)) => {
                    Err(Verdict::Found(Box::new(pages::unseen("the account", &lost))))
                }
            }
        })
    }

    fn discover(&self) -> Waiting<'_, Discovered> {
        Box::pin(discover::discover(self))
    }

    fn remove<'s>(&'s self, things: &'s [&'s Resource]) -> Waiting<'s, Vec<Outcome>> {
        Box::pin(delete::remove(self, things))
    }

    fn look<'s>(&'s self, things: &'s [&'s Resource]) -> Waiting<'s, Vec<Outcome>> {
        Box::pin(delete::look(self, things))
    }

    fn holders<'s>(&'s self, thing: &'s Resource) -> Waiting<'s, Vec<Holder>> {
        Box::pin(async move { holders::holders(self, &[thing]).await.pop().unwrap_or_default() })
    }

    fn holders_of<'s>(&'s self, things: &'s [&'s Resource]) -> Waiting<'s, Vec<Vec<Holder>>> {
        Box::pin(holders::holders(self, things))
    }

    fn is_local(&self, thing: &Resource) -> bool {
        elsewhere::is_in(self.session.region(), thing)
    }

    fn elsewhere<'s>(&'s self, found: &'s [Resource]) -> Waiting<'s, Elsewhere> {
        Box::pin(elsewhere::elsewhere(self, found))
    }

    fn is_off(&self) -> Waiting<'_, bool> {
        Box::pin(async move { self.session.off().await.is_some() })
    }

    fn clusters(&self) -> Waiting<'_, Asked<FoundClusters>> {
        Box::pin(clusters::clusters(self))
    }
}
