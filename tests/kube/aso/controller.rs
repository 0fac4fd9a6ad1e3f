//! The controller `azure-infrastructure`, as an administrator deploys it, and what a user asks of it.

use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use landfall_kube::Fault;
use serde::Deserialize;
use serde_json::{Value, json};

use super::account::collection;
use super::identity::at;
use super::management::Management;
use super::site::{CANARY, CLIENT, SUBSCRIPTION, TENANT};
use super::stands::end_lease;
use super::table::Azure;
use super::until::until;
use crate::gate::nobody;

const NAME: &str = "azure-infrastructure";
/// How long an answer of its own server may take.
const PATIENT: Duration = Duration::from_secs(10);
/// The Secrets in which a user keeps the credential and the install config.
const CREDENTIAL: &str = "azure";
const CONFIG: &str = "config";

/// The description of its kind.
pub fn own_kind() -> Value {
    json!({
        "group": "aso.landfall.dev",
        "version": "v1alpha1",
        "kind": "AzureInfrastructure",
        "plural": "azureinfrastructures",
    })
}

/// A management cluster with the kinds of the operator and of the controller, and a played operator.
pub fn managed(azure: &Azure) -> Management {
    let management = Management::defined(azure);
    management.deploy(&json!({}));
    management.played(&[own_kind()])
}

/// A running controller.
pub struct Controller {
    child: Child,
    kubeconfig: PathBuf,
    port: u16,
    log: PathBuf,
    settings: Settings,
}

/// What it is started with.
#[derive(Clone, Default)]
struct Settings {
    has_policies: bool,
    /// The only namespace that it watches.
    namespace: Option<String>,
    /// Variables of its environment, which has no others.
    environment: Vec<(String, String)>,
}

impl Controller {
    /// Makes all that is printed for it, and starts it with the rights that are printed and no others.
    pub fn start(management: &Management) -> Self {
        // These tests delete what the policies keep.
        Self::start_with(management, &["--secret-namespaces=*"], false)
    }

    /// The same with these flags for what is printed, and with the policies of the controller itself or without any.
    pub fn start_with(management: &Management, flags: &[&str], has_policies: bool) -> Self {
        Self::deploy(management, flags, Settings { has_policies, ..Settings::default() })
    }

    /// The same as [`Self::start`] in an environment with these variables.
    pub fn start_in(management: &Management, environment: &[(&str, &str)]) -> Self {
        let environment = environment.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let settings = Settings { environment, ..Settings::default() };
        Self::deploy(management, &["--secret-namespaces=*"], settings)
    }

    /// The same as [`Self::start`] for one namespace, with all that is printed for it.
    pub fn start_watching(management: &Management, namespace: &str) -> Self {
        let settings =
            Settings { has_policies: true, namespace: Some(namespace.to_owned()), ..Settings::default() };
        Self::deploy(management, &[&format!("--watch-namespace={namespace}")], settings)
    }

    /// Makes these manifests, and starts it with their rights.
    pub fn start_from(management: &Management, objects: &[Value]) -> Self {
        Self::install(management, objects, Settings { has_policies: true, ..Settings::default() })
    }

    fn deploy(management: &Management, flags: &[&str], settings: Settings) -> Self {
        let policies = format!("--admission-policies={}", settings.has_policies);
        let mut objects = printed(&["operator", "crds"]);
        objects.extend(manifests(&[&[policies.as_str()], flags].concat()));
        // The controller creates them itself.
        objects.retain(|object| !at(object, "/kind").starts_with("ValidatingAdmissionPolicy"));
        Self::install(management, &objects, settings)
    }

