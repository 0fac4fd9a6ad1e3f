//! A cluster as OpenShift makes it, as far as controllers can tell: its kinds, its namespaces, its objects.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use landfall_kube::Fault;
use serde_json::{Value, json};

use super::account;
use super::until::{becomes, until};
use crate::server::Server;

/// The cluster's Infrastructure object.
pub const INFRASTRUCTURE: &str = "/apis/config.openshift.io/v1/infrastructures/cluster";
/// The namespace of the user's settings.
pub const USERS: &str = "openshift-config";
/// The user's map, and the key in it.
pub const USER_MAP: (&str, &str) = (USERS, "cloud-provider-config");
pub const KEY: &str = "config";
/// What is made of it.
pub const MANAGED_MAP: (&str, &str) = ("openshift-config-managed", "kube-cloud-config");
/// What the cloud controller manager reads.
pub const TARGET_MAP: (&str, &str) = ("openshift-cloud-controller-manager", "cloud-conf");

const RELEASE: &str = "4.20.1";

/// A cluster, and the account that the operator has in it.
pub struct Cluster {
    pub server: Server,
    /// The namespace of the operator.
    pub namespace: String,
    /// The kubeconfig of its account.
    pub kubeconfig: PathBuf,
}

impl Cluster {
    /// A cluster whose Infrastructure object has this `spec` and this `status.platformStatus`.
    pub fn start(spec: &Value, platform: &Value) -> Self {
        let server = Server::with("openshift", define);
        for (namespace, _) in [USER_MAP, MANAGED_MAP, TARGET_MAP] {
            server.make("/api/v1/namespaces", &json!({ "metadata": { "name": namespace } }));
        }
        let account =
            account::install(&server, &account::printed(&["manifests", "--release-version", "unknown"]));
        let kubeconfig = account.kubeconfig(&server);
        let cluster = Self { server, namespace: account.namespace, kubeconfig };
        cluster.object("Infrastructure", "cluster", spec);
        cluster.platform(platform);
        cluster.object("Network", "cluster", &json!({ "serviceNetwork": ["172.30.0.0/16"] }));
        cluster.object("ClusterVersion", "version", &json!({}));
        let release = json!({
            "desired": { "version": RELEASE },
            "history": [{ "state": "Completed", "version": RELEASE }],
        });
        let version = "/apis/config.openshift.io/v1/clusterversions/version/status";
        cluster.server.change(version, &json!({ "status": release }));
        cluster.object("FeatureGate", "cluster", &json!({}));
        cluster.gates(&[]);
        until("ClusterOperator becomes known", || {
            cluster.get("/apis/config.openshift.io/v1/clusteroperators")
        });
        cluster
    }

    fn object(&self, kind: &str, name: &str, spec: &Value) {
        let object = json!({
            "apiVersion": "config.openshift.io/v1", "kind": kind, "metadata": { "name": name }, "spec": spec,
        });
        self.server.make(&format!("/apis/config.openshift.io/v1/{}s", kind.to_lowercase()), &object);
    }

    /// Switches these gates on, and all others off.
    pub fn gates(&self, on: &[&str]) {
        let on: Vec<Value> = on.iter().map(|name| json!({ "name": name })).collect();
        let gates = json!([{ "version": RELEASE, "enabled": on, "disabled": [] }]);
        let path = "/apis/config.openshift.io/v1/featuregates/cluster/status";
        self.server.change(path, &json!({ "status": { "featureGates": gates } }));
    }

    /// Changes the platform that the cluster stands on, as its installer tells it.
    pub fn platform(&self, platform: &Value) {
        let status = json!({ "status": { "platformStatus": platform } });
        self.server.change(&format!("{INFRASTRUCTURE}/status"), &status);
    }

    /// Makes the user's map, with this text and something else beside it.
    pub fn user_map(&self, text: &str) {
        let (namespace, name) = USER_MAP;
        self.server.config_map(namespace, name, &json!({ KEY: text, "ca-bundle.pem": "an authority" }));
    }

    /// Changes the user's text.
    pub fn user_text(&self, text: &str) {
        self.edit(USER_MAP, &json!({ "data": { KEY: text } }));
    }

    /// Changes a map.
    #[track_caller]
    pub fn edit(&self, map: (&str, &str), to: &Value) {
        self.server.change(&path(map), to);
    }

    /// Deletes a map.
    #[track_caller]
    pub fn delete(&self, map: (&str, &str)) {
        let deleted = self.server.call("DELETE", &path(map), &Value::Null);
        assert!(deleted.is_ok(), "{map:?}: {deleted:?}");
    }

    /// An object; none where there is none.
    #[track_caller]
    pub fn get(&self, path: &str) -> Option<Value> {
        match self.server.call("GET", path, &Value::Null) {
            Ok(object) => Some(object),
            Err(Fault::NotFound) => None,
            Err(fault) => panic!("{path}: {fault:?}"),
        }
    }

    /// A map; null where there is none.
    pub fn map(&self, map: (&str, &str)) -> Value {
        self.get(&path(map)).unwrap_or_default()
    }

