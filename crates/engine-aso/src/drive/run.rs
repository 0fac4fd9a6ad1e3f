//! The loop: what stands is looked at, what follows is sent, and news is waited for.

#![allow(clippy::disallowed_methods, reason = "adoptions carry the time")]

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::future::{BoxFuture, pending, ready};
use futures::{FutureExt as _, StreamExt as _};
use jiff::Timestamp;
use landfall_diagnostics::Finding;
use landfall_net::stop::Stop;
use tokio::time::{Instant, sleep_until};

use super::act::look_for_credential;
use super::api::{Api, Feed, ObjectEvent};
use super::boot_sources::{Basis, basis};
use super::silence::Silence;
use super::wake::{REWRITES, Woken, rewrites};
use super::{Drive, ObservedState, Pace, Step, Work, act};
use crate::core::Outcome;
use crate::desired::Need;
use crate::kinds::Kind;
use crate::translate::Translation;

/// How long news of what was just sent is waited for before it is looked at again.
const AFTER_WRITES: Duration = Duration::from_secs(1);

/// How often it is looked at what no watch tells of.
const UNWATCHED: Duration = Duration::from_secs(20);

/// What tells the time.
pub type Clock = fn() -> Timestamp;

/// The time.
#[must_use]
pub fn now() -> Timestamp {
    Timestamp::now()
}

/// How long the work may take, and by which clock.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The longest that all of it takes.
    pub whole: Duration,
    /// The clock.
    pub clock: Clock,
}

/// Somebody who watches the work.
pub trait Watcher: Send + Sync {
    /// So many of so many objects are as they are to be.
    fn changed(&self, done: usize, total: usize);

    /// Something worth a line.
    fn told(&self, line: &str);

    /// What stands against the use of the operator now, where nobody looks at objects. Who cannot find that out
    /// leaves it at nothing.
    fn checks(&self) -> BoxFuture<'_, Vec<Finding>> {
        ready(Vec::new()).boxed()
    }
}

/// Somebody who creates what machines start from and the operator has no kinds for: an image and an ignition config.
pub trait Boot: Sync {
    /// The objects that must be Ready before.
    fn needs(&self) -> &[Need];

    /// The resource of an object that must be Ready is somebody else's: nothing is created.
    fn is_foreign(&self, need: &Need);

    /// Creates it, and gives the objects of the cluster with all values that machines have waited for; none where it
    /// failed or was stopped, of which whoever is asked knows more.
    fn create(&self) -> BoxFuture<'_, Option<Translation>>;
}

/// How the work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All is as it is to be.
    Done,
    /// Something failed for good, and nothing else can go on.
    Stuck,
    /// What machines start from was not created.
    Unbooted,
    /// Its time is over.
    TimedOut,
    /// It was asked to stop.
    Interrupted,
}

