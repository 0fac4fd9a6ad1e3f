//! Tests of what is read of a resource.

use serde_json::json;

use super::*;

#[test]
fn what_is_left_out_has_its_default() -> Result<(), serde_json::Error> {
    let resource: Resource = serde_json::from_value(json!({
        "metadata": { "name": "a", "generation": 3, "labels": { (keys::CLUSTER): "demo-x7k2p" } },
        "spec": { "installConfig": { "pullSecret": "canary" }, "adoptPolicy": "detach-on-delete" },
    }))?;
    assert_eq!((resource.spec.machines, resource.spec.stage), (Machines::None, Stage::Install));
    assert_eq!(Policy::from(resource.spec.adopt_policy), Policy::DetachOnDelete);
    assert_eq!((resource.chosen_id(), resource.is_paused()), (Some("demo-x7k2p"), false));
    assert!(!format!("{resource:?}").contains("canary"));
    Ok(())
}

#[test]
fn what_cannot_be_read_is_named_and_all_else_counts() -> Result<(), serde_json::Error> {
    let spec = json!({ "apiInternalIP": "foo", "paused": true, "patches": 5, "infraID": "demo-x7k2p" });
    let (object, unreadable) = readable(json!({ "metadata": { "name": "a" }, "spec": spec }));
    assert_eq!(unreadable, ["apiInternalIP", "patches"]);
    let resource = Resource { unreadable, ..serde_json::from_value(object)? };
    assert!(resource.is_paused() && resource.spec.infra_id == "demo-x7k2p");
    let told = resource.is_whole().map_err(|failed| failed.note);
    assert!(told.is_err_and(|note| note.starts_with("spec.apiInternalIP, spec.patches: ")));
    let whole = json!({ "spec": { "apiInternalIP": "10.0.0.5", "installConfig": { "a": null } } });
    assert_eq!(readable(whole.clone()), (whole, Vec::new()));
    Ok(())
}

#[test]
fn the_cluster_api_can_pause_it() -> Result<(), serde_json::Error> {
    let annotations = json!({ "cluster.x-k8s.io/paused": "", (keys::DELETE_FOR_MOVE): "" });
    let resource: Resource = serde_json::from_value(json!({ "metadata": { "annotations": annotations } }))?;
    assert!(resource.is_paused() && resource.has_moved() && !resource.is_being_deleted());
    Ok(())
}
