//! A run: what is called when, until everything is gone or the run has to end.

use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use landfall_diagnostics::Finding;
use landfall_net::stop::Stop;
use landfall_platform::cloud::Waiting;
use landfall_platform::removal::{Discovered, Removal, Target};
use tokio::time::{Instant, sleep_until, timeout_at};

use super::account::{account, same_account};
use super::calls::{self, Event};
use super::pause::{Growth, Pauses};
use super::proof::Look;
use super::removal_state::RemovalState;
use super::report::{Outcome, Report};
use super::{Pace, State, Watcher, pages, progress, stuck};

/// How long calls that remove something may take to end once the run is over.
const GRACE: Duration = Duration::from_secs(5);
/// No run takes longer, whatever is wished.
const LONGEST: Duration = Duration::from_hours(24 * 365);
/// Nothing is named sooner than after this.
const SOONEST: Duration = Duration::from_millis(100);
/// Polling for something new among what is stuck come so many times more seldom than other calls.
const SELDOM: u32 = 8;
/// So many fresh looks in a row may fail in part before it is given up to prove anything.
const MOST_BLIND: u32 = 3;

/// Removes what a cluster owns and releases what it shares, beginning with what was found `first`, until a
/// fresh look at the cloud finds nothing any more, or the run has to end.
///
/// Nothing is removed where the account is not the target's, or where a note to what was found is an error.
pub async fn run(
    removal: &dyn Removal,
    target: &Target,
    first: Discovered,
    pace: &Pace,
    watcher: &dyn Watcher,
    stop: &Stop,
) -> Report {
    let begun = Instant::now();
    let (outcome, objections) = objections(removal, target, &first, pace.timeout).await;
    let asked = usize::from(target.account.is_some());
    let mut report = if objections.is_empty() {
        let mut run = Run::new(removal, pace, watcher, begun);
        let outcome = run.until_the_end(first, stop).await;
        run.report(outcome)
    } else {
        Report::not_begun(first, outcome, objections)
    };
    report.calls += asked;
    report.took = begun.elapsed();
    report
}

/// A finding that forbids any removal, and how the run ends then.
async fn objections(
    removal: &dyn Removal,
    target: &Target,
    first: &Discovered,
    limit: Duration,
) -> (Outcome, Vec<Finding>) {
    if target.account.is_some() {
        match account(removal, limit).await {
            Err(fault) => {
                let outcome = if fault.may_pass() { Outcome::Left } else { Outcome::Refused };
                return (outcome, vec![fault.into_finding()]);
            }
            Ok(account) => {
                if let Err(other) = same_account(target, &account) {
                    return (Outcome::Refused, vec![*other]);
                }
            }
        }
    }
    (Outcome::Refused, first.notes.iter().filter(|note| note.is_error()).cloned().collect())
}

/// A run that is under way.
struct Run<'a> {
    removal: &'a dyn Removal,
    watcher: &'a dyn Watcher,
    parallel: usize,
    timeout: Duration,
    name_after: Duration,
    begun: Instant,
    deadline: Instant,
    board: RemovalState,
    calls: FuturesUnordered<Waiting<'a, Event>>,
    /// Number of calls.
    made: usize,
    /// How many calls are under way that remove something.
    removing: usize,
    /// Number of running queries for holders.
    naming: usize,
    search: Search,
    /// A finding of a later scan that forbids removals.
    objections: Vec<Finding>,
    /// What looks found that may be the cluster's and is not proven to be, each once.
    unproven: Vec<Finding>,
    /// What watchers were last shown.
    shown: Option<State>,
}

/// What is known of the looks at everything.
#[derive(Debug)]
struct Search {
    /// Whether one is under way.
    under_way: bool,
    /// When the last one began.
    begun: Instant,
    /// When the next one may begin with nothing left to do.
    proof_at: Instant,
    /// How many of these there were.
    proofs: u32,
    /// How many of these in a row failed in part.
    blind: u32,
    /// Whether the last one found nothing to do, and nothing was done since.
    proven: bool,
    /// When the next query for holders may begin.
    stuck_at: Option<Instant>,
    /// How many of these there were that found nothing new.
    in_vain: u32,
    /// What the last one could not see.
    unseen: Vec<Finding>,
}

