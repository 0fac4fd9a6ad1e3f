//! The log of an operator: one JSON object a line.

#![allow(clippy::disallowed_methods, reason = "the log goes to standard error")]

use std::io::stderr;
use std::sync::Mutex;

use anyhow::Context;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::{MakeWriter, layer};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, registry};

use crate::ui::{Printer, Volume};

/// Where lines of the log go.
type Lines = Box<dyn Layer<Registry> + Send + Sync>;

/// Begins the log of this process: on standard error as loud as the user wants it, and in the log file, if
/// there is one, in full.
///
/// # Errors
/// The log file cannot be opened a second time, or a log was begun before.
pub(super) fn begin(printer: &Printer) -> anyhow::Result<()> {
    let level = match printer.volume() {
        Volume::Quiet => LevelFilter::ERROR,
        Volume::Normal => LevelFilter::INFO,
        Volume::Verbose => LevelFilter::DEBUG,
    };
    let mut all = vec![lines(stderr, level)];
    if let Some(file) = printer.log_file().context("the log file cannot be opened again")? {
        all.push(lines(Mutex::new(file), LevelFilter::DEBUG));
    }
    registry().with(all).try_init().context("the log cannot begin")
}

/// One JSON object a line. Of libraries nothing is told: they cite what they send and get.
fn lines<W>(writer: W, level: LevelFilter) -> Lines
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    layer::<Registry>()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_writer(writer)
        .with_filter(Targets::new().with_target(env!("CARGO_PKG_NAME"), level))
        .boxed()
}
