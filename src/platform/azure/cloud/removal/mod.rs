//! The removal of a cluster from Azure: what it owns, and how each thing of it goes (`assets.md`, E.6).
//!
//! `holdings` finds groups and resources, `records`, `identities`, `subnet_uses` and `directory` what the
//! cluster has outside of them; `discover` puts them together with their order. `delete` removes, `release`
//! takes the tag off what only was used, `holders` names what is in the way.

mod clusters;
mod delete;
mod directory;
mod discover;
mod holders;
mod holdings;
mod identities;
mod kinds;
mod names;
mod pages;
mod records;
mod release;
mod subnet_uses;

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use futures::future::join_all;

use self::names::Owner;
use super::arm::Arm;
use super::environment;
use super::fault::Fault;
use super::operations::Operation;
use super::session::Session;
use crate::finding::{Finding, Kind};
use crate::platform::azure::target;
use crate::platform::cloud::{Asked, Asking, Session as _, Unready, Verdict, Waiting};
use crate::platform::removal::{Account, Discovered, FoundCluster, Holder, Outcome, Removal, Target, Thing};

pub(in crate::platform::azure::cloud) use pages::PAGES;

/// The removal of one cluster.
pub(super) struct AzureRemoval<'a> {
    session: Session<'a>,
    target: &'a Target,
    /// What is under way, by the thing that goes.
    operations: Mutex<BTreeMap<String, Operation>>,
    directory: OnceLock<directory::Directory>,
    /// What the resource manager said last of a thing that did not go.
    said: Mutex<BTreeMap<String, Fault>>,
}

/// What questions are put with.
#[derive(Clone)]
pub(super) struct Ask<'s> {
    arm: &'s Arm,
    subscription: String,
    /// Whether the cloud is an Azure Stack Hub, which lacks some services.
    hub: bool,
    owner: Owner,
    /// The group that the metadata names as the user's; empty where it names none.
    given_group: &'s str,
    /// The group of the base domain's zone; empty where nobody says it.
    dns_group: &'s str,
}

impl<'a> AzureRemoval<'a> {
    /// The removal of a cluster; nothing is called yet.
    pub(super) fn new(asking: Asking<'a>, target: &'a Target) -> Self {
        Self {
            session: Session::new(asking),
            target,
            operations: Mutex::default(),
            directory: OnceLock::new(),
            said: Mutex::default(),
        }
    }
}

impl AzureRemoval<'_> {
    /// What questions are put with, once the cloud answers and the caller is known.
    async fn ask(&self) -> Asked<Ask<'_>> {
        let arm = match self.session.arm().await {
            Ok(arm) => arm,
            Err(unready) => return Err(self.cause(unready).await),
        };
        let found = self.session.found_subscription().await;
        let subscription = found.map(|found| found.id.clone()).map_err(|answer| answer.verdict.clone())?;
        Ok(Ask {
            arm,
            subscription,
            hub: environment::is_hub(&self.session),
            owner: Owner::new(&self.target.infra_id),
            given_group: self.target.text(target::GROUP),
            dns_group: self.target.text(target::DNS_GROUP),
        })
    }

    /// What stands behind questions that cannot be put: the first finding of what all rests on.
    async fn cause(&self, unready: Unready) -> Verdict {
        for check in self.session.foundations() {
            if let Verdict::Found(finding) = check.run.await.verdict
                && finding.is_error()
            {
                return Verdict::Found(finding);
            }
        }
        unready.into()
    }

    async fn account_of_caller(&self) -> Asked<Account> {
        let ask = self.ask().await?;
        let caller = match self.session.caller().await {
            Ok(caller) => caller,
            Err(unready) => return Err(unready.into()),
        };
        let who = if caller.client.is_empty() { &caller.object } else { &caller.client };
        Ok(Account { id: ask.subscription, caller: format!("{who} of tenant {}", caller.tenant) })
    }

    /// Notes what was said of a thing that did not go.
    fn note(&self, thing: &Thing, fault: &Fault) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.insert(thing.id.clone(), fault.clone());
    }

    /// What was said last of a thing that did not go.
    fn said_of(&self, thing: &Thing) -> Option<Fault> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).get(&thing.id).cloned()
    }
}

impl Removal for AzureRemoval<'_> {
    fn account(&self) -> Waiting<'_, Asked<Account>> {
        Box::pin(self.account_of_caller())
    }

    fn discover(&self) -> Waiting<'_, Discovered> {
        Box::pin(discover::discover(self))
    }

    fn remove<'s>(&'s self, things: &'s [&'s Thing]) -> Waiting<'s, Vec<Outcome>> {
        Box::pin(join_all(things.iter().map(move |thing| Box::pin(delete::remove(self, thing)))))
    }

    fn look<'s>(&'s self, things: &'s [&'s Thing]) -> Waiting<'s, Vec<Outcome>> {
        Box::pin(join_all(things.iter().map(move |thing| Box::pin(delete::look(self, thing)))))
    }

    fn holders<'s>(&'s self, thing: &'s Thing) -> Waiting<'s, Vec<Holder>> {
        Box::pin(holders::holders(self, thing))
    }

    fn clusters(&self) -> Waiting<'_, Asked<Vec<FoundCluster>>> {
        Box::pin(clusters::clusters(self))
    }
}

/// That something could not be looked at, as a finding.
fn unseen(what: &str, fault: &Fault) -> Finding {
    let told = fault.finding("");
    let message = format!("{what} cannot be looked at: {}", fault.sentence());
    Finding { help: told.help, ..Finding::error(&pages::UNSEEN, told.kind, "", message) }
}

/// Why nothing could be asked, as a finding.
fn unasked(verdict: Verdict) -> Finding {
    match verdict {
        Verdict::Found(finding) => *finding,
        Verdict::Skipped(why) | Verdict::Passed(why) => {
            let help = "run `landfall preflight`, or look at the network and at the credentials";
            Finding::error(&pages::UNSEEN, Kind::Invalid, "", why).help(help)
        }
    }
}
