//! landfall itself as an engine: a graph of resources becomes infrastructure, with the calls of a platform's
//! [`Api`](landfall_platform::native::Api) and nothing else.
//!
//! Everything whose inputs are known runs at once, within a bound that follows throttling. Each creating call is noted
//! before and after it, so that a run that was killed anywhere is continued by the next one. Resources that exist are
//! looked at and never replaced. No file is touched and no cloud is named here.

#![forbid(unsafe_code)]

mod drive;
mod limit;
mod look;
mod pages;
mod settle;

pub use drive::{Report, Run, run};
pub use landfall_net::stop::Stop;
pub use look::{Looked, look};
pub use pages::interrupted;
pub use settle::{Journal, NoteFault, Past};

use std::time::Duration;

/// How a run goes about its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The most resources that are worked on at a time.
    pub parallel: usize,
    /// The first pause before something is asked again; each one is longer than the one before.
    pub first_pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
    /// How long the cloud may take to see what was created just before, or to answer.
    pub visible: Duration,
    /// How long a resource may take to become ready.
    pub ready: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            parallel: 32,
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(10),
            visible: Duration::from_mins(5),
            ready: Duration::from_mins(40),
        }
    }
}

/// Somebody who watches a run.
pub trait Watcher: Sync {
    /// So many of so many resources are ready, and these are worked on, that which takes longest first.
    fn progress(&self, done: usize, total: usize, running: &[(&str, Duration)]);
}

#[cfg(test)]
mod tests;
