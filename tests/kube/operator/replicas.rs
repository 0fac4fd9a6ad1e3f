//! Two operators, of which one leads, until it is killed or told to end.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::cluster::{Cluster, KEY, MANAGED_MAP, USER_MAP};
use super::replica::Replica;
use super::until::until;

/// The lease's duration with its grace, and what a busy machine takes beyond it.
const TAKEOVER: Duration = Duration::from_secs(40);

fn holder(cluster: &Cluster) -> Option<String> {
    let leases = format!("/apis/coordination.k8s.io/v1/namespaces/{}/leases", cluster.namespace);
    let leases = cluster.get(&leases).unwrap_or_default();
    let lease = leases["items"].as_array()?.first()?;
    let holder = lease["spec"]["holderIdentity"].as_str().unwrap_or_default();
    (!holder.is_empty()).then(|| holder.to_owned())
}

#[test]
#[ignore = "needs an API server"]
fn another_replica_takes_over_from_one_that_is_killed_and_from_one_that_ends() {
    let spec = json!({ "cloudConfig": { "name": USER_MAP.1, "key": KEY } });
    let cluster = Cluster::start(&spec, &json!({ "type": "GCP" }));
    cluster.user_map("first");
    let controllers = "kube-cloud-config";
    let mut first = Replica::start(&cluster, controllers);
    until("the only one leads", || first.leads().then_some(()));
    cluster.holds(MANAGED_MAP, "first");
    let mut second = Replica::start(&cluster, controllers);
    for path in ["/healthz", "/readyz"] {
        assert_eq!(second.get(path).map(|(status, _)| status), Some(200), "{path}");
    }
    assert!(first.leads() && !second.leads());
    assert_eq!(second.metric("landfall_writes_total", &[]), 0);
    let killed = holder(&cluster);

    first.kill();
    let begin = Instant::now();
    cluster.user_text("second");
    cluster.holds(MANAGED_MAP, "second");
    assert!(begin.elapsed() < TAKEOVER, "it took {:?}", begin.elapsed());
    until("the other one leads", || second.leads().then_some(()));
    let leader = holder(&cluster);
    assert!(leader.is_some() && leader != killed, "{leader:?} after {killed:?}");
    for metric in ["landfall_reconciles_total", "landfall_writes_total"] {
        // What a run came to is counted after what it wrote.
        until(metric, || (second.metric(metric, &[]) > 0).then_some(()));
    }
    assert_eq!(second.metric("landfall_reconcile_errors_total", &[]), 0);

    // Who ends as it is told gives the lease back, so that the next one need not wait for its end.
    assert_eq!(second.terminate(), Some(0), "{}", second.log());
    assert_eq!(holder(&cluster), None);
    let third = Replica::start(&cluster, controllers);
    until("the next one leads", || third.leads().then_some(()));
    cluster.user_text("third");
    cluster.holds(MANAGED_MAP, "third");

    // What it writes about itself is one JSON object a line, without what the objects say.
    until("it tells of a run", || third.log().contains("reconciled").then_some(()));
    let log = third.log();
    let lines: Vec<Value> = log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert!(lines.len() > 1 && lines.len() == log.lines().count(), "{log}");
    assert!(log.contains(controllers) && !log.contains("an authority"), "{log}");
    let mut runs = lines.iter().filter(|line| line["message"] == "reconciled").peekable();
    assert!(runs.peek().is_some(), "{log}");
    assert!(runs.all(|line| line["key"].as_str().is_some_and(|key| !key.is_empty())), "{log}");
}
