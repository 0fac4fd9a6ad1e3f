//! Answers that several ask for: what was learned is kept, and that it could not be learned only for a
//! moment.

use std::time::Duration;

use tokio::sync::{Mutex, OnceCell};
use tokio::time::Instant;

/// For so long a question that failed is not put again, so that all who wait for the answer share one
/// failure.
const MOMENT: Duration = Duration::from_secs(5);

/// The answer to one question.
#[derive(Debug)]
pub(super) struct Kept<T, E> {
    known: OnceCell<T>,
    /// Why it is not known, and until when nobody asks again.
    failed: Mutex<Option<(Instant, E)>>,
}

impl<T, E> Default for Kept<T, E> {
    fn default() -> Self {
        Self { known: OnceCell::new(), failed: Mutex::const_new(None) }
    }
}

impl<T, E: Clone> Kept<T, E> {
    /// The answer, if it is known already.
    pub(super) fn known(&self) -> Option<&T> {
        self.known.get()
    }

    /// The answer. Where it is not known, one of those who want it asks, and the others wait.
    pub(super) async fn get<F>(&self, ask: impl FnOnce() -> F) -> Result<&T, E>
    where
        F: Future<Output = Result<T, E>>,
    {
        if let Some(known) = self.known.get() {
            return Ok(known);
        }
        let mut failed = self.failed.lock().await;
        if let Some(known) = self.known.get() {
            return Ok(known);
        }
        if let Some((until, why)) = failed.as_ref()
            && Instant::now() < *until
        {
            return Err(why.clone());
        }
        match ask().await {
            Ok(found) => Ok(self.known.get_or_init(|| async move { found }).await),
            Err(why) => {
                *failed = Some((Instant::now() + MOMENT, why.clone()));
                Err(why)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use futures::join;
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_failure_is_shared_for_a_moment_and_then_looked_at_again() {
        let (kept, asked): (Kept<u32, &str>, AtomicU32) = (Kept::default(), AtomicU32::new(0));
        let fail = || async {
            asked.fetch_add(1, Ordering::Relaxed);
            Err::<u32, &str>("dead")
        };
        assert_eq!(join!(kept.get(fail), kept.get(fail)), (Err("dead"), Err("dead")));
        assert_eq!((asked.load(Ordering::Relaxed), kept.known()), (1, None));
        advance(MOMENT).await;
        assert_eq!(kept.get(fail).await, Err("dead"));
        assert_eq!(asked.load(Ordering::Relaxed), 2);
        advance(MOMENT).await;
        assert_eq!(kept.get(|| async { Ok(7) }).await, Ok(&7));
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_learned_is_kept() {
        let kept: Kept<u32, &str> = Kept::default();
        assert_eq!(kept.get(|| async { Ok(1) }).await, Ok(&1));
        advance(MOMENT * 100).await;
        assert_eq!(kept.get(|| async { Err("asked again") }).await, Ok(&1));
        assert_eq!(kept.known(), Some(&1));
    }
}
