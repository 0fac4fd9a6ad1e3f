//! Every call that the native engine makes is within what `create permissions-policy` prints.

use std::collections::BTreeSet;

use super::super::arm::Recorded;
use super::super::shape::kind_of;
use super::site::Site;

/// The action that a call needs; none for calls of everybody and for blobs, which the account's key opens.
fn action(one: &Recorded) -> Option<String> {
    let path = one.call.path.as_str();
    if one.call.host.contains(".blob.") || !path.starts_with("/subscriptions/") {
        return None;
    }
    // Whoever began an operation may ask after it.
    if path.contains("/operations/") || path.contains("/operationresults/") {
        return None;
    }
    let kind = kind_of(path).to_lowercase();
    let is_group = kind == "microsoft.resources/resourcegroups";
    let kind = if is_group { "microsoft.resources/subscriptions/resourcegroups".to_owned() } else { kind };
    let verb = match one.call.method.as_str() {
        "PUT" | "PATCH" => "write",
        "DELETE" => "delete",
        "POST" => return Some(format!("{}/action", kind_with_action(path))),
        _ => "read",
    };
    Some(format!("{kind}/{verb}"))
}

/// The kind in the path of a POST, with what is to be done.
fn kind_with_action(path: &str) -> String {
    let (resource, action) = path.rsplit_once('/').unwrap_or_default();
    format!("{}/{action}", kind_of(resource).to_lowercase())
}

#[test]
fn the_engine_calls_what_the_policy_allows() {
    let site = Site::new("", "", |text, _| text);
    let role = site.policy();
    let allowed: BTreeSet<String> = role["Actions"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| Some(one.as_str()?.to_lowercase()))
        .collect();
    assert!(allowed.len() > 50, "{role}");
    // Preflight and destroy read in other ways than the engine, and have tests of their own.
    let begun = site.azure.asked().len();
    let id = site.create(&[])["infraID"].as_str().unwrap().to_owned();
    let rules = Site::in_group(&id, &format!("Microsoft.Network/networkSecurityGroups/{id}-nsg"));
    site.azure.edit(|tree| {
        tree.at(&rules)["tags"] = serde_json::json!({});
        tree.at(&rules)["properties"]["securityRules"][0]["properties"]["access"] = "Deny".into();
    });
    site.create(&[]);
    site.destroy_bootstrap();
    let asked = site.azure.asked();
    let of_cluster = asked.iter().skip(begun).filter(|one| one.call.path.contains(&id.to_lowercase()));
    let needed: BTreeSet<String> = of_cluster.filter_map(action).collect();
    for part in ["/tags/write", "/virtualmachines/write", "/storageaccounts/listkeys/action", "/delete"] {
        assert!(needed.iter().any(|action| action.ends_with(part)), "{part}: {needed:?}");
    }
    let missing: Vec<&String> = needed.difference(&allowed).collect();
    assert!(missing.is_empty(), "the policy lacks {missing:?}");
}
