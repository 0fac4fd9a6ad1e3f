//! A run that is killed after any call is gone on with by the same command.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::super::arm::{Azure, Scene};
use super::super::scene::SUBSCRIPTION;
use super::shared::sharing;
use super::world::{OWNER, cluster, destroy, directory, leaves};
use crate::program::Landfall;

/// More runs than there are calls.
const TOO_MANY: usize = 200;

/// What a run finds in its environment.
const VARIABLES: &[&str] = &[
    "AZURE_CLIENT_ID",
    "AZURE_CLIENT_SECRET",
    "AZURE_SUBSCRIPTION_ID",
    "AZURE_TENANT_ID",
    "HOME",
    "PATH",
    "SSL_CERT_FILE",
];

/// The run that is to end early.
#[derive(Default)]
struct Run {
    process: Option<Pid>,
    /// How many calls that change something are to come until then.
    left: usize,
}

/// Kills the run after one of its calls that change something: the cloud does it, and the run does not know.
fn killing(azure: &Azure) -> Arc<Mutex<Run>> {
    let run: Arc<Mutex<Run>> = Arc::default();
    let shared = Arc::clone(&run);
    azure.after_changes(move |_, _| {
        let mut run = shared.lock().unwrap();
        run.left = run.left.saturating_sub(1);
        if run.left == 0
            && let Some(process) = run.process.take()
        {
            let _ = kill_process(process, Signal::KILL);
        }
    });
    run
}

/// What a run that is killed after so many calls ends with; none where it was killed.
fn ends(landfall: &Landfall, run: &Mutex<Run>, after: usize) -> (Option<i32>, String) {
    let child = {
        let mut run = run.lock().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
        command.args(["destroy", "cluster", "--yes", "--parallel", "1", "--dir"]).arg(landfall.directory());
        command.env_clear().envs(VARIABLES.iter().map(|name| (*name, landfall.variable(name))));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        (run.process, run.left) = (Some(Pid::from_child(&child)), after);
        child
    };
    let output = child.wait_with_output().unwrap();
    run.lock().unwrap().process = None;
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (output.status.code(), said.concat())
}

/// Kills each run after one call more that changes something, until one ends by itself.
fn killed_after_every_call(azure: &Azure, own_group: &str) -> (Option<i32>, String) {
    let run = killing(azure);
    let landfall = directory(azure, own_group, Some(SUBSCRIPTION));
    for runs in 1..TOO_MANY {
        let (code, said) = ends(&landfall, &run, 1);
        if code.is_some() {
            assert!(runs > 5, "only {runs} runs");
            return (code, said);
        }
        // The cloud goes on with what it was asked for.
        azure.settle();
        assert!(landfall.directory().join("metadata.json").exists(), "a file went before the cluster did");
    }
    panic!("nothing comes of {TOO_MANY} runs");
}

fn gone_after_every_call((scene, stays): (Scene, BTreeSet<String>), own_group: &str) {
    let azure = Azure::start(scene);
    let (code, said) = killed_after_every_call(&azure, own_group);
    assert_eq!(code, Some(0), "{said}");
    // It would be looked for anew by whoever has the metadata.
    let ran = destroy(&directory(&azure, own_group, Some(SUBSCRIPTION)), &[]).ends(0);
    leaves(&azure, &stays, &ran);
}

#[test]
fn killed_in_the_cluster_s_own_group() {
    gone_after_every_call(cluster(false), "");
}

#[test]
fn killed_in_a_group_of_the_user_s() {
    gone_after_every_call(cluster(true), "cluster-rg");
}

/// The run that took the last tags off did not know it; with names alone the next one leaves it to the user.
#[test]
fn killed_where_something_in_the_group_is_shared() {
    let (scene, stays, shared) = sharing();
    let azure = Azure::start(scene);
    let (code, said) = killed_after_every_call(&azure, "");
    assert!(code == Some(5) && said.contains("LF1326"), "{code:?}: {said}");
    azure.edit(|tree| tree.at(&shared)["tags"][OWNER] = json!("shared"));
    let ran = destroy(&directory(&azure, "", Some(SUBSCRIPTION)), &[]).ends(0);
    leaves(&azure, &stays, &ran);
}
