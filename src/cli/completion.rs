//! `landfall completion`, and the answers that its scripts ask for.
//!
//! A script runs landfall again with [`VARIABLE`] set and the words of the command line behind `--`. So it
//! completes what this very program knows: its flags, and values such as regions, fields and cluster directories.

#![allow(clippy::disallowed_methods, reason = "a shell asks through the environment and the arguments")]

mod values;

use std::ffi::OsString;

use anyhow::Context;
use clap_complete::Shell;
use clap_complete::env::Shells;

use super::{Exit, Settings};
use crate::ui::Printer;

/// The variable by which a script asks; its value is the shell.
const VARIABLE: &str = "LANDFALL_COMPLETE";

/// Print a shell completion script
///
/// For bash: landfall completion bash > ~/.local/share/bash-completion/completions/landfall
///
/// The script asks landfall for flags, regions, codes, fields, platforms and cluster directories; it needs landfall on
/// PATH.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Prints the script.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(args: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    let shell = args.shell.to_string();
    let shells = Shells::builtins();
    let completer = shells.completer(&shell).with_context(|| format!("no completion for {shell}"))?;
    let mut script = Vec::new();
    let name = env!("CARGO_PKG_NAME");
    completer.write_registration(VARIABLE, name, name, name, &mut script)?;
    settings.printer.data(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

/// Answers a script that asks what the last word may be; none where no script asks.
#[must_use]
pub fn answer() -> Option<Exit> {
    let shell = std::env::var(VARIABLE).ok().filter(|shell| !shell.is_empty())?;
    let words: Vec<OsString> = std::env::args_os().skip_while(|word| word != "--").skip(1).collect();
    // A script that is answered nothing offers nothing: there is nobody to read a fault.
    let answered = Shells::builtins().completer(&shell).filter(|_| !words.is_empty()).and_then(|completer| {
        let mut command = values::completed(super::command(), &words);
        let mut answer = Vec::new();
        let folder = std::env::current_dir().ok();
        completer.write_complete(&mut command, words, folder.as_deref(), &mut answer).ok()?;
        Printer::default().data(&String::from_utf8_lossy(&answer)).ok()
    });
    Some(if answered.is_some() { Exit::Done } else { Exit::Failed })
}
