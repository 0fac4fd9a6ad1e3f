//! The pages of the commands.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::{Arg, Command};

use super::{NOTE, cell};

/// A paragraph of Markdown in which no name in angle brackets is taken for HTML.
fn paragraphs(text: &str) -> String {
    let lines = text.lines().map(|line| if line.starts_with("  ") { line.to_owned() } else { escaped(line) });
    lines.collect::<Vec<_>>().join("\n")
}

/// A line in which `<` outside of backquotes is not taken for HTML.
fn escaped(line: &str) -> String {
    let parts: Vec<String> = line
        .split('`')
        .enumerate()
        .map(|(index, part)| if index % 2 == 0 { part.replace('<', "&lt;") } else { part.to_owned() })
        .collect();
    parts.join("`")
}

fn flag(argument: &Arg) -> String {
    let mut names: Vec<String> = argument.get_short().map(|short| format!("-{short}")).into_iter().collect();
    names.extend(argument.get_long().map(|long| format!("--{long}")));
    let takes = argument.get_action().takes_values();
    let values = argument.get_value_names().unwrap_or_default().join(" ");
    match (names.is_empty(), takes) {
        (true, _) => values,
        (false, true) => format!("{} {values}", names.join(", ")),
        (false, false) => names.join(", "),
    }
}

fn meaning(argument: &Arg) -> String {
    let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut text = cell(&help);
    let values: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|_| argument.get_action().takes_values())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if !values.is_empty() {
        write!(text, ". One of {}", values.join(", ")).unwrap();
    }
    let defaults: Vec<_> =
        argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if !defaults.is_empty() && argument.get_action().takes_values() {
        write!(text, ". Default: `{}`", defaults.join(" ")).unwrap();
    }
    text
}

fn flags<'a>(arguments: impl Iterator<Item = &'a Arg>) -> String {
    let mut rows = String::new();
    for argument in arguments.filter(|argument| !argument.is_hide_set()) {
        let name = flag(argument).replace('|', "\\|");
        writeln!(rows, "| `{name}` | {} |", meaning(argument)).unwrap();
    }
    if rows.is_empty() { rows } else { format!("| flag | meaning |\n|---|---|\n{rows}") }
}

/// One command with its flags, and those below it.
/// What a page says of a command and those below it. `known` has the flags that the page has already, with whose they are.
fn command(text: &mut String, command: &Command, name: &str, known: &mut BTreeMap<String, String>) {
    writeln!(text, "## `{name}`\n").unwrap();
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    writeln!(text, "{}\n", paragraphs(&about)).unwrap();
    let below: Vec<&Command> = shown(command).collect();
    if below.is_empty() {
        let usage = command.clone().render_usage().to_string();
        let usage = usage.trim_start_matches("Usage: ");
        writeln!(text, "```text\n{}\n```\n", usage.trim()).unwrap();
    }
    let own = command.get_arguments().filter(|argument| !argument.is_global_set());
    let rows = flags(own.filter(|argument| !["help", "version"].contains(&argument.get_id().as_str())));
    match known.get(&rows) {
        _ if rows.is_empty() => {}
        Some(other) => writeln!(text, "The flags are those of `{other}`.\n").unwrap(),
        None => {
            writeln!(text, "{rows}").unwrap();
            known.insert(rows, name.to_owned());
        }
    }
    if let Some(examples) = command.get_after_long_help().or(command.get_after_help()) {
        writeln!(text, "```text\n{}\n```\n", examples.to_string().trim_end()).unwrap();
    }
    for below in below {
        let name = format!("{name} {}", below.get_name());
        if OWN_PAGE.contains(&name.as_str()) {
            writeln!(text, "## `{name}`\n\nThis command has [its own page]({}).\n", file_of(&name)).unwrap();
            continue;
        }
        self::command(text, below, &name, known);
    }
}

/// Commands below others that have many flags.
const OWN_PAGE: &[&str] = &["landfall aso render"];

/// The name of the page of a command.
fn file_of(name: &str) -> String {
    format!("{}.md", name.trim_start_matches("landfall ").replace(' ', "-"))
}

/// The page of a command.
fn page_of(top: &Command, name: &str) -> String {
    let mut text = format!("# {name}\n\n{NOTE}\n");
    command(&mut text, top, name, &mut BTreeMap::new());
    writeln!(text, "The [flags of every command](../commands.md#flags-of-every-command) are accepted too.")
        .unwrap();
    text
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help")
}

/// Writes the pages of all commands.
pub(super) fn commands(pages: &mut BTreeMap<String, String>) {
    let mut all = landfall::cli::command();
    all.build();
    let mut index = format!("# Commands\n\n{NOTE}\n| command | does |\n|---|---|\n");
    for top in shown(&all) {
        let name = format!("landfall {}", top.get_name());
        let path = format!("commands/{}", file_of(&name));
        let about = top.get_about().map(ToString::to_string).unwrap_or_default();
        writeln!(index, "| [`{name}`]({path}) | {} |", cell(&about)).unwrap();
        pages.insert(path, page_of(top, &name));
        for below in shown(top) {
            let name = format!("{name} {}", below.get_name());
            if OWN_PAGE.contains(&name.as_str()) {
                pages.insert(format!("commands/{}", file_of(&name)), page_of(below, &name));
            }
        }
    }
    let global = all.get_arguments().filter(|argument| argument.is_global_set());
    write!(index, "\n## Flags of every command\n\n{}", flags(global)).unwrap();
    pages.insert("commands.md".to_owned(), index);
}
