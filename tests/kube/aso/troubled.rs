//! What goes wrong with single resources: Azure refuses one, asks for patience, loses one, or has it already.

use serde_json::{Value, json};

use super::identity::at;
use super::management::{Management, place_of};
use super::site::{SUBSCRIPTION, Site, config};
use super::stands::{PUBLIC, is_ready, like_example, policy};
use super::table::{Azure, Trouble};
use super::until::until;

const NETWORK: &str = "/resourcegroups/demo-x7k2p-rg/virtualnetworks/demo-x7k2p-vnet";

fn tag() -> String {
    format!("kubernetes.io_cluster.{PUBLIC}")
}

fn object(management: &Management, kind: &str, name: &str) -> Value {
    management.get(&place_of(PUBLIC, kind, name)).unwrap_or_default()
}

#[test]
#[ignore = "needs an API server"]
fn one_that_is_refused_stops_what_needs_it_and_nothing_else() {
    let azure = Azure::empty();
    let management = Management::start(&azure);
    let site = Site::new(PUBLIC, &config("public", |_| {}));
    let kubeconfig = management.server.kubeconfig();
    let message = "the quota of public addresses is used up".to_owned();
    let refused = Trouble::Refused { reason: "PublicIPCountLimitReached", message };
    azure.troubles("PublicIPAddress", "demo-x7k2p-pip-v4", refused);
    // Another one only asks for patience.
    azure.troubles("RouteTable", "demo-x7k2p-node-routetable", Trouble::Throttled(3));

    let ran = site.create(&kubeconfig).ends(4);
    let ran = ran.said(&["PublicIPAddress/demo-x7k2p-pip-v4", "the quota of public addresses is used up"]);
    assert!(!ran.err.contains("panicked"), "{ran}");
    let ids = azure.ids();
    let has = |words: &str| ids.iter().any(|id| id.contains(words));
    assert!(has("/virtualnetworkssubnets/") && has("/routetables/") && has("/privatednszones/"), "{ids:?}");
    assert!(!has("/publicipaddresses/"), "{ids:?}");
    assert!(!ids.iter().any(|id| id.ends_with("/loadbalancers/demo-x7k2p")), "{ids:?}");

    // Once the reason is gone, the same command goes on.
    azure.is_well();
    management.look_again();
    let address = place_of(PUBLIC, "PublicIPAddress", "demo-x7k2p-pip-v4");
    until("the address is there", || management.get(&address).filter(is_ready));
    site.create(&kubeconfig).ends(0);
    like_example(&management, PUBLIC, "public");
}

#[test]
#[ignore = "needs an API server"]
fn what_was_deleted_behind_our_back_comes_again() {
    let azure = Azure::empty();
    let management = Management::start(&azure);
    let site = Site::new(PUBLIC, &config("public", |_| {}));
    let kubeconfig = management.server.kubeconfig();
    site.create(&kubeconfig).ends(0);
    let whole = azure.ids();

    // A resource with all within it: the operator finds out, and makes it again.
    azure.table().delete(NETWORK);
    management.look_again();
    site.create(&kubeconfig).ends(0);
    until("all are there again", || (azure.ids() == whole).then_some(()));

    // An object, which takes its resource with it: the engine makes it again, and the operator the resource.
    let place = place_of(PUBLIC, "NetworkSecurityGroupsSecurityRule", "demo-x7k2p-nsg-apiserver-in");
    let before = management.get(&place).unwrap();
    management.server.call("DELETE", &place, &Value::Null).unwrap();
    until("it is gone", || management.get(&place).is_none().then_some(()));
    assert_ne!(azure.ids(), whole);
    site.create(&kubeconfig).ends(0);
    assert_eq!(azure.ids(), whole);
    let after = management.get(&place).unwrap();
    assert_ne!(at(&before, "/metadata/uid"), at(&after, "/metadata/uid"));

    // What others change of a spec or of tags is put right; what others add to tags stays.
    let place = place_of(PUBLIC, "VirtualNetwork", "demo-x7k2p-vnet");
    let tags = json!({ "costcenter": "1", "added": "by somebody" });
    let changed = json!({ "addressSpace": { "addressPrefixes": ["10.0.0.0/8"] }, "tags": tags });
    management.server.change(&place, &json!({ "spec": changed }));
    site.create(&kubeconfig).ends(0);
    let network = management.get(&place).unwrap();
    assert_eq!(network["spec"]["addressSpace"]["addressPrefixes"], json!(["10.0.0.0/16"]));
    let wanted = json!({ (tag()): "owned", "costcenter": "7536", "added": "by somebody" });
    assert_eq!(network["spec"]["tags"], wanted);
    until("Azure has the tags", || {
        azure.at(NETWORK).filter(|found| Value::Object(found.tags.clone()) == wanted)
    });
}

