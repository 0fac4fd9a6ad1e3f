//! A real API server: started for a test, filled by it, and gone with it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::Request;
use kube::Client;
use landfall_kube::{Access, Fault};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, KeyPair};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

use crate::services::{self, Slot};
use crate::store;
use crate::until::until;

/// The file with the API groups that a server serves at first.
const GROUPS: &str = "groups";

/// A server that starts on a busy machine may need as long for a call.
const PATIENT: Duration = Duration::from_mins(1);

/// A running API server with its store.
pub struct Server {
    runtime: Runtime,
    client: Client,
    folder: PathBuf,
    /// Where it runs after this test.
    _slot: Option<Slot>,
    /// What ends with this test.
    own: Option<(Child, TempDir)>,
}

impl Server {
    /// An API server on a free port that holds nothing but what it made itself.
    pub fn start() -> Self {
        Self::with("plain", |_| ())
    }

    /// One that also holds definitions, which `define` makes and waits for. Servers of the same name have the same
    /// definitions, which are made once, as each of them costs the server a second.
    pub fn with(name: &str, define: impl FnOnce(&Self)) -> Self {
        if let Some(slot) = Slot::take(&format!("kube-apiserver-{name}")) {
            return Self::shared(slot, define);
        }
        let server = Self::own();
        define(&server);
        server
    }

    /// One that tests use one after the other.
    fn shared(slot: Slot, define: impl FnOnce(&Self)) -> Self {
        let folder = slot.server();
        if !store::restore(&folder) {
            let tool = tool();
            services::installed("an API server", &tool);
            slot.start("exec \"$0\" run \"$1\"", &tool, "nobody.kubeconfig");
            let server = Self::connect(folder.clone(), None, None);
            until("the server has made its namespaces", || {
                server.call("GET", "/api/v1/namespaces/default", &Value::Null).ok()
            });
            define(&server);
            std::fs::write(folder.join(GROUPS), server.groups().unwrap()).unwrap();
            store::remember(&folder);
        }
        let server = Self::connect(folder, Some(slot), None);
        let noted = std::fs::read_to_string(server.folder.join(GROUPS)).unwrap();
        until("the server serves what it served at first", || {
            server.groups().is_some_and(|groups| groups == noted).then_some(())
        });
        server
    }

    fn own() -> Self {
        let tool = tool();
        services::installed("an API server", &tool);
        let files = tempfile::tempdir().unwrap();
        // It ends with its standard input, which this process holds.
        let mut child = Command::new(&tool)
            .arg("run")
            .arg(files.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("ready "), "the API server does not start: {line}");
        Self::connect(files.path().to_owned(), None, Some((child, files)))
    }

