//! One cluster directory: its lock, its files, and which of them a person has edited.
//!
//! An edge: the only room that writes the files of a cluster. What is in them was decided by others, who
//! hand over a [`FileSet`]; nothing here reads a manifest or knows a platform. `docs/cluster-directory.md`
//! has the user's side of it.
//!
//! ```
//! use landfall_workdir::FileSet;
//!
//! // Paths stay inside the cluster directory.
//! let mut files = FileSet::new();
//! assert!(files.add("manifests/cluster-infrastructure-02-config.yml", "kind: Infrastructure\n").is_ok());
//! assert!(files.add_secret("auth/kubeconfig", "kind: Config\n").is_ok());
//! assert!(files.add("../outside", "").is_err());
//! assert_eq!(files.files().len(), 2);
//! ```

#![allow(
    clippy::disallowed_methods,
    reason = "the files of a cluster are read and written here; others hand over and take bytes"
)]
#![forbid(unsafe_code)]

mod amend;
mod destroyed;
mod disk;
mod error;
mod file_set;
mod journal;
mod lock;
mod log;
mod records;
mod steps;
mod write;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

pub use destroyed::{Cleared, destroyed};
pub use error::Error;
pub use file_set::{BadPath, FileSet, SetFile};
pub use log::{LOG, Log, OLDER_LOGS, logs};
pub use steps::{BOOTSTRAP_REMOVAL, Step, StepResult, Steps, fingerprint, steps};
pub use write::Report;

use disk::{Change, Found};
use journal::{Journal, Unusable};
use lock::Lock;

/// Where landfall keeps its own records.
const RECORDS: &str = ".landfall";
const LOCK: &str = ".landfall/lock";
const JOURNAL: &str = ".landfall/journal.json";
const DAMAGED_JOURNAL: &str = ".landfall/journal.damaged.json";

/// The folders with Kubernetes manifests, which people edit and add to.
const MANIFESTS: &[&str] = &["manifests", "openshift"];

/// The folders that are known to be landfall's; others follow from the journal.
const FOLDERS: &[&str] = &["", "manifests", "openshift", "terraform", "auth", RECORDS];

/// What a file that was written has survived once the call returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// The end of the power: the disk has confirmed everything.
    #[default]
    Fsync,
    /// The end of the process, and no more. Much quicker where thousands of directories are written that
    /// can be written again.
    Process,
}

/// A cluster directory that this process alone writes, until it is dropped.
#[derive(Debug)]
pub struct ClusterDir {
    root: PathBuf,
    durability: Durability,
    journal: Journal,
    damaged: Option<PathBuf>,
    _lock: Lock,
}

/// The content of a file of a cluster directory, or nothing if it does not exist. Nothing is locked.
///
/// # Errors
/// The path is not one below the directory, or the file cannot be read.
pub fn read(root: &Path, path: &str) -> Result<Option<Vec<u8>>, Error> {
    file_set::check(path)?;
    disk::read(&root.join(path))
}

