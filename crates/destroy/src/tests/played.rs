//! A fake cloud: resources that go at once or after a while, refuse, or are listed too long.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::pending;
use landfall_diagnostics::{Finding, Kind as FaultKind};
use landfall_platform::cloud::{Asked, Waiting};
use landfall_platform::removal::{
    Account, Discovered, Disposition, FoundClusters, Holder, Kind, Outcome as Answer, Removal, Resource,
    Target,
};
use tokio::runtime::Builder;
use tokio::time::{Instant, sleep};

use super::super::{Outcome, Pace, Report, State, Stop, Watcher, pages, run};

pub(super) static INSTANCE: Kind =
    Kind { name: "instance", batch: 50, help: "stop what protects it", last: false };
pub(super) static BALANCER: Kind = Kind { name: "load balancer", batch: 3, help: "remove it", last: false };
pub(super) static GROUP: Kind =
    Kind { name: "security group", batch: 1, help: "remove what uses it", last: false };
pub(super) static ROLE: Kind = Kind { name: "role", batch: 1, help: "take it out of use", last: true };
pub(super) static NETWORK: Kind = Kind { name: "network", batch: 1, help: "empty it", last: false };

/// A resource of the cluster, and its behaviour.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub thing: Resource,
    /// What it needs gone before it goes.
    pub needs: Vec<String>,
    /// What the first attempts to remove it are answered.
    pub answers: VecDeque<Answer>,
    /// What all others are answered, where it never goes.
    pub always: Option<Answer>,
    /// Whether a call to remove it never ends.
    pub hangs: bool,
    /// Whether somebody else removes it once it was refused.
    pub others: bool,
    /// How long it is on its way.
    pub takes: Duration,
    /// How many looks at everything there are before it is there.
    pub late: usize,
    /// How many looks at everything list it after it has gone.
    pub lag: usize,
    /// Whether a poll shows that it is gone.
    pub tells: bool,
    /// What holds it, each time that somebody asks.
    pub holders: Vec<Vec<Holder>>,
    goes: Option<Instant>,
    asked: usize,
}

impl Item {
    pub(super) fn new(id: &str, kind: &'static Kind) -> Self {
        let (id, name) = (id.to_owned(), String::new());
        Self {
            thing: Resource { id, kind, name, fate: Disposition::Removed, after: Vec::new() },
            needs: Vec::new(),
            answers: VecDeque::new(),
            always: None,
            hangs: false,
            others: false,
            takes: Duration::ZERO,
            late: 0,
            lag: 0,
            tells: true,
            holders: Vec::new(),
            goes: None,
            asked: 0,
        }
    }

    /// It is known to wait for others, and does.
    pub(super) fn after(mut self, others: &[String]) -> Self {
        self.thing.after = others.to_vec();
        self.needs = others.to_vec();
        self
    }

    pub(super) fn shared(mut self) -> Self {
        self.thing.fate = Disposition::Released;
        self
    }

    pub(super) fn always(mut self, answer: Answer) -> Self {
        self.always = Some(answer);
        self
    }

    pub(super) fn is_gone(&self) -> bool {
        self.goes.is_some_and(|at| at + self.takes <= Instant::now())
    }
}

pub(super) fn held(why: &str) -> Answer {
    Answer::Held { why: why.to_owned() }
}

pub(super) fn failed(why: &str) -> Answer {
    Answer::Failed { why: why.to_owned() }
}

pub(super) fn refusal() -> Answer {
    let finding = Finding::error(&pages::NO_ACCOUNT, FaultKind::Forbidden, "", "this caller may not");
    Answer::Refused(Box::new(finding))
}

/// The time of a call since the beginning, and its resources.
type Call = (Duration, Vec<String>);

#[derive(Debug)]
pub(super) struct Sky {
    pub items: Vec<Item>,
    /// What each look at everything cannot see; the last one counts for all others.
    pub unseen: VecDeque<Vec<Finding>>,
    /// What each look at everything doubts; the last one counts for all others.
    pub unproven: VecDeque<Vec<Finding>>,
    /// How many calls break off.
    pub breaks: usize,
    /// How many calls answer nothing.
    pub mute: usize,
    begun: Option<Instant>,
    removals: Vec<Call>,
    looks: Vec<Call>,
    questions: Vec<Call>,
    discoveries: usize,
    at_once: usize,
    most: usize,
}

#[derive(Debug)]
pub(super) struct Cloud(Mutex<Sky>);

impl Cloud {
    pub(super) const LATENCY: Duration = Duration::from_millis(50);

