//! What a new scan of the cloud means for the known resources.
//!
//! A cloud may go on listing what is gone. What was said to be gone and is listed again is therefore removed
//! again after a pause, which is safe. What was then said to be gone a second time, after a second look at
//! the cloud at least a pause later, and is listed even so, is looked at by itself: if that says that it is
//! gone, it is, and the list is late. That is asked anew each time that it is listed.
//!
//! While something is stuck, what is listed although it was said to be gone is looked at by itself as well: the
//! answer may have been wrong, and then it is what holds the other.

use std::collections::BTreeSet;
use std::sync::Arc;

use landfall_platform::removal::Resource;
use tokio::time::Instant;

use super::pause::Growth;
use super::removal_state::{Node, RemovalState, Stand};
use super::stuck::Naming;

/// A look at the cloud.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// Whether nothing was left to do when it began.
    pub proof: bool,
    /// Whether everything could be looked at.
    pub complete: bool,
    /// How many looks with `proof` there were before.
    pub before: u32,
    /// When it began.
    pub begun: Instant,
}

/// After so many confirmations that a resource is gone, a list that still has it may be stale.
const SAID: u32 = 2;

impl RemovalState {
    /// Merges a scan; returns the number of resources that are new or came back.
    pub(super) fn found(&mut self, things: Vec<Resource>, look: Look, now: Instant) -> usize {
        let mut listed = BTreeSet::new();
        let mut news = 0;
        for thing in things {
            if let Some(place) = self.places.get(&thing.id).copied() {
                if listed.insert(place) {
                    news += usize::from(self.again(place, thing, look, now));
                }
            } else {
                listed.insert(self.add(thing));
                news += 1;
            }
        }
        self.reorder(now);
        if look.complete {
            // What others have removed since it was refused, and what waited for it or went with something else.
            let is_left = |node: &Node| match node.stand {
                Stand::Refused => look.proof,
                stand => stand == Stand::Waiting,
            };
            for place in 0..self.nodes.len() {
                if is_left(&self.nodes[place]) && !listed.contains(&place) {
                    self.went(place, now);
                }
            }
        }
        news
    }

    /// Merges the result for a known resource; returns whether it came back.
    fn again(&mut self, place: usize, thing: Resource, look: Look, now: Instant) -> bool {
        let is_gone = self.nodes[place].stand == Stand::Gone;
        let is_busy = matches!(self.nodes[place].stand, Stand::Trying | Stand::Going | Stand::Doubted);
        if is_busy {
            return false;
        }
        // What goes while everything is looked at may be listed: only the next look tells more. What was said to
        // be gone before may hold what does not go now, and is looked at by itself.
        if is_gone && !look.proof {
            if self.nodes[place].went_at.is_some_and(|at| at < look.begun) {
                let group = self.nodes[place].group;
                self.nodes[place].stand = Stand::Doubted;
                self.look_soon(group, now);
            }
            return false;
        }
        let group = self.group(thing.kind, thing.fate);
        let node = &mut self.nodes[place];
        if node.group != group {
            (node.group, node.said_gone) = (group, 0);
        }
        node.thing = Arc::new(thing);
        if !is_gone {
            return false;
        }
        if node.said_gone >= SAID {
            node.stand = Stand::Doubted;
            self.look_soon(group, now);
            return false;
        }
        let again = now + self.pauses.after(look.before, Growth::Double);
        node.stand = Stand::Held { again, early: false };
        (node.first_tried, node.last_tried, node.tries) = (None, None, 0);
        node.naming = Naming::default();
        "the cloud lists it again".clone_into(&mut node.why);
        true
    }
}
