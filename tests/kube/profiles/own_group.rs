//! Landfall's own group of profiles, which is the default: joined, referred to by infrastructure, and read by the
//! command line.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::world::{ADMISSION, CONTROLLERS};
use crate::gate::nobody;
use crate::operator::account::{install, printed};
use crate::operator::cluster::Cluster;
use crate::operator::replica::Replica;
use crate::running::start_in;
use crate::server::Server;
use crate::until::until;

const API: &str = "profiles.landfall.dev/v1beta1";
const INFRASTRUCTURES: &str = "/apis/aso.landfall.dev/v1alpha1/namespaces/team/azureinfrastructures";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

#[test]
#[ignore = "needs an API server"]
fn profiles_of_landfall_are_joined_kept_and_read() {
    let server = Server::start();
    for definition in printed(&["crds"]) {
        server.make(DEFINITIONS, &definition);
    }
    let parents = format!("/apis/{API}/cloudprofiles");
    let profiles = format!("/apis/{API}/namespaces/team/privatecloudprofiles");
    for path in [parents.as_str(), &profiles, INFRASTRUCTURES] {
        until(path, || server.call("GET", path, &Value::Null).ok());
    }
    server.make("/api/v1/namespaces", &json!({ "metadata": { "name": "team" } }));
    let controllers = format!("{CONTROLLERS},{ADMISSION}");
    let account = install(&server, &printed(&["manifests", "--controllers", &controllers]));
    let kubeconfig = account.kubeconfig(&server);
    let cluster = Cluster { server, namespace: account.namespace, kubeconfig };
    let address = format!("127.0.0.1:{}", nobody());
    let url = format!("https://{address}");
    let flags = ["--controllers", &controllers, "--webhook-listen", &address, "--webhook-service", &url];
    let operator = Replica::begin(&cluster, &flags, None);

    let regions = json!([{ "name": "eu-central-1", "zones": [{ "name": "eu-central-1a" }] }]);
    let parent =
        json!({ "type": "aws", "regions": regions, "kubernetes": { "versions": [{ "version": "1.30.1" }] } });
    cluster.server.make(&parents, &object("CloudProfile", "aws", &parent));
    let types = json!([{ "name": "m5.xlarge", "cpu": "4", "gpu": "0", "memory": "16Gi" }]);
    let spec = json!({ "parent": "aws", "machineTypes": types });
    cluster.server.make(&profiles, &object("PrivateCloudProfile", "ours", &spec));
    let path = format!("{profiles}/ours");
    let joined = until("it is joined", || {
        let joined = cluster.get(&path)?["status"]["cloudProfile"].clone();
        joined.is_object().then_some(joined)
    });
    assert_eq!((&joined["apiVersion"], &joined["kind"]), (&json!(API), &json!("CloudProfile")));
    assert_eq!(joined["spec"]["regions"], regions);

    // The command line restricts itself by it.
    let directory = tempfile::tempdir().unwrap();
    let variable = cluster.server.kubeconfig().display().to_string();
    let environment = BTreeMap::from([("KUBECONFIG".to_owned(), variable)]);
    for name in ["aws", "team/ours"] {
        let listed =
            start_in(&environment, directory.path(), &["regions", "--cloud-profile-ref", name]).end();
        let regions = listed.out.lines().filter(|line| line.contains("-1")).collect::<Vec<&str>>();
        assert!(matches!(regions[..], [one] if one.contains("eu-central-1")), "{listed}");
    }

    // It stays, with all that is used of it, while infrastructure refers to it.
    let infrastructure = json!({
        "apiVersion": "aso.landfall.dev/v1alpha1", "kind": "AzureInfrastructure", "metadata": { "name": "demo" },
        "spec": {
            "installConfigRef": { "name": "config" },
            "credentialsSecretRef": { "name": "azure" },
            "cloudProfileRef": { "name": "ours" },
        },
    });
    cluster.server.make(INFRASTRUCTURES, &infrastructure);
    let status = json!({ "status": { "region": "eu-central-1", "machineTypes": ["m5.xlarge"] } });
    cluster.server.change(&format!("{INFRASTRUCTURES}/demo/status"), &status);
    let refused = |path: &str, change: &Value| refused(&cluster, path, change);
    until("profiles are judged", || {
        let told = refused(&format!("{path}?dryRun=All"), &json!({ "spec": { "caBundle": "none" } }));
        told.contains("denied the request").then_some(())
    });
    let other = json!([{ "name": "m5.large", "cpu": "2", "gpu": "0", "memory": "8Gi" }]);
    let told = refused(&path, &json!({ "spec": { "machineTypes": other } }));
    assert!(told.contains("`m5.xlarge` by AzureInfrastructure `team/demo`"), "{told}");
    let more = json!([types[0], other[0]]);
    cluster.server.change(&path, &json!({ "spec": { "machineTypes": more } }));
    let moved = json!([{ "name": "eu-west-1" }]);
    let told = refused(&format!("{parents}/aws"), &json!({ "spec": { "regions": moved } }));
    assert!(told.contains("`eu-central-1` by AzureInfrastructure `team/demo`"), "{told}");
    let told = refused(
        &format!("{INFRASTRUCTURES}/demo"),
        &json!({ "spec": { "cloudProfileRef": { "kind": "CloudProfile", "name": "aws" } } }),
    );
    assert!(
        told.contains("spec.cloudProfileRef")
            && told.contains("`m5.xlarge` by AzureInfrastructure `team/demo`"),
        "{told}"
    );
    the_other_kinds_stay(&cluster, &infrastructure);
    let events = "/api/v1/namespaces/team/events";
    until("it is held", || cluster.get(&path)?["metadata"]["finalizers"].is_array().then_some(()));
    cluster.server.call("DELETE", &path, &Value::Null).unwrap();
    let note = until("that it is kept is told", || {
        let events = cluster.get(events)?["items"].as_array()?.clone();
        let found = events.into_iter().find(|event| event["reason"] == "ResourceReferenced")?;
        Some((found["involvedObject"]["apiVersion"].clone(), found["message"].to_string()))
    });
    assert!(note.0 == API && note.1.contains("demo"), "{note:?}");
    assert!(cluster.get(&path).is_some());
    cluster.server.call("DELETE", &format!("{INFRASTRUCTURES}/demo"), &Value::Null).unwrap();
    until("it is gone", || cluster.get(&path).is_none().then_some(()));
    assert_eq!(operator.metric("landfall_reconcile_errors_total", &[]), 0, "{}", operator.log());
}

