//! The controller `endpoint-mirror`: endpoints that the user wants, checked, and shown to the cluster.

use serde_json::{Value, json};

use super::authority::{Authority, LOOPBACK};
use super::cluster::{Cluster, INFRASTRUCTURE, MANAGED_MAP, TARGET_MAP, overrides};
use super::endpoint::listen;
use super::replica::Replica;
use super::until::becomes;
use crate::gate::Gate;

const OPERATOR: &str = "landfall";
const CONDITION: &str = "EndpointMirrorDegraded";

fn endpoints(given: &[(&str, &str)]) -> Value {
    given.iter().map(|(name, url)| json!({ "name": name, "url": url })).collect()
}

fn want(cluster: &Cluster, given: &[(&str, &str)]) {
    let aws = json!({ "serviceEndpoints": endpoints(given) });
    cluster
        .server
        .change(INFRASTRUCTURE, &json!({ "spec": { "platformSpec": { "type": "AWS", "aws": aws } } }));
}

fn shown(cluster: &Cluster) -> Value {
    let object = cluster.get(INFRASTRUCTURE).unwrap_or_default();
    object["status"]["platformStatus"]["aws"]["serviceEndpoints"].clone()
}

#[test]
#[ignore = "needs an API server"]
fn endpoints_are_shown_once_they_are_valid_and_reached() {
    let aws = json!({ "type": "AWS", "aws": { "region": "us-hidden-1" } });
    let cluster = Cluster::start(&json!({}), &aws);
    let authority = Authority::new("the authority of the hidden cloud");
    let trusted = cluster.kubeconfig.with_file_name("authority.pem");
    std::fs::write(&trusted, &authority.pem).unwrap();
    let near = listen(authority.server(LOOPBACK));
    let late = Gate::closed(listen(authority.server(LOOPBACK)));
    let stranger = listen(Authority::new("another authority").server(LOOPBACK));
    let url = |port: u16| format!("https://127.0.0.1:{port}");
    let urls = [near, late.port, stranger].map(url);
    let [near, far, stranger] = urls.each_ref().map(String::as_str);

    let _operator = Replica::trusting(&cluster, &trusted);
    want(&cluster, &[("s3", near), ("ec2", near)]);
    let sorted = endpoints(&[("ec2", near), ("s3", near)]);
    becomes(&sorted, || shown(&cluster));
    cluster.says(OPERATOR, CONDITION, "False", &["AsExpected"]);
    // From there to the end of the chain.
    let made = overrides("us-hidden-1", &[("ec2", near), ("s3", near)]);
    cluster.holds(MANAGED_MAP, &made);
    becomes(&2, || cluster.text(TARGET_MAP).matches("[ServiceOverride ").count());

    // Every fault at once, and the status as it was.
    let path = format!("{near}/with/path");
    want(&cluster, &[("ec2", near), ("sts", path.as_str()), ("ec2", near)]);
    cluster.says(OPERATOR, CONDITION, "True", &["/with/path", "ec2"]);
    cluster.says(OPERATOR, "Degraded", "True", &[]);
    cluster.told("Warning", &["/with/path"]);
    assert_eq!(shown(&cluster), sorted);

    // One that does not answer, until it does.
    want(&cluster, &[("ec2", far)]);
    let port = late.port.to_string();
    cluster.says(OPERATOR, CONDITION, "True", &[port.as_str()]);
    assert_eq!(shown(&cluster), sorted);
    late.open();
    let reached = endpoints(&[("ec2", far)]);
    becomes(&reached, || shown(&cluster));
    cluster.says(OPERATOR, CONDITION, "False", &["AsExpected"]);

    // One that nobody vouches for.
    want(&cluster, &[("ec2", stranger)]);
    cluster.says(OPERATOR, CONDITION, "True", &["unknown authority"]);
    assert_eq!(shown(&cluster), reached);

    want(&cluster, &[]);
    becomes(&endpoints(&[]), || shown(&cluster));
    cluster.says(OPERATOR, CONDITION, "False", &["AsExpected"]);
    cluster.says(OPERATOR, "Degraded", "False", &[]);
}
