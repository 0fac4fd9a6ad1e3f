//! Files of landfall's own in `.landfall/`, which no step of a cluster owns: they live as long as a run.

use std::path::PathBuf;

use super::disk::{self, Change, PRIVATE_FILE};
use super::{ClusterDir, Error, RECORDS, file_set};

impl ClusterDir {
    /// Writes a file that only its owner may read below `.landfall/`, and gives its path.
    ///
    /// # Errors
    /// The name is not that of a file below the folder, or the file cannot be written.
    pub fn write_record(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Error> {
        let path = Self::record(name)?;
        let mut change = Change::new(&self.root, self.durability);
        change.write(&path, bytes, PRIVATE_FILE)?;
        change.commit()?;
        Ok(self.root.join(path))
    }

    /// Removes a file below `.landfall/`, if it is there.
    ///
    /// # Errors
    /// The name is not that of a file below the folder, or the file cannot be removed.
    pub fn remove_record(&self, name: &str) -> Result<(), Error> {
        disk::remove(&self.root.join(Self::record(name)?))
    }

    /// Where landfall keeps its records of this cluster.
    #[must_use]
    pub fn records(&self) -> PathBuf {
        self.root.join(RECORDS)
    }

    /// Where what other programs print is kept.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.records().join("log")
    }

    fn record(name: &str) -> Result<String, Error> {
        file_set::check(name)?;
        Ok(format!("{RECORDS}/{name}"))
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as Any;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn records_are_private_and_can_be_removed() -> Result<(), Box<dyn Any>> {
        let root = tempfile::tempdir()?;
        let cluster = ClusterDir::open(root.path())?;
        let path = cluster.write_record("engine/ca.pem", b"x")?;
        assert_eq!(path, root.path().join(".landfall/engine/ca.pem"));
        assert_eq!(std::fs::metadata(&path)?.permissions().mode() & 0o777, 0o600);
        cluster.remove_record("engine/ca.pem")?;
        cluster.remove_record("engine/ca.pem")?;
        assert!(!path.exists());
        assert!(cluster.write_record("../x", b"x").is_err());
        Ok(())
    }
}
