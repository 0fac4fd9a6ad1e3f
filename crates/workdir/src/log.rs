//! The log of a cluster directory: what every command said there, in one file that does not grow without end.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::RECORDS;
use super::disk::{OTHERS, PRIVATE_FILE, PRIVATE_FOLDER};

/// The log, in a cluster directory. Older ones are beside it, as `landfall.log.1` and so on.
pub const LOG: &str = ".landfall/landfall.log";
/// How many older logs are kept.
pub const OLDER_LOGS: usize = 3;
/// A log of this size is put aside.
const MOST_BYTES: u64 = 4 << 20;

/// The files that make a directory one of a cluster.
const OF_CLUSTER: &[&str] = &["install-config.yaml", "metadata.json"];

/// An open log. Lines of several processes may alternate in it; each line is whole.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: Mutex<(File, u64)>,
}

impl Log {
    /// Opens the log of a directory, readable by its owner only; none where the directory is not one of a cluster.
    /// `begin` says whether it may be created in a directory that landfall has not written to yet.
    ///
    /// # Errors
    /// It cannot be opened or created, as in a directory that may not be written to.
    pub fn open(root: &Path, begin: bool) -> io::Result<Option<Self>> {
        let records = root.join(RECORDS);
        let has_records = fs::symlink_metadata(&records).is_ok_and(|about| about.is_dir());
        if !has_records {
            if !begin || !OF_CLUSTER.iter().any(|name| root.join(name).is_file()) {
                return Ok(None);
            }
            DirBuilder::new().mode(PRIVATE_FOLDER).create(&records)?;
        }
        let path = root.join(LOG);
        rotate(&path, MOST_BYTES)?;
        let file = Mutex::new(open(&path)?);
        Ok(Some(Self { path, file }))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a line. An unwritable log must not stop the work.
    pub fn line(&self, line: &str) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if file.1 >= MOST_BYTES
            && rotate(&self.path, MOST_BYTES).is_ok()
            && let Ok(new) = open(&self.path)
        {
            *file = new;
        }
        let text = format!("{line}\n");
        if file.0.write_all(text.as_bytes()).is_ok() {
            file.1 = file.1.saturating_add(u64::try_from(text.len()).unwrap_or(0));
        }
    }
}

/// The logs of a directory that exist, the latest first.
#[must_use]
pub fn logs(root: &Path) -> Vec<PathBuf> {
    let path = root.join(LOG);
    let older = (1..=OLDER_LOGS).map(|number| aside(&path, number));
    std::iter::once(path.clone()).chain(older).filter(|path| path.is_file()).collect()
}

/// A log with its size, for its owner alone.
fn open(path: &Path) -> io::Result<(File, u64)> {
    let file = OpenOptions::new().create(true).append(true).mode(PRIVATE_FILE).open(path)?;
    let about = file.metadata()?;
    if about.permissions().mode() & OTHERS != 0 {
        file.set_permissions(Permissions::from_mode(PRIVATE_FILE))?;
    }
    Ok((file, about.len()))
}

/// Puts a log aside that has reached a size, and forgets the oldest.
fn rotate(path: &Path, most: u64) -> io::Result<()> {
    if !fs::metadata(path).is_ok_and(|about| about.len() >= most) {
        return Ok(());
    }
    for number in (1..OLDER_LOGS).rev() {
        match fs::rename(aside(path, number), aside(path, number + 1)) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(cause),
            _ => {}
        }
    }
    fs::rename(path, aside(path, 1))
}

fn aside(path: &Path, number: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    fn mode(path: &Path) -> io::Result<u32> {
        Ok(fs::metadata(path)?.permissions().mode() & 0o777)
    }

    #[test]
    fn only_a_cluster_directory_gets_a_log() -> Outcome {
        let root = tempfile::tempdir()?;
        assert!(Log::open(root.path(), true)?.is_none());
        fs::write(root.path().join("install-config.yaml"), "")?;
        assert!(Log::open(root.path(), false)?.is_none());
        assert!(!root.path().join(RECORDS).exists());
        let log = Log::open(root.path(), true)?.ok_or("there is no log")?;
        log.line("one");
        assert_eq!(mode(log.path())?, 0o600);
        assert_eq!(mode(&root.path().join(RECORDS))?, 0o700);
        // From then on, whatever the command.
        Log::open(root.path(), false)?.ok_or("there is no log")?.line("two");
        assert_eq!(fs::read_to_string(log.path())?, "one\ntwo\n");
        Ok(())
    }

    #[test]
    fn others_cannot_read_it_any_more() -> Outcome {
        let root = tempfile::tempdir()?;
        fs::create_dir(root.path().join(RECORDS))?;
        fs::write(root.path().join(LOG), "old\n")?;
        fs::set_permissions(root.path().join(LOG), Permissions::from_mode(0o644))?;
        let log = Log::open(root.path(), false)?.ok_or("there is no log")?;
        assert_eq!(mode(log.path())?, 0o600);
        Ok(())
    }

    #[test]
    fn a_full_log_is_put_aside_and_the_oldest_goes() -> Outcome {
        let root = tempfile::tempdir()?;
        fs::create_dir(root.path().join(RECORDS))?;
        let path = root.path().join(LOG);
        let full = "x".repeat(usize::try_from(MOST_BYTES)?);
        for round in 0..=OLDER_LOGS + 1 {
            fs::write(&path, format!("{round}{full}"))?;
            assert!(Log::open(root.path(), false)?.is_some());
        }
        let begins = |path: &PathBuf| fs::read_to_string(path).map(|text| text.chars().next());
        let older: Result<Vec<Option<char>>, io::Error> = logs(root.path()).iter().map(begins).collect();
        assert_eq!(older?, [None, Some('4'), Some('3'), Some('2')]);
        // It is put aside while a command runs, too.
        let log = Log::open(root.path(), false)?.ok_or("there is no log")?;
        log.line(&full);
        log.line("next");
        assert_eq!(fs::read_to_string(&path)?, "next\n");
        assert_eq!(mode(&path)?, 0o600);
        Ok(())
    }
}