/// What stands against a change of an object.
fn refused(cluster: &Cluster, path: &str, change: &Value) -> String {
    format!("{:?}", cluster.server.call("PATCH", path, change).err())
}

fn object(kind: &str, name: &str, spec: &Value) -> Value {
    json!({ "apiVersion": API, "kind": kind, "metadata": { "name": name }, "spec": spec })
}

/// Fails unless a cloud profile and a namespaced one keep what infrastructures use that refer to them.
fn the_other_kinds_stay(cluster: &Cluster, infrastructure: &Value) {
    let parent = format!("/apis/{API}/cloudprofiles/aws");
    let namespaced = format!("/apis/{API}/namespaces/team/namespacedcloudprofiles");
    let named = |kind: &str, name: &str| json!({ "kind": kind, "name": name });
    let types = json!([{ "name": "m5.own", "cpu": "4", "gpu": "0", "memory": "16Gi" }]);
    let spec = json!({ "parent": named("CloudProfile", "aws"), "machineTypes": types });
    cluster.server.make(&namespaced, &object("NamespacedCloudProfile", "theirs", &spec));
    for (name, of, machine) in [
        // The message is cut, so that their names are short.
        ("e", named("CloudProfile", "aws"), "other"),
        ("o", named("NamespacedCloudProfile", "theirs"), "m5.own"),
    ] {
        let mut infrastructure = infrastructure.clone();
        infrastructure["metadata"]["name"] = json!(name);
        infrastructure["spec"]["cloudProfileRef"] = of;
        cluster.server.make(INFRASTRUCTURES, &infrastructure);
        let status = json!({ "status": { "region": "eu-central-1", "machineTypes": [machine] } });
        cluster.server.change(&format!("{INFRASTRUCTURES}/{name}/status"), &status);
        let told = refused(cluster, &parent, &json!({ "spec": { "regions": [{ "name": "eu-west-1" }] } }));
        for user in ["demo`", name] {
            assert!(told.contains(&format!("`eu-central-1` by AzureInfrastructure `team/{user}")), "{told}");
        }
        if name == "o" {
            let change = json!({ "spec": { "machineTypes": null } });
            let told = refused(cluster, &format!("{namespaced}/theirs"), &change);
            assert!(told.contains("`m5.own` by AzureInfrastructure `team/o`"), "{told}");
        }
        cluster.server.call("DELETE", &format!("{INFRASTRUCTURES}/{name}"), &Value::Null).unwrap();
    }
}
