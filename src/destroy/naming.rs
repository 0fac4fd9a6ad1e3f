//! Which things do not go, and when it is asked and told what holds them.
//!
//! Only what was tried is named, never what waits for it. What is on its way is named more sparingly: of one
//! group one thing at a time.

use std::time::Duration;

use tokio::time::Instant;

use super::board::{Board, Node, Stand};
use super::pause::{Growth, Pauses};
use super::progress::Blocked;
use crate::platform::removal::Holder;

/// What is remembered of a thing that does not go.
#[derive(Debug, Default)]
pub(super) struct Naming {
    /// Whether it is being asked what holds it.
    under_way: bool,
    /// When to ask again.
    next: Option<Instant>,
    /// How many times that was asked.
    asked: u32,
    /// What was told, once it was.
    pub told: Option<Vec<Holder>>,
}

/// The second thing of a group that is on its way is named after so many times as long.
const SPARINGLY: u32 = 4;
/// Pauses between asking grow up to so many times the first.
const SELDOM: u32 = 8;

/// The part of the time after which a thing is told that is left for asking what holds it.
fn lead(after: Duration) -> Duration {
    after / 6
}

/// How long to wait for an answer: what is told first must be told in time.
pub(super) fn limit(after: Duration, is_first: bool) -> Duration {
    if is_first { lead(after) } else { after }
}

impl Board {
    /// Things that are to be named now.
    pub(super) fn to_name(&self, now: Instant, after: Duration) -> Vec<usize> {
        let mut named: Vec<usize> = Vec::new();
        for (place, node) in self.nodes.iter().enumerate() {
            let is_second = node.stand == Stand::Going
                && named.iter().any(|other| {
                    self.nodes[*other].stand == Stand::Going && self.nodes[*other].group == node.group
                });
            if !is_second && self.name_at(node, after).is_some_and(|at| at <= now) {
                named.push(place);
            }
        }
        named
    }

    /// When things are to be named.
    pub(super) fn name_times(&self, after: Duration) -> impl Iterator<Item = Instant> {
        self.nodes.iter().filter_map(move |node| self.name_at(node, after))
    }

    fn name_at(&self, node: &Node, after: Duration) -> Option<Instant> {
        let is_named =
            matches!(node.stand, Stand::Held { .. } | Stand::Ready(_) | Stand::Trying | Stand::Going);
        if !is_named || node.naming.under_way {
            return None;
        }
        let due = node.first_tried? + after.saturating_sub(lead(after));
        let due = node.naming.next.map_or(due, |next| next.max(due));
        let sparingly = self.groups[node.group].going_named.filter(|_| node.stand == Stand::Going);
        Some(sparingly.map_or(due, |named| due.max(named + after.saturating_mul(SPARINGLY))))
    }

    /// It is asked what holds a thing; whether for the first time.
    pub(super) fn begin_naming(&mut self, place: usize, now: Instant) -> bool {
        let node = &mut self.nodes[place];
        node.naming.under_way = true;
        if node.stand == Stand::Going {
            self.groups[node.group].going_named = Some(now);
        }
        node.naming.asked == 0
    }

    /// What holds a thing is known: what is to be told, if the thing still does not go and nobody has told
    /// the same of it.
    pub(super) fn named(
        &mut self,
        place: usize,
        holders: Vec<Holder>,
        after: Duration,
        now: Instant,
    ) -> Option<Blocked> {
        let node = &mut self.nodes[place];
        let naming = &mut node.naming;
        let pauses = Pauses { first: after, longest: after.saturating_mul(SELDOM) };
        naming.next = Some(now + pauses.after(naming.asked, Growth::Double));
        naming.under_way = false;
        naming.asked = naming.asked.saturating_add(1);
        if matches!(node.stand, Stand::Gone | Stand::Refused | Stand::Waiting | Stand::Doubted) {
            return None;
        }
        if naming.told.as_ref() == Some(&holders) {
            return None;
        }
        naming.told = Some(holders);
        self.blocked(place, now)
    }

    /// A thing that does not go, if that was told.
    pub(super) fn blocked(&self, place: usize, now: Instant) -> Option<Blocked> {
        let node = self.nodes.get(place)?;
        let holders = node.naming.told.clone()?;
        if matches!(node.stand, Stand::Gone | Stand::Waiting | Stand::Doubted) {
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

    /// Why a thing has not gone, without a full stop.
    pub(super) fn why(&self, place: usize) -> String {
        let node = &self.nodes[place];
        match node.stand {
            Stand::Going if node.why.is_empty() => "it is on its way, but not gone yet".to_owned(),
            Stand::Going => format!("it is on its way, and was not seen to be gone: {}", node.why),
            Stand::Doubted => "it was removed, but the cloud still lists it".to_owned(),
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

    /// What to do about a thing that has not gone; empty where there is nothing to do but to wait.
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
