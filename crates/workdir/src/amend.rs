//! A change of a single file between two runs of the step that writes it.

use super::disk::{self, Change, Found};
use super::journal::{Entry, Fingerprint};
use super::{ClusterDir, Error, file_set};

impl ClusterDir {
    /// Writes a file that anybody may read, whatever it was before. What was landfall's stays landfall's, as if
    /// the step had written it so, and a person's work stays that person's.
    ///
    /// # Errors
    /// The path is not one below the directory, or the file cannot be looked at or written.
    pub fn amend(&mut self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        file_set::check(path)?;
        let (mut intent, mut outcome) = (self.journal.clone(), self.journal.clone());
        if let Found::File { bytes: before, .. } = disk::look(&self.root.join(path))?
            && let Some(entry) = self.journal.get(path).filter(|entry| entry.knows(&before))
        {
            let print = Fingerprint::of(bytes);
            let over = Some(Fingerprint::of(&before));
            intent.record(path, Entry::intended(&entry.step, print.clone(), over));
            outcome.record(path, Entry::settled(&entry.step, print));
        }
        self.save(intent)?;
        let mut change = Change::new(&self.root, self.durability);
        change.write(path, bytes, disk::OPEN_FILE)?;
        change.commit()?;
        self.save(outcome)
    }

    /// Writes a file that anybody may read as a person who edits it does: later runs keep it as it is then.
    ///
    /// # Errors
    /// The path is not one below the directory, or the file cannot be written.
    pub fn edit(&mut self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        file_set::check(path)?;
        let mut change = Change::new(&self.root, self.durability);
        change.write(path, bytes, disk::OPEN_FILE)?;
        change.commit()
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as Any;
    use std::fs;

    use super::*;
    use crate::FileSet;

    const PATH: &str = "metadata.json";

    fn set(text: &str) -> Result<FileSet, Box<dyn Any>> {
        Ok(FileSet::of([(PATH.to_owned(), text.as_bytes().to_vec(), false)])?)
    }

    #[test]
    fn a_file_stays_whose_it_was() -> Result<(), Box<dyn Any>> {
        let root = tempfile::tempdir()?;
        let mut dir = ClusterDir::open(root.path())?;
        dir.write("s", &set("first")?)?;
        dir.amend(PATH, b"second")?;
        assert_eq!(dir.read(PATH)?.as_deref(), Some(&b"second"[..]));
        assert_eq!(dir.write("s", &set("second")?)?.unchanged, [PATH]);
        assert_eq!(dir.write("s", &set("third")?)?.written, [PATH]);
        fs::write(root.path().join(PATH), "edited")?;
        dir.amend(PATH, b"edited and amended")?;
        assert_eq!(dir.write("s", &set("fourth")?)?.kept, [PATH]);
        assert_eq!(dir.read(PATH)?.as_deref(), Some(&b"edited and amended"[..]));
        assert!(dir.amend("../x", b"x").is_err());
        Ok(())
    }

    #[test]
    fn what_is_edited_is_kept_by_later_runs() -> Result<(), Box<dyn Any>> {
        let root = tempfile::tempdir()?;
        let mut dir = ClusterDir::open(root.path())?;
        dir.write("s", &set("first")?)?;
        dir.edit(PATH, b"of the running cluster")?;
        assert_eq!(dir.write("s", &set("second")?)?.kept, [PATH]);
        assert_eq!(dir.read(PATH)?.as_deref(), Some(&b"of the running cluster"[..]));
        assert!(dir.edit("../x", b"x").is_err());
        Ok(())
    }
}
