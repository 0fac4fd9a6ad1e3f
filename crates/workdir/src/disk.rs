//! Single files and folders on disk: looking, listing, and replacing them atomically.
//!
//! Knows nothing of steps and hand edits; what is to be written was decided before.

use std::collections::{BTreeSet, VecDeque};
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::{Durability, Error};

const OPEN_FOLDER: u32 = 0o755;
/// The mode of a folder that only its owner may look into.
pub(super) const PRIVATE_FOLDER: u32 = 0o700;
/// The mode of a file that anybody may read.
pub(super) const OPEN_FILE: u32 = 0o644;
/// The mode of a file that only its owner may read.
pub(super) const PRIVATE_FILE: u32 = 0o600;
/// The bits that let others than the owner do anything.
pub(super) const OTHERS: u32 = 0o077;

/// The folders in which secrets lie.
const PRIVATE_FOLDERS: &[&str] = &[".landfall", "auth", "terraform"];

const TEMPORARY_START: &str = ".landfall-";
const TEMPORARY_END: &str = ".tmp";

/// What was found at a path. Cannot be shown, since the bytes may be a secret's.
#[derive(PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing.
    Missing,
    /// A folder, a link or something else that landfall does not write.
    Other,
    /// A file.
    File {
        /// Its content.
        bytes: Vec<u8>,
        /// Whether others than its owner may do anything with it.
        open: bool,
    },
}

/// Looks what there is at `path`, without following a link.
pub(super) fn look(path: &Path) -> Result<Found, Error> {
    let about = match fs::symlink_metadata(path) {
        Ok(about) => about,
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(Found::Missing),
        Err(cause) => return Err(Error::Look(path.to_owned(), cause)),
    };
    if !about.is_file() {
        return Ok(Found::Other);
    }
    let bytes = fs::read(path).map_err(Error::at(Error::Read, path))?;
    Ok(Found::File { bytes, open: about.permissions().mode() & OTHERS != 0 })
}

/// The content of a file, if there is one; links are followed.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(Error::Read(path.to_owned(), cause)),
    }
}

/// The names in a folder, each with whether it is a folder. Empty if the folder does not exist.
pub(super) fn list(folder: &Path) -> Result<Vec<(String, bool)>, Error> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(cause) if matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(cause) => return Err(Error::List(folder.to_owned(), cause)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(Error::at(Error::List, folder))?;
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        names.push((entry.file_name().to_string_lossy().into_owned(), is_folder));
    }
    Ok(names)
}

/// Removes what a killed process left half-written in a folder.
pub(super) fn sweep(folder: &Path) -> Result<(), Error> {
    for (name, is_folder) in list(folder)? {
        let inner = name.strip_prefix(TEMPORARY_START).and_then(|rest| rest.strip_suffix(TEMPORARY_END));
        if inner.is_some() && !is_folder {
            remove(&folder.join(name))?;
        }
    }
    Ok(())
}

/// Removes a file, if it is there.
pub(super) fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(cause) if cause.kind() != ErrorKind::NotFound => Err(Error::Remove(path.to_owned(), cause)),
        _ => Ok(()),
    }
}

/// Restricts a file to its owner.
pub(super) fn restrict(path: &Path) -> Result<(), Error> {
    let private = Permissions::from_mode(PRIVATE_FILE);
    fs::set_permissions(path, private).map_err(Error::at(Error::Restrict, path))
}

/// Creates the cluster directory itself, and those above it, with the modes that the user's umask gives.
pub(super) fn make_root(path: &Path, durability: Durability) -> Result<(), Error> {
    if fs::metadata(path).is_ok_and(|about| about.is_dir()) {
        return Ok(());
    }
    let above = path.parent().filter(|above| !above.as_os_str().is_empty());
    if let Some(above) = above {
        make_root(above, durability)?;
    }
    match fs::create_dir(path) {
        Err(cause) if cause.kind() != ErrorKind::AlreadyExists => {
            Err(Error::CreateFolder(path.to_owned(), cause))
        }
        _ if durability == Durability::Fsync => sync(above.unwrap_or(Path::new("."))),
        _ => Ok(()),
    }
}

/// Creates a folder below the cluster directory, if it is missing, and lets no one else into one for
/// secrets. Returns whether it was created.
///
/// `relative` is the same path, from the cluster directory on.
fn make_folder(path: &Path, relative: &str) -> Result<bool, Error> {
    let top = relative.split('/').next().unwrap_or(relative);
    let private = PRIVATE_FOLDERS.contains(&top);
    let mode = if private { PRIVATE_FOLDER } else { OPEN_FOLDER };
    // The umask can only take rights away from the mode given here, so there is no moment in which a
    // private folder is open.
    let is_new = match DirBuilder::new().mode(mode).create(path) {
        Ok(()) => true,
        Err(cause) if cause.kind() == ErrorKind::AlreadyExists => false,
        Err(cause) => return Err(Error::CreateFolder(path.to_owned(), cause)),
    };
    let too_open = || {
        let about = fs::metadata(path).map_err(Error::at(Error::Look, path))?;
        Ok::<bool, Error>(about.is_dir() && about.permissions().mode() & OTHERS != 0)
    };
    if is_new || (private && too_open()?) {
        let wanted = Permissions::from_mode(mode);
        fs::set_permissions(path, wanted).map_err(Error::at(Error::Restrict, path))?;
    }
    Ok(is_new)
}

