//! What of a value a type does not take, in the words of those who write YAML.

use landfall_diagnostics::{Finding, Kind, shortened};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::check::pages;

/// What a type does not take of a value. `alone` wraps a part of the value in all that it stands in, and nothing
/// else; types whose fields may all be left out take that, unless it is this part that they do not take.
pub(super) fn type_errors<T: DeserializeOwned>(
    value: &Value,
    path: String,
    alone: &dyn Fn(Value) -> Value,
    faults: &mut Vec<Finding>,
) {
    let Err(fault) = serde_json::from_value::<T>(alone(value.clone())) else {
        return;
    };
    let before = faults.len();
    // Where not even an empty one is taken, nothing in it is at fault.
    let takes = |empty: Value| serde_json::from_value::<T>(alone(empty)).is_ok();
    match value {
        Value::Object(members) if takes(Value::Object(Map::new())) => {
            for (key, member) in members {
                let inner = |part: Value| alone(Value::Object(Map::from_iter([(key.clone(), part)])));
                type_errors::<T>(member, format!("{path}.{key}"), &inner, faults);
            }
        }
        Value::Array(entries) if takes(Value::Array(Vec::new())) => {
            for (i, entry) in entries.iter().enumerate() {
                let inner = |part: Value| alone(Value::Array(vec![part]));
                type_errors::<T>(entry, format!("{path}[{i}]"), &inner, faults);
            }
        }
        _ => {}
    }
    if faults.len() == before {
        let fault = fault.to_string();
        let wanted = wanted(&fault);
        let message = format!("`{}` must be {wanted}, and is {}", shortened(&path), sort_of(value));
        let mut finding = Finding::error(&pages::TYPE, Kind::TypeInvalid, path, message);
        if matches!(value, Value::Bool(_) | Value::Number(_)) && wanted == TEXT {
            finding = finding.help("put the value in quotes: without them it is not a string");
        }
        faults.push(finding);
    }
}

/// What a field of text wants.
const TEXT: &str = "a string";

/// What a type wants, in the words of those who write YAML.
fn wanted(fault: &str) -> &'static str {
    let expected = fault.rsplit_once("expected ").map_or("", |(_, expected)| expected);
    match expected {
        "a string" => TEXT,
        "a boolean" => "`true` or `false`",
        "i64" => "a whole number",
        "a sequence" => "a list",
        "a map" => "an object",
        expected if expected.starts_with("struct ") => "an object",
        expected if expected.starts_with("a quantity") => "a quantity, such as `8Gi`",
        _ => "of another type",
    }
}

/// What a value is, in the same words.
fn sort_of(value: &Value) -> String {
    match value {
        Value::Null => "empty".to_owned(),
        Value::Bool(_) | Value::Number(_) => format!("`{value}`"),
        Value::String(_) => TEXT.to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
