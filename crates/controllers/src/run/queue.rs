//! The keys that wait for a reconciliation, and when each is due.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

use super::backoff::Pauses;
use crate::{Failed, Key, Next};

/// The longest pause between two attempts.
const LONGEST: Duration = Duration::from_mins(1);

/// The keys of one controller. No key is worked on twice at a time; what changes meanwhile leads to one more
/// run, however often it changes.
#[derive(Debug, Default)]
pub struct Queue {
    ready: VecDeque<Key>,
    due: BTreeMap<Key, Instant>,
    running: BTreeSet<Key>,
    changed: BTreeSet<Key>,
    failing: BTreeMap<Key, Pauses>,
}

impl Queue {
    /// Something of this key may have changed.
    pub fn changed(&mut self, key: Key) {
        if self.running.contains(&key) {
            self.changed.insert(key);
        } else {
            self.due.remove(&key);
            if !self.ready.contains(&key) {
                self.ready.push_back(key);
            }
        }
    }

    /// The next key to work on, if one is due.
    pub fn take(&mut self, now: Instant) -> Option<Key> {
        let due: Vec<Key> =
            self.due.iter().filter(|(_, at)| **at <= now).map(|(key, _)| key.clone()).collect();
        for key in due {
            self.changed(key);
        }
        let key = self.ready.pop_front()?;
        self.running.insert(key.clone());
        Some(key)
    }

    /// The work on a key has ended.
    pub fn done(&mut self, key: Key, outcome: &Result<Next, Failed>, now: Instant) {
        self.running.remove(&key);
        let pause = match outcome {
            Err(Failed { retry: true, .. }) => {
                Some(self.failing.entry(key.clone()).or_insert(Pauses::up_to(LONGEST)).grow())
            }
            Err(_) | Ok(Next::Settled) => None,
            Ok(Next::Again(pause)) => Some(*pause),
        };
        if !matches!(outcome, Err(Failed { retry: true, .. })) {
            self.failing.remove(&key);
        }
        if self.changed.remove(&key) {
            self.ready.push_back(key);
        } else if let Some(at) = pause.and_then(|pause| now.checked_add(pause)) {
            self.due.insert(key, at);
        }
    }

    /// When the next key is due that is not so yet.
    pub fn next_due(&self) -> Option<Instant> {
        self.due.values().min().copied()
    }

    /// How many keys wait for their turn.
    pub fn waiting(&self) -> usize {
        self.ready.len() + self.changed.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        Key { namespace: None, name: name.to_owned() }
    }

    fn failed(retry: bool) -> Result<Next, Failed> {
        Err(Failed { retry, reason: "played", note: String::new() })
    }

    #[test]
    fn changes_while_a_key_is_worked_on_lead_to_one_more_run() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        queue.changed(key("a"));
        queue.changed(key("a"));
        assert_eq!(queue.waiting(), 1);
        assert_eq!(queue.take(now), Some(key("a")));
        queue.changed(key("a"));
        queue.changed(key("a"));
        assert_eq!(queue.take(now), None);
        queue.done(key("a"), &Ok(Next::Settled), now);
        assert_eq!(queue.take(now), Some(key("a")));
        queue.done(key("a"), &Ok(Next::Settled), now);
        assert_eq!((queue.take(now), queue.next_due()), (None, None));
    }

    #[test]
    fn keys_come_in_the_order_of_their_changes() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        for name in ["b", "a", "b", "c"] {
            queue.changed(key(name));
        }
        let order: Vec<Option<Key>> = (0..4).map(|_| queue.take(now)).collect();
        assert_eq!(order, [Some(key("b")), Some(key("a")), Some(key("c")), None]);
    }

    #[test]
    fn what_failed_is_due_after_a_pause_that_grows() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        let mut last = Duration::ZERO;
        queue.changed(key("a"));
        for _ in 0..6 {
            let at = queue.next_due().unwrap_or(now);
            assert_eq!(queue.take(at), Some(key("a")));
            queue.done(key("a"), &failed(true), now);
            let pause = queue.next_due().map(|due| due - now).unwrap_or_default();
            assert!(pause > last && pause <= LONGEST, "{pause:?} after {last:?}");
            assert_eq!(queue.take(now), None);
            last = pause;
        }
        // A change does not wait for the pause, and a success ends the row.
        queue.changed(key("a"));
        assert_eq!(queue.take(now), Some(key("a")));
        queue.done(key("a"), &Ok(Next::Settled), now);
        assert_eq!(queue.next_due(), None);
        queue.changed(key("a"));
        assert_eq!(queue.take(now), Some(key("a")));
        queue.done(key("a"), &failed(true), now);
        assert!(queue.next_due() <= Some(now + Duration::from_millis(200)));
    }

    #[test]
    fn what_trying_again_does_not_heal_waits_for_a_change() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        queue.changed(key("a"));
        assert_eq!(queue.take(now), Some(key("a")));
        queue.done(key("a"), &failed(false), now);
        assert_eq!((queue.take(now), queue.next_due()), (None, None));
    }

    #[test]
    fn what_is_wished_again_is_due_then() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        queue.changed(key("a"));
        assert_eq!(queue.take(now), Some(key("a")));
        queue.done(key("a"), &Ok(Next::Again(Duration::from_secs(5))), now);
        assert_eq!(queue.take(now + Duration::from_secs(4)), None);
        assert_eq!(queue.take(now + Duration::from_secs(5)), Some(key("a")));
        queue.done(key("a"), &Ok(Next::Again(Duration::MAX)), now);
        assert_eq!(queue.next_due(), None);
    }
}
