//! The sets of optional components: `docs/install-config.md`, section 7.11.

/// The names that `capabilities.baselineCapabilitySet` accepts.
pub const NAMES: &[&str] =
    &["None", "v4.11", "v4.12", "v4.13", "v4.14", "v4.15", "v4.16", "v4.17", "v4.18", "vCurrent"];

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

/// Every component there is.
pub fn all() -> impl Iterator<Item = &'static str> {
    ADDED.iter().flat_map(|added| added.iter().copied())
}
