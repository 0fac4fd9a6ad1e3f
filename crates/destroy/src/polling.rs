//! Polls resources whose removal has begun: all of one kind with one call, at growing intervals.

use std::time::Duration;

use landfall_platform::removal::Outcome as Answer;
use tokio::time::Instant;

use super::pause::Growth;
use super::removal_state::{Group, Node, RemovalState, Stand};

/// A resource whose removal takes longer than this is removed again, which is safe: the cloud may have
/// forgotten about it.
const LONG: Duration = Duration::from_mins(10);

/// The same for a resource that cannot be polled: the answer to another removal shows what a poll does not.
const BLIND: Duration = Duration::from_mins(1);

/// When resources whose removal has begun are polled.
#[derive(Debug, Default)]
pub(super) struct Polling {
    /// Whether a look is under way.
    pub under_way: bool,
    /// When to look next.
    pub at: Option<Instant>,
    /// Number of polls since the removal of the first resource of the group began.
    before: u32,
}

impl RemovalState {
    /// Resources of a group to poll.
    pub(super) fn watched(&self, group: usize) -> Vec<usize> {
        let is_watched =
            |node: &Node| node.group == group && matches!(node.stand, Stand::Going | Stand::Doubted);
        let watched = self.nodes.iter().enumerate().filter(|(_, node)| is_watched(node));
        watched.map(|(place, _)| place).collect()
    }

    /// The groups whose time for a look has come.
    pub(super) fn to_look(&self, now: Instant) -> Vec<usize> {
        let is_due = |group: &Group| !group.looks.under_way && group.looks.at.is_some_and(|at| at <= now);
        let due = self.groups.iter().enumerate().filter(|(_, group)| is_due(group));
        due.map(|(place, _)| place).collect()
    }

    /// A poll of resources of one group begins.
    pub(super) fn begin_look(&mut self, group: usize) {
        let looks = &mut self.groups[group].looks;
        (looks.under_way, looks.at) = (true, None);
    }

    /// A poll of resources of one group has ended. As long as some of them are being removed, pauses between
    /// polls grow with the time that the removals take.
    pub(super) fn looked(&mut self, group: usize, places: &[usize], answers: Vec<Answer>, now: Instant) {
        for (place, answer) in places.iter().zip(answers) {
            self.seen(*place, answer, now);
        }
        let none = self.watched(group).is_empty();
        let before = self.groups[group].looks.before;
        let next = now + self.pauses.after(before.saturating_add(1), Growth::Half);
        let looks = &mut self.groups[group].looks;
        looks.under_way = false;
        looks.before = if none { 0 } else { before.saturating_add(1) };
        looks.at = if none { None } else { Some(looks.at.map_or(next, |at| at.min(next))) };
    }

    fn seen(&mut self, place: usize, answer: Answer, now: Instant) {
        let is_doubted = self.nodes[place].stand == Stand::Doubted;
        match answer {
            Answer::Gone => self.went(place, now),
            Answer::Going if is_doubted => {
                self.nodes[place].said_gone = 0;
                self.held(place, "the cloud still has it".to_owned(), true, now);
            }
            Answer::Going => {
                let node = &mut self.nodes[place];
                node.why.clear();
                if node.last_tried.is_some_and(|tried| tried + LONG <= now) {
                    node.stand = Stand::Ready(now);
                }
            }
            Answer::Held { why } => self.held(place, why, true, now),
            Answer::Failed { why } if is_doubted => self.held(place, why, false, now),
            Answer::Failed { why } => {
                let node = &mut self.nodes[place];
                node.why = why;
                if node.last_tried.is_some_and(|tried| tried + BLIND <= now) {
                    node.stand = Stand::Ready(now);
                }
            }
            Answer::Refused(finding) => self.refuse(place, *finding),
        }
    }

    /// Polls the resources of a group soon.
    pub(super) fn look_soon(&mut self, group: usize, now: Instant) {
        let soon = now + self.pauses.after(0, Growth::Half);
        let looks = &mut self.groups[group].looks;
        looks.at = Some(looks.at.map_or(soon, |at| at.min(soon)));
    }
}