impl<'a> Run<'a> {
    fn new(removal: &'a dyn Removal, pace: &Pace, watcher: &'a dyn Watcher, begun: Instant) -> Self {
        let timeout = pace.timeout.min(LONGEST);
        Self {
            removal,
            watcher,
            parallel: pace.parallel.max(1),
            timeout,
            // What does not go in a short run is named as well.
            name_after: pace.name_blockers.min(timeout / 2).max(SOONEST),
            begun,
            deadline: begun + timeout,
            board: RemovalState::new(pace.pauses),
            calls: FuturesUnordered::new(),
            made: 0,
            removing: 0,
            naming: 0,
            search: Search {
                under_way: false,
                begun,
                proof_at: begun,
                proofs: 0,
                blind: 0,
                proven: false,
                stuck_at: None,
                in_vain: 0,
                unseen: Vec::new(),
            },
            objections: Vec::new(),
            unproven: Vec::new(),
            shown: None,
        }
    }

    async fn until_the_end(&mut self, first: Discovered, stop: &Stop) -> Outcome {
        let first_look = Look { proof: false, complete: false, before: 0, begun: self.begun };
        self.search.unseen = first.unseen;
        self.doubt(first.unproven);
        self.board.found(first.things, first_look, Instant::now());
        loop {
            let now = Instant::now();
            self.show(now);
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            if !self.objections.is_empty() {
                return self.close(Outcome::Refused).await;
            }
            if stop.is_asked() {
                return self.close(Outcome::Interrupted).await;
            }
            if now >= self.deadline {
                return self.close(Outcome::TimedOut).await;
            }
            self.start(now);
            let wake = self.wake(now).unwrap_or(self.deadline);
            tokio::select! {
                biased;
                () = stop.asked() => {}
                () = sleep_until(self.deadline) => {}
                Some(event) = self.calls.next() => self.take(event, Instant::now()),
                () = sleep_until(wake) => {}
            }
        }
    }

    /// How the run has ended, if nothing is left to do.
    fn outcome(&self) -> Option<Outcome> {
        if self.board.is_active() || self.search.under_way {
            return None;
        }
        let is_over = self.search.proven || self.search.blind >= MOST_BLIND;
        match (is_over, self.board.is_left(), self.search.proven) {
            (false, _, _) => None,
            (true, true, _) => Some(Outcome::Refused),
            (true, false, true) if self.unproven.is_empty() => Some(Outcome::Gone),
            (true, false, _) => Some(Outcome::Left),
        }
    }

    /// Begins nothing any more, and waits a short while for what is being removed.
    async fn close(&mut self, outcome: Outcome) -> Outcome {
        let until = Instant::now() + GRACE;
        while self.removing > 0 {
            let Ok(Some(event)) = timeout_at(until, self.calls.next()).await else { break };
            let now = Instant::now();
            self.take(event, now);
            self.show(now);
        }
        self.calls = FuturesUnordered::new();
        outcome
    }

    /// Begins what may begin.
    fn start(&mut self, now: Instant) {
        self.board.ripen(now);
        self.start_naming(now);
        self.start_looks(now);
        self.start_search(now);
        self.start_removals(now);
    }

    fn has_room(&self) -> bool {
        self.calls.len() < self.parallel
    }

    fn call(&mut self, call: Waiting<'a, Event>) {
        self.made += 1;
        self.calls.push(call);
    }

    fn start_looks(&mut self, now: Instant) {
        for group in self.board.to_look(now) {
            if !self.has_room() {
                return;
            }
            let places = self.board.watched(group);
            self.board.begin_look(group);
            let (removal, things) = (self.removal, self.board.things(&places));
            if things.is_empty() {
                self.board.looked(group, &[], Vec::new(), now);
                continue;
            }
            self.call(Box::pin(async move {
                let answers = calls::look(removal, &things).await;
                Event::Looked { group, places, answers }
            }));
        }
    }

    fn start_naming(&mut self, now: Instant) {
        // Most calls remove resources.
        let most = (self.parallel / 4).max(1);
        for places in self.board.to_name(now, self.name_after) {
            if !self.has_room() || self.naming >= most {
                return;
            }
            let is_first = self.board.begin_naming(&places);
            let (removal, limit) = (self.removal, stuck::limit(self.name_after, is_first));
            let things = self.board.things(&places);
            self.naming += 1;
            self.call(Box::pin(async move {
                let holders = calls::holders(removal, &things, limit).await;
                Event::Named { places, holders }
            }));
        }
    }

    fn start_search(&mut self, now: Instant) {
        let proof = !self.board.is_active();
        let is_due = if proof {
            self.search.proof_at <= now
        } else {
            self.board.is_stuck() && self.search.stuck_at.is_none_or(|at| at <= now)
        };
        if self.search.under_way || !is_due || !self.has_room() {
            return;
        }
        (self.search.under_way, self.search.begun) = (true, now);
        let removal = self.removal;
        self.call(Box::pin(async move {
            let found = calls::discover(removal).await;
            Event::Found { found, proof }
        }));
    }

