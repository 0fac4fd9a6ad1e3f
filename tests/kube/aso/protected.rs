//! The API server refuses whatever would remove a protected cluster, however it is deleted.

use landfall_kube::Fault;
use serde_json::{Value, json};

use super::controller::{Asked, Controller, own_kind};
use super::management::{Management, place_of};
use super::site::config;
use super::stands::PUBLIC;
use super::table::Azure;
use super::until::until;

/// What is said of it.
const PROTECTED: &str = "cluster is protected";

/// Whether a call was refused in these words.
fn is_refused(answer: &Result<Value, Fault>, words: &str) -> bool {
    matches!(answer, Err(fault) if fault.why().contains(words))
}

#[test]
#[ignore = "needs a current API server"]
fn a_protected_cluster_is_kept_whoever_deletes_it_and_how() {
    let azure = Azure::empty();
    let management = Management::defined(&azure);
    management.deploy(&json!({}));
    let management = management.played(&[own_kind()]);
    let controller = Controller::start_with(&management, &["--secret-namespaces=*"], true);
    // The controller creates the policies itself.
    let policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
    let policy = format!("{policies}/landfall-deletion-protection-objects");
    until("the policies are there", || management.get(&policy));
    let asked = Asked::make(&management, PUBLIC, &config("public", |_| {}), &json!({}));
    asked.says("Ready", "True", &[]);
    let whole = azure.ids();
    let before = management.versions(PUBLIC);
    let network = place_of(PUBLIC, "VirtualNetwork", "demo-x7k2p-vnet");
    let group = place_of(PUBLIC, "ResourceGroup", "demo-x7k2p-rg");

    // As Argo CD prunes, and as kubectl deletes.
    for propagation in ["Foreground", "Background", "Orphan"] {
        let answer = asked.try_delete(propagation);
        assert!(is_refused(&answer, PROTECTED), "{propagation}: {answer:?}");
    }
    // As the namespace's controller deletes, and the collector of garbage.
    for place in [&network, &group] {
        let answer = management.server.call("DELETE", place, &Value::Null);
        assert!(is_refused(&answer, PROTECTED), "{place}: {answer:?}");
    }
    let (all, _) = network.rsplit_once('/').unwrap();
    let answer = management.server.call("DELETE", all, &Value::Null);
    assert!(is_refused(&answer, PROTECTED), "{answer:?}");
    assert_eq!((azure.ids(), management.versions(PUBLIC)), (whole.clone(), before));

    // So it is before the status says whose they are, as after a move.
    let status = json!({ "status": { "infraID": null } });
    let place = format!("{}/status", asked.path());
    management.server.call("PATCH", &place, &status).unwrap();
    let answer = management.server.call("DELETE", &network, &Value::Null);
    assert!(is_refused(&answer, PROTECTED), "{answer:?}");

    // Objects that are not this cluster's are nobody's concern.
    let other = json!({
        "apiVersion": "network.azure.com/v1api20240301",
        "kind": "RouteTable",
        "metadata": { "name": "mine", "namespace": PUBLIC, "labels": { "aso.landfall.dev/cluster": "other-b2c3d" } },
        "spec": { "azureName": "mine", "location": "eastus", "owner": { "armId": "/subscriptions/s/resourceGroups/r" } },
    });
    let place = place_of(PUBLIC, "RouteTable", "mine");
    let (collection, _) = place.rsplit_once('/').unwrap();
    management.server.call("POST", collection, &other).unwrap();
    management.server.call("DELETE", &place, &Value::Null).unwrap();

    // clusterctl marks what it deletes after a move.
    let mark =
        json!({ "metadata": { "annotations": { "clusterctl.cluster.x-k8s.io/delete-for-move": "" } } });
    let rule = place_of(PUBLIC, "NetworkSecurityGroupsSecurityRule", "demo-x7k2p-nsg-apiserver-in");
    management.server.change(&rule, &mark);
    management.server.call("DELETE", &rule, &Value::Null).unwrap();
    until("the operator creates it again", || {
        let rule = management.get(&rule)?;
        rule["metadata"]["annotations"]["clusterctl.cluster.x-k8s.io/delete-for-move"].is_null().then_some(())
    });
    asked.says("Ready", "True", &[]);

    // `kubectl replace` takes the annotation away with all other notes, also while no operator runs.
    drop(controller);
    let mut plain = asked.get().unwrap();
    for notes in ["labels", "annotations", "finalizers"] {
        plain["metadata"].as_object_mut().unwrap().remove(notes);
    }
    management.server.call("PUT", &asked.path(), &plain).unwrap();
    let answers = [asked.try_delete("Background"), management.server.call("DELETE", &network, &Value::Null)];
    assert!(answers.iter().all(|answer| is_refused(answer, PROTECTED)), "{answers:?}");
    let controller = Controller::start_with(&management, &["--secret-namespaces=*"], true);
    until("it is protected again", || {
        let annotations = asked.get()?["metadata"]["annotations"].clone();
        let noted =
            ["deletion-protection", "plan-hash"].map(|key| &annotations[format!("aso.landfall.dev/{key}")]);
        noted.iter().all(|value| value.is_string()).then_some(())
    });

    asked.unprotect();
    until("it may be deleted", || asked.try_delete("Background").ok());
    until("it is gone", || asked.get().is_none().then_some(()));
    assert!(azure.ids().is_empty(), "{:?}", azure.ids());
    drop(controller);
}
