//! What the status of a private profile says.

use serde_json::Value;

use super::render::Rendered;
use super::types::{
    CLOUD_PROFILE, CloudProfile, CloudProfileSpec, Condition, Object, PrivateCloudProfile,
    PrivateCloudProfileStatus,
};

/// The condition that says whether a profile was joined with its parent.
pub const RENDERED: &str = "Rendered";
/// The reason of a profile that agrees with its parent.
pub const RENDERED_CLEANLY: &str = "RenderedCleanly";
/// The reason of a profile that says something else than its parent.
pub const CONFLICTS: &str = "Conflicts";
/// The reason of a profile whose parent there is not.
pub const PARENT_NOT_FOUND: &str = "ParentNotFound";
/// The reason of a profile whose parent has a value that no cloud profile can have.
pub const PARENT_UNREADABLE: &str = "ParentUnreadable";

/// The condition of a profile that cannot be rendered until something changes; otherwise it is absent. Argo CD, Flux
/// and others that follow kstatus take it for a failure.
pub const STALLED: &str = "Stalled";

/// The condition of a profile that no admission protects; otherwise it is absent.
pub const PROTECTED: &str = "Protected";
/// Its reason.
pub const ADMISSION_MISSING: &str = "AdmissionMissing";

/// The condition [`PROTECTED`] of a profile that no admission protects. `before` are the profile's
/// conditions.
#[must_use]
pub fn unprotected(before: &[Condition], generation: Option<i64>) -> Condition {
    let same = before.iter().find(|before| before.kind == PROTECTED && before.status == "False");
    Condition {
        kind: PROTECTED.to_owned(),
        status: "False".to_owned(),
        reason: ADMISSION_MISSING.to_owned(),
        message:
            "No admission webhook protects the profile: everyone who may write it may change its Kubernetes \
                  versions and machine images. Run the controller cloud-profile-admission."
                .to_owned(),
        last_transition_time: same.and_then(|before| before.last_transition_time.clone()),
        observed_generation: generation,
    }
}

/// The status of a profile that was joined with its parent.
#[must_use]
pub fn rendered(profile: &PrivateCloudProfile, rendered: Rendered) -> PrivateCloudProfileStatus {
    let (reason, message) = match rendered.conflicts.len() {
        0 => (RENDERED_CLEANLY, "The profile is merged with its parent.".to_owned()),
        1 => (CONFLICTS, "The parent is preferred in 1 place.".to_owned()),
        conflicts => (CONFLICTS, format!("The parent is preferred in {conflicts} places.")),
    };
    PrivateCloudProfileStatus {
        cloud_profile: Some(cloud_profile(&profile.api_version, profile.name(), rendered.spec)),
        conflicts: rendered.conflicts,
        conditions: vec![condition(profile, RENDERED, "True", reason, message)],
        observed_generation: generation(profile),
    }
}

/// The status of a profile whose parent there is not: what was joined before stays.
#[must_use]
pub fn parent_not_found(profile: &PrivateCloudProfile) -> PrivateCloudProfileStatus {
    let message = format!("There is no cloud profile `{}`.", profile.spec.parent);
    not_rendered(profile, PARENT_NOT_FOUND, message)
}

/// The status of a profile whose parent cannot be read: what was joined before stays.
#[must_use]
pub fn parent_unreadable(profile: &PrivateCloudProfile) -> PrivateCloudProfileStatus {
    let parent = &profile.spec.parent;
    let message = format!("A field of the cloud profile `{parent}` has the wrong type.");
    not_rendered(profile, PARENT_UNREADABLE, message)
}

fn not_rendered(profile: &PrivateCloudProfile, reason: &str, message: String) -> PrivateCloudProfileStatus {
    PrivateCloudProfileStatus {
        conditions: vec![
            condition(profile, RENDERED, "False", reason, message.clone()),
            condition(profile, STALLED, "True", reason, message),
        ],
        ..profile.status.clone().unwrap_or_default()
    }
}

/// What was rendered as the cloud profile that stands in the status of the private profile `name`, which is of this
/// group and version.
#[must_use]
pub fn cloud_profile(api_version: &str, name: &str, spec: CloudProfileSpec) -> CloudProfile {
    Object {
        api_version: api_version.to_owned(),
        kind: CLOUD_PROFILE.to_owned(),
        metadata: [("name".to_owned(), name.into())].into_iter().collect(),
        spec,
        status: None,
    }
}

/// A condition; since when is known only if it was the same before.
fn condition(
    profile: &PrivateCloudProfile,
    kind: &str,
    status: &str,
    reason: &str,
    message: String,
) -> Condition {
    let mut before = profile.status.iter().flat_map(|status| &status.conditions);
    let same = before.find(|before| before.kind == kind && before.status == status);
    Condition {
        kind: kind.to_owned(),
        status: status.to_owned(),
        reason: reason.to_owned(),
        message,
        last_transition_time: same.and_then(|before| before.last_transition_time.clone()),
        observed_generation: generation(profile),
    }
}

fn generation(profile: &PrivateCloudProfile) -> Option<i64> {
    profile.metadata.get("generation").and_then(Value::as_i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::render;
    use crate::types::API_VERSIONS;
    use serde_json::json;

    fn profile() -> serde_json::Result<PrivateCloudProfile> {
        serde_json::from_value(json!({
            "apiVersion": API_VERSIONS[1],
            "kind": "PrivateCloudProfile",
            "metadata": {"name": "p", "namespace": "n", "generation": 3},
            "spec": {"parent": "gone", "limits": {"maxNodesTotal": 5}},
            "status": {
                "cloudProfile": {"apiVersion": API_VERSIONS[1], "kind": CLOUD_PROFILE, "spec": {"type": "aws"}},
                "conditions": [
                    {"type": "Rendered", "status": "True", "lastTransitionTime": "2024-06-06T01:02:03Z"},
                ],
                "observedGeneration": 2,
            },
        }))
    }

    #[test]
    fn a_rendered_profile_is_in_the_status_as_a_whole_object() -> serde_json::Result<()> {
        let profile = profile()?;
        let parent: CloudProfileSpec = serde_json::from_value(json!({"type": "aws"}))?;
        let status = rendered(&profile, render(&parent, &profile.spec));
        assert_eq!(
            serde_json::to_value(&status)?,
            json!({
                "cloudProfile": {
                    "apiVersion": API_VERSIONS[1],
                    "kind": "CloudProfile",
                    "metadata": {"name": "p"},
                    "spec": {"type": "aws", "limits": {"maxNodesTotal": 5}},
                },
                "conditions": [{
                    "type": "Rendered",
                    "status": "True",
                    "reason": "RenderedCleanly",
                    "message": "The profile is merged with its parent.",
                    "lastTransitionTime": "2024-06-06T01:02:03Z",
                    "observedGeneration": 3,
                }],
                "observedGeneration": 3,
            })
        );
        Ok(())
    }

    #[test]
    fn without_a_parent_the_last_result_stays() -> serde_json::Result<()> {
        let profile = profile()?;
        let status = parent_not_found(&profile);
        let before = profile.status.clone().unwrap_or_default();
        assert_eq!(status.cloud_profile, before.cloud_profile);
        assert_eq!(status.observed_generation, Some(2));
        let told: Vec<_> = status.conditions.iter().map(|c| (&*c.status, &*c.reason)).collect();
        assert_eq!(told, [("False", "ParentNotFound"), ("True", "ParentNotFound")]);
        assert!(status.conditions.iter().all(|c| c.last_transition_time.is_none()));
        Ok(())
    }
}
