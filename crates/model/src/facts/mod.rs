//! Facts: what a cloud answered for one install config, or what the catalogue assumes in its place.
//!
//! A [`Facts`] value is all that planning knows of the world. It is gathered online, made of the catalogue
//! alone, or read back from a file; whichever it was, the plan that comes of it is the same. The facts of
//! one platform are leaf types of that platform's folder.

use landfall_diagnostics::{Code, Finding, Findings, Kind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::Zero;
use crate::file;
use crate::sections::supported;

/// The version of the format that this landfall writes and reads.
pub const VERSION: i32 = 1;

/// The facts are of another version.
pub const UNKNOWN_VERSION: Code = Code::new("LF0610");

/// Where facts come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", try_from = "String")]
pub enum Source {
    /// The cloud was asked.
    #[default]
    Cloud,
    /// The catalogue alone: assumptions, good for a look and for places without a network.
    Catalogue,
}

impl TryFrom<String> for Source {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.as_str() {
            "cloud" => Ok(Self::Cloud),
            "catalogue" => Ok(Self::Catalogue),
            _ => Err("it must be `cloud` or `catalogue`"),
        }
    }
}

impl Zero for Source {
    fn is_zero(&self) -> bool {
        false
    }
}

macro_rules! facts {
    (pools: [$($pool:ident),*], plain: [$($plain:ident),*]) => {
        crate::config::value::model! {
            /// What a cloud answered for one install config.
            pub struct Facts {
                /// Version of the format: 1.
                pub version: i32,
                /// Where the facts come from.
                pub source: Source,
                $(#[doc = concat!("Facts of platform ", stringify!($pool), ".")]
                pub $pool: Option<crate::$pool::facts::Facts>,)*
            }
        }
    };
}

supported! { facts }

impl Facts {
    /// Reads a facts file: JSON, or YAML of the same shape.
    ///
    /// # Errors
    /// Every fault of the text at once, with its place: malformed text, wrong types, unknown fields, a
    /// version that this landfall does not know.
    pub fn read(bytes: &[u8]) -> Result<Self, Vec<Finding>> {
        file::read(bytes, ("a facts file", "the facts file"), Self::judge)
    }

    fn judge(&self, out: &mut Findings) {
        let message = match self.version {
            VERSION => return,
            0 => "the file has no version of its facts".to_owned(),
            version => {
                format!("facts of version {version} are not supported; this landfall reads version 1")
            }
        };
        let help = "use facts of version 1";
        out.push(Finding::error(&UNKNOWN_VERSION, Kind::Invalid, "version", message).help(help));
    }

    /// The facts as the text of a file: JSON with two blanks of indentation and a final newline.
    #[must_use]
    pub fn to_text(&self) -> String {
        file::text(self)
    }
}

/// The JSON Schema of a facts file.
#[must_use]
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Facts).to_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The message of the first finding, and the text that it marks.
    fn refused(text: &str) -> (String, &str) {
        let findings = Facts::read(text.as_bytes()).err().unwrap_or_default();
        let Some(first) = findings.first() else { return Default::default() };
        let marked = first.span.and_then(|span| text.get(span.range()));
        (first.message.clone(), marked.unwrap_or_default())
    }

    #[test]
    fn findings_speak_of_a_facts_file() {
        assert_eq!(refused("[]\n").0, "a facts file must be a map, not a list");
        let config = refused("apiVersion: v1\n");
        assert_eq!(config, ("`apiVersion` is not a field of the facts file".to_owned(), "apiVersion"));
    }

    #[test]
    fn another_source_is_marked() {
        let expected = "`source` cannot be read: it must be `cloud` or `catalogue`".to_owned();
        assert_eq!(refused("{\"version\": 1, \"source\": \"bar\"}"), (expected, "\"bar\""));
    }

    #[test]
    fn a_missing_space_after_a_colon_is_named() {
        let findings = Facts::read(b"aws:\n  region:us-east-1\n").err().unwrap_or_default();
        let first = findings.first().map(|first| (first.message.as_str(), first.help.as_deref()));
        let message = "`aws` must be a map, not text that begins with `region:`";
        assert_eq!(first, Some((message, Some("write a space after `region:`"))));
        // What is no field may be a secret.
        let findings = Facts::read(b"aws:\n  canary:hidden\n").err().unwrap_or_default();
        let first = findings.first().map(|first| (first.message.contains("canary"), first.help.as_deref()));
        assert_eq!(first, Some((false, Some("write a space after the colon of each key"))));
        let link = Facts::read(b"aws: https://example.com\n").err().unwrap_or_default();
        assert_eq!(link.first().map(|first| first.help.as_deref()), Some(None));
    }
}
