//! Clocks of live lines, and the lines that take their place where nothing is drawn.

use std::fmt::Write;
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use console::{Term, truncate_str};
use indicatif::{ProgressState, ProgressStyle};
use landfall_diagnostics::clock;
use landfall_net::calls;
use tokio::time::{Instant, sleep};

use super::{Printer, printable};

/// How often a line says how the work stands where nothing is drawn.
const BEAT: Duration = Duration::from_secs(30);

/// What a terminal has at least, and the columns that a call takes at least where it is shown.
const NARROW: usize = 80;
const SHORT: usize = 12;

/// A style in which `{clock}` is how long the work has taken, and its limit if it has one. A template that cannot be read
/// leaves the plain line.
pub(super) fn style(template: &str, limit: Option<Duration>) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.with_key("clock", move |state: &ProgressState, out: &mut dyn Write| {
        let _ = out.write_str(&of_limit(state.elapsed(), limit));
    })
}

/// The same with `{asking}`: the call that is under way, cut to what a line has left beside `used` columns. A line that is
/// wider than the terminal would be drawn again and again.
pub(super) fn asking_style(template: &str, limit: Option<Duration>, used: usize) -> ProgressStyle {
    style(template, limit).with_key("asking", move |_: &ProgressState, out: &mut dyn Write| {
        let columns = Term::stderr().size_checked().map_or(NARROW, |(_, columns)| usize::from(columns));
        let _ = out.write_str(&asking(calls::current().as_deref(), columns.saturating_sub(used + 1)));
    })
}

/// The call that is under way, in so many columns; nothing where there is no room for a name.
fn asking(call: Option<&str>, room: usize) -> String {
    match call {
        Some(call) if room >= SHORT => truncate_str(&printable(call), room, "...").into_owned(),
        _ => String::new(),
    }
}

/// How long something has taken, and of how long: `12m of 40m`.
#[must_use]
pub fn of_limit(taken: Duration, limit: Option<Duration>) -> String {
    match limit {
        Some(limit) => format!("{} of {}", clock(taken), clock(limit)),
        None => clock(taken),
    }
}

/// Says when a line is due, at most every 30 seconds.
#[derive(Debug)]
pub struct Pulse {
    began: Instant,
    last: Mutex<Instant>,
}

impl Default for Pulse {
    fn default() -> Self {
        let now = Instant::now();
        Self { began: now, last: Mutex::new(now) }
    }
}

impl Pulse {
    /// How long the work has taken, if a line about it is due.
    pub fn due(&self) -> Option<Duration> {
        let now = Instant::now();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if now.saturating_duration_since(*last) < BEAT {
            return None;
        }
        *last = now;
        Some(now.saturating_duration_since(self.began))
    }

    /// A line was written for another reason: the next one has time.
    pub fn told(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

/// Waits for work that asks a cloud. Where nothing is drawn, a line every 30 seconds says what is done, for how long and
/// which call is under way.
pub async fn beating<T>(
    printer: &Printer,
    what: &str,
    limit: Option<Duration>,
    work: impl Future<Output = T>,
) -> T {
    let began = Instant::now();
    let mut work = pin!(work);
    loop {
        tokio::select! {
            result = &mut work => return result,
            () = sleep(BEAT) => {}
        }
        if !printer.draws() {
            printer.talk(&beat(what, began.elapsed(), limit));
        }
    }
}

/// The line of a beat: what is done, for how long already, and which call is under way.
#[must_use]
pub fn beat(what: &str, taken: Duration, limit: Option<Duration>) -> String {
    beat_of(what, taken, limit, calls::current().as_deref())
}

fn beat_of(what: &str, taken: Duration, limit: Option<Duration>, call: Option<&str>) -> String {
    let call = call.map(|call| format!(", asking {call}")).unwrap_or_default();
    format!("{what}: {}{call}", of_limit(taken, limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_fits_its_line() {
        let call = Some("ElasticLoadBalancing DescribeLoadBalancers");
        assert_eq!(asking(call, 60), "ElasticLoadBalancing DescribeLoadBalancers");
        assert_eq!(asking(call, 20), "ElasticLoadBalanc...");
        assert_eq!(asking(call, 5), "");
        assert_eq!(asking(None, 60), "");
    }

    #[test]
    fn a_line_names_limit_and_call() {
        let (taken, limit) = (Duration::from_mins(12), Some(Duration::from_mins(40)));
        assert_eq!(
            beat_of("looking", taken, limit, Some("EC2 DescribeVpcs")),
            "looking: 12m of 40m, asking EC2 DescribeVpcs"
        );
        assert_eq!(beat_of("looking", Duration::from_secs(30), None, None), "looking: 30s");
    }

    #[tokio::test(start_paused = true)]
    async fn a_line_is_due_every_thirty_seconds() {
        let pulse = Pulse::default();
        assert_eq!(pulse.due(), None);
        tokio::time::advance(Duration::from_secs(31)).await;
        assert_eq!(pulse.due(), Some(Duration::from_secs(31)));
        assert_eq!(pulse.due(), None);
        tokio::time::advance(Duration::from_secs(29)).await;
        pulse.told();
        tokio::time::advance(Duration::from_secs(29)).await;
        assert_eq!(pulse.due(), None);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(pulse.due().is_some());
    }
}
