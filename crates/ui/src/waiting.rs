//! One live line while something is waited for.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};

use super::pulse::{asking_style, beating, style};
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

/// The most columns that the wheel and the clock take.
const USED: usize = 18;

/// A line that says what is waited for, for how long already, and how it stands, or else which call is under way. Nothing
/// is drawn where standard error is no terminal.
#[derive(Debug)]
pub struct Waiting {
    line: ProgressBar,
    limit: Option<Duration>,
}

impl Waiting {
    /// The line of `what`, which may take as long as `limit`, drawn if `shown`.
    #[must_use]
    pub fn new(what: &str, limit: Option<Duration>, shown: bool) -> Self {
        if !shown {
            return Self { line: ProgressBar::hidden(), limit };
        }
        let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let used = USED + what.chars().count();
        line.set_style(asking_style("{spinner} {prefix} {clock}  {asking}", limit, used));
        line.set_prefix(printable(what));
        line.enable_steady_tick(TURN);
        Self { line, limit }
    }

    /// How it stands.
    pub fn stands(&self, how: &str) {
        // Who says how it stands says more than the call does.
        if self.line.message().is_empty() {
            self.line.set_style(style("{spinner} {prefix} {clock}  {wide_msg}", self.limit));
        }
        self.line.set_message(printable(how));
    }

    /// Does something that writes to standard error, with the line out of its way.
    pub fn aside(&self, write: impl FnOnce()) {
        self.line.suspend(write);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}
