//! What can go wrong with a cluster directory.

use std::io;
use std::path::{Path, PathBuf};

use super::BadPath;

/// What was being done in a cluster directory, to which file, when it failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another process works in the directory.
    #[error(
        "another landfall{} is working in {}: wait until it has finished, or stop it",
        .holder.map_or_else(String::new, |process| format!(" (process {process})")),
        .path.display()
    )]
    Locked {
        /// The cluster directory.
        path: PathBuf,
        /// The process that holds the lock, if it could be read.
        holder: Option<u32>,
    },
    /// The lock could not be taken for another reason, such as a file system that has no locks.
    #[error("cannot lock {}", .0.display())]
    Lock(PathBuf, #[source] io::Error),
    /// The journal was written by a newer landfall.
    #[error(
        "{} was written by a newer landfall (format {version}): use that one, \
         or another cluster directory", .path.display()
    )]
    NewerJournal {
        /// The journal.
        path: PathBuf,
        /// The version of its format.
        version: u32,
    },
    /// A path is none of a file of a cluster directory.
    #[error(transparent)]
    Path(#[from] BadPath),
    /// A directory could not be created.
    #[error("cannot create the directory {}", .0.display())]
    CreateFolder(PathBuf, #[source] io::Error),
    /// Others could not be kept from reading a file or a directory.
    #[error("cannot restrict who may read {}", .0.display())]
    Restrict(PathBuf, #[source] io::Error),
    /// The files of a directory could not be listed.
    #[error("cannot list the files in {}", .0.display())]
    List(PathBuf, #[source] io::Error),
    /// It could not be determined whether the file exists.
    #[error("cannot look for {}", .0.display())]
    Look(PathBuf, #[source] io::Error),
    /// A file could not be read.
    #[error("cannot read {}", .0.display())]
    Read(PathBuf, #[source] io::Error),
    /// A file could not be written; what was there is there still.
    #[error("cannot write {}", .0.display())]
    Write(PathBuf, #[source] io::Error),
    /// A file was written beside the one that it could not replace, and taken away again.
    #[error("cannot put the new file in place of {}", .0.display())]
    Replace(PathBuf, #[source] io::Error),
    /// A file could not be removed.
    #[error("cannot remove {}", .0.display())]
    Remove(PathBuf, #[source] io::Error),
    /// The disk did not confirm that a directory is safe on it.
    #[error("cannot sync {} to the disk", .0.display())]
    Sync(PathBuf, #[source] io::Error),
}

impl Error {
    /// For `map_err`: the variant for `path`, whatever the operating system says.
    pub(super) fn at(variant: fn(PathBuf, io::Error) -> Self, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |cause| variant(path.to_owned(), cause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_who_holds_the_lock_and_what_to_do() {
        let locked = |holder| Error::Locked { path: PathBuf::from("/c"), holder }.to_string();
        assert!(
            locked(Some(7)).contains("(process 7)") && locked(Some(7)).contains(" /c"),
            "{}",
            locked(Some(7))
        );
        assert!(!locked(None).contains("process") && locked(None).contains(" /c"), "{}", locked(None));
    }
}
