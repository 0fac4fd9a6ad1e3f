//! What the caller may do: what role assignments give on the subscription, and on the user's own groups.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::join_all;
use landfall_model::azure::config::Platform;
use landfall_platform::cloud::Answer;
use serde::Deserialize;

use super::not_proven;
use crate::cloud::api_versions::Api;
use crate::cloud::fault::{Fault, Sort};
use crate::cloud::gather::resource;
use crate::cloud::session::Session;

/// What one role gives where it is assigned. Conditions of assignments are not looked at.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Grant {
    actions: Vec<String>,
    not_actions: Vec<String>,
    data_actions: Vec<String>,
    not_data_actions: Vec<String>,
}

/// What an action is done to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plane {
    /// Resources.
    Resources,
    /// What is in them, such as blobs.
    Data,
}

impl Grant {
    fn allows(&self, plane: Plane, action: &str) -> bool {
        let any = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, action));
        match plane {
            Plane::Resources => any(&self.actions) && !any(&self.not_actions),
            Plane::Data => any(&self.data_actions) && !any(&self.not_data_actions),
        }
    }
}

/// Whether an action fits a pattern, in which a star stands for any text.
fn matches(pattern: &str, action: &str) -> bool {
    let (pattern, action) = (pattern.to_ascii_lowercase(), action.to_ascii_lowercase());
    let mut parts: Vec<&str> = pattern.split('*').collect();
    let Some(last) = parts.pop() else {
        return false;
    };
    let mut parts = parts.into_iter();
    let Some(first) = parts.next() else {
        return action == last;
    };
    let Some(mut rest) = action.strip_prefix(first) else {
        return false;
    };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else {
            return false;
        };
        rest = after;
    }
    rest.ends_with(last)
}

/// What the caller may do.
#[derive(Clone, Debug, Default)]
pub(super) struct Rights {
    /// On the subscription; none where nobody may list them.
    subscription: Option<Vec<Grant>>,
    /// On groups, with what the subscription gives there; none where nobody may list them. A group that is not
    /// there is missing.
    groups: BTreeMap<String, Option<Vec<Grant>>>,
    /// Why rights are not to be seen.
    pub(super) unseen: Vec<Fault>,
}

/// Whether the caller may do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Right {
    Allowed,
    Denied,
    /// It rests on a scope whose rights nobody may list.
    NotProven,
}

impl Rights {
    /// Whether the caller may do something where a cluster of this config needs it.
    pub(super) fn of(&self, plane: Plane, action: &str, platform: &Platform) -> Right {
        let right = |grants: Option<&[Grant]>| match grants {
            Some(grants) if grants.iter().any(|grant| grant.allows(plane, action)) => Right::Allowed,
            Some(_) => Right::Denied,
            None => Right::NotProven,
        };
        let whole = right(self.subscription.as_deref());
        let groups = groups_of(action, platform);
        if whole == Right::Allowed || groups.is_empty() {
            return whole;
        }
        let on = |group: &&str| self.groups.get(*group).map_or(whole, |own| right(own.as_deref()));
        let own = groups.iter().map(on);
        let own: Vec<Right> = own.collect();
        let first = |wanted: Right| own.contains(&wanted).then_some(wanted);
        first(Right::Denied).or_else(|| first(Right::NotProven)).unwrap_or(Right::Allowed)
    }
}

/// The groups of the user's own on which a right suffices, if it is had on all of them; none where it is
/// needed on the subscription, as for a group that is not made yet.
fn groups_of<'p>(action: &str, platform: &'p Platform) -> Vec<&'p str> {
    const GROUPS: &str = "microsoft.resources/subscriptions/resourcegroups/";
    const OF_SUBSCRIPTIONS: &[&str] = &[
        "microsoft.compute/locations/",
        "microsoft.marketplaceordering/",
        "microsoft.resources/subscriptions/",
    ];
    let action = action.to_ascii_lowercase();
    let begins = |beginning: &str| action.starts_with(beginning);
    let cluster = platform.resource_group_name.as_str();
    let existing = !platform.virtual_network.is_empty();
    let network = platform.network_resource_group_name.as_str();
    let groups = if begins("microsoft.network/dnszones/") {
        vec![platform.base_domain_resource_group_name.as_str()]
    } else if begins("microsoft.network/virtualnetworks/") && existing {
        vec![network]
    } else if begins("microsoft.authorization/") && existing {
        vec![cluster, network]
    } else if OF_SUBSCRIPTIONS.iter().any(|beginning| begins(beginning)) && !begins(GROUPS) {
        Vec::new()
    } else {
        vec![cluster]
    };
    if groups.contains(&"") { Vec::new() } else { groups }
}

