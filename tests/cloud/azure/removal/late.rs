//! What appears while a cluster goes.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::super::arm::Azure;
use super::super::scene::{SUBSCRIPTION, group};
use super::super::tree::Tree;
use super::world::{INFRA_ID, at, cluster, destroy, directory, leaves, machine, made, resource};

/// Changes the cloud once the group is asked to go.
fn meanwhile(azure: &Azure, change: impl Fn(&mut Tree) + Send + Sync + 'static) {
    let (path, done) = (made("").to_lowercase(), AtomicBool::new(false));
    azure.after_changes(move |call, manager| {
        let is_it = call.method == "DELETE" && call.path == path;
        if is_it && !done.swap(true, Ordering::SeqCst) {
            manager.edit(&change);
        }
    });
}

#[test]
fn an_interface_of_others_in_the_network_is_named_and_keeps_no_machine() {
    let (scene, stays) = cluster(false);
    let azure = Azure::start(scene);
    let network = made(&format!("/providers/Microsoft.Network/virtualNetworks/{INFRA_ID}-vnet"));
    let subnet = format!("{network}/subnets/worker");
    let interfaces = "Microsoft.Network/networkInterfaces";
    meanwhile(&azure, move |tree| {
        let rest = json!({ "properties": {
            "ipConfigurations": [{ "name": "c", "properties": { "subnet": { "id": subnet } } }],
        } });
        resource(tree, "cluster-rg", interfaces, "late-nic", &rest);
    });
    let landfall = directory(&azure, "", Some(SUBSCRIPTION));
    let ran = destroy(&landfall, &["--timeout", "30s"]).ends(5);
    let said = format!("{}{}", ran.out, ran.err);
    for word in ["late-nic", "cluster-rg", "-vnet"] {
        assert!(said.contains(word), "`{word}` is missing: {ran}");
    }
    assert_eq!(at(&azure, &made(&machine(0))), Value::Null, "{ran}");
    assert_ne!(at(&azure, &network), Value::Null, "{ran}");
    azure.edit(|tree| tree.take(&group("cluster-rg", &format!("/providers/{interfaces}/late-nic"))));
    let ran = destroy(&landfall, &[]).ends(0);
    leaves(&azure, &stays, &ran);
}

#[test]
fn what_is_made_in_the_group_while_it_goes_goes_as_well() {
    let (scene, stays) = cluster(false);
    let azure = Azure::start(scene);
    meanwhile(&azure, |tree| {
        resource(tree, &format!("{INFRA_ID}-rg"), "Microsoft.Compute/disks", "pvc-late", &json!({}));
    });
    let ran = destroy(&directory(&azure, "", Some(SUBSCRIPTION)), &[]).ends(0);
    leaves(&azure, &stays, &ran);
    let asked = azure.asked_at(&made("").to_lowercase()).into_iter();
    let tries = asked.filter(|one| one.call.method == "DELETE" && one.call.segments().len() == 4).count();
    assert!(tries > 1, "{ran}");
}
