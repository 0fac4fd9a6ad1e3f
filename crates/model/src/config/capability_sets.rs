//! The sets of optional components: `docs/install-config.md`, section 7.11.

use crate::catalogue::minor_version;

/// The names that `capabilities.baselineCapabilitySet` accepts.
pub const NAMES: &[&str] =
    &["None", "v4.11", "v4.12", "v4.13", "v4.14", "v4.15", "v4.16", "v4.17", "v4.18", "vCurrent"];

/// The first release that knows what only the set of the current release has.
const CURRENT: [u64; 2] = [4, 23];

/// What each set adds to the one before it, in the order of [`NAMES`].
const ADDED: &[&[&str]] = &[
    &[],
    &["baremetal", "marketplace", "openshift-samples", "MachineAPI"],
    &["Console", "Insights", "Storage", "CSISnapshot"],
    &["NodeTuning"],
    &["Build", "DeploymentConfig", "ImageRegistry"],
    &["OperatorLifecycleManager", "CloudCredential"],
    &["Ingress", "CloudControllerManager"],
    &[],
    &["OperatorLifecycleManagerV1"],
    &["CompatibilityRequirements", "ClusterAPI"],
];

/// The components of a set; none for a name that is not one.
pub fn members(set: &str) -> impl Iterator<Item = &'static str> {
    let upto = NAMES.iter().position(|name| *name == set).map_or(0, |at| at + 1);
    ADDED.iter().take(upto).flat_map(|added| added.iter().copied())
}

/// The release that a set came with; none for a set of all releases.
#[must_use]
pub fn since(set: &str) -> Option<[u64; 2]> {
    minor_version(set.strip_prefix('v')?)
}

/// The release from which on a component is an optional one; none for what is not a component.
#[must_use]
pub fn optional_since(component: &str) -> Option<[u64; 2]> {
    let at = ADDED.iter().position(|added| added.contains(&component))?;
    since(NAMES.get(at)?).or(Some(CURRENT))
}

/// Whether a component came as an optional one: releases before do not have it.
#[must_use]
pub fn came_optional(component: &str) -> bool {
    component == "OperatorLifecycleManagerV1" || is_preview(component)
}

/// Whether a component is only in clusters with a set of previews.
#[must_use]
pub fn is_preview(component: &str) -> bool {
    ["CompatibilityRequirements", "ClusterAPI"].contains(&component)
}

/// Every component there is.
pub fn all() -> impl Iterator<Item = &'static str> {
    ADDED.iter().flat_map(|added| added.iter().copied())
}
