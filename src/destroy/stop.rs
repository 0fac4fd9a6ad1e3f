//! The wish that a run ends.

use tokio::sync::watch;

/// Ends a run early when somebody asks for it. Clones are one wish.
#[derive(Clone, Debug)]
pub struct Stop {
    asked: watch::Sender<bool>,
}

impl Default for Stop {
    fn default() -> Self {
        Self { asked: watch::Sender::new(false) }
    }
}

impl Stop {
    /// A wish that nobody has uttered yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the run to end.
    pub fn ask(&self) {
        self.asked.send_replace(true);
    }

    /// Whether somebody has asked.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        *self.asked.borrow()
    }

    /// Waits until somebody asks.
    pub(super) async fn asked(&self) {
        let mut asked = self.asked.subscribe();
        drop(asked.wait_for(|asked| *asked).await);
    }
}
