//! The state of each resource during a run, and which resources become removable when one is gone.
//!
//! Plain values: time is a parameter, and nothing is called.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use landfall_diagnostics::Finding;
use landfall_platform::removal::{Disposition, Kind, Outcome as Answer, Resource};
use tokio::time::Instant;

use super::order::{Order, goes_last};
use super::pause::{Growth, Pauses};
use super::polling::Polling;
use super::stuck::Naming;

/// How long a removable resource waits for others to go with the same call.
const WINDOW: Duration = Duration::from_millis(20);

/// What goes last waits no longer than this for something that is on its way.
const SLOW: Duration = Duration::from_mins(10);

/// The state of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stand {
    /// Something has to go before.
    Waiting,
    /// It may be removed, since then.
    Ready(Instant),
    /// A call to remove it is under way.
    Trying,
    /// Its removal has begun; polls will show the result.
    Going,
    /// It did not go, and is to be removed again.
    Held {
        /// When.
        again: Instant,
        /// Whether that may be earlier when something else has gone.
        early: bool,
    },
    /// It was confirmed to be gone more than once and is still listed; a read by its id decides.
    Doubted,
    /// It is gone.
    Gone,
    /// It will not go.
    Refused,
}

/// A resource with its state.
#[derive(Debug)]
pub(super) struct Node {
    /// The resource.
    pub thing: Arc<Resource>,
    /// Place of its group.
    pub group: usize,
    /// Its state.
    pub stand: Stand,
    /// Number of resources that must go before it.
    pub pending: usize,
    /// When it was tried first.
    pub first_tried: Option<Instant>,
    /// When the last attempt ended.
    pub last_tried: Option<Instant>,
    /// How many attempts have ended without its going.
    pub tries: u32,
    /// How many times it was said to be gone.
    pub said_gone: u32,
    /// Number of resources that went before it, once it has gone.
    pub went: usize,
    /// When it was last said to be gone.
    pub went_at: Option<Instant>,
    /// Why it does not go, in the cloud's words.
    pub why: String,
    /// Its remedy, where that differs from the remedy of its kind.
    pub help: Option<String>,
    /// The report about its holders.
    pub naming: Naming,
}

/// The resources of one kind and one disposition.
#[derive(Debug)]
pub(super) struct Group {
    /// The kind.
    pub kind: &'static Kind,
    /// What becomes of them.
    pub fate: Disposition,
    /// The looks at those that are going.
    pub looks: Polling,
}

/// All resources of a run.
#[derive(Debug)]
pub(super) struct RemovalState {
    /// The resources, in the order in which they were found. None is removed from the list.
    pub nodes: Vec<Node>,
    /// Their groups, in the same order.
    pub groups: Vec<Group>,
    /// What waits for what.
    pub order: Order,
    /// Indexes of the resources by their ids.
    pub places: BTreeMap<String, usize>,
    /// What was refused, each once.
    pub refusals: Vec<Finding>,
    /// How many times something has gone.
    pub gone: usize,
    /// How long to wait before something is done again.
    pub pauses: Pauses,
}

impl RemovalState {
    pub(super) fn new(pauses: Pauses) -> Self {
        Self {
            nodes: Vec::new(),
            groups: Vec::new(),
            order: Order::default(),
            places: BTreeMap::new(),
            refusals: Vec::new(),
            gone: 0,
            pauses,
        }
    }

    /// Adds a new resource; returns its index. The order must be computed again.
    pub(super) fn add(&mut self, thing: Resource) -> usize {
        let place = self.nodes.len();
        let group = self.group(thing.kind, thing.fate);
        self.places.insert(thing.id.clone(), place);
        self.nodes.push(Node {
            thing: Arc::new(thing),
            group,
            stand: Stand::Waiting,
            pending: 0,
            first_tried: None,
            last_tried: None,
            tries: 0,
            said_gone: 0,
            went: 0,
            went_at: None,
            why: String::new(),
            help: None,
            naming: Naming::default(),
        });
        place
    }

    /// The index of a group, which is created if necessary.
    pub(super) fn group(&mut self, kind: &'static Kind, fate: Disposition) -> usize {
        let is_it = |group: &Group| group.kind.name == kind.name && group.fate == fate;
        if let Some(place) = self.groups.iter().position(is_it) {
            return place;
        }
        self.groups.push(Group { kind, fate, looks: Polling::default() });
        self.groups.len() - 1
    }

