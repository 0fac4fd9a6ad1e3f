//! What is recorded of a run: in the log of the cluster directory, and in the file of `--log-file`.

#![allow(clippy::disallowed_methods, reason = "the log has the time")]

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use console::strip_ansi_codes;
use landfall_workdir::Log;

use super::printable;

/// How much a line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Why a command did not do what it was asked for.
    Error,
    /// What a command says.
    Info,
    /// What is said to those who ask for progress, and every call to a cloud.
    Debug,
}

impl Level {
    /// The word in a line, of the same width for all.
    fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Info => "info ",
            Self::Debug => "debug",
        }
    }
}

/// Where the lines of a run go.
#[derive(Debug, Default)]
pub struct Record {
    /// The file that the user names.
    file: Option<Mutex<File>>,
    /// The log of the cluster directory.
    log: OnceLock<Log>,
}

impl Record {
    /// A record in the file that the user names, if there is one.
    pub(super) fn new(file: Option<File>) -> Self {
        Self { file: file.map(Mutex::new), log: OnceLock::new() }
    }

    /// Records in a cluster directory as well from now on.
    pub(super) fn keep(&self, log: Log) {
        // A run works in one directory.
        let _ = self.log.set(log);
    }

    /// Where the log of the cluster directory is, if there is one.
    pub(super) fn path(&self) -> Option<&Path> {
        self.log.get().map(Log::path)
    }

    /// Whether anything is recorded.
    pub(super) fn is_kept(&self) -> bool {
        self.file.is_some() || self.log.get().is_some()
    }

    /// The user's file once more, if there is one.
    ///
    /// # Errors
    /// The operating system does not give it.
    pub(super) fn file(&self) -> io::Result<Option<File>> {
        let file = self.file.as_ref().and_then(|file| file.lock().ok());
        file.map(|file| file.try_clone()).transpose()
    }

    /// Records a text of any number of lines, without colours. What cannot be written must not stop the work.
    pub(super) fn text(&self, level: Level, text: &str) {
        if !self.is_kept() {
            return;
        }
        let plain = strip_ansi_codes(text);
        for line in plain.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
            self.line(level, line);
        }
    }

    fn line(&self, level: Level, line: &str) {
        let now = jiff::Timestamp::now();
        let line = printable(line);
        if let Some(Ok(mut file)) = self.file.as_ref().map(Mutex::lock) {
            let _ = file.write_all(format!("{} {line}\n", now.strftime("%Y-%m-%dT%H:%M:%SZ")).as_bytes());
        }
        if let Some(log) = self.log.get() {
            log.line(&format!("{} {} {line}", now.strftime("%Y-%m-%dT%H:%M:%S%.3fZ"), level.word()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_time_and_level_and_no_colours() -> Result<(), Box<dyn std::error::Error>> {
        let root = tempfile::tempdir()?;
        std::fs::write(root.path().join("metadata.json"), "{}")?;
        let record = Record::default();
        assert!(!record.is_kept());
        record.keep(Log::open(root.path(), true)?.ok_or("there is no log")?);
        record.text(Level::Error, "\u{1b}[1;91merror\u{1b}[0m: no zone\n\n  = help: wait\n");
        record.text(Level::Debug, "call EC2 DescribeVpcs: 12 ms");
        let path = record.path().ok_or("there is no log")?;
        let text = std::fs::read_to_string(path)?;
        let said: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once(' ')).collect();
        let ends: Vec<&str> = said.iter().map(|(_, rest)| *rest).collect();
        assert_eq!(
            ends,
            ["error error: no zone", "error   = help: wait", "debug call EC2 DescribeVpcs: 12 ms"]
        );
        assert!(said.iter().all(|(time, _)| time.parse::<jiff::Timestamp>().is_ok()), "{text}");
        Ok(())
    }
}
