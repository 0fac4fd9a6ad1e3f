//! What is reported of profiles in files.

use super::*;
use crate::types::NAMESPACED_CLOUD_PROFILE;

const PARENT: &str = "apiVersion: core.gardener.cloud/v1beta1\nkind: CloudProfile\nmetadata: {name: base}\n\
                      spec:\n  type: aws\n  kubernetes: {versions: [{version: 1.28.6}]}\n  machineTypes:\n  \
                      - {name: m5.large, cpu: '2'}\n";
const PRIVATE: &str = "apiVersion: core.gardener.cloud/v1beta1\nkind: PrivateCloudProfile\n\
                       metadata: {name: own, namespace: team}\nspec:\n  parent: base\n  machineTypes:\n  \
                       - {name: m5.large, cpu: '4'}\n";

fn found(text: &str, parent: Option<&str>) -> Result<Vec<(&'static str, String)>, Vec<Finding>> {
    let parent = parent.map(|text| Document::read(text, &[CLOUD_PROFILE])?.cloud_profile()).transpose()?;
    let profile = Document::read(text, &[PRIVATE_CLOUD_PROFILE])?;
    let findings = check(&profile, parent.as_ref(), Timestamp::UNIX_EPOCH);
    let shown = |finding: &Finding| finding.span.and_then(|span| text.get(span.range())).map(str::to_owned);
    Ok(findings.iter().map(|finding| (finding.code.as_str(), shown(finding).unwrap_or_default())).collect())
}

#[test]
fn points_at_what_is_refused_and_at_conflicts() -> Result<(), Vec<Finding>> {
    assert_eq!(found(PRIVATE, None)?, []);
    assert_eq!(found(PRIVATE, Some(PARENT))?, [("LF1454", "name: m5.large".to_owned())]);
    let unknown = PRIVATE.replace("  parent: base\n", "  parent: base\n  type: aws\n");
    assert_eq!(found(&unknown, None)?.first().map(|(code, _)| *code), Some("LF1452"));
    let lacking =
        PRIVATE.replace("parent: base\n", "parent: base\n  kubernetes: {versions: [{version: 9.9.9}]}\n");
    // As admission does, it asks for the date of every version.
    let codes: Vec<&str> = found(&lacking, Some(PARENT))?.into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, ["LF1453", "LF1453", "LF1454"]);
    assert_eq!(found(&lacking, None)?, []);
    let number =
        PRIVATE.replace("base\n", "base\n  machineImages: [{name: a, versions: [{version: 16.4}]}]\n");
    let codes: Vec<&str> = found(&number, Some(PARENT))?.into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, ["LF1451"]);
    let elsewhere = PARENT.replace("name: base", "name: other");
    assert_eq!(found(PRIVATE, Some(&elsewhere))?, [("LF1453", "base".to_owned())]);
    Ok(())
}

#[test]
fn what_is_wrong_alone_and_beside_the_parent_is_reported_in_one_run() -> Result<(), Vec<Finding>> {
    let both = PRIVATE.replace(
        "parent: base\n",
        "parent: base\n  limits: {maxNodesTotal: 0}\n  kubernetes: {versions: [{version: 9.9.9}]}\n",
    );
    let codes: Vec<&str> = found(&both, Some(PARENT))?.into_iter().map(|(code, _)| code).collect();
    assert!(codes.contains(&"LF1452") && codes.contains(&"LF1453"), "{codes:?}");
    // What follows from a fault is not told besides.
    let odd =
        "parent: base\n  kubernetes: {versions: [{version: 9.x, expirationDate: '2100-01-01T00:00:00Z'}]}\n";
    let odd = PRIVATE.replace("parent: base\n", odd);
    let codes: Vec<&str> = found(&odd, Some(PARENT))?.into_iter().map(|(code, _)| code).collect();
    assert!(codes.contains(&"LF1452") && !codes.contains(&"LF1453"), "{codes:?}");
    Ok(())
}

