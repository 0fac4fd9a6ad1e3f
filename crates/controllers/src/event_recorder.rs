//! What stands now and did not stand before.

use std::sync::{Mutex, PoisonError};

use landfall_kube::objects::{Events, Happening};

/// Tells of what lasts once, and not with every run.
#[derive(Debug, Default)]
pub(super) struct EventRecorder(Mutex<Vec<Happening>>);

impl EventRecorder {
    /// Tells of those of the happenings that did not stand at the last run.
    pub(super) async fn tell(&self, events: &dyn Events, standing: Vec<Happening>) {
        for happening in self.new_of(standing) {
            events.tell(happening).await;
        }
    }

    fn new_of(&self, standing: Vec<Happening>) -> Vec<Happening> {
        let mut before = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let new = standing.iter().filter(|happening| !before.contains(happening)).cloned().collect();
        *before = standing;
        new
    }
}
