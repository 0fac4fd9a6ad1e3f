//! `landfall completion`.

use clap_complete::Shell;

use super::{Exit, Settings};

/// Print a shell completion script
///
/// For bash: landfall completion bash > ~/.local/share/bash-completion/completions/landfall
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
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::command(), env!("CARGO_PKG_NAME"), &mut script);
    settings.printer.data(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
