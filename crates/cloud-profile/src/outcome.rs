//! What comes of a profile in a file that is joined with its parent.

use jiff::Timestamp;
use landfall_diagnostics::Finding;
use serde::Serialize;

use super::admission::ProfileKind;
use super::check::another_parent;
use super::clean::clean;
use super::document::Document;
use super::types::{
    CloudProfile, Conflict, NamespacedCloudProfile, NamespacedCloudProfileSpec, NamespacedCloudProfileStatus,
    PrivateCloudProfile, PrivateCloudProfileSpec, PrivateCloudProfileStatus,
};
use super::{released, render, status};

/// What comes of a profile that is joined with its parent.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The profile without what has expired, with its status.
    pub profile: Inheriting,
    /// What clusters that refer to the profile may use.
    pub rendered: CloudProfile,
    /// Where the parent is preferred.
    pub conflicts: Vec<Conflict>,
}

/// A profile that inherits, of either kind.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Inheriting {
    /// Of the kind that was proposed.
    Private(Box<PrivateCloudProfile>),
    /// Of the kind that was released.
    Released(Box<NamespacedCloudProfile>),
}

/// Joins a profile with its parent, after it was rid of what has expired.
///
/// # Errors
/// The profile has another parent, or one of its values is of the wrong type.
pub fn outcome(profile: &Document, parent: &CloudProfile, now: Timestamp) -> Result<Outcome, Vec<Finding>> {
    let kind = ProfileKind::of(profile.kind).unwrap_or(ProfileKind::Private);
    if kind.parent(&profile.object) != Some(parent.name()) {
        return Err(another_parent(profile, kind, parent));
    }
    match kind {
        ProfileKind::Private => private(profile, parent, now),
        ProfileKind::Released => released(profile, parent, now),
    }
}

fn private(document: &Document, parent: &CloudProfile, now: Timestamp) -> Result<Outcome, Vec<Finding>> {
    let spec: PrivateCloudProfileSpec = document.part("spec")?;
    // Of the status that there is, only the condition is of use: since when it holds.
    let before: PrivateCloudProfileStatus = document.part("status").unwrap_or_default();
    let mut profile = document.with(clean(&spec, now, true).spec, Some(before));
    let rendered = render::render(&parent.spec, &profile.spec);
    let conflicts = rendered.conflicts.clone();
    let whole = status::cloud_profile(&profile.api_version, profile.name(), rendered.spec.clone());
    profile.status = Some(status::rendered(&profile, rendered));
    Ok(Outcome { profile: Inheriting::Private(Box::new(profile)), rendered: whole, conflicts })
}

fn released(document: &Document, parent: &CloudProfile, now: Timestamp) -> Result<Outcome, Vec<Finding>> {
    let spec: NamespacedCloudProfileSpec = document.part("spec")?;
    let spec = released::stored(None, &released::default(&spec), now);
    let rendered = released::render(&parent.spec, &spec);
    let observed_generation = document.value("metadata.generation").and_then(serde_json::Value::as_i64);
    let status =
        NamespacedCloudProfileStatus { cloud_profile_spec: Some(rendered.clone()), observed_generation };
    let profile = document.with(spec, Some(status));
    let whole = status::cloud_profile(&profile.api_version, profile.name(), rendered);
    Ok(Outcome { profile: Inheriting::Released(Box::new(profile)), rendered: whole, conflicts: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::super::instant::instant;
    use super::super::types::{CLOUD_PROFILE, NAMESPACED_CLOUD_PROFILE, PRIVATE_CLOUD_PROFILE};
    use super::*;
    use serde_json::{Value, json};

    const PARENT: &str = "apiVersion: core.gardener.cloud/v1beta1\nkind: CloudProfile\nmetadata: {name: base}\n\
                          spec:\n  type: aws\n  kubernetes: {versions: [{version: 1.28.6}]}\n";

    fn joined(kind: &str, parent: &str, now: &str) -> Result<Value, Vec<Finding>> {
        let reference = match kind {
            PRIVATE_CLOUD_PROFILE => json!(parent),
            _ => json!({"kind": CLOUD_PROFILE, "name": parent}),
        };
        let text = json!({
            "apiVersion": "core.gardener.cloud/v1beta1",
            "kind": kind,
            "metadata": {"name": "own", "namespace": "n", "generation": 7},
            "spec": {
                "parent": reference,
                "kubernetes": {"versions": [{"version": "1.28.6", "expirationDate": "2024-06-06T00:00:00Z"}]},
                "machineTypes": [{"name": "m5.large", "architecture": "amd64"}],
            },
        });
        let document = Document::read(&text.to_string(), &[PRIVATE_CLOUD_PROFILE, NAMESPACED_CLOUD_PROFILE])?;
        let parent = Document::read(PARENT, &[CLOUD_PROFILE])?.cloud_profile()?;
        let outcome = outcome(&document, &parent, instant(now).unwrap_or_default())?;
        assert_eq!(outcome.rendered.name(), "own");
        Ok(serde_json::to_value(&outcome.profile).unwrap_or_default())
    }

    #[test]
    fn the_whole_profile_has_its_status() -> Result<(), Vec<Finding>> {
        let early = joined(PRIVATE_CLOUD_PROFILE, "base", "2024-01-01T00:00:00Z")?;
        let date = "/kubernetes/versions/0/expirationDate";
        let of = |value: &Value, path: &str| value.pointer(&format!("{path}{date}")).cloned();
        assert_eq!(of(&early, "/status/cloudProfile/spec"), Some(json!("2024-06-06T00:00:00Z")));
        assert_eq!(early.pointer("/status/observedGeneration"), Some(&json!(7)));
        assert_eq!(early.pointer("/status/conditions/0/reason"), Some(&json!("RenderedCleanly")));
        assert_eq!(early.pointer("/metadata/namespace"), Some(&json!("n")));
        let late = joined(PRIVATE_CLOUD_PROFILE, "base", "2025-01-01T00:00:00Z")?;
        assert_eq!(of(&late, "/status/cloudProfile/spec"), None);
        assert_eq!(late.pointer("/spec/kubernetes"), None);
        Ok(())
    }

    #[test]
    fn the_released_kind_keeps_its_own_form() -> Result<(), Vec<Finding>> {
        let early = joined(NAMESPACED_CLOUD_PROFILE, "base", "2024-01-01T00:00:00Z")?;
        assert_eq!(early.pointer("/status/cloudProfileSpec/machineTypes/0/usable"), Some(&json!(true)));
        assert_eq!(early.pointer("/status/observedGeneration"), Some(&json!(7)));
        Ok(())
    }

    #[test]
    fn the_parent_must_be_the_one_that_is_named() {
        for kind in [PRIVATE_CLOUD_PROFILE, NAMESPACED_CLOUD_PROFILE] {
            let findings = joined(kind, "other", "2024-01-01T00:00:00Z").err().unwrap_or_default();
            assert_eq!(findings.first().map(|finding| finding.code.as_str()), Some("LF1453"));
        }
    }
}
