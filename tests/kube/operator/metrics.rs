//! The metrics over TLS: for those whom the API server knows and permits to read them, and for no others.

use std::path::Path;
use std::process::Command;

use rcgen::{CertificateParams, KeyPair};
use serde_json::{Value, json};

use super::account::{install, printed};
use super::cluster::Cluster;
use super::replica::Replica;
use super::until::until;
use crate::gate::nobody;

/// The account that the manifests print for Prometheus.
const READER: &str = "landfall-metrics-reader";

/// Status and body of the metrics, as a client that trusts this authority reads them; none where it does not get so far.
fn read(port: u16, authority: &Path, token: Option<&str>) -> Option<(u16, String)> {
    let mut curl = Command::new("curl");
    curl.args([
        "--silent",
        "--noproxy",
        "*",
        "--max-time",
        "10",
        "--write-out",
        "\n%{http_code}",
        "--cacert",
    ]);
    curl.arg(authority);
    if let Some(token) = token {
        curl.arg("--header").arg(format!("Authorization: Bearer {token}"));
    }
    let ran = curl.arg(format!("https://localhost:{port}/metrics")).output().unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    let (body, status) = text.rsplit_once('\n')?;
    ran.status.success().then(|| (status.parse().unwrap(), body.to_owned()))
}

fn token(cluster: &Cluster, namespace: &str, account: &str) -> String {
    let path = format!("/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token");
    let request = json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {} });
    let answer = cluster.server.call("POST", &path, &request).unwrap();
    answer["status"]["token"].as_str().unwrap().to_owned()
}

#[test]
#[ignore = "needs an API server"]
fn metrics_are_read_over_tls_by_whom_the_cluster_permits_it() {
    let cluster = Cluster::start(&json!({}), &json!({ "type": "GCP" }));
    let monitored = printed(&["manifests", "--release-version", "4.19.3", "--monitoring", "openshift"]);
    let of_reader = |object: &&Value| {
        object["metadata"]["name"].as_str().is_some_and(|name| name.starts_with(READER))
            && object["kind"] != "Secret"
    };
    install(&cluster.server, &monitored.iter().filter(of_reader).cloned().collect::<Vec<_>>());
    cluster.server.make(
        "/api/v1/namespaces/default/serviceaccounts",
        &json!({ "metadata": { "name": "somebody", "namespace": "default" } }),
    );

    // The certificate comes after the start, as OpenShift writes it.
    let folder = tempfile::tempdir().unwrap();
    let port = nobody();
    let (listen, certificates) = (format!("127.0.0.1:{port}"), folder.path().display().to_string());
    // An earlier test may have left its lease behind.
    let flags = [
        "--leader-elect=false",
        "--controllers",
        "kube-cloud-config",
        "--metrics-listen",
        &listen,
        "--metrics-cert-dir",
        &certificates,
    ];
    let replica = Replica::begin(&cluster, &flags, None);
    let lacks = "metrics: waiting for their certificate";
    assert!(replica.get("/readyz").unwrap().1.contains(lacks));
    assert_eq!(replica.get("/metrics").map(|(status, _)| status), Some(404));
    let trust = folder.path().join("ca.crt");
    let renew = || {
        let key = KeyPair::generate().unwrap();
        let certificate =
            CertificateParams::new(vec!["localhost".to_owned()]).unwrap().self_signed(&key).unwrap();
        std::fs::write(folder.path().join("tls.key"), key.serialize_pem()).unwrap();
        std::fs::write(folder.path().join("tls.crt"), certificate.pem()).unwrap();
        std::fs::write(&trust, certificate.pem()).unwrap();
    };
    renew();

    let reader = token(&cluster, &cluster.namespace, READER);
    let is = |token: Option<&str>, wanted: u16| {
        until("it answers", || {
            let (status, body) = read(port, &trust, token)?;
            assert_eq!(status, wanted, "{body}");
            Some(body)
        })
    };
    let body = is(Some(&reader), 200);
    assert!(body.contains("landfall_leader 1") && body.trim_end().ends_with("# EOF"), "{body}");
    assert!(!replica.get("/readyz").unwrap().1.contains(lacks));
    is(None, 401);
    is(Some("made.up.token"), 401);
    let somebody = token(&cluster, "default", "somebody");
    assert!(!is(Some(&somebody), 403).contains("landfall_"));
    let told = replica.log();
    assert!(!told.contains(&reader) && !told.contains(&somebody), "{told}");

    // A renewed certificate is served without a restart.
    renew();
    is(Some(&reader), 200);
}
