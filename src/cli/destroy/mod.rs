//! `landfall destroy`.

mod bootstrap;
mod cluster;
mod find;
mod flags;
mod shown;

use std::future::pending;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use super::{Exit, Output, Settings, engine};
use crate::finding::Finding;
use crate::platform::cloud::Patience;
use crate::prepare::target::Unnamed;
use crate::prepare::{Basis, BasisOptions, Refusal};
use crate::ui::json as json_form;

/// Remove what a cluster owns
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

// Help texts are the doc comments of each verb's arguments.
#[derive(Debug, clap::Subcommand)]
enum What {
    Cluster(Box<cluster::Args>),
    Bootstrap(bootstrap::Args),
    Find(find::Args),
}

/// Removes what the arguments name.
///
/// # Errors
/// A stream cannot be written, or something outside of the input went wrong.
pub fn run(args: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    match &args.what {
        What::Cluster(args) => cluster::run(args, settings),
        What::Bootstrap(args) => bootstrap::run(args, settings),
        What::Find(args) => find::run(args, settings),
    }
}

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// The longest that one call may take with all its repetitions.
const CALL: Duration = Duration::from_mins(1);
/// Nobody waits longer than this.
const LONGEST: Duration = Duration::from_hours(24);

/// How long to wait for a cloud that so many requests at a time are sent to.
fn patience(parallel: u16) -> Patience {
    Patience { connect: CONNECT, call: CALL, at_once: usize::from(parallel) }
}

/// What is known of clouds, with an overlay.
fn basis(overlay: Option<&PathBuf>, directory: &Path) -> Result<Basis, Refusal> {
    Basis::new(&BasisOptions { overlay: overlay.cloned(), ..BasisOptions::default() }, directory)
}

/// A time such as `30m` or `1h30m`; a number alone is one of seconds.
fn limit(text: &str) -> Result<Duration, String> {
    let seconds = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let text = if seconds { format!("{text}s") } else { text.to_owned() };
    let parsed: Result<jiff::SignedDuration, _> = text.parse();
    let parsed = parsed.map_err(|_| "give a time such as `90s`, `30m` or `1h30m`".to_owned())?;
    let length = Duration::try_from(parsed).unwrap_or(Duration::ZERO);
    if length.is_zero() || length > LONGEST {
        return Err("give a time of more than nothing and at most a day".to_owned());
    }
    Ok(length)
}

/// Ends when the user or the system asks the program to stop.
async fn stop_signal() {
    let (interrupt, terminate, hangup) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()), signal(SignalKind::hangup()));
    let (Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)) = (interrupt, terminate, hangup) else {
        // Signals then end the program as they end any other.
        return pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
}

/// What the work gives; none where the program is asked to stop before.
async fn unless_stopped<T>(work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        result = work => Some(result),
        () = stop_signal() => None,
    }
}

/// Says why a run ended before it began.
///
/// # Errors
/// Standard output cannot be written.
fn ended(outcome: &str, findings: &[Finding], exit: Exit, settings: &Settings) -> anyhow::Result<Exit> {
    if settings.output == Output::Json {
        let value = json!({ "outcome": outcome, "findings": json_form::placeless(findings) });
        settings.printer.data(&format!("{value}\n"))?;
    }
    engine::report(findings, settings);
    Ok(exit)
}

/// Says why it is not known which cluster is to go.
///
/// # Errors
/// A file cannot be read, or standard output cannot be written.
fn unnamed(why: Unnamed, settings: &Settings) -> anyhow::Result<Exit> {
    let (finding, exit) = match why {
        Unnamed::Nowhere(finding) => (finding, Exit::Failed),
        Unnamed::Invalid(finding) => (finding, Exit::NotValid),
        Unnamed::Usage(finding) => (finding, Exit::Usage),
        Unnamed::Failed(fault) => return Err(fault.into()),
    };
    ended("refused", &[*finding], exit, settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_times_as_people_write_them() {
        assert_eq!(limit("90"), Ok(Duration::from_secs(90)));
        assert_eq!(limit("1h30m"), Ok(Duration::from_mins(90)));
        assert_eq!(limit("500ms"), Ok(Duration::from_millis(500)));
        for wrong in ["", "0", "-3s", "soon", "25h"] {
            assert!(limit(wrong).is_err(), "{wrong}");
        }
    }
}
