//! The files that a command line names, one after the other, and their bytes.

#![allow(
    clippy::disallowed_methods,
    reason = "the files to judge are found and opened here; the rest of the program takes their bytes"
)]

use std::fs::File;
use std::io::{self, Read};
use std::iter::once;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, ValueEnum};
use landfall_diagnostics::{Finding, Kind, Severity};
use landfall_install_config::verdict::Strictness;
use landfall_source::{MOST_BYTES, pages};
use walkdir::{DirEntry, WalkDir};

use crate::prepare::OVERLAYS;

/// How files are read.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Reading {
    /// How to treat unknown fields
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = Weight::Error)]
    unknown_fields: Weight,
}

/// What becomes of a fault that newer formats may explain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Weight {
    /// Refuse the file
    Error,
    /// Warn and go on, for automation that meets files for a newer release
    Warn,
}

impl From<Reading> for Strictness {
    fn from(reading: Reading) -> Self {
        let unknown_fields = match reading.unknown_fields {
            Weight::Error => Severity::Error,
            Weight::Warn => Severity::Warning,
        };
        Self { unknown_fields, ..Self::default() }
    }
}

/// The flags and arguments whose files may be standard input, but for those of commands that count them themselves.
const MAY_BE_INPUT: &[&str] = &[
    "aso_patches",
    "catalogue",
    "cloud_profile",
    "controller_settings",
    "engine_settings",
    "facts",
    "file",
    "files",
    "manifest",
    "prices",
    "pull_secret_file",
    "stream",
];

/// For how many files of a command line standard input is to stand. It can be read once.
pub fn standard_inputs(matches: &ArgMatches) -> usize {
    let mut count = 0;
    let mut level = Some(matches);
    while let Some(matches) = level {
        for id in matches.ids().map(clap::Id::as_str).filter(|id| MAY_BE_INPUT.contains(id)) {
            let given = matches.try_get_raw(id).ok().flatten();
            count += given.into_iter().flatten().filter(|value| *value == "-").count();
        }
        level = matches.subcommand().map(|(_, below)| below);
    }
    count
}

/// One file to be judged.
#[derive(Debug)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
    /// A file that was found in a directory, so that it may be something else.
    Found(PathBuf),
    /// A path behind which there is no file, and why.
    Missing(PathBuf, String),
}

impl Input {
    /// What an argument names, if it names a single file.
    #[must_use]
    pub fn single(argument: &Path) -> Self {
        if argument == Path::new("-") { Self::Stdin } else { Self::File(argument.to_owned()) }
    }

    /// The name for messages, as the user gave it.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Stdin => "-".to_owned(),
            Self::File(path) | Self::Found(path) | Self::Missing(path, _) => path.display().to_string(),
        }
    }

    /// The bytes of the file, or one more than an install config may have.
    ///
    /// # Errors
    /// The finding says what the operating system said.
    pub fn read(&self) -> Result<Vec<u8>, Box<Finding>> {
        let limit = MOST_BYTES as u64 + 1;
        let mut bytes = Vec::new();
        let read = match self {
            Self::Stdin => io::stdin().lock().take(limit).read_to_end(&mut bytes),
            Self::File(path) | Self::Found(path) => File::open(path).and_then(|file| {
                let size = file.metadata().map_or(0, |about| about.len());
                bytes.reserve(usize::try_from(size.min(limit)).unwrap_or(0) + 1);
                file.take(limit).read_to_end(&mut bytes)
            }),
            Self::Missing(_, why) => return Err(self.unreadable(why)),
        };
        match read {
            Ok(_) => Ok(bytes),
            Err(fault) => Err(self.unreadable(&fault.to_string())),
        }
    }

    fn unreadable(&self, why: &str) -> Box<Finding> {
        let message = format!("cannot read {}: {why}", self.name());
        Box::new(Finding::error(&pages::UNREADABLE, Kind::Parse, "", message))
    }
}

