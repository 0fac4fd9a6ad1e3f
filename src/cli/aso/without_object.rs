//! What landfall creates beside the objects of Azure Service Operator, and who is told of it.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use landfall_engine_native::{Underway, Watcher};
use landfall_platform::native::{BootSources, GIVEN};

/// The resources that landfall itself creates.
pub fn names(sources: &BootSources) -> Vec<String> {
    let own = sources.graph.resources.iter().filter(|node| !node.kind.starts_with(GIVEN));
    own.map(|node| node.name.clone()).collect()
}

/// Says each of these resources once.
pub struct Lines<'l> {
    say: &'l (dyn Fn(&str) + Sync),
    own: Vec<String>,
    told: Mutex<BTreeSet<String>>,
}

impl<'l> Lines<'l> {
    /// Lines about boot sources, as `say` takes them.
    pub fn new(sources: &BootSources, say: &'l (dyn Fn(&str) + Sync)) -> Self {
        Self { say, own: names(sources), told: Mutex::default() }
    }
}

impl Watcher for Lines<'_> {
    fn progress(&self, _: usize, _: usize, running: &[Underway<'_>]) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        for one in running {
            if self.own.iter().any(|name| name == one.name) && told.insert(one.name.to_owned()) {
                (self.say)(&format!("{}: create without an object", one.name));
            }
        }
    }
}
