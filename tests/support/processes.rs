//! Processes that work in a folder.

use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

/// The processes for whose entry in `/proc` something holds.
fn those(holds: impl Fn(&Path) -> Option<bool>) -> Vec<Pid> {
    let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let pids = entries.filter_map(|entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        Pid::from_raw(pid).filter(|_| holds(&entry.path()) == Some(true))
    });
    pids.collect()
}

/// Sends a signal to each; false where there are none.
fn signal(pids: &[Pid], signal: Signal) -> bool {
    for pid in pids {
        // One that has ended meanwhile cannot be signalled.
        let _ = kill_process(*pid, signal);
    }
    !pids.is_empty()
}

/// Kills the processes that work in or below a folder, as terraform and its providers do in those of the stages; false
/// where there are none.
pub fn kill_in(folder: &Path) -> bool {
    let works_there = |entry: &Path| Some(std::fs::read_link(entry.join("cwd")).ok()?.starts_with(folder));
    signal(&those(works_there), Signal::KILL)
}

/// Sends a signal to the landfall that works on a cluster directory, which its command line names; false where there is
/// none.
pub fn signal_of(directory: &Path, what: Signal) -> bool {
    let own = directory.to_str().unwrap().to_owned();
    let names_it = move |entry: &Path| {
        let line = std::fs::read(entry.join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).into_owned();
        let mut words = line.split('\0');
        Some(words.next()?.ends_with("landfall") && words.any(|word| word == own))
    };
    signal(&those(names_it), what)
}