#[test]
#[ignore = "needs an API server"]
fn what_is_in_azure_already_is_taken_over_only_with_the_tag() {
    let azure = Azure::empty();
    let tag = tag();
    let owned = [(tag.as_str(), "owned")];
    azure.has("/resourcegroups/demo-x7k2p-rg", &owned);
    azure.has(NETWORK, &owned);
    // A tag that only shares is no proof.
    let group = "/resourcegroups/demo-x7k2p-rg/networksecuritygroups/demo-x7k2p-nsg";
    azure.has(group, &[(tag.as_str(), "shared")]);
    let foreign = azure.at(group);
    // A kind without tags counts as what it is a part of.
    let subnet = format!("{NETWORK}/virtualnetworkssubnets/demo-x7k2p-master-subnet");
    azure.has(&subnet, &[]);
    let management = Management::start(&azure);
    let site = Site::new(PUBLIC, &config("public", |_| {}));

    let ran = site.create(&management.server.kubeconfig());
    assert!(!ran.err.contains("panicked"), "{ran}");
    let said = format!("{}{}", ran.out, ran.err);
    assert!(said.contains("NetworkSecurityGroup/demo-x7k2p-nsg: leave "), "{ran}");
    let names = [
        ("ResourceGroup", "demo-x7k2p-rg", "manage"),
        ("VirtualNetwork", "demo-x7k2p-vnet", "manage"),
        ("VirtualNetworksSubnet", "demo-x7k2p-vnet-demo-x7k2p-master-subnet", "manage"),
        ("NetworkSecurityGroup", "demo-x7k2p-nsg", "skip"),
    ];
    for (kind, name, wanted) in names {
        assert_eq!(policy(&object(&management, kind, name)), wanted, "{kind}/{name}: {ran}");
    }
    assert_eq!(azure.at(group), foreign);
}

#[test]
#[ignore = "needs an API server"]
fn the_objects_of_others_are_left_alone() {
    let azure = Azure::empty();
    let management = Management::start(&azure);
    management.namespace(PUBLIC);
    // The user has an object of his own under a name that the plan has too.
    management.server.config_map(PUBLIC, "of-the-user", &json!({}));
    let map = management.get(&format!("/api/v1/namespaces/{PUBLIC}/configmaps/of-the-user")).unwrap();
    let owner = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": "of-the-user",
        "uid": map["metadata"]["uid"],
        "controller": true,
    });
    let zone = format!(
        "/subscriptions/{SUBSCRIPTION}/resourceGroups/dns-rg/providers/Microsoft.Network/dnsZones/a.b"
    );
    let users = json!({
        "apiVersion": "network.azure.com/v1api20180501",
        "kind": "DnsZonesCNAMERecord",
        "metadata": { "name": "example-com-api-demo", "ownerReferences": [owner] },
        "spec": { "azureName": "of-the-user", "owner": { "armId": zone } },
    });
    let place = place_of(PUBLIC, "DnsZonesCNAMERecord", "example-com-api-demo");
    let (collection, _) = place.rsplit_once('/').unwrap();
    management.server.make(collection, &users);
    let site = Site::new(PUBLIC, &config("public", |_| {}));
    let kubeconfig = management.server.kubeconfig();
    site.create(&kubeconfig).ends(0);
    site.destroy(&kubeconfig);
    let left = management.get(&place).unwrap();
    assert_eq!((&left["spec"], policy(&left)), (&users["spec"], ""));
    assert_eq!(left["metadata"]["ownerReferences"].as_array().map(Vec::len), Some(1), "{left}");
    assert_eq!(azure.ids().len(), 1, "{:?}", azure.ids());
}
