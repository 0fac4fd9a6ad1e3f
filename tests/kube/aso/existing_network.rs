//! A cluster in a network and a resource group that were there before.

use serde_json::{Value, json};

use super::management::{Management, place_of};
use super::site::{Site, config};
use super::stands::{PRIVATE, brought, like_example, policy, settings};
use super::table::Azure;

#[test]
#[ignore = "needs an API server"]
fn what_was_there_before_is_used_and_left() {
    let azure = Azure::empty();
    brought(&azure, &[("team", "corp")]);
    let before = azure.table().resources.clone();
    let management = Management::defined(&azure);
    management.deploy(&settings());
    let management = management.played(&[]);
    let site = Site::new(PRIVATE, &config("byo-private", |_| {}));
    let kubeconfig = management.server.kubeconfig();

    site.create(&kubeconfig).ends(0);
    // The records know the address that Azure chose.
    like_example(&management, PRIVATE, "byo-private");
    let records = azure.table().resources.keys().filter(|id| id.contains("privatednszonesarecords")).count();
    assert_eq!(records, 2);
    for (id, resource) in &before {
        assert_eq!(azure.table().resources.get(id), Some(resource), "{id}");
    }

    // The group is not the cluster's, so everything goes one by one, and the group stays.
    site.destroy(&kubeconfig);
    assert_eq!(azure.table().resources, before);
    assert!(management.objects(PRIVATE).is_empty());
    assert_eq!(management.anchor(PRIVATE), None);
}

#[test]
#[ignore = "needs an API server"]
fn a_group_of_the_clusters_own_goes_with_it() {
    let azure = Azure::empty();
    brought(&azure, &[(&format!("kubernetes.io_cluster.{PRIVATE}"), "owned")]);
    let management = Management::defined(&azure);
    management.deploy(&settings());
    let management = management.played(&[]);
    let site = Site::new(PRIVATE, &config("byo-private", |_| {}));
    let kubeconfig = management.server.kubeconfig();

    site.create(&kubeconfig).ends(0);
    let group = management.get(&place_of(PRIVATE, "ResourceGroup", "corp-gov1-rg"));
    assert_eq!(group.as_ref().map(policy), Some("manage"));
    site.destroy(&kubeconfig);
    let left = azure.ids();
    assert!(
        !left.is_empty() && left.iter().all(|id| id.starts_with("/resourcegroups/corp-net-rg")),
        "{left:?}"
    );
}

#[test]
#[ignore = "needs an API server"]
fn missing_resources_of_the_user_are_reported() {
    let azure = Azure::empty();
    brought(&azure, &[]);
    azure
        .table()
        .delete("/resourcegroups/corp-net-rg/virtualnetworks/corp-vnet/virtualnetworkssubnets/corp-cp");
    let management = Management::defined(&azure);
    management.deploy(&settings());
    let management = management.played(&[]);
    let site = Site::new(PRIVATE, &config("byo-private", |_| {}));
    let ran = site.create(&management.server.kubeconfig()).ends(4);
    let ran = ran.said(&["LF1533", "corp-vnet-corp-cp"]);
    assert!(!ran.err.contains("panicked"), "{ran}");
    // The others were not stopped by it.
    assert!(azure.ids().iter().any(|id| id.contains("privatednszones/")), "{:?}", azure.ids());
    let identity =
        azure.at(&format!("/resourcegroups/corp-gov1-rg/userassignedidentities/{PRIVATE}-identity"));
    let tags = identity.map(|identity| Value::Object(identity.tags));
    assert_eq!(tags, Some(json!({ (format!("kubernetes.io_cluster.{PRIVATE}")): "owned" })));
}