/// The groups that the config names, in which the cluster makes something.
fn groups(platform: &Platform) -> BTreeSet<&str> {
    let named = [
        platform.resource_group_name.as_str(),
        platform.network_resource_group_name.as_str(),
        platform.base_domain_resource_group_name.as_str(),
    ];
    named.into_iter().filter(|name| !name.is_empty()).collect()
}

/// Asks for the caller's rights.
///
/// # Errors
/// The answer of a check that rests on them: nobody says what they are.
pub(super) async fn rights(session: &Session<'_>) -> Result<Rights, Answer> {
    let arm = session.arm().await?;
    let subscription = session.subscription().await?;
    let mut calls = Vec::new();
    let of_groups = groups(session.platform).into_iter().map(Some);
    for group in std::iter::once(None).chain(of_groups) {
        let scope = match group {
            Some(name) => resource::group(&subscription, name),
            None => resource::subscription(&subscription),
        };
        calls.push(Box::pin(async move {
            let path = format!("{scope}/providers/Microsoft.Authorization/permissions");
            (group, arm.list::<Grant>(Api::PERMISSIONS, &path, &[]).await)
        }));
    }
    let mut rights = Rights::default();
    let answers = join_all(calls).await;
    let asked = answers.len();
    for (group, answer) in answers {
        match (group, answer) {
            (None, Ok(grants)) => rights.subscription = Some(grants),
            (Some(name), Ok(grants)) => {
                rights.groups.insert(name.to_owned(), Some(grants));
            }
            (group, Err(fault)) if matches!(fault.sort, Sort::Denied | Sort::NotFound) => {
                if let Some(name) = group.filter(|_| fault.sort == Sort::Denied) {
                    rights.groups.insert(name.to_owned(), None);
                }
                rights.unseen.push(fault);
            }
            (_, Err(fault)) => return Err(not_proven(&fault)),
        }
    }
    match rights.unseen.first() {
        Some(fault) if rights.unseen.len() == asked => Err(not_proven(fault)),
        _ => Ok(rights),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::described::of_text;

    const ROLE: &str = "Microsoft.Authorization/roleAssignments/write";

    fn grant(actions: &[&str], not_actions: &[&str]) -> Grant {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Grant { actions: owned(actions), not_actions: owned(not_actions), ..Grant::default() }
    }

    #[test]
    fn a_star_stands_for_any_text() {
        let action = "Microsoft.Network/virtualNetworks/subnets/write";
        for fitting in [
            "*",
            "*/write",
            "Microsoft.Network/*",
            "microsoft.network/virtualnetworks/subnets/WRITE",
            "Microsoft.Network/*/write",
            "*Network*/subnets/*",
            "Microsoft.*/virtualNetworks/*/write",
        ] {
            assert!(matches(fitting, action), "{fitting}");
        }
        for other in [
            "",
            "*/read",
            "Microsoft.Compute/*",
            "Microsoft.Network/virtualNetworks/write",
            "Microsoft.Network/virtualNetworks",
            "Microsoft.Network/virtualNetworks/subnets/write/*",
            "*/writes",
            "*subnets*Network*",
        ] {
            assert!(!matches(other, action), "{other}");
        }
    }

    #[test]
    fn what_a_role_leaves_out_another_may_give() {
        let text = r#"[{"actions": ["*"], "notActions": ["Microsoft.Authorization/*/Write"],
            "dataActions": [], "condition": null}]"#;
        let contributor: Vec<Grant> = of_text(text).unwrap_or_default();
        let platform = Platform::default();
        let right = |grants: &[Grant], action: &str| {
            Rights { subscription: Some(grants.to_vec()), ..Rights::default() }.of(
                Plane::Resources,
                action,
                &platform,
            )
        };
        assert_eq!(right(&contributor, "Microsoft.Compute/virtualMachines/write"), Right::Allowed);
        assert_eq!(right(&contributor, ROLE), Right::Denied);
        let mut both = contributor;
        both.push(grant(&["Microsoft.Authorization/roleAssignments/*"], &[]));
        assert_eq!(right(&both, ROLE), Right::Allowed);
    }

    #[test]
    fn what_is_done_to_data_is_granted_by_itself() {
        const WRITE: &str = "Microsoft.Storage/storageAccounts/blobServices/containers/blobs/write";
        let right = |text: &str| {
            let grants: Vec<Grant> = of_text(text).unwrap_or_default();
            let rights = Rights { subscription: Some(grants), ..Rights::default() };
            rights.of(Plane::Data, WRITE, &Platform::default())
        };
        assert_eq!(right(r#"[{"actions": ["*"], "dataActions": []}]"#), Right::Denied);
        let blobs = r#"[{"dataActions": ["Microsoft.Storage/*/blobs/write"], "notDataActions": null}]"#;
        assert_eq!(right(blobs), Right::Allowed);
        assert_eq!(right(r#"[{"dataActions": ["*"], "notDataActions": ["*/write"]}]"#), Right::Denied);
    }

    #[test]
    fn rights_on_groups_suffice_where_everything_is_in_them() {
        let mut platform = Platform {
            resource_group_name: "cluster-rg".to_owned(),
            base_domain_resource_group_name: "dns-rg".to_owned(),
            ..Platform::default()
        };
        let groups = [
            ("cluster-rg".to_owned(), Some(vec![grant(&["*"], &[])])),
            ("dns-rg".to_owned(), Some(vec![grant(&["Microsoft.Network/dnsZones/*"], &[])])),
        ];
        let rights = Rights { subscription: Some(Vec::new()), groups: groups.into(), ..Rights::default() };
        let allows = |action: &str, platform: &Platform| {
            rights.of(Plane::Resources, action, platform) == Right::Allowed
        };
        let machine = "Microsoft.Compute/virtualMachines/write";
        assert!(allows(machine, &platform));
        assert!(allows("Microsoft.Network/dnsZones/CNAME/write", &platform));
        assert!(allows("Microsoft.Resources/subscriptions/resourceGroups/read", &platform));
        assert!(!allows("Microsoft.Resources/subscriptions/locations/read", &platform));
        assert!(allows(ROLE, &platform));
        platform.virtual_network = "vnet".to_owned();
        platform.network_resource_group_name = "net-rg".to_owned();
        assert!(!allows(ROLE, &platform));
        assert!(!allows("Microsoft.Network/virtualNetworks/subnets/join/action", &platform));
        platform.resource_group_name = String::new();
        assert!(!allows(machine, &platform));
    }

    #[test]
    fn what_rests_on_a_scope_that_is_not_to_be_seen_is_not_proven() {
        let platform = Platform {
            resource_group_name: "cluster-rg".to_owned(),
            base_domain_resource_group_name: "dns-rg".to_owned(),
            ..Platform::default()
        };
        let all = || vec![grant(&["*"], &[])];
        let groups = [("cluster-rg".to_owned(), Some(all())), ("dns-rg".to_owned(), Some(Vec::new()))];
        let mut rights = Rights { groups: groups.into(), ..Rights::default() };
        let (machine, record) =
            ("Microsoft.Compute/virtualMachines/write", "Microsoft.Network/dnsZones/A/write");
        assert_eq!(rights.of(Plane::Resources, machine, &platform), Right::Allowed);
        assert_eq!(rights.of(Plane::Resources, record, &platform), Right::Denied);
        let location = "Microsoft.Resources/subscriptions/locations/read";
        assert_eq!(rights.of(Plane::Resources, location, &platform), Right::NotProven);
        assert_eq!(rights.of(Plane::Resources, machine, &Platform::default()), Right::NotProven);
        rights.subscription = Some(Vec::new());
        assert_eq!(rights.of(Plane::Resources, location, &platform), Right::Denied);
        rights.groups.insert("dns-rg".to_owned(), None);
        assert_eq!(rights.of(Plane::Resources, record, &platform), Right::NotProven);
        rights.groups.remove("dns-rg");
        assert_eq!(rights.of(Plane::Resources, record, &platform), Right::Denied);
        rights.subscription = Some(all());
        assert_eq!(rights.of(Plane::Resources, record, &platform), Right::Allowed);
    }

    #[test]
    fn groups_are_asked_once() {
        let platform = Platform {
            resource_group_name: "rg".to_owned(),
            network_resource_group_name: "rg".to_owned(),
            ..Platform::default()
        };
        assert_eq!(groups(&platform), BTreeSet::from(["rg"]));
    }
}