    pub(super) fn new(items: Vec<Item>) -> Self {
        Self(Mutex::new(Sky {
            items,
            unseen: VecDeque::new(),
            unproven: VecDeque::new(),
            breaks: 0,
            mute: 0,
            begun: None,
            removals: Vec::new(),
            looks: Vec::new(),
            questions: Vec::new(),
            discoveries: 0,
            at_once: 0,
            most: 0,
        }))
    }

    pub(super) fn sky(&self) -> MutexGuard<'_, Sky> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The calls to remove something.
    pub(super) fn removals(&self) -> Vec<Call> {
        self.sky().removals.clone()
    }

    pub(super) fn looks(&self) -> Vec<Call> {
        self.sky().looks.clone()
    }

    /// The queries for holders.
    pub(super) fn questions(&self) -> Vec<Call> {
        self.sky().questions.clone()
    }

    pub(super) fn discoveries(&self) -> usize {
        self.sky().discoveries
    }

    pub(super) fn most_at_once(&self) -> usize {
        self.sky().most
    }

    /// A call that takes its time and then does something.
    async fn call<T>(&self, act: impl FnOnce(&mut Sky) -> T + Send) -> T {
        self.sky().enter();
        sleep(Self::LATENCY).await;
        let mut sky = self.sky();
        sky.at_once = sky.at_once.saturating_sub(1);
        act(&mut sky)
    }
}

impl Sky {
    fn enter(&mut self) {
        self.at_once += 1;
        self.most = self.most.max(self.at_once);
    }

    fn since(&mut self) -> Duration {
        let now = Instant::now();
        now.saturating_duration_since(*self.begun.get_or_insert(now))
    }

    fn list(&mut self) -> Discovered {
        let count = self.discoveries;
        self.discoveries += 1;
        let mut things = Vec::new();
        for item in self.items.iter_mut().filter(|item| item.late <= count) {
            let is_gone = item.is_gone();
            if !is_gone || item.lag > 0 {
                item.lag -= usize::from(is_gone);
                things.push(item.thing.clone());
            }
        }
        let unseen =
            if self.unseen.len() > 1 { self.unseen.pop_front() } else { self.unseen.front().cloned() };
        let unproven =
            if self.unproven.len() > 1 { self.unproven.pop_front() } else { self.unproven.front().cloned() };
        Discovered {
            things,
            unseen: unseen.unwrap_or_default(),
            unproven: unproven.unwrap_or_default(),
            notes: Vec::new(),
        }
    }

    fn remove(&mut self, id: &str) -> Answer {
        let gone: Vec<String> =
            self.items.iter().filter(|item| item.is_gone()).map(|item| item.thing.id.clone()).collect();
        let Some(item) = self.items.iter_mut().find(|item| item.thing.id == id) else { return Answer::Gone };
        if let Some(answer) = item.answers.pop_front() {
            if item.others && matches!(answer, Answer::Refused(_)) {
                item.goes = Some(Instant::now());
            }
            return answer;
        }
        if item.is_gone() {
            return Answer::Gone;
        }
        if let Some(answer) = &item.always {
            return answer.clone();
        }
        if let Some(other) = item.needs.iter().find(|other| !gone.contains(other)) {
            return held(&format!("{other} uses it"));
        }
        item.goes = item.goes.or(Some(Instant::now()));
        if item.is_gone() { Answer::Gone } else { Answer::Going }
    }

    fn look(&self, id: &str) -> Answer {
        match self.items.iter().find(|item| item.thing.id == id) {
            Some(item) if !(item.is_gone() && item.tells) => Answer::Going,
            _ => Answer::Gone,
        }
    }

    fn holders(&mut self, id: &str) -> Vec<Holder> {
        let Some(item) = self.items.iter_mut().find(|item| item.thing.id == id) else { return Vec::new() };
        let holders = item.holders.get(item.asked).or(item.holders.last()).cloned();
        item.asked += 1;
        holders.unwrap_or_default()
    }
}

fn ids(things: &[&Resource]) -> Vec<String> {
    things.iter().map(|thing| thing.id.clone()).collect()
}

