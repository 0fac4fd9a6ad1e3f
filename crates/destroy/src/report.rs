//! What came of a run.

use std::collections::BTreeSet;
use std::time::Duration;

use landfall_diagnostics::Finding;
use landfall_platform::removal::{Discovered, Disposition, Holder, Resource};
use serde::Serialize;

use super::removal_state::{Node, RemovalState, Stand};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// Everything is gone, and a fresh look at the cloud proves it.
    Gone,
    /// What could be seen is gone, but not everything could be looked at.
    Left,
    /// The time was over before.
    TimedOut,
    /// The user stopped it.
    Interrupted,
    /// The cloud does not let this caller remove everything.
    Refused,
}

/// Something that is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The resource.
    pub thing: Resource,
    /// Why it is left, without a full stop.
    pub why: String,
    /// What holds it, as far as it was asked for.
    pub holders: Vec<Holder>,
    /// What to do about it; empty where it only follows something else.
    pub help: String,
}

/// The result of a run. Each resource that was found is in exactly one of the three lists.
#[derive(Clone, Debug)]
pub struct Report {
    /// How the run ended.
    pub outcome: Outcome,
    /// What was removed, in the order in which it went.
    pub removed: Vec<Resource>,
    /// What stays and has lost the cluster's tag, in the order in which it lost it.
    pub released: Vec<Resource>,
    /// What is left, in the order in which it was found.
    pub left: Vec<Left>,
    /// What is to be said; never empty unless everything is gone or the user stopped the run.
    pub findings: Vec<Finding>,
    /// Number of calls of the run to the platform: removals, polls, queries for holders, discoveries.
    pub calls: usize,
    /// How long the run took.
    pub took: Duration,
}

impl Report {
    /// The result of a run that ended with this state.
    pub(super) fn of(board: &RemovalState, outcome: Outcome, findings: Vec<Finding>) -> Self {
        let mut gone: Vec<&Node> = board.nodes.iter().filter(|node| node.stand == Stand::Gone).collect();
        gone.sort_by_key(|node| node.went);
        let of = |fate: Disposition| -> Vec<Resource> {
            gone.iter().map(|node| &*node.thing).filter(|thing| thing.fate == fate).cloned().collect()
        };
        let left = board.nodes.iter().enumerate().filter(|(_, node)| node.stand != Stand::Gone);
        let left = left.map(|(place, node)| Left {
            thing: (*node.thing).clone(),
            why: board.why(place),
            holders: node.naming.told.clone().unwrap_or_default(),
            help: board.help(place),
        });
        Self {
            outcome,
            removed: of(Disposition::Removed),
            released: of(Disposition::Released),
            left: left.collect(),
            findings,
            calls: 0,
            took: Duration::ZERO,
        }
    }

    /// What comes of a run that must not begin.
    pub(super) fn not_begun(first: Discovered, outcome: Outcome, findings: Vec<Finding>) -> Self {
        let why = findings.first().map(|finding| finding.message.clone()).unwrap_or_default();
        let mut seen = BTreeSet::new();
        let things = first.things.into_iter().filter(|thing| seen.insert(thing.id.clone()));
        let left = things.map(|thing| Left {
            thing,
            why: format!("nothing was removed: {why}"),
            holders: Vec::new(),
            help: String::new(),
        });
        Self {
            outcome,
            removed: Vec::new(),
            released: Vec::new(),
            left: left.collect(),
            findings,
            calls: 0,
            took: Duration::ZERO,
        }
    }

    /// Whether it is proven that nothing of the cluster is left.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.outcome == Outcome::Gone
    }
}
