//! The calls of a run, and what came of each. A platform's part that breaks off or answers something else
//! than it was asked for fails its call and nothing more.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use landfall_platform::removal::{Discovered, Holder, Outcome as Answer, Removal, Resource};
use tokio::time::timeout;

use super::pages;

/// A call has ended.
pub(super) enum Event {
    /// Resources were to be removed.
    Removed {
        /// Their places.
        places: Vec<usize>,
        /// What came of it, for each.
        answers: Vec<Answer>,
    },
    /// Resources whose removal had begun were polled.
    Looked {
        /// Their group.
        group: usize,
        /// Their places.
        places: Vec<usize>,
        /// What was seen, for each.
        answers: Vec<Answer>,
    },
    /// The holders of resources were queried.
    Named {
        /// Their places.
        places: Vec<usize>,
        /// The holders of each; none where they are unknown.
        holders: Vec<Option<Vec<Holder>>>,
    },
    /// The cloud was looked at.
    Found {
        /// What there is.
        found: Discovered,
        /// Whether there was nothing else to do when the look began.
        proof: bool,
    },
}

/// Everything of the cluster that there is.
pub(super) async fn discover(removal: &dyn Removal) -> Discovered {
    let looking = AssertUnwindSafe(async { removal.discover().await }).catch_unwind();
    looking
        .await
        .unwrap_or_else(|_| Discovered { unseen: vec![pages::broken_off()], ..Discovered::default() })
}

/// Removes resources of one kind and one disposition; one outcome for each.
pub(super) async fn remove(removal: &dyn Removal, things: &[Arc<Resource>]) -> Vec<Answer> {
    let things: Vec<&Resource> = things.iter().map(AsRef::as_ref).collect();
    let removing = AssertUnwindSafe(async { removal.remove(&things).await }).catch_unwind();
    complete(removing.await.ok(), things.len())
}

/// Polls whether resources of one kind are gone: one outcome for each.
pub(super) async fn look(removal: &dyn Removal, things: &[Arc<Resource>]) -> Vec<Answer> {
    let things: Vec<&Resource> = things.iter().map(AsRef::as_ref).collect();
    let looking = AssertUnwindSafe(async { removal.look(&things).await }).catch_unwind();
    complete(looking.await.ok(), things.len())
}

/// The holders of resources of one kind, in their order; none of those whose answer does not come in time.
pub(super) async fn holders(
    removal: &dyn Removal,
    things: &[Arc<Resource>],
    limit: Duration,
) -> Vec<Option<Vec<Holder>>> {
    let things: Vec<&Resource> = things.iter().map(AsRef::as_ref).collect();
    let asking = AssertUnwindSafe(async { removal.holders_of(&things).await }).catch_unwind();
    let mut answers = timeout(limit, asking).await.ok().and_then(Result::ok).unwrap_or_default();
    if answers.len() != things.len() {
        return vec![None; things.len()];
    }
    for holders in &mut answers {
        holders.sort_by(|a, b| a.what.cmp(&b.what));
    }
    answers.into_iter().map(Some).collect()
}

/// Without one answer for each resource, the answers cannot be assigned.
fn complete(answers: Option<Vec<Answer>>, things: usize) -> Vec<Answer> {
    let why = match answers {
        Some(answers) if answers.len() == things => return answers,
        Some(_) => "the call did not report the result of each resource",
        None => "the call ended with an internal error of landfall",
    };
    (0..things).map(|_| Answer::Failed { why: why.to_owned() }).collect()
}
