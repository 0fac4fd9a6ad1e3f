//! What support needs of a cluster, in one archive: logs, journals, states and plan of a cluster directory, and the
//! journals of its machines, without secrets.
//!
//! [`Cleaner`] knows the secrets of a directory; nothing gets into a [`Gathered`] but through it. `files` gathers what is
//! on this machine, `machines` asks others over SSH, `archive` writes. Nothing of the directory is changed.

mod archive;
mod cleaner;
mod files;
mod machines;
pub mod pages;
mod state;

use landfall_diagnostics::secret::REDACTED;

pub use archive::{MANIFEST, write};
pub use cleaner::Cleaner;
pub use files::{gather, is_of_cluster};
pub use machines::{Addresses, Journals, address, journals};

/// One file of an archive, without secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct Piece {
    /// Path in the archive.
    pub path: String,
    /// What it is, in a few words.
    pub about: &'static str,
    text: String,
}

impl Piece {
    /// A text as it may be seen.
    fn new(path: impl Into<String>, about: &'static str, text: &str, cleaner: &Cleaner) -> Self {
        Self { path: path.into(), about, text: cleaner.clean(text) }
    }

    /// Its content.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many secrets were taken out of it.
    #[must_use]
    pub fn redacted(&self) -> usize {
        // The lines of a config keep their form; each has a bullet for each character.
        self.text.matches(REDACTED).count() + self.text.lines().filter(|line| line.contains('•')).count()
    }
}

/// What an archive does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Path that it would have.
    pub path: String,
    /// Why not.
    pub why: String,
}

impl Missing {
    /// The machine whose journal it would be: its part and its address.
    #[must_use]
    pub fn machine(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.strip_suffix(".log").unwrap_or(name)
    }
}

/// What was gathered, and what could not be.
#[derive(Clone, Default)]
pub struct Gathered {
    /// The files, in the order in which they are listed.
    pub pieces: Vec<Piece>,
    /// What is missing.
    pub missing: Vec<Missing>,
}

impl Gathered {
    fn miss(&mut self, path: impl Into<String>, why: impl Into<String>) {
        self.missing.push(Missing { path: path.into(), why: why.into() });
    }
}

#[cfg(test)]
mod tests;
