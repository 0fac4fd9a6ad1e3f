//! What landfall remembers of ignition files that it wrote: of which manifests they were made, and which
//! bytes they have.

#![allow(clippy::disallowed_methods, reason = "the record lies among landfall's own files")]

use std::collections::BTreeMap;

use landfall_render::File;
use serde::{Deserialize, Serialize};

use landfall_workdir::{ClusterDir, Error, fingerprint};

/// Name of the record in `.landfall/`.
const NAME: &str = "ignition.json";

/// What is remembered. It has fingerprints only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Record {
    /// What the files were made of; empty for files that somebody else made.
    inputs: String,
    /// What each file may be by path: its bytes, after those that it had before where it is being replaced.
    files: BTreeMap<String, Vec<String>>,
}

fn print(bytes: &[u8]) -> String {
    fingerprint([bytes])
}

impl Record {
    /// The record of a cluster directory; an empty one where there is none that can be read.
    pub(super) fn of(cluster: &ClusterDir) -> Self {
        let bytes = std::fs::read(cluster.records().join(NAME)).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// Whether the files were made of these inputs.
    pub(super) fn is_of(&self, inputs: &str) -> bool {
        self.inputs == inputs
    }

    /// Whether landfall had the files made.
    pub(super) fn is_made(&self) -> bool {
        !self.inputs.is_empty()
    }

    /// Whether a file has the bytes that it was to have in the end.
    pub(super) fn is_settled(&self, path: &str, bytes: &[u8]) -> bool {
        self.files.get(path).and_then(|prints| prints.last()).is_some_and(|last| *last == print(bytes))
    }

    /// Whether landfall wrote these bytes.
    pub(super) fn knows(&self, path: &str, bytes: &[u8]) -> bool {
        let wanted = print(bytes);
        self.files.get(path).is_some_and(|prints| prints.contains(&wanted))
    }

    /// The record for new files, which also knows the ones that they replace.
    ///
    /// # Errors
    /// A file that is to be replaced cannot be read.
    pub(super) fn followed_by(
        &self,
        inputs: &str,
        files: &[File],
        cluster: &ClusterDir,
    ) -> Result<Self, Error> {
        let mut next = Self { inputs: inputs.to_owned(), files: self.files.clone() };
        for file in files {
            let earlier = cluster.read(&file.path)?.filter(|bytes| self.knows(&file.path, bytes));
            let mut prints: Vec<String> = earlier.iter().map(|bytes| print(bytes)).collect();
            prints.push(print(&file.bytes));
            next.files.insert(file.path.clone(), prints);
        }
        Ok(next)
    }

    /// Keeps the record.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn keep(&self, cluster: &ClusterDir) -> Result<(), Error> {
        // Keys are text and all values are: JSON has a form for all of it.
        let bytes = serde_json::to_vec(self).unwrap_or_default();
        cluster.write_record(NAME, &bytes).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as Any;

    use super::*;

    #[test]
    fn knows_what_is_replaced_until_it_is() -> Result<(), Box<dyn Any>> {
        let root = tempfile::tempdir()?;
        let cluster = ClusterDir::open(root.path())?;
        assert_eq!(Record::of(&cluster), Record::default());
        let file = |bytes: &str| [File::secret("bootstrap.ign", bytes)];
        let first = Record::default().followed_by("a", &file("1"), &cluster)?;
        first.keep(&cluster)?;
        std::fs::write(root.path().join("bootstrap.ign"), "1")?;
        let second = Record::of(&cluster).followed_by("b", &file("2"), &cluster)?;
        assert!(second.is_of("b") && second.is_made());
        assert!(second.knows("bootstrap.ign", b"1") && second.knows("bootstrap.ign", b"2"));
        assert!(second.is_settled("bootstrap.ign", b"2") && !second.is_settled("bootstrap.ign", b"1"));
        std::fs::write(root.path().join("bootstrap.ign"), "2")?;
        let third = second.followed_by("c", &file("3"), &cluster)?;
        assert!(!third.knows("bootstrap.ign", b"1") && !third.knows("master.ign", b"1"));
        Ok(())
    }
}
