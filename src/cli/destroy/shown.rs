//! A removal as the user sees it while it runs.

use std::sync::Mutex;
use std::time::Duration;

use landfall_destroy::{State, Watcher};

use crate::cli::Settings;
use crate::ui::removal::{KindsDone, RemovalTree};
use crate::ui::{Printer, Pulse, counted, of_limit};

/// Shows a run on a terminal as a tree of what is left, elsewhere as lines.
pub(super) struct Shown<'p> {
    tree: RemovalTree,
    drawn: bool,
    done: Mutex<KindsDone>,
    pulse: Pulse,
    limit: Duration,
    printer: &'p Printer,
}

impl<'p> Shown<'p> {
    /// To the user of these settings.
    pub(super) fn new(cluster: &str, limit: Duration, settings: &'p Settings) -> Self {
        let drawn = settings.printer.draws();
        Self {
            tree: RemovalTree::new(cluster, Some(limit), drawn),
            drawn,
            done: Mutex::default(),
            pulse: Pulse::default(),
            limit,
            printer: &settings.printer,
        }
    }
}

impl Watcher for Shown<'_> {
    fn changed(&self, state: &State) {
        let news = self.done.lock().map(|mut done| done.news(state)).unwrap_or_default();
        for line in news {
            self.told(&line);
        }
        self.tree.show(state);
    }

    fn lasts(&self, state: &State) {
        if let Some(taken) = self.pulse.due().filter(|_| !self.drawn) {
            let left: usize = state.kinds.iter().map(|kind| kind.total - kind.gone).sum();
            let all: usize = state.kinds.iter().map(|kind| kind.total).sum();
            let time = of_limit(taken, Some(self.limit));
            self.printer.talk(&format!("{left} of {} left, {time}", counted(all, "resource")));
        }
    }

    fn told(&self, line: &str) {
        if self.drawn {
            self.tree.line(line);
            self.printer.record(line);
        } else {
            self.printer.talk(line);
        }
    }
}