impl ClusterDir {
    /// Opens a cluster directory, created if it is missing, whose files survive a power failure.
    ///
    /// # Errors
    /// As [`ClusterDir::open_with`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_with(path, Durability::default())
    }

    /// Opens a cluster directory, created if it is missing, and clears away what a killed process left
    /// half-written.
    ///
    /// # Errors
    /// [`Error::Locked`] while another process has the directory open, [`Error::NewerJournal`] if a newer
    /// landfall wrote it; others name the file that could not be read or made.
    pub fn open_with(path: &Path, durability: Durability) -> Result<Self, Error> {
        disk::make_root(path, durability)?;
        let mut change = Change::new(path, durability);
        change.folder(RECORDS)?;
        change.commit()?;
        let lock = Lock::take(path, &path.join(LOCK))?;
        let (journal, damaged) = load(path)?;
        let mut folders: BTreeSet<&str> = FOLDERS.iter().copied().collect();
        folders
            .extend(journal.files().filter_map(|(path, _)| path.rsplit_once('/')).map(|(folder, _)| folder));
        for folder in folders {
            disk::sweep(&path.join(folder))?;
        }
        Ok(Self { root: path.to_owned(), durability, journal, damaged, _lock: lock })
    }

    /// The path that the directory was opened with.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where the journal was put that could not be read when the directory was opened, if it was so.
    ///
    /// No file is then known to be landfall's: those that a step would write differently are kept, as if
    /// all were hand edits. Worth telling the user.
    #[must_use]
    pub fn damaged_journal(&self) -> Option<&Path> {
        self.damaged.as_deref()
    }

    /// The content of a file, or nothing if it does not exist.
    ///
    /// # Errors
    /// The path is not one below the directory, or the file cannot be read.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, Error> {
        read(&self.root, path)
    }

    /// The manifests that landfall wrote and that have other bytes now, sorted by path.
    ///
    /// # Errors
    /// A manifest cannot be read.
    pub fn edited(&self) -> Result<Vec<String>, Error> {
        let mut edited = Vec::new();
        for (path, entry) in self.journal.files().filter(|(path, _)| is_manifest(path)) {
            let differs = match disk::look(&self.root.join(path))? {
                Found::Missing => false,
                Found::Other => true,
                Found::File { bytes, .. } => !entry.knows(&bytes),
            };
            if differs {
                edited.push(path.to_owned());
            }
        }
        Ok(edited)
    }

    /// The manifests that landfall wrote and that someone removed since, sorted by path.
    ///
    /// # Errors
    /// It cannot be found out whether a manifest is there.
    pub fn deleted(&self) -> Result<Vec<String>, Error> {
        let mut deleted = Vec::new();
        // What is in flight may be missing because landfall was killed.
        let settled = self.journal.files().filter(|(_, entry)| !entry.in_flight);
        for (path, _) in settled.filter(|(path, _)| is_manifest(path)) {
            if disk::look(&self.root.join(path))? == Found::Missing {
                deleted.push(path.to_owned());
            }
        }
        Ok(deleted)
    }

    /// The files in the folders of manifests, and below, that landfall did not write, sorted by path.
    ///
    /// # Errors
    /// A folder cannot be listed.
    pub fn extra(&self) -> Result<Vec<String>, Error> {
        let mut extra = Vec::new();
        let mut folders: Vec<String> = MANIFESTS.iter().map(|&folder| folder.to_owned()).collect();
        while let Some(folder) = folders.pop() {
            for (name, is_folder) in disk::list(&self.root.join(&folder))? {
                let path = format!("{folder}/{name}");
                if is_folder {
                    folders.push(path);
                } else if self.journal.get(&path).is_none() {
                    extra.push(path);
                }
            }
        }
        extra.sort();
        Ok(extra)
    }
}

fn is_manifest(path: &str) -> bool {
    path.split_once('/').is_some_and(|(folder, _)| MANIFESTS.contains(&folder))
}