#[test]
fn a_value_of_another_type_does_not_hide_what_else_is_wrong() -> Result<(), Vec<Finding>> {
    let odd = PRIVATE.replace(
        "parent: base\n",
        "parent: base\n  limits: {maxNodesTotal: 0}\n  regions: [7, {name: a}, {name: a}]\n  kubernetes: {versions: \
         [{version: 9.9.9}]}\n",
    );
    let found = found(&odd, Some(PARENT))?;
    let told = |code: &str, text: &str| found.iter().any(|(known, shown)| *known == code && shown == text);
    assert!(told("LF1451", "7") && told("LF1452", "0") && told("LF1453", "version: 9.9.9"), "{found:?}");
    assert!(told("LF1452", "a"), "{found:?}");
    assert_eq!(found.iter().filter(|(_, shown)| shown == "7").count(), 1, "{found:?}");
    Ok(())
}

#[test]
fn what_cannot_be_read_is_replaced_by_what_its_list_takes() -> Result<(), Vec<Finding>> {
    let odd = PRIVATE.replace(
        "parent: base\n",
        "parent: base\n  limits: {maxNodesTotal: 0}\n  regions: [{name: a, zones: [{name: z, unavailableMachineTypes: \
         [1]}]}]\n  kubernetes: {versions: [{version: 1.30, \
         expirationDate: '2100-01-01T00:00:00Z'}]}\n",
    );
    let found = found(&odd, Some(PARENT))?;
    let told = |code: &str, text: &str| found.iter().any(|(known, shown)| *known == code && shown == text);
    assert!(told("LF1451", "1") && told("LF1451", "1.30") && told("LF1452", "0"), "{found:?}");
    // A version that cannot be read is not one that the parent lacks.
    assert!(!found.iter().any(|(code, _)| *code == "LF1453"), "{found:?}");
    Ok(())
}

#[test]
fn what_comes_of_a_profile_and_its_parent_is_reported_beside_other_faults() -> Result<(), Vec<Finding>> {
    let profile = PRIVATE
        .replace("PrivateCloudProfile", "NamespacedCloudProfile")
        .replace("parent: base", "parent: {kind: CloudProfile, name: base}\n  limits: {maxNodesTotal: 0}")
        .replace("name: m5.large", "name: own")
        .replace(
            "spec:\n",
            "spec:\n  kubernetes: {versions: [{version: 1.28.6, expirationDate: '2100-01-01T00:00:00Z'}]}\n",
        );
    let parent = Document::read(PARENT, &[CLOUD_PROFILE])?.cloud_profile()?;
    let profile = Document::read(&profile, &[NAMESPACED_CLOUD_PROFILE])?;
    let found = check(&profile, Some(&parent), Timestamp::UNIX_EPOCH);
    let fields: Vec<&str> = found.iter().map(|finding| finding.field.as_str()).collect();
    assert!(fields.contains(&"spec.limits.maxNodesTotal"), "{fields:?}");
    assert!(fields.contains(&"status.cloudProfileSpec.kubernetes.versions[].expirationDate"), "{fields:?}");
    Ok(())
}

#[test]
fn a_spec_that_is_missing_is_reported_as_that() -> Result<(), Vec<Finding>> {
    let without = PRIVATE.split("spec:").next().unwrap_or_default();
    let profile = Document::read(without, &[PRIVATE_CLOUD_PROFILE])?;
    let found = check(&profile, None, Timestamp::UNIX_EPOCH);
    let told: Vec<_> = found.iter().map(|finding| (finding.code.as_str(), finding.field.as_str())).collect();
    assert_eq!(told, [("LF1451", "spec")]);
    Ok(())
}