/// Every file that the arguments name: files, `-` for standard input, and directories, which mean the
/// YAML files in them and below, sorted by path.
pub fn named(arguments: &[PathBuf]) -> impl Iterator<Item = Input> {
    arguments.iter().flat_map(|argument| -> Box<dyn Iterator<Item = Input>> {
        if argument.is_dir() { directory(argument) } else { Box::new(once(Input::single(argument))) }
    })
}

fn directory(path: &Path) -> Box<dyn Iterator<Item = Input>> {
    let walk = WalkDir::new(path).follow_links(true).sort_by_file_name();
    let mut files = walk.into_iter().filter_map(entry).peekable();
    if files.peek().is_some() {
        Box::new(files)
    } else {
        let why = "the directory has no *.yaml or *.yml file".to_owned();
        Box::new(once(Input::Missing(path.to_owned(), why)))
    }
}

/// Directories, files of other kinds and overlays of the catalogue are passed over, as are links to nowhere
/// that would not have been judged anyway.
fn entry(found: walkdir::Result<DirEntry>) -> Option<Input> {
    let fault = match found {
        Ok(entry) => {
            let is_overlay = OVERLAYS.iter().any(|name| entry.file_name() == *name);
            let judged = entry.file_type().is_file() && is_yaml(entry.path()) && !is_overlay;
            return judged.then(|| Input::Found(entry.into_path()));
        }
        Err(fault) => fault,
    };
    let path = fault.path().unwrap_or(Path::new("")).to_owned();
    let why = match (fault.loop_ancestor(), fault.io_error()) {
        (Some(ancestor), _) => format!("it is a symbolic link back to {}", ancestor.display()),
        (None, Some(cause)) if cause.kind() == io::ErrorKind::NotFound && !is_yaml(&path) => return None,
        (None, Some(cause)) => cause.to_string(),
        (None, None) => fault.to_string(),
    };
    Some(Input::Missing(path, why))
}

fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let inside = |input: Input| input.name().replace(&directory.display().to_string(), "");
        named(&[directory.to_owned()]).map(inside).collect()
    }

    #[test]
    fn finds_yaml_files_below_a_directory() -> io::Result<()> {
        let directory = tempfile::tempdir()?;
        std::fs::create_dir(directory.path().join("b"))?;
        for name in ["c.yml", "b/x.yaml", "b/y.json", "b/catalogue.yaml", "a.yaml"] {
            std::fs::write(directory.path().join(name), "")?;
        }
        assert_eq!(names(directory.path()), ["/a.yaml", "/b/x.yaml", "/c.yml"]);
        Ok(())
    }

    #[test]
    fn says_that_a_directory_has_no_file() -> io::Result<()> {
        let directory = tempfile::tempdir()?;
        let found = named(&[directory.path().to_owned()]).find_map(|input| input.read().err());
        assert!(found.is_some_and(|finding| finding.message.contains("*.yaml or *.yml")));
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn reports_a_loop_of_links_and_goes_on() -> io::Result<()> {
        let directory = tempfile::tempdir()?;
        std::os::unix::fs::symlink(directory.path(), directory.path().join("a"))?;
        std::os::unix::fs::symlink("nowhere", directory.path().join("b.txt"))?;
        std::fs::write(directory.path().join("c.yaml"), "")?;
        let inputs: Vec<Input> = named(&[directory.path().to_owned()]).collect();
        assert!(
            matches!(&inputs[..], [Input::Missing(_, why), Input::Found(_)] if why.contains("link back"))
        );
        Ok(())
    }

    #[test]
    fn reads_no_more_than_an_install_config_may_have() {
        let zero = Input::File(PathBuf::from("/dev/zero"));
        if cfg!(unix) {
            assert_eq!(zero.read().map(|bytes| bytes.len()).ok(), Some(MOST_BYTES + 1));
        }
    }
}
