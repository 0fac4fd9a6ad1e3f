//! From infrastructure to an installed cluster: what `create cluster --wait` does once all resources exist.
#![allow(clippy::disallowed_methods, reason = "this edge looks whether there is a kubeconfig")]

use std::path::Path;

use super::Args;
use crate::cli::{Exit, Output, Settings, destroy, wait_for};
use crate::prepare::target;
use crate::wait::Goal;
use crate::{ui, workdir};

/// What the wait needs.
const KUBECONFIG: &str = "auth/kubeconfig";

/// Whether a run goes on once the infrastructure exists: where the user asks for it, else on a terminal if
/// there is a kubeconfig to ask the cluster with.
pub(super) fn goes_on(args: &Args, machines_are_made: bool, directory: &Path, settings: &Settings) -> bool {
    if args.plan || args.no_wait || !machines_are_made {
        return false;
    }
    let is_watched = settings.output == Output::Text && settings.printer.draws() && ui::can_ask();
    args.wait
        || (is_watched && std::fs::metadata(directory.join(KUBECONFIG)).is_ok_and(|about| about.is_file()))
}

/// Waits until the bootstrap is complete, removes the bootstrap machine, and waits until the cluster is
/// installed. Each part that an earlier run ended is left out or ends at once.
///
/// # Errors
/// A stream cannot be written, or something outside of the input went wrong.
pub(super) fn go(args: &Args, directory: &Path, settings: &Settings) -> anyhow::Result<Exit> {
    let say = |line: &str| settings.printer.talk(line);
    if !is_bootstrap_gone(directory) {
        say("waiting until the bootstrap is complete; Ctrl-C stops, and nothing is lost");
        let exit = wait_for::reach(Goal::Bootstrap, settings)?;
        if exit != Exit::Done {
            return Ok(stopped(exit, settings));
        }
        say("removing the bootstrap machine");
        let removal = destroy::BootstrapArgs::after_wait(
            &args.terraform,
            &args.aso.kubeconfig,
            &args.basis,
            args.reading,
            &args.asking,
        );
        let exit = destroy::bootstrap(&removal, settings).or_else(|ended| ended.tell(settings))?;
        if exit != Exit::Done {
            return Ok(stopped(exit, settings));
        }
    }
    say("waiting until the cluster is installed; Ctrl-C stops, and nothing is lost");
    let exit = wait_for::reach(Goal::Install, settings)?;
    Ok(if exit == Exit::Done { exit } else { stopped(exit, settings) })
}

/// Whether the bootstrap machine was removed to the end.
fn is_bootstrap_gone(directory: &Path) -> bool {
    let Ok(steps) = workdir::steps(directory) else { return false };
    let last = steps.last(workdir::BOOTSTRAP_REMOVAL);
    let is_created_again = target::of_cluster(directory).is_err();
    last.is_some_and(|last| last.result == workdir::StepResult::Done) && !is_created_again
}

/// Says how to go on.
fn stopped(exit: Exit, settings: &Settings) -> Exit {
    settings.printer.talk("run the same command again to continue");
    exit
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a cluster directory is made here")]
mod tests {
    use super::*;
    use crate::workdir::{ClusterDir, Durability, Step, StepResult};

    #[test]
    fn a_removal_that_has_ended_is_not_begun_again() -> Result<(), Box<dyn std::error::Error>> {
        let root = tempfile::tempdir()?;
        let cluster = ClusterDir::open_with(root.path(), Durability::Process)?;
        std::fs::write(root.path().join("metadata.json"), r#"{"infraID":"demo-x7k2p","aws":{}}"#)?;
        let note = |result: StepResult| {
            let (time, step) = ("2026-01-01T00:00:00Z".to_owned(), workdir::BOOTSTRAP_REMOVAL.to_owned());
            cluster.note(&Step { time, step, result, detail: String::new(), inputs: String::new() })
        };
        assert!(!is_bootstrap_gone(root.path()));
        note(StepResult::Began)?;
        assert!(!is_bootstrap_gone(root.path()));
        note(StepResult::Done)?;
        assert!(is_bootstrap_gone(root.path()));
        Ok(())
    }
}