/// The journal, and where it was put aside if it could not be read.
fn load(root: &Path) -> Result<(Journal, Option<PathBuf>), Error> {
    let path = root.join(JOURNAL);
    let Some(bytes) = disk::read(&path)? else {
        return Ok((Journal::default(), None));
    };
    match Journal::parse(&bytes) {
        Ok(journal) => Ok((journal, None)),
        Err(Unusable::Newer(version)) => Err(Error::NewerJournal { path, version }),
        Err(Unusable::Damaged) => {
            let aside = root.join(DAMAGED_JOURNAL);
            fs::rename(&path, &aside).map_err(Error::at(Error::Replace, &aside))?;
            Ok((Journal::default(), Some(aside)))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as Any;

    use super::*;

    type Outcome = Result<(), Box<dyn Any>>;

    const A: &str = "manifests/a.yaml";

    fn set(text: &str) -> Result<FileSet, BadPath> {
        FileSet::of([(A.to_owned(), text.as_bytes().to_vec(), false)])
    }

    #[test]
    fn makes_the_directory_and_those_above_it() -> Outcome {
        let root = tempfile::tempdir()?;
        let path = root.path().join("clusters/one");
        let dir = ClusterDir::open(&path)?;
        assert_eq!(dir.root(), path);
        assert!(fs::exists(path.join(LOCK))?);
        assert_eq!(dir.read("install-config.yaml")?, None);
        Ok(())
    }

    #[test]
    fn is_for_one_process_at_a_time() -> Outcome {
        let root = tempfile::tempdir()?;
        let first = ClusterDir::open(root.path())?;
        let second = ClusterDir::open(root.path());
        let own = std::process::id();
        assert!(matches!(&second, Err(Error::Locked { holder: Some(pid), .. }) if *pid == own), "{second:?}");
        drop(first);
        ClusterDir::open(root.path())?;
        // What a killed process leaves is its number, but no lock.
        fs::write(root.path().join(LOCK), "1\n")?;
        ClusterDir::open(root.path())?;
        Ok(())
    }

    #[test]
    fn reads_files_of_the_directory_only() -> Outcome {
        let root = tempfile::tempdir()?;
        fs::write(root.path().join("install-config.yaml"), "x")?;
        let dir = ClusterDir::open(root.path())?;
        assert_eq!(dir.read("install-config.yaml")?, Some(b"x".to_vec()));
        for path in ["/etc/passwd", "../x", JOURNAL] {
            assert!(matches!(dir.read(path), Err(Error::Path(_))), "{path}");
        }
        Ok(())
    }

    #[test]
    fn clears_away_what_is_half_written() -> Outcome {
        let root = tempfile::tempdir()?;
        fs::create_dir(root.path().join("auth"))?;
        let stray = [".landfall-0.tmp", "auth/.landfall-12.tmp"];
        let others = ["notes.tmp", ".landfall-notes", "auth/x.tmp"];
        for path in stray.iter().chain(&others) {
            fs::write(root.path().join(path), "")?;
        }
        ClusterDir::open(root.path())?;
        for path in stray {
            assert!(!fs::exists(root.path().join(path))?, "{path}");
        }
        for path in others {
            assert!(fs::exists(root.path().join(path))?, "{path}");
        }
        Ok(())
    }

    #[test]
    fn keeps_everything_when_the_journal_is_cut_off() -> Outcome {
        let root = tempfile::tempdir()?;
        ClusterDir::open(root.path())?.write("s", &set("a")?)?;
        let journal = fs::read(root.path().join(JOURNAL))?;
        for length in [0, 1, journal.len() / 2, journal.len() - 1] {
            fs::write(root.path().join(JOURNAL), &journal[..length])?;
            let mut dir = ClusterDir::open(root.path())?;
            assert_eq!(dir.damaged_journal(), Some(root.path().join(DAMAGED_JOURNAL).as_path()));
            assert_eq!(dir.write("s", &set("b")?)?.kept, [A]);
            // A file that is what landfall would write is landfall's again.
            assert_eq!(dir.write("s", &set("a")?)?.unchanged, [A]);
            assert_eq!(dir.extra()?, Vec::<String>::new());
        }
        Ok(())
    }

    #[test]
    fn leaves_a_newer_journal_alone() -> Outcome {
        let root = tempfile::tempdir()?;
        ClusterDir::open(root.path())?;
        let newer = r#"{"version":99,"files":{}}"#;
        fs::write(root.path().join(JOURNAL), newer)?;
        let refused = ClusterDir::open(root.path());
        assert!(matches!(refused, Err(Error::NewerJournal { version: 99, .. })), "{refused:?}");
        assert_eq!(fs::read_to_string(root.path().join(JOURNAL))?, newer);
        Ok(())
    }

    #[test]
    fn tells_edited_from_added_manifests() -> Outcome {
        let root = tempfile::tempdir()?;
        let mut dir = ClusterDir::open(root.path())?;
        let mut files = set("a")?;
        files.add("metadata.json", "{}")?;
        dir.write("s", &files)?;
        assert_eq!((dir.edited()?.len(), dir.extra()?.len(), dir.deleted()?.len()), (0, 0, 0));
        fs::create_dir_all(root.path().join("openshift/more"))?;
        for path in [A, "openshift/more/mine.yaml", "manifests/mine.yaml", "metadata.json", "notes.txt"] {
            fs::write(root.path().join(path), "edited")?;
        }
        assert_eq!(dir.edited()?, [A]);
        assert_eq!(dir.extra()?, ["manifests/mine.yaml", "openshift/more/mine.yaml"]);
        fs::remove_file(root.path().join(A))?;
        assert_eq!((dir.edited()?, dir.deleted()?), (vec![], vec![A.to_owned()]));
        Ok(())
    }
}
