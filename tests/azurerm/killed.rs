//! Terraform is killed, or landfall interrupted, at each call that creates something: the next run continues, everything
//! is there once, and destroy removes all of it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use rustix::process::Signal;

use crate::installation::Installation;
use crate::inventory::{Inventory, told};
use crate::processes::{kill_in, signal_of};

/// More runs than a cluster has resources would mean that nothing comes of them.
const MOST: usize = 90;

/// What ends a run.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// Terraform and its providers are killed.
    Killed,
    /// Somebody presses Ctrl-C.
    Interrupted,
}

/// Ends every run at the first call that creates something at a path at which no run has ended.
fn at_each_call(end: End) {
    let installation = Installation::prepare("AzurePublicCloud", "", "", |text, _| text);
    let azure = &installation.azure;
    let before = Inventory::of(azure);
    let directory = installation.directory().to_owned();
    let taken: Arc<Mutex<BTreeSet<String>>> = Arc::default();
    let ended: Arc<Mutex<Option<String>>> = Arc::default();
    let (known, last) = (Arc::clone(&taken), Arc::clone(&ended));
    azure.after_changes(move |call, _| {
        let mut last = last.lock().unwrap();
        if call.method != "PUT" || last.is_some() || !known.lock().unwrap().insert(call.path.clone()) {
            return;
        }
        let has_ended = match end {
            End::Killed => kill_in(&directory.join("terraform")),
            End::Interrupted => signal_of(&directory, Signal::INT),
        };
        if has_ended {
            *last = Some(call.path.clone());
        }
    });
    let mut runs = 0;
    let said = loop {
        *ended.lock().unwrap() = None;
        let ran = installation.try_create(&["--recover"]);
        // What was under way ends in Azure, whoever has begun it.
        azure.settle();
        let Some(call) = ended.lock().unwrap().clone() else {
            break ran.ends(0).json();
        };
        runs += 1;
        assert!(ran.code != Some(0) || end == End::Interrupted, "{call}: {ran}");
        assert!(runs < MOST, "nothing comes of {runs} runs: {call}: {ran}");
    };
    let all = Inventory::of(azure);
    let counts = all.since(&before).counts();
    let counted = counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
    assert_eq!(told(&said["summary"]), counted, "after {runs} runs: {said}");
    assert!(runs > 25, "only {runs} runs ended: {:?}", taken.lock().unwrap());
    installation.destroy();
    Inventory::of(azure).is_as(&before);
}

#[test]
#[ignore = "needs terraform and azurerm, and takes long"]
fn terraform_is_killed_at_each_call() {
    at_each_call(End::Killed);
}

#[test]
#[ignore = "needs terraform and azurerm, and takes long"]
fn landfall_is_interrupted_at_each_call() {
    at_each_call(End::Interrupted);
}
