//! `landfall wait-for`.

#![allow(clippy::disallowed_methods, reason = "the file with the password is looked for, not read")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use landfall_diagnostics::Finding;
use landfall_install_config::verdict::Outcome as Verdict;
use landfall_kube::{Access, Bad};
use landfall_platform::World;
use landfall_source::Mask;
use serde_json::{Value, json};

use super::duration::within_a_day;
use super::{Exit, Output, Settings};
use crate::prepare::Environment;
use crate::ui::layout::table;
use crate::ui::{Judged, Printer, Pulse, Style, Waiting, of_limit, text};
use crate::wait::{Ended, Goal, Outcome, Watcher, pages, wait};

/// Wait for a cluster's API, bootstrap or installation
///
/// Queries the cluster with the kubeconfig in `auth/` of its directory, reports every change, and ends with 0
/// when the goal is reached. Changes nothing; run it again to wait longer. After the timeout, or if waiting
/// cannot help, reports what is missing and ends with 1.
///
/// With `-o json`, standard output is one object: `what`, `outcome` (`done`, `timedOut`, `refused` or
/// `interrupted`), `elapsedSeconds`, `server`, `version`, and where they are known `console`, `kubeconfig`,
/// `passwordFile`, `operators` with their conditions, and `finding` with `code`, `message` and `help`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to wait for
    #[arg(value_enum, value_name = "WHAT")]
    what: What,

    /// Timeout, such as `30m` or `1h30m`; default: 20m for the API, 45m for the bootstrap, 40m for the
    /// installation
    #[arg(long, value_name = "TIME", value_parser = within_a_day)]
    timeout: Option<Duration>,

    /// Kubeconfig of the cluster; default: `auth/kubeconfig` in the cluster directory
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    kubeconfig: Option<PathBuf>,
}

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// The API server answers
    Api,
    /// The control plane stands on its own, and the bootstrap machine can be removed
    BootstrapComplete,
    /// The release is installed and every operator has come to rest
    InstallComplete,
}

impl From<What> for Goal {
    fn from(what: What) -> Self {
        match what {
            What::Api => Self::Api,
            What::BootstrapComplete => Self::Bootstrap,
            What::InstallComplete => Self::Install,
        }
    }
}

const KUBECONFIG: &str = "auth/kubeconfig";
const PASSWORD: &str = "auth/kubeadmin-password";

/// Waits with the kubeconfig of the cluster directory for as long as is usual, as a part of another command, and tells
/// what came of it. What to do next is the caller's to say.
///
/// # Errors
/// As [`run`].
pub fn reach(goal: Goal, settings: &Settings) -> anyhow::Result<Exit> {
    let what = match goal {
        Goal::Api => What::Api,
        Goal::Bootstrap => What::BootstrapComplete,
        Goal::Install => What::InstallComplete,
    };
    waited(&Args { what, timeout: None, kubeconfig: None }, settings, true)
}

/// Waits, and tells what came of it.
///
/// # Errors
/// Standard output cannot be written, or the operating system does not let us wait.
pub fn run(args: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    waited(args, settings, false)
}

/// Waits; `is_part` says whether another command goes on from here.
fn waited(args: &Args, settings: &Settings, is_part: bool) -> anyhow::Result<Exit> {
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let path = args.kubeconfig.clone().unwrap_or_else(|| directory.join(KUBECONFIG));
    let goal = Goal::from(args.what);
    let access = match Access::read(&path, &|name: &str| Environment.variable(name)) {
        Ok(access) => access,
        Err(bad) => {
            let finding = pages::kubeconfig(&bad);
            let mut object = head(goal, Ended::Refused, Duration::ZERO);
            object["finding"] = said(&finding);
            tell_finding(&finding, &path.display().to_string(), &object, settings)?;
            return Ok(if bad.bad == Bad::Unreadable { Exit::Failed } else { Exit::NotValid });
        }
    };
    let outcome = {
        let limit = args.timeout.unwrap_or_else(|| goal.usual());
        wait(&access, goal, limit, &Live::new(goal, limit, settings))?
    };
    // The password is that of the cluster in the directory, of which the kubeconfig must be.
    let password = Some(directory.join(PASSWORD)).filter(|file| args.kubeconfig.is_none() && file.is_file());
    let files = (&*path, password.as_deref());
    tell(goal, &access, files, &outcome, settings, is_part)?;
    Ok(match outcome.ended {
        Ended::Done => Exit::Done,
        Ended::TimedOut | Ended::Refused | Ended::NotReached => Exit::Failed,
        Ended::Interrupted => Exit::Interrupted,
    })
}

