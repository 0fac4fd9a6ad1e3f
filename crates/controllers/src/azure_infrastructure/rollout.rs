//! Plans that only another landfall makes different, carried out for a few clusters at a time.
//!
//! A cluster whose turn it is has the label [`ROLLOUT`] until it is Ready again, so that a new process knows it. One
//! that fails keeps it, and no other cluster begins.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::kube::runtime::watcher::Event;
use futures::stream::{self, BoxStream, StreamExt as _};
use tokio::sync::Notify;

use super::claims::{Metadata, key};
use super::metrics::Numbers;
use crate::Key;

/// Label of a resource whose cluster takes the plan of another landfall: [`Taking::name`].
pub(super) const ROLLOUT: &str = "aso.landfall.dev/rollout";

/// How far a cluster is with its new plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taking {
    /// It is being updated.
    Updating,
    /// It failed, and needs a change.
    Failed,
}

impl Taking {
    /// As the label has it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Updating => "updating",
            Self::Failed => "failed",
        }
    }

    /// What a label says. A value that is unknown holds a place.
    fn of(label: &str) -> Self {
        if label == Self::Failed.name() { Self::Failed } else { Self::Updating }
    }
}

/// Why a cluster does not take its new plan yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// There is no rollout: each cluster waits for its owner.
    ByHand,
    /// As many clusters as may are being updated.
    Full,
    /// A cluster failed.
    Stopped,
}

/// The clusters that take a new plan, and those that wait for it.
pub(super) struct Rollout {
    /// How many may be updated at once; 0 where each cluster waits for its owner.
    limit: usize,
    numbers: Numbers,
    kept: Mutex<Kept>,
    freed: Notify,
}

#[derive(Default)]
struct Kept {
    taking: BTreeMap<Key, Taking>,
    waiting: BTreeSet<Key>,
    /// Those whose plan is held until their owner decides.
    held: BTreeSet<Key>,
    /// Those that were woken for a free place and have not begun or asked again.
    woken: BTreeSet<Key>,
}

