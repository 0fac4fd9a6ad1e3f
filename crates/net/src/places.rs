//! How many requests are under way at a time.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Places for requests: who has none waits for one.
#[derive(Clone, Debug)]
pub struct Places(Arc<Semaphore>);

/// A place, for as long as it is kept.
#[derive(Debug)]
pub struct Place(
    #[allow(dead_code, reason = "it is given back when it is dropped")] Option<OwnedSemaphorePermit>,
);

impl Places {
    /// So many places; at least one.
    #[must_use]
    pub fn new(number: usize) -> Self {
        Self(Arc::new(Semaphore::new(number.clamp(1, Semaphore::MAX_PERMITS))))
    }

    /// Waits for a place.
    pub async fn take(&self) -> Place {
        // The semaphore is never closed, so that there is always a place to come.
        Place(Arc::clone(&self.0).acquire_owned().await.ok())
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn a_place_is_free_again_when_it_is_dropped() {
        let places = Places::new(0);
        let first = places.take().now_or_never();
        assert!(first.is_some());
        assert!(places.take().now_or_never().is_none());
        drop(first);
        assert!(places.take().now_or_never().is_some());
    }
}
