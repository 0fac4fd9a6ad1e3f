//! What of a `ConfigMap` counts here.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The key under which a cluster's own maps hold the configuration.
pub const CLOUD_CONF: &str = "cloud.conf";

/// The entries of a `ConfigMap`. An entry is on one side only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Entries {
    /// Text by key.
    #[serde(
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "super::infrastructure::or_default"
    )]
    pub data: BTreeMap<String, String>,
    /// Bytes by key, as base64.
    #[serde(
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "super::infrastructure::or_default"
    )]
    pub binary_data: BTreeMap<String, String>,
    /// Whether nothing in the map can be changed. No map that is written here has this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub immutable: Option<bool>,
}

impl Entries {
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.data.is_empty() && self.binary_data.is_empty()
    }
}
