//! One file of a cluster, in memory.

use std::fmt;

use serde_json::Value;

use super::text;

/// One file of a cluster: where it goes, its bytes, and who may read it.
#[derive(Clone, PartialEq, Eq)]
pub struct File {
    /// Path below the cluster directory, with `/` between its parts.
    pub path: String,
    /// Content.
    pub bytes: Vec<u8>,
    /// Whether only its owner may read it.
    pub secret: bool,
}

impl File {
    /// A file that anybody may read.
    pub fn open(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), bytes: bytes.into(), secret: false }
    }

    /// A file that only its owner may read.
    pub fn secret(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), bytes: bytes.into(), secret: true }
    }

    /// A value as a YAML file that anybody may read.
    pub fn yaml(path: impl Into<String>, value: &Value) -> Self {
        Self::open(path, text::yaml(value))
    }

    /// The same file, which only its owner may read.
    #[must_use]
    pub fn kept_secret(self) -> Self {
        Self { secret: true, ..self }
    }
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: &dyn fmt::Debug = if self.secret {
            &landfall_diagnostics::secret::REDACTED
        } else {
            &String::from_utf8_lossy(&self.bytes)
        };
        f.debug_struct("File").field("path", &self.path).field("bytes", &format_args!("{shown:?}")).finish()
    }
}
