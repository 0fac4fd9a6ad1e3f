//! The run of an earlier process, whose Terraform may still be running.
//!
//! A record is kept while terraform runs. Who finds one whose process lives waits for it: two runs must not
//! change the same things, and the earlier one has knowledge that the state does not hold yet.
#![allow(clippy::disallowed_methods, reason = "the record and the list of processes are read here")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use landfall_net::stop::Stop;
use rustix::process::{Pid, test_kill_process};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::fault::{Fault, Interrupted};
use super::run_progress::Tally;
use super::tail::Tail;
use super::{Progress, Stage, Watcher, streams};

/// How often an earlier run is looked at.
const PERIOD: Duration = Duration::from_millis(200);

/// What is noted of a run that has begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Record {
    /// The process.
    pub(super) pid: u32,
    /// When it began, as the operating system counts, where it tells: another process that has got the same
    /// number since began later.
    pub(super) began: Option<u64>,
    /// What it does.
    pub(super) work: String,
    /// What it prints to, from the root on: a later run may begin in another folder.
    pub(super) output: PathBuf,
}

/// Where the record of a stage is kept.
pub(super) fn place(stage: &Stage<'_>) -> PathBuf {
    stage.log.join(format!("{}{RUNNING}", stage.name))
}

/// Notes that a process works on a stage.
pub(super) fn note(stage: &Stage<'_>, pid: u32, work: &str, output: &Path) {
    let began = if let Seen::Since(began) = look(pid) { Some(began) } else { None };
    let output = std::path::absolute(output).unwrap_or_else(|_| output.to_owned());
    let record = Record { pid, began, work: work.to_owned(), output };
    if let Ok(bytes) = serde_json::to_vec(&record) {
        // Without it a later run still cannot change anything at the same time: terraform locks its state.
        let _ = streams::replace(&place(stage), &bytes);
    }
}

/// Notes that nothing works on a stage any more.
pub(super) fn forget(stage: &Stage<'_>) {
    // One that stays behind names a process that is gone, and counts for nothing.
    let _ = std::fs::remove_file(place(stage));
}

/// Waits until nothing of an earlier run works on a stage, and shows how far that is.
pub(super) async fn wait(
    engine: &'static str,
    stage: &Stage<'_>,
    watcher: Option<&dyn Watcher>,
    stop: &Stop,
) -> Result<(), Fault> {
    let Some(bytes) = streams::read(&place(stage))? else { return Ok(()) };
    // A record that cannot be read is one of a machine that went down while it was written.
    let Ok(record) = serde_json::from_slice::<Record>(&bytes) else { return Ok(()) };
    let began = Instant::now();
    let mut tail = Tail::open(&record.output).ok();
    let mut tally = Tally::default();
    while is_alive(&record) {
        if let Some(tail) = &mut tail {
            // How far the other run is, is worth seeing; that it cannot be seen stops nothing.
            let _ = tail.follow(&mut |line| {
                tally.take(line, began.elapsed());
            });
        }
        if let Some(watcher) = watcher {
            let progress = tally.progress(began.elapsed());
            watcher.changed(&Progress { waiting_for_earlier: Some(record.pid), ..progress });
        }
        tokio::select! {
            () = stop.asked() => {
                return Err(Fault::Interrupted(Interrupted {
                    engine,
                    stage: stage.name.to_owned(),
                    work: record.work.clone(),
                    earlier: Some(record.pid),
                    done: 0,
                    total: None,
                }));
            }
            () = tokio::time::sleep(PERIOD) => {}
        }
    }
    forget(stage);
    Ok(())
}

/// What is to be seen of a process.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    /// It is there, and began then.
    Since(u64),
    /// It has ended.
    Gone,
    /// The operating system has no `/proc`.
    Nothing,
}

fn look(pid: u32) -> Seen {
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(text) => began(&text).map_or(Seen::Gone, Seen::Since),
        Err(_) if Path::new("/proc/self/stat").exists() => Seen::Gone,
        Err(_) => Seen::Nothing,
    }
}

/// When a process began, by its line in `/proc`; nothing if it has ended and only its parent does not know
/// yet. The program's name stands in brackets and may hold anything.
fn began(stat: &str) -> Option<u64> {
    const ENDED: &[&str] = &["Z", "X", "x"];
    const BEGAN: usize = 19;
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    if ENDED.contains(fields.first()?) {
        return None;
    }
    fields.get(BEGAN)?.parse().ok()
}

fn is_alive(record: &Record) -> bool {
    match look(record.pid) {
        Seen::Since(began) => record.began.is_none_or(|known| known == began),
        Seen::Gone => false,
        Seen::Nothing => process(record.pid).is_some_and(|pid| test_kill_process(pid).is_ok()),
    }
}

/// The process of a number, which 0 is not.
pub(super) fn process(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw)
}

/// How the names of records end.
const RUNNING: &str = "-running.json";

/// A program of an earlier run that is still at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtWork {
    /// Its process.
    pub pid: u32,
    /// The stage that it works on.
    pub stage: String,
    /// What it does, as terraform calls it.
    pub work: String,
}

/// The programs that are at work on the stages whose records lie in a folder, sorted by stage.
#[must_use]
pub fn at_work(log: &Path) -> Vec<AtWork> {
    let Ok(entries) = std::fs::read_dir(log) else { return Vec::new() };
    let alive = entries.flatten().filter_map(|entry| {
        let name = entry.file_name();
        let stage = name.to_str()?.strip_suffix(RUNNING)?.to_owned();
        let bytes = streams::read(&entry.path()).ok().flatten()?;
        let record: Record = serde_json::from_slice(&bytes).ok()?;
        is_alive(&record).then_some(AtWork { pid: record.pid, stage, work: record.work })
    });
    let mut alive: Vec<AtWork> = alive.collect();
    alive.sort_by(|a, b| a.stage.cmp(&b.stage));
    alive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_list_of_processes() {
        let fields = "0 0 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0";
        assert_eq!(began(&format!("7 (terra) form) S 1 {fields} 4711 9 9\n")), Some(4711));
        assert_eq!(began(&format!("7 (terraform) Z 1 {fields} 4711 9 9\n")), None);
        for text in ["", "7", "7 (x)", "7 (x) S 1"] {
            assert_eq!(began(text), None, "{text}");
        }
    }

    #[test]
    fn the_record_names_its_output_from_the_root_on() -> std::io::Result<()> {
        let root = tempfile::tempdir()?;
        let stage = Stage {
            name: "cluster",
            folder: root.path(),
            variables: &[],
            environment: &[],
            log: root.path(),
        };
        note(&stage, std::process::id(), "apply", Path::new("demo/.landfall/log/cluster-apply-1.jsonl"));
        let bytes = std::fs::read(place(&stage))?;
        let output = serde_json::from_slice::<Record>(&bytes).map(|record| record.output).unwrap_or_default();
        assert!(output.is_absolute() && output.ends_with("demo/.landfall/log/cluster-apply-1.jsonl"));
        Ok(())
    }

    #[test]
    fn a_process_is_distinguished_from_a_later_one_with_the_same_id() {
        let own = std::process::id();
        let record = |began| Record { pid: own, began, work: "apply".to_owned(), output: PathBuf::new() };
        let began = if let Seen::Since(began) = look(own) { Some(began) } else { None };
        assert!(is_alive(&record(began)));
        if let Some(began) = began {
            assert!(!is_alive(&record(Some(began + 1))));
        }
        assert_eq!(process(0), None);
        assert_eq!(process(u32::MAX), None);
    }
}
