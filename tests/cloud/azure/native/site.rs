//! A subscription, a config and a directory, and what the cloud holds compared with the plan.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Output, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustix::process::Pid;
use serde_json::Value;
use tempfile::TempDir;

use super::super::arm::{Azure, Scene};
use super::super::parts;
use super::super::scene::{self, SUBSCRIPTION, with_ids};
use super::super::shape::{SECRET, kind_of};
use crate::ignition::{bootstrap, pointer};
use crate::program::{Landfall, Ran};
use crate::proxy::{Proxy, Way};

/// In every secret that a test makes up.
const CANARY: &str = "c4n4ry";
/// Part of an address that gives access to whoever has it.
const SIGNATURE: &str = "sig=";
/// Servers of these tests share few processors with each other.
const PATIENT: &[&str] = &["--timeout", "30s", "--deadline", "10m"];
/// The variables of the environment.
const VARIABLES: &[&str] = &[
    "AZURE_CLIENT_ID",
    "AZURE_CLIENT_SECRET",
    "AZURE_SUBSCRIPTION_ID",
    "AZURE_TENANT_ID",
    "HOME",
    "HTTPS_PROXY",
    "PATH",
    "SSL_CERT_FILE",
];

/// A cloud by its real names: its name, location, resource manager, login, graph and blobs.
pub type Names = (&'static str, &'static str, &'static str, &'static str, &'static str, &'static str);

pub const PUBLIC: Names = (
    "AzurePublicCloud",
    "eastus",
    "management.azure.com",
    "login.microsoftonline.com",
    "graph.microsoft.com",
    "blob.core.windows.net",
);

/// A cluster that can be created.
pub struct Site {
    pub azure: Azure,
    landfall: Landfall,
    ignition: TempDir,
    _proxy: Proxy,
}

impl Site {
    /// In the public cloud, with lines of YAML more below `platform.azure` and in the control plane's pool.
    pub fn new(platform: &str, machines: &str, edit: impl FnOnce(String, &mut Scene) -> String) -> Self {
        Self::of(PUBLIC, platform, machines, edit)
    }

    /// The same in another cloud.
    pub fn of(
        (name, location, manager, login, graph, blobs): Names,
        platform: &str,
        machines: &str,
        edit: impl FnOnce(String, &mut Scene) -> String,
    ) -> Self {
        let mut scene = scene::of_cloud(location, &format!("https://{manager}/"));
        let all_blobs = format!("*.{blobs}");
        scene.names = [manager, login, graph, &all_blobs].map(str::to_owned).to_vec();
        scene.blob_suffix = blobs;
        let text = scene::config_with(location, platform, machines);
        let text = text.replace("AzurePublicCloud", name).replace("ZmFrZTpmYWtl", "YTpjNG40cnkK");
        let text = edit(text, &mut scene);
        let azure = Azure::start(scene);
        let port = azure.port;
        let proxy = Proxy::start(move |_| Way::To(port));
        let landfall = with_ids(Landfall::new(&text))
            .naming("SSL_CERT_FILE", "ca.pem", &azure.pem)
            .with("HTTPS_PROXY", format!("http://127.0.0.1:{}", proxy.port))
            .with("AZURE_CLIENT_SECRET", scene::SECRET);
        let ignition = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(ignition.path().join(name), text).unwrap();
        let domain = "demo.example.com";
        write("master.ign", &pointer(domain, "master", &azure.pem));
        write("worker.ign", &pointer(domain, "worker", &azure.pem));
        write("bootstrap.ign", &bootstrap(&format!("{CANARY}ignition")));
        Self { azure, landfall, ignition, _proxy: proxy }
    }

