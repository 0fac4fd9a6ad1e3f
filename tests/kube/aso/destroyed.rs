//! A cluster goes: with its resource group, with what a failed deletion left, and by what its objects say.

use serde_json::{Value, json};

use super::management::{Management, place_of};
use super::site::{GONE, NONE_LEFT, Site, config};
use super::stands::PUBLIC;
use super::table::{Azure, Trouble};
use super::until::until;

#[test]
#[ignore = "needs an API server"]
fn what_is_outside_goes_first_and_the_rest_with_the_group() {
    let azure = Azure::empty();
    azure.has("/resourcegroups/of-somebody-else", &[]);
    let management = Management::start(&azure);
    let site = Site::new(PUBLIC, &config("public", |_| {}));
    let kubeconfig = management.server.kubeconfig();
    site.create(&kubeconfig).ends(0);

    // The record in the user's zone cannot be deleted for now: nothing else goes before it.
    let record = ("DnsZonesCNAMERecord", "example-com-api-demo");
    let refused =
        Trouble::Refused { reason: "AuthorizationFailed", message: "the record is locked".to_owned() };
    azure.troubles(record.0, record.1, refused);
    let ran = site.start_destroying(&kubeconfig).end().ends(4);
    ran.said(&["the record is locked"]);
    assert!(azure.table().deletes.is_empty(), "{:?}", azure.table().deletes);

    azure.is_well();
    management.look_again();
    let record = place_of(PUBLIC, record.0, record.1);
    until("the record goes", || management.get(&record).is_none().then_some(()));
    site.destroy(&kubeconfig);
    assert_eq!(azure.ids(), ["/resourcegroups/of-somebody-else"]);
    let deletes = azure.table().deletes.clone();
    assert!(deletes.first().is_some_and(|id| id.contains("dnszonescnamerecords")), "{deletes:?}");
    assert!(management.objects(PUBLIC).is_empty());
    assert_eq!(management.anchor(PUBLIC), None);
    let secret = format!("/api/v1/namespaces/{PUBLIC}/secrets/{PUBLIC}-aso-secret");
    assert_eq!(management.get(&secret), None);

    // Once more: there is nothing left to do but to ask Azure, which is not here.
    let ran = site.start_destroying(&kubeconfig).end().ends(5);
    ran.said(&[NONE_LEFT, "Azure does not say whose credentials these are", "LF1387"]);
    assert!(site.path().join("metadata.json").exists());
}

#[test]
#[ignore = "needs an API server"]
fn what_the_user_has_in_the_group_is_named_and_waited_for() {
    let azure = Azure::empty();
    let management = Management::start(&azure);
    let site = Site::new(PUBLIC, &config("public", |_| {}));
    let kubeconfig = management.server.kubeconfig();
    site.create(&kubeconfig).ends(0);
    let place = place_of(PUBLIC, "NetworkSecurityGroup", "theirs");
    let (collection, name) = place.rsplit_once('/').unwrap();
    let group = format!("{PUBLIC}-rg");
    let theirs = json!({
        "apiVersion": "network.azure.com/v1api20240301",
        "kind": "NetworkSecurityGroup",
        "metadata": { "name": name },
        "spec": { "azureName": name, "owner": { "name": group }, "location": "eastus" },
    });
    let make = || management.server.make(collection, &theirs);
    let is_there = || azure.ids().iter().any(|id| id.ends_with("/theirs"));
    make();
    until("the user's resource is created", || is_there().then_some(()));

    let mut ran = site.start_destroying(&kubeconfig);
    ran.says("NetworkSecurityGroup/theirs use");
    ran.says("NetworkSecurityGroup/theirs is not managed by this cluster");
    assert!(is_there() && management.get(&place_of(PUBLIC, "ResourceGroup", &group)).is_some());
    let gone = management.server.call("DELETE", &place, &Value::Null);
    assert!(gone.is_ok(), "{gone:?}");
    ran.says(GONE);
    assert_eq!(azure.ids(), Vec::<String>::new());

    ran.kill();

    // The user permits it.
    let site = Site::new(PUBLIC, &config("public", |_| {}));
    site.create(&kubeconfig).ends(0);
    make();
    until("the user's resource is created", || is_there().then_some(()));
    let mut ran = site.start(&["destroy", "cluster", "--yes", "--remove-user-objects"], Some(&kubeconfig));
    ran.says("are removed as well");
    ran.says(GONE);
    assert_eq!(azure.ids(), Vec::<String>::new());
}

/// landfall uses no key vaults, and one in the cluster's group would go with it.
#[test]
#[ignore = "needs an API server"]
fn what_the_user_has_of_other_kinds_is_waited_for_as_well() {
    let azure = Azure::empty();
    let management = Management::start(&azure);
    let schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    let version = json!({
        "name": "v1api20230701", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema },
    });
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "vaults.keyvault.azure.com" },
        "spec": {
            "group": "keyvault.azure.com",
            "names": { "kind": "Vault", "listKind": "VaultList", "plural": "vaults", "singular": "vault" },
            "scope": "Namespaced",
            "versions": [version],
        },
    });
    management.server.make("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition);
    let site = Site::new(PUBLIC, &config("public", |_| {}));
    let kubeconfig = management.server.kubeconfig();
    site.create(&kubeconfig).ends(0);
    let group = format!("{PUBLIC}-rg");
    let collection = format!("/apis/keyvault.azure.com/v1api20230701/namespaces/{PUBLIC}/vaults");
    let theirs = json!({
        "apiVersion": "keyvault.azure.com/v1api20230701",
        "kind": "Vault",
        "metadata": { "name": "theirs" },
        "spec": { "owner": { "name": group }, "location": "eastus" },
    });
    management.server.make(&collection, &theirs);

    let mut ran = site.start_destroying(&kubeconfig);
    ran.says("Vault.keyvault.azure.com/theirs use");
    ran.says("Vault.keyvault.azure.com/theirs is not managed by this cluster");
    assert!(management.get(&place_of(PUBLIC, "ResourceGroup", &group)).is_some());
    let gone = management.server.call("DELETE", &format!("{collection}/theirs"), &Value::Null);
    assert!(gone.is_ok(), "{gone:?}");
    ran.says(GONE);
    assert_eq!(azure.ids(), Vec::<String>::new());
}
