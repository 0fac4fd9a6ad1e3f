//! A stage to try the engine on, and what is seen while it works.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use landfall_diagnostics::secret::Secret;
use landfall_engine_terraform::{
    Done, Fault, Preview, Progress, Search, Stage, Stop, Terraform, Watcher, Work,
};
use walkdir::WalkDir;

/// Three resources one after the other: `first`, `slow`, which lasts until the gate is opened, and `last`,
/// whose program fails where the variable `fail` says so.
pub const SLOW: &str = r#"
variable "fail" {
  type    = bool
  default = false
}

variable "gate" {
  type    = string
  default = "/dev/null"
}

resource "terraform_data" "first" {
  input = "one"
}

resource "terraform_data" "slow" {
  depends_on = [terraform_data.first]

  provisioner "local-exec" {
    command = "read -r line < ${var.gate} || true"
  }
}

resource "terraform_data" "last" {
  depends_on = [terraform_data.slow]

  provisioner "local-exec" {
    command = var.fail ? "exit 3" : "true"
  }
}

output "first" {
  value = terraform_data.first.output
}

output "token" {
  value     = "canary-of-the-output"
  sensitive = true
}
"#;

/// A cluster directory with one stage.
pub struct Fixture {
    root: PathBuf,
    pub variables: Vec<PathBuf>,
    pub environment: Vec<(String, Secret<String>)>,
    _folder: Option<tempfile::TempDir>,
}

impl Fixture {
    pub fn new(configuration: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let fixture = Self::at(folder.path().to_owned());
        std::fs::create_dir_all(fixture.folder()).unwrap();
        std::fs::write(fixture.folder().join("main.tf"), configuration).unwrap();
        Self { _folder: Some(folder), ..fixture }
    }

    /// One that was made by somebody else.
    pub fn at(root: PathBuf) -> Self {
        Self { root, variables: Vec::new(), environment: Vec::new(), _folder: None }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn folder(&self) -> PathBuf {
        self.root.join("terraform/cluster")
    }

    pub fn log(&self) -> PathBuf {
        self.root.join(".landfall")
    }

    /// Adds values of variables, as a file.
    pub fn with(mut self, values: &serde_json::Value) -> Self {
        let path = self.root.join(format!("{}.tfvars.json", self.variables.len()));
        std::fs::write(&path, values.to_string()).unwrap();
        self.variables.push(path);
        self
    }

    /// Has the slow resource wait at a gate.
    pub fn with_gate(self) -> Self {
        let gate = self.gate();
        assert!(Command::new("mkfifo").arg(&gate).status().unwrap().success());
        self.with(&serde_json::json!({"gate": gate}))
    }

    fn gate(&self) -> PathBuf {
        self.root.join("gate")
    }

    /// Opens the gate to a few who wait or will wait at it, for as long as the answer is kept.
    pub fn open(&self) -> File {
        let mut gate = File::options().read(true).write(true).open(self.gate()).unwrap();
        gate.write_all("go\n".repeat(8).as_bytes()).unwrap();
        gate
    }

    pub async fn init(&self, terraform: &Terraform, stop: &Stop) -> Result<(), Fault> {
        let (folder, log) = (self.folder(), self.log());
        terraform.init(&self.stage(&folder, &log), stop).await
    }

    pub async fn run(
        &self,
        terraform: &Terraform,
        work: Work,
        watcher: &dyn Watcher,
        stop: &Stop,
    ) -> Result<Done, Fault> {
        let (folder, log) = (self.folder(), self.log());
        terraform.run(work, &self.stage(&folder, &log), watcher, stop).await
    }

    pub async fn preview(&self, terraform: &Terraform, stop: &Stop) -> Result<Preview, Fault> {
        let (folder, log) = (self.folder(), self.log());
        terraform.preview(&self.stage(&folder, &log), stop).await
    }

    pub async fn outputs(&self, terraform: &Terraform) -> serde_json::Map<String, serde_json::Value> {
        let (folder, log) = (self.folder(), self.log());
        terraform.outputs(&self.stage(&folder, &log)).await.unwrap()
    }

    fn stage<'s>(&'s self, folder: &'s Path, log: &'s Path) -> Stage<'s> {
        Stage { name: "cluster", folder, variables: &self.variables, environment: &self.environment, log }
    }

    /// The names of the log's files.
    pub fn logs(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.log()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The process that is noted as working on the stage.
    pub fn noted(&self) -> Option<u32> {
        let bytes = std::fs::read(self.log().join("cluster-running.json")).ok()?;
        let record: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
        record["pid"].as_u64()?.try_into().ok()
    }

    /// What terraform or the engine wrote and somebody else than the owner could read.
    pub fn readable_by_others(&self) -> Vec<String> {
        let mut found = Vec::new();
        for folder in [self.folder(), self.log()] {
            // A file may go while the folder is read.
            for entry in WalkDir::new(folder).min_depth(1).into_iter().filter_map(Result::ok) {
                let own = entry.file_name() == "main.tf" || entry.path_is_symlink();
                let mode = entry.metadata().map_or(0, |about| about.permissions().mode() & 0o777);
                if !own && mode & 0o077 != 0 {
                    found.push(format!("{} {mode:o}", entry.path().display()));
                }
            }
        }
        found
    }
}

type Reaction<'a> = Box<dyn Fn(&Progress) + Send + Sync + 'a>;

/// Everything that was told of a run, and what is done about it.
#[derive(Default)]
pub struct Seen<'a> {
    all: Mutex<Vec<Progress>>,
    react: Option<Reaction<'a>>,
}

impl<'a> Seen<'a> {
    pub fn reacting(react: impl Fn(&Progress) + Send + Sync + 'a) -> Self {
        Self { all: Mutex::default(), react: Some(Box::new(react)) }
    }

    pub fn all(&self) -> Vec<Progress> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Watcher for Seen<'_> {
    fn changed(&self, progress: &Progress) {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).push(progress.clone());
        if let Some(react) = &self.react {
            react(progress);
        }
    }
}

/// Whether the slow resource is being worked on.
pub fn slow_runs(progress: &Progress) -> bool {
    progress.running.iter().any(|running| running.address == "terraform_data.slow")
}

/// A runtime like that of the program.
pub fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap().block_on(work)
}

/// The real terraform.
pub async fn terraform() -> Terraform {
    let found = Terraform::find(&Search::default()).await;
    found.unwrap_or_else(|fault| crate::services::missing("terraform", &fault.to_string()))
}

/// Writes a program. Another process does it: one that is open for writing here could not be started while a
/// child that has just been forked holds it too.
pub fn program(path: &Path, text: &str) {
    let mut shell = Command::new("/bin/sh")
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    shell.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(shell.wait().unwrap().success());
}

/// This test program, to run one of its tests that is otherwise left out.
pub fn this_program(test: &str) -> Vec<OsString> {
    let program = std::env::current_exe().unwrap();
    let arguments = ["--exact", test, "--ignored", "--nocapture", "--test-threads=1"];
    std::iter::once(program.into_os_string()).chain(arguments.map(OsString::from)).collect()
}
