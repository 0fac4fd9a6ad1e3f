//! Settings that not every release has.

use landfall_model::plan::check_introduced;

use super::*;

/// What is said of settings that a release does not have.
pub(super) fn of_release(release: [u64; 2], config: &InstallConfig) -> Vec<Finding> {
    let mut out = Findings::default();
    check_introduced(crate::introduced::INTRODUCED, config, release, &mut out);
    out.into_vec()
}
