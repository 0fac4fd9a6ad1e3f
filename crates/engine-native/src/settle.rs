//! One resource: found or created, completed, waited for.

use std::error::Error;
use std::time::Duration;

use landfall_diagnostics::Finding;
use landfall_net::stop::Stop;
use landfall_platform::cloud::Waiting;
use landfall_platform::native::{Api, Existing, Failure, Properties, State, Traits, Wanted};
use tokio::time::{Instant, sleep};

use crate::limit::Limit;
use crate::waits::Waits;
use crate::{Pace, pages};

/// How often the engine looks for a resource that a killed run or an unanswered call may have created, and that the
/// cloud may not show yet.
const LOOKS: usize = 3;

/// Why nothing could be noted.
pub type NoteFault = Box<dyn Error + Send + Sync>;

/// What earlier runs have noted of a resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// How often it was created.
    pub created: usize,
    /// Its outputs, when it was created last.
    pub outputs: Option<Properties>,
    /// Whether a creating call began and nothing was noted after it.
    pub begun: bool,
    /// Whether everything after the creating call was done.
    pub completed: bool,
}

/// Where each call is noted before and after it.
pub trait Journal: Sync {
    /// What earlier runs have noted of a resource.
    fn past(&self, name: &str) -> Past;

    /// A creating call begins, for a resource of which this much is known.
    ///
    /// # Errors
    /// It cannot be noted; nothing is created then.
    fn begins(&self, name: &str, known: &Properties) -> Result<(), NoteFault>;

    /// The cloud refused to create the resource; no earlier call has created it.
    ///
    /// # Errors
    /// It cannot be noted.
    fn refused(&self, name: &str) -> Result<(), NoteFault>;

    /// A resource exists with these outputs.
    ///
    /// # Errors
    /// It cannot be noted.
    fn exists(&self, name: &str, outputs: &Properties) -> Result<(), NoteFault>;

    /// Everything after the creating call is done.
    ///
    /// # Errors
    /// It cannot be noted.
    fn completed(&self, name: &str) -> Result<(), NoteFault>;
}

/// Why work on a resource ended early.
#[derive(Debug)]
pub(crate) enum Trouble {
    Found(Box<Finding>),
    Stopped,
    Note(NoteFault),
}

impl From<NoteFault> for Trouble {
    fn from(fault: NoteFault) -> Self {
        Self::Note(fault)
    }
}

/// What came of a resource.
#[derive(Debug)]
pub(crate) struct Settled {
    pub(crate) outputs: Properties,
    pub(crate) created: bool,
    pub(crate) repaired: bool,
    pub(crate) findings: Vec<Finding>,
    pub(crate) is_ready: bool,
}

/// What single resources are worked on with.
#[derive(Clone, Copy)]
pub(crate) struct Tools<'t> {
    pub(crate) api: &'t dyn Api,
    pub(crate) journal: &'t dyn Journal,
    pub(crate) pace: &'t Pace,
    pub(crate) limit: &'t Limit,
    pub(crate) waits: &'t Waits,
    pub(crate) halt: &'t Stop,
}

/// Pauses that grow, until a time is over.
struct Pauses<'p> {
    pace: &'p Pace,
    next: Duration,
    end: Instant,
}

impl<'p> Pauses<'p> {
    fn within(pace: &'p Pace, limit: Duration) -> Self {
        Self { pace, next: pace.first_pause, end: Instant::now() + limit }
    }

    /// Pauses; false once the time is over.
    async fn pause(&mut self, halt: &Stop) -> Result<bool, Trouble> {
        if Instant::now() + self.next > self.end {
            return Ok(false);
        }
        tokio::select! {
            () = sleep(self.next) => {}
            () = halt.asked() => return Err(Trouble::Stopped),
        }
        self.next = (self.next * 3 / 2).min(self.pace.longest_pause);
        Ok(true)
    }
}

fn named(name: &str, finding: Box<Finding>) -> Trouble {
    let mut finding = finding;
    finding.message = format!("{name}: {}", finding.message);
    Trouble::Found(finding)
}

