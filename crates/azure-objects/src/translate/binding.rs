//! Values that only the status of another object tells.

use serde_json::Value;

use crate::desired::Need;

/// A field of an object whose value the status of another object tells.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The object with the field.
    pub object: Need,
    /// The field of its spec.
    pub field: &'static str,
    /// The object whose status tells the value.
    pub source: Need,
    /// Where in that object the value stands, as a JSON pointer.
    pub pointer: &'static str,
    /// The value of the field, made of what stands there.
    pub form: fn(&str) -> Value,
}

impl Binding {
    /// The value of the field, where `source` tells it.
    #[must_use]
    pub fn value(&self, source: &Value) -> Option<Value> {
        let told = source.pointer(self.pointer)?.as_str().filter(|told| !told.is_empty())?;
        Some((self.form)(told))
    }

    /// What is waited for, in words.
    #[must_use]
    pub fn words(&self) -> String {
        let pointer = self.pointer.trim_start_matches('/').replace('/', ".");
        format!("{pointer} of {}/{}", self.source.kind, self.source.name)
    }
}
