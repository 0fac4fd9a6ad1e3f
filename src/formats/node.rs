//! A resource of a plan of the native engine.

use schemars::JsonSchema;
use serde_json::{Map, Value};

/// A resource that the native engine creates.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "the type describes a format")]
pub(super) struct Node {
    /// Kind and name, such as `subnet/private-us-east-1a`.
    name: String,
    kind: String,
    stage: String,
    /// What it is to be. An object with the key `$output` refers to an output of another resource, one with
    /// `$secret` to a secret.
    properties: Map<String, Value>,
    /// Names of resources that must exist first, although no property refers to them.
    after: Option<Vec<String>>,
}
