//! What the user brought is marked as the cluster's, before anything is made: `assets.md`, A.3 and C.1.
//!
//! That is the resource group. The mark says whose resources are in it. When the cluster is destroyed, its resources
//! are deleted and the group stays. A network of the user's is only used, and stays as it is.

use std::collections::BTreeMap;

use azure_core::http::Method;
use landfall_diagnostics::Finding;
use landfall_model::plan::Plan;
use landfall_platform::cloud::{Asked, Verdict};
use serde::Deserialize;
use serde_json::json;

use super::api_versions::Api;
use super::arm::Arm;
use super::fault::{Fault, Sort};
use super::gather::{refused, resource};
use super::session::Session;
use crate::plan::{cloud_pages, resource_group};

/// The field of the group.
const FIELD: &str = "platform.azure.resourceGroupName";

/// The action that tags a group.
const ACTION: &str = "Microsoft.Resources/subscriptions/resourceGroups/write";

/// The beginning of the tag that says to which cluster something belongs.
const OWNER: &str = "kubernetes.io_cluster";

/// The value of the tag: the group is the cluster's and nobody else's.
const OWNED: &str = "owned";

type Tags = BTreeMap<String, String>;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Described {
    tags: Tags,
}

/// Gives the cluster the resource group that the plan has of the user.
pub(super) async fn adopt(session: &Session<'_>, plan: &Plan) -> Asked<Vec<String>> {
    let azure = plan.platform.azure.as_ref();
    let Some(azure) = azure.filter(|azure| !azure.groups.existing.is_empty()) else {
        return Ok(Vec::new());
    };
    let arm = session.arm().await?;
    let (subscription, group) = (azure.account.subscription_id.as_str(), azure.groups.existing.as_str());
    own(arm, subscription, group, &plan.identity.infra_id).await
}

/// Tags a group, unless it is tagged.
async fn own(arm: &Arm, subscription: &str, group: &str, infra_id: &str) -> Asked<Vec<String>> {
    let path = resource::group(subscription, group);
    let found = arm.find::<Described>(Api::RESOURCE_GROUPS, &path, &[]).await;
    let found = found.map_err(|fault| refused(&fault, FIELD))?;
    let Described { tags } = found.ok_or_else(|| told(cloud_pages::no_group(group)))?;
    let others: Vec<&str> =
        tags.keys().map(String::as_str).filter(|key| is_of_another(key, infra_id)).collect();
    if !others.is_empty() {
        return Err(told(cloud_pages::group_owned(group, &others)));
    }
    let Some(tags) = with_owner(tags, infra_id) else {
        return Ok(Vec::new());
    };
    // The resource manager puts these in place of all that there were.
    let changed =
        arm.complete::<Described>(Method::Patch, Api::RESOURCE_GROUPS, &path, &json!({ "tags": tags })).await;
    changed.map_err(|fault| told(not_tagged(&fault)))?;
    Ok(vec![format!("the resource group `{group}` is tagged as owned by {infra_id}")])
}

fn told(finding: Finding) -> Verdict {
    Verdict::Found(Box::new(finding))
}

/// Whether a tag says that a group is another cluster's.
fn is_of_another(key: &str, infra_id: &str) -> bool {
    resource_group::owner(key).is_some_and(|owner| !owner.eq_ignore_ascii_case(infra_id))
}

/// All tags with the owner's; none where it is there.
fn with_owner(mut tags: Tags, infra_id: &str) -> Option<Tags> {
    let own = |key: &str| resource_group::owner(key).is_some();
    if tags.iter().any(|(key, value)| own(key) && value == OWNED) {
        return None;
    }
    // No two tags differ in capitals alone.
    tags.retain(|key, _| !own(key));
    tags.insert(format!("{OWNER}.{infra_id}"), OWNED.to_owned());
    Some(tags)
}

fn not_tagged(fault: &Fault) -> Finding {
    let finding = fault.finding(FIELD);
    if fault.sort == Sort::Denied {
        let help =
            format!("assign the caller a role with the action {ACTION} on the group, such as Contributor");
        return finding.help(help);
    }
    finding
}

#[cfg(test)]
mod tests {
    use super::super::scripted::scripted;
    use super::*;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    const MOST: &str = r#"{"tags": {"team": "moon", "kubernetes.io": "x"}}"#;
    const DENIED: &str = r#"{"error":{"code":"AuthorizationFailed","message":"no"}}"#;

    fn code(verdict: &Verdict) -> &'static str {
        match verdict {
            Verdict::Found(finding) => finding.code.as_str(),
            Verdict::Passed(_) | Verdict::Skipped(_) | Verdict::Unanswered(_) => "",
        }
    }

    #[tokio::test]
    async fn a_group_is_tagged_once() -> Outcome {
        let owned = r#"{"tags": {"Kubernetes.io_cluster.demo-bcd24": "owned"}}"#;
        let (arm, script) = scripted(&[(200, &[], MOST), (200, &[], owned), (200, &[], owned)])?;
        let first = own(&arm, "s", "rg", "demo-bcd24").await.map_err(|verdict| code(&verdict));
        let named = |told: &Vec<String>| {
            told.len() == 1 && told.iter().all(|line| line.contains("`rg`") && line.contains("demo-bcd24"))
        };
        assert!(first.as_ref().is_ok_and(named), "{first:?}");
        let second = own(&arm, "s", "rg", "demo-bcd24").await.map_err(|verdict| code(&verdict));
        assert_eq!(second, Ok(Vec::new()));
        let methods: Vec<String> =
            script.asked().iter().filter_map(|asked| asked.split(' ').next().map(str::to_owned)).collect();
        assert_eq!(methods, ["GET", "PATCH", "GET"]);
        Ok(())
    }

    #[tokio::test]
    async fn a_group_of_another_cluster_stays_its_own() -> Outcome {
        let other = r#"{"tags": {"kubernetes.io_cluster.other-x1y2z": "owned"}}"#;
        let gone = r#"{"error":{"code":"ResourceGroupNotFound","message":"no"}}"#;
        let (arm, script) =
            scripted(&[(200, &[], other), (404, &[], gone), (200, &[], MOST), (403, &[], DENIED)])?;
        for expected in ["LF0776", "LF0774", "LF1121"] {
            let refused = own(&arm, "s", "rg", "demo-bcd24").await.map_err(|verdict| code(&verdict));
            assert_eq!(refused, Err(expected));
        }
        assert_eq!(script.asked().len(), 4);
        Ok(())
    }

    #[test]
    fn no_other_tag_is_lost() {
        let tags = |all: &[(&str, &str)]| -> Tags {
            all.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
        };
        let expected = tags(&[("kubernetes.io_cluster.demo-bcd24", "owned"), ("team", "moon")]);
        assert_eq!(with_owner(tags(&[("team", "moon")]), "demo-bcd24"), Some(expected.clone()));
        let shared = tags(&[("KUBERNETES.io_cluster.demo-bcd24", "shared"), ("team", "moon")]);
        assert_eq!(with_owner(shared, "demo-bcd24"), Some(expected.clone()));
        assert_eq!(with_owner(expected, "demo-bcd24"), None);
    }
}
