//! A cluster moves from one management cluster to another, which Azure does not notice.

use std::path::Path;

use serde_json::{Value, json};

use super::counted::Counted;
use super::management::{Management, place_of};
use super::site::{Run, Site, config};
use super::stands::{PRIVATE, brought, end_lease, is_ready, like_example, policy, settings};
use super::table::Azure;
use super::until::until;

fn begin(site: &Site, from: &Path, to: &Path) -> Run {
    let [from, to] = [from, to].map(|path| path.to_str().unwrap());
    let flags = ["--from-kubeconfig", from, "--to-kubeconfig", to, "--infra-id", PRIVATE];
    site.start(&[&["aso", "move"][..], &flags].concat(), None)
}

fn managing(azure: &Azure) -> Management {
    let management = Management::defined(azure);
    management.deploy(&settings());
    management.played(&[])
}

/// A cluster that stands in a management cluster.
fn standing(azure: &Azure) -> (Management, Site) {
    brought(azure, &[(&format!("kubernetes.io_cluster.{PRIVATE}"), "owned")]);
    let management = managing(azure);
    let site = Site::new(PRIVATE, &config("byo-private", |_| {}));
    site.create(&management.server.kubeconfig()).ends(0);
    (management, site)
}

#[test]
#[ignore = "needs an API server"]
fn a_cluster_moves_and_azure_does_not_notice() {
    let azure = Azure::empty();
    let (here, site) = standing(&azure);
    let there = managing(&azure);
    let whole = azure.table().resources.clone();
    let [old, new] = [&here, &there].map(|one| one.server.kubeconfig());

    // Where nobody plays the operator, nothing is paused.
    there.replicas(0);
    let before = here.versions(PRIVATE);
    let ran = begin(&site, &old, &new).end();
    assert_eq!(ran.code, Some(4), "{ran}");
    assert_eq!(here.versions(PRIVATE), before);
    there.replicas(1);

    // Killed after every few writes on either side.
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let counted_old = Counted::before(&here.server, folders[0].path());
    let counted_new = Counted::before(&there.server, folders[1].path());
    let puts = azure.table().puts.len();
    let mut kills = 0;
    loop {
        for (side, counted) in [(&here, &counted_old), (&there, &counted_new)] {
            end_lease(side, PRIVATE);
            counted.allow(5, kills % 2 == 1);
        }
        let mut run = begin(&site, &counted_old.kubeconfig, &counted_new.kubeconfig);
        let has_ended = || counted_old.has_ended() || counted_new.has_ended();
        until("it is killed, or ends", || (has_ended() || !run.runs()).then_some(()));
        // At no time does Azure notice.
        assert_eq!(azure.table().resources, whole);
        if !has_ended() {
            run.end().ends(0);
            break;
        }
        run.kill();
        kills += 1;
        assert!(kills < 60, "it does not come to an end");
    }
    assert!(kills > 2, "{kills}");
    assert_eq!(azure.table().puts.len(), puts);
    assert!(azure.table().deletes.is_empty(), "{:?}", azure.table().deletes);
    assert!(here.objects(PRIVATE).is_empty());
    assert_eq!(here.anchor(PRIVATE), None);
    until("all are Ready there", || there.objects(PRIVATE).iter().all(is_ready).then_some(()));
    let group = there.get(&place_of(PRIVATE, "ResourceGroup", "corp-gov1-rg"));
    assert_eq!(group.as_ref().map(policy), Some("manage"));
    let path = format!("/api/v1/namespaces/{PRIVATE}/secrets/{PRIVATE}-aso-secret");
    assert!(there.get(&path).is_some_and(|secret: Value| secret["data"]["AZURE_CLIENT_SECRET"].is_string()));

    // It is made and destroyed from there as from anywhere.
    end_lease(&there, PRIVATE);
    site.create(&new).ends(0);
    assert_eq!(azure.table().puts.len(), puts);
    site.destroy(&new);
    let left = azure.ids();
    assert!(left.iter().all(|id| id.starts_with("/resourcegroups/corp-net-rg")), "{left:?}");
}

#[test]
#[ignore = "needs an API server"]
fn without_a_break_everything_is_as_it_was() {
    let azure = Azure::empty();
    brought(&azure, &[]);
    let here = managing(&azure);
    let there = managing(&azure);
    let site = Site::new(PRIVATE, &config("byo-private", |_| {}));
    let [old, new] = [&here, &there].map(|one| one.server.kubeconfig());
    site.create(&old).ends(0);
    let whole = azure.table().resources.clone();
    begin(&site, &old, &new).end().ends(0);
    like_example(&there, PRIVATE, "byo-private");
    assert!(here.objects(PRIVATE).is_empty());
    assert_eq!(azure.table().resources, whole);

    // The same move again, as after a stop at its very end: nothing here says any more which cloud it is.
    assert_eq!(here.anchor(PRIVATE), None);
    begin(&site, &old, &new).end().ends(0);
}

