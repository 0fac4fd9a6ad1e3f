//! The toy cloud of `crates/toy-cloud` in the whole program: judged, planned, rendered, asked, created, resumed and
//! destroyed, through the public traits of a platform alone.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test runs the program on real files")]

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

const CONFIG: &str = r#"apiVersion: v1
baseDomain: example.com
metadata:
  name: demo
controlPlane:
  name: master
  replicas: 3
compute:
- name: worker
  replicas: 2
platform:
  toy:
    region: sandbox-1
    defaultMachinePlatform:
      type: small
pullSecret: '{"auths":{"registry.example.com":{"auth":"ZmFrZTpmYWtl"}}}'
"#;
const IDENTITY: [&str; 4] =
    ["--infra-id", "demo-x7k2p", "--cluster-id", "00000000-0000-4000-8000-000000000001"];

/// A directory with a config, and a cloud beside it in which a neighbour has a machine.
struct Site {
    folder: tempfile::TempDir,
}

/// What a command came to.
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ran {
    #[track_caller]
    fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}\n{}", self.out, self.err);
        self
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap()
    }
}

impl Site {
    fn new(config: &str, machine_limit: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("demo")).unwrap();
        std::fs::write(folder.path().join("demo/install-config.yaml"), config).unwrap();
        let neighbour = json!({
            "kind": "machine", "name": "machine/master-0", "cluster": "demo-x7k2p2",
            "properties": { "type": "large", "region": "sandbox-1" },
        });
        let cloud = json!({
            "account": "toy-1",
            "machineLimit": machine_limit,
            "resources": { "demo-x7k2p2/machine/master-0": neighbour },
        });
        std::fs::write(folder.path().join("cloud.json"), cloud.to_string()).unwrap();
        Self { folder }
    }

    fn directory(&self) -> std::path::PathBuf {
        self.folder.path().join("demo")
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_landfall"))
            .args(arguments)
            .args(["--dir".as_ref(), self.directory().as_os_str()])
            .env_clear()
            .env("HOME", self.folder.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("TOY_CLOUD", self.folder.path().join("cloud.json"))
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    fn create(&self) -> Ran {
        let ignition = self.folder.path().join("ignition");
        Self::ignition(&ignition);
        let arguments = ["create", "cluster", "--engine", "native", "--yes", "-o", "json", "--ignition"];
        self.run(&[&arguments[..], &[ignition.to_str().unwrap()], &IDENTITY].concat())
    }

    /// Ignition files of the cluster, as openshift-install writes them.
    fn ignition(folder: &Path) {
        std::fs::create_dir_all(folder.join("auth")).unwrap();
        let pointer = |role: &str| {
            let source = format!("https://api-int.demo.example.com:22623/config/{role}");
            json!({ "ignition": { "version": "3.2.0", "config": { "merge": [{ "source": source }] } } })
        };
        let files = json!([{ "path": "/etc/demo", "contents": { "source": "data:,demo" } }]);
        let bootstrap = json!({ "ignition": { "version": "3.2.0" }, "storage": { "files": files } });
        for (name, content) in
            [("bootstrap", bootstrap), ("master", pointer("master")), ("worker", pointer("worker"))]
        {
            std::fs::write(folder.join(format!("{name}.ign")), content.to_string()).unwrap();
        }
    }

    fn resources(&self, cluster: &str) -> Vec<String> {
        let bytes = std::fs::read(self.folder.path().join("cloud.json")).unwrap();
        let cloud: Value = serde_json::from_slice(&bytes).unwrap();
        let held = cloud["resources"].as_object().unwrap().iter();
        held.filter(|(_, held)| held["cluster"] == cluster).map(|(id, _)| id.clone()).collect()
    }
}

#[test]
fn its_rules_judge_its_section() {
    let config = CONFIG.replace("sandbox-1", "sandbox-9").replace("type: small", "type: huge");
    let site = Site::new(&config, 10);
    let judged = site.run(&["validate", "-o", "json"]).ends(3).json();
    let findings = judged["findings"].as_array().unwrap();
    let fields: Vec<&str> = findings.iter().filter_map(|finding| finding["field"].as_str()).collect();
    assert_eq!(fields, ["platform.toy.region", "platform.toy.defaultMachinePlatform.type"]);
    assert!(findings.iter().all(|finding| finding["line"].as_u64().is_some_and(|line| line > 12)));
}

#[test]
fn its_files_are_written_without_the_cloud() {
    let site = Site::new(CONFIG, 10);
    site.run(&[&["create", "manifests", "--offline"][..], &IDENTITY].concat()).ends(0);
    let read = |path: &str| std::fs::read_to_string(site.directory().join(path)).unwrap();
    let metadata: Value = serde_json::from_str(&read("metadata.json")).unwrap();
    assert_eq!(metadata["toy"], json!({ "region": "sandbox-1" }));
    let set = read("openshift/99_openshift-cluster-api_worker-machineset-0.yaml");
    assert!(set.contains("demo-x7k2p-worker-sandbox-1a") && set.contains("type: small"), "{set}");
}

#[test]
fn its_checks_are_part_of_a_preflight() {
    let site = Site::new(CONFIG, 4);
    let ran = site.run(&["preflight", "-o", "json"]).ends(4);
    let report = ran.json();
    let checks = report["checks"].as_array().unwrap().iter();
    let failed: Vec<&Value> =
        checks.filter(|check| check["status"] == "failed").map(|check| &check["id"]).collect();
    assert_eq!(failed, ["toy.quota.machines"]);
}

#[test]
fn a_cluster_is_created_once_and_destroyed() {
    let site = Site::new(CONFIG, 10);
    let neighbour = site.resources("demo-x7k2p2");
    site.create().ends(0);
    let created = site.resources("demo-x7k2p");
    assert_eq!(created.len(), 10, "{created:?}");

    // The same command finds everything.
    site.create().ends(0);
    assert_eq!(site.resources("demo-x7k2p"), created);

    site.run(&["destroy", "bootstrap", "--yes", "--force"]).ends(0);
    assert_eq!(site.resources("demo-x7k2p").len(), 9);

    let gone = site.run(&["destroy", "cluster", "--yes", "-o", "json"]).ends(0).json();
    assert_eq!(gone["outcome"], "gone");
    assert_eq!(site.resources("demo-x7k2p"), [""; 0]);
    assert_eq!(site.resources("demo-x7k2p2"), neighbour);
}
