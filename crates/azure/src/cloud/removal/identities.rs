//! The roles that identities of a cluster have outside of what goes with them.

use futures::future::join_all;
use landfall_platform::removal::{Discovered, Resource};
use serde::Deserialize;

use super::holdings::Holdings;
use super::kinds::{IDENTITIES, ROLE_ASSIGNMENT};
use super::names::is_within;
use super::{Ask, unseen};
use crate::cloud::api_versions::Api;
use crate::cloud::described::Described;
use crate::cloud::gather::resource;
use crate::cloud::subscription::is_id;

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct OfIdentity {
    principal_id: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct OfAssignment {
    scope: String,
    principal_id: String,
}

/// The role assignments of the cluster's identities in the subscription, but for those that go with the
/// cluster's group.
pub(super) async fn role_assignments(ask: &Ask<'_>, found: &Holdings) -> Discovered {
    let mut out = Discovered::default();
    if ask.hub {
        return out;
    }
    for principal in principals(ask, found, &mut out).await {
        let subscription = resource::subscription(&ask.subscription);
        let path = format!("{subscription}/providers/Microsoft.Authorization/roleAssignments");
        let filter = format!("principalId eq '{principal}'");
        let query = [("$filter", filter.as_str())];
        match ask.arm.list::<Described<OfAssignment>>(Api::ROLE_ASSIGNMENTS, &path, &query).await {
            Ok(listed) => {
                let own = listed.into_iter().filter(|assignment| {
                    let OfAssignment { scope, principal_id } = &assignment.properties;
                    principal_id.eq_ignore_ascii_case(&principal)
                        && is_within(&assignment.id, &subscription)
                        && is_within(scope, &subscription)
                        && !found.goes_with_group(scope)
                });
                out.things.extend(own.map(thing));
            }
            Err(fault) => out.unseen.push(unseen("the roles of the cluster's identity", &fault)),
        }
    }
    out
}

/// The identities of the cluster, as the directory knows them.
async fn principals(ask: &Ask<'_>, found: &Holdings, out: &mut Discovered) -> Vec<String> {
    let asked = found.own.iter().filter(|own| own.is_of(IDENTITIES)).map(|own| {
        Box::pin(
            async move { (own, ask.arm.find::<Described<OfIdentity>>(Api::IDENTITIES, &own.id, &[]).await) },
        )
    });
    let mut all = Vec::new();
    for (own, answer) in join_all(asked).await {
        match answer {
            Ok(identity) => all.extend(identity.map(|identity| identity.properties.principal_id)),
            Err(fault) => out.unseen.push(unseen(&format!("the managed identity `{}`", own.name), &fault)),
        }
    }
    // Each stands in a question.
    all.retain(|id| is_id(id));
    all
}

fn thing(assignment: Described<OfAssignment>) -> Resource {
    Resource::removed(&ROLE_ASSIGNMENT, assignment.id, format!("on {}", assignment.properties.scope))
}

#[cfg(test)]
mod tests {
    use super::super::holdings::Holding;
    use super::*;
    use crate::cloud::scripted::{Scripted, scripted};

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    const IDENTITY: Scripted =
        (200, &[], r#"{"properties": {"principalId": "00000000-0000-4000-8000-000000000001"}}"#);
    const ROLES: Scripted = (
        200,
        &[],
        r#"{"value": [
            {"id": "/subscriptions/s/resourceGroups/net/providers/Microsoft.Authorization/roleAssignments/1",
             "properties": {"scope": "/subscriptions/s/resourceGroups/net",
                            "principalId": "00000000-0000-4000-8000-000000000001"}},
            {"id": "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Authorization/roleAssignments/2",
             "properties": {"scope": "/subscriptions/s/resourceGroups/RG",
                            "principalId": "00000000-0000-4000-8000-000000000001"}},
            {"id": "/subscriptions/s/providers/Microsoft.Authorization/roleAssignments/3",
             "properties": {"scope": "/subscriptions/s",
                            "principalId": "00000000-0000-4000-8000-000000000002"}},
            {"id": "/providers/Microsoft.Management/x/providers/Microsoft.Authorization/roleAssignments/4",
             "properties": {"scope": "/providers/Microsoft.Management/x",
                            "principalId": "00000000-0000-4000-8000-000000000001"}}
        ]}"#,
    );

    #[tokio::test]
    async fn roles_elsewhere_are_found_by_who_has_them() -> Outcome {
        let (arm, script) = scripted(&[IDENTITY, ROLES])?;
        let ask = Ask::of_test(&arm);
        let group = Holding { id: "/subscriptions/s/resourceGroups/rg".to_owned(), ..Holding::default() };
        let identity = Holding {
            id: format!("{}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/i", group.id),
            kind: "Microsoft.ManagedIdentity/userAssignedIdentities".to_owned(),
            ..Holding::default()
        };
        let found = Holdings { whole: vec![group], own: vec![identity], ..Holdings::default() };
        let out = role_assignments(&ask, &found).await;
        let names: Vec<&str> = out.things.iter().map(|thing| thing.name.as_str()).collect();
        assert_eq!(names, ["on /subscriptions/s/resourceGroups/net"]);
        assert_eq!(script.asked().len(), 2);
        let hub = role_assignments(&Ask { hub: true, ..ask }, &found).await;
        assert!(hub.things.is_empty());
        Ok(())
    }
}
