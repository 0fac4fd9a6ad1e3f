//! The wish of the user or the system that the program ends.

use std::future::pending;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// What the program listens to from now on; a signal ends the program no more.
pub struct Signals([Signal; 3]);

impl Signals {
    /// Begins to listen; none where the system does not let us. Signals then end the program as any other.
    pub fn new() -> Option<Self> {
        let listen = |kind: SignalKind| signal(kind).ok();
        Some(Self([
            listen(SignalKind::interrupt())?,
            listen(SignalKind::terminate())?,
            listen(SignalKind::hangup())?,
        ]))
    }

    /// Ends with the next signal.
    pub async fn next(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

/// Ends with the first signal from now on.
pub async fn asked() {
    match Signals::new() {
        Some(mut signals) => signals.next().await,
        None => pending().await,
    }
}
