//! Whether a cloud profile from which others inherit can be what it says.

use landfall_diagnostics::Finding;
use serde_json::Value;

use super::{add_strays, form, others, pages};
use crate::admission::{self, Refusal};
use crate::document::Document;
use crate::types::CloudProfileSpec;

/// What stands against a cloud profile.
pub(super) fn faults(profile: &Document) -> Vec<Finding> {
    let mut type_errors = profile.part::<CloudProfileSpec>("spec").err().unwrap_or_default();
    type_errors.extend(form::names(profile));
    let refusals = admission::cloud_profile(profile.name(), profile.value("spec").unwrap_or(&Value::Null));
    let mut findings = others(&pages::ENTRY, refusals, &type_errors);
    findings.extend(type_errors);
    add_strays(profile, &mut findings);
    findings
}

/// What admission would refuse of these members of a specification, if a private profile of this name said the same
/// of them.
pub(crate) fn refusals(document: &Document, path: &str, members: &[&str], name: &str) -> Vec<Refusal> {
    let refusals = admission::of_members(name, document.value(path).unwrap_or(&Value::Null), members);
    let moved = |refusal: Refusal| match refusal.field.strip_prefix("spec") {
        Some(rest) => Refusal { field: format!("{path}{rest}"), ..refusal },
        None => refusal,
    };
    refusals.into_iter().map(moved).collect()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

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
