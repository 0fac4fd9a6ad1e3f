//! Errors of Terraform, and their findings.

use std::io;
use std::path::{Path, PathBuf};

use landfall_diagnostics::{Code, Finding, Kind};
use semver::Version;

use super::pages::{self, Advice};
use super::program::OLDEST;
use super::run_errors::{Cause, Trouble};

/// Why terraform did not do its work. Nothing in it is secret.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The program does not exist, or is not on PATH.
    #[error("{}", .named.as_ref().map_or_else(
        || "neither `tofu` nor `terraform` is on PATH".to_owned(),
        |path| format!("the program {} does not exist", path.display()),
    ))]
    NotFound {
        /// The program that was named.
        named: Option<PathBuf>,
    },
    /// Every program that was found is too old.
    #[error("{} is older than {}", listed(.found), oldest())]
    TooOld {
        /// Programs and their versions.
        found: Vec<(PathBuf, Version)>,
    },
    /// The program cannot be started.
    #[error("cannot run {}", .program.display())]
    CannotRun {
        /// The program.
        program: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// The program does not print the version of a Terraform.
    #[error("{} does not print its version like Terraform and OpenTofu", .program.display())]
    NotTerraform {
        /// The program.
        program: PathBuf,
    },
    /// A file that is needed for the work cannot be used.
    #[error("cannot {doing} {}", .path.display())]
    File {
        /// What was to be done with it.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it cannot be done.
        #[source]
        source: io::Error,
    },
    /// A stage cannot be prepared: providers, mostly.
    #[error("{0}")]
    Init(Failed),
    /// The work on a stage has failed. What was created is in its state.
    #[error("{0}")]
    Failed(Failed),
    /// The work was interrupted. What was created is in the state.
    #[error("{0}")]
    Interrupted(Interrupted),
    /// A signal from elsewhere ended terraform.
    #[error("{engine} was killed by signal {signal} during {work} of stage `{stage}`")]
    Killed {
        /// The product.
        engine: &'static str,
        /// The stage.
        stage: String,
        /// What was being done.
        work: String,
        /// The number of the signal.
        signal: i32,
    },
    /// The state of a stage cannot be read.
    #[error("cannot use the state {}: {why}", .path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
}

/// A run that ended with errors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{engine} {work} of stage `{stage}` has failed")]
pub struct Failed {
    /// The product.
    pub engine: &'static str,
    /// The stage.
    pub stage: String,
    /// What was being done: `init`, `apply`, `destroy`.
    pub work: &'static str,
    /// What went wrong, in the order in which it was said.
    pub troubles: Vec<Trouble>,
    /// The program's exit code.
    pub code: Option<i32>,
    /// The file with everything that was said.
    pub log: PathBuf,
}

/// A run that ended because that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{engine} {work} of stage `{stage}` was interrupted")]
pub struct Interrupted {
    /// The product.
    pub engine: &'static str,
    /// The stage.
    pub stage: String,
    /// What was being done.
    pub work: String,
    /// The process of an earlier run that was being waited for, and that still works on the stage.
    pub earlier: Option<u32>,
    /// Number of changes that were made.
    pub done: usize,
    /// Number of planned changes, if known.
    pub total: Option<usize>,
}

/// Maximum number of reported errors of one run; the log has all.
const MOST: usize = 20;

fn listed(found: &[(PathBuf, Version)]) -> String {
    let each = found.iter().map(|(path, version)| format!("{} {version}", path.display()));
    each.collect::<Vec<_>>().join(", ")
}

impl Fault {
    /// For `map_err`: a file that cannot be used.
    pub(super) fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::File { doing, path, source }
    }

    /// The fault as findings: one, or one for each error of Terraform, without a position in a config.
    #[must_use]
    pub fn finding(&self) -> Vec<Finding> {
        let one = |code: &'static Code, message: String, help: String| {
            vec![Finding::error(code, Kind::InternalError, "", message).help(help)]
        };
        match self {
            Self::NotFound { .. } => one(&pages::NOT_FOUND, self.to_string(), install()),
            Self::TooOld { .. } => one(&pages::TOO_OLD, self.to_string(), install()),
            Self::CannotRun { source, .. } => {
                let help = "check that the file is executable and built for this machine".to_owned();
                one(&pages::CANNOT_RUN, format!("{self}: {source}"), help)
            }
            Self::NotTerraform { program } => {
                let help = format!(
                    "run `{} version -json`, or set another program with --terraform",
                    program.display()
                );
                one(&pages::CANNOT_RUN, self.to_string(), help)
            }
            Self::File { source, .. } => {
                let help =
                    "check that the disk has space and that you own the folder, then run again".to_owned();
                one(&pages::FILE, format!("{self}: {source}"), help)
            }
            Self::Init(failed) | Self::Failed(failed) => failed.findings(),
            Self::Interrupted(interrupted) => vec![interrupted.finding()],
            Self::Killed { .. } => one(&pages::KILLED, self.to_string(), KILLED_HELP.to_owned()),
            Self::State { .. } => one(&pages::STATE, self.to_string(), STATE_HELP.to_owned()),
        }
    }
}

