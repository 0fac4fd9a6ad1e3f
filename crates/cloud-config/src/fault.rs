//! Why the configuration of a cloud provider cannot be created.

/// Why it cannot be created. The text quotes only names and keys of the user's file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// `status.platformStatus` names another platform than the one whose rule is used.
    #[error("status.platformStatus.type is `{found}`, not `{wanted}`")]
    PlatformMismatch {
        /// The platform of the rule.
        wanted: &'static str,
        /// What the object names.
        found: String,
    },
    /// There are service endpoints and no region that signs for them.
    #[error("status.platformStatus.aws.region is empty, and service endpoints need the signing region")]
    RegionRequired,
    /// A service endpoint that no configuration can hold.
    #[error("{at} {why}")]
    EndpointInvalid {
        /// Its position.
        at: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The user's text cannot be read.
    #[error("the cloud provider's configuration cannot be read: {0}")]
    ConfigUnreadable(String),
    /// The user's text has service overrides, which come from the Infrastructure object.
    #[error("the cloud provider's configuration has its own ServiceOverride section: `{0}`")]
    OverrideConflict(String),
    /// An unknown Azure cloud.
    #[error("status.platformStatus.azure.cloudName is `{0}`, which is not a known Azure cloud")]
    CloudNameUnsupported(String),
    /// The user's text has a `cloud` that is not text.
    #[error("`cloud` in the cloud provider's configuration is {0}, not a string")]
    CloudNotString(&'static str),
    /// The user's text names another cloud than the Infrastructure object.
    #[error("`cloud` in the cloud provider's configuration is `{given}`, and the cluster is in `{cloud}`")]
    CloudConflict {
        /// What the text names.
        given: String,
        /// The cluster's cloud.
        cloud: String,
    },
    /// A key of the older form of `OpenStack`'s configuration is not as the cluster created it.
    #[error("`{0}` in section Global of the cloud provider's configuration was changed by hand")]
    LegacySettingChanged(&'static str),
    /// The map does not have this key.
    #[error("the ConfigMap has no key `{0}`")]
    KeyMissing(String),
    /// There is no map to take the text from.
    #[error("there is no ConfigMap with the configuration")]
    NoSourceMap,
    /// No rule for this platform.
    #[error("platform `{0}` is not supported")]
    PlatformUnsupported(String),
    /// There is nothing in the file of the Infrastructure object.
    #[error("the file of the Infrastructure object is empty")]
    InfrastructureFileEmpty,
    /// The file of the Infrastructure object cannot be read as one.
    #[error("the Infrastructure object cannot be read: {0}")]
    InfrastructureUnreadable(String),
    /// The file of the Network object cannot be read as one.
    #[error("the Network object cannot be read: {0}")]
    NetworkUnreadable(String),
    /// The file of the user's `ConfigMap` cannot be read as one.
    #[error("the ConfigMap cannot be read: {0}")]
    ManifestUnreadable(String),
}

impl Fault {
    /// Its short name, in words with hyphens, the same in every release.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::PlatformMismatch { .. } => "platform-mismatch",
            Self::RegionRequired => "region-required",
            Self::EndpointInvalid { .. } => "endpoint-invalid",
            Self::ConfigUnreadable(_) => "config-unreadable",
            Self::OverrideConflict(_) => "override-conflict",
            Self::CloudNameUnsupported(_) => "cloud-name-unsupported",
            Self::CloudNotString(_) => "cloud-not-string",
            Self::CloudConflict { .. } => "cloud-conflict",
            Self::LegacySettingChanged(_) => "legacy-setting-changed",
            Self::KeyMissing(_) => "key-missing",
            Self::NoSourceMap => "no-source-map",
            Self::PlatformUnsupported(_) => "platform-unsupported",
            Self::InfrastructureFileEmpty => "infrastructure-file-empty",
            Self::NetworkUnreadable(_) => "network-unreadable",
            Self::InfrastructureUnreadable(_) => "infrastructure-unreadable",
            Self::ManifestUnreadable(_) => "config-manifest-unreadable",
        }
    }
}