    fn command<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        let folder = self.ignition.path().to_str().unwrap();
        let command = ["create", "cluster", "--engine", "native", "--yes", "--ignition", folder];
        [&command[..], PATIENT, more].concat()
    }

    /// `landfall create cluster` with more flags, however it ends.
    pub fn try_create(&self, more: &[&str]) -> Ran {
        self.heard(&self.command(more))
    }

    /// The same, which must succeed; gives what it says.
    #[track_caller]
    pub fn create(&self, more: &[&str]) -> Value {
        let said = self.try_create(more).ends(0).json();
        assert_eq!(said["outcome"], "done", "{said}");
        said
    }

    /// Runs `landfall create cluster` again, which finds everything as it is planned.
    #[track_caller]
    pub fn changes_nothing(&self, more: &[&str]) {
        let changes = self.changes();
        let again = self.create(more).to_string();
        assert!(!again.contains("LF1424") && !again.contains("LF1428"), "{again}");
        assert_eq!(self.changes(), changes, "a second run has changed something");
    }

    /// The same as a process of its own; `with` gets to know its id.
    pub fn spawn_create(&self, with: impl FnOnce(Pid)) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
        command.args(self.command(&[])).arg("--dir").arg(self.landfall.directory());
        command.env_clear().envs(VARIABLES.iter().map(|name| (*name, self.landfall.variable(name))));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        with(Pid::from_child(&child));
        child.wait_with_output().unwrap()
    }

    /// What `landfall create permissions-policy` prints.
    pub fn policy(&self) -> Value {
        self.landfall.run(&["create", "permissions-policy"]).ends(0).json()
    }

    /// The resources of the plan by their names.
    pub fn planned(&self, more: &[&str]) -> BTreeMap<String, Value> {
        let command = ["create", "cluster", "--engine", "native", "--plan", "-o", "json"];
        let said = self.landfall.run(&[&command[..], PATIENT, more].concat()).ends(0).json();
        let all = said["resources"].as_array().cloned().unwrap_or_default();
        all.into_iter().map(|node| (node["name"].as_str().unwrap().to_owned(), node)).collect()
    }

    /// `landfall destroy bootstrap`, which must succeed.
    pub fn destroy_bootstrap(&self) {
        let command = ["destroy", "bootstrap", "--yes", "--force"];
        let said = self.heard(&[&command[..], PATIENT].concat()).ends(0).json();
        assert_eq!(said["outcome"], "done", "{said}");
    }

    /// `landfall destroy cluster`, which must succeed.
    #[track_caller]
    pub fn destroy(&self) {
        let said = self.heard(&["destroy", "cluster", "--yes"]).ends(0).json();
        assert_eq!(said["outcome"], "gone", "{said}");
    }

    /// Runs a command as loudly as can be and looks for secrets in all that came of it.
    fn heard(&self, command: &[&str]) -> Ran {
        let log = self.landfall.write("landfall.log", "");
        let ran = self.landfall.run(&[command, &["-o", "json", "-v", "--log-file", log.as_str()]].concat());
        let log = std::fs::read_to_string(log).unwrap();
        for (what, text) in [("output", &ran.out), ("errors", &ran.err), ("log", &log)] {
            for secret in [CANARY, SIGNATURE] {
                assert!(!text.contains(secret), "{command:?} shows a secret in its {what}: {text}");
            }
        }
        ran
    }

    /// The paths of everything there is, parts of others included.
    pub fn paths(&self) -> BTreeSet<String> {
        self.azure.manager().look(|tree| {
            let mut all = tree.paths();
            // What only a machine may read is kept apart.
            all.retain(|path| !path.starts_with(SECRET));
            for (path, document) in tree.all() {
                for list in ["subnets", "securityRules", "backendAddressPools"] {
                    for part in document["properties"][list].as_array().into_iter().flatten() {
                        let name = part["name"].as_str().unwrap_or_default().to_lowercase();
                        all.insert(format!("{path}/{}/{name}", list.to_lowercase()));
                    }
                }
            }
            all
        })
    }

    /// The ignition config that a machine was started with.
    pub fn started_with(&self, id: &str, machine: &str) -> Value {
        let path = Self::in_group(id, &format!("Microsoft.Compute/virtualMachines/{id}-{machine}"));
        let data = self.azure.manager().look(|tree| tree.get(&format!("{SECRET}{path}")).cloned());
        let data = STANDARD.decode(data.unwrap().as_str().unwrap()).unwrap();
        serde_json::from_slice(&data).unwrap()
    }

    /// The ignition config of a role, as the user gave it.
    pub fn given(&self, role: &str) -> Value {
        let text = std::fs::read(self.ignition.path().join(format!("{role}.ign"))).unwrap();
        serde_json::from_slice(&text).unwrap()
    }

    /// How many calls there were that change something.
    pub fn changes(&self) -> usize {
        let changing = |method: &str| ["PUT", "PATCH", "DELETE"].contains(&method);
        self.azure.asked().iter().filter(|one| changing(&one.call.method)).count()
    }

    /// The path of a resource in the group of a cluster.
    pub fn in_group(id: &str, rest: &str) -> String {
        scene::group(&format!("{id}-rg"), &format!("/providers/{rest}"))
    }

    /// Fails unless everything of the plan is there, property by property.
    #[track_caller]
    pub fn stands_as_planned(&self, id: &str) {
        self.stands_as_planned_by(id, &[]);
    }

    /// The same of what is planned with more flags.
    #[track_caller]
    pub fn stands_as_planned_by(&self, id: &str, more: &[&str]) {
        let wrong = self.not_as_planned(more);
        assert!(wrong.is_empty(), "of {id}: {}", wrong.join("\n"));
    }

    /// What of the plan is missing or different, with a sentence for each.
    #[track_caller]
    pub fn not_as_planned(&self, more: &[&str]) -> Vec<String> {
        let planned = self.planned(more);
        assert!(planned.len() > 15, "{planned:?}");
        let judged = planned.iter().filter_map(|(name, node)| {
            let properties = &node["properties"];
            let path = match properties["id"].as_str() {
                Some(path) => path.trim_end_matches("/natGateway").to_owned(),
                None => blob(properties),
            };
            assert!(path.contains(SUBSCRIPTION), "{name}: {path}");
            let found = self.azure.manager().look(|tree| parts::get(tree, &path).cloned());
            let Some(found) = found else { return Some(format!("{name} is not there: {path}")) };
            let why = same(&properties["body"], &found)?;
            Some(format!("{name} is not as planned: {why}\n{found}"))
        });
        judged.collect()
    }

    /// How many resources of each kind there are beyond those that there were, parts of others included.
    pub fn kinds_since(&self, before: &BTreeSet<String>) -> BTreeMap<String, usize> {
        let mut kinds = BTreeMap::new();
        for path in self.paths().difference(before) {
            *kinds.entry(kind_of(path)).or_default() += 1;
        }
        kinds
    }
}

