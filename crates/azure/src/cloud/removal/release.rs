//! What a cluster only uses stays, and loses the cluster's tag alone.

use serde::Deserialize;
use serde_json::json;

use super::names::{Owner, Tags};
use crate::cloud::api_versions::Api;
use crate::cloud::arm::Arm;
use crate::cloud::described::Described;
use crate::cloud::fault::Fault;
use crate::cloud::operations::Begun;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Properties {
    tags: Tags,
}

/// The path of the tags of something.
fn path(id: &str) -> String {
    format!("{id}/providers/Microsoft.Resources/tags/default")
}

/// The cluster's tags on something.
async fn own_tags(arm: &Arm, owner: &Owner, id: &str) -> Result<Tags, Fault> {
    let described = arm.find::<Described<Properties>>(Api::TAGS, &path(id), &[]).await?.unwrap_or_default();
    Ok(described.properties.tags.into_iter().filter(|(key, _)| owner.is_tag(key)).collect())
}

/// Whether something carries the cluster's tag.
pub(super) async fn is_tagged(arm: &Arm, owner: &Owner, id: &str) -> Result<bool, Fault> {
    Ok(!own_tags(arm, owner, id).await?.is_empty())
}

/// Begins to take the cluster's tag off something. The tags of others are not touched, whoever changes them
/// meanwhile.
pub(super) async fn release(arm: &Arm, owner: &Owner, id: &str) -> Result<Begun, Fault> {
    let tags = own_tags(arm, owner, id).await?;
    if tags.is_empty() {
        return Ok(Begun::Ended);
    }
    let body = json!({ "operation": "Delete", "properties": { "tags": tags } });
    arm.begin_patch(Api::TAGS, &path(id), &body).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::scripted::scripted;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    #[tokio::test]
    async fn only_the_cluster_s_tag_is_taken_off() -> Outcome {
        const LATER: &[(&str, &str)] = &[("location", "https://management.example.com/results/1")];
        let used =
            r#"{"properties": {"tags": {"kubernetes.io_cluster.demo-bcd24": "shared", "team": "moon"}}}"#;
        let free = r#"{"properties": {"tags": {"team": "moon"}}}"#;
        let (arm, script) = scripted(&[
            (200, &[], used),
            (200, &[], free),
            (200, &[], free),
            (200, &[], free),
            (200, &[], used),
            (202, LATER, ""),
        ])?;
        let owner = Owner::new("demo-bcd24");
        let id = "/subscriptions/s/resourceGroups/net";
        let begun = async || release(&arm, &owner, id).await.map_err(|fault| fault.message);
        assert!(matches!(begun().await?, Begun::Ended));
        assert_eq!(is_tagged(&arm, &owner, id).await, Ok(false));
        let expected = "PATCH https://management.example.com/subscriptions/s/resourceGroups/net/providers/\
                        Microsoft.Resources/tags/default?api-version=2021-04-01";
        assert_eq!(script.asked().get(1).map(String::as_str), Some(expected));
        // What has lost it is not asked to lose it again, and nothing is waited for.
        assert!(matches!(begun().await?, Begun::Ended));
        assert!(matches!(begun().await?, Begun::Going(Some(_))));
        assert_eq!(script.asked().len(), 6);
        Ok(())
    }
}
