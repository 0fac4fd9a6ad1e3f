//! The removal of a cluster from Azure: what it owns, and how each thing of it goes (`assets.md`, E.6).
//!
//! `holdings` finds groups and resources, `records`, `identities`, `subnet_uses` and `directory` what the
//! cluster has outside of them; `opened` says which groups are emptied one by one; `discover` puts all of it
//! together with its order; `elsewhere` asks the other subscriptions. `delete` removes, `release` takes the tag off what only was used, `holders` names
//! what is in the way.

mod clusters;
mod delete;
mod directory;
mod discover;
mod elsewhere;
mod holders;
mod holdings;
mod identities;
mod kinds;
mod names;
mod opened;
mod pages;
mod records;
mod release;
mod subnet_uses;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use futures::future::join_all;
use landfall_diagnostics::{Finding, Kind};
use landfall_platform::cloud::{Asked, Asking, Session as _, Unready, Verdict, Waiting};
use landfall_platform::removal::{
    Account, Discovered, Elsewhere, FoundClusters, Holder, Outcome, Removal, Resource, Target,
};

use self::names::Owner;
use super::arm::Arm;
use super::fault::Fault;
use super::operations::Operation;
use super::session::Session;
use super::{authority, environment};
use crate::target;

/// The removal of one cluster.
pub(super) struct AzureRemoval<'a> {
    /// Begun anew after one in which nothing could be asked, since a session remembers what failed.
    session: Mutex<Arc<Session<'a>>>,
    target: &'a Target,
    /// The subscription that was asked first.
    subscription: OnceLock<String>,
    /// What is under way, by the thing that goes.
    operations: Mutex<BTreeMap<String, Operation>>,
    directory: OnceLock<directory::Directory>,
    /// What the resource manager said last of things that did not go, by their ids in lower case.
    said: Mutex<BTreeMap<String, Fault>>,
    /// How ids were written when they were first found, by what they are in lower case.
    spellings: Mutex<BTreeMap<String, String>>,
    shared: Arc<Mutex<BTreeSet<String>>>,
    names: Arc<Mutex<records::Names>>,
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
    /// The cluster's name; empty if it is unknown.
    cluster_name: &'s str,
    /// The base domain; empty if it is unknown.
    base_domain: &'s str,
    /// What was found to be shared in this run, by ids in lower case.
    shared: Arc<Mutex<BTreeSet<String>>>,
    /// The names in the cluster's private zones that were read in this run.
    names: Arc<Mutex<records::Names>>,
}

#[cfg(test)]
impl<'s> Ask<'s> {
    /// Questions of a test, about the cluster `demo-bcd24` in the subscription `s`.
    fn of_test(arm: &'s Arm) -> Self {
        Self {
            arm,
            subscription: "s".to_owned(),
            hub: false,
            owner: Owner::new("demo-bcd24"),
            given_group: "",
            dns_group: "",
            cluster_name: "demo",
            base_domain: "",
            shared: Arc::default(),
            names: Arc::default(),
        }
    }
}

impl Ask<'_> {
    /// Whether something was shared when it was first found. Such a thing stays, whatever lists say of it once
    /// it has lost the tag.
    fn is_shared(&self, id: &str) -> bool {
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.contains(&id.to_ascii_lowercase())
    }

    /// Remembers what is shared.
    fn remember(&self, found: &[holdings::Holding]) {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.extend(found.iter().map(|one| one.id.to_ascii_lowercase()));
    }
}

impl<'a> AzureRemoval<'a> {
    /// The removal of a cluster; nothing is called yet.
    pub(super) fn new(asking: Asking<'a>, target: &'a Target) -> Self {
        Self {
            session: Mutex::new(Arc::new(Session::new(asking))),
            target,
            subscription: OnceLock::new(),
            operations: Mutex::default(),
            directory: OnceLock::new(),
            said: Mutex::default(),
            spellings: Mutex::default(),
            shared: Arc::default(),
            names: Arc::default(),
        }
    }

    /// The session to ask with.
    fn session(&self) -> Arc<Session<'a>> {
        Arc::clone(&self.session.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Begins a session anew in place of one in which nothing could be asked.
    fn give_up(&self, failed: &Arc<Session<'a>>) {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&session, failed) {
            *session = Arc::new(Session::new(failed.asking));
        }
    }