    fn connect(folder: PathBuf, slot: Option<Slot>, own: Option<(Child, TempDir)>) -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let access = Access::read(&folder.join("kubeconfig"), &|_: &str| None).unwrap();
        let client = runtime.block_on(async { access.client(PATIENT) }).unwrap();
        Self { runtime, client, folder, _slot: slot, own }
    }

    /// The API groups that it serves, by name.
    fn groups(&self) -> Option<String> {
        let answer = self.call("GET", "/apis", &Value::Null).ok()?;
        let mut names: Vec<&str> =
            answer["groups"].as_array()?.iter().filter_map(|group| group["name"].as_str()).collect();
        names.sort_unstable();
        Some(names.join("\n"))
    }

    /// The kubeconfig of an administrator.
    pub fn kubeconfig(&self) -> PathBuf {
        self.folder.join("kubeconfig")
    }

    /// The kubeconfig of a user without rights.
    pub fn nobody(&self) -> PathBuf {
        self.folder.join("nobody.kubeconfig")
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        let text = std::fs::read_to_string(self.kubeconfig()).unwrap();
        let (_, rest) = text.split_once("https://127.0.0.1:").unwrap();
        rest.lines().next().unwrap().trim().parse().unwrap()
    }

    /// The administrator's kubeconfig with something in it replaced, as a file of the server's folder.
    pub fn changed(&self, name: &str, from: &str, to: &str) -> PathBuf {
        let text = std::fs::read_to_string(self.kubeconfig()).unwrap();
        let line = text.lines().find(|line| line.trim_start().starts_with(from)).unwrap();
        let indent = &line[..line.len() - line.trim_start().len()];
        let path = self.folder.join(name);
        std::fs::write(&path, text.replace(line, &format!("{indent}{to}"))).unwrap();
        path
    }

    /// A call, as the administrator.
    pub fn call(&self, method: &str, path: &str, body: &Value) -> Result<Value, Fault> {
        let kind = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
        let request = Request::builder().method(method).uri(path).header("content-type", kind);
        let request = request.body(body.to_string().into_bytes()).unwrap();
        let answer = self.runtime.block_on(self.client.request::<Value>(request));
        answer.map_err(|error| Fault::of(&error))
    }

    /// Makes an object. The kinds that were defined a moment ago are not there at once.
    #[track_caller]
    pub fn make(&self, path: &str, object: &Value) {
        until(&format!("{path} is known"), || match self.call("POST", path, object) {
            Ok(_) => Some(()),
            Err(Fault::NotFound) => None,
            Err(fault) => panic!("{path}: {fault:?}"),
        });
    }

    /// Changes an object.
    #[track_caller]
    pub fn change(&self, path: &str, to: &Value) {
        let changed = self.call("PATCH", path, to);
        assert!(changed.is_ok(), "{path}: {changed:?}");
    }

    /// Makes a config map.
    pub fn config_map(&self, namespace: &str, name: &str, data: &Value) {
        let map = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": data,
        });
        self.make(&format!("/api/v1/namespaces/{namespace}/configmaps"), &map);
    }

    /// Defines a kind of `config.openshift.io/v1` that belongs to no namespace and has a status.
    pub fn define(&self, kind: &str) {
        let singular = kind.to_lowercase();
        let plural = format!("{singular}s");
        let open = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": { "name": format!("{plural}.config.openshift.io") },
            "spec": {
                "group": "config.openshift.io",
                "names": {
                    "kind": kind, "listKind": format!("{kind}List"), "plural": plural, "singular": singular,
                },
                "scope": "Cluster",
                "versions": [{
                    "name": "v1",
                    "served": true,
                    "storage": true,
                    "subresources": { "status": {} },
                    "schema": { "openAPIV3Schema": open },
                }],
            },
        });
        self.make("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition);
    }

    /// Makes an object of such a kind.
    pub fn add(&self, kind: &str, name: &str) {
        let object = json!({
            "apiVersion": "config.openshift.io/v1", "kind": kind, "metadata": { "name": name },
        });
        self.make(&format!("/apis/config.openshift.io/v1/{}s", kind.to_lowercase()), &object);
    }

    /// Sets the conditions of such an object: type, status and message.
    pub fn conditions(&self, kind: &str, name: &str, given: &[(&str, &str, &str)]) {
        let condition = |(kind, status, message): &(&str, &str, &str)| {
            json!({
                "type": kind,
                "status": status,
                "message": message,
                "lastTransitionTime": "2026-01-02T03:04:05Z",
            })
        };
        let conditions: Vec<Value> = given.iter().map(condition).collect();
        let path = format!("/apis/config.openshift.io/v1/{}s/{name}/status", kind.to_lowercase());
        let history = json!([{ "state": "Completed", "version": "4.20.1" }]);
        self.change(&path, &json!({ "status": { "conditions": conditions, "history": history } }));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some((child, _)) = &mut self.own {
            drop(child.stdin.take());
            let _ = child.wait();
        }
    }
}

fn tool() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/kube-apiserver")
}

/// The certificate of an authority that has nothing to do with any server, as a kubeconfig holds it.
pub fn other_authority() -> String {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, "another authority");
    STANDARD.encode(params.self_signed(&key).unwrap().pem())
}
