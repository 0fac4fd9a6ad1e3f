//! `landfall wait-for`: what is there is told, what is missing is named, and what will not come is not
//! waited for.

use std::path::Path;

use serde_json::json;
use tempfile::TempDir;

use crate::gate::{Gate, nobody};
use crate::running::{run, start};
use crate::server::{Server, other_authority};

const AVAILABLE: &[(&str, &str, &str)] =
    &[("Available", "True", ""), ("Progressing", "False", ""), ("Degraded", "False", "")];
const INSTALLED: &[(&str, &str, &str)] =
    &[("Available", "True", ""), ("Progressing", "False", ""), ("Failing", "False", "")];

fn directory() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A cluster directory whose kubeconfig leads to a server.
fn leading_to(server: &str, more: &str) -> TempDir {
    let directory = directory();
    let kubeconfig = format!(
        "apiVersion: v1\nkind: Config\nclusters:\n- name: demo\n  cluster:\n    server: {server}\n{more}\
         users:\n- name: admin\n  user:\n    token: canary-of-the-kubeconfig\n\
         contexts:\n- name: demo\n  context:\n    cluster: demo\n    user: admin\ncurrent-context: demo\n"
    );
    std::fs::create_dir(directory.path().join("auth")).unwrap();
    std::fs::write(directory.path().join("auth/kubeconfig"), kubeconfig).unwrap();
    directory
}

#[test]
fn a_kubeconfig_that_cannot_be_used_is_reported_at_once() {
    let empty = directory();
    let ran = run(empty.path(), &["wait-for", "api"]).ends(1);
    ran.said(&["LF1240", "auth/kubeconfig", "is not there", "--kubeconfig"]);

    let insecure = leading_to("https://127.0.0.1:1", "    insecure-skip-tls-verify: true\n");
    let ran = run(insecure.path(), &["wait-for", "api"]).ends(3);
    ran.said(&["LF1242", "insecure-skip-tls-verify", "certificate-authority-data"]);
    let plain = leading_to("http://127.0.0.1:1", "");
    run(plain.path(), &["wait-for", "api"]).ends(3).said(&["LF1242", "with http, not https"]);

    let broken = leading_to("https://127.0.0.1:1", "    : - broken\n\t{ canary-of-the-text");
    let ran = run(broken.path(), &["wait-for", "api", "-o", "json"]).ends(3);
    let object = ran.json();
    assert_eq!((&object["outcome"], &object["finding"]["code"]), (&json!("refused"), &json!("LF1241")));
    assert!(!ran.out.contains("canary") && !ran.err.contains("canary"), "{ran}");
}

#[test]
fn an_api_that_is_not_there_is_reported_with_the_step_that_fails() {
    let port = nobody();
    let directory = leading_to(&format!("https://127.0.0.1:{port}"), "");
    let ran = run(directory.path(), &["wait-for", "api", "--timeout", "2s"]).ends(1);
    assert!(!ran.err.contains("canary"), "{ran}");
    ran.said(&["LF1245", "after 2s", "connecting: connection refused", "bootstrap machine"]);

    let directory = leading_to("https://api.demo.invalid:6443", "");
    let ran = run(directory.path(), &["wait-for", "install-complete", "--timeout", "2", "-o", "json"]);
    let object = ran.ends(1).json();
    assert_eq!(object["what"], "install-complete");
    assert_eq!(object["outcome"], "timedOut");
    assert_eq!(object["server"], "https://api.demo.invalid:6443");
    assert_eq!(object["finding"]["code"], "LF1245");
}

#[test]
fn the_user_can_stop_it() {
    let directory = leading_to(&format!("https://127.0.0.1:{}", nobody()), "");
    let mut running = start(directory.path(), &["wait-for", "api"]);
    running.says("connection refused");
    running.interrupt();
    running.end().ends(130).said(&["interrupted"]);

    let mut running = start(directory.path(), &["wait-for", "api", "-o", "json"]);
    running.says("connection refused");
    running.interrupt();
    assert_eq!(running.end().ends(130).json()["outcome"], "interrupted");
}

#[test]
#[ignore = "needs an API server"]
fn the_api_is_waited_for_until_it_answers() {
    let server = Server::start();
    let gate = Gate::closed(server.port());
    let url = format!("server: https://127.0.0.1:{}", gate.port);
    let kubeconfig = server.changed("late", "server:", &url);
    let directory = directory();
    let words = ["wait-for", "api", "--kubeconfig", text(&kubeconfig), "--timeout", "2m"];
    let mut running = start(directory.path(), &words);
    running.says("waiting");
    gate.open();
    let ran = running.end().ends(0);
    let server = format!("https://127.0.0.1:{}", gate.port);
    assert!(ran.out.contains(&server) && ran.out.contains("Kubernetes v1."), "{ran}");
}

