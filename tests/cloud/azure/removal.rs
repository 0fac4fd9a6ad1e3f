//! The way of a cluster out of Azure: what it owns goes, and nothing else does.

mod failing;
mod killed;
mod late;
mod locks;
mod shared;
mod unproven;
mod world;

use serde_json::{Value, json};

use super::answer::{Answer, throttled};
use super::arm::{Azure, Trouble};
use super::scene::{SUBSCRIPTION, config, group, landfall, only_reads, public};
use world::{
    INFRA_ID, OTHER, OWNER, at, cluster, destroy, directory, leaves, machine, made, owned, paths, put,
    resource,
};

/// Somebody else's subscription.
const ELSEWHERE: &str = "99999999-2222-4333-8444-555555555555";

#[test]
fn a_cluster_goes_and_nothing_else_does() {
    let (scene, stays) = cluster(false);
    let azure = Azure::start(scene);
    let landfall = directory(&azure, "", Some(SUBSCRIPTION));
    let ran = destroy(&landfall, &[]).ends(0);
    leaves(&azure, &stays, &ran);
    // Once more, all is gone already.
    let before = azure.asked().iter().filter(|one| one.call.method == "DELETE").count();
    destroy(&landfall, &[]).ends(0);
    let after = azure.asked().iter().filter(|one| one.call.method == "DELETE").count();
    assert_eq!(before, after);
}

#[test]
fn a_group_of_the_user_s_stays_and_only_the_cluster_s_own_goes() {
    let (scene, stays) = cluster(true);
    let azure = Azure::start(scene);
    let ran = destroy(&directory(&azure, "cluster-rg", Some(SUBSCRIPTION)), &[]).ends(0);
    leaves(&azure, &stays, &ran);
    assert_eq!(at(&azure, &group("cluster-rg", ""))["tags"], json!({ "team": "moon" }), "{ran}");
}

#[test]
fn a_plan_removes_nothing() {
    let (scene, _) = cluster(false);
    let azure = Azure::start(scene);
    let before = paths(&azure);
    let landfall = directory(&azure, "", Some(SUBSCRIPTION));
    let ran = landfall.run(&["destroy", "cluster", "--plan"]).ends(0);
    // What goes with the group is told as well.
    let (group, inside) = (format!("{INFRA_ID}-rg"), format!("{INFRA_ID}-master-2"));
    let others = ["api.demo.example.com", "corp-vnet", "storage account", "tycho"];
    for word in others.into_iter().chain([group.as_str(), inside.as_str()]) {
        assert!(ran.out.contains(word), "`{word}` is missing: {ran}");
    }
    only_reads(&azure);
    assert_eq!(paths(&azure), before);
}

#[test]
fn a_deny_assignment_ends_it() {
    let (mut scene, _) = cluster(false);
    let kind = "Microsoft.Authorization/denyAssignments";
    let scope = group(&format!("{INFRA_ID}-rg"), "");
    let denial = json!({ "properties": { "denyAssignmentName": "of the stack", "scope": scope } });
    put(
        &mut scene.tree,
        &format!("{scope}/providers/{kind}/00000000-0000-4000-8000-0000000000dd"),
        kind,
        &denial,
    );
    let azure = Azure::start(scene);
    let ran = destroy(&directory(&azure, "", Some(SUBSCRIPTION)), &["--timeout", "60s"]).ends(4);
    let said = format!("{}{}", ran.out, ran.err);
    for word in ["LF1353", "of the stack"] {
        assert!(said.contains(word), "`{word}` is missing: {ran}");
    }
}

#[test]
fn what_the_caller_may_not_remove_is_named() {
    let (scene, _) = cluster(false);
    // Only what removes the one role asks there.
    let denied = Trouble::always("/roleassignments/", |_| {
        Answer::error(403, "AuthorizationFailed", "The client may not perform roleAssignments/delete.")
    });
    let azure = Azure::start(scene.with(denied));
    let landfall = directory(&azure, "", Some(SUBSCRIPTION));
    let ran = destroy(&landfall, &["--timeout", "60s"]).ends(4);
    let said = format!("{}{}", ran.out, ran.err);
    for word in ["LF1352", "roleAssignments/delete"] {
        assert!(said.contains(word), "`{word}` is missing: {ran}");
    }
    // It keeps no machine: only what tells of it stays with the group.
    let identities = "/providers/Microsoft.ManagedIdentity/userAssignedIdentities";
    assert_eq!(at(&azure, &made(&machine(0))), Value::Null, "{ran}");
    assert_ne!(at(&azure, &made(&format!("{identities}/{INFRA_ID}-identity"))), Value::Null, "{ran}");
    assert!(landfall.directory().join("metadata.json").exists());
}

#[test]
fn what_cannot_be_looked_at_is_no_proof() {
    let (scene, _) = cluster(false);
    let denied = Trouble::always("/resources", |_| Answer::error(403, "AuthorizationFailed", "Not so."));
    let azure = Azure::start(scene.with(denied));
    let landfall = directory(&azure, "", Some(SUBSCRIPTION));
    let ran = destroy(&landfall, &["--timeout", "60s"]);
    assert!(matches!(ran.code, Some(4 | 5)), "{ran}");
    assert!(format!("{}{}", ran.out, ran.err).contains("LF1351"), "{ran}");
    assert!(landfall.directory().join("metadata.json").exists());
}

