//! One live line while something is waited for.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};

use super::pulse::{beating, style};
use super::{Printer, printable};

/// How often the line turns its wheel.
const TURN: Duration = Duration::from_millis(100);

/// Waits for work that asks somebody: with a live line where lines are drawn, else with a line every 30 seconds.
pub async fn watched<T>(
    printer: &Printer,
    what: &str,
    limit: Option<Duration>,
    work: impl Future<Output = T>,
) -> T {
    let _line = Waiting::new(what, limit, printer.draws());
    beating(printer, what, limit, work).await
}

/// A line that says what is waited for, how it stands, for how long already, and which call to a cloud is under way. Nothing is drawn where
/// standard error is no terminal.
#[derive(Debug)]
pub struct Waiting(ProgressBar);

impl Waiting {
    /// The line of `what`, which may take as long as `limit`, drawn if `shown`.
    #[must_use]
    pub fn new(what: &str, limit: Option<Duration>, shown: bool) -> Self {
        if !shown {
            return Self(ProgressBar::hidden());
        }
        let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        line.set_style(style("{spinner} {prefix} {clock}  {wide_msg}{call}", limit));
        line.set_prefix(printable(what));
        line.enable_steady_tick(TURN);
        Self(line)
    }

    /// How it stands.
    pub fn stands(&self, how: &str) {
        self.0.set_message(printable(how));
    }

    /// Does something that writes to standard error, with the line out of its way.
    pub fn aside(&self, write: impl FnOnce()) {
        self.0.suspend(write);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