    fn start_removals(&mut self, now: Instant) {
        if !self.has_room() {
            return;
        }
        for places in self.board.batches(now, self.name_after) {
            if !self.has_room() {
                return;
            }
            self.board.begin(&places, now);
            self.search.proven = false;
            self.removing += 1;
            let (removal, things) = (self.removal, self.board.things(&places));
            self.call(Box::pin(async move {
                let answers = calls::remove(removal, &things).await;
                Event::Removed { places, answers }
            }));
        }
    }

    /// When something more may begin, unless a call ends before.
    fn wake(&self, now: Instant) -> Option<Instant> {
        if !self.has_room() {
            return None;
        }
        let search = if self.board.is_active() {
            self.search.stuck_at.filter(|_| self.board.is_stuck())
        } else {
            Some(self.search.proof_at)
        };
        let times = self.board.times().chain(self.board.name_times(self.name_after));
        let times = times.chain(self.board.last_times(self.name_after)).chain(search);
        // What is due and did not begin waits for the end of a call.
        times.filter(|at| *at > now).min()
    }

    fn take(&mut self, event: Event, now: Instant) {
        let (gone, refused) = (self.board.gone, self.board.refusals.len());
        match event {
            Event::Removed { places, answers } => {
                self.removing = self.removing.saturating_sub(1);
                for (place, answer) in places.into_iter().zip(answers) {
                    self.board.tried(place, answer, now);
                }
            }
            Event::Looked { group, places, answers } => self.board.looked(group, &places, answers, now),
            Event::Named { places, holders } => {
                self.naming = self.naming.saturating_sub(1);
                for line in progress::lines(&self.board.named(&places, holders, self.name_after, now)) {
                    self.watcher.told(&line);
                }
            }
            Event::Found { found, proof } => self.found(found, proof, now),
        }
        if self.board.gone > gone {
            self.board.hurry(now);
        }
        for refusal in &self.board.refusals[refused..] {
            self.watcher.told(&progress::plain(&format!("refused: {}", refusal.message)));
        }
    }

    /// Remembers what may be the cluster's: what shows that may be gone the next time.
    fn doubt(&mut self, unproven: Vec<Finding>) {
        for finding in unproven {
            if !self.unproven.iter().any(|known| known.message == finding.message) {
                self.unproven.push(finding);
            }
        }
    }

    /// Takes in what a look at everything found.
    fn found(&mut self, found: Discovered, proof: bool, now: Instant) {
        self.doubt(found.unproven);
        let complete = found.unseen.is_empty();
        self.objections.extend(found.notes.into_iter().filter(Finding::is_error));
        let look = Look { proof, complete, before: self.search.proofs, begun: self.search.begun };
        let news = self.board.found(found.things, look, now);
        let search = &mut self.search;
        search.under_way = false;
        search.unseen = found.unseen;
        if proof {
            let is_done = !self.board.has_work();
            search.proofs = search.proofs.saturating_add(1);
            search.proven = complete && is_done;
            search.blind = if !complete && is_done { search.blind + 1 } else { 0 };
            search.proof_at = match search.blind {
                0 => now,
                blind => now + self.board.pauses.after(blind, Growth::Double),
            };
        } else {
            search.in_vain = if news > 0 { 0 } else { search.in_vain.saturating_add(1) };
            let pauses: Pauses = self.board.pauses.slower(SELDOM);
            search.stuck_at = Some(now + pauses.after(search.in_vain, Growth::Double));
        }
        if news > 0 {
            self.watcher.told(&format!("found {news} more of the cluster's resources, new or listed again"));
        }
    }

    fn show(&mut self, now: Instant) {
        let state = State::of(&self.board, self.begun, now);
        self.watcher.lasts(&state);
        if !self.shown.as_ref().is_some_and(|shown| shown.is_like(&state)) {
            self.watcher.changed(&state);
            self.shown = Some(state);
        }
    }

    fn report(self, outcome: Outcome) -> Report {
        let mut report = Report::of(&self.board, outcome, self.board.refusals.clone());
        let left = report.left.len();
        let unseen = self.search.unseen;
        report.findings.extend(self.unproven);
        match outcome {
            Outcome::Gone => report.findings.clear(),
            Outcome::Interrupted => {}
            Outcome::Refused => {
                report.findings.extend(self.objections);
                report.findings.push(pages::refused(left));
            }
            Outcome::TimedOut => report.findings.push(pages::timed_out(self.timeout, left)),
            Outcome::Left if unseen.is_empty() => {}
            Outcome::Left => report.findings.push(pages::not_all_seen(&unseen)),
        }
        if outcome != Outcome::Gone {
            report.findings.extend(unseen);
        }
        report.calls = self.made;
        report
    }
}