impl Tools<'_> {
    /// Asks until there is an answer, as long as another try may help.
    async fn ask<'a, T>(
        &self,
        wanted: &Wanted,
        call: impl Fn() -> Waiting<'a, Result<T, Failure>>,
    ) -> Result<T, Trouble> {
        let mut pauses = Pauses::within(self.pace, self.pace.visible);
        loop {
            let finding = match call().await {
                Ok(answer) => {
                    self.limit.succeeded();
                    self.waits.ends(&wanted.name);
                    return Ok(answer);
                }
                Err(Failure::Refused(finding)) => return Err(named(&wanted.name, finding)),
                Err(Failure::Throttled(finding)) => {
                    self.limit.throttled();
                    finding
                }
                Err(Failure::Unknown(finding) | Failure::NotYet(finding)) => finding,
            };
            self.waits.begins(&wanted.name, &finding.message, self.pace.visible);
            if !pauses.pause(self.halt).await? {
                return Err(named(&wanted.name, finding));
            }
        }
    }

    async fn find(&self, wanted: &Wanted, fresh: bool) -> Result<Option<Existing>, Trouble> {
        self.ask(wanted, || self.api.find(wanted, fresh)).await
    }

    /// The resource as it is, or none. Where an earlier run was killed the cloud may need a while to show it.
    async fn existing(&self, wanted: &Wanted) -> Result<Option<Existing>, Trouble> {
        let mut found = self.find(wanted, wanted.begun).await?;
        if wanted.begun {
            let mut pauses = Pauses::within(self.pace, self.pace.visible);
            for _ in 1..LOOKS {
                if found.is_some() || !pauses.pause(self.halt).await? {
                    break;
                }
                found = self.find(wanted, true).await?;
            }
        }
        Ok(found)
    }

    /// Creates a resource, once, however often the call has to be put.
    async fn create(&self, wanted: &Wanted) -> Result<Properties, Trouble> {
        let mut pauses = Pauses::within(self.pace, self.pace.visible);
        self.journal.begins(&wanted.name, &self.api.known(wanted))?;
        // Whether an earlier call may have created it.
        let mut may_exist = wanted.begun;
        loop {
            let (finding, unanswered) = match self.api.create(wanted).await {
                Ok(outputs) => {
                    self.limit.succeeded();
                    self.waits.ends(&wanted.name);
                    return Ok(outputs);
                }
                Err(Failure::Refused(finding)) => {
                    // An earlier call that had its effect may be what this one is refused for.
                    if !may_exist {
                        self.journal.refused(&wanted.name)?;
                        return Err(named(&wanted.name, finding));
                    }
                    let found = self.find(wanted, true).await?;
                    return found.map(|found| found.outputs).ok_or_else(|| named(&wanted.name, finding));
                }
                Err(Failure::Throttled(finding)) => {
                    self.limit.throttled();
                    (finding, false)
                }
                Err(Failure::NotYet(finding)) => (finding, false),
                Err(Failure::Unknown(finding)) => (finding, true),
            };
            may_exist |= unanswered;
            self.waits.begins(&wanted.name, &finding.message, self.pace.visible);
            // What the call has created may be visible only after a while.
            for _ in 0..if unanswered { LOOKS } else { 1 } {
                if !pauses.pause(self.halt).await? {
                    return Err(named(&wanted.name, finding));
                }
                if unanswered && let Some(existing) = self.find(wanted, true).await? {
                    return Ok(existing.outputs);
                }
            }
        }
    }

    /// Sets back what differs from the plan and can be changed in place; gives the resource as it is then, and what
    /// was set back. If the cloud refuses, the difference stays and the run continues.
    async fn repaired(
        &self,
        wanted: &Wanted,
        existing: Existing,
    ) -> Result<(Existing, Option<Finding>), Trouble> {
        match self.ask(wanted, || self.api.repair(wanted, &existing)).await {
            Ok(true) => {}
            Ok(false) | Err(Trouble::Found(_)) => return Ok((existing, None)),
            Err(trouble) => return Err(trouble),
        }
        let Some(now) = self.find(wanted, true).await? else { return Ok((existing, None)) };
        let is_left = |key: &str| now.differences.iter().any(|(left, ..)| left == key);
        let set_back = existing.differences.into_iter().filter(|(key, ..)| !is_left(key)).collect();
        let set_back = Existing { differences: set_back, ..now.clone() };
        let finding = (!set_back.differences.is_empty()).then(|| pages::repaired(&wanted.name, &set_back));
        Ok((now, finding))
    }

    /// Finds or creates a resource, and completes it.
    pub(crate) async fn settle(&self, wanted: &Wanted, past: &Past) -> Result<Settled, Trouble> {
        let Traits { completes, waits, is_given, repeats, .. } = self.api.traits(wanted.kind);
        let existing = self.existing(wanted).await?;
        let is_broken = |existing: &Existing| matches!(existing.state, State::Broken(_));
        let existing = existing.filter(|existing| !(repeats && is_broken(existing)));
        let is_found = existing.is_some();
        let settled = if let Some(existing) = existing {
            if let State::Broken(why) = &existing.state {
                return Err(Trouble::Found(Box::new(pages::broken(&wanted.name, why, repeats))));
            }
            let differs = !existing.differences.is_empty();
            if !is_ours(past, &existing) {
                return Err(Trouble::Found(Box::new(pages::not_ours(&wanted.name, &existing))));
            }
            let is_recorded = past.outputs.is_some() && (past.completed || !completes);
            let (existing, repair) = if differs && is_recorded && !is_given {
                self.repaired(wanted, existing).await?
            } else {
                (existing, None)
            };
            let differs = !existing.differences.is_empty();
            let difference = differs.then(|| pages::differs(&wanted.name, &existing));
            if !is_given && (past.begun || past.outputs.as_ref().is_none_or(|noted| !agree(noted, &existing)))
            {
                self.journal.exists(&wanted.name, &existing.outputs)?;
            }
            Settled {
                repaired: repair.is_some(),
                findings: repair.into_iter().chain(difference).collect(),
                is_ready: existing.state == State::Ready,
                outputs: existing.outputs,
                created: false,
            }
        } else {
            let outputs = self.create(wanted).await?;
            self.journal.exists(&wanted.name, &outputs)?;
            Settled { outputs, created: true, repaired: false, findings: Vec::new(), is_ready: !waits }
        };
        if completes && !(is_found && past.completed) {
            self.ask(wanted, || self.api.complete(wanted, &settled.outputs)).await?;
            self.journal.completed(&wanted.name)?;
            // What was not complete yet is not different from the plan.
            return Ok(Settled { findings: Vec::new(), ..settled });
        }
        Ok(settled)
    }

    /// Waits until a resource is ready; gives its outputs, of which it may have more by then.
    pub(crate) async fn wait(&self, wanted: &Wanted) -> Result<Properties, Trouble> {
        let repeats = self.api.traits(wanted.kind).repeats;
        let mut pauses = Pauses::within(self.pace, self.pace.ready);
        loop {
            let state = match self.find(wanted, true).await? {
                Some(Existing { state: State::Ready, outputs, .. }) => return Ok(outputs),
                Some(Existing { state: State::Broken(why), .. }) => {
                    return Err(Trouble::Found(Box::new(pages::broken(&wanted.name, &why, repeats))));
                }
                Some(Existing { state: State::Pending(state), .. }) => state,
                None => "not visible".to_owned(),
            };
            self.waits.begins(&wanted.name, &state, self.pace.ready);
            if !pauses.pause(self.halt).await? {
                let late = pages::late(&wanted.name, &state, self.pace.ready);
                return Err(Trouble::Found(Box::new(late)));
            }
        }
    }
}

/// Whether a resource that exists under the wanted name is the cluster's: an earlier run noted it, or its tags say so;
/// without tags it is if it is as planned.
fn is_ours(past: &Past, existing: &Existing) -> bool {
    let is_noted = past.outputs.as_ref().is_some_and(|noted| agree(noted, existing));
    // That a creating call began says nothing of a resource with the tags of others: it may be why that was refused.
    let without_tags = || past.begun || past.outputs.is_some() || existing.differences.is_empty();
    is_noted || existing.is_own.unwrap_or_else(without_tags)
}

/// Whether noted outputs are of the resource that exists.
fn agree(noted: &Properties, existing: &Existing) -> bool {
    noted.get("id") == existing.outputs.get("id")
}
