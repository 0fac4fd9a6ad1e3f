//! The Azure CLI as a program of its own: it ends with the question that it was begun for.

#![allow(clippy::disallowed_methods, reason = "the Azure CLI is another program")]

use std::ffi::OsStr;
use std::io;
use std::pin::Pin;
use std::process::{Output, Stdio};

use azure_identity::Executor;
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::Command;

/// Runs programs, and ends what is still running when nobody waits for it any more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Runner;

// The trait is made by the macro of async-trait; this is what the macro makes of an `async fn`.
impl Executor for Runner {
    fn run<'life0, 'life1, 'life2, 'life3, 'async_trait>(
        &'life0 self,
        program: &'life1 OsStr,
        args: &'life2 [&'life3 OsStr],
    ) -> Pin<Box<dyn Future<Output = io::Result<Output>> + Send + 'async_trait>>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        'life3: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(output(program, args))
    }
}

async fn output(program: &OsStr, args: &[&OsStr]) -> io::Result<Output> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    // The Azure CLI is a script that a shell begins and that begins Python: all of them must end.
    #[cfg(unix)]
    command.process_group(0);
    let child = command.spawn()?;
    let mut group = Group(child.id());
    let output = child.wait_with_output().await?;
    group.0 = None;
    Ok(output)
}

/// A program with all that it began, by its id, for as long as it may be running.
struct Group(Option<u32>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(id) = self.0 {
            end(id);
        }
    }
}

/// Ends a group of processes.
#[cfg(unix)]
fn end(id: u32) {
    if let Some(id) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        // Where nothing is running any more, there is nothing to end.
        let _ = kill_process_group(id, Signal::KILL);
    }
}

/// The program itself is ended by whoever began it.
#[cfg(not(unix))]
fn end(_: u32) {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_a_program_says_is_kept() -> io::Result<()> {
        let args = [OsStr::new("-c"), OsStr::new("echo told; echo wrong >&2; exit 3")];
        let output = Runner.run(OsStr::new("/bin/sh"), &args).await?;
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(3), &b"told\n"[..]));
        assert_eq!(output.stderr, b"wrong\n");
        let missing = Runner.run(OsStr::new("/nowhere/az"), &[]).await;
        assert_eq!(missing.err().map(|error| error.kind()), Some(io::ErrorKind::NotFound));
        Ok(())
    }
}
