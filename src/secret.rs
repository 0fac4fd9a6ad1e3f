//! Values that must not be shown.
//!
//! [`Secret`] holds a value that no `Debug`, `Display` or `Serialize` gives away; whoever needs it calls
//! [`Secret::expose`], which is easy to find in a review.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What stands in place of a secret in every output.
pub const REDACTED: &str = "<redacted>";

/// The name under which a secret asks to be deserialised, so that the reader of the text remembers its
/// place and never shows it.
pub const SECRET_NAME: &str = "$secret";

/// A value that is shown as [`REDACTED`] wherever it is printed or serialised.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Keeps `value` from being shown.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// The value itself. Never pass it to a message, a log or an error.
    pub fn expose(&self) -> &T {
        &self.0
    }
}

impl Secret<String> {
    /// Whether no value was given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

impl<T> fmt::Display for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

impl<T> Serialize for Secret<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(REDACTED)
    }
}

impl<'de> Deserialize<'de> for Secret<String> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = String;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text")
            }
            fn visit_newtype_struct<D: Deserializer<'de>>(self, d: D) -> Result<String, D::Error> {
                String::deserialize(d)
            }
            fn visit_str<E>(self, text: &str) -> Result<String, E> {
                Ok(text.to_owned())
            }
        }
        deserializer.deserialize_newtype_struct(SECRET_NAME, Visitor).map(Self)
    }
}

impl<T: JsonSchema> JsonSchema for Secret<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
    fn inline_schema() -> bool {
        T::inline_schema()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_nothing_of_the_value() {
        let secret = Secret::new("canary".to_owned());
        let shown = format!("{secret} {secret:?} {}", serde_json::json!(secret));
        assert!(!shown.contains("canary"), "{shown}");
        assert_eq!(secret.expose(), "canary");
    }
}
