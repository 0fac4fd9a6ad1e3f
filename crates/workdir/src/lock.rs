//! The lock of a cluster directory, held by one process at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::Error;
use super::disk::PRIVATE_FILE;

/// The right to write in a cluster directory, until it is dropped. The end of the process, however it
/// comes, gives the lock back too.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Lock {
    /// Takes the lock in the file `path` of the cluster directory `root`, without waiting for it.
    pub(super) fn take(root: &Path, path: &Path) -> Result<Self, Error> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(PRIVATE_FILE);
        let mut file = options.open(path).map_err(Error::at(Error::Lock, path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Locked { path: root.to_owned(), holder: holder(&mut file) });
            }
            Err(TryLockError::Error(cause)) => return Err(Error::Lock(path.to_owned(), cause)),
        }
        // The number only helps another process to a better message, so a full disk does not matter.
        let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(Self(file))
    }
}

fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(20).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file would do, unless a child that is just being started still has it.
        let _ = self.0.unlock();
    }
}