/// The path of a blob of the plan.
fn blob(properties: &Value) -> String {
    let text = |key: &str| properties[key].as_str().unwrap_or_default();
    let (account, container, name) = (text("account"), text("container"), text("name"));
    format!("{account}/blobservices/default/containers/{container}/blobs/{name}")
}

/// Where something is not as planned; references to outputs and secrets are known only in the cloud.
pub fn same(planned: &Value, found: &Value) -> Option<String> {
    match (planned, found) {
        (Value::Object(fields), _) if fields.keys().any(|key| key.starts_with('$')) => {
            // A secret is not told, anything else is.
            let is_secret = fields.contains_key("$secret");
            (!is_secret && found.is_null()).then(|| "an output is missing".to_owned())
        }
        (Value::Object(fields), Value::Object(_)) => fields.iter().find_map(|(key, value)| {
            if ["customData", "adminPassword"].contains(&key.as_str()) {
                return None;
            }
            same(value, &found[key]).map(|why| format!("{key}: {why}"))
        }),
        (Value::Array(all), Value::Array(others)) => all.iter().enumerate().find_map(|(i, one)| {
            let own = match one["name"].as_str() {
                Some(name) => others
                    .iter()
                    .find(|other| other["name"].as_str().is_some_and(|own| own.eq_ignore_ascii_case(name))),
                None => others.get(i),
            };
            same(one, own.unwrap_or(&Value::Null)).map(|why| format!("{i}: {why}"))
        }),
        (Value::String(one), Value::String(other)) if one.eq_ignore_ascii_case(other) => None,
        (Value::Null, _) => None,
        _ if planned == found => None,
        _ => Some(format!("{found}, planned is {planned}")),
    }
}

/// How many values something has.
pub fn leaf_count(value: &Value) -> usize {
    match value {
        Value::Object(fields) => fields.values().map(leaf_count).sum(),
        Value::Array(all) => all.iter().map(leaf_count).sum(),
        _ => 1,
    }
}
