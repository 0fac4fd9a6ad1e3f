//! The stages of a cluster with the real terraform, and modules that need no cloud.

use std::path::Path;
use std::sync::Mutex;

use landfall::install::{End, Fault, Site, StageDone, Watcher, apply, destroy_bootstrap};
use landfall::workdir::{ClusterDir, Durability, StepResult};
use landfall_engine_terraform::{Progress, Search, Stop, Terraform, Work};
use landfall_install_config::platforms;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::services;

/// Makes a note, and fails while there is a file `fail` in the cluster directory.
const CLUSTER: &str = r#"
variable "cluster_id" { type = string }
resource "terraform_data" "first" { input = var.cluster_id }
resource "terraform_data" "second" {
  input = terraform_data.first.id
  provisioner "local-exec" { command = "test ! -e ../../fail" }
}
output "vpc_id" { value = terraform_data.first.id }
output "key" {
  value     = "canary-of-an-output"
  sensitive = true
}
"#;

/// Needs what the first stage gives.
const BOOTSTRAP: &str = r#"
variable "vpc_id" { type = string }
variable "key" { type = string }
resource "terraform_data" "machine" { input = var.vpc_id }
output "bootstrap_ip" { value = "192.0.2.1" }
"#;

struct Seen(Mutex<Vec<String>>);

impl Watcher for Seen {
    fn began(&self, stage: &str, work: Work) {
        self.0.lock().unwrap().push(format!("{} {stage} began", work.name()));
    }

    fn changed(&self, _: &str, _: Work, _: &Progress) {}

    fn ended(&self, done: &StageDone) {
        let end = match &done.end {
            End::Done { added, removed, .. } => format!("{added} made {removed} removed"),
            End::Before { .. } => "before".to_owned(),
            End::Stopped => "stopped".to_owned(),
        };
        self.0.lock().unwrap().push(format!("{} {}: {end}", done.work.name(), done.stage));
    }

    fn told(&self, line: &str) {
        self.0.lock().unwrap().push(line.split(':').next().unwrap_or_default().to_owned());
    }
}

struct Directory {
    root: TempDir,
    terraform: Terraform,
    runtime: Runtime,
}

impl Directory {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let search = Search { program: None, plugin_dir: None };
        let Ok(terraform) = runtime.block_on(Terraform::find(&search)) else {
            services::missing("terraform", "neither terraform nor tofu is on PATH");
        };
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("terraform/cluster/main.tf", CLUSTER);
        write("terraform/bootstrap/main.tf", BOOTSTRAP);
        write("terraform/terraform.tfvars.json", r#"{"cluster_id":"demo-abcde"}"#);
        Self { root, terraform, runtime }
    }

    fn path(&self) -> &Path {
        self.root.path()
    }

    /// Works on the stages as a run of landfall would, and says what was seen.
    fn run(&self, work: Work, stop: &Stop) -> (Result<(), Fault>, Vec<String>) {
        let mut cluster = ClusterDir::open_with(self.path(), Durability::Process).unwrap();
        let seen = Seen(Mutex::default());
        let mut site = Site {
            cluster: &mut cluster,
            platform: platforms::named("aws").unwrap(),
            infra_id: "demo-abcde",
            session: None,
            recovery: None,
            terraform: &self.terraform,
            watcher: &seen,
            drift: &[],
            stop,
            now: || "2026-11-21T10:00:00Z".to_owned(),
        };
        let mut done = Vec::new();
        let result = match work {
            Work::Apply => self.runtime.block_on(apply(&mut site, &mut done)),
            Work::Destroy => self.runtime.block_on(destroy_bootstrap(&mut site, &mut done)),
        };
        (result, seen.0.into_inner().unwrap())
    }

    fn results(&self, step: &str) -> Vec<StepResult> {
        let cluster = ClusterDir::open_with(self.path(), Durability::Process).unwrap();
        let steps = cluster.steps().unwrap();
        steps.iter().filter(|known| known.step == step).map(|known| known.result).collect()
    }

    fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.path().join(path)).unwrap()
    }
}