/// Has a kind require a field, as another release of the operator may, or not any more.
fn requires(management: &Management, definition: &str, field: Option<&str>) {
    let mut changed = management.get(definition).unwrap();
    for version in changed["spec"]["versions"].as_array_mut().unwrap() {
        let spec = &mut version["schema"]["openAPIV3Schema"]["properties"]["spec"];
        let mut required = spec["required"].as_array().cloned().unwrap_or_default();
        required.retain(|one| one != "edition");
        required.extend(field.map(Value::from));
        spec["required"] = required.into();
    }
    management.server.call("PUT", definition, &changed).unwrap();
}

#[test]
#[ignore = "needs an API server"]
fn a_move_pauses_nothing_that_the_other_side_refuses() {
    const GROUPS: &str =
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/resourcegroups.resources.azure.com";
    let azure = Azure::empty();
    let (here, site) = standing(&azure);
    let there = managing(&azure);
    let [old, new] = [&here, &there].map(|one| one.server.kubeconfig());
    end_lease(&here, PRIVATE);
    let group = here.get(&place_of(PRIVATE, "ResourceGroup", "corp-gov1-rg")).unwrap();
    let version = group["apiVersion"].as_str().unwrap();
    let path = format!("/apis/{version}/namespaces/default/resourcegroups?dryRun=All");
    let copy = json!({
        "apiVersion": version, "kind": "ResourceGroup", "metadata": { "name": "copy" }, "spec": group["spec"],
    });
    // The server notices a change of definitions a moment later.
    let is_taken = || there.server.call("POST", &path, &copy).is_ok();
    requires(&there, GROUPS, Some("edition"));
    until("it is refused", || (!is_taken()).then_some(()));
    let before = here.versions(PRIVATE);
    let ran = begin(&site, &old, &new).end().ends(4);
    assert!(ran.err.contains("LF1532") && ran.err.contains("ResourceGroup/corp-gov1-rg"), "{ran}");
    assert!(ran.err.contains("edition"), "{ran}");
    assert_eq!(here.versions(PRIVATE), before);
    assert!(there.objects(PRIVATE).is_empty());

    requires(&there, GROUPS, None);
    until("it is accepted", || is_taken().then_some(()));
    begin(&site, &old, &new).end().ends(0);
    assert!(here.objects(PRIVATE).is_empty());
}

#[test]
#[ignore = "needs an API server"]
fn a_move_needs_the_kinds_of_all_objects_there() {
    const MACHINES: &str = "virtualmachines.compute.azure.com";
    let azure = Azure::empty();
    let (here, site) = standing(&azure);
    let there = managing(&azure);
    let definition = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{MACHINES}");
    there.server.call("DELETE", &definition, &Value::Null).unwrap();
    until("the definition is gone", || there.get(&definition).is_none().then_some(()));
    let machine = place_of(PRIVATE, "VirtualMachine", "own");
    let (machines, name) = machine.rsplit_once('/').unwrap();
    let mut parts = machines.split('/').skip(2);
    let api_version = format!("{}/{}", parts.next().unwrap(), parts.next().unwrap());
    let [old, new] = [&here, &there].map(|one| one.server.kubeconfig());

    let object = json!({
        "apiVersion": api_version, "kind": "VirtualMachine",
        "metadata": {
            "name": name,
            "namespace": PRIVATE,
            "labels": { "aso.landfall.dev/cluster": PRIVATE },
            "annotations": { "serviceoperator.azure.com/reconcile-policy": "skip" },
        },
        "spec": { "location": "usgovvirginia", "owner": { "name": "own" } },
    });
    here.server.make(machines, &object);
    // The operator writes to an object that is new.
    let reason = || here.get(&machine)?.pointer("/status/conditions/0/reason").cloned();
    until("the operator saw it", || (reason()? == "WaitingForOwner").then_some(()));
    end_lease(&here, PRIVATE);
    let before = here.versions(PRIVATE);
    let ran = begin(&site, &old, &new).end().ends(4);
    assert!(ran.err.contains("LF1524") && ran.err.contains(MACHINES), "{ran}");
    assert_eq!(here.versions(PRIVATE), before);
    assert!(there.objects(PRIVATE).is_empty());

    // Without such an object, the kind is not needed.
    here.server.call("DELETE", &machine, &Value::Null).unwrap();
    until("the machine is gone", || here.get(&machine).is_none().then_some(()));
    begin(&site, &old, &new).end().ends(0);
    assert!(here.objects(PRIVATE).is_empty());
}
