//! How many requests are under way at a time.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// An upper bound on the requests that are under way at a time.
#[derive(Clone, Debug)]
pub struct ConcurrencyLimit(Arc<Semaphore>);

/// The permission for one request, for as long as it is kept.
#[derive(Debug)]
pub struct Permit(
    #[allow(dead_code, reason = "it is given back when it is dropped")] Option<OwnedSemaphorePermit>,
);

impl ConcurrencyLimit {
    /// A bound of so many requests; at least one.
    #[must_use]
    pub fn new(number: usize) -> Self {
        Self(Arc::new(Semaphore::new(number.clamp(1, Semaphore::MAX_PERMITS))))
    }

    /// Waits for a permit.
    pub async fn take(&self) -> Permit {
        // The semaphore is never closed, so that a permit always comes.
        Permit(Arc::clone(&self.0).acquire_owned().await.ok())
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn a_permit_is_free_again_when_it_is_dropped() {
        let limit = ConcurrencyLimit::new(0);
        let first = limit.take().now_or_never();
        assert!(first.is_some());
        assert!(limit.take().now_or_never().is_none());
        drop(first);
        assert!(limit.take().now_or_never().is_some());
    }
}
