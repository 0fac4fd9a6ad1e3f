//! One run of the program, from its start to its end.
#![allow(clippy::disallowed_methods, reason = "terraform is started here")]

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use landfall_net::stop::Stop;
use rustix::process::{Signal, kill_process};
use tokio::process::{Child, Command};
use tokio::time::MissedTickBehavior;

use super::fault::Fault;
use super::streams::Streams;
use super::{Stage, environment, previous_run};

/// How often what terraform prints is looked at.
const PERIOD: Duration = Duration::from_millis(100);

/// Starts a program so that all it writes is for its owner alone: state, backups, logs, what providers keep.
/// The mask of files' modes belongs to a whole process, and landfall's own is the user's; so it is set on the
/// other side, by the shell that turns into the program.
const PRIVATE: &str = "umask 077; exec \"$@\"";

/// A program at work.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    pid: Option<u32>,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ended {
    /// Its exit code, unless a signal ended it.
    pub(super) code: Option<i32>,
    /// The signal that ended it.
    pub(super) signal: Option<i32>,
    /// Whether it was asked to stop.
    pub(super) stopped: bool,
}

impl Process {
    /// Starts a program in a stage's folder. It has a process group of its own, so that Ctrl-C on the terminal
    /// does not reach it, and goes on when nobody waits for it any more.
    pub(super) fn start(
        program: &Path,
        stage: &Stage<'_>,
        work: &str,
        arguments: &[OsString],
        streams: Streams,
    ) -> Result<Self, Fault> {
        let folder = whole(stage.folder)?;
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", PRIVATE, "sh"])
            .arg(program)
            .args(arguments)
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(streams.output_file)
            .stderr(streams.errors_file)
            .process_group(0);
        environment::prepare_stage(&mut command, stage, &folder);
        let cannot_run = |source| Fault::CannotRun { program: program.to_owned(), source };
        let child = command.spawn().map_err(cannot_run)?;
        let pid = child.id();
        if let Some(pid) = pid {
            previous_run::note(stage, pid, work, &streams.output);
        }
        Ok(Self { child, pid })
    }

    /// Waits until the program has ended, and calls `look` while it has not. Asked to stop, it interrupts the
    /// program once, and goes on waiting: a second time would make it leave without its state.
    pub(super) async fn end(
        mut self,
        stage: &Stage<'_>,
        stop: &Stop,
        mut look: impl FnMut() + Send,
    ) -> Result<Ended, Fault> {
        let mut ticks = tokio::time::interval(PERIOD);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut stopped = false;
        let status: ExitStatus = loop {
            tokio::select! {
                status = self.child.wait() => break status.map_err(Fault::file("wait for", stage.folder))?,
                () = stop.asked(), if !stopped => {
                    stopped = true;
                    self.interrupt();
                }
                _ = ticks.tick() => look(),
            }
        };
        previous_run::forget(stage);
        Ok(Ended { code: status.code(), signal: status.signal(), stopped })
    }

    fn interrupt(&self) {
        if let Some(pid) = self.pid.and_then(previous_run::process) {
            // One that has just ended cannot be interrupted, and need not be.
            let _ = kill_process(pid, Signal::INT);
        }
    }
}

/// A path that does not depend on the folder that a program works in.
pub(super) fn whole(path: &Path) -> Result<PathBuf, Fault> {
    std::path::absolute(path).map_err(Fault::file("find", path))
}
