//! The whole way of `landfall create cluster --wait`: from nothing, by way of the bootstrap, to an installed cluster, with
//! a stop in each part. The cloud is moto, the cluster's API a real API server.

use serde_json::json;

use crate::installation::Installation;
use crate::listing::Listing;
use crate::server::Server;

const RELEASE: &str = "4.19";
const REGION: &str = "us-east-1";

const AVAILABLE: &[(&str, &str, &str)] =
    &[("Available", "True", ""), ("Progressing", "False", ""), ("Degraded", "False", "")];
const INSTALLED: &[(&str, &str, &str)] =
    &[("Available", "True", ""), ("Progressing", "False", ""), ("Failing", "False", "")];
const CONSOLE: &str = "https://console.apps.demo.example.com";

/// What each part says when it begins.
const BOOTSTRAP: &str = "waiting until the bootstrap is complete";
const REMOVAL: &str = "removing the bootstrap machine";
const INSTALLATION: &str = "waiting until the cluster is installed";

/// The machines of the cluster, by name.
fn machines(installation: &Installation) -> Vec<String> {
    let all = Listing::of(installation.cloud());
    let machines = all.of_kind("machine").into_iter();
    let mut names: Vec<String> = machines.map(|machine| machine.name().to_owned()).collect();
    names.sort();
    names
}

/// What of a cluster is installed.
fn install(server: &Server) {
    for kind in ["ClusterVersion", "ClusterOperator"] {
        server.define(kind);
    }
    server.add("ClusterVersion", "version");
    server.add("ClusterOperator", "ingress");
    server.conditions("ClusterOperator", "ingress", AVAILABLE);
    server.make("/api/v1/namespaces", &json!({ "metadata": { "name": "openshift-config-managed" } }));
    server.config_map("openshift-config-managed", "console-public", &json!({ "consoleURL": CONSOLE }));
    // Whoever waits has an installed cluster as soon as the release says so.
    server.conditions("ClusterVersion", "version", INSTALLED);
}

#[test]
#[ignore = "needs moto and an API server"]
fn one_command_leads_to_an_installed_cluster_whatever_stops_it() {
    let installation = Installation::prepare(RELEASE, REGION, Vec::new(), |_| String::new());
    let server = Server::start();
    let auth = installation.directory().join("auth");
    std::fs::create_dir(&auth).unwrap();
    std::fs::copy(server.kubeconfig(), auth.join("kubeconfig")).unwrap();
    std::fs::write(auth.join("kubeadmin-password"), "canary-of-kubeadmin").unwrap();

    // Stopped while the cluster starts: everything exists, and the machine stays.
    let mut running = installation.start_waiting();
    running.says(BOOTSTRAP);
    running.says("in progress");
    running.interrupt();
    let ran = running.end().ends(130).said(&["run the same command again to continue"]);
    assert!(!ran.err.contains(REMOVAL), "{ran}");
    let begun = machines(&installation);
    assert!(begun.iter().any(|name| name.ends_with("-bootstrap")), "{begun:?}");

    // Stopped after the bootstrap: the machine is gone, and everything else is there once.
    let mut running = installation.start_waiting();
    running.says(BOOTSTRAP);
    server.config_map("kube-system", "bootstrap", &json!({ "status": "complete" }));
    running.says(REMOVAL);
    running.says(INSTALLATION);
    running.says("release");
    running.interrupt();
    let ran = running.end().ends(130).said(&["run the same command again to continue"]);
    assert!(ran.out.contains("bootstrap machine") && ran.out.contains("is gone"), "{ran}");
    let rest = machines(&installation);
    let masters: Vec<&String> = begun.iter().filter(|name| !name.ends_with("-bootstrap")).collect();
    assert_eq!(rest.iter().collect::<Vec<&String>>(), masters);

    // To the end: what was done is not done again.
    let mut running = installation.start_waiting();
    running.says(INSTALLATION);
    install(&server);
    let ran = running.end().ends(0);
    assert!(!ran.err.contains(BOOTSTRAP) && !ran.err.contains(REMOVAL), "{ran}");
    for words in ["OpenShift 4.20.1", CONSOLE, "auth/kubeconfig", "auth/kubeadmin-password"] {
        assert!(ran.out.contains(words), "`{words}` is missing: {ran}");
    }
    assert!(!ran.out.contains("canary") && !ran.err.contains("canary"), "{ran}");

    // And once more, which changes nothing.
    let before = Listing::of(installation.cloud());
    let ran = installation.start_waiting().end().ends(0);
    assert!(ran.out.contains(CONSOLE), "{ran}");
    assert!(Listing::of(installation.cloud()).changed(&before).is_empty());
    installation.destroy();
}
