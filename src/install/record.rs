//! Which cluster a directory is of: what `metadata.json` says.

#![allow(clippy::disallowed_methods, reason = "the file is read before the directory is opened")]

use std::io::ErrorKind;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::platform::{self, Platform};

/// Name of the file in a cluster directory.
const METADATA: &str = "metadata.json";

/// Which cluster a directory is of.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// Name of the cluster.
    pub cluster_name: String,
    /// Its infrastructure id.
    #[serde(rename = "infraID")]
    pub infra_id: String,
    #[serde(flatten)]
    platforms: Map<String, Value>,
}

impl Record {
    /// What a cluster directory says. Nothing is written or locked.
    ///
    /// # Errors
    /// A sentence: there is no such file, or it does not say it.
    pub fn of(directory: &Path) -> Result<Self, String> {
        let path = directory.join(METADATA);
        let bytes = std::fs::read(&path).map_err(|cause| match cause.kind() {
            ErrorKind::NotFound => {
                format!("there is no {}: nothing says which cluster this is", path.display())
            }
            _ => format!("cannot read {}: {cause}", path.display()),
        })?;
        let record: Self = serde_json::from_slice(&bytes)
            .map_err(|_| format!("{} does not name a cluster and its infrastructure", path.display()))?;
        Ok(record)
    }

    /// The platform of the cluster; none where landfall knows none of those that are named.
    #[must_use]
    pub fn platform(&self) -> Option<&'static dyn Platform> {
        self.platforms.keys().find_map(|name| platform::named(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_without_metadata_is_of_no_cluster_and_stays_as_it_is() -> std::io::Result<()> {
        let root = tempfile::tempdir()?;
        let why = Record::of(root.path()).err().unwrap_or_default();
        assert!(why.contains("there is no ") && why.contains("metadata.json"), "{why}");
        assert_eq!(std::fs::read_dir(root.path())?.count(), 0);
        Ok(())
    }

    #[test]
    fn says_which_cluster() -> Result<(), serde_json::Error> {
        let text = r#"{"clusterName":"demo","clusterID":"x","infraID":"demo-abcde","aws":{"region":"r"}}"#;
        let record: Record = serde_json::from_str(text)?;
        assert_eq!((record.cluster_name.as_str(), record.infra_id.as_str()), ("demo", "demo-abcde"));
        assert_eq!(record.platform().map(Platform::name), Some("aws"));
        let other: Record = serde_json::from_str(r#"{"clusterName":"a","infraID":"b","moon":{}}"#)?;
        assert!(other.platform().is_none());
        Ok(())
    }
}
