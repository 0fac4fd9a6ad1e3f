//! Live progress on a terminal: what is being done at this moment, and how much of it is left.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget};

use super::printable;
use super::pulse::{asking_style, style};

/// How often a line turns its wheel.
const TURN: Duration = Duration::from_millis(100);

/// The most columns that the bar, its numbers and its clock take.
const USED: usize = 44;

/// One line for each thing that is being done, and a bar for all of them. Nothing is drawn where standard
/// error is no terminal.
#[derive(Debug)]
pub struct Progress {
    lines: MultiProgress,
    all: ProgressBar,
    running: Mutex<BTreeMap<String, ProgressBar>>,
    /// Whether it is drawn once there is something to do: a run that asks nothing draws nothing.
    shown: bool,
}

impl Progress {
    /// Progress of `what`, which may take as long as `limit`, drawn if `shown`.
    #[must_use]
    pub fn new(what: &str, limit: Option<Duration>, shown: bool) -> Self {
        let lines = MultiProgress::with_draw_target(ProgressDrawTarget::hidden());
        let all = lines.add(ProgressBar::new(0));
        let used = USED + what.chars().count();
        let style = asking_style("{prefix} [{bar:20}] {pos}/{len} {clock}  {asking}", limit, used);
        all.set_style(style.progress_chars("=> "));
        all.set_prefix(printable(what));
        Self { lines, all, running: Mutex::default(), shown }
    }

    /// There is so much more to do.
    pub fn more(&self, count: usize) {
        if count > 0 && self.shown && self.all.is_hidden() {
            self.lines.set_draw_target(ProgressDrawTarget::stderr());
            self.all.enable_steady_tick(TURN);
        }
        self.all.inc_length(u64::try_from(count).unwrap_or(0));
    }

    /// Something begins.
    pub fn began(&self, name: &str) {
        if self.all.is_hidden() {
            return;
        }
        let line = self.lines.add(ProgressBar::new_spinner());
        line.set_style(style("  {spinner} {msg} {clock}", None));
        line.set_message(printable(name));
        line.enable_steady_tick(TURN);
        if let Ok(mut running) = self.running.lock() {
            running.insert(name.to_owned(), line);
        }
    }

    /// It has ended. What came of it is told once, with everything else.
    pub fn ended(&self, name: &str) {
        let line = self.running.lock().ok().and_then(|mut running| running.remove(name));
        if let Some(line) = line {
            line.finish_and_clear();
            self.lines.remove(&line);
        }
        self.all.inc(1);
    }

    /// Takes everything off the screen.
    pub fn clear(&self) {
        self.all.finish_and_clear();
        let _ = self.lines.clear();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
