//! The bootstrap machine goes, and a moved cluster is where it was moved to.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::identity::at;
use super::management::Management;
use super::site::{Run, Site, config};
use super::stands::{PUBLIC, end_lease};
use super::table::Azure;
use crate::running::Ran;

const SSH_KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBERERERERERERERERERERERERERERERERERERERERER";

/// Kinds and names of all objects.
fn names(management: &Management) -> BTreeSet<String> {
    let name = |object: &Value| format!("{}/{}", at(object, "/kind"), at(object, "/metadata/name"));
    management.objects(PUBLIC).iter().map(name).collect()
}

fn is_temporary(name: &str) -> bool {
    name.contains("bootstrap") || name.contains("ssh-in")
}

fn create(site: &Site, management: &Management) -> Ran {
    site.write("pointer.ign", &json!({ "ignition": { "version": "3.2.0" } }));
    let pointer = site.path().join("pointer.ign");
    let engine = ["create", "cluster", "--engine", "aso", "--namespace", PUBLIC, "--infra-id", PUBLIC];
    let machines = ["--offline", "--yes", "--aso-machines", "aso", "--aso-ignition-pointer"];
    let arguments = [&engine[..], &machines, &[pointer.to_str().unwrap()]].concat();
    site.start(&arguments, Some(&management.server.kubeconfig())).end()
}

fn destroy_bootstrap(site: &Site, management: &Management) -> Run {
    site.start(&["destroy", "bootstrap", "--yes", "--force"], Some(&management.server.kubeconfig()))
}

#[test]
#[ignore = "needs an API server"]
fn the_bootstrap_machine_goes_and_does_not_come_back() {
    let azure = Azure::empty();
    let management = Management::start(&azure);
    let site = Site::new(PUBLIC, &config("public", |config| config["sshKey"] = SSH_KEY.into()));
    create(&site, &management).ends(0);
    let all = names(&management);
    let (temporary, staying): (BTreeSet<String>, BTreeSet<String>) =
        all.into_iter().partition(|name| is_temporary(name));
    assert_eq!(temporary.len(), 4, "{temporary:?}");
    // It has secrets of the cluster. A later creation has it again, empty.
    let kept: BTreeSet<String> = staying
        .iter()
        .filter(|name| !name.starts_with("StorageAccountsBlobServicesContainer/"))
        .cloned()
        .collect();
    assert_eq!(kept.len() + 1, staying.len());

    // Killed once it has begun: it must not be made again, and the same command ends it.
    let mut run = destroy_bootstrap(&site, &management);
    run.says("VirtualMachine/demo-x7k2p-bootstrap: delete");
    run.kill();
    end_lease(&management, PUBLIC);
    for _ in 0..2 {
        let ran = destroy_bootstrap(&site, &management).end().ends(0);
        assert!(ran.out.contains(" demo-x7k2p ") && ran.out.ends_with(" gone\n"), "{ran}");
        assert_eq!(names(&management), kept);
    }
    assert!(azure.ids().iter().all(|id| !is_temporary(&id.replace('_', "-"))), "{:?}", azure.ids());
    create(&site, &management).ends(0);
    assert_eq!(names(&management), staying);

    // What was noted is known to a run without the flag, which neither removes machines nor says that there are none.
    assert_eq!(site.metadata()["landfall"]["machines"], true);
    let ran = site.create(&management.server.kubeconfig()).ends(0);
    assert!(!ran.out.contains("without machines"), "{ran}");
    assert!(ran.out.ends_with(&format!("aso handover --dir {}\n", site.path().display())), "{ran}");
    assert_eq!(names(&management), staying);
    let other = ["create", "cluster", "--offline", "--yes", "--aso-machines", "none"];
    let ran = site.start(&other, Some(&management.server.kubeconfig())).end().ends(1);
    assert!(ran.err.contains("LF1543"), "{ran}");
    assert_eq!(names(&management), staying);
}

#[test]
#[ignore = "needs an API server"]
fn where_no_machine_was_made_there_is_nothing_to_remove() {
    let azure = Azure::empty();
    let management = Management::start(&azure);
    let site = Site::new(PUBLIC, &config("public", |_| {}));
    site.create(&management.server.kubeconfig()).ends(0);
    let before = management.versions(PUBLIC);
    let ran = destroy_bootstrap(&site, &management).end().ends(0);
    assert!(ran.out.contains(" demo-x7k2p") && !ran.out.contains("gone"), "{ran}");
    assert_eq!(management.versions(PUBLIC), before);
}

#[test]
#[ignore = "needs an API server"]
fn a_cluster_that_was_moved_is_not_looked_for_where_it_was() {
    let azure = Azure::empty();
    let here = Management::start(&azure);
    let there = Management::start(&azure);
    let site = Site::new(PUBLIC, &config("public", |_| {}));
    let [old, new] = [&here, &there].map(|one| one.server.kubeconfig());
    site.create(&old).ends(0);
    let moved = |to: &std::path::Path| {
        let arguments = [
            "aso",
            "move",
            "--from-kubeconfig",
            old.to_str().unwrap(),
            "--to-kubeconfig",
            to.to_str().unwrap(),
        ];
        site.start(&arguments, None).end()
    };
    // Nothing is touched where it would move to itself.
    let before = here.versions(PUBLIC);
    let ran = moved(&old).ends(4);
    assert!(ran.err.contains("LF1549"), "{ran}");
    assert_eq!(here.versions(PUBLIC), before);

    moved(&new).ends(0);
    // It can be repeated.
    moved(&new).ends(0);
    let home = there.get("/api/v1/namespaces/kube-system").unwrap();
    assert_eq!(site.metadata()["landfall"]["managementCluster"], home["metadata"]["uid"]);
    let whole = azure.ids();
    for arguments in [&["aso", "pause"][..], &["aso", "handover"], &["destroy", "cluster", "--yes"]] {
        let ran = site.start(arguments, Some(&old)).end().ends(4);
        assert!(ran.err.contains("LF1548"), "{ran}");
    }
    let ran = site.create(&old).ends(4);
    assert!(ran.err.contains("LF1548"), "{ran}");
    assert!(here.objects(PUBLIC).is_empty());
    assert_eq!(azure.ids(), whole);
    // It goes on where it is, and what is noted stays so.
    site.create(&new).ends(0);
    assert_eq!(site.metadata()["landfall"]["managementCluster"], home["metadata"]["uid"]);
    site.destroy(&new);
}

#[test]
#[ignore = "needs an API server"]
fn machines_of_the_control_plane_are_not_left_out_without_a_word() {
    let azure = Azure::empty();
    let management = Management::start(&azure);
    let site = Site::new(PUBLIC, &config("public", |config| config["sshKey"] = SSH_KEY.into()));
    std::fs::remove_file(site.path().join("master.ign")).unwrap();
    let ran = create(&site, &management).ends(4);
    assert!(ran.err.contains("LF1542") && ran.err.contains("master.ign"), "{ran}");
    assert!(management.objects(PUBLIC).is_empty());
    assert!(!site.path().join("metadata.json").exists());
}