    /// Computes the order again, after resources were added or changed.
    pub(super) fn reorder(&mut self, now: Instant) {
        self.order = Order::of(self.nodes.iter().map(|node| &*node.thing));
        for place in 0..self.nodes.len() {
            let is_left = |other: &&usize| self.nodes[**other].stand != Stand::Gone;
            let pending = self.order.after[place].iter().filter(is_left).count();
            let node = &mut self.nodes[place];
            node.pending = pending;
            match node.stand {
                Stand::Waiting if pending == 0 => node.stand = Stand::Ready(now),
                Stand::Ready(_) | Stand::Held { .. } if pending > 0 => node.stand = Stand::Waiting,
                _ => {}
            }
        }
    }

    /// Whether something is still to be done or to be waited for.
    pub(super) fn is_active(&self) -> bool {
        self.has_work() || self.nodes.iter().any(|node| node.stand == Stand::Doubted)
    }

    /// Whether what goes last may go by now: nothing else comes forward. What does not go within some time, or
    /// is on its way for very long, holds nothing up.
    pub(super) fn is_time_for_last(&self, now: Instant, after: Duration) -> bool {
        let comes_forward = |node: &Node| {
            let within = |limit: Duration| node.first_tried.is_none_or(|tried| now < tried + limit);
            match node.stand {
                Stand::Ready(_) | Stand::Trying | Stand::Held { .. } => within(after),
                Stand::Going => within(SLOW),
                Stand::Waiting | Stand::Doubted | Stand::Gone | Stand::Refused => false,
            }
        };
        !self.nodes.iter().any(|node| !goes_last(&node.thing) && comes_forward(node))
    }

    /// When no new resources become removable, so that those that go last may go.
    pub(super) fn last_times(&self, after: Duration) -> impl Iterator<Item = Instant> {
        self.nodes.iter().filter(|node| !goes_last(&node.thing)).filter_map(move |node| {
            let limit = if node.stand == Stand::Going { SLOW } else { after };
            node.first_tried.map(|tried| tried + limit)
        })
    }

    /// Whether something is still to be removed, or on its way.
    pub(super) fn has_work(&self) -> bool {
        let works = |stand: Stand| {
            matches!(stand, Stand::Ready(_) | Stand::Trying | Stand::Going | Stand::Held { .. })
        };
        self.nodes.iter().any(|node| works(node.stand))
    }

    /// Whether something has not gone.
    pub(super) fn is_left(&self) -> bool {
        self.nodes.iter().any(|node| node.stand != Stand::Gone)
    }

    /// The resources at some indexes.
    pub(super) fn things(&self, places: &[usize]) -> Vec<Arc<Resource>> {
        places.iter().map(|place| Arc::clone(&self.nodes[*place].thing)).collect()
    }

    /// Whether something is held although it was tried several times.
    pub(super) fn is_stuck(&self) -> bool {
        const SEVERAL: u32 = 4;
        let is_stuck = |node: &Node| {
            node.tries >= SEVERAL && matches!(node.stand, Stand::Held { early: true, .. } | Stand::Trying)
        };
        self.nodes.iter().any(is_stuck)
    }

    /// Retries resources whose pause is over.
    pub(super) fn ripen(&mut self, now: Instant) {
        for node in &mut self.nodes {
            if matches!(node.stand, Stand::Held { again, .. } if again <= now) {
                node.stand = Stand::Ready(now);
            }
        }
    }

    /// Retries held resources soon, as their holder may just have gone; not at once, and later after each retry
    /// that failed.
    pub(super) fn hurry(&mut self, now: Instant) {
        for node in &mut self.nodes {
            let Stand::Held { again, early: true } = node.stand else { continue };
            let least = self.pauses.after(0, Growth::Double);
            let pause = (self.pauses.after(node.tries, Growth::Double) / 4).max(least);
            let soon = node.last_tried.map_or(now, |tried| tried + pause).max(now);
            node.stand = Stand::Held { again: again.min(soon), early: true };
        }
    }

    /// The resources to remove now, each batch with one call; those with the longest chain first. Resources that go
    /// last wait while others become removable, but not longer than `patience` for those that remain.
    pub(super) fn batches(&self, now: Instant, patience: Duration) -> Vec<Vec<usize>> {
        let mut ready: Vec<Vec<usize>> = vec![Vec::new(); self.groups.len()];
        let all = self.is_time_for_last(now, patience);
        for (place, node) in self.nodes.iter().enumerate() {
            if matches!(node.stand, Stand::Ready(_)) && (all || !goes_last(&node.thing)) {
                ready[node.group].push(place);
            }
        }
        let height = |place: &usize| self.order.height(*place);
        let is_due = |place: &usize| self.full_at(*place).is_some_and(|at| at <= now);
        let mut batches: Vec<Vec<usize>> = Vec::new();
        for (group, mut places) in self.groups.iter().zip(ready) {
            places.sort_by_key(|place| Reverse(height(place)));
            let most = group.kind.batch.max(1);
            let full = |batch: &&[usize]| batch.len() == most || batch.iter().any(is_due);
            batches.extend(places.chunks(most).filter(full).map(<[usize]>::to_vec));
        }
        batches.sort_by_key(|batch| Reverse(batch.iter().map(height).max()));
        batches
    }

