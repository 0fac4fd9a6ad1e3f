//! `landfall metadata refresh`: what the cluster's Infrastructure object says comes into the directory.

use serde_json::{Value, json};

use super::cluster::{Cluster, INFRASTRUCTURE};
use crate::running::run;

#[test]
#[ignore = "needs an API server"]
fn endpoints_of_the_running_cluster_come_into_its_metadata() {
    let endpoint = json!({ "name": "ec2", "url": "https://ec2.example.com" });
    let aws = json!({ "region": "us-east-1", "serviceEndpoints": [endpoint] });
    let platform = json!({ "type": "AWS", "aws": aws });
    let cluster = Cluster::start(&json!({}), &platform);
    let status = json!({ "status": { "infrastructureName": "demo-x7k2p", "platformStatus": platform } });
    cluster.server.change(&format!("{INFRASTRUCTURE}/status"), &status);
    let kubeconfig = cluster.server.kubeconfig();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("metadata.json");
    let refresh = ["metadata", "refresh", "-o", "json", "--kubeconfig", kubeconfig.to_str().unwrap()];
    let metadata = |id: &str| {
        let aws = json!({ "region": "us-east-1", "identifier": [] });
        json!({ "clusterName": "demo", "clusterID": "u", "infraID": id, "aws": aws }).to_string()
    };

    std::fs::write(&file, metadata("other-x7k2p")).unwrap();
    let refused = run(directory.path(), &refresh).ends(3).json();
    assert_eq!(refused["findings"][0]["code"], "LF1389");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), metadata("other-x7k2p"));
    std::fs::write(&file, metadata("demo-x7k2p")).unwrap();
    for changed in [true, false] {
        let ran = run(directory.path(), &refresh).ends(0).json();
        assert_eq!(ran, json!({ "changed": changed, "serviceEndpoints": [endpoint] }));
    }
    let now: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(now["aws"]["serviceEndpoints"], json!([endpoint]));
    assert_eq!(now["clusterID"], "u");

    // The definition of Infrastructure accepts this port, and no service can be called at it.
    let unfit =
        json!({ "aws": { "serviceEndpoints": [{ "name": "ec2", "url": "https://ec2.example.com:70000" }] } });
    let status = json!({ "status": { "platformStatus": unfit } });
    cluster.server.change(&format!("{INFRASTRUCTURE}/status"), &status);
    let refused = run(directory.path(), &refresh).ends(3).json();
    assert_eq!(refused["findings"][0]["code"], "LF1391");
    assert_eq!(refused["findings"][0]["field"], "status.platformStatus.aws.serviceEndpoints[0].url");
    assert_eq!(serde_json::from_slice::<Value>(&std::fs::read(&file).unwrap()).unwrap(), now);
}
