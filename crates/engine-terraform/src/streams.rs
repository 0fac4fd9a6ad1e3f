//! The files that take what terraform prints.
//!
//! Files and no pipes, so that terraform does not notice when landfall is gone: it finishes its work, and what
//! it has made stands in its state.
#![allow(clippy::disallowed_methods, reason = "files are made here")]

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::fault::Fault;

/// The mode of folders with secrets in them.
const PRIVATE_FOLDER: u32 = 0o700;
/// The mode of files with secrets in them.
const PRIVATE_FILE: u32 = 0o600;
/// The bits that let others than the owner do anything.
const OTHERS: u32 = 0o077;

/// What one run of terraform prints into.
#[derive(Debug)]
pub(super) struct Streams {
    /// The file for standard output.
    pub(super) output: PathBuf,
    /// The file for standard error.
    pub(super) errors: PathBuf,
    /// Standard output, opened.
    pub(super) output_file: File,
    /// Standard error, opened.
    pub(super) errors_file: File,
}

impl Streams {
    /// New files in `folder`, which is created if it is missing: `<name>-<n>.<extension>` with the first free
    /// number, and `<name>-<n>.err`.
    pub(super) fn create(folder: &Path, name: &str, extension: &str) -> Result<Self, Fault> {
        private_folder(folder)?;
        let mut number = 1_u32;
        loop {
            let output = numbered(folder, name, number, extension);
            match new_file(&output) {
                Ok(output_file) => {
                    let errors = folder.join(format!("{name}-{number}.err"));
                    // One that is left over from a run whose output somebody removed is written over.
                    let errors_file = emptied_file(&errors).map_err(Fault::file("write", &errors))?;
                    return Ok(Self { output, errors, output_file, errors_file });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < u32::MAX => number += 1,
                Err(error) => return Err(Fault::file("write", &output)(error)),
            }
        }
    }
}

/// The file that the output of a run is kept in.
pub(super) fn numbered(folder: &Path, name: &str, number: u32, extension: &str) -> PathBuf {
    folder.join(format!("{name}-{number}.{extension}"))
}

fn new_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(PRIVATE_FILE).open(path)
}

fn emptied_file(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(PRIVATE_FILE).open(path)?;
    file.set_permissions(Permissions::from_mode(PRIVATE_FILE))?;
    Ok(file)
}

/// Creates a folder that only its owner can enter, and those above it; keeps others out of one that is there.
pub(super) fn private_folder(path: &Path) -> Result<(), Fault> {
    DirBuilder::new()
        .recursive(true)
        .mode(PRIVATE_FOLDER)
        .create(path)
        .and_then(|()| restrict(path, PRIVATE_FOLDER))
        .map_err(Fault::file("create", path))
}

/// Keeps others out of a file that is there already.
pub(super) fn restrict_file(path: &Path) -> Result<(), Fault> {
    match restrict(path, PRIVATE_FILE) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Fault::file("restrict who may read", path)(error))
        }
        _ => Ok(()),
    }
}

fn restrict(path: &Path, mode: u32) -> io::Result<()> {
    if fs::metadata(path)?.permissions().mode() & OTHERS == 0 {
        return Ok(());
    }
    fs::set_permissions(path, Permissions::from_mode(mode))
}

/// Puts a file in place as a whole, for its owner alone.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let beside = path.with_file_name(name);
    let mut file = emptied_file(&beside)?;
    io::Write::write_all(&mut file, bytes)?;
    drop(file);
    fs::rename(&beside, path)
}

/// The content of a file, if there is one.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, Fault> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Fault::file("read", path)(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> Option<u32> {
        fs::metadata(path).ok().map(|about| about.permissions().mode() & 0o777)
    }

    #[test]
    fn runs_are_numbered_and_private() -> io::Result<()> {
        let root = tempfile::tempdir()?;
        let folder = root.path().join("log");
        let names = ["cluster-apply-1.jsonl", "cluster-apply-2.jsonl"];
        for name in names {
            let made = Streams::create(&folder, "cluster-apply", "jsonl").map(|streams| streams.output).ok();
            assert_eq!(made, Some(folder.join(name)));
            assert_eq!(mode(&folder.join(name)), Some(0o600));
            assert_eq!(mode(&folder.join(name).with_extension("err")), Some(0o600));
        }
        assert_eq!(mode(&folder), Some(0o700));
        Ok(())
    }

    #[test]
    fn what_is_open_is_closed_to_others() -> io::Result<()> {
        let root = tempfile::tempdir()?;
        let path = root.path().join("terraform.tfstate");
        assert!(restrict_file(&path).is_ok());
        fs::write(&path, "{}")?;
        fs::set_permissions(&path, Permissions::from_mode(0o644))?;
        assert!(restrict_file(&path).is_ok());
        assert_eq!(mode(&path), Some(0o600));
        Ok(())
    }

    #[test]
    fn a_file_is_replaced_as_a_whole() -> io::Result<()> {
        let root = tempfile::tempdir()?;
        let path = root.path().join("record");
        for text in ["one", "two"] {
            replace(&path, text.as_bytes())?;
            assert_eq!(read(&path).ok().flatten(), Some(text.as_bytes().to_vec()));
        }
        assert_eq!(mode(&path), Some(0o600));
        Ok(())
    }
}
