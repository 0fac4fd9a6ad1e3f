//! Another management cluster adopts a cluster that exists in Azure, as after a restore, and lets it go.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::controller::{Asked, Controller, managed};
use super::site::config;
use super::stands::{PUBLIC, policy};
use super::table::{Azure, Resource};
use super::until::until;

/// Waits until what was changed last is applied.
fn settles(asked: &Asked<'_>, policy: &str) {
    until("the policy is applied", || {
        let status = asked.get()?["status"].clone();
        (status["adoptPolicy"] == policy && status["adoptPolicyChanging"].is_null()).then_some(())
    });
}

/// A cluster is created, and its management cluster is lost.
fn create_and_lose(azure: &Azure, config: &Value) {
    let lost = managed(azure);
    let _controller = Controller::start(&lost);
    Asked::make(&lost, PUBLIC, config, &json!({})).says("Ready", "True", &[]);
}

#[test]
#[ignore = "needs an API server"]
fn a_cluster_of_a_lost_management_cluster_is_adopted_and_let_go() {
    let (azure, config) = (Azure::empty(), config("public", |_| {}));
    create_and_lose(&azure, &config);
    let whole = azure.table().resources.clone();
    let puts = || azure.table().puts.len();
    let before = puts();

    // A dry run, in which a group is somebody else's now, with its rule, and an address is gone.
    let (foreign, gone) = ("/resourcegroups/demo-x7k2p-rg/networksecuritygroups/demo-x7k2p-nsg", {
        let mut table = azure.table();
        let ids: Vec<String> =
            table.resources.keys().filter(|id| id.contains("/publicipaddresses/")).cloned().collect();
        table.resources.retain(|id, _| !ids.contains(id));
        ids
    });
    assert!(whole.contains_key(foreign) && !gone.is_empty(), "{:?}", whole.keys());
    azure.has(foreign, &[("team", "corp")]);
    let management = managed(&azure);
    let _controller = Controller::start(&management);
    let asked = Asked::make(&management, PUBLIC, &config, &json!({ "adoptPolicy": "skip" }));
    asked.says("Ready", "False", &["nothing changes in Azure", "2 belong to somebody else"]);
    let dry_run = asked.get().unwrap()["status"]["dryRun"].clone();
    assert_eq!(dry_run["toCreate"].as_u64(), Some(gone.len() as u64), "{dry_run}");
    assert!(dry_run["toAdopt"].as_u64() > Some(5), "{dry_run}");
    let managed = || management.objects(PUBLIC).into_iter().filter(|object| policy(object) != "skip").count();
    assert_eq!((puts(), managed()), (before, 0));

    // What is as it was is adopted, and what is missing is created.
    azure.table().resources.clone_from(&whole);
    management.look_again();
    asked.change(&json!({ "spec": { "adoptPolicy": "detach-on-delete" } }));
    settles(&asked, "detach-on-delete");
    asked.says("Ready", "True", &[]);
    assert_eq!(azure.table().resources, whole);
    asked.change(&json!({ "spec": { "adoptPolicy": "manage" } }));
    settles(&asked, "manage");
    asked.says("Ready", "True", &[]);
    let policies =
        || -> Vec<String> { management.objects(PUBLIC).iter().map(|one| policy(one).to_owned()).collect() };
    assert!(
        policies().iter().any(|policy| policy == "manage")
            && !policies().contains(&"detach-on-delete".to_owned())
    );

    // Back again, at once with the deletion.
    asked.unprotect();
    asked.change(&json!({ "spec": { "adoptPolicy": "detach-on-delete" } }));
    asked.delete();
    until("it is gone", || asked.get().is_none().then_some(()));
    until("the objects are gone", || management.objects(PUBLIC).is_empty().then_some(()));
    let table = azure.table();
    assert!(table.deletes.is_empty(), "{:?}", table.deletes);
    let ids = |all: &BTreeMap<String, Resource>| -> Vec<String> { all.keys().cloned().collect() };
    assert_eq!(ids(&table.resources), ids(&whole));
}

/// A role assignment of another name, as everybody chooses it at random.
const ROLE: &str = "0d1c9b2a-3e4f-4a5b-8c6d-7e8f9a0b1c2d";

/// The resources with another name of the role assignment, and where else a name is another one.
fn renamed(resources: &BTreeMap<String, Resource>, others: &[(&str, &str)]) -> BTreeMap<String, Resource> {
    let role = |id: &str| id.rsplit_once("/roleassignments/").map(|(_, name)| name.to_owned());
    let role = resources.keys().find_map(|id| role(id)).expect("a cluster has a role assignment");
    let rename =
        |id: &str| others.iter().fold(id.replace(&role, ROLE), |id, (ours, theirs)| id.replace(ours, theirs));
    resources.iter().map(|(id, resource)| (rename(id), resource.clone())).collect()
}

/// The resources of a cluster under the names that Terraform gives where they are others, and without what only an
/// installed cluster creates.
fn as_terraform_names_them(resources: &BTreeMap<String, Resource>) -> BTreeMap<String, Resource> {
    const OTHERS: [(&str, &str); 2] = [
        ("/storageaccounts/demox7k2psa", "/storageaccounts/clusterk4d9x"),
        ("/demo-x7k2p-vnet-link", "/demo-x7k2p-network-link"),
    ];
    let mut all = renamed(resources, &OTHERS);
    all.retain(|id, _| !id.contains("/routetables/"));
    all
}

