//! An API server that is away for a while.

use serde_json::json;

use super::cluster::{Cluster, INFRASTRUCTURE, KEY, MANAGED_MAP, TARGET_MAP, USER_MAP, path};
use super::outage;
use super::replica::Replica;
use super::until::until;

#[test]
#[ignore = "needs an API server"]
fn watches_that_broke_are_opened_again_when_the_server_is_back() {
    let spec = json!({ "cloudConfig": { "name": USER_MAP.1, "key": KEY } });
    let cluster = Cluster::start(&spec, &json!({ "type": "GCP" }));
    cluster.user_map("before");
    // One with a lease would lose it, as the server takes its time to come back.
    let operator = Replica::alone(&cluster, "kube-cloud-config,cloud-config-sync");
    cluster.holds(MANAGED_MAP, "before");
    cluster.holds(TARGET_MAP, "before");

    let outage = outage::begin(cluster.kubeconfig.parent().unwrap());
    assert_eq!(operator.get("/healthz").map(|(status, _)| status), Some(200));
    let mut server = outage.end();
    until("the server is back with all that it had", || {
        server.supervise();
        cluster.server.call("GET", INFRASTRUCTURE, &json!(null)).ok()
    });
    let text = json!({ "data": { KEY: "after" } });
    until("the server takes changes", || {
        server.supervise();
        cluster.server.call("PATCH", &path(USER_MAP), &text).ok()
    });
    cluster.holds(MANAGED_MAP, "after");
    cluster.holds(TARGET_MAP, "after");
    cluster.delete(MANAGED_MAP);
    cluster.holds(MANAGED_MAP, "after");
    cluster.says("landfall", "KubeCloudConfigControllerDegraded", "False", &["AsExpected"]);
    assert!(!operator.log().contains("panicked"), "{}", operator.log());
}
