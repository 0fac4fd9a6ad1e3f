//! Values that are of another form than a profile of this kind has them, with the form that it has.

use landfall_diagnostics::{Finding, Kind, shortened};
use serde_json::Value;

use super::pages;
use crate::document::Document;
use crate::types::{CLOUD_PROFILE, PRIVATE_CLOUD_PROFILE};

/// Where a profile says what it inherits from.
pub(super) const PARENT: &str = "spec.parent";

/// What is said of a parent that is given as the other kind of profiles has it, or as neither has it.
pub(super) fn parent(profile: &Document) -> Option<Finding> {
    let value = profile.value(PARENT)?;
    let name = [Some(value), value.get("name"), value.get(0)].into_iter().flatten().find_map(Value::as_str);
    let name = name.filter(|name| !name.is_empty()).map_or_else(|| "NAME".to_owned(), shortened);
    let (message, help) = if profile.kind == PRIVATE_CLOUD_PROFILE {
        if !value.is_object() && !value.is_array() {
            return None;
        }
        ("must be a text, the name of a cloud profile", format!("write `parent: {name}`"))
    } else {
        if value.is_object() {
            return None;
        }
        let help = format!("write `parent: {{kind: {CLOUD_PROFILE}, name: {name}}}`");
        ("must be an object with `kind` and `name`", help)
    };
    let message = format!("`{PARENT}` {message}");
    Some(Finding::error(&pages::TYPE, Kind::TypeInvalid, PARENT, message).help(help))
}

/// What is said of names that are no texts.
pub(super) fn names(profile: &Document) -> Vec<Finding> {
    let given =
        ["metadata.name", "metadata.namespace"].into_iter().filter(|path| profile.value(path).is_some());
    given.filter_map(|path| profile.part::<String>(path).err()).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::types::NAMESPACED_CLOUD_PROFILE;
    use jiff::Timestamp;

    fn told(kind: &'static str, metadata: &str, parent: &str) -> Vec<(String, Option<String>)> {
        let text = format!(
            "apiVersion: core.gardener.cloud/v1beta1\nkind: {kind}\nmetadata: {metadata}\nspec:\n  parent: {parent}\n"
        );
        let found = Document::read(&text, &[kind])
            .map_or_else(|findings| findings, |profile| check(&profile, None, Timestamp::UNIX_EPOCH));
        found.into_iter().map(|finding| (finding.field, finding.help)).collect()
    }

    #[test]
    fn a_parent_has_the_form_of_its_kind() {
        let named = "{name: a, namespace: team}";
        let (text, reference) = ("write `parent: base`", "write `parent: {kind: CloudProfile, name: base}`");
        for (kind, parent, help) in [
            (PRIVATE_CLOUD_PROFILE, "[base]", text),
            (PRIVATE_CLOUD_PROFILE, "{kind: CloudProfile, name: base}", text),
            (PRIVATE_CLOUD_PROFILE, "{nme: base}", "write `parent: NAME`"),
            (NAMESPACED_CLOUD_PROFILE, "base", reference),
            (NAMESPACED_CLOUD_PROFILE, "[base]", reference),
        ] {
            let expected = [(PARENT.to_owned(), Some(help.to_owned()))];
            assert_eq!(told(kind, named, parent), expected, "{kind} {parent}");
        }
        assert_eq!(told(PRIVATE_CLOUD_PROFILE, named, "base"), []);
        assert_eq!(told(NAMESPACED_CLOUD_PROFILE, named, "{kind: CloudProfile, name: base}"), []);
        assert_eq!(told(PRIVATE_CLOUD_PROFILE, named, "''"), [(PARENT.to_owned(), None)]);
    }

    #[test]
    fn names_that_are_no_texts_need_quotes() {
        let found = told(PRIVATE_CLOUD_PROFILE, "{name: 17, namespace: true}", "base");
        let fields: Vec<&str> = found.iter().map(|(field, _)| field.as_str()).collect();
        assert_eq!(fields, ["metadata.name", "metadata.namespace"]);
        let quotes = |help: &Option<String>| help.as_ref().is_some_and(|help| help.contains("quotes"));
        assert!(found.iter().all(|(_, help)| quotes(help)), "{found:?}");
        let missing = told(PRIVATE_CLOUD_PROFILE, "{name: 17}", "base");
        let fields: Vec<&str> = missing.iter().map(|(field, _)| field.as_str()).collect();
        assert_eq!(fields, ["metadata.namespace", "metadata.name"]);
    }
}
