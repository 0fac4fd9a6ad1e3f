//! Live progress of the stages of an installation: one bar for each, with what takes longest named. As long as
//! nobody knows how much there is to do, a wheel turns in place of the bar.

use std::sync::Mutex;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget};

use super::printer::fitted;
use super::{printable, pulse};

/// How often a bar's clock moves on.
const TURN: Duration = Duration::from_millis(250);
/// A stage of which it is known how much there is to do.
const BAR: &str = "{prefix:12} [{bar:30}] {pos}/{len} {clock} {wide_msg}";
/// A stage of which that is not known yet.
const WHEEL: &str = "{prefix:12} {spinner} {clock} {msg} {asking}";
/// The most columns that a wheel takes beside the call.
const USED: usize = 46;
/// What is done before anybody knows how much there is to do.
const PREPARING: &str = "preparing";
const PLANNING: &str = "planning";

/// One bar for each stage, in the order in which they begin. Nothing is drawn where standard error is no
/// terminal.
#[derive(Debug)]
pub struct StageBars {
    lines: MultiProgress,
    limit: Option<Duration>,
    current: Mutex<Option<Current>>,
}

/// The stage that is being worked on.
#[derive(Debug)]
struct Current {
    bar: ProgressBar,
    limit: Option<Duration>,
    /// Whether it is known how much there is to do.
    measured: bool,
}

impl Current {
    fn at(&mut self, done: usize, total: Option<usize>, message: &str) {
        // A plan without changes measures nothing.
        let total = total.filter(|total| *total > 0);
        if let Some(total) = total {
            if !self.measured {
                self.measured = true;
                style(&self.bar, BAR, self.limit);
            }
            self.bar.set_length(number(total.max(done)));
            self.bar.set_position(number(done));
        }
        // A wheel names the call by itself.
        let message = if self.measured { message } else { PLANNING };
        self.bar.set_message(printable(message));
    }
}

impl StageBars {
    /// Bars that are drawn if `shown`, of work that may take as long as `limit`.
    #[must_use]
    pub fn new(shown: bool, limit: Option<Duration>) -> Self {
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self { lines: MultiProgress::with_draw_target(target), limit, current: Mutex::default() }
    }

    /// Work on a stage begins.
    pub fn began(&self, stage: &str) {
        let bar = self.lines.add(ProgressBar::new(0));
        style(&bar, WHEEL, self.limit);
        bar.set_prefix(printable(stage));
        bar.set_message(PREPARING);
        bar.enable_steady_tick(TURN);
        self.set(Some(Current { bar, limit: self.limit, measured: false }));
    }

    /// So many of so many resources are done, if that many are known; the message says what is being waited for.
    pub fn at(&self, done: usize, total: Option<usize>, message: &str) {
        if let Ok(mut current) = self.current.lock()
            && let Some(current) = current.as_mut()
        {
            current.at(done, total, message);
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
        let _ = self.lines.println(fitted(&printable(line)));
    }

    fn set(&self, next: Option<Current>) {
        if let Ok(mut current) = self.current.lock() {
            if let Some(Current { bar, .. }) = current.take() {
                bar.finish_and_clear();
                self.lines.remove(&bar);
            }
            *current = next;
        }
    }
}

/// Gives a bar another form.
fn style(bar: &ProgressBar, template: &str, limit: Option<Duration>) {
    bar.set_style(pulse::asking_style(template, limit, USED).progress_chars("=> "));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_can_be_read() {
        for template in [BAR, WHEEL] {
            assert!(indicatif::ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }

    #[test]
    fn a_stage_is_measured_once_it_is_known_how_much_there_is_to_do() {
        let mut current = Current { bar: ProgressBar::hidden(), limit: None, measured: false };
        let mut seen = |done, total, message| {
            current.at(done, total, message);
            (current.measured, current.bar.length(), current.bar.position(), current.bar.message())
        };
        let planning = (false, None, 0, PLANNING.to_owned());
        assert_eq!(seen(0, None, ""), planning);
        assert_eq!(seen(0, Some(0), ""), planning);
        assert_eq!(seen(0, Some(7), ""), (true, Some(7), 0, String::new()));
        assert_eq!(seen(2, Some(7), "a.b 3s"), (true, Some(7), 2, "a.b 3s".to_owned()));
        assert_eq!(seen(3, None, ""), (true, Some(7), 2, String::new()));
    }
}