#[test]
fn what_another_cluster_uses_is_an_objection() {
    let (mut scene, _) = cluster(true);
    let both = json!({ "tags": { OWNER: "owned", "kubernetes.io_cluster.other-x1y2z": "shared" } });
    resource(&mut scene.tree, "cluster-rg", "Microsoft.Network/natGateways", "both-natgw", &both);
    let azure = Azure::start(scene);
    let ran = destroy(&directory(&azure, "cluster-rg", Some(SUBSCRIPTION)), &[]).ends(4);
    let said = format!("{}{}", ran.out, ran.err);
    for word in ["LF1355", "both-natgw", "other-x1y2z"] {
        assert!(said.contains(word), "`{word}` is missing: {ran}");
    }
    only_reads(&azure);
}

/// Outside of the cluster's groups as well, and whatever else says that it is the cluster's own.
#[test]
fn what_another_cluster_owns_elsewhere_is_not_touched() {
    let (mut scene, _) = cluster(false);
    let both = json!({ "tags": { OWNER: "owned", OTHER: "owned" } });
    resource(&mut scene.tree, "net-rg", "Microsoft.Network/natGateways", "both-natgw", &both);
    let azure = Azure::start(scene);
    let ran = destroy(&directory(&azure, "", Some(SUBSCRIPTION)), &[]).ends(4);
    let said = format!("{}{}", ran.out, ran.err);
    for word in ["LF1355", "both-natgw", "other-x1y2z"] {
        assert!(said.contains(word), "`{word}` is missing: {ran}");
    }
    only_reads(&azure);
}

#[test]
fn what_the_cluster_owns_elsewhere_goes_and_its_neighbour_s_stays() {
    let (mut scene, mut stays) = cluster(false);
    let kind = "Microsoft.Network/publicIPAddresses";
    resource(&mut scene.tree, "net-rg", kind, "elsewhere", &owned());
    let theirs = json!({ "tags": { OTHER: "owned" } });
    let path = resource(&mut scene.tree, "net-rg", kind, &format!("{INFRA_ID}-not"), &theirs);
    stays.insert(path.to_lowercase());
    let azure = Azure::start(scene);
    let ran = destroy(&directory(&azure, "", Some(SUBSCRIPTION)), &[]).ends(0);
    leaves(&azure, &stays, &ran);
}

/// The metadata says whose it is, and its name says nothing.
#[test]
fn a_group_of_the_user_s_stays_whatever_its_name() {
    let (mut scene, mut stays) = cluster(false);
    let path = made("");
    scene.tree.take(&path);
    put(&mut scene.tree, &path, "Microsoft.Resources/resourceGroups", &json!({ "tags": { "team": "moon" } }));
    let own_group = format!("{INFRA_ID}-RG");
    let compute = "Microsoft.Compute/disks";
    resource(&mut scene.tree, &own_group, compute, "own", &owned());
    let data = resource(&mut scene.tree, &own_group, compute, "data", &json!({}));
    stays.extend([path.to_lowercase(), data.to_lowercase()]);
    // What only the private zone tells of cannot be the cluster's now, nor what only its identity does.
    let zone = group("dns-rg", "/providers/Microsoft.Network/dnszones/example.com/A/*.apps.demo");
    let role = group("net-rg", "/providers/Microsoft.Authorization/roleAssignments");
    let role = format!("{role}/00000000-0000-4000-8000-0000000000bb");
    let subnet = group("net-rg", "/providers/Microsoft.Network/virtualNetworks/corp-vnet/subnets/workers-sn");
    scene.tree.at(&subnet)["properties"] = json!({ "addressPrefix": "10.0.1.0/24" });
    stays.extend([zone.to_lowercase(), role.to_lowercase()]);
    let azure = Azure::start(scene);
    let ran = destroy(&directory(&azure, &own_group, Some(SUBSCRIPTION)), &[]).ends(0);
    leaves(&azure, &stays, &ran);
}

#[test]
fn another_subscription_is_not_touched() {
    let (scene, _) = cluster(false);
    let azure = Azure::start(scene);
    let landfall = directory(&azure, "", Some(ELSEWHERE));
    let ran = destroy(&landfall, &[]).ends(4);
    only_reads(&azure);
    assert!(format!("{}{}", ran.out, ran.err).contains(ELSEWHERE), "{ran}");
    assert!(landfall.directory().join("metadata.json").exists());
}

