//! The difference between two documents as a JSON merge patch (RFC 7386).

use serde_json::{Map, Value};

/// The merge patch that turns `from` into `to`; none where they are the same.
///
/// A merge patch cannot write null into an object, so a null in `to` is as good as a missing field.
pub(super) fn difference(from: &Value, to: &Value) -> Option<Value> {
    match (from, to) {
        (Value::Object(from), Value::Object(to)) => {
            let patch = fields(from, to);
            (!patch.is_empty()).then_some(Value::Object(patch))
        }
        // What is no object gives way to one, and that to what the patch says.
        (_, Value::Object(to)) => Some(Value::Object(fields(&Map::new(), to))),
        _ => (from != to).then(|| to.clone()),
    }
}

fn fields(from: &Map<String, Value>, to: &Map<String, Value>) -> Map<String, Value> {
    let mut patch = Map::new();
    for (key, old) in from {
        if !old.is_null() && to.get(key).is_none_or(Value::is_null) {
            patch.insert(key.clone(), Value::Null);
        }
    }
    for (key, new) in to {
        if let Some(change) = difference(from.get(key).unwrap_or(&Value::Null), new) {
            // A null says "remove"; what is to be removed was found above.
            if !change.is_null() {
                patch.insert(key.clone(), change);
            }
        }
    }
    patch
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_patch_names_what_changes_and_nothing_else() {
        let cases = [
            (json!({"a": 1, "b": 2}), json!({"a": 1, "b": 3}), Some(json!({"b": 3}))),
            (json!({"a": 1, "b": 2}), json!({"a": 1}), Some(json!({"b": null}))),
            (json!({"a": {"x": 1, "y": 2}}), json!({"a": {"x": 1}}), Some(json!({"a": {"y": null}}))),
            (json!({"a": [1, 2]}), json!({"a": [2]}), Some(json!({"a": [2]}))),
            (json!({}), json!({"a": {}}), Some(json!({"a": {}}))),
            (json!({"a": "x"}), json!({"a": {"b": 1}}), Some(json!({"a": {"b": 1}}))),
            (json!({"a": {"b": 1}}), json!({"a": "x"}), Some(json!({"a": "x"}))),
            (json!({"a": 1}), json!({"a": 1, "b": null}), None),
            (json!({"a": 1}), json!({"a": null}), Some(json!({"a": null}))),
            (json!({"a": null}), json!({}), None),
            (json!({"a": 1}), json!({"a": 1}), None),
        ];
        for (from, to, patch) in cases {
            assert_eq!(difference(&from, &to), patch, "{from} -> {to}");
        }
    }

    fn document() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            Just(json!(1)),
            Just(json!("x")),
            Just(json!([1, null])),
            Just(json!({}))
        ];
        leaf.prop_recursive(3, 16, 3, |inner| {
            proptest::collection::btree_map("[abc]", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect()))
        })
    }

    proptest! {
        #[test]
        fn what_was_patched_needs_no_patch(from in document(), to in document()) {
            let (from, to) = (json!({"top": from}), json!({"top": to}));
            let mut patched = from.clone();
            if let Some(patch) = difference(&from, &to) {
                json_patch::merge(&mut patched, &patch);
            }
            prop_assert_eq!(difference(&patched, &to), None);
        }
    }
}
