//! The wish of the user or the system that the program ends.

use std::future::pending;
use std::sync::{Mutex, PoisonError};

use tokio::signal::unix::{Signal, SignalKind, signal};

/// What the program listens to from now on; a signal ends the program no more.
struct Listener([Signal; 3]);

impl Listener {
    /// Begins to listen; none where the system does not let us. Signals then end the program as any other.
    fn new() -> Option<Self> {
        let listen = |kind: SignalKind| signal(kind).ok();
        Some(Self([
            listen(SignalKind::interrupt())?,
            listen(SignalKind::terminate())?,
            listen(SignalKind::hangup())?,
        ]))
    }
}

/// The listener while nobody waits for a signal, so that a later part of a run sees a signal that came before it.
static KEPT: Mutex<Option<Listener>> = Mutex::new(None);

/// The signals of the program, those since the last ones were waited for included.
pub struct Signals(Option<Listener>);

impl Signals {
    /// Begins to listen, or goes on; none where the system does not let us.
    pub fn new() -> Option<Self> {
        let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner).take();
        Some(Self(Some(kept.or_else(Listener::new)?)))
    }

    /// Ends with the next signal.
    pub async fn next(&mut self) {
        let Some(Listener([interrupt, terminate, hangup])) = &mut self.0 else { return pending().await };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        *kept = self.0.take().or_else(|| kept.take());
    }
}

/// Ends with the first signal from now on, or with one that came since the last ones were waited for.
pub async fn asked() {
    match Signals::new() {
        Some(mut signals) => signals.next().await,
        None => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rustix::process::{Signal, getpid, kill_process};
    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn a_signal_between_two_parts_of_a_run_is_seen_by_the_later_one()
    -> Result<(), Box<dyn std::error::Error>> {
        let pause = Duration::from_millis(10);
        assert!(timeout(pause, asked()).await.is_err());
        kill_process(getpid(), Signal::INT)?;
        assert!(timeout(Duration::from_secs(10), asked()).await.is_ok());
        // It is seen once.
        assert!(timeout(pause, asked()).await.is_err());
        Ok(())
    }
}
