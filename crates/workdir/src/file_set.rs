//! The files of a step, in memory: rendered, and to be written to a cluster directory.
//!
//! Decides what a file of a cluster directory may be called. Pure: no disk is touched here.

use std::collections::BTreeSet;
use std::fmt;

use landfall_diagnostics::secret::REDACTED;
use thiserror::Error;

/// How the names of all that landfall keeps for itself begin.
const RESERVED: &str = ".landfall";

/// Why a path cannot be that of a file of a cluster directory.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadPath {
    /// The path is empty, absolute, or has an empty part, a `.` or a `..`.
    #[error("`{0}` is not the path of a file below the cluster directory")]
    NotBelow(String),
    /// The path lies among landfall's own records.
    #[error("`{0}` is in the directory of landfall's own records")]
    Reserved(String),
    /// Two files have the same path.
    #[error("`{0}` is listed twice in the files to write")]
    Twice(String),
}

/// Whether `path` may be that of a file of a cluster directory.
///
/// # Errors
/// [`BadPath`] says why not.
pub(super) fn check(path: &str) -> Result<(), BadPath> {
    if path.contains('\0') || path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(BadPath::NotBelow(path.to_owned()));
    }
    if path.split('/').any(|part| part.starts_with(RESERVED)) {
        return Err(BadPath::Reserved(path.to_owned()));
    }
    Ok(())
}

/// One file of a set: its path, its bytes, and who may read it.
#[derive(Clone, PartialEq, Eq)]
pub struct SetFile {
    path: String,
    bytes: Vec<u8>,
    secret: bool,
}

impl SetFile {
    /// The path below the cluster directory, with `/` between its parts.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The content. Never pass that of a secret file to a message, a log or an error.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether only its owner may read it.
    #[must_use]
    pub fn is_secret(&self) -> bool {
        self.secret
    }
}

impl fmt::Debug for SetFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("SetFile");
        shown.field("path", &self.path);
        if self.secret {
            shown.field("bytes", &format_args!("{REDACTED}"));
        } else {
            shown.field("bytes", &String::from_utf8_lossy(&self.bytes));
        }
        shown.finish()
    }
}

/// Files in the order in which they were added, no two with the same path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileSet {
    files: Vec<SetFile>,
    paths: BTreeSet<String>,
}

impl FileSet {
    /// A set without files.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The set of the given paths, bytes, and whether each is a secret.
    ///
    /// # Errors
    /// The first path that cannot be one.
    pub fn of(files: impl IntoIterator<Item = (String, Vec<u8>, bool)>) -> Result<Self, BadPath> {
        let mut set = Self::new();
        for (path, bytes, secret) in files {
            set.put(path, bytes, secret)?;
        }
        Ok(set)
    }

    /// Adds a file that anybody may read.
    ///
    /// # Errors
    /// The path is not relative, is reserved, or is in the set already.
    pub fn add(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Result<(), BadPath> {
        self.put(path.into(), bytes.into(), false)
    }

    /// Adds a file that only its owner may read.
    ///
    /// # Errors
    /// The path is not relative, is reserved, or is in the set already.
    pub fn add_secret(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Result<(), BadPath> {
        self.put(path.into(), bytes.into(), true)
    }

    fn put(&mut self, path: String, bytes: Vec<u8>, secret: bool) -> Result<(), BadPath> {
        check(&path)?;
        if !self.paths.insert(path.clone()) {
            return Err(BadPath::Twice(path));
        }
        self.files.push(SetFile { path, bytes, secret });
        Ok(())
    }

    /// Takes a file out of the set, if it is there.
    pub fn remove(&mut self, path: &str) -> Option<SetFile> {
        self.paths.remove(path);
        let at = self.files.iter().position(|file| file.path == path)?;
        Some(self.files.remove(at))
    }

    /// Whether a file of that path is in the set.
    #[must_use]
    pub fn contains(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    /// The files in their order.
    #[must_use]
    pub fn files(&self) -> &[SetFile] {
        &self.files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_relative_paths_only() {
        let mut set = FileSet::new();
        for path in ["", "/etc/passwd", "..", "a/../b", "a/..", "./a", "a//b", "a/", "a\0b"] {
            assert_eq!(set.add(path, ""), Err(BadPath::NotBelow(path.to_owned())), "{path:?}");
        }
        for path in [".landfall", ".landfall/journal.json", "manifests/.landfall-0.tmp"] {
            assert_eq!(set.add(path, ""), Err(BadPath::Reserved(path.to_owned())));
        }
        for path in ["a", "a..b/c", "..a", "terraform/cluster/.terraform.lock.hcl"] {
            assert_eq!(set.add(path, ""), Ok(()));
        }
        assert_eq!(set.files().len(), 4);
    }

    #[test]
    fn takes_a_path_once_and_keeps_the_order() -> Result<(), BadPath> {
        let mut set = FileSet::of([("b".to_owned(), vec![1], true), ("a".to_owned(), vec![], false)])?;
        assert_eq!(set.add("b", "other"), Err(BadPath::Twice("b".to_owned())));
        let paths: Vec<&str> = set.files().iter().map(SetFile::path).collect();
        assert_eq!(paths, ["b", "a"]);
        assert_eq!(set.remove("b").map(|file| file.bytes), Some(vec![1]));
        assert!(!set.contains("b") && set.contains("a"));
        Ok(())
    }

    #[test]
    fn shows_nothing_of_a_secret() -> Result<(), BadPath> {
        let mut set = FileSet::new();
        set.add_secret("auth/kubeconfig", "canary")?;
        set.add("manifests/a.yaml", "harmless")?;
        let shown = format!("{set:?} {set:#?}");
        assert!(!shown.contains("canary") && !shown.contains("99, 97, 110"), "{shown}");
        assert!(shown.contains("harmless"));
        Ok(())
    }
}