    /// When a removable resource no longer waits for others to go with it.
    fn full_at(&self, place: usize) -> Option<Instant> {
        match self.nodes[place].stand {
            Stand::Ready(since) => Some(since + WINDOW),
            _ => None,
        }
    }

    /// When something becomes possible by the passing of time alone.
    pub(super) fn times(&self) -> impl Iterator<Item = Instant> {
        let again = self.nodes.iter().enumerate().filter_map(move |(place, node)| match node.stand {
            Stand::Held { again, .. } => Some(again),
            _ => self.full_at(place),
        });
        let looks = self.groups.iter().map(|group| &group.looks);
        again.chain(looks.filter(|looks| !looks.under_way).filter_map(|looks| looks.at))
    }

    /// A call to remove resources begins.
    pub(super) fn begin(&mut self, places: &[usize], now: Instant) {
        for place in places {
            let node = &mut self.nodes[*place];
            node.stand = Stand::Trying;
            node.first_tried = node.first_tried.or(Some(now));
        }
    }

    /// A call to remove a resource has ended.
    pub(super) fn tried(&mut self, place: usize, answer: Answer, now: Instant) {
        match answer {
            Answer::Gone => self.went(place, now),
            Answer::Going => self.goes(place, now),
            Answer::Held { why } => self.held(place, why, true, now),
            Answer::Failed { why } => self.held(place, why, false, now),
            Answer::Refused(finding) => self.refuse(place, *finding),
        }
    }

    /// A resource has gone: those that only waited for it become removable.
    pub(super) fn went(&mut self, place: usize, now: Instant) {
        let node = &mut self.nodes[place];
        if node.stand == Stand::Gone {
            return;
        }
        node.stand = Stand::Gone;
        node.said_gone = node.said_gone.saturating_add(1);
        node.went = self.gone;
        node.went_at = Some(now);
        self.gone += 1;
        for other in self.order.before.get(place).into_iter().flatten() {
            let other = &mut self.nodes[*other];
            other.pending = other.pending.saturating_sub(1);
            if other.pending == 0 && other.stand == Stand::Waiting {
                other.stand = Stand::Ready(now);
            }
        }
    }

    fn goes(&mut self, place: usize, now: Instant) {
        let node = &mut self.nodes[place];
        node.why.clear();
        node.last_tried = Some(now);
        node.stand = Stand::Going;
        let group = node.group;
        self.look_soon(group, now);
    }

    /// A resource did not go; it is tried again after a growing pause.
    pub(super) fn held(&mut self, place: usize, why: String, early: bool, now: Instant) {
        let node = &mut self.nodes[place];
        tracing::debug!(thing = %node.thing.id, why = %why, "still exists");
        let again = now + self.pauses.after(node.tries, Growth::Double);
        node.tries = node.tries.saturating_add(1);
        node.last_tried = Some(now);
        node.why = why;
        node.stand = Stand::Held { again, early };
    }

    pub(super) fn refuse(&mut self, place: usize, finding: Finding) {
        let node = &mut self.nodes[place];
        node.stand = Stand::Refused;
        node.why.clone_from(&finding.message);
        node.help.clone_from(&finding.help);
        let is_it = |known: &Finding| {
            (known.code.as_str(), &known.field, &known.message)
                == (finding.code.as_str(), &finding.field, &finding.message)
        };
        if !self.refusals.iter().any(is_it) {
            self.refusals.push(finding);
        }
    }

    /// The resource that blocks a resource in the end: one that remains rather than one that is being removed.
    pub(super) fn root(&self, place: usize) -> usize {
        let weight = |place: &&usize| match self.nodes[**place].stand {
            Stand::Gone => 0,
            Stand::Trying | Stand::Going | Stand::Doubted => 1,
            Stand::Ready(_) => 2,
            Stand::Waiting => 3,
            Stand::Held { .. } => 4,
            Stand::Refused => 5,
        };
        let mut root = place;
        while self.nodes[root].stand == Stand::Waiting {
            let next = self.order.after[root].iter().filter(|other| weight(other) > 0).max_by_key(weight);
            let Some(next) = next else { break };
            root = *next;
        }
        root
    }
}
