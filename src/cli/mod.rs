//! The command line: what it may say, and which verb answers.
//!
//! Parses, resolves the settings once and hands over to one file per verb, which calls the library with
//! plain values. Nothing in here judges or renders.

mod accept;
mod asking;
mod aso;
mod cloud_config;
mod completion;
mod create;
mod defaults;
mod destroy;
mod duration;
mod ended;
mod engine;
mod exit;
mod explain;
mod facts;
mod gather;
mod graph;
mod help;
mod input;
mod log;
mod man;
mod metadata;
mod namespace;
#[cfg(feature = "controllers")]
mod operator;
mod preflight;
mod prices;
mod profile;
mod regions;
mod schema;
mod settings;
mod signals;
mod validate;
mod version;
mod wait_for;
mod whereabouts;

pub use settings::{Output, Settings, directory_of};

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches as _, Parser, Subcommand};
use tokio::time::Instant;

use ended::Ended;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// What was asked for is done.
    Done,
    /// Something outside of the input went wrong, such as a file that cannot be read.
    Failed,
    /// The command line is wrong.
    Usage,
    /// An input file is not valid.
    NotValid,
    /// The cloud, or what is known of it, does not have what the config needs.
    Unfit,
    /// The infrastructure stopped part-way; the same command goes on.
    PartWay,
    /// The user stopped it.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}

/// Install OpenShift clusters in any cloud region
///
/// landfall validates OpenShift install configs, checks the cloud, creates the infrastructure, and destroys
/// it.
///
/// Exit codes: 0 done, 1 failed, 2 wrong command line, 3 an input file is not valid, 4 the cloud lacks
/// or refuses what the config needs, 5 stopped part-way: run the same command again,
/// 130 interrupted.
#[derive(Debug, Parser)]
#[command(name = "landfall", version)]
struct Cli {
    #[command(flatten)]
    global: settings::Global,
    #[command(subcommand)]
    command: Command,
}

