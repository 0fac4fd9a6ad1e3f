//! An account, a config and a directory: a cluster that can be created.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::authority::{Authority, LOOPBACK};
use crate::cloud::Cloud;
use crate::expected::{BASE_DOMAIN, DOMAIN};
use crate::front::{Front, Rule};
use crate::ignition::{bootstrap, pointer};
use crate::moto::Moto;
use crate::plugins;
use crate::program::{CONFIG, Landfall, Ran, SERVICES, config, endpoints};
use crate::running::{Running, start_in};
use crate::secrets::Secrets;
use crate::services;

/// The provider whose modules can be applied on a machine without a network.
const PROVIDER: &str = "terraform-provider-aws";

/// The file that says which cluster a directory is of.
const METADATA: &str = "metadata.json";

/// Servers of these tests share few processors with each other, so a run waits for them longer than usual.
const PATIENT: &[&str] = &["--timeout", "30s", "--deadline", "5m"];

/// A cluster that can be created.
pub struct Installation {
    pub moto: Moto,
    release: &'static str,
    pub region: &'static str,
    pub secrets: Secrets,
    landfall: Landfall,
    ignition: TempDir,
    master_ignition: String,
    front: Front,
}

impl Installation {
    /// An account in a region with a user and a public zone, for a release; `platform` fills it and gives the
    /// lines of YAML that are more below `platform.aws`, and the rules say what moto answers otherwise than
    /// AWS. None where something is missing, which was said.
    pub fn prepare(
        release: &'static str,
        region: &'static str,
        rules: Vec<Rule>,
        platform: impl FnOnce(&Moto) -> String,
    ) -> Self {
        Self::prepare_edited(release, region, rules, platform, |text| text)
    }

    /// The same with a config that `edit` changes.
    pub fn prepare_edited(
        release: &'static str,
        region: &'static str,
        rules: Vec<Rule>,
        platform: impl FnOnce(&Moto) -> String,
        edit: impl FnOnce(String) -> String,
    ) -> Self {
        let moto = Moto::start();
        let keys = moto.user(region);
        moto.zone(region, BASE_DOMAIN);
        let more = platform(&moto);
        let authority = Authority::new("Private Authority");
        let front = Front::start(Some(moto.port), Some(authority.server(LOOPBACK)), rules);
        let services = [SERVICES, &["kms", "servicequotas"]].concat();
        let given: Vec<(&str, String)> = services.iter().map(|service| (*service, front.url())).collect();
        let secrets = Secrets::with_key(&keys.secret);
        let text = config(region, &(more + &endpoints(&given)));
        let text = secrets.hidden_in_config(&edit(text));
        assert!(CONFIG.contains("name: demo") && CONFIG.contains("baseDomain: example.com"), "{CONFIG}");
        let landfall = Landfall::new(&text).keys(&keys).naming("AWS_CA_BUNDLE", "ca.pem", &authority.pem);
        let ignition = tempfile::tempdir().unwrap();
        let master_ignition = pointer(DOMAIN, "master", &authority.pem);
        let write = |name: &str, text: &str| std::fs::write(ignition.path().join(name), text).unwrap();
        write("master.ign", &master_ignition);
        write("worker.ign", &pointer(DOMAIN, "worker", &authority.pem));
        write("bootstrap.ign", &bootstrap(secrets.ignition()));
        Self { moto, release, region, secrets, landfall, ignition, master_ignition, front }
    }

    /// Lets the bootstrap machine bring one more file along.
    pub fn bring(&self, path: &str, text: &str) {
        let file = self.ignition.path().join("bootstrap.ign");
        let mut config: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let source = format!("data:text/plain;charset=utf-8;base64,{}", STANDARD.encode(text));
        let more = json!({ "path": path, "contents": { "source": source } });
        config["storage"]["files"].as_array_mut().unwrap().push(more);
        std::fs::write(file, config.to_string()).unwrap();
    }

    /// The policy that `landfall create permissions-policy` prints for the config.
    pub fn policy(&self) -> Value {
        let release = ["--release", self.release];
        self.landfall.run(&[&["create", "permissions-policy"][..], &release].concat()).ends(0).json()
    }

    /// What all calls go through.
    pub fn front(&self) -> &Front {
        &self.front
    }

