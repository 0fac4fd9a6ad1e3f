//! The operator's account: what `landfall operator manifests` prints, made in a cluster.

use std::path::PathBuf;
use std::process::Command;

use landfall_kube::Fault;
use serde::Deserialize;
use serde_json::{Value, json};

use super::until::until;
use crate::server::Server;

/// A service account with the rights that are printed for it.
pub struct Account {
    pub namespace: String,
    name: String,
}

/// The objects that a command of `landfall operator` prints, in their order.
pub fn printed(command: &[&str]) -> Vec<Value> {
    let mut landfall = Command::new(env!("CARGO_BIN_EXE_landfall"));
    let ran = landfall.arg("operator").args(command).env_clear().output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let text = String::from_utf8(ran.stdout).unwrap();
    let documents = serde_yaml::Deserializer::from_str(&text);
    documents
        .map(|document| Value::deserialize(document).unwrap())
        .filter(|object| !object.is_null())
        .collect()
}

/// Makes all of these objects, one after the other, as `kubectl apply` does, with the operator's account among
/// them.
pub fn install(server: &Server, objects: &[Value]) -> Account {
    let mut account = None;
    for object in objects {
        let Some(path) = collection(server, object) else {
            // The kinds that came after the server's release; nothing depends on them.
            let version = object["apiVersion"].as_str().unwrap_or_default();
            assert!(version == "policy/v1", "the server does not know {version} {}", object["kind"]);
            continue;
        };
        // A server that has just begun may lack its own namespaces for a moment.
        until(&path, || match server.call("POST", &path, object) {
            Ok(_) | Err(Fault::Answer { status: 409, .. }) => Some(()),
            Err(Fault::NotFound) => None,
            Err(fault) => panic!("{path}: {fault:?}: {object}"),
        });
        if object["kind"] == "ServiceAccount" {
            let text = |key: &str| object["metadata"][key].as_str().unwrap().to_owned();
            account = Some(Account { namespace: text("namespace"), name: text("name") });
        }
    }
    account.expect("no ServiceAccount is printed")
}

impl Account {
    /// A kubeconfig with a token of the account.
    pub fn kubeconfig(&self, server: &Server) -> PathBuf {
        let path = format!("/api/v1/namespaces/{}/serviceaccounts/{}/token", self.namespace, self.name);
        let request = json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {} });
        let answer = server.call("POST", &path, &request).unwrap();
        let token = answer["status"]["token"].as_str().unwrap();
        server.changed("operator.kubeconfig", "token:", &format!("token: {token}"))
    }
}

/// Where objects of an object's kind are made; none where the server does not know the kind.
pub fn collection(server: &Server, object: &Value) -> Option<String> {
    let version = object["apiVersion"].as_str().unwrap();
    let base = if version.contains('/') { format!("/apis/{version}") } else { format!("/api/{version}") };
    let known = match server.call("GET", &base, &Value::Null) {
        Ok(known) => known,
        Err(Fault::NotFound) => return None,
        Err(fault) => panic!("{base}: {fault:?}"),
    };
    let names = known["resources"].as_array().unwrap().iter();
    let names = names.filter(|resource| resource["kind"] == object["kind"]);
    let plural = names.filter_map(|resource| resource["name"].as_str()).find(|name| !name.contains('/'))?;
    Some(match object["metadata"]["namespace"].as_str() {
        Some(namespace) => format!("{base}/namespaces/{namespace}/{plural}"),
        None => format!("{base}/{plural}"),
    })
}
