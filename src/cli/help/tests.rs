use clap::{Command, CommandFactory};

use super::examples::EXAMPLES;
use super::*;
use crate::cli::Cli;

/// The lines of a terminal beside the prompt.
const SCREEN: usize = 23;

/// A command and every one below it, with their names.
fn commands(command: &Command, name: &str, found: &mut Vec<(String, Command)>) {
    found.push((name.to_owned(), command.clone()));
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        commands(below, format!("{name} {}", below.get_name()).trim(), found);
    }
}

/// Every command below the program.
fn all() -> Vec<(String, Command)> {
    let mut found = Vec::new();
    let mut command = shaped(Cli::command()).term_width(80);
    command.build();
    commands(&command, "", &mut found);
    found.retain(|(name, _)| !name.is_empty());
    found
}

fn is_parent(command: &Command) -> bool {
    command.get_subcommands().any(|below| below.get_name() != "help")
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
    assert!(root.lines().count() <= SCREEN, "{root}");
    let long: Vec<String> = all()
        .into_iter()
        .map(|(name, mut command)| format!("{name}: {}", command.render_help()))
        .filter(|help| help.trim_end().lines().count() > SCREEN)
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
    let commands = all();
    for (name, examples) in EXAMPLES.iter() {
        assert!(commands.iter().any(|(known, _)| known == name), "{name} is not a command");
        for example in examples {
            let line = example.split(['|', '>']).next().unwrap_or_default();
            let parsed = shaped(Cli::command()).try_get_matches_from(line.split_whitespace());
            assert!(parsed.is_ok(), "{example}: {}", parsed.err().map(|e| e.to_string()).unwrap_or_default());
            assert!(line.contains(name), "{example} is not an example of {name}");
        }
    }
    for (name, command) in commands {
        let count = examples::of(&name).len();
        let usual = if is_parent(&command) { 1..=2 } else { 2..=3 };
        assert!(usual.contains(&count), "{name} has {count} examples");
    }
}
