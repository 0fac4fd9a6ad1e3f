//! What stays when another landfall takes over: after an upgrade, and after a restore from a backup.

use std::fs::File;
use std::io::Read;

use flate2::read::GzDecoder;
use serde_json::{Value, json};

use super::controller::{Asked, Controller, apply_over, documents, managed, manifests};
use super::management::Management;
use super::site::config;
use super::stands::{PUBLIC, policy};
use super::table::Azure;

const CLUSTERS: usize = 50;
/// How many are created at once.
const AT_ONCE: usize = 10;
const ACCEPTED: &str = "aso.landfall.dev/accept-plan";
const FLAGS: &[&str] = &["--secret-namespaces=*"];
const RELEASE: &str = "aso.landfall.dev/release";

/// Of the objects of a cluster what the operator acts upon.
fn wanted(management: &Management, id: &str) -> Vec<(Value, Value, String)> {
    let of = |object: &Value| {
        (object["metadata"]["uid"].clone(), object["spec"].clone(), policy(object).to_owned())
    };
    management.objects(id).iter().map(of).collect()
}

/// What `operator manifests` printed with [`FLAGS`] at commit 97cd9bb3.
fn former_manifests() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/aso/former-manifests.yaml.gz");
    let mut text = String::new();
    GzDecoder::new(File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    documents(&text)
}

#[test]
#[ignore = "needs an API server"]
fn an_upgrade_with_fifty_clusters_changes_nothing_in_azure() {
    let azure = Azure::empty();
    let management = managed(&azure);
    let former = former_manifests();
    let controller = Controller::start_from(&management, &former);
    let mut clusters: Vec<Asked<'_>> = Vec::new();
    while clusters.len() < CLUSTERS {
        let some = (0..AT_ONCE).map(|number| {
            let name = format!("c{:02}", clusters.len() + number);
            let config = config("public", |config| config["metadata"]["name"] = json!(name));
            Asked::make(&management, &format!("{name}-x7k2p"), &config, &json!({}))
        });
        let some: Vec<Asked<'_>> = some.collect();
        for cluster in &some {
            cluster.says("Ready", "True", &[]);
        }
        clusters.extend(some);
    }
    let of = |cluster: &Asked<'_>| {
        let asked = cluster.get().unwrap();
        (asked["metadata"]["uid"].clone(), asked["spec"].clone(), wanted(&management, &cluster.id))
    };
    let all = || clusters.iter().map(of).collect::<Vec<_>>();
    let before = all();
    assert!(before.iter().all(|(_, _, objects)| objects.len() > 10), "{}", before.len());
    let puts = || azure.table().puts.len();
    let put = puts();

    // An earlier version planned them in another way.
    let earlier = json!({ "status": { "planHash": "0123456789abcdef", "plannedBy": "0.0.9" } });
    let _controller = controller.after(|| {
        for cluster in &clusters {
            management.server.change(&format!("{}/status", cluster.path()), &earlier);
        }
        apply_over(&management, &former, &manifests(FLAGS));
    });
    for cluster in &clusters {
        cluster.says("UpdateAvailable", "True", &["than 0.0.9"]);
        cluster.says("Ready", "True", &[]);
    }
    assert!(all() == before, "a spec or a policy changed");
    assert_eq!(puts(), put);

    // The owner of one accepts it, and the others stay.
    let told = clusters[0].says("UpdateAvailable", "True", &[]);
    let plan = told["message"].as_str().unwrap().rsplit(' ').next().unwrap();
    clusters[0].change(&json!({ "metadata": { "annotations": { (ACCEPTED): plan } } }));
    clusters[0].says("Progressing", "False", &["Done"]);
    clusters[1].says("Progressing", "False", &["Held"]);
    assert!(all()[1..] == before[1..], "a spec or a policy changed");
}

#[test]
#[ignore = "needs an API server"]
fn a_resource_is_restored_from_a_backup() {
    let azure = Azure::empty();
    let lost = managed(&azure);
    let controller = Controller::start(&lost);
    let config = config("public", |_| {});
    let asked = Asked::make(&lost, PUBLIC, &config, &json!({ "release": "4.18" }));
    asked.says("Ready", "True", &[]);
    // What `kubectl get -o yaml` writes, as `kubectl apply` sends it. The id and the release are in the metadata alone.
    let mut saved = asked.get().unwrap();
    for field in ["uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"] {
        saved["metadata"].as_object_mut().unwrap().remove(field);
    }
    saved.as_object_mut().unwrap().remove("status");
    json_patch::merge(
        &mut saved,
        &json!({ "spec": { "infraID": null, "release": null, "adoptPolicy": "skip" } }),
    );
    assert_eq!(saved["metadata"]["annotations"][RELEASE], "4.18");
    drop(controller);
    drop(lost);
    let whole = azure.table().resources.clone();
    let put = azure.table().puts.len();

    let management = managed(&azure);
    let _controller = Controller::start(&management);
    let asked = Asked::prepare(&management, PUBLIC, &config);
    asked.apply(&saved);
    asked.says("Ready", "False", &["nothing changes in Azure"]);
    let status = asked.get().unwrap()["status"].clone();
    assert_eq!((&status["infraID"], &status["release"]), (&json!(PUBLIC), &json!("4.18")), "{status}");
    let dry_run = &status["dryRun"];
    let counts = ["toCreate", "foreign"].map(|count| dry_run[count].as_u64());
    assert!(counts == [Some(0); 2] && dry_run["toAdopt"].as_u64() > Some(5), "{dry_run}");
    assert_eq!(azure.table().puts.len(), put);

    asked.change(&json!({ "spec": { "adoptPolicy": "manage" } }));
    asked.says("Ready", "True", &[]);
    assert_eq!(azure.table().resources, whole);
    assert!(azure.table().deletes.is_empty());
}
