//! How a cloud is asked: the flags, and progress while it answers.

use std::time::Duration;

use landfall_platform::cloud::Patience;

use super::duration::within_an_hour;
use crate::preflight::{Checked, Pace, Watcher};
use crate::prepare::Ask;
use crate::ui::{Printer, Progress, Pulse, beat};

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

/// Progress fed by a run: drawn on a terminal, elsewhere a line every 30 seconds.
#[derive(Debug)]
pub struct Live<'p> {
    drawn: Progress,
    what: &'static str,
    limit: Option<Duration>,
    pulse: Pulse,
    printer: &'p Printer,
}

impl<'p> Live<'p> {
    /// Progress of `what`, which may take as long as `limit`.
    pub fn new(what: &'static str, limit: Option<Duration>, printer: &'p Printer) -> Self {
        let drawn = Progress::new(what, limit, printer.draws());
        Self { drawn, what, limit, pulse: Pulse::default(), printer }
    }

    /// Progress of several runs at once, of which none is drawn.
    pub fn of_many(what: &'static str, printer: &'p Printer) -> Self {
        Self { drawn: Progress::new(what, None, false), what, limit: None, pulse: Pulse::default(), printer }
    }
}

impl Watcher for Live<'_> {
    fn more(&self, count: usize) {
        self.drawn.more(count);
    }

    fn began(&self, id: &str) {
        self.drawn.began(id);
    }

    fn ended(&self, checked: &Checked) {
        self.drawn.ended(&checked.id);
    }

    fn over(&self) {
        self.drawn.clear();
    }

    fn beat(&self) {
        if !self.printer.draws()
            && let Some(taken) = self.pulse.due()
        {
            self.printer.talk(&beat(self.what, taken, self.limit));
        }
    }
}