impl Removal for Cloud {
    fn account(&self) -> Waiting<'_, Asked<Account>> {
        Box::pin(async { Ok(Account { id: "123456789012".to_owned(), caller: "user/x".to_owned() }) })
    }

    fn discover(&self) -> Waiting<'_, Discovered> {
        Box::pin(self.call(Sky::list))
    }

    fn remove<'s>(&'s self, things: &'s [&'s Resource]) -> Waiting<'s, Vec<Answer>> {
        let ids = ids(things);
        Box::pin(async move {
            let hangs = {
                let mut sky = self.sky();
                let since = sky.since();
                sky.removals.push((since, ids.clone()));
                sky.items.iter().any(|item| item.hangs && ids.contains(&item.thing.id))
            };
            if hangs {
                pending::<()>().await;
            }
            self.call(move |sky| {
                if sky.breaks > 0 {
                    sky.breaks -= 1;
                    resume_unwind(Box::new("broken off"));
                }
                if sky.mute > 0 {
                    sky.mute -= 1;
                    return Vec::new();
                }
                ids.iter().map(|id| sky.remove(id)).collect::<Vec<Answer>>()
            })
            .await
        })
    }

    fn look<'s>(&'s self, things: &'s [&'s Resource]) -> Waiting<'s, Vec<Answer>> {
        let ids = ids(things);
        Box::pin(self.call(move |sky| {
            let since = sky.since();
            sky.looks.push((since, ids.clone()));
            ids.iter().map(|id| sky.look(id)).collect::<Vec<Answer>>()
        }))
    }

    fn holders<'s>(&'s self, thing: &'s Resource) -> Waiting<'s, Vec<Holder>> {
        Box::pin(self.call(move |sky| sky.holders(&thing.id)))
    }

    fn holders_of<'s>(&'s self, things: &'s [&'s Resource]) -> Waiting<'s, Vec<Vec<Holder>>> {
        let ids = ids(things);
        Box::pin(self.call(move |sky| {
            let since = sky.since();
            sky.questions.push((since, ids.clone()));
            ids.iter().map(|id| sky.holders(id)).collect::<Vec<Vec<Holder>>>()
        }))
    }

    fn clusters(&self) -> Waiting<'_, Asked<FoundClusters>> {
        Box::pin(async { Ok(FoundClusters::default()) })
    }
}

/// Records the reports, with their times.
#[derive(Debug, Default)]
pub(super) struct Talk {
    lines: Mutex<Vec<(Duration, String)>>,
    states: Mutex<Vec<State>>,
    begun: Mutex<Option<Instant>>,
}

impl Watcher for Talk {
    fn changed(&self, state: &State) {
        self.states.lock().unwrap_or_else(PoisonError::into_inner).push(state.clone());
    }

    fn told(&self, line: &str) {
        let begun = *self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let since = begun.map(|begun| begun.elapsed()).unwrap_or_default();
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).push((since, line.to_owned()));
    }
}

/// The result of a run, and its reports.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub report: Option<Report>,
    pub took: Duration,
    pub lines: Vec<(Duration, String)>,
    pub states: Vec<State>,
    /// Whether the cloud has nothing of it any more.
    pub is_empty: bool,
}

impl Seen {
    pub(super) fn outcome(&self) -> Option<Outcome> {
        self.report.as_ref().map(|report| report.outcome)
    }

    pub(super) fn removed(&self) -> Vec<String> {
        let removed = self.report.iter().flat_map(|report| &report.removed);
        removed.map(|thing| thing.id.clone()).collect()
    }

    /// What is left, and why.
    pub(super) fn left(&self) -> Vec<(String, String)> {
        let left = self.report.iter().flat_map(|report| &report.left);
        left.map(|left| (left.thing.id.clone(), left.why.clone())).collect()
    }

    pub(super) fn codes(&self) -> Vec<&'static str> {
        let findings = self.report.iter().flat_map(|report| &report.findings);
        findings.map(|finding| finding.code.as_str()).collect()
    }
}

/// Runs something with a clock that stops while there is work.
pub(super) fn paused<T>(work: impl Future<Output = T>) -> Option<T> {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.ok().map(|runtime| runtime.block_on(work))
}

/// Polling and destroys.
pub(super) fn destroyed(cloud: &Cloud, pace: Pace) -> Seen {
    stopped(cloud, pace, None)
}

/// Polling and destroys, and asks the run to end after a while.
pub(super) fn stopped(cloud: &Cloud, pace: Pace, stop_after: Option<Duration>) -> Seen {
    let talk = Talk::default();
    let report = paused(async {
        let first = cloud.discover().await;
        *talk.begun.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        let (stop, target) = (Stop::default(), Target::default());
        let asking = async {
            match stop_after {
                Some(after) => sleep(after).await,
                None => pending().await,
            }
            stop.ask();
            pending::<()>().await;
        };
        let report = tokio::select! {
            report = run(cloud, &target, first, &pace, &talk, &stop) => Some(report),
            () = asking => None,
        };
        (report, cloud.sky().items.iter().all(Item::is_gone))
    });
    let (report, is_empty) = report.unwrap_or_default();
    let took = report.as_ref().map(|report| report.took).unwrap_or_default();
    let lines = talk.lines.into_inner().unwrap_or_else(PoisonError::into_inner);
    let states = talk.states.into_inner().unwrap_or_else(PoisonError::into_inner);
    Seen { report, took, lines, states, is_empty }
}
