//! What the caller may do, and whether the subscription uses the services that a cluster is made of.

use serde_json::json;

use super::answer::denied;
use super::arm::{Azure, Trouble};
use super::scene::{checks, config, group, landfall, public, subscription};
use crate::program::{Report, text};

/// A report of a caller with this role in the subscription.
fn with_role(actions: &[&str], not_actions: &[&str]) -> Report {
    let azure = Azure::start(public());
    azure.edit(|tree| {
        let path = subscription("/providers/Microsoft.Authorization/permissions");
        tree.put(&path, json!({ "value": [{ "actions": actions, "notActions": not_actions }] }));
    });
    landfall(&azure, &config("")).preflight()
}

#[test]
fn actions_that_are_missing_are_named() {
    // The role of a contributor, who may give nobody a role.
    let others = ["Microsoft.Authorization/*/Delete", "Microsoft.Authorization/*/Write"];
    let report = with_role(&["*"], &others);
    let check = report.is("azure.role-assignments", "failed").to_string();
    assert!(check.contains("Microsoft.Authorization/roleAssignments/write"), "{check}");
    report.is("azure.permissions", "passed");

    let report = with_role(&["*"], &["Microsoft.Network/loadBalancers/write"]);
    let check = report.is("azure.permissions", "failed").to_string();
    assert!(check.contains("Microsoft.Network/loadBalancers/write"), "{check}");
    assert_eq!(report.with("failed").len(), 1, "{}", report.ran);

    // Letters are written as anybody likes, and a star stands for whatever it is put for.
    let whole = [
        "microsoft.authorization/*",
        "Microsoft.Compute/*",
        "microsoft.network/*",
        "Microsoft.Storage/*",
        "Microsoft.ManagedIdentity/*",
        "Microsoft.Resources/*",
        "Microsoft.MarketplaceOrdering/*",
        "*/READ",
    ];
    let report = with_role(&whole, &[]);
    report.is("azure.permissions", "passed");
    report.is("azure.role-assignments", "passed");
}

/// What is taken away by one role may be given by another.
#[test]
fn roles_are_added_up() {
    let azure = Azure::start(public());
    azure.edit(|tree| {
        let contributor = json!({ "actions": ["*"], "notActions": ["Microsoft.Authorization/*/Write"] });
        let administrator = json!({ "actions": ["Microsoft.Authorization/*"], "notActions": [] });
        let path = subscription("/providers/Microsoft.Authorization/permissions");
        tree.put(&path, json!({ "value": [contributor, administrator] }));
    });
    landfall(&azure, &config("")).preflight().passes();
}

#[test]
fn what_cannot_be_asked_is_not_proven() {
    let hidden = |_: &crate::front::Asked| denied("Microsoft.Authorization/permissions/read");
    let azure = Azure::start(public().with(Trouble::always("/microsoft.authorization/permissions", hidden)));
    let report = landfall(&azure, &config("")).preflight();
    report.passes();
    for id in ["azure.permissions", "azure.role-assignments"] {
        report.says(id, "skipped", &["not proven"]);
    }
}

/// Rights that nobody may list in the subscription stand against nothing that rests on them.
#[test]
fn what_rests_on_the_subscription_is_not_proven() {
    let hidden = |_: &crate::front::Asked| denied("Microsoft.Authorization/permissions/read");
    let path = "444-555555555555/providers/microsoft.authorization/permissions";
    let azure = Azure::start(public().with(Trouble::always(path, hidden)));
    azure.edit(|tree| {
        let role = "/providers/Microsoft.Authorization/permissions";
        tree.put(&group("dns-rg", role), json!({ "value": [{ "actions": ["*"], "notActions": [] }] }));
    });
    let report = landfall(&azure, &config("")).preflight();
    report.passes();
    for id in ["azure.permissions", "azure.role-assignments"] {
        report.says(id, "skipped", &["not proven", "may not list"]);
    }
}

/// Who has all rights in the groups of the cluster need not have them in the whole subscription.
#[test]
fn groups_have_roles_of_their_own() {
    const LINES: &str = "    resourceGroupName: cluster-rg
    networkResourceGroupName: net-rg
    virtualNetwork: corp-vnet
    controlPlaneSubnet: masters-sn
    computeSubnet: workers-sn
";
    let with_groups = |groups: &[&str]| {
        let azure = Azure::start(public());
        let role = "/providers/Microsoft.Authorization/permissions";
        let of = |actions: &str| json!({ "value": [{ "actions": [actions], "notActions": [] }] });
        azure.edit(|tree| {
            tree.put(&subscription(role), of("*/read"));
            for name in groups {
                tree.put(&group(name, role), of("*"));
            }
        });
        landfall(&azure, &config(LINES)).preflight()
    };
    with_groups(&["cluster-rg", "net-rg", "dns-rg"]).passes();
    let report = with_groups(&["cluster-rg", "net-rg"]);
    let check = report.is("azure.permissions", "failed").to_string();
    assert!(check.contains("Microsoft.Network/dnsZones/"), "{check}");
    assert!(!check.contains("Microsoft.Compute/virtualMachines/write"), "{check}");
}

#[test]
fn services_must_be_registered() {
    let azure = Azure::start(public());
    azure.edit(|tree| {
        tree.at(&subscription("/providers/Microsoft.Compute"))["registrationState"] = json!("NotRegistered");
    });
    let report = landfall(&azure, &config("")).preflight();
    let found = checks(&report, "azure.providers");
    let Some(check) = found.iter().find(|check| text(check, "status") != "passed") else {
        panic!("{}", report.ran);
    };
    assert!(["failed", "warned"].contains(&text(check, "status")), "{check}");
    assert!(text(check, "message").contains("Microsoft.Compute"), "{check}");
    assert!(text(check, "help").contains("az provider register"), "{check}");
}
