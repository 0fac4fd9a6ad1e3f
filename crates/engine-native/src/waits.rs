//! What single resources are waited for.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Why a resource is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// What the cloud says, or the state of the resource.
    pub reason: String,
    /// How long it is waited for at most.
    pub limit: Duration,
}

/// A resource that is worked on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Underway<'n> {
    /// Its name in the graph.
    pub name: &'n str,
    /// Since when.
    pub since: Duration,
    /// Why it is waited for, if it is.
    pub wait: Option<Wait>,
}

/// The waits of all resources that are worked on.
#[derive(Debug, Default)]
pub(crate) struct Waits(Mutex<BTreeMap<String, Wait>>);

impl Waits {
    fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<String, Wait>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn begins(&self, name: &str, reason: &str, limit: Duration) {
        let wait = Wait { reason: reason.to_owned(), limit };
        self.change(|waits| waits.insert(name.to_owned(), wait));
    }

    pub(crate) fn ends(&self, name: &str) {
        self.change(|waits| waits.remove(name));
    }

    pub(crate) fn of(&self, name: &str) -> Option<Wait> {
        self.change(|waits| waits.get(name).cloned())
    }
}
