//! What may be the cluster's stays until the user has decided, however often the same command is run.

use serde_json::json;

use super::super::arm::Azure;
use super::super::scene::SUBSCRIPTION;
use super::world::{INFRA_ID, OWNER, at, cluster, destroy, directory, leaves, made, resource};
use crate::program::Landfall;

/// Runs the command twice, and each time it names what stays.
fn names_twice(landfall: &Landfall, name: &str) {
    for _ in 0..2 {
        let ran = destroy(landfall, &[]).ends(5);
        let said = format!("{}{}", ran.out, ran.err);
        for word in ["LF1326", name] {
            assert!(said.contains(word), "`{word}` is missing: {ran}");
        }
        assert!(landfall.directory().join("metadata.json").exists());
    }
}

#[test]
fn a_volume_in_the_user_s_group_is_named_until_it_has_a_tag() {
    let (mut scene, mut stays) = cluster(true);
    let rest = json!({ "tags": { "k8s-azure-created-by": "kubernetes-azure-dd" } });
    let volume = resource(&mut scene.tree, "cluster-rg", "Microsoft.Compute/disks", "pvc-1", &rest);
    stays.insert(volume.to_lowercase());
    let azure = Azure::start(scene);
    let landfall = directory(&azure, "cluster-rg", Some(SUBSCRIPTION));
    names_twice(&landfall, "pvc-1");
    azure.edit(|tree| tree.at(&volume)["tags"][OWNER] = json!("shared"));
    let ran = destroy(&landfall, &[]).ends(0);
    leaves(&azure, &stays, &ran);
    assert_eq!(at(&azure, &volume)["tags"], rest["tags"], "{ran}");
}

#[test]
fn a_group_that_lost_its_tag_goes_once_it_has_it_again() {
    let (mut scene, stays) = cluster(false);
    scene.tree.at(&made(""))["tags"] = json!({});
    let azure = Azure::start(scene);
    let landfall = directory(&azure, "", Some(SUBSCRIPTION));
    names_twice(&landfall, &format!("{INFRA_ID}-rg"));
    azure.edit(|tree| tree.at(&made(""))["tags"] = json!({ OWNER: "owned" }));
    let ran = destroy(&landfall, &[]).ends(0);
    leaves(&azure, &stays, &ran);
}
