//! The user's own patches of an object.

use serde_json::Value;

use crate::keys;

/// What no patch of a user's may touch.
const PROTECTED: &[&[&str]] = &[
    &["apiVersion"],
    &["kind"],
    &["status"],
    &["metadata", "name"],
    &["metadata", "namespace"],
    &["metadata", "ownerReferences"],
    &["metadata", "finalizers"],
    &["spec", "owner"],
    &["metadata", "annotations", keys::POLICY],
];

/// Applies JSON merge patches in their order, without what they say of the spec where that is not to be
/// touched. What is wrong with one is said without its content.
pub(super) fn apply(target: &mut Value, patches: &[String], spec_untouched: bool) -> Result<(), String> {
    for (index, patch) in patches.iter().enumerate() {
        let mut patch: Value = serde_json::from_str(patch).unwrap_or_default();
        if !patch.is_object() {
            return Err(format!("extra patch {index} cannot be parsed"));
        }
        if let Some(path) = PROTECTED.iter().find(|path| touches(&patch, path)) {
            return Err(format!("extra patch {index} touches protected field {}", name(path)));
        }
        if let Some(fields) = patch.as_object_mut().filter(|_| spec_untouched) {
            fields.remove("spec");
        }
        json_patch::merge(target, &patch);
    }
    Ok(())
}

/// Whether a merge patch reaches the field at this path: what is no object replaces all that is below it.
fn touches(patch: &Value, field: &[&str]) -> bool {
    match (field.split_first(), patch.as_object()) {
        (Some((first, rest)), Some(fields)) => fields.get(*first).is_some_and(|below| touches(below, rest)),
        _ => true,
    }
}

fn name(path: &[&str]) -> String {
    match path {
        [section, map, key] => format!("{section}.{map}[{key}]"),
        _ => path.join("."),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_protected_is_so_from_above_too() {
        let wrong = [
            (r#"{"metadata":null}"#, "metadata.name"),
            (
                r#"{"metadata":{"annotations":null}}"#,
                "metadata.annotations[serviceoperator.azure.com/reconcile-policy]",
            ),
            (r#"{"metadata":[]}"#, "metadata.name"),
            (r#"{"metadata":{"ownerReferences":null}}"#, "metadata.ownerReferences"),
            (r#"{"spec":null}"#, "spec.owner"),
            (r#"{"spec":"x"}"#, "spec.owner"),
            (r#"{"spec":{"owner":null}}"#, "spec.owner"),
            (r#"{"status":{}}"#, "status"),
        ];
        for (patch, field) in wrong {
            let found = apply(&mut json!({}), &["{}".to_owned(), patch.to_owned()], false);
            let told = found.err().unwrap_or_default();
            assert!(told.contains(" 1 ") && told.ends_with(&format!(" {field}")), "{patch}: {told}");
        }
        let mut unparsed = BTreeSet::new();
        for patch in ["", "null", "[]", "\"x\"", "1", "{", "[{}]"] {
            let found = apply(&mut json!({}), &[patch.to_owned()], false);
            let told = found.err().unwrap_or_default();
            assert!(told.contains(" 0 "), "{patch}: {told}");
            unparsed.insert(told);
        }
        let protected = apply(&mut json!({}), &[r#"{"status":{}}"#.to_owned()], false).err();
        let unparsed = unparsed.into_iter().map(|told| ("not an object".to_owned(), told));
        let protected = protected.into_iter().map(|told| ("protected".to_owned(), told));
        landfall_testing::assert_sentences("aso-extra-patches", unparsed.chain(protected));
    }

    #[test]
    fn a_spec_that_is_not_to_be_touched_is_not() {
        let patches = [r#"{"spec":{"a":1},"metadata":{"labels":{"b":"c"}}}"#.to_owned()];
        let mut target = json!({"spec": {}});
        assert_eq!(apply(&mut target, &patches, true), Ok(()));
        assert_eq!(target, json!({"spec": {}, "metadata": {"labels": {"b": "c"}}}));
        assert_eq!(apply(&mut target, &patches, false), Ok(()));
        assert_eq!(target.pointer("/spec/a"), Some(&json!(1)));
    }
}