/// Drives a cluster until there is nothing left to do, and says how its objects stand then. `kinds` are those
/// that the feed tells of: nothing is sent before all of them were heard of. `boot` works beside it.
pub async fn run(
    drive: &Drive,
    api: &dyn Api,
    (feed, kinds): (&mut Feed, &[&'static Kind]),
    boot: Option<&dyn Boot>,
    limits: Limits,
    watcher: &dyn Watcher,
    stop: &Stop,
) -> (End, Step) {
    let mut deadline = Instant::now() + limits.whole;
    let mut world = ObservedState::new((limits.clock)());
    let mut pace = Pace::default();
    let mut silence = Silence::default();
    let mut heard = Heard { unheard: kinds.iter().map(|kind| kind.kind).collect(), broken: BTreeMap::new() };
    let mut latest = Step::default();
    let mut looked = Instant::now();
    let mut drive = Cow::Borrowed(drive);
    let mut booting = Booting { boot, work: None };
    let mut woken = None;
    // Until when Ready may still say what was so before the operator wrote resources again.
    let mut settles = None;
    loop {
        let mut rest = None;
        if heard.unheard.is_empty() {
            if looked.elapsed() >= UNWATCHED {
                look_for_credential(&drive, api, &mut world).await;
                looked = Instant::now();
            }
            world.now = (limits.clock)();
            latest = drive.step(&world);
            if woken.is_none() {
                woken = Some(Woken::wake(&drive, api, &latest, &mut world).await);
                latest = drive.step(&world);
            }
            if let Some(woken) = &woken {
                woken.hold(&mut latest, &world);
            }
            pace.hold(&mut latest, &world);
            silence.explain(&mut latest, watcher, stop).await;
            tell(&latest, &mut pace, watcher);
            settles = settles.filter(|at| *at > Instant::now());
            if latest.outcome() == Outcome::Done && settles.is_none() {
                return (End::Done, latest);
            }
            if latest.is_stuck() {
                return (End::Stuck, latest);
            }
            if stop.is_asked() {
                booting.end().await;
                return (End::Interrupted, latest);
            }
            match booting.begin(&latest, &world) {
                Begun::Foreign => return (End::Unbooted, latest),
                // It may take as long as the objects do.
                Begun::Now => deadline = Instant::now() + limits.whole,
                Begun::No => {}
            }
            let writes = latest.objects.iter().any(|planned| planned.action.what.writes());
            if writes {
                if rewrites(&drive, &latest, &world) {
                    settles = Some(Instant::now() + REWRITES);
                }
                act(&drive, api, &latest, &mut world, &mut pace).await;
            }
            rest = if writes { Some(AFTER_WRITES) } else { pace.rest(&latest, &world) };
        }
        let due = rest.map_or(deadline, |rest| deadline.min(Instant::now() + rest));
        let due = settles.map_or(due, |at| due.min(at));
        tokio::select! {
            news = feed.next() => match news {
                Some(news) => heard.note(news, &mut world, watcher),
                // A feed has no end but with its other side.
                None => return (End::TimedOut, latest),
            },
            made = booting.done() => match made {
                Some(translation) => {
                    drive.to_mut().work = Work::Make(translation);
                    deadline = Instant::now() + limits.whole;
                }
                None if stop.is_asked() => return (End::Interrupted, latest),
                None => return (End::Unbooted, latest),
            },
            () = sleep_until(due) => {}
            () = stop.asked() => {
                booting.end().await;
                return (End::Interrupted, latest);
            }
        }
        while let Some(Some(news)) = feed.next().now_or_never() {
            heard.note(news, &mut world, watcher);
        }
        if Instant::now() >= deadline {
            return (End::TimedOut, latest);
        }
    }
}

/// Whether the creation of what machines start from has begun.
enum Begun {
    /// It has begun before, or cannot yet.
    No,
    Now,
    /// What it needs is somebody else's.
    Foreign,
}

/// The creation of what machines start from.
struct Booting<'b> {
    /// Who creates it, until that begins.
    boot: Option<&'b dyn Boot>,
    work: Option<BoxFuture<'b, Option<Translation>>>,
}

impl Booting<'_> {
    /// Begins once all is there that it needs.
    fn begin(&mut self, step: &Step, world: &ObservedState) -> Begun {
        let Some(boot) = self.boot else { return Begun::No };
        match basis(boot.needs(), step, world) {
            Basis::Foreign(account) => {
                self.boot = None;
                boot.is_foreign(&account);
                return Begun::Foreign;
            }
            Basis::Waits => return Begun::No,
            Basis::Ready => {}
        }
        self.boot = None;
        self.work = Some(boot.create());
        Begun::Now
    }

    /// What comes of it; never where it has not begun.
    async fn done(&mut self) -> Option<Translation> {
        let Some(work) = &mut self.work else { return pending().await };
        let made = work.await;
        self.work = None;
        made
    }

    /// Waits for its end, which is near once the work was asked to stop: calls that have begun are recorded.
    async fn end(&mut self) {
        if self.work.is_some() {
            self.done().await;
        }
    }
}

fn tell(step: &Step, pace: &mut Pace, watcher: &dyn Watcher) {
    for line in pace.lines(step) {
        watcher.told(&line);
    }
    let done = step.objects.iter().filter(|planned| Outcome::of(&planned.action.what) == Outcome::Done);
    watcher.changed(done.count(), step.objects.len());
}

/// What the watches told.
struct Heard {
    /// The kinds of which nothing was heard yet.
    unheard: BTreeSet<&'static str>,
    /// The kinds whose watch broke, and why: a watch that does not come back is told of once.
    broken: BTreeMap<&'static str, String>,
}

impl Heard {
    fn note(&mut self, news: ObjectEvent, world: &mut ObservedState, watcher: &dyn Watcher) {
        match &news {
            ObjectEvent::All(kind, _) => {
                self.unheard.remove(kind);
                self.broken.remove(kind);
            }
            ObjectEvent::Broke { kind, why } => {
                if self.broken.insert(*kind, why.clone()).as_ref() != Some(why) {
                    watcher.told(&format!("{kind}: the watch broke: {why}"));
                }
            }
            ObjectEvent::Is(..) | ObjectEvent::Gone(..) => {}
        }
        world.note(news);
    }
}