    /// A map's texts; null where there is no such map.
    pub fn data(&self, map: (&str, &str)) -> Value {
        self.map(map)["data"].clone()
    }

    /// What a map has in `cloud.conf`; empty where there is no such map, or nothing in it.
    pub fn text(&self, map: (&str, &str)) -> String {
        self.data(map)["cloud.conf"].as_str().unwrap_or_default().to_owned()
    }

    /// Waits until an operator has a condition in this state whose reason and message have all of these
    /// words. Gives the condition.
    #[track_caller]
    pub fn says(&self, operator: &str, condition: &str, status: &str, words: &[&str]) -> Value {
        let path = format!("/apis/config.openshift.io/v1/clusteroperators/{operator}");
        let wanted = format!("{condition} is {status} of {operator}, with {words:?}");
        until(&wanted, || {
            let object = self.get(&path)?;
            let conditions = object["status"]["conditions"].as_array()?;
            let found = conditions.iter().find(|found| found["type"] == condition)?;
            let said = format!("{} {}", found["reason"], found["message"]);
            let is_so = found["status"] == status && words.iter().all(|word| said.contains(word));
            is_so.then(|| found.clone())
        })
    }

    /// Waits until it was told of something, in an event of this weight whose reason and note have all of
    /// these words.
    #[track_caller]
    pub fn told(&self, weight: &str, words: &[&str]) {
        until(&format!("an event that is {weight}, with {words:?}"), || {
            let events = self.get("/api/v1/events")?;
            let is_it = |event: &&Value| {
                let said = format!("{} {}", event["reason"], event["message"]);
                event["type"] == weight && words.iter().all(|word| said.contains(word))
            };
            events["items"].as_array()?.iter().find(is_it).cloned()
        });
    }

    /// Waits until a map's `cloud.conf` is this text.
    #[track_caller]
    pub fn holds(&self, map: (&str, &str), text: &str) {
        becomes(&text.to_owned(), || self.text(map));
    }

    /// Versions of all that controllers may write, but for leases.
    pub fn versions(&self) -> BTreeMap<String, String> {
        let kinds = [
            "/api/v1/configmaps",
            "/api/v1/events",
            "/apis/config.openshift.io/v1/clusteroperators",
            "/apis/config.openshift.io/v1/infrastructures",
        ];
        let mut found = BTreeMap::new();
        for kind in kinds {
            let list = self.get(kind).unwrap_or_default();
            for object in list["items"].as_array().into_iter().flatten() {
                let metadata = &object["metadata"];
                let name = format!("{kind} {}/{}", metadata["namespace"], metadata["name"]);
                found.insert(name, metadata["resourceVersion"].to_string());
            }
        }
        found
    }
}

/// Where a map stands.
pub fn path((namespace, name): (&str, &str)) -> String {
    format!("/api/v1/namespaces/{namespace}/configmaps/{name}")
}

/// The blocks that name an endpoint for each of these services.
pub fn overrides(region: &str, endpoints: &[(&str, &str)]) -> String {
    let block = |(i, (name, url)): (usize, &(&str, &str))| {
        format!(
            "\n[ServiceOverride \"{i}\"]\n\tService = {name}\n\tRegion = {region}\n\tURL = {url}\n\
             \tSigningRegion = {region}\n"
        )
    };
    let blocks: Vec<String> = endpoints.iter().enumerate().map(block).collect();
    blocks.concat()
}

/// The kinds that are defined, by name: those of openshift/api where they are at hand, else no more of them
/// than is needed.
/// Makes the definitions of OpenShift's kinds, and waits until they are served.
fn define(server: &Server) {
    let definitions = definitions();
    for definition in definitions.values() {
        server.make("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    }
    for definition in definitions.values() {
        let spec = &definition["spec"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let versions = spec["versions"].as_array().unwrap();
        let first = versions.iter().find(|version| version["served"] == true);
        let version = text(&first.unwrap()["name"]);
        let kind = format!("/apis/{}/{version}/{}", text(&spec["group"]), text(&spec["names"]["plural"]));
        until(&kind, || server.call("GET", &kind, &Value::Null).ok());
    }
}

fn definitions() -> BTreeMap<String, Value> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = read(&own.join("testdata/crds"));
    assert!(!found.is_empty(), "testdata/crds is empty");
    let given = std::env::var_os("LANDFALL_CRDS").map_or_else(|| own.join("../shared/crds"), PathBuf::from);
    for (name, definition) in read(&given) {
        if let Some(known) = found.get_mut(&name) {
            *known = definition;
        }
    }
    found
}

fn read(folder: &Path) -> BTreeMap<String, Value> {
    let Ok(entries) = std::fs::read_dir(folder) else { return BTreeMap::new() };
    let files = entries.map(|entry| entry.unwrap().path());
    let yaml = files.filter(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    let definition = |path: PathBuf| {
        let read: Value = serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        (read["metadata"]["name"].as_str().unwrap().to_owned(), read)
    };
    yaml.map(definition).collect()
}
