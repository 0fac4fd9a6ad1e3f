//! The decisions for an object because of which nothing is to change in Azure for a while.

use super::difference::annotated;
use super::{Action, Case, What};
use crate::desired::Policy;
use crate::keys;

/// What is to be done about an object that is there. The first policy is remembered, not that of a pause.
pub(super) fn present(case: &Case<'_>) -> Action {
    let paused = || case.keep(What::None, "already paused");
    if let Some(action) = case.not_ours() {
        return action;
    }
    if case.object.is_paused() {
        return paused();
    }
    let before = case.object.policy_as_written().unwrap_or_default();
    let annotations = [(keys::PRE_PAUSE, Some(before)), (keys::POLICY, Some(Policy::Skip.name()))];
    annotated(case.object, &annotations).map_or_else(paused, |change| case.patch(change, "pausing"))
}