fn oldest() -> String {
    let (major, minor) = OLDEST;
    format!("{major}.{minor}")
}

fn install() -> String {
    format!(
        "install OpenTofu or Terraform {} or newer and put it on PATH, or set the program with --terraform \
         PATH",
        oldest()
    )
}

const KILLED_HELP: &str = "run the same command again: it continues from the state. It first lists \
    created resources that are missing in the state (LF1222)";

const STATE_HELP: &str = "restore a copy, such as the file of the same name with the suffix .backup, and \
    run again. Do not remove it: it is the only record of the created resources";

impl Fault {
    /// Whether the same command may succeed another time without a change: only the cloud failed, or the provider
    /// crashed. In a run that `is_first` to create something, a name that is taken beside that is the name of a resource
    /// whose creation was not confirmed, and so it is by itself where that run continues (`is_again`). The same goes for
    /// errors of no known cause, in every run: the provider takes some responses that are none for the news that
    /// something is gone or empty, and its errors about that are of many kinds.
    #[must_use]
    pub fn may_pass(&self, is_first: bool, is_again: bool) -> bool {
        let Self::Failed(failed) = self else { return false };
        let passes = |trouble: &Trouble| {
            matches!(
                trouble.cause,
                Cause::Throttled | Cause::Unanswered | Cause::Missing | Cause::Crashed | Cause::TimeOut
            )
        };
        let follows = |trouble: &Trouble| {
            trouble.cause == Cause::Other || is_first && trouble.cause == Cause::NameTaken
        };
        let is_lost = |trouble: &Trouble| passes(trouble) || is_again && follows(trouble);
        failed.troubles.iter().any(is_lost)
            && failed.troubles.iter().all(|trouble| passes(trouble) || follows(trouble))
    }
}

impl Failed {
    fn findings(&self) -> Vec<Finding> {
        if self.troubles.is_empty() {
            let code = self.code.map_or_else(String::new, |code| format!(" (exit code {code})"));
            let message = format!("{self}{code} without a reason");
            let help = format!("read {}, then run the same command again", self.log.display());
            return vec![Finding::error(&pages::OTHER, Kind::InternalError, "", message).help(help)];
        }
        let mut found: Vec<Finding> = self.troubles.iter().take(MOST).map(|one| self.told(one)).collect();
        let more = self.troubles.len().saturating_sub(MOST);
        if more > 0 {
            let message = format!("{self} with {more} more errors");
            let help = format!("all of them are in {}", self.log.display());
            found.push(Finding::error(&pages::OTHER, Kind::InternalError, "", message).help(help));
        }
        found
    }

    fn told(&self, trouble: &Trouble) -> Finding {
        let (code, kind) = pages::page(trouble.cause);
        let Advice { fact, help } = pages::advice(trouble.cause);
        let place = match &trouble.address {
            Some(address) => format!("`{address}`"),
            None => format!("stage `{}`", self.stage),
        };
        let message = format!("{place} {fact}: {}", trouble.said);
        let help = match trouble.cause {
            Cause::Other => format!("{help}; the full output is in {}", self.log.display()),
            _ => help,
        };
        Finding::error(code, kind, "", message).help(help)
    }
}

impl Interrupted {
    fn finding(&self) -> Finding {
        let (message, help) = match self.earlier {
            Some(process) => (
                format!(
                    "an earlier {} of stage `{}` is still running (process {process})",
                    self.work, self.stage
                ),
                format!(
                    "run the same command again to wait for it and continue, or end it with `kill -INT \
                     {process}`, once"
                ),
            ),
            None => (
                match self.total {
                    Some(total) => format!("{self} after {} of {total} changes", self.done),
                    None => self.to_string(),
                },
                "created resources are in the state: run the same command again to continue, or `landfall \
                 destroy cluster` to remove it"
                    .to_owned(),
            ),
        };
        Finding::error(&pages::INTERRUPTED, Kind::InternalError, "", message).help(help)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(causes: &[(Cause, Option<&str>)]) -> Fault {
        let troubles = causes
            .iter()
            .map(|(cause, address)| Trouble {
                cause: *cause,
                address: address.map(str::to_owned),
                said: "creating it: it said so".to_owned(),
            })
            .collect();
        Fault::Failed(Failed {
            engine: "Terraform",
            stage: "cluster".to_owned(),
            work: "apply",
            troubles,
            code: Some(1),
            log: PathBuf::from("/c/.landfall/cluster-apply-1.jsonl"),
        })
    }

    fn codes(fault: &Fault) -> Vec<&'static str> {
        fault.finding().iter().map(|finding| finding.code.as_str()).collect()
    }

