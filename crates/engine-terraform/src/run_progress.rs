//! The progress of a run, from its events.
//!
//! Pure: the time is a parameter, counted from the beginning of the run.

use std::time::Duration;

use super::event::{Action, Counts, Diagnostic, Event};

/// How far a run is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Number of planned changes, once known.
    pub total: Option<usize>,
    /// How many of them are done.
    pub done: usize,
    /// What is being worked on, that which takes longest first.
    pub running: Vec<Running>,
    /// The process of an earlier run that has not ended yet and is waited for. The other fields are then
    /// those of that run.
    pub waiting_for_earlier: Option<u32>,
}

/// A resource that is being worked on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    /// Its address in the configuration.
    pub address: String,
    /// What is being done to it.
    pub action: Action,
    /// For how long.
    pub seconds: u64,
    /// How long it may take and why it is waited for, in words that follow the time.
    pub wait: Option<String>,
}

/// Errors beyond so many are counted only.
const MOST_ERRORS: usize = 1000;

#[derive(Debug)]
struct Begun {
    address: String,
    action: Action,
    /// When it was last heard of.
    at: Duration,
    /// How long it had been going on then.
    already: Duration,
}

impl Begun {
    fn lasts(&self, now: Duration) -> Duration {
        now.saturating_sub(self.at).saturating_add(self.already)
    }
}

/// What the events of a run come to.
#[derive(Debug, Default)]
pub(super) struct Tally {
    planned: Option<Counts>,
    changed: Option<Counts>,
    made: Counts,
    begun: Vec<Begun>,
    /// What terraform says is wrong.
    pub(super) errors: Vec<Diagnostic>,
    /// Events whose type is not known.
    pub(super) unknown: usize,
    /// Lines that are not events.
    pub(super) broken: usize,
}

impl Tally {
    /// Takes a line of the stream in, read at `now`. Returns whether the progress is another one.
    pub(super) fn take(&mut self, line: &[u8], now: Duration) -> bool {
        let Some(event) = Event::parse(line) else {
            self.broken += 1;
            return false;
        };
        match event {
            Event::Planned(counts) => self.planned = Some(counts),
            Event::Changed(counts) => self.changed = Some(counts),
            Event::Started(address, action) => self.begins(address, action, now, Duration::ZERO),
            Event::Going(address, action, seconds) => {
                self.begins(address, action, now, Duration::from_secs(seconds));
            }
            Event::Completed(address, action) => {
                self.ends(&address, action);
                self.count(action);
            }
            Event::Errored(address, action) => self.ends(&address, action),
            Event::Said(said) => {
                if said.severity == "error" && self.errors.len() < MOST_ERRORS && !self.errors.contains(&said)
                {
                    self.errors.push(said);
                }
                return false;
            }
            Event::Idle => return false,
            Event::Unknown => {
                self.unknown += 1;
                return false;
            }
        }
        true
    }

    fn begins(&mut self, address: String, action: Action, at: Duration, already: Duration) {
        self.ends(&address, action);
        self.begun.push(Begun { address, action, at, already });
    }

    fn ends(&mut self, address: &str, action: Action) {
        self.begun.retain(|begun| begun.address != address || begun.action != action);
    }

    fn count(&mut self, action: Action) {
        match action {
            Action::Create => self.made.add += 1,
            Action::Update => self.made.change += 1,
            Action::Delete => self.made.remove += 1,
            Action::Replace => {
                self.made.add += 1;
                self.made.remove += 1;
            }
            Action::Read | Action::Other => {}
        }
    }

    /// How far the run is at `now`.
    pub(super) fn progress(&self, now: Duration) -> Progress {
        let done = self.made.sum();
        let mut running: Vec<Running> = self
            .begun
            .iter()
            .map(|begun| Running {
                address: begun.address.clone(),
                action: begun.action,
                seconds: begun.lasts(now).as_secs(),
                wait: None,
            })
            .collect();
        // A stable order: of those that began together, the one that was named first stays first.
        running.sort_by_key(|running| std::cmp::Reverse(running.seconds));
        let total = self.planned.map(|planned| planned.sum().max(done));
        Progress { total, done, running, waiting_for_earlier: None }
    }

    /// What was added, changed and removed: as terraform sums it up, else as it was counted.
    pub(super) fn counts(&self) -> Counts {
        self.changed.unwrap_or(self.made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAILED: &str = include_str!("recorded/failed.jsonl");
    const RESUMED: &str = include_str!("recorded/resumed.jsonl");

    fn after(lines: &str) -> Tally {
        let mut tally = Tally::default();
        for line in lines.lines() {
            tally.take(line.as_bytes(), Duration::ZERO);
        }
        tally
    }

    #[test]
    fn a_failed_run_is_counted() {
        let tally = after(FAILED);
        let progress = tally.progress(Duration::from_secs(9));
        assert_eq!((progress.total, progress.done, progress.running.len()), (Some(4), 3, 0));
        assert_eq!(tally.errors.len(), 1);
        assert_eq!(tally.counts(), Counts { add: 3, change: 0, remove: 0 });
        assert_eq!((tally.unknown, tally.broken), (0, 0));
    }

    #[test]
    fn a_replacement_is_two_changes() {
        let tally = after(RESUMED);
        let progress = tally.progress(Duration::ZERO);
        assert_eq!((progress.total, progress.done), (Some(2), 2));
        assert_eq!(tally.counts(), Counts { add: 1, change: 0, remove: 1 });
    }

    #[test]
    fn what_takes_longest_comes_first() {
        let event = |sort: &str, address: &str, action: &str, elapsed: u64| {
            serde_json::json!({
                "type": sort,
                "hook": {"resource": {"addr": address}, "action": action, "elapsed_seconds": elapsed},
            })
            .to_string()
        };
        let at = Duration::from_secs;
        let mut tally = Tally::default();
        assert!(tally.take(event("apply_start", "a.quick", "create", 0).as_bytes(), at(5)));
        assert!(tally.take(event("apply_start", "a.slow", "delete", 0).as_bytes(), at(1)));
        assert!(tally.take(event("apply_start", "a.read", "read", 0).as_bytes(), at(1)));
        assert!(tally.take(event("apply_complete", "a.read", "read", 0).as_bytes(), at(2)));
        // The run of another process: how long this one has been going on is known from what it says.
        assert!(tally.take(event("apply_progress", "a.old", "create", 70).as_bytes(), at(5)));
        let progress = tally.progress(at(11));
        let seen: Vec<(&str, Action, u64)> =
            progress.running.iter().map(|r| (r.address.as_str(), r.action, r.seconds)).collect();
        let expected =
            [("a.old", Action::Create, 76), ("a.slow", Action::Delete, 10), ("a.quick", Action::Create, 6)];
        assert_eq!(seen, expected);
        assert_eq!((progress.total, progress.done), (None, 0));
    }

    #[test]
    fn what_is_not_known_is_counted() {
        let tally = after("{\"type\":\"of_tomorrow\"}\npanic: x\n\n{\"type\":\"log\"}");
        assert_eq!((tally.unknown, tally.broken), (1, 2));
    }
}
