//! A pause: nothing changes in Azure because of a cluster's objects until it ends.

use serde_json::Value;

use super::management::{Management, place_of};
use super::site::{Site, config};
use super::stands::{PUBLIC, is_ready, like_example, note, policy};
use super::table::Azure;
use super::until::until;

const BLOCK_MOVE: &str = "clusterctl.cluster.x-k8s.io/block-move";

fn blocks_move(management: &Management) -> bool {
    let anchor = management.anchor(PUBLIC).unwrap();
    anchor["metadata"]["annotations"].get(BLOCK_MOVE).is_some()
}

fn is_paused(object: &Value) -> bool {
    note(object, "pre-pause-reconcile-policy").is_some() && policy(object) == "skip"
}

#[test]
#[ignore = "needs an API server"]
fn a_paused_cluster_changes_nothing_until_it_is_resumed() {
    let azure = Azure::empty();
    let management = Management::start(&azure);
    let site = Site::new(PUBLIC, &config("public", |_| {}));
    let kubeconfig = management.server.kubeconfig();
    site.create(&kubeconfig).ends(0);
    let whole = azure.ids();
    assert!(blocks_move(&management));

    let change =
        |verb: &str| site.start(&["aso", verb, "--infra-id", PUBLIC], Some(&kubeconfig)).end().ends(0);
    change("pause");
    assert!(management.objects(PUBLIC).iter().all(is_paused));
    // A move may begin.
    assert!(!blocks_move(&management));
    // To pause once more is nothing.
    let before = management.versions(PUBLIC);
    change("pause");
    assert_eq!(management.versions(PUBLIC), before);

    // What is lost stays lost.
    let network = place_of(PUBLIC, "VirtualNetwork", "demo-x7k2p-vnet");
    azure.table().delete("/resourcegroups/demo-x7k2p-rg/virtualnetworks/demo-x7k2p-vnet");
    management.look_again();
    until("the operator misses it", || management.get(&network).filter(|object| !is_ready(object)));
    let puts = azure.table().puts.len();
    let ran = site.create(&kubeconfig).ends(4);
    let ran = ran.said(&["LF1538", "landfall aso resume"]);
    assert!(!ran.err.contains("nothing stands") && !ran.err.contains("landfall destroy"), "{ran}");
    assert!(management.objects(PUBLIC).iter().all(is_paused));
    assert_eq!(azure.table().puts.len(), puts);

    // The directory is as it was after a refusal.
    let files = |site: &Site| {
        ["metadata.json", "facts.json", "manifests/cluster-config.yaml"]
            .map(|name| std::fs::read(site.path().join(name)).unwrap())
    };
    let before = files(&site);
    site.write("install-config.yaml", &config("public", |config| config["publish"] = "Internal".into()));
    let ran = site.create(&kubeconfig).ends(4);
    assert!(ran.err.contains("LF1538") && !ran.err.contains("written"), "{ran}");
    assert_eq!(files(&site), before);
    site.write("install-config.yaml", &config("public", |_| {}));

    change("resume");
    assert!(blocks_move(&management));
    until("the network is there again", || management.get(&network).filter(is_ready));
    site.create(&kubeconfig).ends(0);
    like_example(&management, PUBLIC, "public");
    assert_eq!(azure.ids(), whole);
}