#[test]
fn what_the_api_would_not_take_or_would_drop_is_reported() -> Result<(), Vec<Finding>> {
    let fraction = PRIVATE.replace("cpu: '4'", "cpu: 0.5");
    assert_eq!(found(&fraction, None)?, [("LF1451", "0.5".to_owned())]);
    let released = PRIVATE
        .replace("PrivateCloudProfile", "NamespacedCloudProfile")
        .replace("parent: base", "parent: {kind: CloudProfile, name: base}")
        .replace("cpu: '4'", "useable: false");
    let profile = Document::read(&released, &[NAMESPACED_CLOUD_PROFILE])?;
    let told: Vec<_> = check(&profile, None, Timestamp::UNIX_EPOCH)
        .into_iter()
        .map(|finding| (finding.code.as_str(), finding.severity, finding.help.unwrap_or_default()))
        .collect();
    let codes: Vec<_> = told.iter().map(|(code, severity, _)| (*code, *severity)).collect();
    assert_eq!(codes, [("LF1452", Severity::Warning)]);
    assert!(told.iter().all(|(.., help)| help.contains("`usable`")), "{told:?}");
    Ok(())
}

#[test]
fn of_a_version_with_a_date_the_fields_without_effect_are_reported() -> Result<(), Vec<Finding>> {
    let with = |text: &str, version: &str| {
        let image = format!("spec:\n  machineImages: [{{name: i, versions: [{version}]}}]\n");
        text.replace("spec:\n", &image)
    };
    let parent = with(PARENT, "{version: '1', cri: [{name: a}]}");
    let parent = Document::read(&parent, &[CLOUD_PROFILE])?.cloud_profile()?;
    let text = with(
        PRIVATE,
        "{version: '1', expirationDate: '2030-01-01T00:00:00Z', classification: preview, cri: [{name: b}]}",
    );
    let text = text.split("  machineTypes:").next().unwrap_or_default();
    let profile = Document::read(text, &[PRIVATE_CLOUD_PROFILE])?;
    let found = check(&profile, Some(&parent), Timestamp::UNIX_EPOCH);
    let fields: Vec<&str> = found.iter().map(|finding| finding.field.as_str()).collect();
    assert_eq!(fields, ["spec.machineImages[i].versions[1]"]);
    let help = found.first().and_then(|finding| finding.help.as_deref()).unwrap_or_default();
    assert!(help.contains("`classification`, `cri`"), "{help}");
    let shown = found.first().and_then(|finding| text.get(finding.span?.range()));
    assert!(shown.is_some_and(|shown| shown.contains("preview")), "{shown:?}");
    Ok(())
}

#[test]
fn what_is_joined_all_the_same_is_reported_once_and_as_warnings() -> Result<(), Vec<Finding>> {
    let text = PRIVATE.replace(
        "parent: base\n",
        "parent: base\n  foo: bar\n  kubernetes: {versions: [{version: 9.9.9}, {version: 1.28.6}]}\n",
    );
    let parent = Document::read(PARENT, &[CLOUD_PROFILE])?.cloud_profile()?;
    let told = |text: &str| -> Result<Vec<_>, Vec<Finding>> {
        let profile = Document::read(text, &[PRIVATE_CLOUD_PROFILE])?;
        let outcome = outcome(&profile, &parent, Timestamp::UNIX_EPOCH)?;
        let found = remarks(&profile, &parent, &outcome.conflicts, Timestamp::UNIX_EPOCH);
        assert!(found.iter().all(|finding| !finding.is_error() && finding.help.is_some()));
        Ok(found.into_iter().map(|finding| (finding.code.as_str(), finding.field)).collect())
    };
    let lacking = ("LF1454", "spec.kubernetes.versions[9.9.9]".to_owned());
    let differing = ("LF1454", "spec.machineTypes[m5.large]".to_owned());
    let unknown = ("LF1452", "spec.foo".to_owned());
    let undated = ("LF1453", "spec.kubernetes.versions[1].expirationDate".to_owned());
    assert_eq!(told(&text)?, [unknown, lacking.clone(), undated.clone(), differing.clone()]);
    assert_eq!(told(&text.replace("  foo: bar\n", ""))?, [lacking, undated, differing]);
    Ok(())
}

