//! Notes in memory, for a process that has no journal.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use landfall_platform::native::Properties;

use crate::settle::{Journal, NoteFault, Past};

/// What one process has noted. Another process looks for what exists: an [`Api`](landfall_platform::native::Api) whose
/// resources are known by their names finds all of them.
#[derive(Debug, Default)]
pub struct MemoryNotes(Mutex<BTreeMap<String, Past>>);

impl MemoryNotes {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Past>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Journal for MemoryNotes {
    fn past(&self, name: &str) -> Past {
        self.all().get(name).cloned().unwrap_or_default()
    }

    fn begins(&self, name: &str, _: &Properties) -> Result<(), NoteFault> {
        let mut all = self.all();
        let past = all.entry(name.to_owned()).or_default();
        (past.begun, past.completed) = (true, false);
        Ok(())
    }

    fn refused(&self, name: &str) -> Result<(), NoteFault> {
        self.all().entry(name.to_owned()).or_default().begun = false;
        Ok(())
    }

    fn exists(&self, name: &str, outputs: &Properties) -> Result<(), NoteFault> {
        let mut all = self.all();
        let past = all.entry(name.to_owned()).or_default();
        past.created += 1;
        past.begun = false;
        past.outputs = Some(outputs.clone());
        Ok(())
    }

    fn completed(&self, name: &str) -> Result<(), NoteFault> {
        self.all().entry(name.to_owned()).or_default().completed = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_is_the_past() -> Result<(), NoteFault> {
        let notes = MemoryNotes::default();
        assert_eq!(notes.past("a"), Past::default());
        notes.begins("a", &Properties::new())?;
        assert!(notes.past("a").begun);
        notes.refused("a")?;
        assert_eq!(notes.past("a"), Past::default());
        notes.exists("a", &Properties::new())?;
        notes.completed("a")?;
        let outputs = Some(Properties::new());
        assert_eq!(notes.past("a"), Past { created: 1, outputs, begun: false, completed: true });
        Ok(())
    }
}