/// Waits until the names in a folder are safe on the disk.
fn sync(folder: &Path) -> Result<(), Error> {
    match File::open(folder).and_then(|open| open.sync_all()) {
        // Some network file systems cannot do this for a folder, and have no need to.
        Err(cause) if !matches!(cause.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
            Err(Error::Sync(folder.to_owned(), cause))
        }
        _ => Ok(()),
    }
}

/// Writes a file that is not there yet. One of that name can only be left over from a killed process, as
/// the directory is locked.
fn write_new(path: &Path, bytes: &[u8], mode: u32, durability: Durability) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(mode);
    let mut file = match options.open(path) {
        Err(cause) if cause.kind() == ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            options.open(path)?
        }
        opened => opened?,
    };
    // The umask takes rights away, never adds one; nobody's takes from a private file what its owner needs.
    if mode != PRIVATE_FILE {
        file.set_permissions(Permissions::from_mode(mode))?;
    }
    file.write_all(bytes)?;
    match durability {
        Durability::Fsync => file.sync_all(),
        Durability::Process => Ok(()),
    }
}

/// Files that are written under temporary names, all to be put in place at once.
///
/// Dropped without [`Change::commit`], it leaves every file as it was.
#[derive(Debug)]
pub(super) struct Change<'d> {
    root: &'d Path,
    durability: Durability,
    /// Temporary and final path of each file that is not yet in place.
    staged: VecDeque<(PathBuf, PathBuf)>,
    removals: Vec<PathBuf>,
    /// Folders below the root that are known to be there.
    ready: BTreeSet<String>,
    /// Folders in which names come or go.
    touched: BTreeSet<PathBuf>,
}

impl<'d> Change<'d> {
    /// A change of nothing, in the cluster directory `root`.
    pub(super) fn new(root: &'d Path, durability: Durability) -> Self {
        let (staged, removals) = (VecDeque::new(), Vec::new());
        Self { root, durability, staged, removals, ready: BTreeSet::new(), touched: BTreeSet::new() }
    }

    /// Creates a folder and those above it, where they are missing.
    pub(super) fn folder(&mut self, path: &str) -> Result<(), Error> {
        let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
        for folder in ends.map(|end| &path[..end]) {
            if self.ready.contains(folder) {
                continue;
            }
            let whole = self.root.join(folder);
            if make_folder(&whole, folder)? {
                self.touch(&whole);
            }
            self.ready.insert(folder.to_owned());
        }
        Ok(())
    }

    /// Writes a file under a temporary name beside `path`.
    pub(super) fn write(&mut self, path: &str, bytes: &[u8], mode: u32) -> Result<(), Error> {
        if let Some((folder, _)) = path.rsplit_once('/') {
            self.folder(folder)?;
        }
        let target = self.root.join(path);
        let number = self.staged.len();
        let temporary = target.with_file_name(format!("{TEMPORARY_START}{number}{TEMPORARY_END}"));
        self.touch(&target);
        let written = write_new(&temporary, bytes, mode, self.durability);
        let written = written.map_err(Error::at(Error::Write, &target));
        // Also if it failed, so that dropping removes what there is of it.
        self.staged.push_back((temporary, target));
        written
    }

    /// Notes a file to be removed.
    pub(super) fn remove(&mut self, path: &str) {
        let target = self.root.join(path);
        self.touch(&target);
        self.removals.push(target);
    }

    fn touch(&mut self, path: &Path) {
        if let Some(folder) = path.parent()
            && self.durability == Durability::Fsync
            && !self.touched.contains(folder)
        {
            self.touched.insert(folder.to_owned());
        }
    }

    /// Puts every file in place, removes those to be removed, and waits for the disk if that was asked for.
    pub(super) fn commit(mut self) -> Result<(), Error> {
        while let Some((temporary, target)) = self.staged.front() {
            fs::rename(temporary, target).map_err(Error::at(Error::Replace, target))?;
            self.staged.pop_front();
        }
        for target in &self.removals {
            remove(target)?;
        }
        for folder in &self.touched {
            sync(folder)?;
        }
        Ok(())
    }
}

impl Drop for Change<'_> {
    fn drop(&mut self) {
        for (temporary, _) in &self.staged {
            // What cannot be removed now is swept away when the directory is opened next.
            let _ = fs::remove_file(temporary);
        }
    }
}
