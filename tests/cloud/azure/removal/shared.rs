//! What the cluster only shares in the group that was made with it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::arm::{Azure, Scene};
use super::super::scene::{SUBSCRIPTION, only_reads};
use super::world::{INFRA_ID, OWNER, at, cluster, destroy, directory, leaves, made, resource};

/// A cluster with something in its group that it only shares, though it is named after it.
pub fn sharing() -> (Scene, BTreeSet<String>, String) {
    let (mut scene, mut stays) = cluster(false);
    let own_group = format!("{INFRA_ID}-rg");
    let rest = json!({ "tags": { OWNER: "shared", "team": "moon" } });
    let name = format!("{INFRA_ID}-data");
    let shared = resource(&mut scene.tree, &own_group, "Microsoft.Compute/disks", &name, &rest);
    stays.extend([made("").to_lowercase(), shared.to_lowercase()]);
    (scene, stays, shared)
}

#[test]
fn what_is_shared_in_the_group_stays_and_is_told_before() {
    let (scene, stays, shared) = sharing();
    let azure = Azure::start(scene);
    let landfall = directory(&azure, "", Some(SUBSCRIPTION));
    let ran = landfall.run(&["destroy", "cluster", "--plan", "-o", "json"]).ends(0);
    only_reads(&azure);
    let plan = ran.json();
    let has = |list: &Value, name: &str| list.as_array().unwrap().iter().any(|thing| thing["name"] == name);
    for name in [format!("{INFRA_ID}-data"), format!("{INFRA_ID}-rg")] {
        assert!(has(&plan["released"], &name), "{ran}");
        assert!(
            !plan["waves"].as_array().unwrap().iter().any(|wave| has(&wave["resources"], &name)),
            "{ran}"
        );
    }
    let told = plan["findings"].as_array().unwrap().iter().find(|finding| finding["code"] == "LF1356");
    let told = told.unwrap_or_else(|| panic!("nobody tells it: {ran}"));
    assert!(told["message"].as_str().unwrap().contains(&format!("{INFRA_ID}-data")), "{ran}");

    let ran = destroy(&landfall, &[]).ends(0);
    leaves(&azure, &stays, &ran);
    assert_eq!(at(&azure, &shared)["tags"], json!({ "team": "moon" }), "{ran}");
    assert_eq!(at(&azure, &made(""))["tags"], json!({}), "{ran}");
    // Later on, names alone do not make them the cluster's, and do not prove that they are not.
    let ran = destroy(&directory(&azure, "", Some(SUBSCRIPTION)), &[]).ends(5);
    assert!(format!("{}{}", ran.out, ran.err).contains("LF1326"), "{ran}");
    leaves(&azure, &stays, &ran);
}
