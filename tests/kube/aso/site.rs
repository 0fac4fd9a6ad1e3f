//! A cluster directory, and landfall as a user runs it there with credentials for Azure.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::until::until;
use crate::gate::nobody;
use crate::running::Ran;

pub const SUBSCRIPTION: &str = "11111111-2222-3333-4444-555555555555";
pub const TENANT: &str = "99999999-8888-7777-6666-555555555555";
pub const CLIENT: &str = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee";
/// The secret of the application, which stands in the Secret for the operator and nowhere else.
pub const CANARY: &str = "canary-of-the-application";
/// What is said once the objects of a cluster are gone, and where there is none.
pub const GONE: &str = "are gone";
pub const NONE_LEFT: &str = "no object of";
/// Who is given as the owner of a repository of images.
const PULL_SECRET: &str = r#"{"auths":{"example.com":{"auth":"Y2FuYXJ5OmNhbmFyeQ=="}}}"#;

/// The install config of an example, changed.
pub fn config(example: &str, change: impl FnOnce(&mut Value)) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/aso").join(example);
    let text = std::fs::read_to_string(folder.join("input/install-config.yaml")).unwrap();
    let mut config: Value = serde_yaml::from_str(&text).unwrap();
    // That of the example is no key.
    config.as_object_mut().unwrap().remove("sshKey");
    config["pullSecret"] = PULL_SECRET.into();
    change(&mut config);
    config
}

/// A cluster directory.
pub struct Site {
    folder: TempDir,
    pub infra_id: String,
    /// Variables of the environment besides those of all sites.
    pub environment: BTreeMap<String, String>,
}

/// A run that is under way.
pub struct Run {
    child: Child,
    out: PathBuf,
    err: PathBuf,
}

impl Site {
    /// A directory of a cluster with this infrastructure id and this config.
    pub fn new(infra_id: &str, config: &Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let site = Self { folder, infra_id: infra_id.to_owned(), environment: BTreeMap::new() };
        site.write("install-config.yaml", config);
        for role in ["bootstrap", "master", "worker"] {
            site.write(&format!("{role}.ign"), &json!({ "ignition": { "version": "3.2.0" } }));
        }
        site
    }

    /// Writes a file of the directory.
    pub fn write(&self, name: &str, content: &Value) {
        self.file(name, &content.to_string());
    }

    /// Writes a file of the directory as it is.
    pub fn file(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Begins a command.
    pub fn start(&self, arguments: &[&str], kubeconfig: Option<&Path>) -> Run {
        let logs = self.path().join(".logs");
        std::fs::create_dir_all(&logs).unwrap();
        let [out, err] = ["out", "err"].map(|name| logs.join(name));
        let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
        command.args(arguments).arg("--dir").arg(self.path());
        if let Some(kubeconfig) = kubeconfig {
            command.arg("--kubeconfig").arg(kubeconfig);
        }
        let child = command
            .env_clear()
            .env("HOME", self.path())
            // Azure is not here, and nobody leads there.
            .env("HTTPS_PROXY", format!("http://127.0.0.1:{}", nobody()))
            .env("NO_PROXY", "127.0.0.1")
            .env("AZURE_SUBSCRIPTION_ID", SUBSCRIPTION)
            .env("AZURE_TENANT_ID", TENANT)
            .env("AZURE_CLIENT_ID", CLIENT)
            .env("AZURE_CLIENT_SECRET", CANARY)
            .envs(&self.environment)
            .stdin(Stdio::null())
            .stdout(File::create(&out).unwrap())
            .stderr(File::create(&err).unwrap())
            .spawn()
            .unwrap();
        Run { child, out, err }
    }

    /// Begins to make the cluster in a namespace of its name.
    pub fn start_creating(&self, kubeconfig: &Path) -> Run {
        self.start_creating_with(kubeconfig, &[])
    }

    /// The same with more flags.
    pub fn start_creating_with(&self, kubeconfig: &Path, more: &[&str]) -> Run {
        let id = self.infra_id.as_str();
        let engine = ["--engine", "aso", "--namespace", id, "--infra-id", id, "--offline", "--yes"];
        self.start(&[&["create", "cluster"][..], &engine, more].concat(), Some(kubeconfig))
    }

    /// Makes the cluster.
    pub fn create(&self, kubeconfig: &Path) -> Ran {
        self.start_creating(kubeconfig).end()
    }

    /// Begins to destroy the cluster.
    pub fn start_destroying(&self, kubeconfig: &Path) -> Run {
        self.start(&["destroy", "cluster", "--yes"], Some(kubeconfig))
    }

    /// Destroys the cluster's objects. What follows asks Azure itself, which is not here.
    #[track_caller]
    pub fn destroy(&self, kubeconfig: &Path) {
        self.start_destroying(kubeconfig).says(GONE);
    }

    /// What `metadata.json` says.
    pub fn metadata(&self) -> Value {
        let text = std::fs::read_to_string(self.path().join("metadata.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

impl Run {
    /// What it said so far.
    pub fn said(&self) -> String {
        std::fs::read_to_string(&self.err).unwrap()
    }

    /// Waits until it said these words.
    #[track_caller]
    pub fn says(&mut self, words: &str) {
        until(&format!("it says `{words}`"), || {
            let said = self.said();
            let ended = self.child.try_wait().unwrap();
            assert!(ended.is_none() || said.contains(words), "it ended without `{words}`: {said}");
            said.contains(words).then_some(())
        });
    }

    /// Whether it is still under way.
    pub fn runs(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Does what Ctrl-C does.
    pub fn interrupt(&self) {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
    }

    /// Ends it without a word.
    pub fn kill(self) {
        drop(self);
    }

    /// Waits for its end.
    #[track_caller]
    pub fn end(mut self) -> Ran {
        let code = until("it ends", || self.child.try_wait().unwrap()).code();
        Ran { code, out: std::fs::read_to_string(&self.out).unwrap(), err: self.said() }
    }
}

/// One that a test no longer waits for must not go on.
impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("what it said: {}", self.said());
        }
    }
}
