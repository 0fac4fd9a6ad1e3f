//! The journal: which files landfall wrote, by which step, and with which bytes.
//!
//! Distinguishes a file that landfall may replace from one that a person edited. Pure: reading and writing the
//! journal's file is `ClusterDir`'s.

use std::collections::BTreeMap;

use aws_lc_rs::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};

use super::file_set;

/// The format that is written here.
const VERSION: u32 = 1;

/// The user's own file: written where there is none, then never rewritten and never removed.
pub(super) const USERS_FILE: &str = "install-config.yaml";

/// The SHA-256 sum of a file's bytes, in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Fingerprint(String);

impl std::fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Fingerprint {
    /// The fingerprint of `bytes`.
    pub(super) fn of(bytes: &[u8]) -> Self {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = String::with_capacity(64);
        for byte in digest(&SHA256, bytes).as_ref() {
            text.push(char::from(DIGITS[usize::from(byte >> 4)]));
            text.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
        Self(text)
    }
}

/// What is remembered of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    /// The step that wrote the file last.
    pub(super) step: String,
    /// What the file may be: one fingerprint, or while it is being replaced those of both files.
    pub(super) sha256: Vec<Fingerprint>,
    /// Whether the file is about to be written or removed. A process that finds this was preceded by one
    /// that was killed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) in_flight: bool,
}

impl Entry {
    /// A file that is on disk as `step` wrote it.
    pub(super) fn settled(step: &str, print: Fingerprint) -> Self {
        Self { step: step.to_owned(), sha256: vec![print], in_flight: false }
    }

    /// A file that `step` is about to write, `over` another one of landfall's where there is one.
    pub(super) fn intended(step: &str, print: Fingerprint, over: Option<Fingerprint>) -> Self {
        Self { step: step.to_owned(), sha256: over.into_iter().chain([print]).collect(), in_flight: true }
    }

    /// Whether landfall wrote these bytes.
    pub(super) fn knows(&self, bytes: &[u8]) -> bool {
        self.sha256.contains(&Fingerprint::of(bytes))
    }
}

/// Every file that landfall wrote in one cluster directory, by path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Journal {
    version: u32,
    files: BTreeMap<String, Entry>,
}

impl Default for Journal {
    fn default() -> Self {
        Self { version: VERSION, files: BTreeMap::new() }
    }
}

/// Why bytes are not a usable journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    /// They are cut off or were changed.
    Damaged,
    /// They are in a format that a newer landfall writes.
    Newer(u32),
}

#[derive(Deserialize)]
struct Head {
    version: u32,
}

impl Journal {
    /// Reads a journal. One that names paths outside the cluster directory counts as damaged, since files
    /// are removed by it.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Unusable> {
        let head: Head = serde_json::from_slice(bytes).map_err(|_| Unusable::Damaged)?;
        if head.version > VERSION {
            return Err(Unusable::Newer(head.version));
        }
        let mut journal: Self = serde_json::from_slice(bytes).map_err(|_| Unusable::Damaged)?;
        if journal.files.keys().any(|path| file_set::check(path).is_err()) {
            return Err(Unusable::Damaged);
        }
        journal.version = VERSION;
        journal.files.remove(USERS_FILE);
        Ok(journal)
    }

    /// The bytes that [`Journal::parse`] reads.
    pub(super) fn encode(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(self)
    }

    /// What is remembered of a file.
    pub(super) fn get(&self, path: &str) -> Option<&Entry> {
        self.files.get(path)
    }

    /// Every file, sorted by path.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.files.iter().map(|(path, entry)| (path.as_str(), entry))
    }

    /// Remembers a file, unless it is the user's own.
    pub(super) fn record(&mut self, path: &str, entry: Entry) {
        if path != USERS_FILE {
            self.files.insert(path.to_owned(), entry);
        }
    }

    /// Remembers that a file is about to be removed.
    pub(super) fn intend_removal(&mut self, path: &str) {
        if let Some(entry) = self.files.get_mut(path) {
            entry.in_flight = true;
        }
    }

    /// Forgets a file that no longer exists.
    pub(super) fn forget(&mut self, path: &str) {
        self.files.remove(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_sha256() {
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Fingerprint::of(b"abc").0, known);
    }

    #[test]
    fn reads_what_it_writes() -> Result<(), serde_json::Error> {
        let mut journal = Journal::default();
        journal.record("manifests/a.yaml", Entry::settled("manifests", Fingerprint::of(b"a")));
        let over = Some(Fingerprint::of(b"old"));
        journal.record("metadata.json", Entry::intended("manifests", Fingerprint::of(b"new"), over));
        journal.record(USERS_FILE, Entry::settled("manifests", Fingerprint::of(b"x")));
        assert_eq!(journal.files().count(), 2);
        assert_eq!(Journal::parse(&journal.encode()?), Ok(journal));
        Ok(())
    }

    #[test]
    fn both_files_of_a_replacement_are_known() {
        let entry = Entry::intended("s", Fingerprint::of(b"new"), Some(Fingerprint::of(b"old")));
        assert!(entry.knows(b"new") && entry.knows(b"old") && !entry.knows(b"edited"));
    }

    #[test]
    fn refuses_what_it_cannot_use() {
        let outside = br#"{"version":1,"files":{"../x":{"step":"s","sha256":[]}}}"#;
        for damaged in [&b""[..], b"{", br#"{"version":1}"#, br#"{"version":1,"files":{"a"#, outside] {
            assert_eq!(Journal::parse(damaged), Err(Unusable::Damaged));
        }
        let newer = br#"{"version":2,"files":[]}"#;
        assert_eq!(Journal::parse(newer), Err(Unusable::Newer(2)));
    }
}
