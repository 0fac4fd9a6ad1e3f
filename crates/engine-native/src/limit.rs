//! The bound on parallel work, which follows what the cloud takes.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Successes after which one more is allowed.
const STEP: usize = 8;

/// Halves when the cloud throttles, and grows slowly again with each success.
#[derive(Debug)]
pub(crate) struct Limit {
    /// In parts of a `STEP`.
    value: AtomicUsize,
    most: usize,
}

impl Limit {
    pub(crate) fn new(most: usize) -> Self {
        let most = most.max(1) * STEP;
        Self { value: AtomicUsize::new(most), most }
    }

    pub(crate) fn current(&self) -> usize {
        self.value.load(Ordering::Relaxed).div_ceil(STEP)
    }

    pub(crate) fn throttled(&self) {
        let half = (self.value.load(Ordering::Relaxed) / 2).max(STEP);
        self.value.store(half, Ordering::Relaxed);
    }

    pub(crate) fn succeeded(&self) {
        let more = (self.value.load(Ordering::Relaxed) + 1).min(self.most);
        self.value.store(more, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throttling_halves_the_bound_and_success_restores_it() {
        let limit = Limit::new(8);
        assert_eq!(limit.current(), 8);
        limit.throttled();
        assert_eq!(limit.current(), 4);
        for _ in 0..5 {
            limit.throttled();
        }
        assert_eq!(limit.current(), 1);
        for _ in 0..(20 * STEP) {
            limit.succeeded();
        }
        assert_eq!(limit.current(), 8);
    }
}
