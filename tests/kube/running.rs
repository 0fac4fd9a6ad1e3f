//! Landfall as a user runs it, from its start to its end.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// A run that is under way.
pub struct Running {
    child: Child,
    lines: BufReader<ChildStderr>,
    err: String,
}

/// What came of a run.
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// Starts a command in a cluster directory, with an environment in which nothing of the tester's counts.
pub fn start(directory: &Path, arguments: &[&str]) -> Running {
    start_in(&BTreeMap::new(), directory, arguments)
}

/// The same in an environment of these variables and no others.
pub fn start_in(environment: &BTreeMap<String, String>, directory: &Path, arguments: &[&str]) -> Running {
    let mut child = Command::new(env!("CARGO_BIN_EXE_landfall"))
        .args(arguments)
        .arg("--dir")
        .arg(directory)
        .env_clear()
        .envs(environment)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap());
    Running { child, lines, err: String::new() }
}

/// Runs a command to its end.
pub fn run(directory: &Path, arguments: &[&str]) -> Ran {
    start(directory, arguments).end()
}

impl Running {
    /// Waits until it says a line with these words.
    #[track_caller]
    pub fn says(&mut self, words: &str) {
        self.says_all(&[words]);
    }

    /// Waits until it says a line with all of these.
    #[track_caller]
    pub fn says_all(&mut self, parts: &[&str]) {
        loop {
            let mut line = String::new();
            let read = self.lines.read_line(&mut line).unwrap();
            self.err.push_str(&line);
            if parts.iter().all(|part| line.contains(part)) {
                return;
            }
            assert!(read > 0, "it ended without {parts:?}: {}", self.err);
        }
    }

    /// Does what Ctrl-C does.
    pub fn interrupt(&self) {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
    }

    /// Waits for its end.
    pub fn end(mut self) -> Ran {
        let mut out = String::new();
        // What it prints at its end is little, so that neither pipe is ever full.
        self.child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        self.lines.read_to_string(&mut self.err).unwrap();
        Ran { code: self.child.wait().unwrap().code(), out, err: self.err }
    }
}

impl Ran {
    /// What it printed, as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|fault| panic!("{fault}: {self}"))
    }

    /// Fails unless it ended so.
    #[track_caller]
    pub fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }

    /// Fails unless it said all of these words on standard error.
    #[track_caller]
    pub fn said(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.err.contains(word), "`{word}` is missing: {self}");
        }
        self
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ended with {:?}\n{}\n{}", self.code, self.out, self.err)
    }
}
