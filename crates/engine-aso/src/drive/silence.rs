//! What is said where no operator looks at an object: the checks that were made before anything was written are
//! made again, and tell what stands against the operator's work now.

use landfall_net::stop::Stop;
use tokio::time::Instant;

use super::Step;
use super::run::Watcher;
use crate::core::{UNSEEN, UNSEEN_LIMIT};

/// What the checks said last, and when.
#[derive(Debug, Default)]
pub(super) struct Silence {
    last: Option<(Instant, String)>,
}

impl Silence {
    /// Says with every object that no operator has looked at why that may be. The checks are made where they
    /// were not made lately.
    pub(super) async fn explain(&mut self, step: &mut Step, watcher: &dyn Watcher, wish: &Stop) {
        let mut unseen =
            step.objects.iter_mut().filter(|planned| planned.action.message == UNSEEN).peekable();
        if unseen.peek().is_none() {
            self.last = None;
            return;
        }
        if self.last.as_ref().is_none_or(|(at, _)| at.elapsed() >= UNSEEN_LIMIT) {
            let findings = tokio::select! {
                findings = watcher.checks() => findings,
                () = wish.asked() => return,
            };
            let errors = findings.iter().filter(|finding| finding.is_error());
            let errors: Vec<&str> = errors.map(|finding| finding.message.as_str()).collect();
            self.last = Some((Instant::now(), errors.join("; ")));
        }
        let why = self.last.as_ref().map_or("", |(_, why)| why.as_str());
        for planned in unseen.filter(|_| !why.is_empty()) {
            planned.action.message = format!("{UNSEEN}: {why}");
        }
    }
}