    fn install(management: &Management, objects: &[Value], settings: Settings) -> Self {
        for object in objects {
            make(management, object);
        }
        let account = objects.iter().find(|object| object["kind"] == "ServiceAccount").unwrap();
        let [namespace, name] = ["/metadata/namespace", "/metadata/name"].map(|place| at(account, place));
        let path = format!("/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token");
        let request = json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {} });
        let answer = management.server.call("POST", &path, &request).unwrap();
        let token = format!("token: {}", at(&answer, "/status/token"));
        Self::begin(management.server.changed("controller.kubeconfig", "token:", &token), 0, settings)
    }

    fn begin(kubeconfig: PathBuf, rollout_limit: u16, settings: Settings) -> Self {
        let port = nobody();
        let log = kubeconfig.with_file_name(format!("controller-{port}.log"));
        let written = File::create(&log).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_landfall"))
            .args(["operator", "run", "--controllers", NAME, "--leader-elect=false"])
            .args(["--rollout-limit", &rollout_limit.to_string()])
            .arg(format!("--admission-policies={}", settings.has_policies))
            .args(settings.namespace.iter().map(|namespace| format!("--watch-namespace={namespace}")))
            .args(["--listen", &format!("127.0.0.1:{port}"), "--kubeconfig"])
            .arg(&kubeconfig)
            .env_clear()
            .envs(settings.environment.iter().cloned())
            .stdin(Stdio::null())
            .stdout(written.try_clone().unwrap())
            .stderr(written)
            .spawn()
            .unwrap();
        Self { child, kubeconfig, port, log, settings }
    }

    /// The same, killed and begun again; the lease of this cluster is ended, as it would end by itself.
    pub fn again(mut self, management: &Management, infra_id: &str) -> Self {
        self.end();
        end_lease(management, infra_id);
        Self::begin(self.kubeconfig.clone(), 0, self.settings.clone())
    }

    /// The same with something done between its end and its beginning.
    pub fn after(self, meanwhile: impl FnOnce()) -> Self {
        self.rolling_out(0, meanwhile)
    }

    /// The same, which lets so many clusters take a new plan at once.
    pub fn rolling_out(mut self, limit: u16, meanwhile: impl FnOnce()) -> Self {
        self.end();
        meanwhile();
        Self::begin(self.kubeconfig.clone(), limit, self.settings.clone())
    }

    /// Its numbers; empty while it has none.
    pub fn numbers(&self) -> String {
        let ask = || {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
            stream.set_read_timeout(Some(PATIENT)).ok()?;
            stream
                .write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                .ok()?;
            let mut text = String::new();
            stream.read_to_string(&mut text).ok()?;
            Some(text)
        };
        ask().unwrap_or_default()
    }

    /// The sum of all series of a number.
    pub fn number(&self, name: &str) -> u64 {
        let numbers = self.numbers();
        let of_name = |line: &str| {
            let (series, value) = line.rsplit_once(' ')?;
            let found = series.split('{').next() == Some(name);
            found.then(|| value.trim().parse::<u64>().ok())?
        };
        numbers.lines().filter_map(of_name).sum()
    }

    /// What it wrote so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Controller {
    fn drop(&mut self) {
        self.end();
        if std::thread::panicking() {
            eprintln!("the controller's log:\n{}", self.log());
        }
    }
}

/// The objects that a command prints, in their order.
fn printed(arguments: &[&str]) -> Vec<Value> {
    let ran = Command::new(env!("CARGO_BIN_EXE_landfall")).args(arguments).env_clear().output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    documents(&String::from_utf8(ran.stdout).unwrap())
}

/// The objects of YAML documents.
pub fn documents(text: &str) -> Vec<Value> {
    let documents = serde_yaml::Deserializer::from_str(text);
    let documents = documents.map(|document| Value::deserialize(document).unwrap());
    documents.filter(|object| !object.is_null()).collect()
}

/// The manifests that are printed with these flags.
pub fn manifests(flags: &[&str]) -> Vec<Value> {
    printed(&[&["operator", "manifests", "--controllers", NAME], flags].concat())
}

/// Applies manifests over others as `kubectl apply` does: what they no longer say of an object goes, and objects that
/// they no longer have stay.
pub fn apply_over(management: &Management, former: &[Value], objects: &[Value]) {
    let id = |object: &Value| {
        ["/kind", "/metadata/namespace", "/metadata/name"].map(|key| object.pointer(key).cloned())
    };
    for object in objects {
        let known = former.iter().find(|known| id(known) == id(object));
        match (known, collection(&management.server, object)) {
            (Some(known), Some(path)) => {
                let path = format!("{path}/{}", at(object, "/metadata/name"));
                management.server.change(&path, &difference(known, object));
            }
            _ => make(management, object),
        }
    }
}

/// The merge patch from what was applied to what is.
fn difference(former: &Value, now: &Value) -> Value {
    let (Some(former), Some(fields)) = (former.as_object(), now.as_object()) else { return now.clone() };
    let gone = former.keys().filter(|key| !fields.contains_key(*key)).map(|key| (key.clone(), Value::Null));
    let kept = fields
        .iter()
        .map(|(key, value)| (key.clone(), difference(former.get(key).unwrap_or(&Value::Null), value)));
    kept.chain(gone).collect()
}

