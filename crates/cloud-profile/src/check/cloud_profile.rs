//! Whether a cloud profile from which others inherit can be what it says.

use jiff::Timestamp;
use landfall_diagnostics::Finding;
use serde_json::{Value, json};

use super::{add_strays, form, others, pages};
use crate::admission::{ProfileKind, Refusal, Request, Stage, Verdict, Why, review};
use crate::document::Document;
use crate::types::CloudProfileSpec;

/// The members of its specification that a private profile has as well.
const SHARED: &[&str] =
    &["kubernetes", "machineImages", "machineTypes", "volumeTypes", "regions", "caBundle", "limits"];

/// What stands against a cloud profile.
pub(super) fn faults(profile: &Document) -> Vec<Finding> {
    let mut type_errors = profile.part::<CloudProfileSpec>("spec").err().unwrap_or_default();
    type_errors.extend(form::names(profile));
    let mut refusals = refusals(profile, "spec", SHARED, profile.name());
    let is_given = |path: &str| match profile.value(path) {
        Some(Value::Array(entries)) => !entries.is_empty(),
        Some(Value::String(text)) => !text.is_empty(),
        value => value.is_some(),
    };
    for (field, message) in [
        ("spec.type", "the provider of the infrastructure must be given"),
        ("spec.kubernetes.versions", "at least one version must be given"),
    ] {
        if !is_given(field) {
            let (field, message) = (field.to_owned(), message.to_owned());
            refusals.push(Refusal { field, why: Why::Required, message });
        }
    }
    let mut findings = others(&pages::ENTRY, refusals, &type_errors);
    findings.extend(type_errors);
    add_strays(profile, &mut findings);
    findings
}

/// What admission would refuse of these members of a specification, if a private profile of this name said the same
/// of them.
pub(crate) fn refusals(document: &Document, path: &str, members: &[&str], name: &str) -> Vec<Refusal> {
    let mut spec = json!({"parent": "any"});
    for member in members {
        spec[*member] = document.value(&format!("{path}.{member}")).cloned().unwrap_or(Value::Null);
    }
    let object = json!({"metadata": {"name": name, "namespace": "any"}, "spec": spec});
    let kind = ProfileKind::Private;
    let request = Request { kind, object: &object, old: None, parent: None, now: Timestamp::UNIX_EPOCH };
    let Verdict::Refused { stage: Stage::Validation, refusals } = review(&request) else {
        return Vec::new();
    };
    let moved = |refusal: Refusal| match refusal.field.strip_prefix("spec") {
        Some(rest) => Refusal { field: format!("{path}{rest}"), ..refusal },
        None => refusal,
    };
    refusals.into_iter().filter(|refusal| refusal.why != Why::UnknownField).map(moved).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{check, passed_over};
    use crate::types::CLOUD_PROFILE;

    const GOOD: &str = "apiVersion: core.gardener.cloud/v1beta1\nkind: CloudProfile\nmetadata: {name: base}\nspec:\n  \
                        type: aws\n  kubernetes: {versions: [{version: 1.28.6}]}\n  machineTypes:\n  - {name: a, cpu: 4}\n";

    fn told(text: &str) -> Vec<(String, bool)> {
        let found = Document::read(text, &[CLOUD_PROFILE])
            .map_or_else(|findings| findings, |profile| check(&profile, None, Timestamp::UNIX_EPOCH));
        found.into_iter().map(|finding| (finding.field.clone(), finding.is_error())).collect()
    }

    #[test]
    fn a_cloud_profile_is_judged_by_itself() {
        assert_eq!(told(GOOD), []);
        for (right, wrong, field, refused) in [
            ("1.28.6", "1.28", "spec.kubernetes.versions[0].version", true),
            ("1.28.6", "latest", "spec.kubernetes.versions[0]", true),
            ("[{version: 1.28.6}]", "[]", "spec.kubernetes.versions", true),
            ("{versions: [{version: 1.28.6}]}", "all", "spec.kubernetes", true),
            ("type: aws", "type: ''", "spec.type", true),
            ("name: base", "nme: base", "metadata.name", true),
            ("name: base", "name: 17", "metadata.name", true),
            ("cpu: 4", "cpu: 4Foo", "spec.machineTypes[0].cpu", true),
            ("cpu: 4", "cpx: 4", "spec.machineTypes[0].cpx", false),
        ] {
            assert!(GOOD.contains(right), "{right}");
            assert_eq!(told(&GOOD.replace(right, wrong)), [(field.to_owned(), refused)], "{wrong}");
        }
        assert_eq!(told(GOOD.split("spec:").next().unwrap_or_default()), [("spec".to_owned(), true)]);
    }

    #[test]
    fn faults_of_a_parent_are_warnings() {
        let text = GOOD.replace("cpu: 4", "cpu: 4Foo");
        let found = Document::read(&text, &[CLOUD_PROFILE]).map(|parent| passed_over(&parent));
        let told: Vec<(String, bool)> =
            found.into_iter().flatten().map(|finding| (finding.field.clone(), finding.is_error())).collect();
        assert_eq!(told, [("spec.machineTypes[0].cpu".to_owned(), false)]);
    }
}
