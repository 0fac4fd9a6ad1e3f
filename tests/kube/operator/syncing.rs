//! The controller `cloud-config-sync`: what the cloud controller manager reads, from whichever map it is
//! made.

use serde_json::{Value, json};

use super::cluster::{Cluster, KEY, MANAGED_MAP, TARGET_MAP, USER_MAP, path};
use super::replica::Replica;
use super::until::becomes;

const OPERATOR: &str = "cloud-controller-manager";

/// What a text sets a key to; the keys are aligned.
fn setting(text: &str, key: &str) -> Option<String> {
    let found = text.lines().filter_map(|line| line.split_once('=')).find(|(name, _)| name.trim() == key);
    found.map(|(_, value)| value.trim().to_owned())
}

#[track_caller]
fn becomes_set(cluster: &Cluster, key: &str, value: Option<&str>) {
    becomes(&value.map(str::to_owned), || setting(&cluster.text(TARGET_MAP), key));
}

#[test]
#[ignore = "needs an API server"]
fn the_target_follows_all_three_maps() {
    let spec = json!({ "cloudConfig": { "name": USER_MAP.1, "key": KEY } });
    let aws = json!({ "type": "AWS", "aws": { "region": "us-hidden-1" } });
    let cluster = Cluster::start(&spec, &aws);
    cluster.user_map("[Global]\nVPC = vpc-user\n");
    let _operator = Replica::start(&cluster, "cloud-config-sync");
    let available = || {
        cluster.says(OPERATOR, "CloudConfigControllerDegraded", "False", &["AsExpected"]);
        cluster.says(OPERATOR, "CloudConfigControllerAvailable", "True", &["AsExpected"])
    };

    // As long as there is no managed map.
    becomes_set(&cluster, "VPC", Some("vpc-user"));
    becomes_set(&cluster, "ClusterServiceLoadBalancerHealthProbeMode", Some("Shared"));
    let since = available()["lastTransitionTime"].clone();
    let named = format!("/apis/config.openshift.io/v1/clusteroperators/{OPERATOR}");
    let status = cluster.get(&named).unwrap_or_default()["status"].clone();
    assert_eq!(status["versions"][0]["name"], "operator");
    let related = status["relatedObjects"].to_string();
    assert!(related.contains(TARGET_MAP.0) && related.contains(OPERATOR), "{related}");

    let (namespace, name) = MANAGED_MAP;
    let managed = |text: &str| json!({ "cloud.conf": text, "ca-bundle.pem": "an authority" });
    cluster.server.config_map(namespace, name, &managed("[Global]\nVPC = vpc-managed\n"));
    becomes_set(&cluster, "VPC", Some("vpc-managed"));
    cluster.edit(MANAGED_MAP, &json!({ "data": managed("[Global]\nVPC = vpc-edited\n") }));
    becomes_set(&cluster, "VPC", Some("vpc-edited"));

    // By hand, by another manager, and away.
    let wanted = cluster.data(TARGET_MAP);
    assert_eq!(wanted["ca-bundle.pem"], "an authority");
    let hand = json!({
        "metadata": { "annotations": { "note": "kept" } },
        "data": { "cloud.conf": "by hand", "more": "by hand", "ca-bundle.pem": null },
    });
    cluster.server.change(&format!("{}?fieldManager=somebody", path(TARGET_MAP)), &hand);
    becomes(&wanted, || cluster.data(TARGET_MAP));
    assert_eq!(cluster.map(TARGET_MAP)["metadata"]["annotations"]["note"], "kept");
    cluster.delete(TARGET_MAP);
    becomes(&wanted, || cluster.data(TARGET_MAP));

    cluster.delete(MANAGED_MAP);
    becomes_set(&cluster, "VPC", Some("vpc-user"));
    cluster.user_text("[Global]\nVPC = vpc-anew\n");
    becomes_set(&cluster, "VPC", Some("vpc-anew"));
    assert_eq!(available()["lastTransitionTime"], since);

    // A gate counts as soon as it is switched.
    becomes_set(&cluster, "NLBSecurityGroupMode", None);
    cluster.gates(&["AWSServiceLBNetworkSecurityGroup"]);
    becomes_set(&cluster, "NLBSecurityGroupMode", Some("Managed"));

    // A text that cannot be read, and a key that is not there, are told at once; what was good stays.
    let good = cluster.data(TARGET_MAP);
    cluster.user_text("[Global\n");
    cluster.says(OPERATOR, "CloudConfigControllerDegraded", "True", &["SyncingFailed"]);
    cluster.says(OPERATOR, "CloudConfigControllerAvailable", "False", &["SyncingFailed"]);
    cluster.user_text("[Global]\nVPC = vpc-anew\n");
    available();
    cluster.edit(USER_MAP, &json!({ "data": { KEY: null } }));
    cluster.says(OPERATOR, "CloudConfigControllerDegraded", "True", &["SyncingFailed"]);
    assert_eq!(cluster.data(TARGET_MAP), good);
    cluster.user_text("[Global]\nVPC = vpc-last\n");
    becomes_set(&cluster, "VPC", Some("vpc-last"));
    available();
}

#[test]
#[ignore = "needs an API server"]
fn a_platform_without_managed_map_is_synced_from_the_users() {
    let spec = json!({ "cloudConfig": { "name": USER_MAP.1, "key": KEY } });
    let cluster = Cluster::start(&spec, &json!({ "type": "GCP" }));
    cluster.user_map("[global]\nproject-id = demo\n");
    let (namespace, name) = MANAGED_MAP;
    cluster.server.config_map(namespace, name, &json!({ "cloud.conf": "of nobody" }));
    let _operator = Replica::start(&cluster, "cloud-config-sync");
    cluster.holds(TARGET_MAP, "[global]\nproject-id = demo\n");
    assert_eq!(cluster.data(MANAGED_MAP), json!({ "cloud.conf": "of nobody" }));

    cluster.delete(USER_MAP);
    cluster.says(OPERATOR, "CloudConfigControllerDegraded", "True", &["SyncingFailed"]);
    cluster.user_map("[global]\nproject-id = other\n");
    cluster.holds(TARGET_MAP, "[global]\nproject-id = other\n");
    assert_eq!(cluster.data(TARGET_MAP)[KEY], Value::Null);
    cluster.says(OPERATOR, "CloudConfigControllerDegraded", "False", &["AsExpected"]);
}