    /// What moto holds in the region.
    pub fn cloud(&self) -> Cloud<'_> {
        Cloud { moto: &self.moto, region: self.region }
    }

    /// The cluster directory.
    pub fn directory(&self) -> &Path {
        self.landfall.directory()
    }

    /// What the control plane machines are to start with.
    pub fn master_ignition(&self) -> &str {
        &self.master_ignition
    }

    /// `landfall create cluster`, which must succeed; gives what it says.
    pub fn create(&self) -> Value {
        let folder = self.ignition.path().to_str().unwrap();
        let release = ["--release", self.release];
        let engine = ["--engine", "terraform", "--plugin-dir", plugins()];
        let command = [&["create", "cluster", "--yes", "--ignition", folder][..], &engine].concat();
        self.run(&[&command[..], &release].concat())
    }

    /// `landfall destroy bootstrap`, which must succeed; gives what it says.
    pub fn destroy_bootstrap(&self) -> Value {
        self.run(&["destroy", "bootstrap", "--yes", "--force", "--plugin-dir", plugins()])
    }

    /// `landfall destroy cluster`, which must succeed with nothing but `metadata.json`; gives what it says.
    pub fn destroy(&self) -> Value {
        self.keep_metadata_alone();
        let said = self.searched(&["destroy", "cluster", "--yes"]);
        assert_eq!(said["outcome"], "gone", "{said}");
        assert!(!self.directory().join(METADATA).exists());
        said
    }

    /// `landfall destroy cluster` with nothing but `metadata.json`, however it ends.
    pub fn try_destroy(&self) -> Ran {
        self.keep_metadata_alone();
        self.heard(&["destroy", "cluster", "--yes"])
    }

    fn keep_metadata_alone(&self) {
        let root = self.directory();
        for entry in std::fs::read_dir(root).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path == root.join(METADATA) {
                continue;
            }
            if path.is_dir() {
                std::fs::remove_dir_all(&path).unwrap();
            } else {
                std::fs::remove_file(&path).unwrap();
            }
        }
    }

    /// `landfall create cluster` with more flags, however it ends.
    pub fn try_create(&self, more: &[&str]) -> Ran {
        let folder = self.ignition.path().to_str().unwrap();
        let engine = ["--engine", "terraform", "--plugin-dir", plugins()];
        let command = [&["create", "cluster", "--yes", "--ignition", folder][..], &engine].concat();
        let release = ["--release", self.release];
        self.heard(&[&command[..], &release, PATIENT, more].concat())
    }

    /// `landfall create cluster --engine native`, however it ends.
    pub fn try_native(&self, more: &[&str]) -> Ran {
        self.heard(&[&self.native_command()[..], more].concat())
    }

    /// The command itself.
    pub fn native_command(&self) -> Vec<&str> {
        let folder = self.ignition.path().to_str().unwrap();
        let command = ["create", "cluster", "--engine", "native", "--yes", "--ignition", folder];
        [&command[..], &["--release", self.release], PATIENT].concat()
    }

    /// The files that commands read: those of the directory, of the environment, and the Ignition files.
    pub fn files(&self) -> Vec<PathBuf> {
        let folders = [self.directory(), self.ignition.path(), Path::new(self.landfall.variable("HOME"))];
        let entries = folders.into_iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect()
    }

    /// Runs a command in a root folder that has the program and the files at their paths.
    pub fn alone(&self, root: &Path, command: &[&str]) -> Ran {
        let as_root: &[&str] = if rustix::process::geteuid().is_root() { &[] } else { &["--map-root-user"] };
        let output = Command::new("unshare")
            .args(as_root)
            .arg(format!("--root={}", root.display()))
            .args(["--", env!("CARGO_BIN_EXE_landfall")])
            .args(command)
            .args(["-o", "json", "--dir", self.directory().to_str().unwrap()])
            .env_clear()
            .envs(self.landfall.environment())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// `landfall create cluster --engine native --wait`, under way.
    pub fn start_waiting(&self) -> Running {
        let folder = self.ignition.path().to_str().unwrap();
        let command = ["create", "cluster", "--engine", "native", "--yes", "--wait", "--ignition", folder];
        let command = [&command[..], &["--release", self.release], PATIENT].concat();
        start_in(self.landfall.environment(), self.directory(), &command)
    }

    /// The same, which must succeed; gives what it says.
    pub fn create_native(&self, more: &[&str]) -> Value {
        let said = self.try_native(more).ends(0).json();
        assert_eq!(said["outcome"], "done", "{said}");
        said
    }

    /// `landfall create cluster --plan` of a cluster that the native engine has begun: what it shows, as data and as
    /// text.
    pub fn plan_again(&self) -> (Value, Ran) {
        let command = [&["create", "cluster", "--plan", "--release", self.release], PATIENT].concat();
        let shown = self.searched(&command);
        assert_eq!(shown["outcome"], "planned", "{shown}");
        (shown, self.landfall.run(&command).ends(0))
    }

    /// `landfall destroy bootstrap` without terraform, which must succeed; gives what it says.
    pub fn destroy_native_bootstrap(&self) -> Value {
        self.run(&["destroy", "bootstrap", "--yes", "--force"])
    }

    /// Runs a command of the engine, which must succeed.
    fn run(&self, command: &[&str]) -> Value {
        let said = self.searched(&[command, PATIENT].concat());
        assert_eq!(said["outcome"], "done", "{said}");
        said
    }

    /// Runs a command that must succeed, and gives what it says.
    fn searched(&self, command: &[&str]) -> Value {
        self.heard(command).ends(0).json()
    }

    /// Runs a command as loudly as can be and looks for secrets in all that came of it.
    fn heard(&self, command: &[&str]) -> Ran {
        let log = self.landfall.write("landfall.log", "");
        let loudly = [command, &["-o", "json", "-v", "--log-file", log.as_str()]].concat();
        let ran: Ran = self.landfall.run(&loudly);
        let what = command.join(" ");
        self.secrets.are_not_in(&what, &ran.out);
        self.secrets.are_not_in(&what, &ran.err);
        self.secrets.are_not_in(&what, &std::fs::read_to_string(log).unwrap());
        self.secrets.are_kept_in(self.directory());
        ran
    }
}

/// The plugin directory, for a terraform that is there.
fn plugins() -> &'static str {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| plugins::folder(PROVIDER).filter(|_| plugins::has_terraform()));
    let Some(folder) = folder.as_ref().and_then(|folder| folder.to_str()) else {
        services::missing("terraform", "it needs terraform and a plugin directory with the AWS provider");
    };
    folder
}
