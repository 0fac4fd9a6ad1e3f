//! landfall is killed after each kind of call that changes something, and the same command goes on.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use rustix::process::{Pid, Signal, kill_process};

use super::super::arm::Azure;
use super::super::shape::kind_of;
use super::site::Site;

/// More runs than there are calls.
const MOST: usize = 200;

/// The run that is to be killed, and the calls that one was killed after.
#[derive(Default)]
struct Killer {
    process: Option<Pid>,
    taken: BTreeSet<String>,
}

/// Has a run killed with its next call that none was killed after: the cloud does it, and the run does not know.
fn killing(azure: &Azure) -> Arc<Mutex<Killer>> {
    let killer: Arc<Mutex<Killer>> = Arc::default();
    let shared = Arc::clone(&killer);
    azure.after_changes(move |call, _| {
        let is_blob = call.host.contains(".blob.");
        let kind = if is_blob { format!("blob {}", call.path) } else { kind_of(&call.path) };
        let mut killer = shared.lock().unwrap();
        if killer.process.is_some()
            && killer.taken.insert(format!("{} {kind}", call.method))
            && let Some(process) = killer.process.take()
        {
            let _ = kill_process(process, Signal::KILL);
        }
    });
    killer
}

#[test]
fn after_each_kind_of_call_the_same_command_goes_on() {
    let site = Site::new("", "", |text, _| text);
    let before = site.paths();
    let killer = killing(&site.azure);
    let mut runs = 0;
    loop {
        runs += 1;
        assert!(runs < MOST, "nothing comes of {runs} runs");
        let ended = site.spawn_create(|id| killer.lock().unwrap().process = Some(id));
        killer.lock().unwrap().process = None;
        // The cloud goes on with what it was asked for.
        site.azure.settle();
        let Some(code) = ended.status.code() else { continue };
        let said = [ended.stdout, ended.stderr].concat();
        assert_eq!(code, 0, "{}", String::from_utf8_lossy(&said));
        break;
    }
    // What was under way with a call that ends a run is done, and no later run is killed for it.
    assert!(runs >= 18, "only {runs} runs");
    let changes = site.changes();
    let said = site.create(&[]);
    assert_eq!(site.changes(), changes, "{said}");
    site.stands_as_planned(said["infraID"].as_str().unwrap());
    site.destroy_bootstrap();
    site.destroy();
    assert_eq!(site.paths(), before);
}