fn tell(
    goal: Goal,
    access: &Access,
    (kubeconfig, password): (&Path, Option<&Path>),
    outcome: &Outcome,
    settings: &Settings,
    is_part: bool,
) -> anyhow::Result<()> {
    let mut object = head(goal, outcome.ended, outcome.took);
    object["server"] = json!(access.server());
    object["version"] = json!(outcome.version);
    if goal == Goal::Install {
        object["operators"] = json!(outcome.operators);
    }
    if let Some(finding) = &outcome.finding {
        let mut finding = finding.clone();
        if is_part {
            finding.help = finding.help.as_deref().and_then(without_again);
        }
        object["finding"] = said(&finding);
        return tell_finding(&finding, &access.server(), &object, settings);
    }
    let done = outcome.ended == Ended::Done;
    if done && goal == Goal::Install {
        object["console"] = json!(outcome.console);
        object["kubeconfig"] = json!(kubeconfig.display().to_string());
        object["passwordFile"] = json!(password.map(|file| file.display().to_string()));
    }
    if settings.output == Output::Json {
        settings.printer.data(&format!("{object}\n"))?;
    } else if done {
        let style = settings.printer.styles().data;
        if is_part && goal == Goal::Bootstrap {
            settings.printer.talk("the bootstrap is complete");
            return Ok(());
        }
        settings.printer.data(&summary(goal, &access.server(), (kubeconfig, password), outcome, style))?;
    } else if !is_part {
        settings.printer.talk("interrupted; nothing was changed; run the same command again to wait longer");
    }
    Ok(())
}

/// A help without the advice to run the same command again.
fn without_again(help: &str) -> Option<String> {
    let rest = help.strip_suffix(pages::AGAIN).unwrap_or(help).trim_end_matches("; ");
    Some(rest.to_owned()).filter(|rest| !rest.is_empty())
}

/// What every object begins with.
fn head(goal: Goal, ended: Ended, took: Duration) -> Value {
    json!({ "what": goal.name(), "outcome": ended, "elapsedSeconds": took.as_secs() })
}

fn said(finding: &Finding) -> Value {
    json!({ "code": finding.code.as_str(), "message": finding.message, "help": finding.help })
}

/// Says what keeps the cluster. `place` is the kubeconfig or the server that it is about.
fn tell_finding(finding: &Finding, place: &str, object: &Value, settings: &Settings) -> anyhow::Result<()> {
    if settings.output == Output::Json {
        settings.printer.data(&format!("{object}\n"))?;
        return Ok(());
    }
    let judged = Judged {
        file: place,
        text: "",
        outcome: Verdict::Rejected,
        findings: std::slice::from_ref(finding),
        mask: &Mask::default(),
    };
    settings.printer.report(&text::findings(&judged, settings.printer.styles().talk));
    Ok(())
}

/// What is there now, and how to get to it.
fn summary(
    goal: Goal,
    server: &str,
    (kubeconfig, password): (&Path, Option<&Path>),
    outcome: &Outcome,
    style: Style,
) -> String {
    let version = outcome.version.as_deref().unwrap_or("of an unknown version");
    match goal {
        Goal::Api => format!("the API at {server} answers: Kubernetes {version}\n"),
        Goal::Bootstrap => {
            "the bootstrap is complete: `landfall destroy bootstrap` removes its machine\n".to_owned()
        }
        Goal::Install => {
            let degraded: Vec<&str> =
                outcome.operators.iter().filter(|o| o.degraded).map(|o| o.name.as_str()).collect();
            let rows = [
                ("kubeconfig", Some(kubeconfig.display().to_string())),
                ("console", outcome.console.clone()),
                ("kubeadmin's password", password.map(|file| format!("in {}", file.display()))),
                ("degraded operators", Some(degraded.join(", ")).filter(|names| !names.is_empty())),
            ];
            let rows = rows.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
            let rows: Vec<(String, String)> = rows.collect();
            format!("the cluster is installed: OpenShift {version}\n{}", table(&rows, 0, style))
        }
    }
}

