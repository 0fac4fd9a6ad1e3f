//! The controller `kube-cloud-config`: the user's settings and the platform's, made one map.

use serde_json::{Value, json};

use super::cluster::{Cluster, INFRASTRUCTURE, KEY, MANAGED_MAP, USER_MAP, overrides, path};
use super::replica::Replica;
use super::until::becomes;

const OPERATOR: &str = "landfall";
const CONDITION: &str = "KubeCloudConfigControllerDegraded";
const REGION: &str = "us-hidden-1";
const EC2: (&str, &str) = ("ec2", "https://ec2.us-hidden-1.example.com");
const S3: (&str, &str) = ("s3", "https://s3.us-hidden-1.example.com:8443");

fn named() -> Value {
    json!({ "cloudConfig": { "name": USER_MAP.1, "key": KEY } })
}

fn aws(endpoints: &[(&str, &str)]) -> Value {
    let list: Vec<Value> = endpoints.iter().map(|(name, url)| json!({ "name": name, "url": url })).collect();
    json!({ "type": "AWS", "aws": { "region": REGION, "serviceEndpoints": list } })
}

#[test]
#[ignore = "needs an API server"]
fn the_overrides_of_aws_follow_what_is_set_and_are_refused_where_the_user_has_their_own() {
    let cluster = Cluster::start(&named(), &aws(&[EC2]));
    cluster.user_map("[Global]\nVPC = vpc-1\n");
    let _operator = Replica::start(&cluster, "kube-cloud-config");

    let first = format!("[Global]\nVPC = vpc-1\n{}", overrides(REGION, &[EC2]));
    let wanted = json!({ "cloud.conf": first, "ca-bundle.pem": "an authority" });
    becomes(&wanted, || cluster.data(MANAGED_MAP));
    cluster.says(OPERATOR, CONDITION, "False", &["AsExpected"]);
    cluster.says(OPERATOR, "Degraded", "False", &[]);
    cluster.says(OPERATOR, "Available", "True", &[]);
    cluster.says(OPERATOR, "Progressing", "False", &[]);
    cluster.told("Normal", &[MANAGED_MAP.1]);

    cluster.platform(&aws(&[EC2, S3]));
    let both = format!("[Global]\nVPC = vpc-1\n{}", overrides(REGION, &[EC2, S3]));
    cluster.holds(MANAGED_MAP, &both);
    cluster.user_text("[Global]\nVPC = vpc-2\n");
    let changed = format!("[Global]\nVPC = vpc-2\n{}", overrides(REGION, &[EC2, S3]));
    cluster.holds(MANAGED_MAP, &changed);

    // The user's own overrides contradict; what was good before stays.
    let before = cluster.map(MANAGED_MAP);
    cluster.user_text("[Global]\n[ServiceOverride \"mine\"]\nService = ec2\n");
    cluster.says(OPERATOR, CONDITION, "True", &["SyncError", "ServiceOverride"]);
    cluster.says(OPERATOR, "Degraded", "True", &[]);
    cluster.told("Warning", &["ServiceOverride"]);
    assert_eq!(cluster.map(MANAGED_MAP), before);

    // So does a map that is not there.
    let elsewhere = json!({ "spec": { "cloudConfig": { "name": "elsewhere" } } });
    cluster.server.change(INFRASTRUCTURE, &elsewhere);
    cluster.says(OPERATOR, CONDITION, "True", &["SyncError", "elsewhere"]);
    assert_eq!(cluster.map(MANAGED_MAP), before);

    cluster.user_text("");
    cluster.server.change(INFRASTRUCTURE, &json!({ "spec": named() }));
    cluster.holds(MANAGED_MAP, &overrides(REGION, &[EC2, S3]));
    cluster.says(OPERATOR, CONDITION, "False", &["AsExpected"]);
    cluster.says(OPERATOR, "Degraded", "False", &[]);

    // Nothing is left.
    cluster.platform(&aws(&[]));
    let nothing = json!({ "spec": { "cloudConfig": { "name": "", "key": "" } } });
    cluster.server.change(INFRASTRUCTURE, &nothing);
    becomes(&Value::Null, || cluster.map(MANAGED_MAP));
    cluster.says(OPERATOR, CONDITION, "False", &["AsExpected"]);
}

#[test]
#[ignore = "needs an API server"]
fn the_cloud_of_azure_is_set_and_other_platforms_are_passed_on() {
    let azure = |cloud: &str| json!({ "type": "Azure", "azure": { "cloudName": cloud } });
    let cluster = Cluster::start(&named(), &azure("AzureUSGovernmentCloud"));
    cluster.user_map(r#"{"tenantId": "t"}"#);
    let _operator = Replica::start(&cluster, "kube-cloud-config");

    let made = "{\n\t\"cloud\": \"AzureUSGovernmentCloud\",\n\t\"tenantId\": \"t\"\n}\n";
    cluster.holds(MANAGED_MAP, made);
    cluster.user_text(r#"{"cloud": "AzurePublicCloud"}"#);
    cluster.says(OPERATOR, CONDITION, "True", &["SyncError", "AzurePublicCloud", "AzureUSGovernmentCloud"]);
    cluster.told("Warning", &["AzureUSGovernmentCloud"]);
    assert_eq!(cluster.text(MANAGED_MAP), made);
    cluster.platform(&azure("AzurePublicCloud"));
    cluster.holds(MANAGED_MAP, r#"{"cloud": "AzurePublicCloud"}"#);
    cluster.says(OPERATOR, CONDITION, "False", &["AsExpected"]);

    cluster.user_text("[Global]\nanything = as it is\n");
    cluster.says(OPERATOR, CONDITION, "True", &["SyncError"]);
    cluster.platform(&json!({ "type": "OpenStack", "azure": null }));
    cluster.holds(MANAGED_MAP, "[Global]\nanything = as it is\n");

    // What others write into the map is taken out of it, and what they write about it is left.
    let hand = json!({
        "metadata": { "labels": { "team": "network" } },
        "data": { "cloud.conf": "by hand", "more": "by hand" },
    });
    cluster.server.change(&format!("{}?fieldManager=somebody", path(MANAGED_MAP)), &hand);
    let wanted = json!({ "cloud.conf": "[Global]\nanything = as it is\n", "ca-bundle.pem": "an authority" });
    becomes(&wanted, || cluster.data(MANAGED_MAP));
    assert_eq!(cluster.map(MANAGED_MAP)["metadata"]["labels"], json!({ "team": "network" }));
    cluster.delete(MANAGED_MAP);
    becomes(&wanted, || cluster.data(MANAGED_MAP));
}
