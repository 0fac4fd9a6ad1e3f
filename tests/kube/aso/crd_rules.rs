//! What the API server refuses of an `AzureInfrastructure` by the rules of its definition.

use landfall_kube::Fault;
use serde_json::{Value, json};

use super::account::printed;
use super::management::Management;
use super::site::{Site, config};
use super::stands::PUBLIC;
use super::table::Azure;
use crate::server::Server;

const PATH: &str = "/apis/aso.landfall.dev/v1alpha1/namespaces/default/azureinfrastructures";

#[test]
#[ignore = "needs a current API server"]
fn the_definition_refuses_what_cannot_be() {
    let server = Server::start();
    for definition in printed(&["crds"]) {
        server.make("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition);
    }
    let object = |name: &str, spec: Value| {
        json!({
            "apiVersion": "aso.landfall.dev/v1alpha1",
            "kind": "AzureInfrastructure",
            "metadata": { "name": name, "namespace": "default" },
            "spec": spec,
        })
    };
    let is_refused = |answer: Result<Value, Fault>, words: &str| match answer {
        Err(fault) => assert!(fault.why().contains(words), "{fault:?}"),
        Ok(taken) => panic!("{words}: {taken}"),
    };
    let credentials = json!({ "name": "azure" });
    let reference = json!({ "name": "config" });
    let both = json!({
        "credentialsSecretRef": credentials, "installConfigRef": reference, "installConfig": { "a": 1 },
    });
    let one = json!({ "credentialsSecretRef": credentials, "installConfigRef": reference });
    // The kind is served after a moment.
    server.make(PATH, &object("demo", one));
    let none = json!({ "credentialsSecretRef": credentials });
    for wrong in [both, none] {
        let answer = server.call("POST", PATH, &object("wrong", wrong));
        is_refused(answer, "set either installConfig or installConfigRef");
    }
    let path = format!("{PATH}/demo");
    let id = |id: &str| json!({ "spec": { "infraID": id } });
    server.change(&path, &id("demo-x7k2p"));
    is_refused(server.call("PATCH", &path, &id("demo-b4n9w")), "infraID cannot be changed");
    // Machines that the operator creates stay with it.
    let machines = |who: Value| json!({ "spec": { "machines": who } });
    server.change(&path, &machines(json!("aso")));
    for wrong in [json!("none"), Value::Null] {
        is_refused(server.call("PATCH", &path, &machines(wrong)), "machines cannot be changed from aso");
    }
    // The rest stays changeable.
    server.change(&path, &json!({ "spec": { "paused": true, "infraID": "demo-x7k2p" } }));
}

#[test]
#[ignore = "needs a current API server"]
fn a_field_that_the_definition_does_not_know_is_refused() {
    let azure = Azure::empty();
    let management = Management::start(&azure);
    let site = Site::new(PUBLIC, &config("public", |_| {}));
    let spec = json!({ "spec": { "disableBgpRoutePropagatoin": true } });
    let patch = spec.to_string();
    let patches = json!([{ "kind": "RouteTable", "name": "demo-x7k2p-node-routetable", "patch": patch }]);
    site.file("patches.yaml", &patches.to_string());
    let kubeconfig = management.server.kubeconfig();
    let patches = site.path().join("patches.yaml");
    let more = ["--aso-patches", patches.to_str().unwrap()];
    let ran = site.start_creating_with(&kubeconfig, &more).end().ends(4);
    assert!(ran.err.contains("disableBgpRoutePropagatoin"), "{ran}");
}
