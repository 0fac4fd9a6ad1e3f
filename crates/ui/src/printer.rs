//! The only place that writes to standard output and standard error.

#![allow(
    clippy::disallowed_methods,
    reason = "standard output and standard error are opened here and nowhere else"
)]

use std::error::Error;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use landfall_diagnostics::clock;
use landfall_net::calls;
use landfall_workdir::Log;

use super::record::{Level, Record};
use super::{Style, Styles, columns_of, printable};

/// How much talk the user wants on standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Volume {
    /// Errors alone.
    Quiet,
    /// Errors and summaries.
    #[default]
    Normal,
    /// Progress, too.
    Verbose,
}

/// Which of the two streams take colours.
#[derive(Clone, Copy, Debug, Default)]
pub struct Colours {
    /// Whether standard output does.
    pub data: bool,
    /// Whether standard error does.
    pub talk: bool,
}

/// Writes data to standard output, and everything else to standard error and to what is recorded of the run.
#[derive(Debug, Default)]
pub struct Printer {
    volume: Volume,
    colours: Colours,
    record: Arc<Record>,
    closed: AtomicBool,
}

impl Printer {
    /// A printer that appends all talk, however quiet, to `file`.
    #[must_use]
    pub fn new(volume: Volume, colours: Colours, file: Option<File>) -> Self {
        Self { volume, colours, record: Arc::new(Record::new(file)), closed: AtomicBool::new(false) }
    }

    /// Records the run in the log of a cluster directory as well.
    pub fn keep(&self, log: Log) {
        self.record.keep(log);
    }

    /// Where the log of the cluster directory is, if the run is recorded there.
    #[must_use]
    pub fn log_path(&self) -> Option<&Path> {
        self.record.path()
    }

    /// Which streams take colours.
    #[must_use]
    pub fn colours(&self) -> Colours {
        self.colours
    }

    /// How text is shown on the two streams at this moment: a terminal may be resized.
    #[must_use]
    pub fn styles(&self) -> Styles {
        Styles {
            data: Style::new(self.colours.data, columns_of(io::stdout())),
            talk: Style::new(self.colours.talk, columns_of(io::stderr())),
        }
    }

    /// How much talk the user wants.
    #[must_use]
    pub fn volume(&self) -> Volume {
        self.volume
    }

    /// The file that the user names for the log once more, if there is one.
    ///
    /// # Errors
    /// The operating system does not give it.
    pub fn log_file(&self) -> io::Result<Option<File>> {
        self.record.file()
    }

    /// Whether progress may be drawn: the user wants talk but not a line for each call, and standard error is a
    /// terminal.
    #[must_use]
    pub fn draws(&self) -> bool {
        self.volume == Volume::Normal && io::stderr().is_terminal()
    }

    /// Records each call to a cloud with its duration, and says it if the user asked for progress.
    pub fn record_calls(&self) {
        let aloud = self.volume == Volume::Verbose;
        if !aloud && !self.record.is_kept() {
            return;
        }
        let record = Arc::clone(&self.record);
        calls::observe(move |call, took| {
            let line = printable(&format!("{call}: {}", shown(took)));
            if aloud {
                to_stderr(&format!("{line}\n"));
            }
            record.text(Level::Debug, &format!("call {line}"));
        });
    }

    /// Whether nobody reads the data any more.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Writes data to standard output, all of it or until its reader went away.
    ///
    /// # Errors
    /// The data could not be written, as on a full disk. A reader that went away is no error: it has
    /// what it wanted, and [`Self::is_closed`] tells from then on.
    pub fn data(&self, text: &str) -> io::Result<()> {
        if self.is_closed() || text.is_empty() {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        match written {
            Err(fault) if fault.kind() == io::ErrorKind::BrokenPipe => {
                self.closed.store(true, Ordering::Relaxed);
                Ok(())
            }
            written => written,
        }
    }

    /// Writes what a command has to say instead of its data to standard error, however quiet.
    pub fn report(&self, text: &str) {
        to_stderr(text);
        self.record.text(Level::Error, text);
    }

    /// Says where to read on after an error, however quiet. What is recorded has no use for it.
    pub fn hint(&self, line: &str) {
        to_stderr(&format!("{}\n", printable(line)));
    }

    /// Writes a block of rendered text to standard error, unless quiet.
    pub fn aside(&self, text: &str) {
        if self.volume != Volume::Quiet {
            to_stderr(text);
        }
        self.record.text(Level::Info, text);
    }

    /// Says one line, unless quiet.
    pub fn talk(&self, line: &str) {
        self.say(Level::Info, line, self.volume != Volume::Quiet);
    }

    /// Says one line of progress, if the user asked for it.
    pub fn detail(&self, line: &str) {
        self.say(Level::Debug, line, self.volume == Volume::Verbose);
    }

    /// Says why a command failed, with what caused it, however quiet.
    pub fn fault(&self, fault: &(dyn Error + 'static)) {
        let (red, plain) = if self.colours.talk { ("\u{1b}[1;91m", "\u{1b}[0m") } else { ("", "") };
        let mut causes = Vec::new();
        let mut cause = fault.source();
        while let Some(source) = cause {
            causes.push(printable(&source.to_string()));
            cause = source.source();
        }
        let message = printable(&fault.to_string());
        // Folded before it is coloured: the colours take no room.
        let first = fitted(&format!("error: {message}"));
        let mut text = format!("{red}error{plain}{}\n", first.strip_prefix("error").unwrap_or(&first));
        self.record.text(Level::Error, &format!("error: {message}"));
        for cause in causes {
            let line = format!("caused by: {cause}");
            self.record.text(Level::Error, &line);
            text.push_str(&fitted(&line));
            text.push('\n');
        }
        to_stderr(&text);
    }

    /// Records a line without saying it, as for what was said above a drawn bar.
    pub fn record(&self, line: &str) {
        self.record.text(Level::Info, line);
    }

    fn say(&self, level: Level, line: &str, aloud: bool) {
        let line = printable(line);
        if aloud {
            to_stderr(&format!("{}\n", fitted(&line)));
        }
        self.record.text(level, &line);
    }
}

/// How long a call took: in milliseconds while these matter.
fn shown(took: Duration) -> String {
    if took < Duration::from_secs(10) { format!("{} ms", took.as_millis()) } else { clock(took) }
}

/// A line as lines of whole words where standard error is a terminal, else as it is.
pub(super) fn fitted(line: &str) -> String {
    Style::new(false, columns_of(io::stderr())).fitted(line)
}

/// There is nobody left to tell when standard error is gone.
fn to_stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
