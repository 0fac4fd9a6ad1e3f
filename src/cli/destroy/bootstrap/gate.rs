//! Whether the cluster says that it needs its bootstrap machine no more.

use std::path::Path;
use std::time::Duration;

use landfall_diagnostics::{Code, Finding, Kind, clock};
use landfall_kube::Access;
use landfall_platform::World;

use crate::cli::Settings;
use crate::prepare::Environment;
use crate::ui::Waiting;
use crate::wait::{Ended, Goal, Watcher, ask};
use crate::workdir;

static NOT_COMPLETE: Code = Code::new("LF1429");

/// How long the cluster may take to say it.
const LIMIT: Duration = Duration::from_secs(15);
const KUBECONFIG: &str = "auth/kubeconfig";

/// What stands against the removal; nothing where the cluster says that its bootstrap is complete, and where
/// the removal was begun before.
pub(super) fn obstacle(directory: &Path, settings: &Settings) -> Option<Finding> {
    let steps = workdir::steps(directory).unwrap_or_default();
    if steps.last(workdir::BOOTSTRAP_REMOVAL).is_some() {
        return None;
    }
    let path = directory.join(KUBECONFIG);
    let Ok(access) = Access::read(&path, &|name: &str| Environment.variable(name)) else {
        return Some(finding(&format!("{} cannot be used to ask it", path.display())));
    };
    let server = access.server();
    settings
        .printer
        .talk(&format!("asking {server} whether the bootstrap is complete, for {} at most", clock(LIMIT)));
    let line = Line(Waiting::new("asking the cluster", Some(LIMIT), settings.printer.draws()));
    match ask(&access, Goal::Bootstrap, LIMIT, &line) {
        Ok(outcome) if outcome.ended == Ended::Done => None,
        Ok(outcome) => {
            let why = match (outcome.ended, outcome.finding) {
                (Ended::NotReached, _) => outcome.answer,
                (_, Some(found)) => found.message,
                (_, None) => "the question was interrupted".to_owned(),
            };
            Some(finding(&why))
        }
        Err(why) => Some(finding(&why.to_string())),
    }
}

fn finding(why: &str) -> Finding {
    let message = format!("the cluster does not report that its bootstrap is complete: {why}");
    Finding::error(&NOT_COMPLETE, Kind::Forbidden, "", message).help(
        "wait with `landfall wait-for bootstrap-complete`; --force removes the machine anyway, and the \
         cluster may never be installed then",
    )
}

/// The live line.
#[derive(Debug)]
struct Line(Waiting);

impl Watcher for Line {
    fn changed(&self, _: &str) {}

    fn stands(&self, how: &str) {
        self.0.stands(how);
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a cluster directory is made here")]
mod tests {
    use super::*;
    use crate::ui::Printer;
    use crate::workdir::{ClusterDir, Durability, Step, StepResult};

    fn settings() -> Settings {
        Settings { dir: None, output: crate::cli::Output::Text, printer: Printer::default() }
    }

    #[test]
    fn without_the_word_of_the_cluster_the_machine_stays() -> Result<(), Box<dyn std::error::Error>> {
        let root = tempfile::tempdir()?;
        let found = obstacle(root.path(), &settings());
        assert!(found.is_some_and(|finding| finding.is_error() && finding.code.as_str() == "LF1429"));
        // What was begun is ended.
        let cluster = ClusterDir::open_with(root.path(), Durability::Process)?;
        let (time, step) = ("2026-01-01T00:00:00Z".to_owned(), workdir::BOOTSTRAP_REMOVAL.to_owned());
        let (detail, inputs) = (String::new(), String::new());
        cluster.note(&Step { time, step, result: StepResult::Began, detail, inputs })?;
        assert!(obstacle(root.path(), &settings()).is_none());
        Ok(())
    }
}
