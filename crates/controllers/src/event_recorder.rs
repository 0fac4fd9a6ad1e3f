//! Reports events of lasting states once.

use std::sync::{Mutex, PoisonError};

use landfall_kube::objects::{ClusterEvent, Events};

/// Reports lasting states once, and not with every run.
#[derive(Debug, Default)]
pub(super) struct EventRecorder(Mutex<Vec<ClusterEvent>>);

impl EventRecorder {
    /// Reports those that were not there in the last run.
    pub(super) async fn report(&self, events: &dyn Events, standing: Vec<ClusterEvent>) {
        for event in self.new_of(standing) {
            events.report(event).await;
        }
    }

    fn new_of(&self, standing: Vec<ClusterEvent>) -> Vec<ClusterEvent> {
        let mut before = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let new = standing.iter().filter(|event| !before.contains(event)).cloned().collect();
        *before = standing;
        new
    }
}