#[test]
#[ignore = "needs an API server"]
fn a_refused_user_is_reported_without_waiting() {
    let server = Server::start();
    let directory = directory();
    let ask = |what: &str, kubeconfig: &Path| {
        run(directory.path(), &["wait-for", what, "--kubeconfig", text(kubeconfig), "--timeout", "10m"])
    };
    let other = format!("certificate-authority-data: {}", other_authority());
    let wrong = server.changed("wrong-authority", "certificate-authority-data:", &other);
    ask("api", &wrong).ends(1).said(&["LF1244", "authority"]);

    let stranger = server.changed("stranger", "token:", "token: canary-of-a-stranger");
    let ran = ask("bootstrap-complete", &stranger).ends(1);
    assert!(!ran.err.contains("canary"), "{ran}");
    ran.said(&["LF1243", "401"]);

    ask("bootstrap-complete", &server.nobody()).ends(1).said(&["LF1243", "403", "configmaps"]);
}

#[test]
#[ignore = "needs an API server"]
fn the_bootstrap_is_waited_for_until_it_says_that_it_is_complete() {
    let server = Server::start();
    let directory = directory();
    let kubeconfig = server.kubeconfig();
    let words = ["wait-for", "bootstrap-complete", "--kubeconfig", text(&kubeconfig)];
    let short = [&words[..], &["--timeout", "12s"]].concat();
    run(directory.path(), &short).ends(1).said(&["LF1246", "journalctl", "landfall gather"]);

    let mut running = start(directory.path(), &words);
    running.says("in progress");
    server.config_map("kube-system", "bootstrap", &json!({ "status": "half-way" }));
    running.says("half-way");
    let map = "/api/v1/namespaces/kube-system/configmaps/bootstrap";
    server.change(map, &json!({ "data": { "status": "complete" } }));
    let ran = running.end().ends(0);
    assert!(ran.out.contains("bootstrap is complete"), "{ran}");
}

#[test]
#[ignore = "needs an API server"]
fn an_installation_is_waited_for_until_every_operator_rests() {
    let server = Server::start();
    // As in a cluster directory, with its password beside the kubeconfig.
    let directory = directory();
    std::fs::create_dir(directory.path().join("auth")).unwrap();
    std::fs::copy(server.kubeconfig(), directory.path().join("auth/kubeconfig")).unwrap();
    std::fs::write(directory.path().join("auth/kubeadmin-password"), "canary-of-kubeadmin").unwrap();

    let mut running = start(directory.path(), &["wait-for", "install-complete"]);
    running.says("release");
    for kind in ["ClusterVersion", "ClusterOperator"] {
        server.define(kind);
    }
    server.add("ClusterVersion", "version");
    let changing = [
        ("Available", "False", ""),
        ("Progressing", "True", "Working towards 4.20.1: 512 of 907 done"),
        ("Failing", "False", ""),
    ];
    server.conditions("ClusterVersion", "version", &changing);
    for name in ["ingress", "dns", "authentication"] {
        server.add("ClusterOperator", name);
    }
    server.conditions("ClusterOperator", "dns", AVAILABLE);
    let no_route = [
        ("Available", "False", "no route\nyet"),
        ("Progressing", "False", ""),
        ("Degraded", "True", "OAuthServer is degraded"),
    ];
    server.conditions("ClusterOperator", "authentication", &no_route);
    running.says_all(&["1 of 3 ", " authentication, ingress"]);

    let ran = run(directory.path(), &["wait-for", "install-complete", "--timeout", "12s"]).ends(1);
    ran.said(&[
        "LF1247",
        "2 of 3 operators: authentication, ingress",
        "512 of 907 done",
        ": no route yet; OAuthServer is degraded",
        "oc get clusteroperators",
    ]);

    server.conditions("ClusterOperator", "ingress", AVAILABLE);
    running.says_all(&["2 of 3 ", " authentication"]);
    server.make("/api/v1/namespaces", &json!({ "metadata": { "name": "openshift-config-managed" } }));
    let console = json!({ "consoleURL": "https://console.apps.demo.example.com" });
    server.config_map("openshift-config-managed", "console-public", &console);
    server.conditions("ClusterOperator", "authentication", AVAILABLE);
    running.says_all(&["3 of 3 ", "release"]);
    server.conditions("ClusterVersion", "version", INSTALLED);
    let ran = running.end().ends(0);
    for words in ["OpenShift 4.20.1", "https://console.apps.demo.example.com", "auth/kubeadmin-password"] {
        assert!(ran.out.contains(words), "`{words}` is missing: {ran}");
    }
    assert!(!ran.out.contains("canary"), "{ran}");

    let ran = run(directory.path(), &["wait-for", "install-complete", "-o", "json"]).ends(0);
    let object = ran.json();
    assert_eq!(object["outcome"], "done");
    assert_eq!(object["version"], "4.20.1");
    assert_eq!(object["console"], "https://console.apps.demo.example.com");
    assert_eq!(object["operators"][0]["name"], "authentication");
    assert_eq!(object["operators"].as_array().map(Vec::len), Some(3));
}
