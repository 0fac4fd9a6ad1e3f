//! The wish that work ends early.

use std::sync::Arc;

use tokio::sync::watch;

/// Asks work to end early. All clones are one and the same wish.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Stop {
    /// Asks to stop, for good; asking again changes nothing.
    pub fn ask(&self) {
        self.0.send_replace(true);
    }

    /// Whether it was asked to stop.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is asked to stop; ends at once if that is so already.
    pub async fn asked(&self) {
        let mut wish = self.0.subscribe();
        // The sender is in `self`, so that it cannot be gone.
        let _ = wish.wait_for(|asked| *asked).await;
    }
}
