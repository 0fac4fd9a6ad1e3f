//! Documents that ship with the program.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// What is wrong with a document that ships with the program: it must be readable as its type, and say
/// nothing that the type does not take.
#[must_use]
pub fn misfit<T: DeserializeOwned + serde::Serialize>(text: &str) -> Option<String> {
    let raw: Value = match serde_json::from_str(text) {
        Ok(raw) => raw,
        Err(fault) => return Some(fault.to_string()),
    };
    let typed: T = match serde_json::from_str(text) {
        Ok(typed) => typed,
        Err(fault) => return Some(fault.to_string()),
    };
    let again = serde_json::to_value(&typed).ok()?;
    difference(&raw, &again, "")
}

/// The first place at which two documents differ.
fn difference(raw: &Value, typed: &Value, at: &str) -> Option<String> {
    if let (Value::Object(left), Value::Object(right)) = (raw, typed) {
        let missing = left.keys().find(|key| !right.contains_key(*key));
        let below = || {
            left.iter().find_map(|(key, value)| difference(value, right.get(key)?, &format!("{at}/{key}")))
        };
        return missing.map(|key| format!("{at}/{key} is no field, or says nothing")).or_else(below);
    }
    (raw != typed).then(|| format!("{at} is {raw}, read as {typed}"))
}
