//! Reports resources that remain, with their holders.
//!
//! Only resources whose removal was tried are reported, never those that wait for them. The holders of one kind
//! are queried together, also for resources whose time comes soon, so that the queries stay few; later queries
//! come at growing intervals.

use std::time::Duration;

use landfall_platform::removal::Holder;
use tokio::time::Instant;

use super::order::goes_last;
use super::pause::{Growth, Pauses};
use super::progress::Blocked;
use super::removal_state::{Node, RemovalState, Stand};

/// What is remembered of a resource that remains.
#[derive(Debug, Default)]
pub(super) struct Naming {
    /// Whether it is being asked what holds it.
    under_way: bool,
    /// When to ask again.
    next: Option<Instant>,
    /// How many times that was asked.
    asked: u32,
    /// The last report.
    pub told: Option<Vec<Holder>>,
}

/// Pauses between asking grow up to so many times the first.
const SELDOM: u32 = 8;

/// The part of the time before a report that is left for the query for holders.
fn lead(after: Duration) -> Duration {
    after / 6
}

/// Timeout of that query: the first report must be in time.
pub(super) fn limit(after: Duration, is_first: bool) -> Duration {
    if is_first { lead(after) } else { after }
}

/// Whether a removal was tried and the resource remains.
fn does_not_go(stand: Stand) -> bool {
    !matches!(stand, Stand::Waiting | Stand::Doubted | Stand::Gone)
}

impl RemovalState {
    /// Resources to report now: of each group in which the time of one has come, all whose time comes
    /// soon.
    pub(super) fn to_name(&self, now: Instant, after: Duration) -> Vec<Vec<usize>> {
        let mut groups: Vec<(Vec<usize>, bool)> = vec![(Vec::new(), false); self.groups.len()];
        for (place, node) in self.nodes.iter().enumerate() {
            let Some(at) = name_at(node, after).filter(|at| *at <= now + lead(after)) else { continue };
            let (places, is_due) = &mut groups[node.group];
            places.push(place);
            *is_due |= at <= now;
        }
        groups.into_iter().filter(|(_, is_due)| *is_due).map(|(places, _)| places).collect()
    }

    /// When resources are to be reported.
    pub(super) fn name_times(&self, after: Duration) -> impl Iterator<Item = Instant> {
        self.nodes.iter().filter_map(move |node| name_at(node, after))
    }

    /// A query for the holders of resources begins; returns whether it is the first for one of them.
    pub(super) fn begin_naming(&mut self, places: &[usize]) -> bool {
        let mut is_first = false;
        for place in places {
            let naming = &mut self.nodes[*place].naming;
            naming.under_way = true;
            is_first |= naming.asked == 0;
        }
        is_first
    }

    /// It was asked what holds some things: what is to be told of those that still do not go and of which
    /// nobody has told the same. They are asked about together again.
    pub(super) fn named(
        &mut self,
        places: &[usize],
        holders: Vec<Option<Vec<Holder>>>,
        after: Duration,
        now: Instant,
    ) -> Vec<Blocked> {
        let asked = places.iter().map(|place| self.nodes[*place].naming.asked).min().unwrap_or_default();
        let pauses = Pauses { first: after, longest: after.saturating_mul(SELDOM) };
        let next = now + pauses.after(asked, Growth::Double);
        let mut news = Vec::new();
        for (place, holders) in places.iter().zip(holders) {
            let Node { naming, stand, .. } = &mut self.nodes[*place];
            naming.next = Some(next);
            naming.under_way = false;
            naming.asked = naming.asked.saturating_add(1);
            // What held it and could not be asked for this time has not let go.
            let holders = holders.or_else(|| naming.told.clone()).unwrap_or_default();
            if does_not_go(*stand) && naming.told.as_ref() != Some(&holders) {
                naming.told = Some(holders);
                news.extend(self.blocked(*place, now));
            }
        }
        news
    }

    /// A remaining resource that was reported.
    pub(super) fn blocked(&self, place: usize, now: Instant) -> Option<Blocked> {
        let node = self.nodes.get(place)?;
        let holders = node.naming.told.clone()?;
        if !does_not_go(node.stand) {
            return None;
        }
        Some(Blocked {
            thing: (*node.thing).clone(),
            why: self.why(place),
            help: self.help(place),
            holders,
            since: node.first_tried.map(|tried| now.saturating_duration_since(tried)).unwrap_or_default(),
        })
    }

    /// Why a resource remains, without a full stop.
    pub(super) fn why(&self, place: usize) -> String {
        let node = &self.nodes[place];
        match node.stand {
            Stand::Going if node.why.is_empty() => "its removal has begun, but it still exists".to_owned(),
            Stand::Going => format!("its removal has begun, but was not confirmed: {}", node.why),
            Stand::Doubted => "it was removed, but the cloud still lists it".to_owned(),
            Stand::Ready(_) if node.why.is_empty() && goes_last(&node.thing) => {
                "it is removed last, and was not tried yet".to_owned()
            }
            Stand::Ready(_) if node.why.is_empty() => "it was not tried yet".to_owned(),
            Stand::Trying if node.why.is_empty() => "the call to remove it has not ended".to_owned(),
            Stand::Waiting => {
                let root = self.root(place);
                if root == place {
                    return "it was not tried yet".to_owned();
                }
                format!("waits for {}", super::label(&self.nodes[root].thing))
            }
            _ => node.why.clone(),
        }
    }

    /// The remedy for a resource that remains; empty where waiting is enough.
    pub(super) fn help(&self, place: usize) -> String {
        let node = &self.nodes[place];
        let holders = node.naming.told.as_deref().unwrap_or_default();
        let only_own = !holders.is_empty() && holders.iter().all(|holder| holder.own);
        match node.stand {
            Stand::Held { early: true, .. } if only_own => String::new(),
            Stand::Waiting | Stand::Gone | Stand::Doubted => String::new(),
            _ => node.help.clone().unwrap_or_else(|| node.thing.kind.help.to_owned()),
        }
    }
}

/// When a resource is to be reported, if it is. A permanent refusal is reported once.
fn name_at(node: &Node, after: Duration) -> Option<Instant> {
    let naming = &node.naming;
    let is_settled = node.stand == Stand::Refused && naming.told.is_some();
    if !does_not_go(node.stand) || naming.under_way || is_settled {
        return None;
    }
    let due = node.first_tried? + after.saturating_sub(lead(after));
    Some(naming.next.map_or(due, |next| next.max(due)))
}
