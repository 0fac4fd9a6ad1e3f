use clap::{Command, CommandFactory};

use super::examples::EXAMPLES;
use super::*;
use crate::cli::Cli;

/// Every command without others below it, with its name.
fn leaves(command: &Command, name: &str, found: &mut Vec<(String, Command)>) {
    let below: Vec<&Command> = command.get_subcommands().filter(|below| below.get_name() != "help").collect();
    if below.is_empty() {
        found.push((name.to_owned(), command.clone()));
    }
    for below in below {
        leaves(below, format!("{name} {}", below.get_name()).trim(), found);
    }
}

fn all() -> Vec<(String, Command)> {
    let mut found = Vec::new();
    let mut command = shaped(Cli::command()).term_width(80);
    command.build();
    leaves(&command, "", &mut found);
    found
}

#[test]
fn every_command_is_in_one_group() {
    let command = Cli::command();
    for name in command.get_subcommands().map(Command::get_name) {
        let groups = GROUPS.iter().filter(|(_, names)| names.contains(&name)).count();
        assert_eq!(groups, 1, "{name}");
    }
}

#[test]
fn the_short_help_fits_a_screen() {
    let root = shaped(Cli::command()).term_width(80).render_help().to_string();
    assert!(root.lines().count() <= 24, "{root}");
    let long: Vec<String> = all()
        .into_iter()
        .map(|(name, mut command)| format!("{name}: {}", command.render_help()))
        .filter(|help| help.trim_end().lines().count() > 24)
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn the_long_help_has_every_flag() {
    for (name, mut command) in all() {
        let help = command.render_long_help().to_string();
        for argument in command.get_arguments().filter(|argument| !argument.is_hide_set()) {
            if let Some(long) = argument.get_long() {
                assert!(help.contains(&format!("--{long}")), "{name} --{long}");
            }
        }
    }
}

#[test]
fn every_example_is_a_command_that_is_understood() {
    let names: Vec<String> = all().into_iter().map(|(name, _)| name).collect();
    for (name, examples) in EXAMPLES {
        assert!(names.iter().any(|leaf| leaf == name), "{name} is not a command");
        for example in *examples {
            let line = example.split(['|', '>']).next().unwrap_or_default();
            let parsed = shaped(Cli::command()).try_get_matches_from(line.split_whitespace());
            assert!(parsed.is_ok(), "{example}: {}", parsed.err().map(|e| e.to_string()).unwrap_or_default());
            assert!(line.contains(name), "{example} is not an example of {name}");
        }
    }
    for name in names {
        let count = examples::of(&name).len();
        assert!((2..=3).contains(&count), "{name} has {count} examples");
    }
}