/// Makes an object, unless the server is too old for its kind or has it.
fn make(management: &Management, object: &Value) {
    let Some(path) = collection(&management.server, object) else { return };
    until(&path, || match management.server.call("POST", &path, object) {
        Ok(_) | Err(Fault::Answer { status: 409, .. }) => Some(()),
        Err(Fault::NotFound) => None,
        Err(fault) => panic!("{path}: {fault:?}: {object}"),
    });
}

/// A cluster's infrastructure, as a user asks for it: in a namespace of its infrastructure id, under that name.
pub struct Asked<'m> {
    management: &'m Management,
    pub id: String,
}

impl<'m> Asked<'m> {
    /// Asks for it, with a spec that has more in it.
    pub fn make(management: &'m Management, id: &str, config: &Value, more: &Value) -> Self {
        let asked = Self::prepare(management, id, config);
        asked.ask(more);
        asked
    }

    /// Asks for it after what it refers to was prepared.
    pub fn ask(&self, more: &Value) {
        let mut spec = json!({
            "installConfigRef": { "kind": "Secret", "name": CONFIG, "key": "install-config.yaml" },
            "credentialsSecretRef": { "name": CREDENTIAL },
            "infraID": self.id,
        });
        json_patch::merge(&mut spec, more);
        self.apply(&json!({
            "apiVersion": "aso.landfall.dev/v1alpha1",
            "kind": "AzureInfrastructure",
            "metadata": { "name": self.id },
            "spec": spec,
        }));
    }

    /// What it refers to, before it is asked for.
    pub fn prepare(management: &'m Management, id: &str, config: &Value) -> Self {
        management.namespace(id);
        let asked = Self { management, id: id.to_owned() };
        asked.secret(CONFIG, &json!({ "install-config.yaml": config.to_string() }));
        asked.secret(
            CREDENTIAL,
            &json!({
                "AZURE_SUBSCRIPTION_ID": SUBSCRIPTION,
                "AZURE_TENANT_ID": TENANT,
                "AZURE_CLIENT_ID": CLIENT,
                "AZURE_CLIENT_SECRET": CANARY,
            }),
        );
        asked
    }

    /// Makes the object.
    pub fn apply(&self, object: &Value) {
        let path = self.path();
        let (collection, _) = path.rsplit_once('/').unwrap();
        self.management.server.make(collection, object);
    }

    /// Makes a Secret in its namespace.
    pub fn secret(&self, name: &str, data: &Value) {
        let path = format!("/api/v1/namespaces/{}/secrets", self.id);
        let secret = json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": { "name": name }, "stringData": data,
        });
        self.management.server.make(&path, &secret);
    }

    /// Where it stands.
    pub fn path(&self) -> String {
        format!("/apis/aso.landfall.dev/v1alpha1/namespaces/{0}/azureinfrastructures/{0}", self.id)
    }

    /// Where the user's credential stands.
    pub fn credential(&self) -> String {
        format!("/api/v1/namespaces/{}/secrets/{CREDENTIAL}", self.id)
    }

    /// It, as it stands; none where it is gone.
    pub fn get(&self) -> Option<Value> {
        self.management.get(&self.path())
    }

    /// Changes it.
    #[track_caller]
    pub fn change(&self, to: &Value) {
        self.management.server.change(&self.path(), to);
    }

    /// Takes away what protects its cluster.
    pub fn unprotect(&self) {
        self.change(
            &json!({ "metadata": { "annotations": { "aso.landfall.dev/deletion-protection": null } } }),
        );
    }

    /// Deletes it.
    pub fn delete(&self) {
        self.try_delete("Background").unwrap();
    }

    /// The same, with what becomes of its dependents.
    pub fn try_delete(&self, propagation: &str) -> Result<Value, Fault> {
        let options =
            json!({ "kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": propagation });
        self.management.server.call("DELETE", &self.path(), &options)
    }

    /// Waits until one of its conditions is so, of the present generation, and its message has these words.
    #[track_caller]
    pub fn says(&self, condition: &str, status: &str, words: &[&str]) -> Value {
        let found = || {
            let object = self.get()?;
            let found =
                object["status"]["conditions"].as_array()?.iter().find(|one| one["type"] == condition)?;
            let said = format!("{} {}", found["reason"], found["message"]);
            let is_so = found["status"] == status
                && found["observedGeneration"] == object["metadata"]["generation"]
                && words.iter().all(|word| said.contains(word));
            is_so.then(|| found.clone())
        };
        until(&format!("{condition} is {status} of {}, with {words:?}", self.id), found)
    }
}