/// The resources of a cluster as OpenShift's installer creates it with the Cluster API provider, which has a tag of its
/// own on what it creates, and creates more.
fn as_the_installer_creates_them(resources: &BTreeMap<String, Resource>) -> BTreeMap<String, Resource> {
    const OF_PROVIDER: [&str; 6] = [
        "/virtualnetworks/",
        "/networksecuritygroups/",
        "/routetables/",
        "/loadbalancers/",
        "/privatednszones/",
        "/privatednszonesvirtualnetworklinks/",
    ];
    let ours = format!("kubernetes.io_cluster.{PUBLIC}");
    let theirs = format!("sigs.k8s.io_cluster-api-provider-azure_cluster_{PUBLIC}");
    let mut all = renamed(resources, &[]);
    let mut changed = 0;
    for (id, resource) in &mut all {
        let is_of_provider = OF_PROVIDER.iter().any(|part| id.contains(part));
        if let Some(tag) = resource.tags.remove(&ours).filter(|_| is_of_provider) {
            resource.tags.insert(theirs.clone(), tag);
            changed += 1;
        } else if !is_of_provider {
            resource.tags.insert(ours.clone(), "owned".into());
        }
    }
    assert!(changed > 4, "{:?}", all.keys());
    let address = "/resourcegroups/demo-x7k2p-rg/publicipaddresses/pip-demo-x7k2p-controlplane-outbound";
    all.insert(
        address.to_owned(),
        Resource { tags: Map::from_iter([(theirs, json!("owned"))]), spec: Value::Null },
    );
    all
}

/// Adopts these resources by patches that give their names, and lets them go. `missing` are as many resources as a dry
/// run without patches does not find, `created` those that are created then.
fn adopted_by_patches(
    azure: &Azure,
    (config, whole): (&Value, &BTreeMap<String, Resource>),
    names: &[(&str, &str)],
    (missing, created): (u64, &[&str]),
) {
    azure.table().resources.clone_from(whole);
    let put = azure.table().puts.len();
    let management = managed(azure);
    let _controller = Controller::start(&management);
    let more = json!({ "adoptPolicy": "skip", "stage": "handover" });
    let asked = Asked::make(&management, PUBLIC, config, &more);
    let to_create = |number: u64| {
        until("the dry run is done", || {
            let status = asked.get()?["status"].clone();
            let found = status["dryRun"]["toCreate"].as_u64();
            (found == Some(number)).then_some(())
        });
    };
    to_create(missing);
    let patch = |(kind, other): &(&str, &str)| {
        let objects = management.objects(PUBLIC);
        let object = objects.iter().find(|one| one["kind"] == *kind).unwrap();
        let patch = json!({ "spec": { "azureName": other } }).to_string();
        json!({ "kind": kind, "name": object["metadata"]["name"], "patch": patch })
    };
    let patches: Vec<Value> = names.iter().map(patch).collect();
    asked.change(&json!({ "spec": { "patches": patches } }));
    to_create(created.len() as u64);
    assert_eq!(asked.get().unwrap()["status"]["dryRun"]["foreign"], 0);
    assert_eq!(azure.table().puts.len(), put);

    asked.change(&json!({ "spec": { "adoptPolicy": "detach-on-delete" } }));
    settles(&asked, "detach-on-delete");
    asked.says("Ready", "True", &[]);
    let adopted = azure.table().resources.clone();
    let new: Vec<&String> = adopted.keys().filter(|id| !whole.contains_key(*id)).collect();
    assert_eq!(new.len(), created.len(), "{new:?}");
    assert!(created.iter().all(|part| new.iter().any(|id| id.contains(part))), "{new:?}");

    asked.delete();
    until("it is gone", || asked.get().is_none().then_some(()));
    assert!(azure.table().deletes.is_empty(), "{:?}", azure.table().deletes);
    assert_eq!(azure.table().resources.len(), adopted.len());
}

#[test]
#[ignore = "needs an API server"]
fn a_cluster_of_terraform_is_adopted_by_patches_with_its_names_and_let_go() {
    let (azure, config) = (Azure::empty(), config("public", |_| {}));
    create_and_lose(&azure, &config);
    let whole = as_terraform_names_them(&azure.table().resources);
    let count = whole.keys().filter(|id| id.contains("clusterk4d9x")).count();
    assert_eq!(count, 3, "{:?}", whole.keys());
    let names = [
        ("StorageAccount", "clusterk4d9x"),
        ("PrivateDnsZonesVirtualNetworkLink", "demo-x7k2p-network-link"),
        ("RoleAssignment", ROLE),
    ];
    // The account with its service and container, the link, the role and the route table.
    adopted_by_patches(&azure, (&config, &whole), &names, (6, &["/routetables/"]));
}

#[test]
#[ignore = "needs an API server"]
fn a_cluster_of_the_installer_is_adopted_and_let_go() {
    let (azure, config) = (Azure::empty(), config("public", |_| {}));
    create_and_lose(&azure, &config);
    let whole = as_the_installer_creates_them(&azure.table().resources);
    adopted_by_patches(&azure, (&config, &whole), &[("RoleAssignment", ROLE)], (1, &[]));
}
