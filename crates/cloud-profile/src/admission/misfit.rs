//! Values of another type than their fields have, and what follows from them.

use serde_json::{Map, Value};

use super::{Refusal, Why};
use crate::document::pointer;

/// Whether a path leads to a place or to something in it.
pub(crate) fn is_within(path: &str, place: &str) -> bool {
    path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Takes the values of these fields out of an object with a spec of this shape, so that the others can be judged. An
/// entry of a list stays, without anything in it: those after it keep their numbers.
pub(crate) fn remove<'a>(object: &mut Value, shape: &Value, fields: impl IntoIterator<Item = &'a str>) {
    for field in fields {
        let pointer = pointer(field);
        let Some((place, last)) = pointer.rsplit_once('/') else { continue };
        match object.pointer_mut(place) {
            Some(Value::Object(members)) => {
                members.remove(last);
            }
            Some(Value::Array(entries)) => {
                if let Some(entry) = last.parse().ok().and_then(|number: usize| entries.get_mut(number)) {
                    *entry =
                        if is_text(shape, &pointer) { Value::from("") } else { Value::Object(Map::new()) };
                }
            }
            _ => {}
        }
    }
}

/// Whether a text stands at this place of a spec of this shape.
fn is_text(shape: &Value, pointer: &str) -> bool {
    let mut steps = pointer.trim_start_matches("/spec/").split('/');
    let at = steps.try_fold(shape, |shape, step| {
        let named = shape.get("properties").and_then(|known| known.get(step));
        named.or_else(|| shape.get("items")).or_else(|| shape.get("additionalProperties"))
    });
    at.is_some_and(|at| at["type"] == "string")
}

/// Whether a refusal says nothing new beside that of a value of another type in this field, which was removed.
pub(crate) fn follows(refusal: &Refusal, misfit: &str) -> bool {
    // An entry whose name cannot be read is compared with no other.
    let is_key = [".name", ".version"]
        .iter()
        .any(|key| misfit.strip_suffix(key).is_some_and(|entry| entry == refusal.field));
    is_within(&refusal.field, misfit)
        || is_key
        || (refusal.why == Why::Invalid && is_within(misfit, &refusal.field))
}
