//! How a cloud is asked: the flags, and progress while it answers.

use std::time::Duration;

use crate::platform::cloud::Patience;
use crate::preflight::{Checked, Pace, Watcher};
use crate::prepare::Ask;
use crate::ui::{Progress, checks};

/// How the cloud is asked.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Asking the cloud")]
pub struct AskArgs {
    /// How long to wait for an endpoint to answer at all, such as `3s`
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = duration)]
    timeout: Duration,

    /// When to stop asking, whatever has been answered by then, such as `1m30s`
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    deadline: Duration,

    /// The most requests that are under way at a time
    #[arg(long, value_name = "NUMBER", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=256))]
    parallel: u16,
}

impl AskArgs {
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

/// The longest that one call may take with all its repetitions. Calls end before the run does, so that what they
/// say is told.
const CALL: Duration = Duration::from_secs(30);

/// Nobody waits longer than this for a cloud.
const LONGEST: Duration = Duration::from_hours(1);

/// A time such as `3s` or `1m30s`; a number alone is one of seconds.
fn duration(text: &str) -> Result<Duration, String> {
    let seconds = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let text = if seconds { format!("{text}s") } else { text.to_owned() };
    let parsed: Result<jiff::SignedDuration, _> = text.parse();
    let parsed = parsed.map_err(|_| "give a time such as `3s`, `500ms` or `1m30s`".to_owned())?;
    let length = Duration::try_from(parsed).unwrap_or(Duration::ZERO);
    if length.is_zero() || length > LONGEST {
        return Err("give a time of more than nothing and at most an hour".to_owned());
    }
    Ok(length)
}

/// Progress on the terminal, fed by a run.
#[derive(Debug)]
pub struct Live(Progress);

impl Live {
    /// Progress of `what`, drawn if `shown`.
    pub fn new(what: &str, shown: bool) -> Self {
        Self(Progress::new(what, shown))
    }
}

impl Watcher for Live {
    fn more(&self, count: usize) {
        self.0.more(count);
    }

    fn began(&self, id: &str) {
        self.0.began(id);
    }

    fn ended(&self, checked: &Checked) {
        self.0.ended(&checked.id, checks::note(checked).as_deref());
    }

    fn over(&self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_times_as_people_write_them() {
        assert_eq!(duration("3"), Ok(Duration::from_secs(3)));
        assert_eq!(duration("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1m30s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        for wrong in ["", "0", "-3s", "soon", "2h"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
