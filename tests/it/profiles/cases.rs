//! The cases of cloud profiles.
//!
//! The folder comes from `LANDFALL_CONFORMANCE`, by default `testdata/conformance`.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use super::compare::Order;

/// A case: what is there, what is done, and what must come of it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Case {
    pub id: String,
    pub kind: String,
    pub operation: String,
    /// What is odd about the released kind here; such a case shows what not to copy.
    #[serde(default)]
    pub quirk: Option<String>,
    /// Whether the behaviour has to be switched on.
    #[serde(default)]
    pub optional: bool,
    #[serde(default)]
    order: Option<String>,
    pub now: String,
    #[serde(default)]
    pub parent: Value,
    #[serde(default)]
    pub profile: Value,
    pub expect: serde_json::Map<String, Value>,
}

impl Case {
    /// Whether the order of lists counts.
    pub fn order(&self) -> Order {
        if self.order.as_deref() == Some("exact") { Order::Exact } else { Order::Free }
    }
}

/// The cases with one of these operations, of which there is at least one.
pub fn cases(operations: &[&str]) -> Vec<Case> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/conformance");
    let folder =
        std::env::var_os("LANDFALL_CONFORMANCE").map_or_else(|| PathBuf::from(default), PathBuf::from);
    let file = folder.join("cloud-profiles.jsonl");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let cases =
        lines.map(|line| serde_json::from_str::<Case>(line).unwrap_or_else(|e| panic!("{e}: {line}")));
    let cases: Vec<Case> = cases.filter(|case| operations.contains(&case.operation.as_str())).collect();
    assert!(!cases.is_empty(), "no case of {operations:?}");
    cases
}