#[test]
#[ignore = "needs terraform"]
fn outputs_of_a_stage_are_variables_of_the_next_one() {
    let directory = Directory::new();
    let (result, seen) = directory.run(Work::Apply, &Stop::default());
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(
        seen,
        [
            "apply cluster began",
            "apply cluster: 2 made 0 removed",
            "apply bootstrap began",
            "apply bootstrap: 1 made 0 removed"
        ]
    );
    let outputs: serde_json::Value =
        serde_json::from_str(&directory.text("terraform/cluster.tfvars.json")).unwrap();
    assert_eq!(outputs["key"], "canary-of-an-output");
    let state = directory.text("terraform/bootstrap/terraform.tfstate");
    assert!(state.contains(outputs["vpc_id"].as_str().unwrap()), "{state}");
    assert_eq!(directory.results("cluster.apply"), [StepResult::Began, StepResult::Done]);
    let steps = directory.text(".landfall/steps.jsonl");
    assert!(!steps.contains("canary"), "{steps}");

    let (result, seen) = directory.run(Work::Apply, &Stop::default());
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(seen, ["apply cluster: before", "apply bootstrap: before"]);
}

#[test]
#[ignore = "needs terraform"]
fn a_failed_stage_is_gone_on_with() {
    let directory = Directory::new();
    std::fs::write(directory.path().join("fail"), "").unwrap();
    let (result, seen) = directory.run(Work::Apply, &Stop::default());
    assert!(matches!(&result, Err(Fault::Engine { stage, .. }) if stage == "cluster"), "{result:?}");
    assert_eq!(seen, ["apply cluster began", "apply cluster: stopped"]);
    assert_eq!(directory.results("cluster.apply"), [StepResult::Began, StepResult::Failed]);
    assert!(directory.results("bootstrap.apply").is_empty());
    let id = |text: String| {
        let state: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mut resources = state["resources"].as_array().unwrap().iter();
        let first = resources.find(|resource| resource["name"] == "first").unwrap();
        first["instances"][0]["attributes"]["id"].as_str().unwrap().to_owned()
    };
    let before = id(directory.text("terraform/cluster/terraform.tfstate"));

    std::fs::remove_file(directory.path().join("fail")).unwrap();
    let (result, _) = directory.run(Work::Apply, &Stop::default());
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(id(directory.text("terraform/cluster/terraform.tfstate")), before);
    let results = directory.results("cluster.apply");
    assert_eq!(results.last(), Some(&StepResult::Done), "{results:?}");
}

#[test]
#[ignore = "needs terraform"]
fn a_bootstrap_machine_that_was_removed_is_not_made_again() {
    let directory = Directory::new();
    assert!(directory.run(Work::Apply, &Stop::default()).0.is_ok());
    let (result, seen) = directory.run(Work::Destroy, &Stop::default());
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(seen, ["destroy bootstrap began", "destroy bootstrap: 0 made 1 removed"]);
    let state = directory.text("terraform/cluster/terraform.tfstate");
    assert!(state.contains("terraform_data"), "only stage bootstrap is removed: {state}");

    let (result, seen) = directory.run(Work::Destroy, &Stop::default());
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(seen, ["destroy bootstrap: before"]);
    let (result, seen) = directory.run(Work::Apply, &Stop::default());
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(seen, ["apply cluster: before"]);
}

#[test]
#[ignore = "needs terraform"]
fn a_run_that_is_to_stop_says_so_and_leaves_the_rest_to_the_next_one() {
    let directory = Directory::new();
    let stop = Stop::default();
    stop.ask();
    let (result, _) = directory.run(Work::Apply, &stop);
    assert!(result.as_ref().is_err_and(Fault::is_interrupted), "{result:?}");
    let results = directory.results("cluster.apply");
    assert_eq!(results.last(), Some(&StepResult::Interrupted), "{results:?}");
    let (result, _) = directory.run(Work::Apply, &Stop::default());
    assert!(result.is_ok(), "{result:?}");
}

#[test]
#[ignore = "needs terraform"]
fn a_change_of_variables_is_applied() {
    let directory = Directory::new();
    assert!(directory.run(Work::Apply, &Stop::default()).0.is_ok());
    let variables = directory.path().join("terraform/terraform.tfvars.json");
    std::fs::write(variables, r#"{"cluster_id":"demo-fghij"}"#).unwrap();
    let (result, seen) = directory.run(Work::Apply, &Stop::default());
    assert!(result.is_ok(), "{result:?}");
    assert!(seen.contains(&"apply cluster began".to_owned()), "{seen:?}");
}