/// The live line, and a line for each change.
#[derive(Debug)]
struct Live<'a> {
    line: Waiting,
    goal: Goal,
    limit: Duration,
    pulse: Pulse,
    printer: &'a Printer,
}

impl<'a> Live<'a> {
    fn new(goal: Goal, limit: Duration, settings: &'a Settings) -> Self {
        let (printer, draws) = (&settings.printer, settings.printer.draws());
        let line = Waiting::new(goal.name(), Some(limit), draws);
        Self { line, goal, limit, pulse: Pulse::default(), printer }
    }
}

impl Watcher for Live<'_> {
    fn changed(&self, how: &str) {
        self.pulse.told();
        self.line.aside(|| self.printer.talk(how));
    }

    fn stands(&self, how: &str) {
        self.line.stands(how);
        if let Some(taken) = self.pulse.due().filter(|_| !self.printer.draws()) {
            let time = of_limit(taken, Some(self.limit));
            self.printer.talk(&format!("{}: {time}, {how}", self.goal.name()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wait::Operator;

    #[test]
    fn what_is_installed_is_told_with_the_way_to_it() {
        let outcome = Outcome {
            ended: Ended::Done,
            took: Duration::from_secs(1),
            version: Some("4.20.1".to_owned()),
            answer: String::new(),
            console: Some("https://console.apps.demo.example.com".to_owned()),
            operators: Vec::new(),
            finding: None,
        };
        let told = summary(
            Goal::Install,
            "https://api.demo.example.com:6443",
            (Path::new("auth/kubeconfig"), Some(Path::new(PASSWORD))),
            &outcome,
            Style::PLAIN,
        );
        let lines: Vec<&str> = told.lines().collect();
        let ends = ["4.20.1", "auth/kubeconfig", "https://console.apps.demo.example.com", PASSWORD];
        assert_eq!(lines.len(), ends.len(), "{told}");
        assert!(lines.iter().zip(ends).all(|(line, end)| line.ends_with(&format!(" {end}"))), "{told}");
        landfall_testing::assert_text("wait-installed", &told);
    }

    #[test]
    fn a_part_of_a_run_leaves_it_to_the_run_to_say_how_to_continue() {
        assert_eq!(without_again(pages::AGAIN), None);
        let both = format!("look at the machine; {}", pages::AGAIN);
        assert_eq!(without_again(&both).as_deref(), Some("look at the machine"));
        assert_eq!(without_again("look at the machine").as_deref(), Some("look at the machine"));
    }

    #[test]
    fn what_is_installed_stays_in_its_columns() {
        let operators = ["authentication", "console", "image-registry", "ingress", "monitoring", "network"];
        let degraded = |name: &str| Operator {
            name: name.to_owned(),
            ready: false,
            available: true,
            progressing: false,
            degraded: true,
            message: String::new(),
        };
        let outcome = Outcome {
            ended: Ended::Done,
            took: Duration::from_secs(1),
            version: Some("4.20.1".to_owned()),
            answer: String::new(),
            console: Some("https://console-openshift-console.apps.demo.example.com".to_owned()),
            operators: operators.map(degraded).to_vec(),
            finding: None,
        };
        let files = (Path::new("auth/kubeconfig"), Some(Path::new(PASSWORD)));
        for columns in [80, 100, 120] {
            let style = Style::new(false, Some(columns));
            let told = summary(Goal::Install, "https://api.demo.example.com:6443", files, &outcome, style);
            assert!(told.lines().all(|line| line.chars().count() <= columns), "{told}");
            if columns == 80 {
                landfall_testing::assert_text("terminal-80-wait-for", &told);
            }
        }
    }
}