    #[test]
    fn every_cause_has_its_page_and_names_the_resource() {
        let all = [
            (Cause::Throttled, "LF1210"),
            (Cause::Quota, "LF1211"),
            (Cause::Permission, "LF1212"),
            (Cause::NameTaken, "LF1213"),
            (Cause::Capacity, "LF1214"),
            (Cause::Credentials, "LF1215"),
            (Cause::Provider, "LF1216"),
            (Cause::Unreachable, "LF1217"),
            (Cause::Unanswered, "LF1226"),
            (Cause::Missing, "LF1226"),
            (Cause::Crashed, "LF1227"),
            (Cause::TimeOut, "LF1218"),
            (Cause::Other, "LF1219"),
            (Cause::Locked, "LF1220"),
            (Cause::Disk, "LF1221"),
        ];
        for (cause, code) in all {
            let fault = failed(&[(cause, Some("aws_vpc.this[0]"))]);
            assert_eq!(codes(&fault), [code]);
            for finding in fault.finding() {
                assert!(finding.message.starts_with("`aws_vpc.this[0]` "), "{}", finding.message);
                assert!(finding.message.ends_with(": it said so"), "{}", finding.message);
                assert!(finding.help.is_some_and(|help| help.contains("again") && !help.ends_with('.')));
            }
        }
    }

    #[test]
    fn trouble_of_the_cloud_alone_may_pass() {
        let passes = |causes: &[Cause]| {
            let causes: Vec<(Cause, Option<&str>)> = causes.iter().map(|cause| (*cause, None)).collect();
            failed(&causes).may_pass(false, true)
        };
        assert!(passes(&[Cause::Unanswered, Cause::Throttled, Cause::TimeOut, Cause::Crashed]));
        assert!(!passes(&[Cause::Unanswered, Cause::Permission]) && !passes(&[Cause::Quota]) && !passes(&[]));
        assert!(!Fault::NotFound { named: None }.may_pass(false, false));
        let (lost, taken) = ((Cause::Unanswered, None), (Cause::NameTaken, None));
        let both = failed(&[lost, taken]);
        assert!(both.may_pass(true, false) && !both.may_pass(false, false));
        assert!(!failed(&[taken]).may_pass(true, false), "the name is somebody else's");
        assert!(failed(&[taken]).may_pass(true, true), "an earlier attempt of this run has lost it");
        let other = (Cause::Other, None);
        assert!(failed(&[lost, other]).may_pass(false, false) && failed(&[other]).may_pass(false, true));
        assert!(!failed(&[other]).may_pass(true, false), "no call failed before it");
    }

    #[test]
    fn a_long_list_is_cut() {
        let fault = failed(&[(Cause::Throttled, None); 25]);
        assert_eq!(fault.finding().len(), 21);
        let last = fault.finding().pop().map(|finding| finding.message);
        assert!(last.is_some_and(|message| message.contains(" 5 more ")));
    }

    #[test]
    fn an_error_without_a_message_is_reported_too() {
        assert_eq!(codes(&failed(&[])), ["LF1219"]);
    }

    #[test]
    fn every_fault_says_what_to_do() {
        let source = || io::Error::other("reason");
        let (path, stage, work) = (|| PathBuf::from("/x"), || "cluster".to_owned(), || "apply".to_owned());
        let engine = "OpenTofu";
        let interrupted = |earlier, total| {
            Fault::Interrupted(Interrupted { engine, stage: stage(), work: work(), earlier, done: 1, total })
        };
        let all = [
            (Fault::NotFound { named: None }, "LF1200"),
            (Fault::NotFound { named: Some(path()) }, "LF1200"),
            (Fault::TooOld { found: vec![(path(), Version::new(1, 5, 7))] }, "LF1201"),
            (Fault::CannotRun { program: path(), source: source() }, "LF1202"),
            (Fault::NotTerraform { program: path() }, "LF1202"),
            (Fault::State { path: path(), why: "it is encrypted".to_owned() }, "LF1204"),
            (interrupted(None, Some(7)), "LF1205"),
            (interrupted(Some(4711), None), "LF1205"),
            (Fault::Killed { engine, stage: stage(), work: work(), signal: 9 }, "LF1206"),
            (Fault::File { doing: "write", path: path(), source: source() }, "LF1207"),
        ];
        for (fault, code) in all {
            assert_eq!(codes(&fault), [code]);
            for finding in fault.finding() {
                assert!(!finding.message.ends_with('.'), "{}", finding.message);
                assert!(finding.help.is_some_and(|help| !help.is_empty() && !help.ends_with('.')));
            }
        }
    }
}
