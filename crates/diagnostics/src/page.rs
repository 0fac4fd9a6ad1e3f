//! The page of a code: what `landfall explain LF0123` shows, and the two examples that test it.

use serde::Serialize;

use super::{Base, Severity};

/// Everything that is fixed about one code: the content of its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Page {
    /// The stable code, `LF` and four digits.
    pub code: &'static str,
    /// One line: the rule as a sentence.
    pub title: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// What the rule is for, and what to do.
    pub text: String,
    /// Field paths that the rule looks at, list positions as `[]`, without machine pools' prefixes
    /// (`controlPlane`, `arbiter`, `compute[]`), which are written `<pool>`.
    pub fields: Vec<&'static str>,
    /// What the examples start from.
    #[serde(skip)]
    pub base: Base,
    /// An example that the rule refuses.
    pub wrong: &'static str,
    /// The same, put right.
    pub right: &'static str,
}
