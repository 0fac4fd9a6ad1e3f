//! Locks are somebody's wish: they are named, and what they do not hold goes.

use serde_json::{Value, json};

use super::super::arm::Azure;
use super::super::scene::SUBSCRIPTION;
use super::super::tree::Tree;
use super::world::{INFRA_ID, at, cluster, destroy, directory, leaves, machine, made};

/// Locks something, and gives the path of the lock.
fn lock(tree: &mut Tree, scope: &str, level: &str) -> String {
    let path = format!("{scope}/providers/Microsoft.Authorization/locks/keep");
    tree.put(&path, json!({ "id": path, "name": "keep", "properties": { "level": level } }));
    path
}

#[test]
fn a_lock_is_named_with_the_words_that_remove_it() {
    let (mut scene, _) = cluster(false);
    let path = lock(&mut scene.tree, &made(""), "CanNotDelete");
    let azure = Azure::start(scene);
    let landfall = directory(&azure, "", Some(SUBSCRIPTION));
    let ran = destroy(&landfall, &["--timeout", "15s"]).ends(5);
    let said = format!("{}{}", ran.out, ran.err);
    for word in ["keep", "CanNotDelete", "az lock delete --ids"] {
        assert!(said.contains(word), "`{word}` is missing: {ran}");
    }
    assert!(landfall.directory().join("metadata.json").exists());
    // A lock on the group holds all that is in it, so that nothing of it is tried by itself.
    assert_ne!(at(&azure, &made("")), Value::Null);
    let alone = azure.asked_at("/virtualmachines/").into_iter().filter(|one| one.call.method == "DELETE");
    assert_eq!(alone.count(), 0, "{ran}");
    // Without the lock it goes on where it was.
    azure.edit(|tree| tree.take(&path));
    destroy(&landfall, &[]).ends(0);
    assert_eq!(at(&azure, &made("")), Value::Null);
}

#[test]
fn a_lock_on_one_resource_keeps_no_other() {
    let (mut scene, stays) = cluster(false);
    let disk = made(&format!("/providers/Microsoft.Compute/disks/{INFRA_ID}-master-0_OSDisk"));
    let path = lock(&mut scene.tree, &disk, "CanNotDelete");
    let azure = Azure::start(scene);
    let landfall = directory(&azure, "", Some(SUBSCRIPTION));
    let ran = destroy(&landfall, &["--timeout", "30s"]).ends(5);
    let said = format!("{}{}", ran.out, ran.err);
    for word in ["keep", "CanNotDelete", "az lock delete --ids", "master-0_OSDisk"] {
        assert!(said.contains(word), "`{word}` is missing: {ran}");
    }
    for number in 0..3 {
        assert_eq!(at(&azure, &made(&machine(number))), Value::Null, "{ran}");
    }
    assert_ne!(at(&azure, &disk), Value::Null, "{ran}");
    azure.edit(|tree| tree.take(&path));
    let ran = destroy(&landfall, &[]).ends(0);
    leaves(&azure, &stays, &ran);
}