#[test]
fn one_fault_is_reported_once() -> Result<(), Vec<Finding>> {
    let twice = PRIVATE.replace(
        "  - {name: m5.large, cpu: '4'}\n",
        "  - {name: m5.4xlarge, cpu: '4'}\n  - {name: m5.4xlarge, cpu: '8'}\n  limits: {maxNodesTotal: 0}\n",
    );
    let parent = format!("{PARENT}  limits: {{maxNodesTotal: 5}}\n");
    let told = [("LF1452", "m5.4xlarge".to_owned()), ("LF1452", "0".to_owned())];
    assert_eq!(found(&twice, Some(&parent))?, told);
    let odd = PRIVATE.replace("cpu: '4'", "cpu: 4Foo");
    assert_eq!(found(&odd, Some(PARENT))?, [("LF1452", "4Foo".to_owned())]);
    // The memory differs besides.
    let both = PRIVATE.replace("cpu: '4'", "cpu: 4Foo, memory: 1Gi");
    let codes: Vec<&str> = found(&both, Some(PARENT))?.into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, ["LF1454", "LF1452"]);
    Ok(())
}

#[test]
fn unknown_fields_are_reported_at_their_names_with_what_to_do() -> Result<(), Vec<Finding>> {
    let text = PRIVATE.replace(
        "  parent: base\n",
        "  parent: base\n  type: aws\n  seedSelector: {a: b}\n  machineTypez: []\n",
    );
    let profile = Document::read(&text, &[PRIVATE_CLOUD_PROFILE])?;
    let told: Vec<_> = check(&profile, None, Timestamp::UNIX_EPOCH)
        .into_iter()
        .map(|finding| {
            let shown = finding.span.and_then(|span| text.get(span.range())).map(str::to_owned);
            (shown.unwrap_or_default(), finding.help.unwrap_or_default())
        })
        .collect();
    let expected = [("type", "parent"), ("seedSelector", "parent"), ("machineTypez", "`machineTypes`")];
    let shown: Vec<&str> = told.iter().map(|(shown, _)| shown.as_str()).collect();
    assert_eq!(shown, expected.map(|(shown, _)| shown));
    for ((_, help), (_, word)) in told.iter().zip(expected) {
        assert!(help.contains(word), "{help}");
    }
    Ok(())
}

#[test]
fn a_cloud_profile_has_no_parent() -> Result<(), Vec<Finding>> {
    let profile = Document::read(PARENT, &[CLOUD_PROFILE])?;
    let parent = profile.cloud_profile()?;
    let told: Vec<&str> = check(&profile, Some(&parent), Timestamp::UNIX_EPOCH)
        .into_iter()
        .map(|finding| finding.code.as_str())
        .collect();
    assert_eq!(told, ["LF1450"]);
    Ok(())
}

#[test]
fn what_comes_of_both_is_reported_at_the_list_of_the_profile() -> Result<(), Vec<Finding>> {
    let versions = "kubernetes: {versions: [{version: 1.28.6, expirationDate: '2030-01-31T00:00:00Z'}]}";
    let released = PRIVATE
        .replace("PrivateCloudProfile", "NamespacedCloudProfile")
        .replace("  parent: base\n", &format!("  parent: {{kind: CloudProfile, name: base}}\n  {versions}\n"))
        .replace("cpu: '4'", "cpu: '4', gpu: '0', memory: 1Gi");
    let parent = Document::read(PARENT, &[CLOUD_PROFILE])?.cloud_profile()?;
    let profile = Document::read(&released, &[NAMESPACED_CLOUD_PROFILE])?;
    let told = check(&profile, Some(&parent), Timestamp::UNIX_EPOCH);
    let told: Vec<_> = told
        .iter()
        .map(|finding| {
            let shown = finding.span.and_then(|span| released.get(span.range())).unwrap_or_default();
            (finding.code.as_str(), finding.field.as_str(), shown, finding.help.is_some())
        })
        .collect();
    let field = "status.cloudProfileSpec.kubernetes.versions[].expirationDate";
    assert_eq!(told, [("LF1453", field, "kubernetes", true)]);
    Ok(())
}
