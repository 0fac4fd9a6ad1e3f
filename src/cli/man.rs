//! `landfall man`.
#![allow(clippy::disallowed_methods, reason = "this edge writes the pages where it is told to")]

use std::path::Path;

use anyhow::Context;
use clap_mangen::Man;
use roff::{Inline, Roff, bold, roman};

use super::help::examples;
use super::{Exit, Settings};
use crate::environment::{COMMANDS_WITHOUT, GROUPS};
use crate::graph::{ASSETS, Kind};

/// The argument of commands that work on a cluster directory.
const DIRECTORY: &str = "dir";
/// The groups of variables that every command reads.
const EVERYWHERE: &str = "Terminal";

/// Print or write the manual pages
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Prints the manual page of `landfall`, or writes the pages of all commands.
///
/// # Errors
/// Standard output or a page cannot be written.
pub fn run(_: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    let mut command = super::command().disable_help_subcommand(true);
    command.build();
    if let Some(directory) = &settings.dir {
        std::fs::create_dir_all(directory)
            .with_context(|| format!("cannot create the directory {}", directory.display()))?;
        write_all(&command, directory)?;
    } else {
        let mut page = Vec::new();
        render(&command, &mut page)?;
        settings.printer.data(&String::from_utf8_lossy(&page))?;
    }
    Ok(Exit::Done)
}

/// Writes the page of a command and those of the commands in it.
fn write_all(command: &clap::Command, directory: &Path) -> anyhow::Result<()> {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        write_all(inner, directory)?;
    }
    let mut page = Vec::new();
    render(command, &mut page)?;
    let path = directory.join(Man::new(command.clone()).get_filename());
    std::fs::write(&path, page).with_context(|| format!("cannot write the manual page {}", path.display()))
}

/// A page, with the sections in the order of man-pages(7).
fn render(command: &clap::Command, out: &mut Vec<u8>) -> std::io::Result<()> {
    let man = Man::new(command.clone());
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    if command.get_arguments().next().is_some() {
        man.render_options_section(out)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(out)?;
    }
    let bin = command.get_bin_name().unwrap_or_default();
    let name = bin.strip_prefix("landfall").unwrap_or(bin).trim();
    exit_status().to_writer(out)?;
    environment(name).to_writer(out)?;
    if command.get_arguments().any(|argument| argument.get_id() == DIRECTORY) {
        files().to_writer(out)?;
    }
    let given = examples::of(name);
    if !given.is_empty() {
        let mut roff = Roff::new();
        roff.control("SH", ["EXAMPLES"]);
        for line in given {
            roff.control("PP", []).control("RS", ["4"]).control("nf", []);
            roff.text([roman(*line)]).control("fi", []).control("RE", []);
        }
        roff.to_writer(out)?;
    }
    if command.get_version().is_some() {
        man.render_version_section(out)?;
    }
    Ok(())
}

/// A term and what it means, in Markdown.
fn entry(roff: &mut Roff, term: &str, meaning: &str) {
    roff.control("TP", []).text([bold(term)]).text(inline(meaning));
}

/// Markdown of one line: what is between backquotes is bold.
fn inline(markdown: &str) -> Vec<Inline> {
    let parts = markdown.split('`').enumerate().filter(|(_, part)| !part.is_empty());
    parts.map(|(index, part)| if index % 2 == 1 { bold(part) } else { roman(part) }).collect()
}

fn exit_status() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for exit in Exit::ALL {
        let (short, details) = exit.meaning();
        entry(&mut roff, &exit.number().to_string(), &format!("{short}. {}", capitalised(details)));
    }
    roff
}

/// The variables that a command reads.
fn environment(name: &str) -> Roff {
    let reads_little = COMMANDS_WITHOUT.iter().any(|without| {
        name.strip_prefix(without).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    });
    let mut roff = Roff::new();
    roff.control("SH", ["ENVIRONMENT"]);
    for group in GROUPS.iter().filter(|group| !reads_little || group.title == EVERYWHERE) {
        roff.control("SS", [group.title]).text(inline(&group.note));
        for (variable, meaning) in &group.variables {
            entry(&mut roff, variable, meaning);
        }
    }
    roff
}

/// The files of a cluster directory.
fn files() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["FILES"]);
    roff.text([roman("In the cluster directory; * matches any text.")]);
    entry(&mut roff, "install-config.yaml", "the install config, written by you");
    for asset in ASSETS.iter().filter(|asset| asset.kind == Kind::File) {
        let from: Vec<String> = asset.needs.iter().map(|need| format!("`{need}`")).collect();
        let meaning = if from.is_empty() {
            "the same for every cluster".to_owned()
        } else {
            format!("generated from {}", from.join(", "))
        };
        entry(&mut roff, asset.name, &meaning);
    }
    roff
}

/// A sentence that begins with a capital letter, unless it begins with code.
fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(names: &[&str]) -> String {
        let mut command = crate::cli::command().disable_help_subcommand(true);
        command.build();
        let inner =
            names.iter().fold(&command, |command, name| command.find_subcommand(name).unwrap_or(command));
        let mut out = Vec::new();
        let _ = render(inner, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn pages_have_the_sections_of_manual_pages_in_their_order() {
        let page = page(&["create", "cluster"]);
        let sections =
            ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES"];
        let places: Vec<Option<usize>> = sections
            .iter()
            .map(|section| {
                page.find(&format!(".SH {section}")).or_else(|| page.find(&format!(".SH \"{section}\"")))
            })
            .collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{page}");
        assert!(!page.contains(".SH EXTRA"));
        for text in ["landfall create cluster \\-\\-dir demo", "AWS_PROFILE", "metadata.json", "130"] {
            assert!(page.contains(text), "{text}");
        }
    }

    #[test]
    fn a_command_that_calls_no_cloud_names_no_credentials() {
        let page = page(&["validate"]);
        assert!(page.contains("NO_COLOR") && !page.contains("AWS_PROFILE"), "{page}");
    }
}
