//! The journal of steps: what was done to the cluster, when, and with what result.
//!
//! `.landfall/steps.jsonl` has one line for each beginning and each end of a step, in the order in which they
//! came. It remembers; what there is in the cloud is decided by the cloud.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;

use serde::{Deserialize, Serialize};

use super::disk::{self, PRIVATE_FILE};
use super::journal::Fingerprint;
use super::{ClusterDir, Durability, Error};

const STEPS: &str = ".landfall/steps.jsonl";

/// The step that removes the bootstrap machine. Once it began, that machine is not created again.
pub const BOOTSTRAP_REMOVAL: &str = "bootstrap.destroy";

/// The step that notes the release of the cluster.
const RELEASE: &str = "release";

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StepResult {
    /// It began; what follows says how it ended, or that landfall itself was killed.
    Began,
    /// It is done.
    Done,
    /// It failed.
    Failed,
    /// The user stopped it.
    Interrupted,
}

/// One line of the journal of steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// When, as RFC 3339 writes it.
    pub time: String,
    /// Name, such as `cluster.apply`.
    pub step: String,
    /// What became of it.
    pub result: StepResult,
    /// A sentence about it, without secrets; empty where there is nothing to add.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// What the step was given, as a fingerprint; empty where it does not matter.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub inputs: String,
}

/// All steps so far, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps(Vec<Step>);

impl Steps {
    /// The steps of a text in which each has one line. A line that was cut off says nothing.
    fn parse(text: &str) -> Self {
        Self(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }

    /// Every step, oldest first.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Step> {
        self.0.iter()
    }

    /// The release of the cluster, as the last run noted it.
    #[must_use]
    pub fn release(&self) -> Option<&str> {
        self.last(RELEASE).map(|known| known.detail.as_str())
    }

    /// The last record of a step.
    #[must_use]
    pub fn last(&self, step: &str) -> Option<&Step> {
        self.0.iter().rev().find(|known| known.step == step)
    }
}

/// A fingerprint of several texts in their order.
#[must_use]
pub fn fingerprint<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let prints: Vec<String> = parts.into_iter().map(|part| Fingerprint::of(part).to_string()).collect();
    Fingerprint::of(prints.join("\n").as_bytes()).to_string()
}

/// What was done in a directory so far, whoever works in it now. Nothing is written or locked.
///
/// # Errors
/// The journal of steps cannot be read.
pub fn steps(root: &std::path::Path) -> Result<Steps, Error> {
    let bytes = disk::read(&root.join(STEPS))?;
    Ok(bytes.map(|bytes| Steps::parse(&String::from_utf8_lossy(&bytes))).unwrap_or_default())
}

impl ClusterDir {
    /// Notes the release of the cluster, unless that is what the last run noted.
    ///
    /// # Errors
    /// As [`Self::note`].
    pub fn note_release(&self, release: &str, time: &str) -> Result<(), Error> {
        if self.steps()?.release() == Some(release) {
            return Ok(());
        }
        self.note(&Step {
            time: time.to_owned(),
            step: RELEASE.to_owned(),
            result: StepResult::Done,
            detail: release.to_owned(),
            inputs: String::new(),
        })
    }

    /// What was done in this directory so far.
    ///
    /// # Errors
    /// The journal of steps cannot be read.
    pub fn steps(&self) -> Result<Steps, Error> {
        steps(&self.root)
    }

    /// Adds to the journal of steps.
    ///
    /// # Errors
    /// The journal of steps cannot be written.
    pub fn note(&self, step: &Step) -> Result<(), Error> {
        let path = self.root.join(STEPS);
        let line = serde_json::to_string(step).map_err(|cause| Error::Write(path.clone(), cause.into()))?;
        // A process that was killed may have left its last line without an end.
        let cut = match disk::read(&path)? {
            Some(bytes) => bytes.last().is_some_and(|last| *last != b'\n'),
            None => false,
        };
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(PRIVATE_FILE)
            .open(&path)
            .map_err(Error::at(Error::Write, &path))?;
        let line = format!("{}{line}\n", if cut { "\n" } else { "" });
        file.write_all(line.as_bytes()).map_err(Error::at(Error::Write, &path))?;
        if self.durability == Durability::Fsync {
            file.sync_data().map_err(Error::at(Error::Write, &path))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as Any;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn step(name: &str, result: StepResult) -> Step {
        Step {
            time: "2026-11-21T10:00:00Z".to_owned(),
            step: name.to_owned(),
            result,
            detail: String::new(),
            inputs: String::new(),
        }
    }

    #[test]
    fn remembers_steps_across_processes() -> Result<(), Box<dyn Any>> {
        let root = tempfile::tempdir()?;
        {
            let cluster = ClusterDir::open_with(root.path(), Durability::Process)?;
            assert_eq!(cluster.steps()?, Steps::default());
            cluster.note(&step("cluster.apply", StepResult::Began))?;
            cluster.note(&step("cluster.apply", StepResult::Failed))?;
        }
        let cluster = ClusterDir::open(root.path())?;
        cluster.note(&step("bootstrap.apply", StepResult::Began))?;
        let steps = cluster.steps()?;
        let results: Vec<StepResult> = steps.iter().map(|step| step.result).collect();
        assert_eq!(results, [StepResult::Began, StepResult::Failed, StepResult::Began]);
        assert_eq!(steps.last("cluster.apply").map(|step| step.result), Some(StepResult::Failed));
        assert_eq!(steps.last("other"), None);
        let mode = std::fs::metadata(root.path().join(STEPS))?.permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        Ok(())
    }

    #[test]
    fn a_release_is_noted_once() -> Result<(), Box<dyn Any>> {
        let root = tempfile::tempdir()?;
        let cluster = ClusterDir::open_with(root.path(), Durability::Process)?;
        assert_eq!(cluster.steps()?.release(), None);
        for release in ["4.19", "4.19", "4.20"] {
            cluster.note_release(release, "2026-11-21T10:00:00Z")?;
        }
        let steps = cluster.steps()?;
        assert_eq!((steps.iter().count(), steps.release()), (2, Some("4.20")));
        Ok(())
    }

    #[test]
    fn a_line_that_was_cut_off_takes_no_other_with_it() -> Result<(), Box<dyn Any>> {
        let root = tempfile::tempdir()?;
        let cluster = ClusterDir::open(root.path())?;
        cluster.note(&step("a", StepResult::Done))?;
        let path = root.path().join(STEPS);
        let mut text = std::fs::read_to_string(&path)?;
        text.push_str("{\"time\":\"2026");
        std::fs::write(&path, text)?;
        cluster.note(&step("b", StepResult::Done))?;
        let names: Vec<String> = cluster.steps()?.iter().map(|step| step.step.clone()).collect();
        assert_eq!(names, ["a", "b"]);
        Ok(())
    }

    #[test]
    fn a_fingerprint_knows_where_one_text_ends() {
        let print = |parts: &[&str]| fingerprint(parts.iter().map(|part| part.as_bytes()));
        assert_eq!(print(&["a", "b"]), print(&["a", "b"]));
        assert_ne!(print(&["a", "b"]), print(&["ab", ""]));
        assert_ne!(print(&["a", "b"]), print(&["b", "a"]));
    }
}
