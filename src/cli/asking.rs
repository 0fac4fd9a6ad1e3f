//! How a cloud is asked: the flags, and progress while it answers.

use std::time::Duration;

use landfall_platform::cloud::Patience;

use super::duration::within_an_hour;
use crate::preflight::{Checked, Pace, Watcher};
use crate::prepare::Ask;
use crate::ui::{Progress, checks};

/// How the cloud is asked.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Asking the cloud")]
pub struct AskArgs {
    /// Timeout for an endpoint, such as `3s`
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = within_an_hour)]
    timeout: Duration,

    /// Deadline for all calls, such as `1m30s`
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = within_an_hour)]
    deadline: Duration,

    /// Maximum number of parallel requests
    #[arg(long, value_name = "NUMBER", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=256))]
    parallel: u16,
}

impl AskArgs {
    /// When to stop asking.
    pub fn limit(&self) -> Duration {
        self.deadline
    }

    /// What the flags come to.
    pub fn ask<'w>(&self, watcher: &'w dyn Watcher) -> Ask<'w> {
        Ask {
            patience: Patience {
                connect: self.timeout,
                call: (self.deadline * 4 / 5).min(CALL),
                at_once: usize::from(self.parallel),
            },
            pace: Pace { parallel: usize::from(self.parallel), deadline: self.deadline },
            watcher,
        }
    }
}

/// The longest that one call may take with all its repetitions. Calls end before the run does, so that what
/// they say is told.
const CALL: Duration = Duration::from_secs(30);

/// Progress on the terminal, fed by a run.
#[derive(Debug)]
pub struct Live(Progress);

impl Live {
    /// Progress of `what`, which may take as long as `limit`, drawn if `shown`.
    pub fn new(what: &str, limit: Option<Duration>, shown: bool) -> Self {
        Self(Progress::new(what, limit, shown))
    }
}

impl Watcher for Live {
    fn more(&self, count: usize) {
        self.0.more(count);
    }

    fn began(&self, id: &str) {
        self.0.began(id);
    }

    fn ended(&self, checked: &Checked) {
        self.0.ended(&checked.id, checks::note(checked).as_deref());
    }

    fn over(&self) {
        self.0.clear();
    }
}