/// Objects in a management cluster go with the operator's own credentials, whoever asks for it.
#[test]
fn objects_stay_where_the_subscription_is_another() {
    let (scene, _) = cluster(false);
    let azure = Azure::start(scene);
    for (account, code, told) in [(ELSEWHERE, 4, "LF1300"), (SUBSCRIPTION, 1, "LF1240")] {
        let landfall = directory(&azure, "", Some(account));
        let own = json!({ "account": account, "engine": "aso", "namespace": "demo" });
        let path = landfall.directory().join("metadata.json");
        let mut metadata: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        metadata["landfall"] = own;
        std::fs::write(&path, metadata.to_string()).unwrap();
        // Whoever gets as far as the management cluster finds that there is no way to it.
        let ran = destroy(&landfall, &["--kubeconfig", "nowhere"]).ends(code);
        assert!(format!("{}{}", ran.out, ran.err).contains(told), "{ran}");
        assert!(path.exists());
    }
    only_reads(&azure);
}

/// The OpenShift installer notes no account, so that an empty one proves nothing.
#[test]
fn where_nobody_noted_the_account_nothing_is_no_proof() {
    let azure = Azure::start(public());
    let landfall = directory(&azure, "", None);
    destroy(&landfall, &[]).ends(4);
    assert!(landfall.directory().join("metadata.json").exists());
    destroy(&landfall, &["--confirm-gone"]).ends(0);
    only_reads(&azure);
}

/// The DNS zone of several clusters is in a subscription of its own, and the cluster in another one.
#[test]
fn a_cluster_of_another_subscription_is_not_touched() {
    let with_records = |group_elsewhere: bool| {
        let mut scene = public();
        let zone = group("dns-rg", "/providers/Microsoft.Network/dnszones/example.com");
        let record = json!({ "properties": { "metadata": { OWNER: "owned" } } });
        put(&mut scene.tree, &format!("{zone}/A/api.demo"), "Microsoft.Network/dnszones/A", &record);
        if group_elsewhere {
            let other = format!("/subscriptions/{ELSEWHERE}");
            scene.tree.put(&other, json!({ "id": other, "subscriptionId": ELSEWHERE, "state": "Enabled" }));
            let path = format!("{other}/resourceGroups/{INFRA_ID}-rg");
            put(&mut scene.tree, &path, "Microsoft.Resources/resourceGroups", &owned());
        }
        Azure::start(scene)
    };
    let azure = with_records(true);
    for more in [&[][..], &["--confirm-gone"]] {
        let landfall = directory(&azure, "", None);
        let ran = destroy(&landfall, more).ends(4);
        let said = format!("{}{}", ran.out, ran.err);
        for word in ["LF1307", ELSEWHERE, SUBSCRIPTION, "AZURE_SUBSCRIPTION_ID"] {
            assert!(said.contains(word), "`{word}` is missing: {ran}");
        }
        assert!(landfall.directory().join("metadata.json").exists());
    }
    only_reads(&azure);
    // The credentials need not see every subscription.
    let azure = with_records(false);
    let landfall = directory(&azure, "", None);
    let ran = destroy(&landfall, &[]).ends(4);
    assert!(format!("{}{}", ran.out, ran.err).contains("LF1308"), "{ran}");
    only_reads(&azure);
    destroy(&landfall, &["--confirm-gone"]).ends(0);
    // One that was recorded is known to be the right one.
    let azure = with_records(false);
    destroy(&directory(&azure, "", Some(SUBSCRIPTION)), &[]).ends(0);
}

/// Nobody knows of applications then; clusters that landfall made have none.
#[test]
fn a_directory_that_may_not_be_read_is_told() {
    let denied =
        || Trouble::always("/graph/", |_| Answer::error(403, "Authorization_RequestDenied", "Insufficient."));
    let (scene, _) = cluster(false);
    let azure = Azure::start(scene.with(denied()));
    let ran = destroy(&directory(&azure, "", Some(SUBSCRIPTION)), &[]).ends(0);
    assert!(format!("{}{}", ran.out, ran.err).contains("LF1354"), "{ran}");

    let (scene, _) = cluster(false);
    let azure = Azure::start(scene.with(denied()));
    let ran = destroy(&directory(&azure, "", None), &["--timeout", "20s"]).ends(5);
    assert!(format!("{}{}", ran.out, ran.err).contains("Application.Read.All"), "{ran}");
}

#[test]
fn trouble_that_passes_is_waited_out() {
    let (scene, stays) = cluster(false);
    // Only what removes the one role asks there.
    let busy = Trouble::first(2, "/roleassignments/", |_| {
        Answer::error(409, "AnotherOperationInProgress", "Another operation is in progress.")
    });
    let slow = Trouble::first(2, "/privatednszones/", |_| throttled(0));
    let azure = Azure::start(scene.with(busy).with(slow));
    let ran = destroy(&directory(&azure, "", Some(SUBSCRIPTION)), &[]).ends(0);
    leaves(&azure, &stays, &ran);
    assert!(azure.unused().is_empty());
}

#[test]
fn clusters_are_found_by_their_tags() {
    let (scene, _) = cluster(false);
    let azure = Azure::start(scene);
    let landfall = landfall(&azure, &config(""));
    let ran = landfall.run(&["destroy", "find", "--region", "eastus"]).ends(0);
    assert!(ran.out.contains(INFRA_ID) && ran.out.contains("other-x1y2z"), "{ran}");
    only_reads(&azure);
}
