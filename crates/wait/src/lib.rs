//! Waiting for a cluster: for its API, for the end of its bootstrap, for all of its operators.
//!
//! [`Goal`] says what is waited for. What the cluster's answers mean is decided in `judge`, which is pure;
//! `asking` asks, again and again, until the goal is reached, the time is over, or nothing will heal by
//! waiting.
//!
//! Nothing here prints or ends the program: the caller watches and gets an [`Outcome`].
//!
//! ```
//! use landfall_wait::Goal;
//!
//! assert_eq!(Goal::Bootstrap.name(), "bootstrap-complete");
//! assert!(Goal::Api.usual() < Goal::Bootstrap.usual());
//! ```

#![forbid(unsafe_code)]

mod asking;
mod judge;
pub mod pages;
mod patience;

use std::time::Duration;

use serde::Serialize;

pub use asking::{ask, wait};

use landfall_diagnostics::Finding;

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The API server answers.
    Api,
    /// The control plane stands on its own, and the bootstrap machine can go.
    Bootstrap,
    /// The release is installed, and all of its operators have come to rest.
    Install,
}

impl Goal {
    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Bootstrap => "bootstrap-complete",
            Self::Install => "install-complete",
        }
    }

    /// How long it is waited for unless something else is wished, from the beginning to the end.
    #[must_use]
    pub fn usual(self) -> Duration {
        Duration::from_mins(match self {
            Self::Api => 20,
            Self::Bootstrap => 45,
            Self::Install => 40,
        })
    }
}

/// How the waiting ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Ended {
    /// The goal is reached.
    Done,
    /// The time was over before.
    TimedOut,
    /// Waiting will not help.
    Refused,
    /// The user stopped it.
    Interrupted,
    /// The cluster was asked once, and has not reached it yet.
    NotReached,
}

/// A cluster operator.
#[allow(clippy::struct_excessive_bools, reason = "these are its conditions, each of which stands for itself")]
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Operator {
    /// Its name.
    pub name: String,
    /// Whether it is available, and has not changed anything for a while.
    pub ready: bool,
    /// Whether it does its work.
    pub available: bool,
    /// Whether it is changing something, or says nothing of it.
    pub progressing: bool,
    /// Whether it does its work badly.
    pub degraded: bool,
    /// What it says of what is wrong, on one line; empty where nothing is.
    pub message: String,
}

/// What came of waiting.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// How long it took.
    pub took: Duration,
    /// The version that the API server, or the cluster, last told.
    pub version: Option<String>,
    /// What the cluster last answered, in few words; empty where it has not answered.
    pub answer: String,
    /// URL of the web console, where the cluster has one and the goal was the whole installation.
    pub console: Option<String>,
    /// The operators as they were last seen, by name, where the goal was the whole installation.
    pub operators: Vec<Operator>,
    /// What is to be said where the goal was not reached; none where the user stopped it.
    pub finding: Option<Finding>,
}

/// Somebody who watches the waiting.
pub trait Watcher: Sync + std::fmt::Debug {
    /// Something is different from before: a sentence without a full stop.
    fn changed(&self, how: &str);

    /// How it stands, in more detail and more often.
    fn stands(&self, how: &str);
}
