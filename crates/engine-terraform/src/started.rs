//! What earlier runs on a stage began to create, as they printed it.

use std::collections::BTreeSet;
use std::path::Path;

use super::event::{Action, Event};
use super::fault::Fault;
use super::{Work, streams};

/// The addresses of the resources whose creation one of the runs on a stage began, whatever became of it. None where the
/// output of one of so many `runs` is no longer in the folder `log`.
///
/// # Errors
/// The output of a run cannot be read.
pub fn started(log: &Path, stage: &str, runs: usize) -> Result<Option<BTreeSet<String>>, Fault> {
    let name = format!("{stage}-{}", Work::Apply.name());
    let mut addresses = BTreeSet::new();
    let mut known: u32 = 0;
    while let Some(output) = streams::read(&streams::numbered(log, &name, known + 1, "jsonl"))? {
        known += 1;
        for line in output.split(|byte| *byte == b'\n') {
            if let Some(Event::Started(address, Action::Create)) = Event::parse(line) {
                addresses.insert(address);
            }
        }
    }
    Ok((known as usize >= runs).then_some(addresses))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "the test has a directory of its own")]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_every_run_counts() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let of = |runs| started(folder.path(), "cluster", runs).ok().flatten().map(|found| found.len());
        assert_eq!((of(0), of(1)), (Some(0), None));
        std::fs::write(folder.path().join("cluster-apply-1.jsonl"), include_bytes!("recorded/failed.jsonl"))?;
        assert_eq!((of(1), of(2)), (Some(4), None));
        let cut = "{\"type\":\"apply_start\",\"hook\":{\"resource\":{\"addr\":\"a.b\"},\"action\":\"create\"}}\n{\"type\":";
        std::fs::write(folder.path().join("cluster-apply-2.jsonl"), cut)?;
        assert_eq!((of(2), of(3)), (Some(5), None));
        std::fs::remove_file(folder.path().join("cluster-apply-1.jsonl"))?;
        assert_eq!(of(2), None, "nothing is known of what the first run did");
        Ok(())
    }
}
