//! A removal as the user sees it while it runs.

use std::sync::Mutex;

use landfall_destroy::{State, Watcher};

use crate::cli::Settings;
use crate::ui::Printer;
use crate::ui::removal::{KindsDone, RemovalTree};

/// Shows a run on a terminal as a tree of what is left, elsewhere as lines.
pub(super) struct Shown<'p> {
    tree: RemovalTree,
    drawn: bool,
    done: Mutex<KindsDone>,
    printer: &'p Printer,
}

impl<'p> Shown<'p> {
    /// To the user of these settings.
    pub(super) fn new(cluster: &str, settings: &'p Settings) -> Self {
        let drawn = settings.printer.draws();
        Self {
            tree: RemovalTree::new(cluster, drawn),
            drawn,
            done: Mutex::default(),
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

    fn told(&self, line: &str) {
        if self.drawn {
            self.tree.line(line);
            self.printer.record(line);
        } else {
            self.printer.talk(line);
        }
    }
}