macro_rules! commands {
    ($($(#[$meta:meta])* $name:ident => $module:ident),*) => {
        // Help texts are the doc comments of each verb's arguments.
        #[derive(Debug, Subcommand)]
        enum Command {
            $($(#[$meta])* $name($module::Args),)*
        }

        impl Command {
            fn run(&self, settings: &Settings) -> Result<Exit, Ended> {
                match self {
                    $($(#[$meta])* Self::$name(args) => Ok($module::run(args, settings)?),)*
                }
            }
        }
    };
}

commands! {
    Create => create, Destroy => destroy, WaitFor => wait_for, Metadata => metadata, Aso => aso,
    CloudConfig => cloud_config, Profile => profile, #[cfg(feature = "controllers")] Operator => operator,
    Preflight => preflight, Facts => facts, Gather => gather, Validate => validate, Defaults => defaults,
    Explain => explain, Schema => schema, Regions => regions, Graph => graph, Completion => completion,
    Man => man, Version => version
}

/// The description of the whole command line, from which completions and manual pages are made.
#[must_use]
pub fn command() -> clap::Command {
    help::described(Cli::command())
}

/// Does what the command line of this process says.
///
/// Whatever is wrong was said on standard error when this returns.
#[must_use]
pub fn main() -> Exit {
    if let Some(exit) = completion::answer() {
        return exit;
    }
    let began = Instant::now();
    let parsed = help::shaped(Cli::command()).try_get_matches();
    let parsed = parsed.and_then(|matches| {
        let cli = Cli::from_arg_matches(&matches)?;
        let refused =
            refuse_inputs(&matches).or_else(|| refuse_output(&path_of(&matches), cli.global.output));
        refused.map_or_else(|| Ok((log::Asked::of(&matches), cli)), Err)
    });
    let (asked, cli) = match parsed {
        Ok(parsed) => parsed,
        Err(fault) => return usage(&fault),
    };
    let settings = match Settings::resolve(&cli.global) {
        Ok(settings) => settings,
        Err(fault) => {
            crate::ui::Printer::default().fault(&*fault);
            return Exit::Failed;
        }
    };
    asked.record(&settings);
    settings.printer.record_calls();
    let exit = cli.command.run(&settings).or_else(|ended| ended.tell(&settings)).unwrap_or_else(|fault| {
        settings.printer.fault(&*fault);
        Exit::Failed
    });
    log::end(exit, began, &settings);
    exit
}

/// Help and version are no faults, though clap hands them over as such.
fn usage(fault: &clap::Error) -> Exit {
    // There is nobody left to tell when the stream is gone.
    let _ = fault.print();
    if fault.use_stderr() { Exit::Usage } else { Exit::Done }
}

/// The names of the commands that were given, from the outermost.
fn path_of(matches: &clap::ArgMatches) -> Vec<&str> {
    let mut path = Vec::new();
    let mut below = matches.subcommand();
    while let Some((name, matches)) = below {
        path.push(name);
        below = matches.subcommand();
    }
    path
}

/// The fault of a form that a command's data does not come in.
fn refuse_output(command: &[&str], wanted: Output) -> Option<clap::Error> {
    let outputs = Output::of(command);
    (!outputs.contains(&wanted)).then(|| {
        let names: Vec<&str> = outputs.iter().map(|output| output.name()).collect();
        let message = format!(
            "this command has no output `{}`\n  [possible values: {}]",
            wanted.name(),
            names.join(", ")
        );
        Cli::command().error(ErrorKind::InvalidValue, message)
    })
}

/// The fault of a command line on which standard input stands for several files.
fn refuse_inputs(matches: &clap::ArgMatches) -> Option<clap::Error> {
    let message = "standard input can be read only once: use - for one of the files";
    (input::standard_inputs(matches) > 1).then(|| Cli::command().error(ErrorKind::ArgumentConflict, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_input_stands_for_one_file() {
        let refused = |words: &[&str]| {
            let matches = Cli::command().try_get_matches_from(words).ok();
            matches.map(|matches| refuse_inputs(&matches).is_some())
        };
        for (words, expected) in [
            (&["landfall", "validate", "-", "-"][..], true),
            (&["landfall", "validate", "-", "--catalogue", "-"], true),
            (&["landfall", "create", "manifests", "--facts", "-", "--cloud-profile", "-"], true),
            (&["landfall", "create", "cluster", "--prices", "-", "--aso-patches", "-"], true),
            (&["landfall", "aso", "render", "-", "--engine-settings", "-"], true),
            (&["landfall", "validate", "-", "./-"], false),
            (&["landfall", "create", "manifests", "--facts", "-"], false),
            (&["landfall", "-o", "json", "aso", "render", "-"], false),
        ] {
            assert_eq!(refused(words), Some(expected), "{words:?}");
        }
    }

    #[test]
    fn describes_itself_without_contradiction() {
        command().debug_assert();
    }

    #[test]
    fn flags_under_the_heading_of_aso_are_for_aso_alone() {
        let whole = command();
        let cluster = whole.find_subcommand("create").and_then(|create| create.find_subcommand("cluster"));
        let flags: Vec<&str> = cluster
            .into_iter()
            .flat_map(clap::Command::get_arguments)
            .filter(|flag| flag.get_help_heading() == Some("With --engine aso"))
            .filter_map(clap::Arg::get_long)
            .collect();
        assert!(flags.contains(&"aso-machines") && flags.contains(&"namespace"), "{flags:?}");
        for general in ["offline", "facts", "keep-edits", "overwrite", "unknown-fields", "catalogue"] {
            assert!(!flags.contains(&general), "{general} is listed for Azure Service Operator alone");
        }
    }

    #[test]
    fn refuses_a_form_that_a_verb_does_not_have() {
        let refused = |words: &[&str]| -> Option<bool> {
            let matches = Cli::command().try_get_matches_from(words).ok()?;
            let wanted = Cli::from_arg_matches(&matches).ok()?.global.output;
            Some(refuse_output(&path_of(&matches), wanted).is_some())
        };
        assert_eq!(refused(&["landfall", "validate", "-o", "yaml", "a.yaml"]), Some(true));
        assert_eq!(refused(&["landfall", "-o", "yaml", "defaults", "a.yaml"]), Some(false));
        assert_eq!(refused(&["landfall", "-o", "json", "man"]), Some(true));
        let check = ["landfall", "profile", "check", "--profile", "a.yaml", "-o"];
        assert_eq!(refused(&[&check[..], &["sarif"]].concat()), Some(false));
        assert_eq!(refused(&[&check[..], &["yaml"]].concat()), Some(true));
    }
}
