//! The log of a cluster directory: which commands keep it, and what they begin and end with.

use std::path::Path;
use std::process;

use clap::ArgMatches;
use clap::parser::ValueSource;
use landfall_diagnostics::clock;
use tokio::time::Instant;

use super::{Exit, Settings};
use crate::workdir::Log;

/// The commands that work on a cluster directory: each begins its log.
const BEGINNING: &[&str] = &[
    "create cluster",
    "create manifests",
    "destroy bootstrap",
    "destroy cluster",
    "facts",
    "metadata refresh",
    "preflight",
    "wait-for",
    "aso check",
    "aso handover",
    "aso move",
    "aso pause",
    "aso resume",
];
/// Those that only add to a log that is there.
const ADDING: &[&str] = &["create install-config", "create permissions-policy", "gather"];

/// What the command line asks for: the command, and the names of the flags that are given. Their values are no part of
/// it, as some are secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    command: String,
    flags: Vec<String>,
}

impl Asked {
    /// What was parsed.
    pub(super) fn of(matches: &ArgMatches) -> Self {
        let (mut names, mut flags) = (Vec::new(), Vec::new());
        let mut level = Some(matches);
        while let Some(matches) = level {
            let given = matches.ids().map(clap::Id::as_str);
            let given = given.filter(|id| matches.value_source(id) == Some(ValueSource::CommandLine));
            flags.extend(given.filter(|id| !is_group(id)).map(|id| id.replace('_', "-")));
            level = matches.subcommand().map(|(name, below)| {
                names.push(name);
                below
            });
        }
        flags.sort();
        flags.dedup();
        Self { command: names.join(" "), flags }
    }

    fn gives(&self, flag: &str) -> bool {
        self.flags.iter().any(|given| given == flag)
    }

    /// Whether the command begins the log of its directory, or only adds to one; none where it has no directory.
    fn begins(&self) -> Option<bool> {
        let has_none = self.gives("fleet") || (self.gives("infra-id") && !self.gives("dir"));
        let is_of_cluster = !has_none || self.command == "create cluster";
        let begins = BEGINNING.contains(&self.command.as_str());
        // What is only shown leaves no file behind.
        let begins = begins && !self.gives("plan");
        let adds = ADDING.contains(&self.command.as_str()) || BEGINNING.contains(&self.command.as_str());
        (is_of_cluster && adds).then_some(begins)
    }

    /// Records the run in the log of its directory. Where that cannot be written, the run goes on without.
    pub(super) fn record(&self, settings: &Settings) {
        let Some(begins) = self.begins() else { return };
        let directory = settings.dir.as_deref().unwrap_or(Path::new("."));
        if let Ok(Some(log)) = Log::open(directory, begins) {
            settings.printer.keep(log);
            let flags: String = self.flags.iter().flat_map(|flag| [" --", flag.as_ref()]).collect();
            let (version, id) = (env!("CARGO_PKG_VERSION"), process::id());
            let line = format!("landfall {version}, process {id}: {}{flags}", self.command);
            settings.printer.record(&line);
        }
    }
}

/// Whether an id is that of the struct that flags are in.
fn is_group(id: &str) -> bool {
    id.starts_with(char::is_uppercase)
}

/// Records how a run ended, and names the log where it failed or was interrupted.
pub(super) fn end(exit: Exit, began: Instant, settings: &Settings) {
    let Some(path) = settings.printer.log_path() else { return };
    let took = clock(began.elapsed());
    settings.printer.record(&format!("process {} ended with {} after {took}", process::id(), exit.number()));
    if matches!(exit, Exit::Failed | Exit::NotValid | Exit::Unfit | Exit::PartWay | Exit::Interrupted) {
        settings.printer.hint(&format!("log: {}", path.display()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(words: &[&str]) -> Asked {
        let matches = crate::cli::command().try_get_matches_from(words);
        matches.map_or_else(|_| Asked { command: String::new(), flags: Vec::new() }, |all| Asked::of(&all))
    }

    #[test]
    fn a_value_is_not_recorded() {
        let asked = asked(&["landfall", "--dir", "canary", "create", "cluster", "-y", "--accept", "canary"]);
        assert_eq!(asked.command, "create cluster");
        assert_eq!(asked.flags, ["accept", "dir", "yes"]);
    }

    #[test]
    fn commands_of_a_cluster_directory_keep_its_log() {
        let begins = |words: &str| asked(&words.split(' ').collect::<Vec<&str>>()).begins();
        for (words, wanted) in [
            ("landfall create cluster", Some(true)),
            ("landfall create cluster --infra-id demo-bcd24", Some(true)),
            ("landfall create cluster --plan", Some(false)),
            ("landfall create manifests --fleet x", None),
            ("landfall wait-for api", Some(true)),
            ("landfall destroy cluster", Some(true)),
            ("landfall destroy cluster --infra-id demo-bcd24 --region us-east-1", None),
            ("landfall destroy cluster --infra-id demo-bcd24 --region us-east-1 --dir x", Some(true)),
            ("landfall destroy find --region us-east-1", None),
            ("landfall validate a.yaml", None),
        ] {
            assert_eq!(begins(words), wanted, "{words}");
        }
    }

    #[test]
    fn every_name_is_that_of_a_command() {
        let whole = crate::cli::command();
        for name in BEGINNING.iter().chain(ADDING) {
            let found = name.split(' ').try_fold(&whole, |command, name| command.find_subcommand(name));
            assert!(found.is_some(), "{name}");
        }
    }
}