    /// What questions are put with, once the cloud answers and the caller is known. Where that is not so, it is
    /// looked at anew the next time.
    async fn ask<'s>(&'s self, session: &'s Arc<Session<'a>>) -> Asked<Ask<'s>> {
        let asked = self.ask_in(session).await;
        if asked.is_err() {
            self.give_up(session);
        }
        asked
    }

    async fn ask_in<'s>(&'s self, session: &'s Session<'a>) -> Asked<Ask<'s>> {
        let arm = match session.arm().await {
            Ok(arm) => arm,
            Err(unready) => return Err(cause(session, unready).await),
        };
        let found = session.found_subscription().await;
        let subscription = found.map(|found| found.id.clone()).map_err(|answer| answer.verdict.clone())?;
        self.same_subscription(&subscription)?;
        Ok(Ask {
            arm,
            subscription,
            hub: environment::is_hub(session),
            owner: Owner::new(&self.target.infra_id),
            given_group: self.target.text(target::GROUP),
            dns_group: self.target.text(target::DNS_GROUP),
            cluster_name: &self.target.cluster_name,
            base_domain: self.target.text(target::BASE_DOMAIN),
            shared: Arc::clone(&self.shared),
            names: Arc::clone(&self.names),
        })
    }

    /// That a session which was begun anew asks the same subscription: another one has nothing of the cluster,
    /// and that would look as if all of it were gone.
    fn same_subscription(&self, found: &str) -> Result<(), Verdict> {
        let first = self.subscription.get_or_init(|| found.to_owned());
        if first.eq_ignore_ascii_case(found) {
            return Ok(());
        }
        Err(Verdict::Skipped(format!(
            "the credentials were for the subscription {first}, and are now for {found}"
        )))
    }

    async fn account_of_caller(&self) -> Asked<Account> {
        let session = self.session();
        let ask = self.ask(&session).await.map_err(passing)?;
        let caller = match session.caller().await {
            Ok(caller) => caller,
            Err(unready) => return Err(unready.into()),
        };
        let who = if caller.client.is_empty() { &caller.object } else { &caller.client };
        Ok(Account { id: ask.subscription, caller: format!("{who} of tenant {}", caller.tenant) })
    }

    /// Notes what was said of a thing that did not go, or that nothing stands in its way any more.
    fn note(&self, thing: &Resource, fault: Option<&Fault>) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let id = thing.id.to_ascii_lowercase();
        match fault {
            Some(fault) => said.insert(id, fault.clone()),
            None => said.remove(&id),
        };
    }

    /// What was said last of a thing that did not go.
    fn said_of(&self, id: &str) -> Option<Fault> {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        said.get(&id.to_ascii_lowercase()).cloned()
    }

    /// Things under the ids by which they were first found: lists write the same id with other capitals.
    fn spelled(&self, mut things: Vec<Resource>) -> Vec<Resource> {
        let mut spellings = self.spellings.lock().unwrap_or_else(PoisonError::into_inner);
        let mut spell = |id: &mut String| {
            let first = spellings.entry(id.to_ascii_lowercase()).or_insert_with(|| id.clone());
            id.clone_from(first);
        };
        for thing in &mut things {
            spell(&mut thing.id);
            for id in &mut thing.after {
                spell(id);
            }
        }
        things
    }
}

impl Removal for AzureRemoval<'_> {
    fn account(&self) -> Waiting<'_, Asked<Account>> {
        Box::pin(self.account_of_caller())
    }

    fn discover(&self) -> Waiting<'_, Discovered> {
        Box::pin(discover::discover(self, true))
    }

    fn discover_inside(&self) -> Waiting<'_, Discovered> {
        Box::pin(discover::discover(self, false))
    }

    fn remove<'s>(&'s self, things: &'s [&'s Resource]) -> Waiting<'s, Vec<Outcome>> {
        Box::pin(join_all(things.iter().map(move |thing| Box::pin(delete::remove(self, thing)))))
    }

    fn look<'s>(&'s self, things: &'s [&'s Resource]) -> Waiting<'s, Vec<Outcome>> {
        Box::pin(join_all(things.iter().map(move |thing| Box::pin(delete::look(self, thing)))))
    }

    fn holders<'s>(&'s self, thing: &'s Resource) -> Waiting<'s, Vec<Holder>> {
        Box::pin(async move { holders::holders(self, &[thing]).await.pop().unwrap_or_default() })
    }

    fn holders_of<'s>(&'s self, things: &'s [&'s Resource]) -> Waiting<'s, Vec<Vec<Holder>>> {
        Box::pin(holders::holders(self, things))
    }

    fn is_local(&self, thing: &Resource) -> bool {
        elsewhere::is_local(thing)
    }

    fn elsewhere<'s>(&'s self, _: &'s [Resource]) -> Waiting<'s, Elsewhere> {
        Box::pin(elsewhere::elsewhere(self))
    }

    fn clusters(&self) -> Waiting<'_, Asked<FoundClusters>> {
        Box::pin(clusters::clusters(self))
    }
}

