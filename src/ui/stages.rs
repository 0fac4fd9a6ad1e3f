//! Live progress of the stages of an installation: one bar for each, with what takes longest named.

use std::sync::Mutex;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::printable;

/// How often a bar's clock moves on.
const TURN: Duration = Duration::from_millis(250);

/// One bar for each stage, in the order in which they begin. Nothing is drawn where standard error is no
/// terminal.
#[derive(Debug)]
pub struct StageBars {
    lines: MultiProgress,
    current: Mutex<Option<ProgressBar>>,
}

impl StageBars {
    /// Bars that are drawn if `shown`.
    #[must_use]
    pub fn new(shown: bool) -> Self {
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self { lines: MultiProgress::with_draw_target(target), current: Mutex::default() }
    }

    /// Work on a stage begins.
    pub fn began(&self, stage: &str) {
        let bar = self.lines.add(ProgressBar::new(0));
        // A template that cannot be read leaves the plain bar.
        if let Ok(style) =
            ProgressStyle::with_template("{prefix:12} [{bar:30}] {pos}/{len} {elapsed} {wide_msg}")
        {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_prefix(printable(stage));
        bar.enable_steady_tick(TURN);
        self.set(Some(bar));
    }

    /// So many of so many resources are done; the message says what is being waited for.
    pub fn at(&self, done: usize, total: Option<usize>, message: &str) {
        if let Ok(current) = self.current.lock()
            && let Some(bar) = current.as_ref()
        {
            bar.set_length(number(total.unwrap_or(0).max(done)));
            bar.set_position(number(done));
            bar.set_message(printable(message));
        }
    }

    /// Work on the stage has ended; a line about it stays.
    pub fn ended(&self, line: &str) {
        self.set(None);
        self.line(line);
    }

    /// A line above the bars.
    pub fn line(&self, line: &str) {
        // There is nobody left to tell when standard error is gone.
        let _ = self.lines.println(printable(line));
    }

    fn set(&self, next: Option<ProgressBar>) {
        if let Ok(mut current) = self.current.lock() {
            if let Some(bar) = current.take() {
                bar.finish_and_clear();
                self.lines.remove(&bar);
            }
            *current = next;
        }
    }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

impl Drop for StageBars {
    fn drop(&mut self) {
        self.set(None);
        let _ = self.lines.clear();
    }
}
