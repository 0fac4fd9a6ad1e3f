//! One live line while something is waited for.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::printable;

/// How often the line turns its wheel.
const TURN: Duration = Duration::from_millis(100);

/// A line that says what is waited for, how it stands, and for how long already. Nothing is drawn where
/// standard error is no terminal.
#[derive(Debug)]
pub struct Waiting(ProgressBar);

impl Waiting {
    /// The line of `what`, drawn if `shown`.
    #[must_use]
    pub fn new(what: &str, shown: bool) -> Self {
        if !shown {
            return Self(ProgressBar::hidden());
        }
        let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        // A template that cannot be read leaves the plain line.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {elapsed}  {wide_msg}") {
            line.set_style(style);
        }
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