/// A finding that the same question may not meet another time says only that nobody knows: the network, Azure or what
/// is on the way was in trouble.
fn passing(verdict: Verdict) -> Verdict {
    let codes = [&super::pages::CALL, &super::pages::UNREACHABLE, &super::pages::NOT_AZURE];
    match verdict {
        Verdict::Found(finding) if authority::may_pass(&finding) => Verdict::Skipped(finding.message),
        Verdict::Found(finding) if finding.kind != Kind::Forbidden && codes.contains(&finding.code) => {
            Verdict::Skipped(finding.message)
        }
        verdict => verdict,
    }
}

/// What stands behind questions that cannot be put: the first finding of what all rests on.
async fn cause(session: &Session<'_>, unready: Unready) -> Verdict {
    for check in session.foundations() {
        if let Verdict::Found(finding) = check.run.await.verdict
            && finding.is_error()
        {
            return Verdict::Found(finding);
        }
    }
    unready.into()
}

/// That something could not be looked at, as a finding.
fn unseen(what: &str, fault: &Fault) -> Finding {
    let told = fault.finding("");
    let message = format!("{what} cannot be read: {}", fault.sentence());
    Finding { help: told.help, ..Finding::error(&pages::UNSEEN, told.kind, "", message) }
}

/// Why nothing could be asked, as a finding.
fn unasked(verdict: Verdict) -> Finding {
    match verdict {
        Verdict::Found(finding) => *finding,
        Verdict::Skipped(why) | Verdict::Unanswered(why) | Verdict::Passed(why) => {
            let help = "run `landfall preflight`, or check the network and the credentials";
            Finding::error(&pages::UNSEEN, Kind::Invalid, "", why).help(help)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use landfall_model::catalogue::Catalogue;
    use landfall_model::config::InstallConfig;
    use landfall_model::plan::Engine;
    use landfall_platform::World;
    use landfall_platform::cloud::Patience;
    use landfall_platform::removal::{Disposition, GivenTarget};

    struct Nothing;

    impl World for Nothing {
        fn variable(&self, _: &str) -> Option<String> {
            None
        }

        fn file(&self, _: &str) -> Option<Vec<u8>> {
            None
        }
    }

    /// A cluster in a cloud that nobody knows, so that nothing can be asked.
    fn nowhere() -> Target {
        target::target_of(&GivenTarget {
            infra_id: "demo-bcd24".to_owned(),
            cloud_name: "AzureNoWhereCloud".to_owned(),
            ..GivenTarget::default()
        })
    }

    fn asking(config: &InstallConfig) -> Asking<'_> {
        let second = Duration::from_secs(1);
        Asking {
            checked: false,
            config,
            given: config,
            catalogue: Catalogue::embedded(),
            release: "",
            installed: true,
            own_records: &[],
            engine: Engine::default(),
            world: &Nothing,
            patience: Patience { connect: second, call: second, at_once: 1 },
        }
    }

    #[tokio::test]
    async fn a_session_that_failed_is_not_kept() -> Result<(), Box<Finding>> {
        let target = nowhere();
        let config = target::config_of(&target)?;
        let removal = AzureRemoval::new(asking(&config), &target);
        let first = removal.session();
        assert!(removal.account().await.is_err());
        let second = removal.session();
        assert!(!Arc::ptr_eq(&first, &second));
        // Who learns late that the first one failed does not take the second one away.
        removal.give_up(&first);
        assert!(Arc::ptr_eq(&second, &removal.session()));
        Ok(())
    }

    #[test]
    fn all_of_a_run_is_asked_of_one_subscription() -> Result<(), Box<Finding>> {
        let target = nowhere();
        let config = target::config_of(&target)?;
        let removal = AzureRemoval::new(asking(&config), &target);
        assert!(removal.same_subscription("0a-1").is_ok() && removal.same_subscription("0A-1").is_ok());
        assert!(removal.same_subscription("0b-2").is_err() && removal.same_subscription("0a-1").is_ok());
        Ok(())
    }

    #[test]
    fn an_id_is_the_same_whatever_its_capitals() -> Result<(), Box<Finding>> {
        let target = nowhere();
        let config = target::config_of(&target)?;
        let removal = AzureRemoval::new(asking(&config), &target);
        let things = |id: &str, after: &str| {
            let (id, after) = (id.to_owned(), vec![after.to_owned()]);
            vec![Resource { id, kind: &kinds::GROUP, name: String::new(), fate: Disposition::Removed, after }]
        };
        let first = removal.spelled(things("/S/rg", "/S/Zone"));
        assert_eq!(removal.spelled(things("/s/RG", "/s/zone")), first);
        Ok(())
    }
}