impl Rollout {
    /// A rollout to at most this many clusters at once.
    pub(super) fn new(limit: usize, numbers: Numbers) -> Self {
        Self { limit, numbers, kept: Mutex::default(), freed: Notify::new() }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts again, and wakes those who wait if a place became free.
    fn settle(&self, kept: &Kept, is_freed: bool) {
        let of = |taking| kept.taking.values().filter(|one| **one == taking).count();
        self.numbers.rolls_out([
            ("waiting", kept.waiting.len()),
            (Taking::Updating.name(), of(Taking::Updating)),
            (Taking::Failed.name(), of(Taking::Failed)),
            ("held", kept.held.len()),
        ]);
        if is_freed && !kept.waiting.is_empty() {
            self.freed.notify_one();
        }
    }

    /// Records a watch event of a resource that this process has not looked at yet.
    pub(super) fn note(&self, event: &Event<Metadata>) {
        let (Event::Apply(found) | Event::InitApply(found)) = event else { return };
        let labels = found.metadata.labels.as_ref();
        if let Some(label) = labels.and_then(|labels| labels.get(ROLLOUT)) {
            let mut kept = self.kept();
            kept.taking.entry(key(found.metadata.clone())).or_insert_with(|| Taking::of(label));
            self.settle(&kept, false);
        }
    }

    /// Records what the label of a resource says now, if it has one. Without the label, also if somebody removed it by
    /// hand, its place is free.
    pub(super) fn sees(&self, key: &Key, label: Option<&str>) {
        let mut kept = self.kept();
        kept.waiting.remove(key);
        let before = match label {
            Some(label) => kept.taking.insert(key.clone(), Taking::of(label)),
            None => kept.taking.remove(key),
        };
        let is_freed = before.is_some() && label.is_none();
        self.settle(&kept, is_freed);
    }

    /// Records whether the plan of a cluster is held. One that waits for its turn is counted as that.
    pub(super) fn holds(&self, key: &Key, is_held: bool) {
        let mut kept = self.kept();
        let changes = if is_held && !kept.waiting.contains(key) {
            kept.held.insert(key.clone())
        } else {
            kept.held.remove(key)
        };
        if changes {
            self.settle(&kept, false);
        }
    }

    /// Lets a cluster take its new plan; one that `has_begun` with it goes on under any limit.
    ///
    /// # Errors
    /// It is not its turn; it is woken when it may be.
    pub(super) fn begin(&self, key: &Key, has_begun: bool) -> Result<(), Refusal> {
        let mut kept = self.kept();
        kept.woken.remove(key);
        let is_taking = kept.taking.contains_key(key);
        if is_taking && (has_begun || self.limit > 0) {
            return Ok(());
        }
        if self.limit == 0 {
            return Err(Refusal::ByHand);
        }
        let result = if kept.taking.values().any(|one| *one == Taking::Failed) {
            Err(Refusal::Stopped)
        } else if kept.taking.len() >= self.limit {
            Err(Refusal::Full)
        } else {
            Ok(())
        };
        match result {
            Ok(()) => {
                kept.waiting.remove(key);
                kept.taking.insert(key.clone(), Taking::Updating);
            }
            Err(_) => {
                kept.waiting.insert(key.clone());
            }
        }
        self.settle(&kept, false);
        result
    }

    /// A run of a resource has ended. If it was woken for a place and has not asked for it, another one is woken.
    pub(super) fn rests(&self, key: &Key) {
        let mut kept = self.kept();
        if kept.woken.remove(key) && !kept.waiting.is_empty() {
            self.freed.notify_one();
        }
    }

    /// The keys of those whose turn it may be, each time that a place is free.
    pub(super) fn turns(self: Arc<Self>) -> BoxStream<'static, Key> {
        let next = stream::unfold(self, |rollout| async move {
            rollout.freed.notified().await;
            let keys: Vec<Key> = {
                let mut kept = rollout.kept();
                let keys: Vec<Key> = kept.waiting.iter().take(rollout.limit).cloned().collect();
                kept.woken.extend(keys.iter().cloned());
                keys
            };
            Some((stream::iter(keys), rollout))
        });
        next.flatten().boxed()
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use prometheus_client::registry::Registry;

    use super::*;

    fn of(name: &str) -> Key {
        Key { namespace: Some("fleet".to_owned()), name: name.to_owned() }
    }

    fn rollout(limit: usize) -> Arc<Rollout> {
        Arc::new(Rollout::new(limit, Numbers::registered(&mut Registry::default())))
    }

    #[test]
    fn as_many_as_may_are_updated_and_the_next_follows() {
        let rollout = rollout(2);
        let mut turns = Arc::clone(&rollout).turns();
        let begins =
            |names: &[&str]| names.iter().map(|name| rollout.begin(&of(name), false)).collect::<Vec<_>>();
        assert_eq!(begins(&["a", "b", "c", "d"]), [Ok(()), Ok(()), Err(Refusal::Full), Err(Refusal::Full)]);
        assert_eq!(turns.next().now_or_never(), None);
        // It has its label now, and keeps its place until that is gone.
        rollout.sees(&of("a"), Some("updating"));
        assert_eq!(begins(&["a", "c"]), [Ok(()), Err(Refusal::Full)]);
        rollout.sees(&of("a"), None);
        assert_eq!(turns.next().now_or_never(), Some(Some(of("c"))));
        assert_eq!(turns.next().now_or_never(), Some(Some(of("d"))));
        assert_eq!(begins(&["c", "d"]), [Ok(()), Err(Refusal::Full)]);
        // One that is woken and does not ask for the place leaves it to another.
        rollout.sees(&of("b"), Some("updating"));
        assert_eq!(begins(&["e"]), [Err(Refusal::Full)]);
        rollout.sees(&of("b"), None);
        assert_eq!(turns.next().now_or_never(), Some(Some(of("d"))));
        assert_eq!(turns.next().now_or_never(), Some(Some(of("e"))));
        assert_eq!(turns.next().now_or_never(), None);
        rollout.sees(&of("d"), None);
        rollout.rests(&of("d"));
        assert_eq!(turns.next().now_or_never(), Some(Some(of("e"))));
    }

    #[test]
    fn a_failed_cluster_stops_the_others_until_it_is_ready_or_excused() {
        let rollout = rollout(5);
        let mut turns = Arc::clone(&rollout).turns();
        assert_eq!(rollout.begin(&of("a"), false), Ok(()));
        rollout.sees(&of("a"), Some("failed"));
        assert_eq!(rollout.begin(&of("b"), false), Err(Refusal::Stopped));
        assert_eq!(rollout.begin(&of("a"), false), Ok(()));
        rollout.sees(&of("a"), None);
        assert_eq!(turns.next().now_or_never(), Some(Some(of("b"))));
        assert_eq!(rollout.begin(&of("b"), false), Ok(()));
    }

    #[test]
    fn clusters_that_are_held_are_counted() {
        let mut registry = Registry::default();
        let rollout = Rollout::new(1, Numbers::registered(&mut registry));
        let count = |state: &str| {
            let mut text = String::new();
            assert!(prometheus_client::encoding::text::encode(&mut text, &registry).is_ok());
            let name = format!("landfall_rollout_clusters{{state=\"{state}\"}} ");
            text.lines().find_map(|line| line.strip_prefix(&name).map(str::to_owned))
        };
        for name in ["a", "b"] {
            rollout.holds(&of(name), true);
        }
        assert_eq!(count("held").as_deref(), Some("2"));
        rollout.holds(&of("a"), false);
        // One that waits for its turn is not held as well.
        assert_eq!(rollout.begin(&of("c"), false), Ok(()));
        assert_eq!(rollout.begin(&of("b"), false), Err(Refusal::Full));
        rollout.holds(&of("b"), true);
        assert_eq!([count("held"), count("waiting")], [Some("0".to_owned()), Some("1".to_owned())]);
    }

    #[test]
    fn without_a_limit_only_those_go_on_that_began() {
        let rollout = rollout(0);
        rollout.sees(&of("a"), Some("updating"));
        assert_eq!(
            (rollout.begin(&of("a"), true), rollout.begin(&of("b"), true)),
            (Ok(()), Err(Refusal::ByHand))
        );
        // The plan of yet another landfall is not what it began with.
        assert_eq!(rollout.begin(&of("a"), false), Err(Refusal::ByHand));
    }
}
